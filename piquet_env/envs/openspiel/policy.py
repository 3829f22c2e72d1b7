"""Bots as policies of OpenSpiel, and policies of OpenSpiel as bots."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from open_spiel.python.policy import Policy

from piquet_env.belief import sample_hidden
from piquet_env.bots.base import Bot, BotError, Views, ask, views_of
from piquet_env.bots.policy import draw, probabilities_of
from piquet_env.engine import layout as at
from piquet_env.engine.actions import ACTIONS
from piquet_env.envs.openspiel.game import AuctionPiquetGame, AuctionPiquetState
from piquet_env.envs.openspiel.position import places_of
from piquet_env.notation import rules_of

MOST_KEPT = 2**20
"""Answers of a bot that a policy remembers."""


class BotPolicy(Policy):
    """What a bot does, for both players.

    Args:
        game: `python_auction_piquet`; states of games that OpenSpiel makes of it, as `cached_tree`, will do too.
        bot: has `probabilities(views)`, or is `deterministic` (`piquet_env.bots.Bot`).
        name: what the bot is called in errors.
    """

    def __init__(self, game: AuctionPiquetGame, bot: Bot, name: str = "bot"):
        super().__init__(game, list(range(game.num_players())))
        self._bot, self._name = bot, name
        self._answers: dict[str, dict[int, float]] = {}

    def action_probabilities(self, state: Any, player_id: int | None = None) -> dict[int, float]:
        """Of the legal actions of the player to act. Raises BotError: the bot has no policy, or raised an error."""
        known = state.information_state_string(state.current_player())
        if known not in self._answers:
            if len(self._answers) == MOST_KEPT:
                self._answers.clear()
            self._answers[known] = self._ask(state)
        return self._answers[known]

    def _ask(self, state: Any) -> dict[int, float]:
        own = state if isinstance(state, AuctionPiquetState) else self._played_again(state.history())
        given = probabilities_of(self._name, self._bot, views_of(own.position.row[None]))[0]
        return {action: float(given[action]) for action in state.legal_actions()}

    def _played_again(self, actions: list[int]) -> AuctionPiquetState:
        state = self.game.new_initial_state()
        for action in actions:
            state.apply_action(action)
        return state


class SpielBot:
    """A bot that plays a policy of OpenSpiel, in episodes of one deal.

    Args:
        game: `python_auction_piquet`, with the rules that the bot is for; `dealer` "random", unless the bot is only to
            play where one seat deals.
        policy: its `action_probabilities(state)` depends on the information state of the player to act alone. Where he
            has discarded several cards, or deals were thrown in, in which order and with which hands no bot is told:
            the policy is asked about one that may be.
    """

    def __init__(self, game: AuctionPiquetGame, policy: Any):
        self._game, self._policy = game, policy

    def act(self, views: Views, rng: np.random.Generator) -> NDArray[np.int64]:
        """The action of each game: int64 (B,)."""
        return draw(self.probabilities(views), rng)

    def probabilities(self, views: Views) -> NDArray[np.float64]:
        """The policy: float64 (B, 80). Raises BotError: it is for another game, or has nothing for a state."""
        made = np.zeros((len(views.rows), ACTIONS))
        for i, row in enumerate(views.rows):
            if views.mask[i].sum() == 1:
                made[i] = views.mask[i]
                continue
            for action, probability in self._asked(row).items():
                made[i, action] = probability
        return made

    def _asked(self, row: NDArray[np.int64]) -> dict[int, float]:
        """What the policy gives where a player knows this row."""
        self._check(row)
        whole = sample_hidden(row, int(row[at.ACTOR]), 1, 0)[0]
        state = self._game.state_of(whole, (places_of(whole),) * int(row[at.THROWN_IN]))
        given = ask("OpenSpiel", "action_probabilities", self._policy.action_probabilities, state)
        if not given:
            raise BotError(f"the policy has nothing for the state {state.information_state_string()!r}")
        return dict(given)

    def _check(self, row: NDArray[np.int64]) -> None:
        setting = self._game.setting
        if rules_of(row) != setting.rules or row[at.PARTIE]:
            raise BotError(f"the policy is for single deals of the rules {setting.rules.spec()!r}")
        if setting.dealer not in (None, row[at.DEALER]):
            raise BotError(f"the policy is for a game in which player_{setting.dealer} deals")
