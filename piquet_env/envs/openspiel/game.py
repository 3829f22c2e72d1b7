"""The game and its states, as OpenSpiel asks for them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, unquote

import numpy as np
import pyspiel

from piquet_env.belief import sample_hidden
from piquet_env.engine import layout as at
from piquet_env.engine.actions import ACTIONS, PASS
from piquet_env.engine.batch import REWARD_SCORE, reward_of
from piquet_env.envs.limits import most_decisions, most_points
from piquet_env.envs.openspiel.observer import Observer
from piquet_env.envs.openspiel.position import (
    Places,
    Position,
    Setting,
    in_own_order,
    own_discards,
    places_of,
    reshuffled,
)
from piquet_env.notation import action_text, read_rules
from piquet_env.options import AGENTS, check_choice
from piquet_env.records import deal_record, history
from piquet_env.rules import Rules

NAME = "python_auction_piquet"
_SEATS = {AGENTS[0]: 0, AGENTS[1]: 1, "random": None}
MOST_TRIES = 100_000
"""Games drawn for one that fits, where it is not the player's turn."""
_AT_ONCE = 64
_KEPT_IN_NAMES = '{}:" '  # a comma would end the parameter in the game's own string

_PARAMETERS = {"rules": "auction", "dealer": "random", "skip_forced": True}
_GAME_TYPE = pyspiel.GameType(
    short_name=NAME,
    long_name="Auction Piquet",
    dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
    chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
    information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
    utility=pyspiel.GameType.Utility.ZERO_SUM,
    reward_model=pyspiel.GameType.RewardModel.TERMINAL,
    max_num_players=2,
    min_num_players=2,
    provides_information_state_string=True,
    provides_information_state_tensor=True,
    provides_observation_string=True,
    provides_observation_tensor=True,
    parameter_specification=_PARAMETERS,
)


class AuctionPiquetGame(pyspiel.Game):
    """What `pyspiel.load_game("python_auction_piquet", parameters)` makes. Raises ValueError: bad parameters."""

    def __init__(self, params: Mapping[str, Any] | None = None):
        given = _PARAMETERS | dict(params or {})
        check_choice("dealer", given["dealer"], tuple(_SEATS))
        rules = read_rules(unquote(given["rules"]))
        self.setting = Setting(rules, _SEATS[given["dealer"]], bool(given["skip_forced"]))
        self.start = Position.start(self.setting)
        super().__init__(_GAME_TYPE, _game_info(self.setting), given | {"rules": _rules_text(rules)})

    def new_initial_state(self) -> AuctionPiquetState:
        """Before anything is dealt."""
        return AuctionPiquetState(self)

    def max_chance_nodes_in_history(self) -> int:
        """Cards, dealt as often as there may be deals, and the first dealer."""
        return 1 + len(self.setting.pack) * self.setting.rules.max_thrown_in

    def make_py_observer(self, iig_obs_type: Any = None, params: Mapping[str, Any] | None = None) -> Observer:
        """Of what one player knows. Raises ValueError: what else is asked for."""
        return Observer(iig_obs_type, params)

    def state_of(self, row: np.ndarray, thrown_in: tuple[Places, ...] = ()) -> AuctionPiquetState:
        """The state in which the deal stands as in a game's row, whose cards are known: int64 (columns,).

        `thrown_in` are the deals before it. Raises ValueError: it cannot come about in this game.
        """
        if row[at.PLAYOUT] > 0 and row[at.PHASE] >= at.DEAL_OVER and not row[at.IS_THROWN_IN]:
            raise ValueError("row: its deal was over with the auction; in this game it goes on")
        taken = [action for _, action in history(row)]
        return self._played(int(row[at.DEALER]), (*thrown_in, places_of(row)), taken)

    def _played(self, dealer: int, deals: tuple[Places, ...], taken: list[int]) -> AuctionPiquetState:
        """All deals but the last are thrown in; in that one these actions are taken."""
        state = self.new_initial_state()
        if state.position.dealer is None:
            state.apply_action(dealer)
        for places in deals[:-1]:
            _deal(state, places)
            _take(state, [PASS, PASS])
        _deal(state, deals[-1])
        _take(state, taken)
        return state


class AuctionPiquetState(pyspiel.State):
    """A state; `position` is all that it has beside OpenSpiel's history."""

    def __init__(self, game: AuctionPiquetGame):
        super().__init__(game)
        self.position = game.start

    def current_player(self) -> int:
        """0, 1, or a pseudo-player of OpenSpiel."""
        return self.position.player

    def _legal_actions(self, player: int) -> list[int]:
        return self.position.legal()

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Places of the next card, or dealers, with their probabilities."""
        return self.position.outcomes()

    def _apply_action(self, action: int) -> None:
        self.position = self.position.after(action)

    def _action_to_string(self, player: int, action: int) -> str:
        if player == pyspiel.PlayerId.CHANCE:
            return self.position.chance_text(action)
        return action_text(action, self.position.setting.rules, int(self.position.row[at.PHASE]))

    def is_terminal(self) -> bool:
        """Whether the deal is over."""
        return self.position.player == pyspiel.PlayerId.TERMINAL

    def returns(self) -> list[float]:
        """Own score less the other's, when the deal is over."""
        gained = float(reward_of(self.position.row, REWARD_SCORE)) if self.is_terminal() else 0.0
        return [gained, 0.0 - gained]  # never -0.0

    def __str__(self) -> str:
        """All cards and actions, as in a record."""
        position, thrown_in = self.position, f"thrown in {len(self.position.thrown_in)}, "
        if position.places is not None:
            return f"{thrown_in}dealer {position.dealer}, dealt {position.places}"
        record = deal_record(position.row)
        return thrown_in + ", ".join(f"{name} {record[name]}" for name in ("dealer", "hands", "talon", "actions"))

    def resample_from_infostate(self, player: int, sampler: Any) -> AuctionPiquetState:
        """A state that `player` cannot tell from this one; all that he does not know is drawn anew.

        `piquet_env.belief` draws the cards, all alike, whatever a player would do with them.

        Args:
            player: 0 or 1.
            sampler: called without arguments, gives a number in [0, 1).

        Raises:
            ValueError: nobody is to act.
        """
        if self.position.places is not None or self.is_terminal():
            raise ValueError("resample_from_infostate: expected a state in which a player is to act")
        rng = np.random.default_rng(int(sampler() * 2**53))
        for _ in range(MOST_TRIES // _AT_ONCE):
            n = 1 if player == self.position.player else _AT_ONCE
            for row in sample_hidden(self.position.row, player, n, int(rng.integers(2**63))):
                state = self._with_cards(row, player, rng)
                if state.position.player == self.position.player and _knows(state, player) == _knows(self, player):
                    return state
        raise ValueError(f"resample_from_infostate: none of {MOST_TRIES} games drawn has a choice at this point")

    def _with_cards(self, row: np.ndarray, player: int, rng: np.random.Generator) -> AuctionPiquetState:
        """The deal of a sampled row; the player discards in his own order, and keeps his hands of deals thrown in."""
        position = self.position
        earlier = [reshuffled(places, player, rng) for places in position.thrown_in]
        taken = in_own_order(history(row), player, own_discards(position.row, player))
        return self.get_game()._played(int(row[at.DEALER]), (*earlier, places_of(row)), taken)


def _knows(state: AuctionPiquetState, player: int) -> str:
    return state.position.knows(player, perfect_recall=True)


def _deal(state: AuctionPiquetState, places: Places) -> None:
    """Chance deals so."""
    while state.position.places is not None and len(state.position.places) < len(places):
        state.apply_action(places[len(state.position.places)])


def _take(state: AuctionPiquetState, taken: list[int]) -> None:
    """The actions of a deal, of which those that are forced may be skipped."""
    while state.position.player >= 0 and state.position.row[at.ACTED] < len(taken):
        state.apply_action(taken[int(state.position.row[at.ACTED])])


def _game_info(setting: Setting) -> pyspiel.GameInfo:
    points = float(most_points(setting.rules))
    return pyspiel.GameInfo(
        num_distinct_actions=ACTIONS,
        max_chance_outcomes=len(setting.room),
        num_players=len(AGENTS),
        min_utility=-points,
        max_utility=points,
        utility_sum=0.0,
        max_game_length=most_decisions(setting.rules, setting.skip_forced),
    )


def _rules_text(rules: Rules) -> str:
    """The rules as a parameter that stands in the game's own string, and is read from there."""
    spec = rules.spec()
    return spec if isinstance(spec, str) else quote(json.dumps(spec), safe=_KEPT_IN_NAMES)


pyspiel.register_game(_GAME_TYPE, AuctionPiquetGame)
