"""# Auction Piquet: the bidding benchmark

| Import             | `from piquet_env import auction_piquet_bidding_v0`                                          |
|--------------------|---------------------------------------------------------------------------------------------|
| Creation           | `pettingzoo.make("aec", "piquet/auction-bidding-v0")`, or `auction_piquet_bidding_v0.env()` |

An episode is the auction of one deal. When it is over the deal is settled by a fixed playout (version
`piquet_env.bidding.PLAYOUT_VERSION`): both exchange and declare by the rules of the bot `greedy`, and then play the
best cards, all cards known. Everything else is as in `piquet_env.auction_piquet_v0`: actions, observation (the columns
that vary in an auction are `piquet_env.bidding.columns(rules)`), masks, records, copies.

```python
from piquet_env import auction_piquet_bidding_v0

env = auction_piquet_bidding_v0.env(deals=None)
env.reset(seed=0)
for agent in env.agent_iter():
    observation, reward, termination, truncation, info = env.last()
    action = None if termination or truncation else env.action_space(agent).sample(observation["action_mask"])
    env.step(action)
```

### Arguments

```python
auction_piquet_bidding_v0.env(rules="auction", reward="score", illegal_action="raise", render_mode=None, deals=None)
```

`rules`: with an auction. `reward`: `"score"`, the deal's score less the other's, or `"win"`, its sign.

`deals`: stored deals (`piquet_env.bidding.BiddingDeals`), or the path of a file of them, as `piquet bidding make`
writes it. Each episode is of one of them, each as likely, fixed by the seed; its score is looked up. `None`: each is
dealt anew, and settled when the auction is over. The dealer is drawn in any case.

### What differs

When both pass and nobody has bid, the episode is over, and both get 0: there is no other deal. Nobody is told more of
the cards when it is over than he knew before. `infos[agent]["deal"]` is then the contract, and the score, as points of
the contract; there are no tricks. `record()` is the record of a deal in which nothing was done after the auction: it
has no `result`, unless the cards were thrown in. `reset(options={"record": …})` takes such records, and settles their
deals from their cards. A `view()` when it is over cannot be read back: no whole deal ends so. Bots are asked as in any
deal: nothing tells them that it ends with the auction.

### Version History

* v0: Initial version (0.1.0)
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from piquet_env.envs.aec import AuctionPiquetEnv
from piquet_env.envs.auctions import AUCTION, Stored
from piquet_env.rules import Rules

__all__ = ["env", "raw_env"]


class BiddingEnv(AuctionPiquetEnv):
    """`AuctionPiquetEnv` whose episodes are auctions. Raises ValueError for what cannot be."""

    metadata = {**AuctionPiquetEnv.metadata, "name": "auction_piquet_bidding_v0"}  # noqa: RUF012 (PettingZoo's protocol)

    def __init__(
        self,
        rules: str | Rules | Mapping[str, Any] = "auction",
        reward: str = "score",
        illegal_action: str = "raise",
        render_mode: str | None = None,
        deals: Stored | None = None,
    ):
        super().__init__(rules, AUCTION, reward, illegal_action, render_mode, deals)


env = BiddingEnv
raw_env = BiddingEnv
