"""The solver as it is used: endings that a card player knows, tables, threads, processes, and arguments."""

import itertools
import json
import random
from pathlib import Path

import brute
import by_hand
import helpers
import numpy as np
import pytest
import solving
from test_compiled import TESTS, run
from test_processes import new_python
from test_solver import named

from piquet_env import Rules
from piquet_env.engine import compiled
from piquet_env.engine import layout as at
from piquet_env.rules import RULESETS
from piquet_env.solver import NOT_LEGAL, api, card_values, deal_values, scores, tricks

needs_compiler = pytest.mark.skipif(not compiled.JIT, reason="nothing is compiled with NUMBA_DISABLE_JIT=1")

# ------------------------------------------------------------------ worked by hand


def ending(base: str, leader: str, other: str, bid: str = "", points: tuple[int, int] = (0, 0)) -> np.ndarray:
    """Hands of so few cards that are the whole deal; nothing is declared, but player_0, elder, has such points."""
    size = sum(rank != "." for rank in leader)
    talon = 32 - 2 * size
    fields = {"hand_size": size, "elder_talon": talon // 2, "younger_talon": talon - talon // 2, "minimum_point": 8}
    fields |= {"lowest_level": 1, "highest_level": size, "sinking": False, "carte_blanche": 0, "minimum_exchange": 0}
    rules = {"base": base, **fields}
    if bid:
        row = by_hand.contract(rules, bid, leader, other)
    else:
        row = by_hand.play(by_hand.deal(rules, leader, other), "0 stand", "1 stand")
    assert row[at.PHASE] == at.PLAY
    for player, each in enumerate(points):
        row[[at.score_item(player, at.ITEM_POINT), at.score_item(player, at.ITEM_TOTAL)]] = each
    return row


def solved(row, objective="score") -> dict[str, int]:
    return named(card_values(row, objective))


def test_an_endplay():
    """Thrown in with the eight of hearts, the king and jack of spades must be led into ace and queen: two tricks.

    Who plays a spade first makes one. +1: two tricks are 2 and 10 for cards and 10 beyond, to 1; one is 1 to 2 and 10.
    """
    row = ending("auction", "AQ.7..", "KJ.8..", "+1")
    assert solved(row, "tricks") == {"SA": 1, "SQ": 1, "H7": 2}
    assert solved(row) == {"SA": -11, "SQ": -11, "H7": 21}


def test_an_endplay_that_gives_up_pique():
    """Classic, 28 points: a lead is one, the next lead the thirtieth, and the opponent must not have scored before.

    So the ace first: 28 + 2 leads + 30 to a trick, a lead, the last and cards, 13. The endplay: 42 to 2. The queen
    first loses pique and the tricks: 31 to 14. Without the 28 the endplay is best.
    """
    assert solved(ending("rubicon", "AQ.7..", "KJ.8..", points=(28, 0))) == {"SA": 47, "SQ": 17, "H7": 40}
    assert max(solved(ending("rubicon", "AQ.7..", "KJ.8..")).items(), key=lambda card: card[1]) == ("H7", 12)


def test_pique_in_a_plus_contract_counts_tricks_not_leads():
    """28 points and an ace: 29 with the trick, if it is the first. 28 + 1 + 30 to 1; exactly made, nobody has cards."""
    row = ending("auction", "A.7..", "K.8..", "+1", points=(28, 0))
    assert solved(row) == {"SA": 58, "H7": 28}


def test_win_and_get_off_lead():
    """The ace of spades at once, then the nine: hearts must be led into ace and queen. To wait costs a trick."""
    row = brute.play(ending("auction", "KQ.KJ..", "A9.AQ..", "+1"), "SQ")
    assert solved(row, "tricks") == {"SA": 3, "S9": 2}


def test_a_minus_contract_gets_off_lead_while_it_can():
    """The seven of spades at once: then one of the hearts goes below the ten. A heart first, and both take.

    -2 made exactly: 1 to 2, and 10 for losing the more. One short: 2 to 1, and 10 and 10 to the other.
    """
    row = ending("auction", "7.J9..", "8.T8..", "-2")
    assert solved(row, "tricks") == {"S7": 1, "H9": 2, "HJ": 2}
    assert solved(row) == {"S7": 9, "H9": -19, "HJ": -19}


def test_a_duck_in_a_minus_contract():
    """Under the nine with the eight, and the ten goes away on the heart; who takes must go on with the eight."""
    row = brute.play(ending("auction", "9.7..", "T8...", "-1"), "S9")
    assert solved(row, "tricks") == {"ST": 2, "S8": 0}


def test_the_last_trick_in_classic_piquet():
    """A trick each, either way: but the ace kept for the last one is 3 to 2, and led at once 2 to 2."""
    row = ending("rubicon", "A.7..", "K.A..")
    assert solved(row, "tricks") == {"SA": 1, "H7": 1}
    assert solved(row) == {"SA": 0, "H7": 1}


def test_one_card_each():
    """+1 by the ace: capot, 1 + 40; and the other way round 40 + 1 and 10 for the trick that is short."""
    assert solved(ending("auction", "A...", "K...", "+1")) == {"SA": 41}
    assert solved(ending("auction", "Q...", "K...", "+1")) == {"SQ": -51}
    assert deal_values(ending("auction", "Q...", "K...", "+1"), "tricks") == 0


# ------------------------------------------------------------------ tables and threads


@pytest.fixture(scope="module")
def positions() -> np.ndarray:
    """Whole deals and endings of several rules, mixed."""
    rng = random.Random(1)
    early = Rules.make({"base": "auction", "pique": 9, "minus_pique": 9})
    rows = [brute.deals(rules, rng, 12) for rules in (Rules(), RULESETS["rubicon"], early, RULESETS["mini"])]
    rows += [np.array([each.row for each in brute.endings(RULESETS[name], rng, 30)]) for name in ("auction", "cent")]
    rows = np.concatenate(rows)
    return rows[np.random.default_rng(1).permutation(len(rows))]


@pytest.mark.parametrize("objective", solving.OBJECTIVES)
def test_what_was_solved_before_changes_nothing(positions, objective):
    """One by one with nothing known, all in one call, the other way round, and on several threads."""
    alone = [card_values(row, objective).tolist() for row in positions]
    for threads in (1, 2, 5, np.int64(2), 1000):
        assert card_values(positions, objective, threads).tolist() == alone
    assert card_values(positions[::-1], objective, 1)[::-1].tolist() == alone
    assert deal_values(positions, objective, 1).tolist() == [deal_values(row, objective).item() for row in positions]


def test_small_tables_in_which_everything_collides(positions):
    """Tables of two entries, and used ones."""
    work = api.workspace()
    tight = work._replace(table=np.zeros(2, np.int64), unsettled=np.zeros((2, work.unsettled.shape[1]), np.int64))
    few = positions[:40]
    for kernel, objective in ((api._score_cards, "score"), (api._count_cards, "tricks"), (api._score_cards, "score")):
        for workspace in (tight, work):
            values = np.full((len(few), 32), NOT_LEGAL)
            kernel(few, values, *workspace)
            assert np.array_equal(values, card_values(few, objective))


def test_the_rows_are_left_alone(positions):
    before = positions.copy()
    card_values(positions)
    deal_values(positions[3], "tricks")
    assert np.array_equal(positions, before)


def test_shapes():
    rows = brute.deals(Rules(), random.Random(2), 3)
    assert card_values(rows).shape == (3, 32)
    assert card_values(rows[0]).shape == (32,)
    assert deal_values(rows).shape == (3,)
    assert deal_values(rows[0]).shape == ()
    assert card_values(rows[:0]).shape == (0, 32)
    assert np.array_equal(card_values(np.repeat(rows, 2, 0)[::2]), card_values(rows))


# ------------------------------------------------------------------ other processes


@pytest.fixture
def saved(positions, tmp_path):
    """A few of the positions in a file, and how to solve them in another process."""
    np.save(tmp_path / "rows.npy", positions[:30])
    return tmp_path / "rows.npy"


@needs_compiler
def test_what_calls_itself_has_one_signature_and_works_from_the_disk(positions, saved):
    """With two, what numba keeps of such a function on disk is broken: a later process crashed."""
    here = solving.digest(positions[:30])
    program = str(TESTS / "solving.py")
    code = f"import runpy, sys; sys.argv = ['', {str(saved)!r}]; runpy.run_path({program!r}, run_name='__main__')"
    (line,) = new_python(code)
    assert json.loads(line) == {"digest": here, "compiled": 0}
    for function in (tricks.can_get, scores.value_of):  # a file for each signature; other folders are other copies
        files = Path(function._cache.cache_path).glob(f"{function.__module__.split('.')[-1]}.{function.__name__}-*.nbc")
        assert len(list(files)) == 1


@pytest.mark.long
@needs_compiler
def test_with_bounds_checks(positions, saved, tmp_path):
    answer = json.loads(run([TESTS / "solving.py", saved], tmp_path, NUMBA_BOUNDSCHECK="1").stdout)
    assert answer["digest"] == solving.digest(positions[:30])
    assert answer["compiled"] > 0


def test_without_the_compiler(tmp_path):
    """As plain Python, without a numeric warning."""
    endings = [
        *brute.endings(Rules(), random.Random(3), 6, 4),
        *brute.endings(RULESETS["rubicon"], random.Random(3), 6),
    ]
    rows = np.array([each.row for each in endings])
    np.save(tmp_path / "rows.npy", rows)
    answer = json.loads(run([TESTS / "solving.py", tmp_path / "rows.npy"], tmp_path, NUMBA_DISABLE_JIT="1").stdout)
    assert answer == {"digest": solving.digest(rows), "compiled": 0}


# ------------------------------------------------------------------ arguments


@pytest.fixture
def row() -> np.ndarray:
    return brute.deals(Rules(), random.Random(4), 1)[0]


@pytest.mark.parametrize("solve", [card_values, deal_values])
def test_refused_arguments(row, solve):
    with pytest.raises(ValueError, match="objective: expected one of score, tricks, got 'points'"):
        solve(row, "points")
    for threads in (0, -1, 1.0, True, "2"):
        with pytest.raises(ValueError, match="threads: expected a whole number of at least 1"):
            solve(row, threads=threads)
    for rows in (row.tolist(), row[:-1], row.astype(np.int32), row.astype(float), row[None, None], np.int64(3), None):
        with pytest.raises(ValueError, match=r"rows: expected int64 \(N, "):
            solve(rows)


def test_refused_positions(row):
    """Not in the play: before it and after it; with a hand that is hidden."""
    start, over = helpers.new_row(Rules()), row.copy()
    for _ in helpers.walk(over, random.Random(1), deals=1):
        pass
    assert over[at.PHASE] == at.DEAL_OVER
    for bad in (start, over, helpers.hidden(row, 0), helpers.hidden(row, 1), np.zeros_like(row)):
        with pytest.raises(ValueError, match="row 2 is not in the phase of play with both hands known"):
            card_values(np.array([row, row, bad, row]))


def _swap_a_card(row):
    row[at.HANDS] ^= 1 << int(np.flatnonzero([row[at.HANDS] >> card & 1 for card in range(32)])[0])


DAMAGE = {
    "a card too few": _swap_a_card,
    "both hold the same": lambda row: row.__setitem__(at.HANDS, row[at.HANDS + 1]),
    "a played card is held": lambda row: row.__setitem__(at.PLAYED, row[at.HANDS] & -row[at.HANDS]),
    "no such pack": lambda row: row.__setitem__(at.PACK, 255),
    "too large a pack": lambda row: row.__setitem__(at.PACK, 2**40 - 1),
    "no such player": lambda row: row.__setitem__(at.ACTOR, 7),
    "no elder": lambda row: row.__setitem__(at.ELDER, -1),
    "no such card led": lambda row: row.__setitem__(at.LED, 99),
    "another trick": lambda row: row.__setitem__(at.TRICK, 3),
    "a trick too many": lambda row: row.__setitem__(at.TRICK, 12),
    "no such trick": lambda row: row.__setitem__([at.TRICK, at.HAND_SIZE], [-(10**9), 12 - 10**9]),
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE.keys())
def test_refused_garbage(row, damage):
    damage(row)
    with pytest.raises(ValueError, match="row 0 is not in the phase of play"):
        card_values(row)


def test_a_hidden_row_with_a_hand_filled_in(row):
    """As a bot makes it of what it knows: the hand that it supposes is enough."""
    for player in (0, 1):
        known = helpers.hidden(row, player)
        known[at.HANDS + 1 - player] = row[at.HANDS + 1 - player]
        for objective in solving.OBJECTIVES:
            assert np.array_equal(card_values(known, objective), card_values(row, objective))


def test_any_numbers_do_no_harm(row):
    """Each column in turn holds nonsense: a ValueError or some values, and the process lives."""
    for column, number in itertools.product(range(at.COLUMNS), (-(2**63), -1, 77, 2**40)):
        bad = row.copy()
        bad[column] = number
        try:
            assert card_values(bad, "tricks").shape == (32,)
        except ValueError as error:
            assert "row 0" in str(error)  # noqa: PT017 (each row has its own)
