"""`SingleAgentVectorEnv` as Stable-Baselines3 and sb3-contrib take environments: a `VecEnv`, masks included.

    from sb3_contrib import MaskablePPO
    from piquet_env.envs.sb3 import SB3VecEnv

    model = MaskablePPO("MlpPolicy", SB3VecEnv(64, opponent="greedy"))
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from piquet_env.envs.single_agent_vector import SingleAgentVectorEnv
from piquet_env.records import deal_result

try:
    from stable_baselines3.common.vec_env import VecEnv
except ModuleNotFoundError as error:
    needs = "piquet_env.envs.sb3 needs stable_baselines3, which is not installed: pip install 'piquet-env[examples]'"
    raise ModuleNotFoundError(needs, name=error.name) from error

Indices = int | Sequence[int] | NDArray[np.integer] | None


class SB3VecEnv(VecEnv):
    """N games of a learner against a bot for Stable-Baselines3.

    Args:
        num_envs: how many games.
        options: what `SingleAgentVectorEnv` takes: opponent, rules, episode, reward, seat, illegal_action, skip_forced.

    `env_method("action_masks")` gives the masks to sb3-contrib. Where `dones` is true, `infos[i]` is that of the episode
    that ended, with `terminal_observation`, and `reset_infos[i]` that of the one that began; a deal that was completed
    is in `infos[i]["deal"]`. The games are one batch, so what can be set is set for all of them at once.

    Raises:
        ValueError: what `SingleAgentVectorEnv` raises.
    """

    def __init__(self, num_envs: int, **options: Any):
        self.env = SingleAgentVectorEnv(num_envs, **options)
        self._actions: NDArray[Any] | None = None
        super().__init__(self.env.num_envs, self.env.single_observation_space, self.env.single_action_space)

    def reset(self) -> NDArray[np.int8]:
        """Begin new episodes everywhere: int8 (N, D). Uses up what `seed` and `set_options` have set.

        Raises:
            ValueError: options that differ between the games; what `SingleAgentVectorEnv.reset` raises.
        """
        options = self._options[0]
        if any(other != options for other in self._options):
            raise ValueError("options: expected the same for every game")
        seeds = None if all(seed is None for seed in self._seeds) else self._seeds
        observation, info = self.env.reset(seed=seeds, options=options)
        self.reset_infos = [_entry(info, i) for i in range(self.num_envs)]
        self._reset_seeds()
        self._reset_options()
        return observation

    def step_async(self, actions: NDArray[np.int64]) -> None:
        """Keep the actions, integers (N,), for `step_wait`."""
        self._actions = actions

    def step_wait(self) -> tuple[NDArray[np.int8], NDArray[np.float32], NDArray[np.bool_], list[dict[str, Any]]]:
        """Play: observations int8 (N, D), rewards float32 (N,), dones bool (N,), infos. Raises what `step` raises."""
        actions, self._actions = self._actions, None
        observation, reward, terminated, truncated, info = self.env.step(actions)  # type: ignore[arg-type]
        dones = terminated | truncated
        infos = [_entry(info, i) for i in range(self.num_envs)]
        for i in np.flatnonzero(dones).tolist():
            self.reset_infos[i] = infos[i]
            infos[i] = _entry(info["final_info"], i) | {"terminal_observation": info["final_obs"][i]}
        for i, cut_off in enumerate((truncated & ~terminated).tolist()):
            infos[i]["TimeLimit.truncated"] = cut_off
        _tell_deals(info, infos)
        return observation, reward.astype(np.float32), dones, infos

    def close(self) -> None:
        """Close the games."""
        self.env.close()

    def get_attr(self, attr_name: str, indices: Indices = None) -> list[Any]:
        """An attribute of the games, the same for each. Raises AttributeError: there is none."""
        value = getattr(self.env, attr_name)
        return [value for _ in self._get_indices(indices)]  # type: ignore[arg-type]

    def set_attr(self, attr_name: str, value: Any, indices: Indices = None) -> None:
        """Set an attribute of all games at once. Raises ValueError: it is to be set for some only."""
        if sorted(self._get_indices(indices)) != list(range(self.num_envs)):  # type: ignore[arg-type]
            raise ValueError("indices: the games are one batch; an attribute can be set for all of them only")
        setattr(self.env, attr_name, value)

    def env_method(self, method_name: str, *method_args: Any, indices: Indices = None, **method_kwargs: Any) -> list[Any]:
        """`action_masks` (bool (80,) of each game) or `render`. Raises AttributeError for any other."""
        if method_name not in ("action_masks", "render"):
            raise AttributeError(f"env_method: expected action_masks or render, got {method_name!r}")
        of_all = getattr(self.env, method_name)(*method_args, **method_kwargs)
        return [of_all[i] for i in self._get_indices(indices)]  # type: ignore[arg-type]

    def env_is_wrapped(self, wrapper_class: Any, indices: Indices = None) -> list[bool]:
        """They are not."""
        return [False for _ in self._get_indices(indices)]  # type: ignore[arg-type]

    def get_images(self) -> list[Any]:
        """What `render` gives of each game."""
        return list(self.env.render())


def _entry(info: dict[str, Any], i: int) -> dict[str, Any]:
    """The info of one game: what is valid there, but for what is told otherwise."""
    left_out = ("final_obs", "final_info", "finished")
    names = [name for name in info if not name.startswith("_") and name not in left_out]
    return {name: info[name][i] for name in names if info[f"_{name}"][i]}


def _tell_deals(info: dict[str, Any], infos: list[dict[str, Any]]) -> None:
    for i in np.flatnonzero(info.get("_finished", ())).tolist():
        if (result := deal_result(info["finished"][i])) is not None:
            infos[i]["deal"] = result
