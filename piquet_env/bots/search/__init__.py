"""Search on top of a policy: likely worlds are sampled; the policy goes on to the play, which is solved."""

from piquet_env.bots.search.bot import EFFORTS, Effort, SearchBot

__all__ = ["EFFORTS", "Effort", "SearchBot"]
