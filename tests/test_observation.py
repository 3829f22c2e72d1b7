"""Every feature of the vector means what it says: compared with tests/naive.py in random positions.

tests/test_hidden_information.py shows that the vector tells exactly what the player knows; here each part by itself.
"""

import random

import helpers
import naive
import positions
import pytest
from helpers import NAMES, mask_of

from piquet_env import knowledge
from piquet_env.engine import game, play
from piquet_env.engine import layout as at
from piquet_env.rules import RULESETS, Rules

SUIT_NAMES = ("spades", "hearts", "diamonds", "clubs")
PHASES = ("auction", "carte blanche", "exchange", "point", "sequence", "set", "play", "over")


def numbers(cards) -> list[int]:
    return helpers.cards_of(mask_of(cards))


def expected_cards(twin, me) -> dict:
    they = 1 - me
    played = [{card for player, card in twin.played if player == p} for p in (0, 1)]
    shown = positions.shown_holdings(twin)
    taken = positions.retaken(twin) if twin.elder == me else set()
    opened = twin.rules["open_hands"]
    blanche = [twin.shown[p] if twin.score[p]["carte_blanche"] else set() for p in (0, 1)]
    theirs = twin.hands[they] if opened else (shown[they] | taken) - played[they]
    seen = twin.hands[me] | twin.discards[me] | played[me] | twin.looked_at[me] | theirs | played[they]
    seen = seen | _dealt(twin, they) & blanche[they] | (twin.discards[they] if opened else set())
    return {
        "my_hand": twin.hands[me],
        "my_discards": twin.discards[me],
        "my_drawn": twin.drawn[me],
        "seen_in_talon": twin.looked_at[me],
        "elder_left": positions.elders_leftovers(twin, me),
        "my_played": played[me],
        "their_played": played[they],
        "my_shown": shown[me],
        "their_shown": shown[they],
        "their_dealt": _dealt(twin, they) if opened else _dealt(twin, they) & blanche[they],
        "their_hand": theirs,
        "their_drawn": twin.drawn[they] if opened else taken,
        "unseen": set(naive.pack(twin.rules)) - seen,
        "led": {twin.led[1]} if twin.led else set(),
        "my_winners": {card for card in twin.hands[me] if all(rank(card) > rank(c) for c in rivals(twin, me, card))},
        "my_losers": {card for card in twin.hands[me] if all(rank(card) < rank(c) for c in rivals(twin, me, card))},
    }


def rank(card: str) -> int:
    return "789TJQKA".index(card[1])


def rivals(twin, me, card) -> set:
    """The cards of its suit that the other may hold, by what `me` has seen."""
    they = 1 - me
    if twin.rules["open_hands"]:
        held = twin.hands[they]
    elif card[0] in "".join("SHDC"[suit] for suit in _voids(twin, they)):
        held = set()
    else:
        left = twin.looked_at[me] - (positions.retaken(twin) if twin.elder == me else set())
        held = set(naive.pack(twin.rules)) - twin.hands[me] - twin.discards[me] - left - {c for _, c in twin.played}
    return {other for other in held if other[0] == card[0]}


def _dealt(twin, player) -> set:
    played = {card for p, card in twin.played if p == player}
    return (twin.hands[player] | twin.discards[player] | played) - twin.drawn[player]


def expected_auction(twin, position, me) -> dict:
    calls = [(player, text) for player, text in position.actions if text[0] in "+-" or text in ("pass", "double")]
    lowest = twin.rules["lowest_level"]
    bids = [(player, text[0], int(text[1:]) - lowest) for player, text in calls if text[0] in "+-"]
    doubled = [int(calls[n - 1][1][1:]) - lowest for n, (_, text) in enumerate(calls) if text == "double"]
    opening = [player for player, text in calls[:2] if text == "pass"] if not bids or calls[0][1] == "pass" else []
    opening = opening[: next((n for n, (_, text) in enumerate(calls) if text != "pass"), len(opening))]
    return {
        "i_passed": me in opening,
        "they_passed": 1 - me in opening,
        "bid_plus": [level for _, sign, level in bids if sign == "+"],
        "bid_minus": [level for _, sign, level in bids if sign == "-"],
        "bid_by_me": [level for player, _, level in bids if player == me],
        "bid_doubled": doubled,
        "is_plus": bool(bids) and bids[-1][1] == "+",
        "is_minus": bool(bids) and bids[-1][1] == "-",
        "level": bids[-1][2] if bids else None,
        "is_doubled": bool(bids) and bids[-1][2] in doubled,
        "is_redoubled": any(text == "redouble" for _, text in position.actions),
        "is_my_bid": bool(bids) and bids[-1][0] == me,
    }


def expected_public(twin, me) -> dict:
    they = 1 - me
    phase = "exchange" if twin.phase == "carte blanche" and twin.to_act != me else twin.phase
    names = naive.CATEGORIES
    return {
        "phase": PHASES.index(phase),
        "i_deal": twin.dealer == me,
        "i_am_elder": twin.elder == me,
        "i_am_younger": twin.elder == they,
        "i_stood": twin.exchanged[me] is not None,
        "they_stood": twin.exchanged[they] is not None,
        "my_number": twin.exchanged[me] or 0,
        "their_number": twin.exchanged[they] or 0,
        "i_said_none": [n for n, name in enumerate(names) if twin.said[name][me] == {"none": True}],
        "they_said_none": [n for n, name in enumerate(names) if twin.said[name][they] == {"none": True}],
        "my_point": (twin.said["point"][me] or {}).get("number", 0),
        "their_point": (twin.said["point"][they] or {}).get("number", 0),
        "my_sequence": _sequence(twin.said["sequence"][me]),
        "their_sequence": _sequence(twin.said["sequence"][they]),
        "my_set": _set(twin.said["set"][me]),
        "their_set": _set(twin.said["set"][they]),
        "my_tricks": twin.tricks[me],
        "their_tricks": twin.tricks[they],
        "my_voids": _voids(twin, me),
        "their_voids": _voids(twin, they),
        "led_by_me": [n for n, (player, _) in enumerate(twin.played[::2]) if player == me],
        "tricks": {helpers.card_number(card): n // 2 for n, (_, card) in enumerate(twin.played)},
        **{f"my_{suit}": sum(card[0] == suit[0].upper() for card in twin.hands[me]) for suit in SUIT_NAMES},
    }


def _sequence(words):
    if not words or "none" in words:
        return None
    return naive.sequence_texts().index(f"sequence {words['length']} {words['top']}")


def _set(words):
    return None if not words or "none" in words else 5 * (words["number"] - 3) + "TJQKA".index(words["rank"])


def _voids(twin, player) -> list[int]:
    tricks = zip(twin.played[::2], twin.played[1::2], strict=False)
    return sorted({"SHDC".index(led[0]) for (_, led), (p, card) in tricks if p == player and card[0] != led[0]})


def expected_score(twin, me) -> dict:
    mine, theirs = twin.score[me], twin.score[1 - me]
    flags = {"blanche": "carte_blanche", "repique": "repique", "pique": "pique", "cards": "cards", "capot": "capot"}
    flags["contract"] = "contract"
    expected = {f"my_{name}": mine[item] > 0 for name, item in flags.items()}
    expected |= {f"their_{name}": theirs[item] > 0 for name, item in flags.items()}
    expected |= {"i_have_scored": mine["total"] > 0, "they_have_scored": theirs["total"] > 0}
    expected["i_scored"] = [n for n, item in enumerate(naive.CATEGORIES) if mine[item]]
    expected["they_scored"] = [n for n, item in enumerate(naive.CATEGORIES) if theirs[item]]
    expected["point_score"] = mine["point"] + theirs["point"]
    return expected


def digits(seen, name, first) -> int:
    """The number of two one-hot digits; `first` is what the tens' first bit stands for."""
    tens = seen[f"{name}_tens"]
    return seen[f"{name}_units"] + 10 * (0 if tens is None else tens + first)


def check_numbers(seen, twin, me):
    mine, theirs = twin.score[me], twin.score[1 - me]
    assert digits(seen, "sequence", 1) == mine["sequence"] + theirs["sequence"]
    assert digits(seen, "set", 1) == mine["set"] + theirs["set"]
    assert digits(seen, "my_play", 1) == mine["tricks"]
    assert digits(seen, "their_play", 1) == theirs["tricks"]
    hundreds = seen["contract_hundreds"]
    contract = 100 * (0 if hundreds is None else hundreds + 1) + 10 * seen["contract_tens"]
    assert contract == mine["contract"] + theirs["contract"]
    pips = (twin.said["point"][1 - me] or {}).get("pips")
    assert (seen["their_pips_units"] is None) == (pips is None)
    if pips is not None:
        assert digits(seen, "their_pips", 0) == pips


def check_features(position):
    twin, row = position.played(), position.row()
    for me in (0, 1):
        seen = knowledge.describe(knowledge.observation(row, me))
        expected = {name: numbers(cards) for name, cards in expected_cards(twin, me).items()}
        expected |= expected_auction(twin, position, me) | expected_public(twin, me) | expected_score(twin, me)
        assert {name: seen[name] for name in expected} == expected, position
        check_numbers(seen, twin, me)


@pytest.mark.parametrize("name", NAMES)
def test_every_feature_means_what_it_says(name):
    rules, rng = RULESETS[name], random.Random(f"features {name}")
    for start in positions.starts(rules, True, rng, 60):
        for position in positions.positions(rules, start, rng, 6):
            check_features(position)


def test_every_feature_means_what_it_says_under_any_rules():
    rng = random.Random("features odd")
    for _ in range(200):
        rules = helpers.build_rules(rng.randint)
        for start in positions.starts(rules, False, rng, 2):
            for position in positions.positions(rules, start, rng, 4):
                check_features(position)


def test_the_partie():
    """Totals in eighths of the rubicon, who leads, the difference, the deal's number, deals thrown in."""
    row = helpers.new_row(RULESETS["auction"], partie=True, seed=1)
    row[at.TOTALS : at.TOTALS + 2] = 75, 151  # 4/8 of 150, and a little more than 8/8
    row[at.COMPLETED], row[at.THROWN_IN] = 5, 3
    seen = knowledge.describe(knowledge.observation(row, 0))
    assert (seen["my_total"], seen["their_total"]) == (list(range(4)), list(range(8)))
    assert (seen["i_lead"], seen["they_lead"], seen["is_partie"]) == (False, True, True)
    assert seen["difference"] == sum(edge <= 75 - 151 for edge in knowledge.DIFFERENCES)
    assert (seen["completed"], seen["may_be_last"]) == (5, True)
    assert (seen["thrown_in_tens"], seen["thrown_in_units"]) == (None, 3)
    other = knowledge.describe(knowledge.observation(row, 1))
    assert (other["my_total"], other["their_total"]) == (seen["their_total"], seen["my_total"])
    for row[at.THROWN_IN] in range(500):  # every number that the rule's default allows is seen, and more
        seen = knowledge.describe(knowledge.observation(row, 0))
        hundreds = 0 if seen["thrown_in_hundreds"] is None else seen["thrown_in_hundreds"] + 1
        assert 100 * hundreds + digits(seen, "thrown_in", 1) == row[at.THROWN_IN]


def test_a_game_of_sixteen_tricks():
    """The number of every card's trick fits."""
    whole = {"carte_blanche": 0, "hand_size": 16, "elder_talon": 0, "younger_talon": 0, "minimum_exchange": 0}
    row = helpers.new_row(Rules.make({"base": "rubicon"} | whole), seed=3)
    while row[at.PHASE] != at.DEAL_OVER:
        assert game.apply_action(row, helpers.legal(row)[-1])
    for me in (0, 1):
        seen = knowledge.describe(knowledge.observation(row, me))
        tricks = [0] * 16
        for card, trick in seen["tricks"].items():
            tricks[trick] |= 1 << card
        assert tricks == [play.cards_of_trick(row, n) for n in range(16)]
        assert all(two.bit_count() == 2 for two in tricks)
        assert seen["led_by_me"] == [n for n in range(16) if (row[at.LED_BY_1] >> n & 1) == me]


def test_the_fields_tile_the_vector():
    for fields, size in (
        (knowledge.fields(), knowledge.OBSERVATION_SIZE),
        (knowledge.state_fields(), knowledge.STATE_SIZE),
    ):
        assert [start for _, start, _, _ in fields] == [0, *(stop for _, _, stop, _ in fields)][:-1]
        assert fields[-1][2] == size
        assert len({name for name, *_ in fields}) == len(fields)
        assert all(meaning for *_, meaning in fields)
    assert knowledge.OBSERVATION_SIZE <= 1400


def test_the_state_has_what_the_player_does_not_know():
    rng = random.Random("state")
    for start in positions.starts(RULESETS["auction"], False, rng, 40):
        for position in positions.positions(RULESETS["auction"], start, rng, 4):
            twin, row = position.played(), position.row()
            for me in (0, 1):
                seen = knowledge.describe(knowledge.state(row, me))
                assert seen["state_their_hand"] == numbers(twin.hands[1 - me])
                assert seen["state_their_discards"] == numbers(twin.discards[1 - me])
                assert seen["state_their_drawn"] == numbers(twin.drawn[1 - me])
                assert (seen["state_i_act"], seen["state_they_act"]) == (twin.to_act == me, twin.to_act == 1 - me)
                assert seen["state_seat"] == (me == 1)
                assert _talon(seen["state_talon"]) == position.cards[24:]


def _talon(places) -> tuple[str, ...]:
    in_order = sorted((place, card) for card, place in places.items())
    assert [place for place, _ in in_order] == list(range(1, len(in_order) + 1))
    return tuple(helpers.card_name(card) for _, card in in_order)
