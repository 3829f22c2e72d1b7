"""What a bot does wrong in a tournament: whose fault it was, and what it costs."""

import numpy as np
import pytest
from tournaments import JOB, plan_of, play

from piquet_env.arena.faults import ENDED, HUNG, ILLEGAL, PATIENCE, RAISED, Fault, ForgivingSide
from piquet_env.arena.match import Block, Side
from piquet_env.arena.schedule import Played
from piquet_env.arena.task import NOBODY, Death, PoolError, Task, lost_games
from piquet_env.bots import load_bot
from piquet_env.engine import layout as at
from piquet_env.rules import Rules


class NoWatch:
    def begin(self, side, games): ...
    def end(self): ...


# ------------------------------------------------------------------ faults that leave the process


class Failing:
    """Plays like greedy, but for hands of which one number is `chosen`; there it does something else."""

    def __init__(self, do, chosen=0, of=5):
        self.do, self.chosen, self.of = do, chosen, of
        self.calls = []

    def act(self, views, rng):
        self.calls.append(len(views.rows))
        actions = load_bot("greedy").act(views, rng)
        own = views.rows[np.arange(len(views.rows)), at.DEALT + views.rows[:, at.ACTOR]]
        failing = own % self.of == self.chosen
        return self.do(actions, failing) if failing.any() else actions


def raises(actions, failing):
    raise KeyError("oh")


def interrupts(actions, failing):
    raise KeyboardInterrupt


def played_by(bot, rules="auction", episode="deal", pairs=20):
    """(DEAL entries, GAME entries, faults) of `bot` as A against greedy."""
    sides = ForgivingSide(0, "Clumsy", bot, NoWatch()), ForgivingSide(1, "greedy", load_bot("greedy"), NoWatch())
    rngs = [np.random.default_rng(side) for side in range(2)]
    block = Block(Rules.make(rules), episode, 0, range(pairs), rngs, forfeit=150)
    deals, games = block.play(sides, lambda ended: None)
    assert not sides[1].faults
    return deals, games, sides[0].faults


@pytest.mark.parametrize(
    ("do", "kind", "message"),
    [
        (raises, RAISED, "KeyError: 'oh'"),
        (interrupts, RAISED, "KeyboardInterrupt"),
        (lambda actions, failing: np.where(failing, 79, actions), ILLEGAL, "action 79 is not legal"),
        (lambda actions, failing: np.where(failing, -1, actions), ILLEGAL, "is not legal"),
        (lambda actions, failing: actions[:-1], ILLEGAL, "expected integer actions of shape"),
        (lambda actions, failing: actions * 1.0, ILLEGAL, "got float64"),
    ],
)
def test_a_fault_costs_the_deal_and_no_other(do, kind, message):
    deals, games, faults = played_by(Failing(do))
    good_deals, good_games, _ = played_by(load_bot("greedy"))
    lost = deals["forfeit"] != 0
    assert 0 < lost.sum() < len(deals) / 2
    assert np.all(deals["forfeit"][lost] == -150)
    assert np.all(deals["difference"][lost] == -150)
    assert np.array_equal(deals[~lost], good_deals[~lost])
    assert np.all(games["difference"][lost] == -150)
    assert np.array_equal(games[~lost], good_games[~lost])
    assert [f.kind for f in faults] == [kind] * int(lost.sum())
    assert all(message in f.message for f in faults)


def test_a_bot_that_fails_only_for_several_games_together_pays_too():
    class Alone:
        def act(self, views, rng):
            if len(views.rows) > 1:
                raise ValueError("one at a time")
            return load_bot("greedy").act(views, rng)

    deals, _, faults = played_by(Alone(), pairs=3)
    assert len(faults) == np.count_nonzero(deals["forfeit"]) > 1  # until it is asked for one game at a time
    assert "and for none of them alone" in faults[0].message


def test_a_fault_loses_a_partie_with_the_deal():
    deals, games, _ = played_by(Failing(raises, of=40), "rubicon", "partie", 10)
    lost = deals["forfeit"] != 0
    assert lost.any()
    for game in games:
        own = deals[(deals["pair"] == game["pair"]) & (deals["half"] == game["half"])]
        assert game["deals"] == len(own)
        assert game["difference"] == own["difference"].sum()
        assert not own["forfeit"][:-1].any()
        if own["forfeit"][-1]:
            assert game["payment"] == -(100 + 150)
        else:
            assert len(own) == 6
    assert (games["deals"] > 1)[games["payment"] == -250].any()


def test_a_partie_of_piquet_au_cent_is_lost_by_two():
    _, games, faults = played_by(Failing(raises, of=20), "cent", "partie", 10)
    assert faults
    assert set(games["payment"].tolist()) <= {-2, -1, 1, 2}


# ------------------------------------------------------------------ faults that end the process


def run(task: Task, killers: dict[int, Death], whole: Death | None) -> Played:
    """Play a task with a worker that ends on the whole block as `whole` says, and in some of the games alone."""
    while not task.is_done:
        if task.places is None:
            task.worker_ended(whole) if whole else task.receive(play(task.plan, task.job))
        elif task.places[0] in killers:
            task.worker_ended(killers[task.places[0]])
        else:
            place = task.places[0]
            block = Block(task.plan.rules, "deal", 0, range(4), task.job.rngs(task.plan, place)).keep_only([place])
            sides = Side("a", load_bot("greedy")), Side("b", load_bot("random"))
            task.receive(Played(*block.play(sides, lambda ended: None), (0.0, 0.0), (1, 1), ()))
    return task.result()


EXIT = Death(1, ENDED, "ended the process with exit status 3", False)
HANG = Death(1, HUNG, "took longer than 60 s for a move", False)


def test_a_bot_that_ends_the_process_loses_the_games_in_which_it_does():
    played = run(Task(plan_of(), JOB), {2: EXIT, 5: EXIT}, EXIT)
    assert np.flatnonzero(played.deals["forfeit"]).tolist() == [2, 5]
    assert np.all(played.deals["forfeit"][[2, 5]] == 150)
    assert played.games["pair"].tolist() == [0, 0, 1, 1, 2, 2, 3, 3]
    assert played.faults == (Fault(1, ENDED, 2, EXIT.message),)


def test_a_bot_that_hangs_again_and_again_loses_the_rest_unasked():
    played = run(Task(plan_of(), JOB), dict.fromkeys(range(1, 8), HANG), HANG)
    assert np.flatnonzero(played.deals["forfeit"]).tolist() == [1, 2, 3, 4, 5, 6, 7]
    assert played.faults == (Fault(1, HUNG, PATIENCE[HUNG], HANG.message),)
    assert len(played.deals) == len(played.games) == 8


def test_one_that_fails_with_all_games_and_with_none_alone_loses_the_first():
    played = run(Task(plan_of(), JOB), {}, EXIT)
    assert np.flatnonzero(played.deals["forfeit"]).tolist() == [0]
    assert "with 8 games at once, and with none of them alone" in played.faults[0].message


def test_a_worker_that_somebody_kills_is_nobodys_fault():
    killed = Death(1, ENDED, "ended the process with signal SIGKILL", True)
    task = Task(plan_of(), JOB)
    task.worker_ended(killed)
    assert task.places is None
    assert not task.is_done
    task.receive(play(task.plan, JOB))
    assert not task.result().faults


def test_a_worker_that_ends_again_and_again_while_no_bot_is_asked_ends_the_tournament():
    task = Task(plan_of(), JOB)
    ended = Death(NOBODY, ENDED, "signal", False)
    for _ in range(3):
        task.worker_ended(ended)
    with pytest.raises(PoolError, match="4 times while no bot was asked: signal"):
        task.worker_ended(ended)


def test_games_that_both_have_lost_are_drawn():
    for sides, points in (({0}, -150), ({1}, 150), ({0, 1}, 0)):
        played = lost_games(plan_of(), JOB, sides)
        assert played.deals["difference"].tolist() == played.games["difference"].tolist() == [points] * 8
