"""The traps of auction, contract, rubicon and leftovers, each by a case worked by hand from the rules page.

player_0 is elder unless a case says otherwise; hands are S.H.D.C.
"""

import helpers
import numpy as np
import pytest
from by_hand import deal, play
from helpers import cards_of, score_of

from piquet_env import Rules, action_index, knowledge
from piquet_env.engine import game
from piquet_env.engine import layout as at
from piquet_env.notation import parse_hand

# Elder's five spades (5) with a quint (15) make 20 for the other in a minus contract, who has nothing himself.
TWENTY = "AKQJT.98.98.T97"
BEHIND_TWENTY = "7.AQJ7.AQT7.KJ8"

# ------------------------------------------------------------------ the auction


def test_the_doubler_is_the_maker():
    """player_1 doubles, player_0 passes: player_1 has to lose eight tricks himself, and is elder."""
    row = play(deal("auction", TWENTY, BEHIND_TWENTY), "0 -8", "1 double", "0 pass")
    assert (row[at.ELDER], row[at.ACTOR], row[at.PHASE]) == (1, 1, at.EXCHANGE)
    assert (row[at.IS_MINUS], row[at.LEVEL], row[at.STAKE]) == (1, 8, 2)
    play(row, "1 stand", "0 stand")
    assert row[at.ACTOR] == 1
    assert row[at.DEALER] == 1  # who deals next does not depend on it
    assert score_of(row, 1)["total"] == 20  # player_0's holdings


def test_the_contract_is_the_doublers():
    """player_0 doubles +7 and holds twelve losers: he is the maker, 7 tricks short, 10 x 7 x 2 to player_1."""
    row = play(deal("auction", *WORKED[0]), "0 pass", "1 +7", "0 double", "1 pass")
    assert row[at.ELDER] == 0
    play_out(declare_nothing(row))
    assert score_of(row, 0) == {}
    assert score_of(row, 1) == {"tricks": 12, "capot": 40, "contract": 140, "total": 192}


# ------------------------------------------------------------------ tricks and contract (the worked table of section 9)

# By the tricks that player_0 takes when both play their suits from the top: his spades (and hearts), then losers.
WORKED = {
    0: (".T987.T987.T987", ".AKQJ.AKQJ.AKQJ"),
    4: ("AKQJ.T987..T987", ".AKQJ.AKQJ.AKQJ"),
    6: ("AKQJT9.987..987", ".AKQ.AKQJT9.AKQ"),
    7: ("AKQJT98.T987..7", ".AKQJ.AKQJT98.A"),
    10: ("AKQJT987.AK87..", ".QJT9.AKQJT987."),
    12: ("AKQJT987.AKQJ..", ".T987.AKQJT987."),
}
AUCTIONS = {1: ("0 {}", "1 pass"), 2: ("0 pass", "1 {}", "0 double", "1 pass"), 4: ("0 {}", "1 double", "0 redouble")}


def declare_nothing(row) -> np.ndarray:
    """Nobody exchanges; in a plus contract everything is sunk."""
    play(row, "0 stand", "1 stand")
    while row[at.PHASE] != at.PLAY:
        assert game.apply_action(row, action_index("none"))
    return row


def play_out(row) -> np.ndarray:
    """Leads from the top of the first suit; who follows takes with his highest if he can, and throws diamonds first."""
    while row[at.PHASE] == at.PLAY:
        hand, led = helpers.legal(row), int(row[at.LED])
        if led < 0:
            card = min(hand, key=lambda card: (card >> 3, -card))
        elif hand[0] >> 3 == led >> 3 == hand[-1] >> 3:
            card = hand[-1] if hand[-1] > led else hand[0]
        else:
            card = min(hand, key=lambda card: (card >> 3 != 2, card))
        assert game.apply_action(row, card)
    return row


def worked(taken, bid, stake) -> np.ndarray:
    row = play(deal("auction", *WORKED[taken]), *(move.format(bid) for move in AUCTIONS[stake]))
    assert row[at.ELDER] == 0
    play_out(declare_nothing(row))
    assert helpers.field(row, "won") == [taken, 12 - taken]
    return row


def of_the_play(row, player) -> int:
    """Tricks, cards or capot, and contract."""
    return sum(score_of(row, player).get(item, 0) for item in ("tricks", "cards", "capot", "contract"))


@pytest.mark.parametrize(
    ("bid", "stake", "taken", "maker", "opponent"),
    [
        ("+8", 1, 10, 40, 2),  # 10 tricks + 10 cards + 20; 2 tricks
        ("+8", 2, 7, 17, 25),  # 7 + 10; 5 + 20
        ("+12", 1, 12, 52, 0),  # 12 + 40; a contract made exactly scores nothing
        ("-7", 1, 4, 24, 8),  # 4 + 10 for losing 8 + 10; 8
        ("-7", 1, 7, 7, 35),  # 7; 5 + 10 for losing 7 + 20
        ("-7", 1, 0, 90, 12),  # 40 for losing all + 50; 12
        ("-9", 4, 6, 6, 126),  # 6; 6 + 3 x 10 x 4; six to six, no cards
        ("-12", 1, 0, 40, 12),
    ],
)
def test_the_worked_table(bid, stake, taken, maker, opponent):
    row = worked(taken, bid, stake)
    assert (of_the_play(row, 0), of_the_play(row, 1)) == (maker, opponent)


@pytest.mark.parametrize(
    ("bid", "taken", "winner", "points"), [("+8", 10, 0, 20), ("+8", 7, 1, 10), ("-7", 4, 0, 10), ("-9", 6, 1, 30)]
)
def test_contract_points_are_multiplied_and_nothing_else(bid, taken, winner, points):
    sheets = {stake: worked(taken, bid, stake) for stake in (1, 2, 4)}
    for stake, row in sheets.items():
        for player in (0, 1):
            expected = score_of(sheets[1], player)
            if player == winner:
                expected["contract"] = points * stake
                expected["total"] += points * (stake - 1)
            assert score_of(row, player) == expected


# ------------------------------------------------------------------ the rubicon


@pytest.mark.parametrize(
    ("before", "totals", "paid"),
    [
        ((100, 108), (140, 110), 150 + 250),  # both below 150: the loser is, and that is what counts
        ((100, 148), (140, 150), -(150 + 290)),  # the winner has just 150
        ((110, 158), (150, 160), -(150 + 10)),  # the loser has just 150
        ((109, 158), (149, 160), -(150 + 309)),
        ((300, 147), (340, 149), 150 + 489),
        ((110, 148), (150, 150), 0),
    ],
)
def test_the_rubicon_looks_at_the_loser_alone(before, totals, paid):
    """The last of six deals: +8 with 10 tricks, 40 to player_0 and 2 to player_1."""
    rules = Rules.make("auction")
    hands = [cards_of(parse_hand(hand)) for hand in WORKED[10]]
    rest = [card for card in range(32) if card not in hands[0] + hands[1]]
    row = helpers.set_up(rules, 1, hands[0] + hands[1] + rest, before, partie=True)
    row[at.COMPLETED] = 5
    play_out(declare_nothing(play(row, "0 +8", "1 pass")))
    game.close_deal(row)
    assert row[at.PHASE] == at.GAME_OVER
    assert tuple(helpers.field(row, "totals")) == totals
    assert (game.payment(row, 0), game.payment(row, 1)) == (paid, -paid)


# ------------------------------------------------------------------ elder's leftovers

TALON = "S7 S8 H7 H8 D7 C7 C8 D8"
ELDER_HAND, YOUNGER_HAND = "AKQ.AKQ.AKQ.AKQ", "JT9.JT9.JT9.JT9"


def after_the_exchange(changes, elders, youngers):
    """Elder discards so many, stands; younger too. (What younger knows before he stands and after, what elder does.)"""
    rules = {"base": "auction", **changes}
    row = play(deal(rules, ELDER_HAND, YOUNGER_HAND, TALON), "0 +7", "1 pass")
    play(row, *(f"0 discard {card}" for card in ("SQ", "HQ", "DQ", "CQ", "SK")[:elders]), "0 stand")
    before = knowledge.describe(knowledge.observation(row, 1))
    play(row, *(f"1 discard {card}" for card in ("S9", "H9", "D9", "C9", "ST", "HT")[:youngers]), "1 stand")
    return before, *(knowledge.describe(knowledge.observation(row, player)) for player in (1, 0))


def names(cards) -> str:
    return " ".join(map(helpers.card_name, cards))


def test_by_default_younger_sees_what_elder_left_when_he_stands():
    """Elder takes S7 S8 and leaves H7 H8 D7; younger takes C7 and leaves C8 D8."""
    before, younger, elder = after_the_exchange({}, 2, 1)
    assert before["seen_in_talon"] == before["elder_left"] == []
    assert names(younger["my_drawn"]) == "C7"
    assert names(younger["elder_left"]) == "H7 H8 D7"
    assert names(younger["seen_in_talon"]) == "H7 H8 D7 D8 C8"
    assert names(elder["seen_in_talon"]) == names(elder["elder_left"]) == "H7 H8 D7"  # never what younger left
    assert {helpers.card_number(card) for card in ("C7", "C8", "D8")} <= set(elder["unseen"])


def test_without_the_rule_he_does_not():
    _, younger, elder = after_the_exchange({"younger_sees_leftovers": False}, 2, 1)
    assert younger["elder_left"] == []
    assert names(younger["seen_in_talon"]) == "D8 C8"
    assert names(elder["seen_in_talon"]) == "H7 H8 D7"


@pytest.mark.parametrize(
    ("youngers", "drawn", "left", "retaken"),
    [
        (1, "H7", "H8 D7 D8 C7 C8", "H7"),
        (4, "H7 H8 D7 C7", "D8 C8", "H7 H8 D7"),
        (6, "H7 H8 D7 D8 C7 C8", "", "H7 H8 D7"),
    ],
)
def test_where_younger_draws_them(youngers, drawn, left, retaken):
    """The talon is one pile; younger goes on at H7. Both know which of elder's leftovers he took."""
    rules = {"younger_draws_leftovers": True, "younger_sees_leftovers": False}
    before, younger, elder = after_the_exchange(rules, 2, youngers)
    assert before["seen_in_talon"] == before["elder_left"] == []
    assert names(younger["my_drawn"]) == drawn
    assert names(younger["seen_in_talon"]) == left
    assert names(younger["elder_left"]) == "H7 H8 D7"
    assert names(elder["their_drawn"]) == names(elder["their_hand"]) == retaken
    assert names(elder["seen_in_talon"]) == "H7 H8 D7"


def test_younger_may_draw_no_more_than_is_left():
    """Eight less elder's number: elder took all five, three are left."""
    rules = {"base": "auction", "younger_draws_leftovers": True, "younger_sees_leftovers": False}
    row = play(deal(rules, ELDER_HAND, YOUNGER_HAND, TALON), "0 +7", "1 pass")
    play(row, *(f"0 discard {card}" for card in ("SQ", "HQ", "DQ", "CQ", "SK")))
    assert helpers.legal(row) == [action_index("stand")]
    play(row, "0 stand", "1 discard S9", "1 discard H9", "1 discard D9")
    assert helpers.legal(row) == [action_index("stand")]
