"""The view as JSON: it turns back into the very observation, follows its schema, and refuses what it cannot be."""

import json
import random

import helpers
import jsonschema
import numpy as np
import pytest

from piquet_env import knowledge
from piquet_env.engine import actions as act
from piquet_env.engine import game
from piquet_env.engine import layout as at
from piquet_env.rules import RULESETS, Rules
from piquet_env.views import ViewError, observation_from_view, phase_name, row_from_view, view, view_schema

CARDS_OF_TALON = "S9 S8 S7 HJ H9 D7 CQ C8"
MINE, THEIRS = "AKJ.T87.Q98.A97", "QT.AKQ.AKJT.KJT"


def games(rules: Rules, rng: random.Random, count: int):
    """The row, as it goes, of random games with uneven deals; their ends included."""
    for number in range(count):
        row = helpers.set_up(rules, rng.randrange(2), helpers.lumpy_pack(rules, rng), partie=number % 2 == 1)
        for _ in helpers.walk(row, rng, deals=3):
            yield row
        if row[at.PHASE] == at.DEAL_OVER:
            game.next_deal(row)
        yield row


def same_as_seen(row, player) -> dict:
    """Check one view against the observation, the mask and the row as he knows it; the view."""
    seen = json.loads(json.dumps(view(row, player)))
    again = row_from_view(seen)
    hidden = helpers.hidden(row, player)
    assert (observation_from_view(seen) == knowledge.observation(row, player)).all()
    assert (again == hidden).all()
    is_asked_secretly = row[at.PHASE] == at.IN_CARTE_BLANCHE and row[at.ACTOR] != player
    mask = knowledge.action_mask(hidden if is_asked_secretly else row, player)
    assert (knowledge.action_mask(again, player) == mask).all()
    assert view(again, player) == seen
    return seen


@pytest.mark.parametrize("name", RULESETS)
def test_a_view_turns_back_into_what_its_player_observes(name):
    validator = jsonschema.Draft202012Validator(view_schema())
    rng, views = random.Random(f"views {name}"), 0
    for row in games(RULESETS[name], rng, 6):
        for player in range(2):
            seen = same_as_seen(row, player)
            if views % 4 == 0:
                validator.validate(seen)
            views += 1
    assert views > 60


def test_a_view_turns_back_under_any_rules():
    validator = jsonschema.Draft202012Validator(view_schema())
    rng, views, phases = random.Random("odd views"), 0, set()
    for seed in range(120):
        for row in games(helpers.odd_rules(seed), rng, 1):
            player = rng.randrange(2)
            seen = same_as_seen(row, player)
            phases.add(seen["phase"])
            if views % 3 == 0:
                validator.validate(seen)
            views += 1
    assert views > 1000
    assert phases == {phase_name(phase) for phase in at.Phase}


def masked_history(row, player) -> list[str]:
    """The deal's true actions with the other's hidden choices as "?", written from section 4 and 6 of the rules."""
    texts, discards, stood = [], [], 0
    for who, action in helpers.history(row):
        is_discard = action < act.CARDS and stood < 2
        text = _text(action, is_discard)
        if is_discard:
            is_known = who == player or row[at.OPEN_HANDS]
            discards.append(f"{who} {text}" if is_known else f"{who} discard ?")
            continue
        if action == act.STAND:
            texts += sorted(discards, key=lambda t: -1 if t.endswith("?") else helpers.card_number(t[-2:]))
            discards, stood = [], stood + 1
        if act.POINT <= action < act.SEQUENCE and who != player:
            text = "point ?"
        if action == act.NONE and stood == 0 and who != player:
            continue  # carte blanche, not shown
        texts.append(f"{who} {text}")
    if discards and not discards[0].endswith("?"):  # the other's show when he has stood
        texts += sorted(discards, key=lambda t: helpers.card_number(t[-2:]))
    return texts


def _text(action: int, is_discard: bool) -> str:
    if action < act.CARDS:
        return ("discard " if is_discard else "play ") + helpers.card_name(action)
    if act.SEQUENCE <= action < act.SET:
        names = [f"sequence {n} {top}" for n in range(3, 9) for top in "789TJQKA"[n - 1 :]]
        return names[action - act.SEQUENCE]
    plain = {act.STAND: "stand", act.NONE: "none", act.PASS: "pass", act.DOUBLE: "double", act.REDOUBLE: "redouble"}
    plain |= {act.CARTE_BLANCHE: "carte blanche"}
    plain |= {act.POINT + n: f"point {suit}" for n, suit in enumerate("SHDC")}
    plain |= {act.SET + n: f"set {rank}" for n, rank in enumerate("TJQKA")}
    return plain.get(action, "bid")


def test_the_actions_are_the_true_ones_with_the_hidden_choices_masked():
    rng, compared = random.Random("actions"), 0
    for rules in [*RULESETS.values(), *map(helpers.odd_rules, range(40))]:
        for row in games(rules, rng, 2):
            player = rng.randrange(2)
            seen = [text if text[2] not in "+-" else text[:2] + "bid" for text in view(row, player)["actions"]]
            assert seen == masked_history(row, player)
            compared += 1
    assert compared > 1500


# ------------------------------------------------------------------ by hand


@pytest.fixture(name="deal")
def given_deal():
    """An auction deal with given cards; player_0 deals, player_1 bids +7 and is elder."""
    cards = [helpers.cards_of(_hand(hand)) for hand in (MINE, THEIRS)]
    talon = [helpers.card_number(card) for card in CARDS_OF_TALON.split()]
    row = helpers.set_up(RULESETS["auction"], 0, [*cards[0], *cards[1], *talon])
    play(row, act.PLUS, act.PASS)
    return row


def _hand(text: str) -> int:
    suits = text.split(".")
    return helpers.mask_of(suit + rank for suit, ranks in zip("SHDC", suits, strict=True) for rank in ranks)


def play(row, *actions) -> None:
    """Cards by name, other actions by number."""
    for action in actions:
        assert game.apply_action(row, helpers.card_number(action) if isinstance(action, str) else action)


def test_the_exchange_in_a_view(deal):
    play(deal, "HK")
    assert view(deal, 1)["actions"] == ["1 +7", "0 pass", "1 discard HK"]
    assert view(deal, 0)["actions"] == ["1 +7", "0 pass"]
    assert view(deal, 0)["exchanged"] == {"player_0": None, "player_1": None}
    play(deal, "CT", act.STAND, "C7", "C9", act.STAND)
    elders, youngers = view(deal, 1), view(deal, 0)
    assert elders["discards"] == {"player_0": "?", "player_1": ".K..T"}
    assert elders["drawn"] == {"player_0": "?", "player_1": "98..."}
    assert elders["seen"] == elders["elder_left"] == "7.J9.."
    assert elders["talon"] == "? ? ? ? ? ? ? ?"  # two drawn, three left: known as sets
    assert elders["actions"][-3:] == ["0 discard ?", "0 discard ?", "0 stand"]
    assert youngers["actions"][2:] == [
        "1 discard ?",
        "1 discard ?",
        "1 stand",
        "0 discard C7",
        "0 discard C9",
        "0 stand",
    ]
    assert youngers["seen"] == "7.J9..8"  # his own last card, and by the rule what elder left
    assert youngers["elder_left"] == "7.J9.."
    assert youngers["talon"] == "? ? ? ? ? ? ? C8"
    assert youngers["hands"] == {"player_0": MINE, "player_1": "?"}
    assert youngers["contract"] == {"maker": "player_1", "sign": "+", "level": 7, "stake": 1}


def test_declarations_in_a_view(deal):
    play(deal, act.STAND, act.STAND)
    play(deal, act.POINT + 2, act.NONE)  # four diamonds; good
    seen = {player: view(deal, player)["declarations"] for player in range(2)}
    assert seen[1]["point"]["player_1"] == {"number": 4, "pips": None, "suit": "D"}
    assert seen[0]["point"]["player_1"] == {"number": 4, "pips": None, "suit": "?"}
    assert seen[0]["point"] == seen[1]["point"] | {"player_1": {"number": 4, "pips": None, "suit": "?"}}
    assert seen[0]["point"]["player_0"] == "none"
    assert seen[0]["point"]["scored_by"] == "player_1"
    assert seen[0]["sequence"] == {"player_0": None, "player_1": None, "scored_by": None}
    assert view(deal, 0)["actions"][-2:] == ["1 point ?", "0 none"]
    assert view(deal, 0)["shown"]["player_1"] == "..."  # not before the third category
    play(deal, act.sequence_action(3, 7), act.NONE)  # the tierce to the ace of hearts; good
    play(deal, act.SET + 3, act.NONE)  # the trio of kings
    seen = view(deal, 0)
    assert seen["declarations"]["sequence"]["player_1"] == {"length": 3, "top": "A"}
    assert seen["declarations"]["set"] == {
        "player_0": "none",
        "player_1": {"number": 3, "rank": "K"},
        "scored_by": "player_1",
    }
    assert seen["actions"][-4:] == ["1 sequence 3 A", "0 none", "1 set K", "0 none"]
    assert seen["shown"]["player_1"] == seen["known_to_hold"] == "T.AKQ.AKJT.KT"  # with the lower trio of tens


def test_an_unshown_carte_blanche_is_absent():
    rules = RULESETS["rubicon"]
    low = [helpers.card_number(suit + rank) for suit in "SHD" for rank in "789T"]
    rest = [card for card in range(32) if card not in low]
    row = helpers.set_up(rules, 1, rest[:12] + low + rest[12:])  # elder is player_0, player_1 is asked
    before = view(row, 0)
    assert view(row, 1)["phase"] == "carte_blanche"
    assert (before["phase"], before["to_act"]) == ("exchange", "player_0")
    play(row, act.NONE)
    assert view(row, 0) == before
    assert view(row, 1)["actions"] == ["1 none"]
    shown = helpers.set_up(rules, 1, rest[:12] + low + rest[12:])
    play(shown, act.CARTE_BLANCHE)
    assert view(shown, 0)["hands"]["player_1"] == "T987.T987.T987."
    assert view(shown, 0)["actions"] == ["1 carte blanche"]


def test_a_single_card_drawn_or_left_has_a_known_place(deal):
    play(deal, "HK", act.STAND, act.STAND)
    assert view(deal, 1)["talon"] == "S9 ? ? ? ? ? ? ?"


def test_a_hidden_row_gives_the_same_view(deal):
    play(deal, "HK", act.STAND)
    for player in range(2):
        assert view(helpers.hidden(deal, player), player) == view(deal, player)
    with pytest.raises(ValueError, match="player"):
        view(deal, 2)


# ------------------------------------------------------------------ the schema and what is refused


def described(schema, path="") -> list[str]:
    """The properties of a schema that have no description."""
    missing = []
    if isinstance(schema, dict):
        for name, part in schema.get("properties", {}).items():
            missing += [] if part.get("description") else [f"{path}.{name}"]
        for key, part in schema.items():
            missing += described(part, f"{path}.{key}")
    elif isinstance(schema, list):
        for part in schema:
            missing += described(part, path)
    return missing


def test_the_schema_is_valid_complete_and_described():
    schema = view_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    assert schema["$schema"].endswith("2020-12/schema")
    assert set(schema["required"]) < set(schema["properties"])
    assert described(schema) == []


def test_a_view_that_is_written_has_all_fields(deal):
    assert list(view(deal, 0)) == list(view_schema()["properties"])


@pytest.mark.parametrize(
    ("field", "value", "blamed"),
    [
        ("format", "piquet-view/2", None),
        ("versions", {"rules": 1, "actions": 1}, None),
        ("versions.observation", 999, None),
        ("rules", "whist", None),
        ("rules", 3, None),
        ("player", "player_2", None),
        ("episode", "match", None),
        ("completed", -1, None),
        ("thrown_in", True, None),
        ("totals.player_0", 1.0, None),
        ("dealer", None, None),
        ("hands.player_0", "?", None),
        ("hands.player_0", "AKJ.T87.Q98.A9", None),
        ("hands.player_1", THEIRS, None),
        ("talon", "S9 ? ? ? ? ? ? ?", None),
        ("holds.player_0", "AAKJ...", None),
        ("discards.player_0", "A...", "holds.player_0"),
        ("drawn.player_0", "9...", None),
        ("drawn.player_0", "?", None),
        ("seen", "A...", None),
        ("phase", "bidding", None),
        ("phase", "game_over", None),
        ("phase", "point", None),
        ("to_act", "player_1", None),
        ("elder", "player_0", None),
        ("auction[0]", "0 +7", None),
        ("auction[1]", "0 +7", None),
        ("exchanged.player_1", None, "to_act"),
        ("exchanged.player_1", 6, None),
        ("declarations.point.player_1", {"number": 9, "pips": None, "suit": "?"}, None),
        ("declarations.point.player_1", {"number": 5, "pips": None, "suit": "?"}, None),
        ("declarations.set.player_0", "none", None),
        ("tricks", {}, None),
        ("tricks", [{"leader": "player_1", "cards": ["HA"], "winner": None}], None),
        ("score.player_0.total", 7, None),
        ("score.player_0", {"total": 1}, None),
        ("score.player_0", {"stakes": 0}, None),
        ("score.player_1.sequence", 3, None),
        ("truncated", True, None),
        ("thrown_in", 100, None),
        ("legal", [], None),
        ("actions[0]", "1 +8", None),
        ("retaken", "..7.", None),
        ("carte_blanche.player_1", "T987.T987.T987.", None),
    ],
)
def test_what_contradicts_is_refused_with_its_field(deal, field, value, blamed):
    play(deal, "HK", act.STAND)  # younger, player_0, is to exchange
    wrong = view(deal, 0)
    part, keys = wrong, field.replace("[", ".[").split(".")
    for key in keys[:-1]:
        part = part[key]
    part[int(keys[-1][1:-1]) if keys[-1][0] == "[" else keys[-1]] = value
    with pytest.raises(ViewError) as caught:
        row_from_view(wrong)
    assert caught.value.field.startswith(blamed or field)
    assert caught.value.field in str(caught.value)


def test_missing_unknown_and_no_objects_are_refused(deal):
    for wrong in (None, [], "view", {}, view(deal, 0) | {"oops": 1}):
        with pytest.raises(ViewError):
            row_from_view(wrong)
    with pytest.raises(ViewError, match="'oops'"):
        row_from_view(view(deal, 0) | {"oops": 1})
    for key in view_schema()["required"]:
        with pytest.raises(ViewError, match=f"'{key}'.*missing"):
            row_from_view({name: value for name, value in view(deal, 0).items() if name != key})


def parts_of(value, path=()):
    """The paths of all values within a view."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in items:
        yield (*path, key)
        yield from parts_of(part, (*path, key))


def filled(given, made):
    """A view in which what was left out is what another has."""
    if isinstance(given, dict) and isinstance(made, dict):
        return made | {key: filled(value, made.get(key)) for key, value in given.items()}
    if isinstance(given, list) and isinstance(made, list) and len(given) == len(made):
        return [filled(*pair) for pair in zip(given, made, strict=True)]
    return given


ODD_VALUES = (None, "?", -1, 0, 3, True, 1.0, [], {}, "none", "...", "SA", "player_0", "exchange", "play", 10**30)


def test_a_changed_view_is_refused_or_is_another_view():
    """Whatever is changed: ViewError, or a row whose view is the changed one; never another error."""
    rng, refused = random.Random("changed"), 0
    positions = [
        (json.dumps(view(row, player)), player)
        for rules in [*RULESETS.values(), *map(helpers.odd_rules, range(12))]
        for row in games(rules, rng, 1)
        for player in (rng.randrange(2),)
    ]
    for text, _ in positions * 2:
        changed = json.loads(text)
        path = rng.choice(list(parts_of(changed)))
        part = changed
        for key in path[:-1]:
            part = part[key]
        part[path[-1]] = rng.choice(ODD_VALUES)
        try:
            row = row_from_view(changed)
        except ViewError:
            refused += 1
            continue
        again = view(row, ("player_0", "player_1").index(changed["player"]))
        assert again | {"rules": None} == filled(changed, again) | {"rules": None}
    assert refused > 500


def test_rules_may_be_written_in_another_way(deal):
    seen = view(deal, 0) | {"rules": {"base": "auction-parlett", "pass_after_double": True}}
    assert np.array_equal(row_from_view(seen), helpers.hidden(deal, 0))
