"""What PettingZoo users import: `env` and `raw_env`.

    from piquet_env import auction_piquet_v0

    env = auction_piquet_v0.env(rules="auction", episode="deal")
    env.reset(seed=0)
    for agent in env.agent_iter():
        observation, reward, termination, truncation, info = env.last()
        action = None if termination or truncation else env.action_space(agent).sample(observation["action_mask"])
        env.step(action)

Both are the same class: what PettingZoo's three usual wrappers check, it checks itself, at a small part of their cost.
"""

from piquet_env.envs.aec import AuctionPiquetEnv

__all__ = ["env", "raw_env"]

env = AuctionPiquetEnv
raw_env = AuctionPiquetEnv
