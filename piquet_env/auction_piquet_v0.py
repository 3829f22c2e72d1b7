"""# Auction Piquet

| Import             | `from piquet_env import auction_piquet_v0`                                  |
|--------------------|-----------------------------------------------------------------------------|
| Creation           | `pettingzoo.make("aec", "piquet/auction-v0")`, or `auction_piquet_v0.env()` |
| Actions            | Discrete                                                                    |
| Parallel API       | No: the agents act in turn                                                  |
| Manual Control     | In the terminal: `piquet play`                                              |
| Agents             | `agents= ['player_0', 'player_1']`                                          |
| Agents             | 2                                                                           |
| Action Shape       | Discrete(80)                                                                |
| Action Values      | Discrete(80)                                                                |
| Observation Shape  | (1088,)                                                                     |
| Observation Values | [0, 1]                                                                      |
| State Shape        | (1352,)                                                                     |
| State Values       | [0, 1]                                                                      |

Piquet is a game of tricks for two with 32 cards, centuries old. In Auction Piquet the players first bid how many of
the 12 tricks they will win, or lose; who makes the contract is elder. Both then exchange cards for those of a talon,
elder first; they compare point, sequences and sets, in words that need not say all; and they play the tricks. A
partie is six deals. Much is hidden, and much can be read from what the other does. Classic Piquet and its variants
are here too, and small packs for exact analysis.

```python
from piquet_env import auction_piquet_v0

env = auction_piquet_v0.env(rules="auction", episode="deal")
env.reset(seed=0)
for agent in env.agent_iter():
    observation, reward, termination, truncation, info = env.last()
    action = None if termination or truncation else env.action_space(agent).sample(observation["action_mask"])
    env.step(action)
```

`env` and `raw_env` are the same class: what PettingZoo's three usual wrappers check, it checks itself, at a small part
of their cost. For thousands of games at once there is `piquet_env.SelfPlayVectorEnv`.

### Arguments

```python
auction_piquet_v0.env(
    rules="auction", episode="deal", reward="score", illegal_action="raise", render_mode=None, deals=None
)
```

`rules`: a ruleset's name, a `piquet_env.Rules`, or changed fields, as in `{"base": "rubicon", "sinking": False}`:

| Ruleset             | What it is                                                                 |
|---------------------|----------------------------------------------------------------------------|
| `auction`           | Auction Piquet; rubicon of 150 points                                      |
| `auction-parlett`   | the same; facing a double, a player may not pass                           |
| `auction-cavendish` | the same; younger may draw what elder left, a tied partie goes on          |
| `rubicon`           | classic Piquet: no auction, elder is the non-dealer; rubicon of 100 points |
| `cavendish`         | the same by the traditional laws of exchange and ties                      |
| `cent`              | classic deals until a player has 100 points                                |
| `open`              | `rubicon` with both hands face up                                          |
| `mini`              | Auction Piquet with 8 cards, 3 each; bids of 2 and 3; one deal             |
| `micro`             | with 6 cards, 2 each; bids of 1 and 2; one deal, for exact analysis        |

`episode`: `"deal"`, one completed deal; `"partie"`, as many as the rules say; or `"auction"`, an auction, by which the
deal is settled: see `piquet_env.auction_piquet_bidding_v0`.

`reward`: `"score"`, `"payment"` (of a partie only) or `"win"`: see Rewards.

`illegal_action`: `"raise"`: `step` raises ValueError, lists the legal actions, and nothing has changed; `"lose"`: as
with PettingZoo's TerminateIllegalWrapper the episode ends, the offender gets -1 and the other 0.

`render_mode`: `None`, `"human"`, `"ansi"` or `"rgb_array"`: see Rendering.

`deals`: of episodes of an auction, the stored deals that they are of.

### Observation Space

The observation is a dictionary: `'observation'`, int8, is what the agent knows, described here; `'action_mask'`,
int8, are the legal actions, described below. Every feature is 0 or 1. The view is the agent's own ("I"; the other is
"they"), the same from either seat; it remembers all of the present deal and shows nothing that the agent cannot know.
A set of cards has 32 bits, card `8 * suit + rank` of the suits S H D C and the ranks 7 8 9 T J Q K A.
`piquet_env.knowledge.fields()`, the command `piquet spaces` and SPACES.md list every feature;
`piquet_env.knowledge.describe(vector)` gives a vector as a readable dict.

| Bits      | Features                                  | Description                                             |
|:---------:|-------------------------------------------|---------------------------------------------------------|
| 0-159     | `my_hand` to `elder_left`                 | cards I hold, discarded, drew, saw in the talon         |
| 160-223   | `my_played` to `their_played`             | cards played by each                                    |
| 224-351   | `my_shown` to `their_hand`                | cards shown by each; what I know of their deal and hand |
| 352-447   | `their_drawn` to `led`                    | cards they drew; cards I have not seen; the card led    |
| 448-511   | `my_winners` to `my_losers`               | cards of mine above, and below, all that they may hold  |
| 512-639   | `tricks`                                  | the trick each card was played in, in binary            |
| 640-671   | `my_spades` to `my_clubs`                 | how many I hold of each suit                            |
| 672-695   | `led_by_me` to `their_voids`              | tricks I led; suits in which each has shown void        |
| 696-706   | `phase` to `i_am_younger`                 | the phase; dealer, elder or younger                     |
| 707-732   | `i_passed` to `bid_by_me`                 | the auction: opening passes, then by level              |
| 733-743   | `is_plus` to `is_my_bid`                  | the contract, or the last bid                           |
| 744-765   | `i_stood` to `their_number`               | the exchange: who has stood, how many cards             |
| 766-767   | `is_partie` to `may_be_last`              | the episode                                             |
| 768-829   | `my_sequence` to `their_set`              | sequences and sets that were named                      |
| 830-831   | `my_blanche` to `their_blanche`           | carte blanche                                           |
| 832-875   | `i_said_none` to `their_pips_units`       | who named none; points that were named, and pips        |
| 876-895   | `i_scored` to `sequence_units`            | who scored in each category; points for sequences       |
| 896-949   | `my_tricks` to `their_play_units`         | tricks won, and points in play                          |
| 950-959   | `my_repique` to `their_capot`             | bonuses, and who has scored at all                      |
| 960-1000  | `point_score` to `contract_tens`          | points for point, sets and the contract                 |
| 1001-1023 | `thrown_in_hundreds` to `thrown_in_units` | deals thrown in in a row                                |
| 1024-1087 | `my_total` to `completed`                 | the partie: totals, who leads, deals completed          |

What is not there is all 0. `state()`, for critics, goes on where the observation of player_0 ends:

| Bits      | Features                                  | Description                                |
|:---------:|-------------------------------------------|--------------------------------------------|
| 1088-1183 | `state_their_hand` to `state_their_drawn` | cards the other holds, discarded, drew     |
| 1184-1343 | `state_talon`                             | each card's place in the talon as dealt    |
| 1344-1351 | `state_their_point_suit` to `state_seat`  | the suit of their point; who acts; my seat |

#### Legal Actions Mask

`'action_mask'` is int8, (80,), 1 for each legal action; it is also in `info`. It is all 0 for the agent that is not to
act, and when the episode is over. An agent may act several times in a row; a move that is forced is still made.

### Action Space

The numbers mean the same in every ruleset; `piquet_env.action_text(34)` is `"+7"` and `piquet_env.action_index("+7")`
is 34. A bid stands for a place in the order of levels: with `mini` action 34 is `+2`.

| Action ID | Action                           | When                                                   |
|:---------:|----------------------------------|--------------------------------------------------------|
| 0-31      | `S7` to `CA`                     | exchange: discard it; play: play it                    |
| 32        | `stand`                          | exchange: no more discards, draw                       |
| 33        | `none`                           | declarations: name nothing, say good; no carte blanche |
| 34-39     | `+7` to `+12`                    | auction: to win as many tricks                         |
| 40-45     | `-7` to `-12`                    | auction: to lose as many tricks                        |
| 46-48     | `pass`, `double`, `redouble`     | auction                                                |
| 49-52     | `point S` to `point C`           | declarations: the suit named as point                  |
| 53-73     | `sequence 3 9` to `sequence 8 A` | declarations: length and top card                      |
| 74-78     | `set T` to `set A`               | declarations: all cards of the rank                    |
| 79        | `carte blanche`                  | classic Piquet, before the exchange: show it           |

### Rewards

| `reward`    | When             | Winner                                     | Loser        |
|-------------|------------------|--------------------------------------------|--------------|
| `"score"`   | a deal is over   | points of the deal less those of the other | the negative |
| `"payment"` | a partie is over | what the partie pays, with the rubicon     | the negative |
| `"win"`     | the end          | +1                                         | -1           |

Rewards sum to 0, but where an illegal action loses; whatever is equal, and all that is in between, is 0.

### Termination and Truncation

Both agents terminate when the deal, or the last deal of the partie, is over. When both pass and nobody has bid, the
cards are thrown in and the same dealer deals again. Such a deal does not count, but after `max_thrown_in` (100) of them
in a row both agents are truncated, with reward 0. In `mini` and `micro`, where it is 1, it does count, and nobody
scores.

### Reset, Records, Copies

`reset(seed=...)`: the same seed deals the same cards, on every machine.

`reset(options={"record": ...})` begins with a recorded deal or partie, complete or not, and goes on from there.

`record()`: the deal or partie so far as such a record, with its result when it is over.

`view(agent)`: what the agent knows, as JSON. `known_row(agent)`: the same as the row of numbers that bots are given.

`clone(reseed=None)`: an independent copy, also in mid-deal; pickle and deepcopy make one too.

`infos[agent]`: `action_mask`; `phase`, its name, as the agent sees it; and from the end of a deal until the agent acts
again `deal`, the result as a record has it: contract, tricks, and the score item by item.

### Rendering

`"ansi"`: `render()` returns the table as text of at most 80 columns. `"human"`: it is printed, after each step too.
`"rgb_array"`: `render()` returns a picture, uint8 of shape (720, 1280, 3), which takes Pillow
(`pip install 'piquet-env[render]'`); video recorders make one frame a second of it. All are from the side of
`agent_selection`, and show nothing that it does not know.

### Version History

* v0: Initial version (0.1.0)
"""

from piquet_env.envs.aec import AuctionPiquetEnv

__all__ = ["env", "raw_env"]

env = AuctionPiquetEnv
raw_env = AuctionPiquetEnv
