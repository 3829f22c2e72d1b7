"""The bidding benchmark: the auction alone is played, and a fixed playout settles the rest of the deal."""

from piquet_env.bidding.deals import TEST, TRAIN, BiddingDeals, DealsError, Part, held_out_seed
from piquet_env.bidding.playout import PLAYOUT_VERSION, STAKES, deal_scores, score_of, settle, settle_now
from piquet_env.bidding.varying import columns

__all__ = [
    "PLAYOUT_VERSION",
    "STAKES",
    "TEST",
    "TRAIN",
    "BiddingDeals",
    "DealsError",
    "Part",
    "columns",
    "deal_scores",
    "held_out_seed",
    "score_of",
    "settle",
    "settle_now",
]
