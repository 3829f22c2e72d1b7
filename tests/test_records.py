"""Records: the conformance data through the engine and back, and everything that a reader refuses."""

import contextlib
import copy
import json
import pickle
import time
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from piquet_env.engine import game, layout
from piquet_env.notation import action_index, legal_indices, rules_of
from piquet_env.records import (
    MOST_BYTES,
    RecordError,
    check_record,
    deal_record,
    is_partie,
    load_record,
    new_row,
    partie_record,
    read_records,
    steps,
    write_records,
)
from piquet_env.rules import Rules

DATA = Path(__file__).parent / "data"
FILES = ("deals.jsonl", "legal.jsonl", "parties.jsonl")


def data(name):
    return [json.loads(line) for line in (DATA / name).read_text(encoding="utf-8").splitlines()]


DEALS, LEGAL, PARTIES = (data(name) for name in FILES)


def loaded(record, partie=False, state=1):
    row = new_row()
    load_record(record, row, partie, state)
    return row


def without(record, *keys):
    return {key: value for key, value in record.items() if key not in keys}


def rules_as_meant(record):
    """A record with its rules made, so that two ways to write them are equal."""
    deals = {"deals": [rules_as_meant(deal) for deal in record["deals"]]} if "deals" in record else {}
    return record | {"rules": Rules.make(record["rules"])} | deals


def deal(rules="auction", **wanted):
    """A copy of the first conformance deal with these rules, and with a result that has all of `wanted`."""
    for record in DEALS:
        result = record["result"] or {"contract": None}
        contract = result["contract"] or {}
        if record["rules"] == rules and all(contract.get(key) == value for key, value in wanted.items()):
            return copy.deepcopy(record)
    raise AssertionError((rules, wanted))


def thrown_in():
    return next(one for one in partie(with_thrown_in=True)["deals"] if one["result"] is None)


def partie(with_thrown_in=False):
    return copy.deepcopy(
        next(
            record
            for record in PARTIES
            if record["rules"] == "auction" and with_thrown_in == any(d["result"] is None for d in record["deals"])
        )
    )


# ------------------------------------------------------------------ the conformance data


@pytest.mark.parametrize("name", FILES)
def test_conformance_replays_exactly(name):
    """Every action legal, every item of every score, every total and payment: else read_records refuses."""
    records = [record for _, record in read_records(DATA / name)]
    assert records == {"deals.jsonl": DEALS, "legal.jsonl": LEGAL, "parties.jsonl": PARTIES}[name]
    assert records


def test_conformance_legal_actions():
    for record in LEGAL:
        walked = [(legal_indices(row), action, f"{row[layout.ACTOR]}") for row, action in steps(record)]
        assert [legal for legal, _, _ in walked] == record["legal"]
        assert [actor for _, _, actor in walked] == [text[0] for text in record["actions"]]
        assert [action for _, action, _ in walked] == [
            action_index(text[2:], record["rules"]) for text in record["actions"]
        ]


def test_conformance_deals_are_written_as_they_were():
    for record in DEALS + LEGAL:
        written = deal_record(loaded(record), record["id"])
        assert rules_as_meant(written) == rules_as_meant(without(record, "legal"))


def test_conformance_parties_are_written_as_they_were():
    for record in PARTIES:
        row = new_row()
        earlier = load_record(record, row, True, 1)
        game.close_deal(row)
        written = partie_record(earlier, row)
        written["deals"][-1]["id"] = record["deals"][-1]["id"]  # a row holds no names
        assert rules_as_meant(written) == rules_as_meant(record)


@pytest.mark.parametrize("name", FILES)
def test_files_are_written_as_they_were(name, tmp_path):
    written = tmp_path / name
    shuffled_keys = [dict(sorted(record.items())) for _, record in read_records(DATA / name)]
    write_records(written, shuffled_keys)
    assert written.read_bytes() == (DATA / name).read_bytes()


# ------------------------------------------------------------------ incomplete records


def test_every_beginning_of_a_deal_can_be_played_on():
    for whole in (deal("rubicon"), deal("auction", sign="+"), deal("auction", sign="-"), deal("cent"), deal("micro")):
        for stop in range(len(whole["actions"]) + 1):
            row = loaded(without(whole, "result") | {"actions": whole["actions"][:stop]})
            for text in whole["actions"][stop:]:
                assert game.apply_action(row, action_index(text[2:], whole["rules"]))
            assert deal_record(row, whole["id"]) == whole


def test_every_beginning_of_a_partie_can_be_loaded():
    whole = partie(with_thrown_in=True)
    totals = np.zeros(2, int)
    for number, last in enumerate(whole["deals"]):
        part = without(whole, "result") | {"deals": whole["deals"][: number + 1]}
        row = new_row()
        earlier = load_record(part, row, True, 1)
        assert earlier == whole["deals"][:number]
        assert row[layout.PHASE] == layout.DEAL_OVER
        assert row[layout.TOTALS : layout.TOTALS + 2].tolist() == totals.tolist()
        if last["result"]:
            totals += [last["result"]["score"][player]["total"] for player in ("player_0", "player_1")]


def test_deal_record_begins_a_partie_or_is_an_episode():
    for is_a_partie in (False, True):
        row = loaded(deal(), is_a_partie)
        game.next_deal(row)
        assert row[layout.COMPLETED] == 1
        assert (row[layout.PHASE] == layout.GAME_OVER) != is_a_partie


def test_two_passes_without_result_are_thrown_in_and_the_next_is_dealt():
    record = without(thrown_in(), "result")
    row = loaded(record)
    assert row[layout.IS_THROWN_IN] == 1
    assert row[layout.PHASE] == layout.DEAL_OVER
    game.next_deal(row)
    assert row[layout.PHASE] == layout.AUCTION
    assert deal_record(row)["dealer"] == record["dealer"]
    assert deal_record(row)["hands"] != record["hands"]


def test_what_is_dealt_next_depends_on_the_state_alone():
    rows = [loaded(thrown_in(), state=state) for state in (7, 7, 8)]
    for row in rows:
        game.next_deal(row)
    again, same, other = (deal_record(row)["hands"] for row in rows)
    assert again == same != other


def test_partie_that_was_cut_off_has_no_result():
    record = thrown_in() | {"rules": {"base": "auction", "max_thrown_in": 2}}
    twice = {"format": "piquet-partie/1", "rules": record["rules"], "deals": [record, record]}
    row = new_row()
    earlier = load_record(twice, row, True, 1)
    game.close_deal(row)
    assert row[layout.TRUNCATED] == 1
    assert "result" not in partie_record(earlier, row)
    refused(twice | {"result": {"totals": {}, "payment": {}}}, "result", "cut off")
    refused(twice | {"deals": [record] * 3}, "deals[2]", "over")


def test_partie_in_play_has_no_result():
    row = new_row()
    game.new_game(row, Rules.make("auction").columns(), 1, 5, 0)
    record = partie_record([], row)
    assert "result" not in record
    assert "result" not in record["deals"][0]
    assert (loaded(record, True)[layout.PHASE :] == row[layout.PHASE :]).all()


# ------------------------------------------------------------------ refused


def refused(record, field, *words):
    with pytest.raises(RecordError) as caught:
        check_record(record)
    assert caught.value.field == field
    for word in words:
        assert word in str(caught.value)


def changed(record, path, value):
    """The record with the value at a path like "hands.player_0" or "deals.1.dealer" changed."""
    record = copy.deepcopy(record)
    *way, last = path.split(".")
    part = record
    for step in way:
        part = part[int(step) if isinstance(part, list) else step]
    part[int(last) if isinstance(part, list) else last] = value
    return record


JUNK = [None, True, 0, -1, 1.5, float("nan"), "junk", "", [], {}, [1], {"a": 1}, [[[]]], "♠", "\ud800", 10**30]


@pytest.mark.parametrize("key", ["format", "rules", "dealer", "hands", "talon", "actions", "legal", "result"])
@pytest.mark.parametrize("junk", JUNK, ids=repr)
def test_junk_in_any_field_of_a_deal(key, junk):
    if (key, junk) in [("rules", {}), ("actions", [])]:
        return  # no changed field: the rules of `auction`; no action yet
    record = LEGAL[0] if key == "legal" else deal()
    if key == "actions":
        record = without(record, "result")
    record = record | {key: junk}
    with pytest.raises(RecordError, match=f"^field '{key}"):
        check_record(record)


@pytest.mark.parametrize("key", ["format", "rules", "deals", "result"])
@pytest.mark.parametrize("junk", JUNK, ids=repr)
def test_junk_in_any_field_of_a_partie(key, junk):
    if (key, junk) == ("rules", {}):
        return
    with pytest.raises(RecordError, match=r"^field "):
        check_record(partie() | {key: junk})


@pytest.mark.parametrize("junk", JUNK, ids=repr)
def test_junk_as_a_record(junk):
    with pytest.raises(RecordError):
        check_record(junk)


@pytest.mark.parametrize("junk", [junk for junk in JUNK if not isinstance(junk, str)], ids=repr)
def test_name_that_is_no_text(junk):
    refused(deal() | {"id": junk}, "id", "expected a text")


@pytest.mark.parametrize("key", ["format", "rules", "dealer", "hands", "talon", "actions"])
def test_missing_field(key):
    refused(without(deal(), key), key)


@pytest.mark.parametrize("text", ["piquet-deal/2", "piquet-deal", "bridge/1", "piquet-partie/2"])
def test_wrong_format_or_version(text):
    refused(deal() | {"format": text}, "format", "piquet-deal/1", text)


def test_unknown_field():
    refused(deal() | {"comment": "x"}, "comment", "unknown", "dealer")
    refused(partie() | {"legal": []}, "legal", "unknown")
    refused(changed(deal(), "hands.player_2", "..."), "hands.player_2", "unknown")


def test_rules_that_are_no_game():
    refused(deal() | {"rules": "bridge"}, "rules", "unknown ruleset", "auction")
    refused(deal() | {"rules": {"base": "auction", "hand_size": 11}}, "rules", "hand_size")
    refused(deal() | {"rules": {"base": "auction", "trumps": True}}, "rules", "trumps", "unknown")
    refused(deal() | {"rules": {"sinking": 1}}, "rules", "sinking", "true or false")


HANDS = "hands.player_0"
CARDS = [
    ("mini", "hands.player_1", "twice", lambda one, two, talon: (one, one, talon)),
    ("mini", "talon", "twice", lambda one, two, talon: (one, two, talon[:2] + " " + talon[:2])),
    ("mini", HANDS, "expected 3 cards, got 2", lambda one, two, talon: (short(one), two, talon)),
    ("mini", "talon", "expected 2 cards, got 1", lambda one, two, talon: (one, two, talon[:2])),
    ("mini", HANDS, "not in the pack", lambda one, two, talon: (short(one) + "A", two, talon)),
    ("mini", HANDS, "expected a hand", lambda one, two, talon: (one.replace(".", ","), two, talon)),
    ("mini", HANDS, "expected a card", lambda one, two, talon: (short(one) + "X", two, talon)),
    ("mini", "talon", "expected a card", lambda one, two, talon: (one, two, talon.replace(" ", ", "))),
]


def short(hand):
    """One card fewer."""
    place = next(i for i, letter in enumerate(hand) if letter != ".")
    return hand[:place] + hand[place + 1 :]


@pytest.mark.parametrize(("rules", "field", "word", "change"), CARDS, ids=lambda value: str(value)[:24])
def test_wrong_cards(rules, field, word, change):
    record = deal(rules)
    one, two, talon = change(*record["hands"].values(), record["talon"])
    refused(record | {"hands": {"player_0": one, "player_1": two}, "talon": talon}, field, word)


def test_illegal_action_is_told_with_the_legal_ones():
    record = deal("auction-parlett")
    record["actions"][1] = "1 play SA"
    refused(record, "actions[1]", "1 play SA", "player_1 is to act", "legal: +8", "double")


@pytest.mark.parametrize(
    "text",
    ["0 pass", "pass", "2 pass", "1pass", "", "1", "1  pass", "1 PASS", "1 pass ", "\u0661 pass", None, 46, ["1 pass"]],
)
def test_action_that_cannot_be_meant(text):
    record = deal()
    assert record["actions"][0] == "0 pass"
    record["actions"][1] = text
    with pytest.raises(RecordError, match=r"field 'actions\[1\]'"):
        check_record(record)


def test_card_discarded_in_play_or_played_in_the_exchange():
    for was, becomes in (("play", "discard"), ("discard", "play")):
        record = deal("rubicon")
        number, text = next((n, text) for n, text in enumerate(record["actions"]) if was in text)
        record["actions"][number] = text.replace(was, becomes)
        refused(record, f"actions[{number}]", "illegal", becomes)


@pytest.mark.parametrize("rules", ["auction", "rubicon", "cent", "micro"])
def test_actions_after_the_end(rules):
    record = deal(rules)
    record["actions"].append("0 pass")
    refused(record, f"actions[{len(record['actions']) - 1}]", "over")
    after_passes = thrown_in()
    after_passes["actions"].append("0 pass")
    refused(after_passes, "actions[2]", "over")


@pytest.mark.parametrize("rules", ["auction", "rubicon", "mini"])
def test_result_of_a_deal_that_is_not_over(rules):
    record = deal(rules, **({"level": 2} if rules == "mini" else {}))
    record["actions"].pop()
    refused(record, "result", "not over")
    refused(record | {"result": None}, "result", "not over")


def test_result_null_only_where_thrown_in():
    refused(deal() | {"result": None}, "result", "None")
    refused(thrown_in() | {"result": deal()["result"]}, "result", "None")


def leaves(value, path=""):
    """Every (path, value) that is no object."""
    if isinstance(value, dict):
        return [leaf for key, part in value.items() for leaf in leaves(part, f"{path}.{key}" if path else key)]
    return [(path, value)]


@pytest.mark.parametrize(
    "record", [deal("auction", sign="-"), deal("rubicon"), partie()], ids=["auction", "rubicon", "partie"]
)
def test_every_wrong_value_of_a_result(record):
    for path, value in leaves(record["result"], "result"):
        wrong = [value + 1, float(value), str(value)] if isinstance(value, int) else ["player_2", 0]
        for given_value in [*wrong, None if value is not None else {}, True]:
            refused(changed(record, path, given_value), path, "the replay gives")


def test_result_with_too_few_or_too_many_items():
    record = deal()
    del record["result"]["score"]["player_1"]["set"]
    refused(record, "result.score.player_1.set", "missing")
    refused(changed(deal(), "result.score.player_1.luck", 3), "result.score.player_1.luck", "unknown")


@pytest.mark.parametrize("change", [lambda legal: legal[:-1], lambda legal: [*legal, 79], lambda legal: legal[::-1]])
def test_wrong_legal_actions(change):
    record = copy.deepcopy(LEGAL[0])
    record["legal"][0] = change(record["legal"][0])
    with pytest.raises(RecordError, match=r"field 'legal\[0\]"):
        check_record(record)


def test_legal_actions_of_too_few_steps():
    record = copy.deepcopy(LEGAL[0])
    record["legal"].pop()
    refused(record, "legal", "as long as actions")


# ------------------------------------------------------------------ refused parties


def test_rules_of_a_deal_are_those_of_the_partie():
    whole = partie()
    same = changed(whole, "deals.1.rules", {"base": "auction", "rubicon": 150})
    check_record(same)
    refused(changed(whole, "deals.1.rules", {"base": "auction", "rubicon": 100}), "deals[1].rules", "auction")


def test_wrong_dealer_in_a_partie():
    for whole in (partie(), partie(with_thrown_in=True)):
        for number, one in enumerate(whole["deals"]):
            other = {"player_0": "player_1", "player_1": "player_0"}[one["dealer"]]
            with pytest.raises(RecordError) as caught:
                check_record(changed(whole, f"deals.{number}.dealer", other))
            # Who dealt the first is free, but the deal itself then goes another way.
            assert caught.value.field == (f"deals[{number}].dealer" if number else "deals[0].actions[0]")


def test_deals_after_the_end_of_a_partie():
    whole = partie()
    whole["deals"].append(whole["deals"][0])
    refused(whole, "deals[6]", "over after 6 deals")


def test_partie_that_is_not_over_has_no_result():
    whole = partie()
    whole["deals"].pop()
    refused(whole, "result", "not over after 5 deals")
    check_record(without(whole, "result"))


def test_only_the_last_deal_may_be_incomplete():
    whole = partie()
    for number in range(6):
        part = changed(whole, f"deals.{number}", without(whole["deals"][number], "result"))
        refused(part, f"deals[{number}].result", "missing")
        refused(without(part, "result"), f"deals[{number}].result", "missing") if number < 5 else check_record(
            without(part, "result")
        )


def test_faults_in_a_deal_of_a_partie_are_found_there():
    whole = partie()
    refused(changed(whole, "deals.3.talon", ""), "deals[3].talon", "expected 8 cards")
    refused(changed(whole, "deals.3.actions.0", "junk"), "deals[3].actions[0]")
    refused(changed(whole, "deals.3.result.tricks.player_0", 13), "deals[3].result.tricks.player_0", "13")
    refused(changed(whole, "deals.3", partie()), "deals[3].format", "piquet-deal/1")
    refused(changed(whole, "deals.3", "deal"), "deals[3]", "object")


def test_partie_is_not_loaded_as_one_deal():
    row = new_row()
    with pytest.raises(RecordError, match="the episode is one deal"):
        load_record(partie(), row, False, 1)


# ------------------------------------------------------------------ never anything else


def test_row_is_untouched_when_a_record_is_refused():
    row = loaded(deal())
    before = row.copy()
    with pytest.raises(RecordError):
        load_record(changed(partie(), "result.totals.player_0", 0), row, True, 2)
    assert (row == before).all()


def test_error_can_be_pickled():
    error = RecordError("reason", "field", "file", 3)
    assert str(pickle.loads(pickle.dumps(error))) == str(error) == "file, line 3: field 'field': reason"


def test_message_is_one_short_line():
    record = deal() | {"rules": {"base": "auction\n" * 10**5}}
    with pytest.raises(RecordError) as caught:
        check_record(record)
    assert len(str(caught.value)) < 1000
    assert "\n" not in str(caught.value)


def test_lists_without_end_in_a_record():
    endless = []
    endless.append(endless)
    deep = []
    for _ in range(10**5):
        deep = [deep]
    for junk in (endless, deep):
        for key in ("format", "rules", "dealer", "hands", "talon", "actions", "result"):
            with pytest.raises(RecordError):
                check_record(deal() | {key: junk})
        with pytest.raises(RecordError):
            check_record(deal() | {"rules": {"base": "auction", "deals": junk}})


SMALL = [record for record in DEALS if record["rules"] in ("micro", "mini")][:12] + [
    record for record in PARTIES if record["rules"] in ("micro", "mini")
]
JSON_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-3, 99)
    | st.floats()
    | st.text(max_size=4)
    | st.sampled_from(["0 pass", "player_0"]),
    lambda values: st.lists(values, max_size=3) | st.dictionaries(st.text(max_size=4), values, max_size=3),
    max_leaves=4,
)


@settings(max_examples=300, suppress_health_check=[HealthCheck.too_slow])
@given(st.sampled_from(SMALL), st.data())
def test_changed_record_is_refused_or_means_something(record, choice):
    """Anywhere in a record something is replaced, removed or doubled: a RecordError, or a record that reads back."""
    record = copy.deepcopy(record)
    part = record
    while True:
        key = choice.draw(st.sampled_from(list(part) if isinstance(part, dict) else range(len(part))))
        if not isinstance(part[key], dict | list) or not part[key] or choice.draw(st.booleans()):
            break
        part = part[key]
    kind = choice.draw(st.sampled_from(["replace", "remove", "double"]))
    if kind == "replace":
        part[key] = choice.draw(JSON_VALUES)
    elif kind == "remove":
        del part[key]
    elif isinstance(part, list):
        part.insert(key, part[key])
    else:
        part[str(key) + "2"] = part[key]
    with contextlib.suppress(RecordError):
        row = loaded(record, is_partie(record))
        assert rules_of(row) == Rules.make(record["rules"])


# ------------------------------------------------------------------ files


def in_file(folder, content, name="records.jsonl"):
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def refused_file(path, line, *words):
    with pytest.raises(RecordError) as caught:
        list(read_records(path))
    assert (caught.value.source, caught.value.line) == (str(path), line)
    assert str(caught.value).startswith(f"{path}, line {line}: ")
    for word in words:
        assert word in str(caught.value)


GOOD = json.dumps(deal("micro"))
BAD_LINES = [
    ("", "empty"),
    ("   ", "empty"),
    ("{", "not JSON"),
    ("null", "object"),
    ("[1, 2]", "object"),
    ("7", "object"),
    ('"text"', "object"),
    (GOOD + GOOD, "not JSON"),
    (GOOD[:-1] + ', "id": "again"}', "'id': stands there twice"),
    (GOOD.replace('"micro"', '{"base": "micro", "base": "micro"}'), "twice"),
    ('{"format": NaN}', "NaN"),
    ('{"format": -Infinity}', "Infinity"),
    ('{"format": 1e999}', "expected"),
    ('{"format": ' + "9" * 10000 + "}", "not JSON"),
    ("[" * 10**5, "nested"),
    ('{"a":' * 10**5, "nested"),
    (b"\xff\xfe\x00", "UTF-8"),
    (b"\x00" * 100, "not JSON"),
    (b'{"format": "\xc3\x28"}', "UTF-8"),
    (b'{"format": "\\ud800"}', "format"),
]


@pytest.mark.parametrize(("bad", "word"), BAD_LINES, ids=range(len(BAD_LINES)))
def test_bad_line_in_a_file(bad, word, tmp_path):
    bad = bad if isinstance(bad, bytes) else bad.encode()
    refused_file(in_file(tmp_path, GOOD.encode() + b"\n" + bad + b"\n" + GOOD.encode() + b"\n"), 2, word)


def test_fault_of_a_record_has_its_line(tmp_path):
    bad = GOOD.replace('"level": ', '"level": 1')
    refused_file(in_file(tmp_path, f"{GOOD}\n{GOOD}\n{bad}\n"), 3, "field 'result.contract.level'")


@pytest.mark.parametrize("name", ["records.jsonl", "record.json"])
def test_empty_file(name, tmp_path):
    refused_file(in_file(tmp_path, "", name), 1, "empty")


def test_object_on_many_lines(tmp_path):
    path = in_file(tmp_path, json.dumps(deal(), indent=2), "deal.json")
    assert list(read_records(path)) == [(1, deal())]
    refused_file(in_file(tmp_path, '{"format":\n "piquet-deal/1",\n junk}', "deal.json"), 3, "not JSON")
    refused_file(in_file(tmp_path, f"{GOOD}\n{GOOD}\n", "two.json"), 2, "not JSON")


def test_last_line_without_end_and_lines_of_other_systems(tmp_path):
    assert len(list(read_records(in_file(tmp_path, f"{GOOD}\r\n{GOOD}")))) == 2


@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.integers(0, len(GOOD) - 1), st.binary(max_size=3))
def test_changed_bytes_are_refused_or_read(tmp_path, place, put):
    path = in_file(tmp_path, GOOD.encode()[:place] + put + GOOD.encode()[place + 1 :])
    with contextlib.suppress(RecordError):
        assert len(list(read_records(path))) <= 2


@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(min_size=1), st.sampled_from(["junk.json", "junk.jsonl"]))
def test_junk_is_refused(tmp_path, content, name):
    with pytest.raises(RecordError):
        list(read_records(in_file(tmp_path, content, name)))


@pytest.mark.parametrize("name", ["junk.jsonl", "junk.json"])
def test_huge_junk_is_refused_without_reading_it(name, tmp_path):
    path = tmp_path / name
    with path.open("wb") as file:
        file.truncate(200 * 2**20)  # of zeros that take no place on the disk
    begun = time.monotonic()
    tracemalloc.start()
    try:
        refused_file(path, 1, "longer than")
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 64 * 2**20
    assert time.monotonic() - begun < 5


def test_long_line_after_good_ones(tmp_path):
    path = in_file(tmp_path, f"{GOOD}\n" + json.dumps(deal() | {"id": "x" * MOST_BYTES}) + "\n")
    refused_file(path, 2, "longer than")


def test_missing_file_is_an_error_of_the_system(tmp_path):
    with pytest.raises(FileNotFoundError):
        list(read_records(tmp_path / "none.jsonl"))


def test_writing_fails_whole(tmp_path):
    path = tmp_path / "deals.jsonl"
    write_records(path, DEALS[:2])
    before = path.read_bytes()
    with pytest.raises(TypeError):
        write_records(path, [DEALS[0], {"format": object()}])
    (tmp_path / "folder.jsonl").mkdir()
    with pytest.raises(OSError, match=r"folder\.jsonl"):
        write_records(tmp_path / "folder.jsonl", DEALS[:1])
    assert path.read_bytes() == before
    assert sorted(file.name for file in tmp_path.iterdir()) == ["deals.jsonl", "folder.jsonl"]


def test_json_file_takes_one_record(tmp_path):
    write_records(tmp_path / "deal.json", [DEALS[0]])
    assert [record for _, record in read_records(tmp_path / "deal.json")] == [DEALS[0]]
    for records in ([], DEALS[:2]):
        with pytest.raises(ValueError, match="exactly one"):
            write_records(tmp_path / "deals.json", records)
