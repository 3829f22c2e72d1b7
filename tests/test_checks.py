"""Arrays that are handed to compiled code: wrong ones are refused, and nothing beside them is written."""

import helpers
import numpy as np
import pytest
from numba.core.errors import TypingError

from piquet_env import SelfPlayVectorEnv, knowledge
from piquet_env.bots import load_bot
from piquet_env.bots.base import Views, views_of
from piquet_env.engine import game
from piquet_env.engine import layout as at
from piquet_env.envs.auctions import restart_rows
from piquet_env.rules import RULESETS

D, S, C = knowledge.OBSERVATION_SIZE, knowledge.STATE_SIZE, at.COLUMNS


def row() -> np.ndarray:
    return helpers.new_row(RULESETS["auction"], seed=1)


WRONG_ROWS = [np.zeros(C - 1, np.int64), np.zeros(C), np.zeros((1, C), np.int64), [0] * C, None]


@pytest.mark.parametrize("wrong", WRONG_ROWS)
@pytest.mark.parametrize("function", [knowledge.observation, knowledge.state, knowledge.action_mask, knowledge.hide])
def test_what_is_no_row(function, wrong):
    with pytest.raises(ValueError, match=rf"row: expected an array int64 \({C},\), got"):
        function(wrong, 0)


@pytest.mark.parametrize("player", [-1, 2, 10**12, None])
@pytest.mark.parametrize("function", [knowledge.observation, knowledge.state, knowledge.action_mask, knowledge.hide])
def test_who_is_no_player(function, player):
    with pytest.raises(ValueError, match="player: expected 0 or 1"):
        function(row(), player)


def test_arrays_of_a_batch_that_do_not_fit():
    rows = np.stack([row()] * 3)
    good = {
        "rows": rows,
        "observation": np.zeros((3, D), np.int8),
        "mask": np.zeros((3, 80), np.int8),
        "player": np.zeros(3, np.int64),
    }
    wrong = {
        "rows": [rows[:, :-1], rows.astype(np.int32)],
        "observation": [
            np.zeros((3, D - 1), np.int8),
            np.zeros((3, D), np.uint8),
            np.zeros((3, D)),
            np.zeros((2, D), np.int8),
        ],
        "mask": [np.zeros((3, 2 * 80), np.int8)[:, ::2], np.asfortranarray(good["mask"])],
        "player": [np.zeros(3, np.int32), np.zeros(4, np.int64)],
    }
    for name, arrays in wrong.items():
        for array in arrays:
            with pytest.raises(ValueError, match=f"{name}: expected"):
                knowledge.observe_rows(**good | {name: array})
    for players in (np.array([0, 1, 2]), np.zeros(2, np.int64), [0, 0, 0]):
        with pytest.raises(ValueError, match="players: expected"):
            knowledge.state_rows(rows, players, np.zeros((3, S), np.int8))
        with pytest.raises(ValueError, match="players: expected"):
            knowledge.hide_rows(rows.copy(), players)
    with pytest.raises(ValueError, match="states: expected"):
        knowledge.state_rows(rows, np.zeros(3, np.int64), np.zeros((3, D), np.int8))


def test_what_is_not_to_be_written_to_is_not():
    """The rows of an environment, and bytes: compiled code refuses to write to them, and reads them."""
    env = SelfPlayVectorEnv(2, seed=0)
    env.reset()
    before = env.rows.copy()
    fixed = np.frombuffer(before[0].tobytes(), np.int64)
    writers = (
        lambda: game.apply_action(env.rows[0], 34),
        lambda: game.apply_action(fixed, 34),
        lambda: game.restart(env.rows[0]),
        lambda: restart_rows(env.rows, None),
        lambda: knowledge.hide_rows(env.rows, np.zeros(2, np.int64)),
    )
    for write in writers:
        with pytest.raises((TypingError, ValueError)):
            write()
    assert (env.rows == before).all()
    assert (knowledge.observation(env.rows[0], 0) == knowledge.observation(before[0], 0)).all()
    assert game.legal_actions(fixed) == game.legal_actions(before[0])


def test_rows_in_any_order_of_memory():
    """A bot may hand on a part of its views."""
    env = SelfPlayVectorEnv(64, seed=3)
    _, info = env.reset()
    for _ in range(9):
        _, _, _, _, info = env.step(info["action_mask"].argmax(1))
    views, bot, rng = views_of(env.rows), load_bot("greedy"), np.random.default_rng(0)
    chosen = bot.act(views, rng)
    half = Views(views.observation[::2], views.mask[::2], views.rows[::2])
    assert (bot.act(half, rng) == chosen[::2]).all()
    turned = Views(views.observation, views.mask, np.asfortranarray(views.rows))
    assert (bot.act(turned, rng) == chosen).all()


def test_nothing_beside_the_arrays_is_written():
    """Each array lies in the middle of a larger one."""

    def within(shape, dtype):
        room = np.full(int(np.prod(shape)) + 256, 77, dtype)
        return room, room[128:-128].reshape(shape)

    env = SelfPlayVectorEnv(5, "rubicon", seed=4)
    env.reset()
    rooms = [within(*form) for form in (((5, D), np.int8), ((5, 80), np.int8), ((5, S), np.int8), ((5, C), np.int64))]
    observation, mask, states, rows = (inner for _, inner in rooms)
    rows[:] = env.rows
    knowledge.observe_rows(rows, observation, mask, np.zeros(5, np.int64))
    knowledge.state_rows(rows, rows[:, at.ACTOR], states)
    knowledge.hide_rows(rows, rows[:, at.ACTOR].copy())
    env.step(mask.argmax(1), into=(observation, mask))
    for room, _ in rooms:
        assert (room[:128] == 77).all()
        assert (room[-128:] == 77).all()
