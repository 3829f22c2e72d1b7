"""A finished deal, decision by decision: what was played, what a bot would have done, and what that cost.

    deals = deals_of(record)                                  # the decisions of each deal that is over
    made = analysis(deals, "greedy", load_bot("greedy"))      # piquet_env/analysis.schema.json

`piquet analyse` is its command.
"""

from piquet_env.analyse.decisions import Deal, Decision, deals_of
from piquet_env.analyse.report import analysis

__all__ = ["Deal", "Decision", "analysis", "deals_of"]
