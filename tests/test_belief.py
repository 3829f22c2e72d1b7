"""The list of hands that the other may have, against every deal tried in tests/naive.py, and cases worked by hand."""

import itertools
import random
from collections import Counter, defaultdict
from dataclasses import replace
from math import comb

import by_hand
import helpers
import numpy as np
import positions
import pytest
import worlds
from helpers import NAMES, mask_of

from piquet_env import auction_piquet_v0
from piquet_env.belief import MOST_HANDS, marginals, most_hands, opponent_hands, possible_hands
from piquet_env.engine import layout as at
from piquet_env.engine.compiled import compiled
from piquet_env.engine.intrinsics import row_of
from piquet_env.rules import RULESETS, Rules

CLASSIC = Rules.make(
    {"base": "rubicon", "suits": "SH", "ranks": "9TJQ", "hand_size": 3, "elder_talon": 1, "younger_talon": 1}
    | {"lowest_level": 1, "highest_level": 3, "repique": 5, "pique": 4}
)
SMALL = {
    "micro": RULESETS["micro"],
    "mini": RULESETS["mini"],
    "micro without sinking": replace(RULESETS["micro"], sinking=False),
    "mini without sinking": replace(RULESETS["mini"], sinking=False),
    "mini, one pile": replace(RULESETS["mini"], younger_draws_leftovers=True),
    "mini, leftovers seen": replace(RULESETS["mini"], younger_sees_leftovers=True),
    "mini, open": replace(RULESETS["mini"], open_hands=True),
    "classic": CLASSIC,
    "carte blanche": CLASSIC,
    "one pile of four": Rules.make(
        {"base": "cavendish", "suits": "SH", "ranks": "TJQA", "hand_size": 2, "elder_talon": 2, "younger_talon": 2}
        | {"lowest_level": 1, "highest_level": 2, "carte_blanche": 0}
    ),
}
LARGE = {name: RULESETS[name] for name in NAMES if RULESETS[name].hand_size == 12}
LARGE |= {f"{name} without sinking": replace(RULESETS[name], sinking=False) for name in ("auction", "rubicon")}


def mask(cards) -> int:
    return mask_of(list(cards))


def of_small_packs(name: str) -> list[positions.Position]:
    rules, rng = SMALL[name], random.Random(f"belief {name}")
    count = 8 if name == "one pile of four" else 40
    starts = positions.starts(rules, False, rng, count)
    if name == "carte blanche":
        starts = [_with_a_blank_hand(rules, rng) for _ in range(count)]
    return [position for start in starts for position in positions.positions(rules, start, rng, 2)]


def _with_a_blank_hand(rules, rng):
    blank = rng.sample([card for card in helpers.cards_of(rules.pack) if card & 7 not in (4, 5, 6)], rules.hand_size)
    rest = [card for card in helpers.cards_of(rules.pack) if card not in blank]
    rng.shuffle(rest)
    hands = blank + rest[:3] if rng.random() < 0.5 else rest[:3] + blank
    return helpers.set_up(rules, rng.randrange(2), hands + rest[3:])


# ------------------------------------------------------------------ the list


def as_listed(row, me) -> dict[int, int]:
    hands, arrangements = opponent_hands(row, me)
    assert hands.dtype == arrangements.dtype == np.int64
    assert len(set(hands.tolist())) == len(hands) <= most_hands(row, me)
    return dict(zip(hands.tolist(), arrangements.tolist(), strict=True))


@pytest.mark.parametrize("name", SMALL)
def test_small_packs_against_all_deals(name):
    """Hands and the number of arrangements of each, in every phase, for both players; and the marginals."""
    phases = Counter()
    for position in of_small_packs(name):
        twin, row = position.played(), position.row()
        if twin.phase == "over":
            continue
        for me in (0, 1):
            ways = defaultdict(set)
            for world in worlds.all_worlds(position, twin, me):
                ways[mask(world.holds)].add((world.dealt, world.discards, world.drawn))
            expected = {hand: len(found) for hand, found in ways.items()}
            assert as_listed(row, me) == expected, (position, me)
            assert as_listed(helpers.hidden(row, me), me) == expected
            total = sum(expected.values())
            chances = [sum(n for hand, n in expected.items() if hand >> card & 1) / total for card in range(32)]
            np.testing.assert_allclose(marginals(row, me), chances, atol=1e-12)
            phases[twin.phase] += 1
    assert set(phases) >= {"exchange", "play"} | ({"auction"} if SMALL[name].auction else set())
    assert bool(set(phases) & {"point", "sequence", "set"}) == SMALL[name].sinking


def declared(name: str, count: int, most: int) -> list:
    """Positions after both exchanges in which one player may have at most so many hands; (position, twin, row, me)."""
    rules, rng, found = LARGE[name], random.Random(f"late {name}"), []
    while len(found) < count:
        for start in positions.starts(rules, False, rng, 2):
            for position in positions.positions(rules, start, rng, 8):
                twin, row = position.played(), position.row()
                me = rng.randrange(2)
                if twin.phase in ("point", "sequence", "set", "play") and None not in twin.exchanged:
                    number = sum(1 for _ in itertools.islice(worlds.candidates(position, twin, me), most + 1))
                    if 1 < number <= most:
                        found.append((position, twin, row, me))
    return found[:count]


@pytest.mark.parametrize("name", [name for name in LARGE if not LARGE[name].open_hands])
def test_late_positions_of_large_packs(name):
    narrowed, seen = 0, set()
    for position, twin, row, me in declared(name, 14, 60):
        final = worlds.final_hands(position, twin, me)
        played = mask(card for player, card in twin.played if player != me)
        ways = sum(1 for _ in worlds.ways(position, twin, me, final[0]))
        assert as_listed(row, me) == {mask(hand) & ~played: ways for hand in final}, (position, me)
        assert as_listed(helpers.hidden(row, me), me) == as_listed(row, me)
        narrowed += len(final) < sum(1 for _ in worlds.candidates(position, twin, me))
        seen.add(me == twin.elder)
    assert narrowed > 0
    assert len(seen) == 2


@pytest.mark.parametrize(("name", "sign"), [("auction", "+"), ("auction without sinking", "+"), ("auction", "-")])
def test_the_declarations_of_large_packs(name, sign):
    """All of elder's 455 candidates."""
    rules, rng, kept = LARGE[name], random.Random(f"declared {name} {sign}"), []
    for _ in range(3):
        cards = helpers.lumpy_pack(rules, rng)
        row = by_hand.play(helpers.set_up(rules, 1, cards), f"0 {sign}7", "1 pass")
        for who, most in ((0, 5), (1, 3)):
            hand = helpers.cards_of(row[at.HANDS + who])
            for card in hand[:most]:
                by_hand.play(row, f"{who} discard {helpers.card_name(card)}")
            by_hand.play(row, f"{who} stand")
        while row[at.PHASE] in (at.IN_POINT, at.IN_SEQUENCE, at.IN_SET):
            assert helpers.game.apply_action(row, helpers.choose(helpers.legal(row), rng))
        history = helpers.history(row)
        start = helpers.set_up(rules, 1, cards)
        texts = tuple(_texts(start, history, rules))
        position = positions.Position(rules, start, tuple(map(helpers.card_name, cards)), texts)
        twin = position.played()
        final = worlds.final_hands(position, twin, 0)
        assert as_listed(row, 0).keys() == {mask(hand) for hand in final}
        kept.append(len(final))
    assert min(kept) < 455


def _texts(row, history, rules):
    twin = helpers.naive_twin(row, rules)
    for player, action in history:
        text = next(text for text in twin.legal() if helpers.naive.action_index(twin.rules, text) == action)
        twin.act(text)
        yield player, text


# ------------------------------------------------------------------ worked by hand

ELDER, YOUNGER = "AKQJT9.AKQ.A.AK", "8.987.KQJT.QJT9"
TALON = "S7 HJ HT D9 D8 D7 C8 C7"


def declared_by_hand(rules, *moves):
    row = by_hand.deal(rules, ELDER, YOUNGER, TALON)
    return by_hand.play(row, "0 +7", "1 pass", "0 stand", "1 stand", *moves)


def test_none_and_good_exclude_nothing_where_sinking_is_allowed():
    """Elder left five cards and saw them; so younger has 12 of 15 cards, whatever he did not say."""
    said = ["0 none", "1 none", "0 none", "1 none", "0 none", "1 none"]
    for number in range(len(said) + 1):
        row = declared_by_hand("auction", *said[:number])
        assert len(opponent_hands(row, 0)[0]) == comb(15, 12)
        # Younger stood and saw all of the talon: elder's twelve cards are the rest.
        assert opponent_hands(row, 1)[0].tolist() == [row[at.HANDS]]


def test_good_excludes_where_there_is_no_sinking():
    """Younger, of whom only good was heard, has no better point, sequence or set than elder."""
    row = declared_by_hand({"base": "auction", "sinking": False})
    assert row[at.PHASE] == at.PLAY
    hands = opponent_hands(row, 0)[0]
    assert 0 < len(hands) < comb(15, 12)
    assert row[at.HANDS + 1] in hands


def test_of_a_hand_that_names_a_quart_all_lower_sequences_are_shown():
    """Younger names the quart to the king; with it he shows CQ-C9 and H9-H7, eleven cards in all.

    The twelfth is one of the four that elder has not seen; not C8, which would make the second quart a quint.
    """
    row = declared_by_hand("auction", "0 none", "1 none", "0 none", "1 sequence 4 K", "0 none", "1 none")
    shown = mask_of(["DK", "DQ", "DJ", "DT", "CQ", "CJ", "CT", "C9", "H9", "H8", "H7"])
    expected = {shown | mask_of([card]) for card in ("S8", "D7", "C7")}
    assert set(opponent_hands(row, 0)[0].tolist()) == expected
    assert marginals(row, 0)[helpers.card_number("S8")] == pytest.approx(1 / 3)


def test_a_point_of_four_is_some_suit_of_four():
    """The number alone: every hand with a suit of four cards, and no other."""
    row = declared_by_hand("auction", "0 none", "1 point D")
    expected = set()
    unseen = helpers.cards_of(row[at.PACK] & ~row[at.DEALT] & ~row[at.SEEN])
    for cards in itertools.combinations(unseen, 12):
        if 4 in Counter(card >> 3 for card in cards).values():
            expected.add(mask_of(cards))
    assert set(opponent_hands(row, 0)[0].tolist()) == expected


def test_who_does_not_follow_has_no_card_of_the_suit():
    row = declared_by_hand("auction", *["0 none", "1 none"] * 3, "0 play SA", "1 play S8", "0 play SK", "1 play H7")
    hands = opponent_hands(row, 0)[0]
    assert not any(hand & 0xFF for hand in hands.tolist())
    assert marginals(row, 0)[:8].sum() == 0


def test_the_hand_shown_as_carte_blanche_is_known_until_cards_are_exchanged():
    blank = "A987.A987.A987."
    row = by_hand.deal("rubicon", blank, "KQJT.KQJT.KQJT.", dealer=1)
    by_hand.play(row, "0 carte blanche")
    dealt = int(row[at.DEALT])
    assert opponent_hands(row, 1)[0].tolist() == [dealt]
    by_hand.play(row, "0 discard S7", "0 discard H7", "0 stand")
    hands, arrangements = opponent_hands(row, 1)
    assert len(hands) == comb(12, 10) * comb(8, 2)  # he kept ten of twelve and drew two of the eight clubs
    assert set(arrangements.tolist()) == {1}
    by_hand.play(row, "1 stand")
    assert len(opponent_hands(row, 1)[0]) == comb(12, 10)  # younger left three of his own and saw all others but two


# ------------------------------------------------------------------ bounds and refusals


def test_no_rules_give_more_hands_than_stated():
    """Over all sizes, numbers exchanged and points of view; the pack of 32 cards is the worst."""
    most = 0
    for size in range(1, 17):
        for elders in range(33 - 2 * size):
            youngers = 32 - 2 * size - elders
            most = max(most, comb(32 - size, size), comb(32 - size - elders, size), comb(32 - size - youngers, size))
    assert most == MOST_HANDS


def test_the_longest_list():
    rules = Rules.make({"base": "auction", "hand_size": 9, "elder_talon": 14, "younger_talon": 0, "highest_level": 9})
    row = helpers.new_row(rules, seed=3)
    assert most_hands(row, 0) == MOST_HANDS
    hands, _ = opponent_hands(row, 0)
    assert len(hands) == MOST_HANDS
    assert len(np.unique(hands)) == MOST_HANDS


def test_the_compiled_list_writes_no_further_than_it_says():
    row = helpers.new_row(RULESETS["mini"], seed=1)
    bound = most_hands(row, 0)
    hands, arrangements = np.full(bound + 5, -7), np.full(bound + 5, -7)
    assert possible_hands(row, 0, hands, arrangements) == bound == comb(5, 3)
    assert (hands[bound:] == -7).all()
    assert (arrangements[bound:] == -7).all()


@compiled
def _count_all(rows, me, hands, arrangements, found):
    """As a search calls it."""
    for i in range(len(rows)):
        found[i] = possible_hands(row_of(rows, i), me, hands, arrangements)


def test_the_list_from_compiled_code():
    rows = np.stack([helpers.new_row(RULESETS["auction"], seed=1), declared_by_hand("auction", "0 none", "1 point D")])
    bound = max(most_hands(row, 0) for row in rows)
    hands, arrangements, found = np.empty(bound, np.int64), np.empty(bound, np.int64), np.empty(2, np.int64)
    _count_all(rows, 0, hands, arrangements, found)
    assert found.tolist() == [comb(20, 12), len(opponent_hands(rows[1], 0)[0])]
    assert (hands[: found[1]] == opponent_hands(rows[1], 0)[0]).all()


def bad_rows() -> dict:
    row = helpers.new_row(RULESETS["micro"], seed=1)
    over = by_hand.play(row.copy(), f"{row[at.ACTOR]} pass", f"{1 - row[at.ACTOR]} pass")
    contradiction = declared_by_hand("auction", "0 none", "1 none")
    contradiction[at.SAID + 1] = 9  # younger cannot have nine cards of a suit that are unseen
    return {
        "over": (over, "not over"),
        "empty": (np.zeros(at.COLUMNS, np.int64), "dealt"),
        "the other's": (helpers.hidden(row, 1), "hidden"),
        "impossible": (contradiction, "no cards"),
        "short": (row[:-1], "row"),
        "float": (row.astype(float), "row"),
        "list": (row.tolist(), "game"),
    }


@pytest.mark.parametrize("which", bad_rows())
def test_rows_that_are_refused(which):
    row, said = bad_rows()[which]
    for ask in (opponent_hands, marginals):
        with pytest.raises(ValueError, match=said):
            ask(row, 0)


@pytest.mark.parametrize("player", [2, -1, "player_0", None])
def test_players_that_are_refused(player):
    with pytest.raises(ValueError, match="player"):
        opponent_hands(helpers.new_row(RULESETS["micro"]), player)


def test_an_environment_will_do():
    env = auction_piquet_v0.env("mini")
    env.reset(seed=4)
    row = env.unwrapped.known_row("player_1")
    assert row[at.DEALT] == -1
    assert (opponent_hands(env, 1)[0] == opponent_hands(row, 1)[0]).all()
    for _ in env.agent_iter():
        seen, _, terminated, _, _ = env.last()
        env.step(None if terminated else int(np.flatnonzero(seen["action_mask"])[-1]))
    with pytest.raises(ValueError, match="over"):
        opponent_hands(env, 1)
