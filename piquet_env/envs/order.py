"""The order of calls in a loop over agents."""

from __future__ import annotations

from typing import Any

from pettingzoo.utils.env import AECIterable, AECIterator


class AgentIterable(AECIterable[str, Any, int]):
    """What `agent_iter` returns."""

    def __iter__(self) -> AECIterator[str, Any, int]:
        return _AgentIterator(self.env, self.max_iter)


class _AgentIterator(AECIterator[str, Any, int]):
    """As PettingZoo's OrderEnforcingWrapper has it: not to be asked twice without a step."""

    env: Any

    def __next__(self) -> str:
        env = self.env
        if not env.agents or self.iters_til_term <= 0:
            raise StopIteration
        assert env._has_moved, "need to call step() or reset() in a loop over `agent_iter`"
        env._has_moved = False
        self.iters_til_term -= 1
        return env.agent_selection
