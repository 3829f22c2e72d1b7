"""The engine against the slow and obvious version of the rules (tests/naive.py), step by step."""

import random

import helpers
import naive
import numpy as np
import pytest
from helpers import NAMES, mask_of, new_row, walk

from piquet_env.engine import batch, game
from piquet_env.engine import layout as at
from piquet_env.engine.play import cards_of_trick
from piquet_env.rules import RULESETS, Rules

PHASES = {
    "auction": at.AUCTION,
    "carte blanche": at.IN_CARTE_BLANCHE,
    "exchange": at.EXCHANGE,
    "point": at.IN_POINT,
    "sequence": at.IN_SEQUENCE,
    "set": at.IN_SET,
    "play": at.PLAY,
    "over": at.DEAL_OVER,
}


# ------------------------------------------------------------------ what the two say about a position


def said_by_engine(row) -> dict:
    """What was said, in the words of tests/naive.py."""
    values, pips = helpers.field(row, "said"), helpers.field(row, "pips_said")
    words = {}
    for place, category in enumerate(naive.CATEGORIES):
        words[category] = [_words(category, values[2 * place + player], pips[player]) for player in (0, 1)]
    return words


def _words(category, value, pips):
    if value == -1:
        return None
    if value == 0:
        return {"none": True}
    if category == "point":
        return {"number": value, "pips": pips} if pips else {"number": value}
    if category == "sequence":
        _, length, top = naive.sequence_texts()[value - 1].split()
        return {"length": int(length), "top": top}
    return {"number": 3 if value <= 5 else 4, "rank": "TJQKA"[(value - 1) % 5]}


def contract_of_engine(row):
    if not row[at.HAS_AUCTION] or row[at.ELDER] < 0:
        return None
    return {
        "maker": row[at.ELDER],
        "sign": "-" if row[at.IS_MINUS] else "+",
        "level": row[at.LEVEL],
        "stake": row[at.STAKE],
    }


def cards_by_engine(row) -> dict:
    """Every set of cards of the two players."""
    v = row.view(at.LAYOUT)[0]
    names = ("hands", "discards", "drawn", "seen", "played")
    cards = {name: v[name].tolist() for name in names}
    cards["shown"] = (v["shown"] | v["blanche"]).tolist()
    return cards


def cards_by_naive(twin) -> dict:
    pairs = {"hands": twin.hands, "discards": twin.discards, "drawn": twin.drawn, "shown": twin.shown}
    pairs["seen"] = twin.looked_at
    cards = {name: [mask_of(cards) for cards in pair] for name, pair in pairs.items()}
    cards["played"] = [mask_of(card for player, card in twin.played if player == p) for p in (0, 1)]
    return cards


def tricks_of_naive(twin) -> tuple[list[int], int, int]:
    """(the cards of each trick, the tricks that player_1 led, the card led to the present trick)."""
    pairs = [twin.played[n : n + 2] for n in range(0, len(twin.played), 2)]
    led_by_1 = sum(pair[0][0] << n for n, pair in enumerate(pairs))
    led = helpers.card_number(twin.led[1]) if twin.led else -1
    return [mask_of(card for _, card in pair) for pair in pairs], led_by_1, led


def check_position(row, twin, actions):
    """Everything that both know about it."""
    assert actions == twin.legal_indices()
    assert row[at.PHASE] == PHASES[twin.phase]
    if twin.phase != "over":
        assert row[at.ACTOR] == twin.to_act
    assert row[at.ELDER] == (-1 if twin.elder is None else twin.elder)
    assert contract_of_engine(row) == twin.contract
    assert row[at.IS_THROWN_IN] == twin.thrown_in
    scores = row[at.SCORE : at.SCORE + 2 * len(at.ITEMS)].tolist()
    assert scores == [twin.score[player][item] for player in (0, 1) for item in at.ITEMS]
    assert row[at.WON : at.WON + 2].tolist() == twin.tricks
    assert row[at.EXCHANGED : at.EXCHANGED + 2].tolist() == [-1 if n is None else n for n in twin.exchanged]
    assert cards_by_engine(row) == cards_by_naive(twin)
    assert said_by_engine(row) == twin.said


def check_tricks(row, twin):
    cards, led_by_1, led = tricks_of_naive(twin)
    assert [cards_of_trick(row, n) for n in range(at.MOST_TRICKS)] == cards + [0] * (at.MOST_TRICKS - len(cards))
    assert row[at.LED_BY_1] == led_by_1
    if twin.phase != "over":
        assert row[at.LED] == led
        assert row[at.TRICK] == sum(twin.tricks)


def play_beside(row, rules, rng, chooser=helpers.choose) -> tuple[naive.NaiveGame, list[str]]:
    """The row's deal at random to its end, naive.py beside it: (the twin, the actions as records have them)."""
    twin, texts = helpers.naive_twin(row, rules), []
    for actions, action in helpers.walk(row, rng, 1, chooser):
        check_position(row, twin, actions)
        check_tricks(row, twin)
        if action is not None:
            text = next(text for text in twin.legal() if naive.action_index(twin.rules, text) == action)
            texts.append(f"{twin.to_act} {text}")
            twin.act(text)
    assert row[at.PHASE] == at.DEAL_OVER
    return twin, texts


# ------------------------------------------------------------------ deals


def deal_and_compare(rules: Rules, rng: random.Random, count: int) -> list[naive.NaiveGame]:
    """Half of the deals are lumpy; with stop_at the deals begin at any totals."""
    twins = []
    for _ in range(count):
        cards = helpers.lumpy_pack(rules, rng)
        if rng.random() < 0.5:
            rng.shuffle(cards)
        stop_at = rules.stop_at or 1000
        totals = (rng.randrange(stop_at), rng.randrange(stop_at))
        row = helpers.set_up(rules, rng.randrange(2), cards, totals)
        twins.append(play_beside(row, rules, rng)[0])
    return twins


def seen_items(twins) -> set[str]:
    return {item for twin in twins for score in twin.score for item, points in score.items() if points}


@pytest.mark.parametrize("name", NAMES)
def test_random_deals_of_every_ruleset(name):
    twins = deal_and_compare(RULESETS[name], random.Random(f"deals {name}"), 700)
    expected = {"point", "tricks", "capot", "total"}
    if name not in ("mini", "micro"):
        expected |= {"sequence", "set", "repique", "pique", "cards"}
    expected |= {"contract"} if RULESETS[name].auction else {"carte_blanche"}
    assert expected <= seen_items(twins)  # the deals have put the scoring to the test


@pytest.mark.parametrize("part", range(8))
def test_random_deals_of_any_allowed_rules(part):
    rng = random.Random(f"odd deals {part}")
    for _ in range(120):
        rules = helpers.build_rules(rng.randint)
        try:
            deal_and_compare(rules, rng, 4)
        except AssertionError as error:
            raise AssertionError(f"with the rules {rules.spec()}") from error


@pytest.mark.parametrize("changes", [{}, {"minus_repique": 100}], ids=["with repique", "pique alone"])
def test_bonuses_in_minus_contracts(changes):
    """Deals of long suits and sets: repique and pique of both players, elder's and younger's."""
    rules, rng, found = Rules.make(changes), random.Random("minus"), set()
    for _ in range(400):
        row = helpers.set_up(rules, rng.randrange(2), helpers.lumpy_pack(rules, rng))
        for action in (rng.choice((40, 41, 42)), 46):  # a minus bid, pass
            assert game.apply_action(row, action)
        found |= _play_from_here(row, rules, rng)
    bonus = "pique" if changes else "repique"
    assert {(bonus, True), (bonus, False)} <= found


def _play_from_here(row, rules, rng) -> set[tuple[str, bool]]:
    """(bonus, whether elder got it), compared with naive.py after the same actions."""
    twin = helpers.naive_twin(row, rules)
    for text in _texts(twin, helpers.history(row)):
        twin.act(text)
    for actions, action in helpers.walk(row, rng, deals=1):
        check_position(row, twin, actions)
        if action is not None:
            twin.act(next(text for text in twin.legal() if naive.action_index(twin.rules, text) == action))
    return {(item, p == twin.elder) for p in (0, 1) for item in ("repique", "pique") if twin.score[p][item]}


def _texts(twin, taken):
    texts = {naive.action_index(twin.rules, text): text for text in (*(f"-{n}" for n in range(7, 13)), "pass")}
    return [texts[action] for _, action in taken]


# ------------------------------------------------------------------ parties


def record_of(row, texts) -> dict:
    cards = [helpers.card_name(card) for card in helpers.dealt_cards(row)]
    size = int(row[at.HAND_SIZE])
    hands = {"player_0": _hand(cards[:size]), "player_1": _hand(cards[size : 2 * size])}
    talon, dealer = " ".join(cards[2 * size :]), f"player_{row[at.DEALER]}"
    return {"dealer": dealer, "hands": hands, "talon": talon, "actions": texts}


def _hand(cards) -> str:
    return ".".join("".join(card[1] for card in cards if card[0] == suit) for suit in "SHDC")


def check_totals(row, partie):
    assert row[at.TOTALS : at.TOTALS + 2].tolist() == partie["totals"]
    assert row[at.COMPLETED] == partie["completed"]
    assert (row[at.PHASE] == at.GAME_OVER) == (partie["over"] or partie["truncated"])
    assert row[at.TRUNCATED] == partie["truncated"]
    if partie["over"]:
        assert [game.payment(row, player) for player in (0, 1)] == partie["payment"]
    elif partie["truncated"]:
        assert [game.payment(row, player) for player in (0, 1)] == [0, 0]
    else:
        assert row[at.THROWN_IN] == partie["thrown_in"]


def partie_beside(rules, rng, chooser=helpers.choose, most=30) -> dict:
    """A random partie (or its first deals), each deal and the totals after it compared."""
    row = helpers.new_row(rules, partie=True, seed=rng.getrandbits(63))
    deals = []
    while row[at.PHASE] != at.GAME_OVER and len(deals) < most:
        before = row.copy()
        _, texts = play_beside(row, rules, rng, chooser)
        deals.append(record_of(before, texts))
        game.next_deal(row)
        partie = naive.play_partie(helpers.naive_rules(rules), deals)  # refuses a wrong dealer
        check_totals(row, partie)
    return partie


@pytest.mark.parametrize("name", NAMES)
def test_random_parties_of_every_ruleset(name):
    rng = random.Random(f"parties {name}")
    for _ in range(60 if name in ("mini", "micro") else 12):
        assert partie_beside(RULESETS[name], rng)["over"]


def test_random_parties_of_any_allowed_rules():
    rng = random.Random("odd parties")
    ends = [partie_beside(helpers.build_rules(rng.randint), rng) for _ in range(300)]
    assert sum(partie["over"] for partie in ends) > 200
    assert any(partie["over"] and partie["completed"] > 3 for partie in ends)  # extra deals after a tie, or stop_at


def test_parties_that_are_cut_off():
    rules = Rules.make({"base": "auction", "deals": 2, "max_thrown_in": 3})
    rng = random.Random("cut off")
    ends = [partie_beside(rules, rng, helpers.choose_passing) for _ in range(100)]
    assert {partie["completed"] for partie in ends if partie["truncated"]} == {0, 1}
    assert any(partie["over"] and len(partie["games"]) > 2 for partie in ends)


def test_ties_and_extra_deals():
    """Deals thrown in count here and nobody scores in them: a tie is frequent, and so is one after the extra deal."""
    rules = Rules.make({"base": "micro", "deals": 2, "extra_deals_on_tie": 1, "rubicon": 30})
    rng = random.Random("ties")
    ends = [partie_beside(rules, rng, helpers.choose_passing) for _ in range(150)]
    counts = {(partie["completed"], partie["payment"] == [0, 0]) for partie in ends}
    assert counts == {(2, False), (3, False), (3, True)}


# ------------------------------------------------------------------ the cards dealt


def test_every_card_is_dealt_everywhere_equally_often():
    """A chi-square of where each card goes: 31 * 31 degrees of freedom, 5 standard deviations."""
    deals = 4000
    counts = np.zeros((32, 3))
    for index in range(deals):
        row = helpers.new_row(RULESETS["auction"], seed=5, index=index)
        for card, place in zip(helpers.dealt_cards(row), [0] * 12 + [1] * 12 + [2] * 8, strict=True):
            counts[card, place] += 1
    expected = deals * np.array([12, 12, 8]) / 32
    statistic = ((counts - expected) ** 2 / expected).sum()
    assert statistic < 62 + 5 * np.sqrt(2 * 62)


def test_the_talon_is_in_random_order():
    deals = 4000
    rows = [helpers.new_row(RULESETS["auction"], seed=6, index=index) for index in range(deals)]
    first, last = [], []
    for row in rows:
        talon = helpers.dealt_cards(row)[24:]
        first.append(talon[0])
        last.append(talon[-1])
    assert abs(np.mean([a < b for a, b in zip(first, last, strict=True)]) - 0.5) < 5 * 0.5 / np.sqrt(deals)
    counts = np.bincount(first, minlength=32)
    assert ((counts - deals / 32) ** 2 / (deals / 32)).sum() < 31 + 5 * np.sqrt(62)


def test_the_first_dealer_is_drawn():
    dealers = [helpers.new_row(RULESETS["auction"], seed=7, index=index)[at.DEALER] for index in range(2000)]
    assert abs(np.mean(dealers) - 0.5) < 5 * 0.5 / np.sqrt(2000)


@pytest.mark.parametrize("rules", NAMES)
def test_a_deal_is_begun_again_as_it_was_dealt(rules):
    row = new_row(Rules.make(rules), seed=4)
    begun, again = row.copy(), np.full_like(row, -7)
    for actions, _ in walk(row, random.Random(1), deals=1):
        if actions:
            batch.begin_as_dealt(row, again, np.empty(32, np.int64))
            assert (again == begun).all()
    assert row[at.ACTED] > 0
