"""What a player does not know changes nothing that he is given; what he knows does.

Positions are made and judged by tests/positions.py, from the rules page and independent of piquet_env.knowledge.
"""

import random
from collections import Counter

import helpers
import positions
import pytest
from helpers import NAMES
from positions import knowledge_key

from piquet_env import knowledge
from piquet_env.engine import actions as act
from piquet_env.engine import game
from piquet_env.engine import layout as at
from piquet_env.rules import RULESETS, Rules


def given_to(row, player) -> dict[str, bytes]:
    """Everything that a player, or the bot that plays for him, is given of a position."""
    given = {
        "observation": knowledge.observation(row, player).tobytes(),
        "hidden row": helpers.hidden(row, player).tobytes(),
    }
    if row[at.ACTOR] == player and row[at.PHASE] != at.IN_CARTE_BLANCHE:
        given["mask"] = knowledge.action_mask(row, player).tobytes()
    return given


def differences(row, other, player) -> list[str]:
    """What tells the two positions apart, in words."""
    first, second = given_to(row, player), given_to(other, player)
    apart = [name for name in first.keys() & second.keys() if first[name] != second[name]]
    a, b = helpers.hidden(row, player), helpers.hidden(other, player)
    columns = [f.name for f in at.FIELDS if (a[f.start : f.start + f.size] != b[f.start : f.start + f.size]).any()]
    x, y = knowledge.observation(row, player), knowledge.observation(other, player)
    return apart + columns + [name for name, start, stop, _ in knowledge.fields() if (x[start:stop] != y[start:stop]).any()]


def all_positions(rules: Rules, rng: random.Random, deals: int, each: int) -> list[positions.Position]:
    found = []
    for partie in (False, True):
        for start in positions.starts(rules, partie, rng, deals // 2):
            found += positions.positions(rules, start, rng, each)
    return found


# ------------------------------------------------------------------ what he does not know


def compare_redistributions(position, rng, tries=8) -> Counter:
    """How many really different positions looked the same, by phase; both players, the waiting one too."""
    twin, row = position.played(), position.row()
    compared = Counter()
    for me in (0, 1):
        key = knowledge_key(position, twin, me)
        seen = {(position.cards, position.actions)}
        for _ in range(tries):
            other = positions.redistribute(position, twin, me, rng)
            if other is None or (other.cards, other.actions) in seen:
                continue
            seen.add((other.cards, other.actions))
            if knowledge_key(other, other.played(), me) == key:
                assert not differences(row, other.row(), me), (position, other, me)
                compared[twin.phase, "acts" if twin.to_act == me else "waits"] += 1
    return compared


def phases_of(rules: Rules) -> set[str]:
    return {"exchange", "point", "sequence", "set", "play", "over"} | ({"auction"} if rules.auction else set())


@pytest.mark.parametrize("name", NAMES)
def test_hidden_cards_leave_no_trace(name):
    rules, rng = RULESETS[name], random.Random(f"hidden {name}")
    compared, with_any = Counter(), 0
    found = all_positions(rules, rng, deals=50, each=6)
    for position in found:
        counts = compare_redistributions(position, rng)
        compared += counts
        with_any += bool(counts)
    few = 20 if rules.open_hands else 200  # with open hands only the talon is hidden
    assert sum(compared.values()) > 5 * few
    assert with_any > (0.5 if rules.open_hands else 0.9) * len(found)
    assert {phase for phase, _ in compared} >= phases_of(rules)
    assert sum(n for (_, how), n in compared.items() if how == "acts") > few


def test_hidden_cards_leave_no_trace_under_any_rules():
    rng, compared = random.Random("hidden odd"), Counter()
    for _ in range(120):
        rules = helpers.build_rules(rng.randint)
        for position in all_positions(rules, rng, deals=2, each=4):
            compared += compare_redistributions(position, rng)
    assert sum(compared.values()) > 4000
    assert {phase for phase, _ in compared} == phases_of(Rules()) | {"carte blanche"}


def test_the_waiting_player_sees_nothing_of_the_other_discarding():
    """Nor of a question for carte blanche that is answered with none."""
    rng, steps = random.Random("waiting"), Counter()
    for name in NAMES:
        rules = RULESETS[name]
        for _ in range(60):
            row = helpers.set_up(rules, rng.randrange(2), helpers.lumpy_pack(rules, rng))
            steps += _watch(row, rng)
    assert steps["discard"] > 500
    assert steps["carte blanche"] > 20


def _watch(row, rng) -> Counter:
    """Play a deal; after each hidden choice the other player's vector and row must be the same as before."""
    steps = Counter()
    for _, action in helpers.walk(row, rng, deals=1):
        waiting, after = 1 - row[at.ACTOR], row.copy()
        if action is None:
            break
        assert game.apply_action(after, action)
        is_discard = row[at.PHASE] == at.EXCHANGE and action < act.CARDS and not row[at.OPEN_HANDS]
        is_silence = row[at.PHASE] == at.IN_CARTE_BLANCHE and action == act.NONE
        if is_discard or is_silence:
            assert (knowledge.observation(row, waiting) == knowledge.observation(after, waiting)).all()
            assert (helpers.hidden(row, waiting) == helpers.hidden(after, waiting)).all()
            steps["discard" if is_discard else "carte blanche"] += 1
    return steps


def test_thrown_in_hands_are_not_shown():
    for index in range(50):
        row = helpers.new_row(RULESETS["auction"], seed=3, index=index)
        for _ in range(2):
            assert game.apply_action(row, act.PASS)
        assert row[at.PHASE] == at.DEAL_OVER
        for me in (0, 1):
            assert (knowledge.observation(row, me)[_bits("unseen")].sum()) == 20
            assert (helpers.hidden(row, me)[[at.HANDS + 1 - me, at.DEALT + 1 - me]] == -1).all()


def _bits(name) -> slice:
    return next(slice(start, stop) for n, start, stop, _ in knowledge.fields() if n == name)


# ------------------------------------------------------------------ what he knows


def compare_variations(position, rng, tries=6) -> Counter:
    """(same or different to him) of positions that differ a little: the vector differs just when his knowledge does."""
    twin, row = position.played(), position.row()
    compared = Counter()
    for _ in range(tries):
        other = positions.vary(position, rng)
        if other == position:
            continue
        other_twin, other_row = other.played(), other.row()
        for me in (0, 1):
            same = knowledge_key(position, twin, me) == knowledge_key(other, other_twin, me)
            apart = differences(row, other_row, me)
            if same:
                assert not apart, (position, other, me)
            else:
                assert "observation" in apart, (position, other, me)
            compared[twin.phase, same] += 1
    return compared


@pytest.mark.parametrize("name", NAMES)
def test_what_he_knows_shows(name):
    rules, rng = RULESETS[name], random.Random(f"known {name}")
    compared = Counter()
    for position in all_positions(rules, rng, deals=50, each=6):
        compared += compare_variations(position, rng)
    for phase in phases_of(rules):
        assert compared[phase, False] >= 10
        assert compared[phase, True] >= 5  # a card or a choice that he does not know of


def test_what_he_knows_shows_under_any_rules():
    rng, compared = random.Random("known odd"), Counter()
    for _ in range(120):
        rules = helpers.build_rules(rng.randint)
        for position in all_positions(rules, rng, deals=2, each=4):
            compared += compare_variations(position, rng)
    assert sum(compared.values()) > 4000


@pytest.fixture
def middle_of_a_partie():
    """player_0 has 70, player_1 80, two of six deals are done, one was thrown in since."""
    row = helpers.new_row(RULESETS["auction"], partie=True, seed=11)
    row[at.TOTALS : at.TOTALS + 2] = 70, 80
    row[at.COMPLETED], row[at.THROWN_IN] = 2, 1
    return row


CHANGES = {
    "my total": (at.TOTALS, 160),
    "their total": (at.TOTALS + 1, 20),
    "who leads": (at.TOTALS + 1, 69),
    "the deal's number": (at.COMPLETED, 3),
    "deals thrown in": (at.THROWN_IN, 2),
    "the last chance": (at.THROWN_IN, 99),
    "an episode of one deal": (at.PARTIE, 0),
    "the dealer": (at.DEALER, None),
}


@pytest.mark.parametrize("change", CHANGES)
def test_what_he_knows_of_the_partie_shows(middle_of_a_partie, change):
    column, value = CHANGES[change]
    other = middle_of_a_partie.copy()
    other[column] = 1 - other[column] if value is None else value
    for me in (0, 1):
        assert (knowledge.observation(other, me) != knowledge.observation(middle_of_a_partie, me)).any()


@pytest.mark.parametrize("name, edge", [("auction", 150), ("rubicon", 100), ("cent", 50)])
def test_the_edges_of_the_totals(name, edge):
    """One point makes the difference exactly at the rubicon; in cent where the payment doubles."""
    row = helpers.new_row(RULESETS[name], partie=True, seed=12)
    for player in (0, 1):
        vectors = {}
        for total in (edge - 2, edge - 1, edge, edge + 1):
            row[at.TOTALS : at.TOTALS + 2] = 0
            row[at.TOTALS + player] = total
            vectors[total] = knowledge.observation(row, 0).tobytes()
        assert vectors[edge - 2] == vectors[edge - 1] != vectors[edge] == vectors[edge + 1]


def test_the_random_state_is_in_nothing():
    rng = random.Random("state")
    for name in NAMES:
        row = helpers.new_row(RULESETS[name], seed=rng.getrandbits(63))
        for _ in helpers.walk(row, rng, deals=1):
            other = row.copy()
            other[at.RANDOM] = rng.getrandbits(63)
            for me in (0, 1):
                assert not differences(row, other, me)
                assert (knowledge.state(row, me) == knowledge.state(other, me)).all()


def test_a_hidden_row_gives_the_same_vector():
    """A bot that gets the row with every unknown column at -1 can make the observation from it."""
    rng, count = random.Random("hidden row"), 0
    for n in range(150):
        rules = RULESETS[NAMES[n]] if n < len(NAMES) else helpers.build_rules(rng.randint)
        row = helpers.new_row(rules, seed=rng.getrandbits(63))
        for _ in helpers.walk(row, rng, deals=1):
            for me in (0, 1):
                known = helpers.hidden(row, me)
                assert (knowledge.observation(known, me) == knowledge.observation(row, me)).all()
                if row[at.ACTOR] == me:
                    assert helpers.legal(known) == helpers.legal(row)
                    count += 1
    assert count > 3000
