"""What a player does not know changes nothing that he is given; what he knows does.

Positions are made and judged by tests/positions.py, from the rules page and independent of piquet_env.knowledge.
"""

import json
import random
from collections import Counter

import helpers
import positions
import pytest
from helpers import NAMES
from positions import knowledge_key

from piquet_env import auction_piquet_v0, knowledge
from piquet_env.engine import actions as act
from piquet_env.engine import game
from piquet_env.engine import layout as at
from piquet_env.notation import hand_text
from piquet_env.render.table import table_text
from piquet_env.rules import RULESETS, Rules
from piquet_env.views import view


def given_to(row, player) -> dict[str, bytes]:
    """Everything that a player, or the bot that plays for him, is given of a position."""
    given = {
        "observation": knowledge.observation(row, player).tobytes(),
        "hidden row": helpers.hidden(row, player).tobytes(),
        "view": json.dumps(view(row, player)),
        "table": table_text(row, player),
    }
    if row[at.ACTOR] == player and row[at.PHASE] != at.IN_CARTE_BLANCHE:
        given["mask"] = knowledge.action_mask(row, player).tobytes()
    return given


def apart(given, row, other, player) -> list[str]:
    """Which of the things given differ in the other position (masks: where both are asked), and where in the vector."""
    second = given_to(other, player)
    names = [name for name in given.keys() & second.keys() if given[name] != second[name]]
    x, y = knowledge.observation(row, player), knowledge.observation(other, player)
    return names + [name for name, start, stop, _ in knowledge.fields() if (x[start:stop] != y[start:stop]).any()]


def all_positions(rules: Rules, rng: random.Random, deals: int, each: int) -> list[positions.Position]:
    found = []
    for partie in (False, True):
        for start in positions.starts(rules, partie, rng, deals // 2):
            found += positions.positions(rules, start, rng, each)
    return found


# ------------------------------------------------------------------ what he does not know


def compare_redistributions(position, rng, tries=6) -> Counter:
    """How many really different positions looked the same, by phase; both players, the waiting one too."""
    twin, row = position.played(), position.row()
    compared = Counter()
    for me in (0, 1):
        key, given = knowledge_key(position, twin, me), given_to(row, me)
        seen = {(position.cards, position.actions)}
        for _ in range(tries):
            other = positions.redistribute(position, twin, me, rng)
            if other is None or (other.cards, other.actions) in seen:
                continue
            seen.add((other.cards, other.actions))
            if knowledge_key(other, other.played(), me) == key:
                assert not apart(given, row, other.row(), me), (position, other, me)
                compared[twin.phase, "acts" if twin.to_act == me else "waits"] += 1
    return compared


def phases_of(rules: Rules) -> set[str]:
    return {"exchange", "point", "sequence", "set", "play", "over"} | ({"auction"} if rules.auction else set())


@pytest.mark.parametrize("name", NAMES)
def test_hidden_cards_leave_no_trace(name):
    rules, rng = RULESETS[name], random.Random(f"hidden {name}")
    compared, with_any = Counter(), 0
    found = all_positions(rules, rng, deals=30, each=6)
    for position in found:
        counts = compare_redistributions(position, rng)
        compared += counts
        with_any += bool(counts)
    few = 20 if rules.open_hands else 150  # with open hands only the talon is hidden
    assert sum(compared.values()) > 3 * few
    assert with_any > (0.5 if rules.open_hands else 0.9) * len(found)
    assert {phase for phase, _ in compared} >= phases_of(rules)
    assert sum(n for (_, how), n in compared.items() if how == "acts") > few


def test_hidden_cards_leave_no_trace_under_any_rules():
    rng, compared = random.Random("hidden odd"), Counter()
    for _ in range(70):
        rules = helpers.build_rules(rng.randint)
        for position in all_positions(rules, rng, deals=2, each=4):
            compared += compare_redistributions(position, rng)
    assert sum(compared.values()) > 2000
    assert {phase for phase, _ in compared} >= phases_of(Rules())


@pytest.mark.parametrize("name", ["rubicon", "cavendish", "cent"])
def test_a_carte_blanche_that_is_not_shown_leaves_no_trace(name):
    """Positions with and without such a hand, elder's or younger's, look the same to the other player."""
    rules, rng, without = RULESETS[name], random.Random(f"blanche {name}"), 0
    for _ in range(40):
        blank = rng.sample([card for card in range(32) if card & 7 not in (4, 5, 6)], 12)
        rest = [card for card in range(32) if card not in blank]
        rng.shuffle(rest)
        holder = rng.randrange(2)
        hands = blank + rest[:12] if holder == 0 else rest[:12] + blank
        start = helpers.set_up(rules, rng.randrange(2), hands + rest[12:])
        for position in positions.positions(rules, start, rng, 5):
            if position.actions and position.actions[0] == (holder, "none"):
                without += _compare_with_others(position, 1 - holder, rng)
    assert without > 25


def _compare_with_others(position, me, rng) -> int:
    """How many positions without a carte blanche looked the same."""
    twin, row, without = position.played(), position.row(), 0
    key, given = knowledge_key(position, twin, me), given_to(row, me)
    for _ in range(6):
        other = positions.redistribute(position, twin, me, rng)
        if other is not None and knowledge_key(other, other.played(), me) == key:
            assert not apart(given, row, other.row(), me), (position, other, me)
            without += all(text != "none" for _, text in other.actions[:1])
    return without


def record_of(position) -> dict:
    size, cards = position.rules.hand_size, position.cards
    names = [hand_text(helpers.mask_of(cards[n * size : (n + 1) * size])) for n in (0, 1)]
    return {
        "format": "piquet-deal/1",
        "rules": position.rules.spec(),
        "dealer": f"player_{position.start[at.DEALER]}",
        "hands": {"player_0": names[0], "player_1": names[1]},
        "talon": " ".join(cards[2 * size :]),
        "actions": [f"{player} {text}" for player, text in position.actions],
    }


def given_by_environment(env, position, me) -> dict:
    """All that the environment gives to an agent, after the position is set up in it from a record."""
    agent = f"player_{me}"
    env.reset(seed=1, options={"record": record_of(position)})
    base = env.unwrapped
    given = {
        "observation": env.observe(agent)["observation"].tobytes(),
        "phase": env.infos[agent]["phase"],
        "deal": env.infos[agent].get("deal"),
        "rewards": env.rewards[agent],
        "view": base.view(agent),
        "spaces": (env.observation_space(agent), env.action_space(agent)),
    }
    if env.agent_selection == agent:
        given["mask"] = env.infos[agent]["action_mask"].tobytes() + env.observe(agent)["action_mask"].tobytes()
        given["rendered"] = env.render()
    return given


@pytest.mark.parametrize("name", NAMES)
def test_the_environment_gives_nothing_away(name):
    rules, rng, compared = RULESETS[name], random.Random(f"environment {name}"), 0
    env = auction_piquet_v0.env(rules=rules, render_mode="ansi")
    for start in positions.starts(rules, False, rng, 40):
        for position in positions.positions(rules, start, rng, 3):
            twin = position.played()
            me = twin.to_act if twin.to_act is not None else rng.randrange(2)
            other = positions.redistribute(position, twin, me, rng)
            if twin.thrown_in or other is None:
                continue
            if knowledge_key(other, other.played(), me) == knowledge_key(position, twin, me):
                first, second = (given_by_environment(env, one, me) for one in (position, other))
                assert all(first[key] == second[key] for key in first.keys() & second.keys()), (position, other, me)
                compared += 1
    assert compared > (15 if rules.open_hands else 50)


def test_the_waiting_player_sees_nothing_of_the_other_discarding():
    """Nor of a question for carte blanche that is answered with none."""
    rng, steps = random.Random("waiting"), Counter()
    for name in NAMES:
        rules = RULESETS[name]
        for _ in range(60):
            row = helpers.set_up(rules, rng.randrange(2), helpers.lumpy_pack(rules, rng))
            steps += _watch(row, rng)
    assert steps["discard"] > 500
    assert steps["carte blanche"] > 5


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
            assert knowledge.observation(row, me)[_bits("unseen")].sum() == 20
            assert (helpers.hidden(row, me)[[at.HANDS + 1 - me, at.DEALT + 1 - me]] == -1).all()


def _bits(name) -> slice:
    return next(slice(start, stop) for n, start, stop, _ in knowledge.fields() if n == name)


# ------------------------------------------------------------------ what he knows


def compare_variations(position, rng, tries=4) -> Counter:
    """(same or different to him) of positions that differ a little: the vector differs just when his knowledge does."""
    twin, row = position.played(), position.row()
    given = [given_to(row, me) for me in (0, 1)]
    compared = Counter()
    for _ in range(tries):
        other = positions.vary(position, rng)
        if other == position:
            continue
        other_twin, other_row = other.played(), other.row()
        for me in (0, 1):
            same = knowledge_key(position, twin, me) == knowledge_key(other, other_twin, me)
            different = apart(given[me], row, other_row, me)
            if same:
                assert not different, (position, other, me)
            else:
                assert {"observation", "hidden row", "view"} <= set(different), (position, other, me)
            compared[twin.phase, same] += 1
    return compared


@pytest.mark.parametrize("name", NAMES)
def test_what_he_knows_shows(name):
    rules, rng = RULESETS[name], random.Random(f"known {name}")
    compared = Counter()
    for position in all_positions(rules, rng, deals=36, each=6):
        compared += compare_variations(position, rng)
    for phase in phases_of(rules):
        assert compared[phase, False] >= 5
        assert compared[phase, True] >= 2  # a card or a choice that he does not know of


def test_what_he_knows_shows_under_any_rules():
    rng, compared = random.Random("known odd"), Counter()
    for _ in range(70):
        rules = helpers.build_rules(rng.randint)
        for position in all_positions(rules, rng, deals=2, each=4):
            compared += compare_variations(position, rng)
    assert sum(compared.values()) > 2000


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


@pytest.mark.parametrize(("name", "edge"), [("auction", 150), ("rubicon", 100), ("cent", 50)])
def test_the_edges_of_the_totals(name, edge):
    """One point makes the difference exactly at the rubicon; in cent where the payment doubles."""
    row = helpers.new_row(RULESETS[name], partie=True, seed=12)
    for player in (0, 1):
        vectors = {}
        for total in (edge - 2, edge - 1, edge, edge + 1):
            row[at.TOTALS : at.TOTALS + 2] = 2000  # the lead of the other is far beyond the last edge
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
                assert not apart(given_to(row, me), row, other, me)
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
    assert count > 2000
