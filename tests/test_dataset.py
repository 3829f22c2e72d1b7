"""Files of decisions: every row is what the engine and the rules say that it must be."""

import helpers
import naive
import numpy as np
import pytest
from dataset_bots import Passing, Wrong
from dataset_files import columns_of, table_of, written

from piquet_env import SelfPlayVectorEnv, dataset, knowledge
from piquet_env.arena.match import deal_seed
from piquet_env.bots import BotError, load_bot
from piquet_env.bots.base import views_of
from piquet_env.dataset import Decisions
from piquet_env.dataset.players import Player
from piquet_env.engine import game
from piquet_env.engine import layout as at
from piquet_env.knowledge import OBSERVATION_SIZE, STATE_SIZE
from piquet_env.records import deal_record
from piquet_env.rules import RULESETS, Rules

# ------------------------------------------------------------------ what the rows say


class Replay:
    """A game played again from nothing but its number, with the actions of the file."""

    def __init__(self, rules, partie, seed, number, rows):
        self.row = helpers.new_row(rules, partie, seed, number)
        self.rules, self.number, self.rows = rules, number, rows
        self.records: list = []
        self.decisions: list = []  # (row of the file, number of the deal, player)

    def play(self):
        while self.row[at.PHASE] != at.GAME_OVER:
            legal = helpers.legal(self.row)
            if not legal:
                self.records.append(deal_record(self.row))
                game.next_deal(self.row)
            elif len(legal) == 1:
                assert game.apply_action(self.row, legal[0])
            else:
                assert game.apply_action(self.row, self.decide(legal))
        assert next(self.rows, None) is None
        return self

    def decide(self, legal):
        """Compare the next row of the file with the game; what was done there."""
        found, row = next(self.rows), self.row
        player = int(row[at.ACTOR])
        place = (self.number, len(self.records), len(helpers.history(row)), player, player ^ self.number % 2)
        assert (found["game"], found["deal"], found["step"], found["player"], found["bot"]) == place
        assert found["phase"] == row[at.PHASE]
        known = knowledge.observation(helpers.hidden(row, player), player)  # made from what the player knows
        assert (dataset.spread(found["observation"], OBSERVATION_SIZE) == known).all()
        assert np.flatnonzero(dataset.spread(found["mask"], 80)).tolist() == legal
        assert found["action"] in legal
        assert set(np.flatnonzero(found["policy"])) <= set(legal)
        assert found["policy"][found["action"]] > 0
        assert found["policy"].sum() == pytest.approx(1, abs=1e-6)
        if "state" in found:
            assert (dataset.spread(found["state"], STATE_SIZE) == knowledge.state(row, player)).all()
        self.decisions.append((found, len(self.records), player))
        return int(found["action"])

    def check_returns(self):
        """Against the scores that the slow twin of the rules gives the same actions."""
        twin = naive.play_partie(naive.make_rules(self.rules.spec()), self.records)
        sheets = [naive.result(one) for one in twin["games"]]
        points = [[0, 0] if s is None else [s["score"][p]["total"] for p in naive.PLAYERS] for s in sheets]
        difference = [mine - theirs for mine, theirs in points]
        for found, deal, player in self.decisions:
            sign = 1 - 2 * player
            assert found["deal_return"] == sign * difference[deal]
            assert found["return_"] == sign * sum(difference[deal:])
            assert found["payment"] == ((twin["payment"] or [0, 0])[player] if self.row[at.PARTIE] else 0)
        return any(sheet is None for sheet in sheets)


def check_file(path, rules, partie, games, seed) -> int:
    """Play all games of a file again; in how many a deal was thrown in."""
    found = columns_of(path)
    rows = iter([{name: column[i] for name, column in found.items()} for i in range(len(found["game"]))])
    by_game: dict = {number: [] for number in range(games)}
    for row in rows:
        by_game[int(row["game"])].append(row)
    replays = [Replay(rules, partie, seed, number, iter(by_game[number])).play() for number in range(games)]
    assert sum(len(replay.decisions) for replay in replays) == len(found["game"])
    return sum(replay.check_returns() for replay in replays)


@pytest.mark.parametrize("name", RULESETS)
def test_every_row_is_what_the_rules_say(name, tmp_path):
    path = written(tmp_path / "a", ("passing", "passing"), name, games=12, state=True)
    thrown_in = check_file(path, RULESETS[name], False, 12, seed=3)
    assert (thrown_in > 0) == RULESETS[name].auction


@pytest.mark.parametrize("name", ["auction", "cavendish", "cent", "mini"])
def test_and_of_parties(name, tmp_path):
    path = written(tmp_path / "a", ("passing", "greedy"), name, "partie", games=4, block=3)
    check_file(path, RULESETS[name], True, 4, seed=3)


def test_a_game_that_is_cut_off_brings_no_more_points(tmp_path):
    rules = {"base": "auction", "max_thrown_in": 2}
    path = written(tmp_path / "a", ("passing", "passing"), rules, "partie", games=6)
    check_file(path, Rules.make(rules), True, 6, seed=3)
    found = columns_of(path)
    assert len(set(found["game"])) == 6
    assert (found["deal"] < 12).all()


def test_what_a_bot_does_with_its_view_changes_nothing(tmp_path):
    check_file(written(tmp_path / "a", ("meddling", "meddling")), RULESETS["auction"], False, 30, seed=3)


def test_cards_that_a_player_cannot_know_are_not_in_the_file_unless_asked_for(tmp_path):
    names = table_of(written(tmp_path / "a")).column_names
    assert "state" not in names
    assert table_of(written(tmp_path / "b", state=True)).column_names == [*names, "state"]
    # That each observation is made from the hidden row is part of `Replay.decide`.
    assert dataset.schema().names == names


def test_policies_are_the_bots_own_or_the_action_taken(tmp_path):
    path = written(tmp_path / "a", ("passing", "meddling"))
    found = columns_of(path)
    certain = (found["policy"].max(axis=1) == 1) & (found["policy"].argmax(axis=1) == found["action"])
    assert certain[found["bot"] == 1].all()
    assert not certain[found["bot"] == 0].any()
    bots = Decisions.open(path).metadata["bots"]
    assert [(bot["name"], bot["policy"]) for bot in bots] == [("passing", "probabilities"), ("meddling", "action")]


def test_actions_are_drawn_from_the_policy_as_the_bot_itself_would():
    from training.bot import NetworkBot
    from training.network import PolicyNetwork

    rows = np.stack([helpers.new_row(RULESETS["auction"], index=n) for n in range(50)])
    views = views_of(rows)
    for bot in (NetworkBot(PolicyNetwork(16, 1), "softmax", canonical=True), Passing()):
        decided = Player("bot", bot).decide(rows, np.random.default_rng(5))
        assert (decided.action == bot.act(views, np.random.default_rng(5))).all()
        assert np.allclose(decided.policy, bot.probabilities(views), atol=1e-7)
    uniform = load_bot("random").probabilities(views)
    assert np.allclose(uniform, views.mask / views.mask.sum(axis=1, keepdims=True))


@pytest.mark.parametrize(
    ("made", "message"),
    [
        (lambda mask: mask / 2, "a sum of 1"),
        (lambda mask: np.full(mask.shape, 1 / 80), "0 for illegal"),
        (lambda mask: np.where(mask, np.nan, 0), "a sum of 1"),
        (lambda mask: np.where(mask, -1.0, 0) / mask.sum(axis=1, keepdims=True) + 2 * _first(mask), "0 or more each"),
        (lambda mask: _first(mask)[:, :70], r"expected probabilities float \(3, 80\), got float64 \(3, 70\)"),
        (lambda mask: mask, "expected probabilities float"),
        (lambda mask: [[0], [0, 1]], "making an array of what probabilities gave"),
        (lambda mask: 1 / 0, "ZeroDivisionError"),
    ],
)
def test_probabilities_that_are_none_are_refused(made, message):
    rows = np.stack([helpers.new_row(RULESETS["auction"], index=n) for n in range(3)])
    with pytest.raises(BotError, match=message):
        Player("bot", Wrong(made)).decide(rows, np.random.default_rng(0))


def _first(mask):
    return np.eye(80)[mask.argmax(axis=1)]


# ------------------------------------------------------------------ what the file depends on


def test_the_same_call_gives_the_same_rows_and_another_seed_others(tmp_path):
    first, second, other = (table_of(written(tmp_path / name, seed=s)) for name, s in (("a", 1), ("b", 1), ("c", 2)))
    assert first.equals(second)
    assert not first.equals(other)


def test_deals_do_not_depend_on_how_many_are_played_at_once(tmp_path):
    """Greedy draws no random numbers: all its rows are the same then."""
    tables = [
        table_of(written(tmp_path / "a", ("greedy", "greedy"), games=games, block=block))
        for games, block in ((20, 20), (20, 7), (50, 1000))
    ]
    first = tables[0]
    assert first.num_rows > 500
    assert all(first.equals(table.slice(0, first.num_rows)) for table in tables)


def test_deals_are_those_of_an_environment_and_never_those_of_an_evaluation(tmp_path):
    found = columns_of(written(tmp_path / "a", games=40, seed=9))
    env = SelfPlayVectorEnv(40, "auction", seed=9)
    observation, _ = env.reset()
    first = [np.flatnonzero(found["game"] == number)[0] for number in range(40)]
    assert (dataset.spread(found["observation"][first], OBSERVATION_SIZE) == observation).all()
    evaluated = [helpers.new_row(RULESETS["auction"], seed=deal_seed(9), index=n)[at.DEALT] for n in range(40)]
    assert not set(evaluated) & set(env.rows[:, at.DEALT].tolist())
