"""The slow reference against the conformance data, and traps of the rules page worked by hand."""

import json
import random
from pathlib import Path

import naive
import pytest

DATA = Path(__file__).parent / "data"


def records(name):
    return [json.loads(line) for line in (DATA / name).read_text(encoding="utf-8").splitlines()]


def deal(spec, elder, younger, totals=(0, 0)):
    """Player 0 (the non-dealer) has the first hand; the talon is the rest of the pack in order."""
    rules = naive.make_rules(spec)
    hands = (naive.parse_hand(elder), naive.parse_hand(younger))
    talon = [card for card in naive.pack(rules) if card not in hands[0] | hands[1]]
    return naive.NaiveGame(rules, 1, hands, talon, totals)


def act(game, *texts):
    for text in texts:
        game.act(text)
    return game


def declaring(bid, elder, younger):
    """Auction Piquet: player 0 is the maker of the bid, and nobody exchanges."""
    return act(deal("auction", elder, younger), bid, "pass", "stand", "stand")


def classic(elder, younger, totals=(0, 0), **changes):
    """Classic: player 0 is elder; nobody has to exchange."""
    return deal({"base": "rubicon", "minimum_exchange": 0, **changes}, elder, younger, totals)


# ------------------------------------------------------------------ the conformance data


@pytest.mark.parametrize("name", ["deals.jsonl", "legal.jsonl"])
def test_conformance_deals(name):
    deals = records(name)
    assert deals
    for record in deals:
        assert naive.result(naive.replay(record)) == record["result"], record["id"]


def test_conformance_legal_actions():
    for record in records("legal.jsonl"):
        game = naive.game_of(record)
        for action, legal in zip(record["actions"], record["legal"], strict=True):
            assert game.legal_indices() == legal, (record["id"], action)
            assert str(game.to_act) == action[0]
            game.act(action[2:])
        assert game.legal() == []


def test_conformance_parties():
    for record in records("parties.jsonl"):
        partie = naive.play_partie(record["rules"], record["deals"])
        assert partie["over"]
        assert not partie["truncated"]
        assert dict(zip(naive.PLAYERS, partie["totals"], strict=True)) == record["result"]["totals"]
        assert dict(zip(naive.PLAYERS, partie["payment"], strict=True)) == record["result"]["payment"]
        for game, one in zip(partie["games"], record["deals"], strict=True):
            assert naive.result(game) == one["result"], one["id"]


def test_conformance_parties_are_not_over_sooner():
    for record in records("parties.jsonl"):
        partie = naive.play_partie(record["rules"], record["deals"][:-1])
        assert not partie["over"]
        assert partie["payment"] is None


# ------------------------------------------------------------------ section 9: tricks and contract


@pytest.mark.parametrize(
    ("sign", "level", "stake", "taken", "maker", "opponent"),
    [
        ("+", 8, 1, 10, 40, 2),
        ("+", 8, 2, 7, 17, 25),
        ("+", 12, 1, 12, 52, 0),
        ("-", 7, 1, 4, 24, 8),
        ("-", 7, 1, 7, 7, 35),
        ("-", 7, 1, 0, 90, 12),
        ("-", 9, 4, 6, 6, 126),
        ("-", 12, 1, 0, 40, 12),
    ],
)
def test_contract_table(sign, level, stake, taken, maker, opponent):
    game = declaring("+7", THREE_QUARTS, FOUR_DIAMONDS)
    game.contract = {"maker": 0, "sign": sign, "level": level, "stake": stake}
    game.tricks = [taken, 12 - taken]
    game.add(0, "tricks", taken)
    game.add(1, "tricks", 12 - taken)
    game.score_the_tricks()
    assert [score["total"] for score in game.score] == [maker, opponent]


# ------------------------------------------------------------------ section 3: the auction


def test_the_doubler_is_the_maker():
    game = act(deal("auction", THREE_QUARTS, FOUR_DIAMONDS), "-8", "double", "pass")
    assert game.contract == {"maker": 1, "sign": "-", "level": 8, "stake": 2}
    assert (game.elder, game.to_act, game.phase) == (1, 1, "exchange")


def test_a_higher_bid_undoes_the_double():
    game = act(deal("auction", THREE_QUARTS, FOUR_DIAMONDS), "pass", "+7", "double", "-9", "pass")
    assert game.contract == {"maker": 1, "sign": "-", "level": 9, "stake": 1}


def test_a_redouble_ends_the_auction():
    game = act(deal("auction", THREE_QUARTS, FOUR_DIAMONDS), "+7", "double", "redouble")
    assert game.contract == {"maker": 0, "sign": "+", "level": 7, "stake": 4}


def test_parlett_at_the_highest_level_leaves_only_the_redouble():
    game = act(deal("auction-parlett", THREE_QUARTS, FOUR_DIAMONDS), "+12", "double")
    assert game.legal() == ["redouble"]


def test_two_passes_throw_the_cards_in():
    game = act(deal("auction", THREE_QUARTS, FOUR_DIAMONDS), "pass", "pass")
    assert game.thrown_in
    assert game.phase == "over"
    assert naive.result(game) is None


def test_an_illegal_action_is_refused():
    game = act(deal("auction", THREE_QUARTS, FOUR_DIAMONDS), "+8")
    for text in ("+8", "-7", "redouble", "stand", "play SA", "nonsense"):
        with pytest.raises(ValueError, match="legal"):
            game.act(text)


# ------------------------------------------------------------------ sections 5-9: declarations, pique, repique

# 6 for the point, 16 + 4 for the sequences, 3 for the tens: 29, against nothing
TWENTY_NINE = "AKQJT9.T987.T.7"
NOTHING = "87.AK.AQJ9.KJ98"
# 8 + 18 + 3 = 29 or 8 + 18 + 4 = 30 before the sets, against a trio of aces
EIGHT_AND_TIERCE = "AKQJT987.987.7."
EIGHT_AND_QUART = "AKQJT987.T987.."
TRIO_OF_ACES = ".AKJ.AQT9.AQJ87"
# 4 for the point (41 pips), 4 for each quart, 3 for each trio; and the same point elsewhere
THREE_QUARTS = "AKQJ.AKQJ..AKQJ"
FOUR_DIAMONDS = "987.987.AQJT.98"
# a quart and two equal tierces, against a quart and two tierces
QUART_AND_TIERCES = "AKQJ.987.987.97"
TWO_TIERCES = "T98.QJT.AK.KQJT"


def test_pique_at_exactly_29_before_a_card_is_played():
    game = declaring("+7", TWENTY_NINE, NOTHING)
    act(game, "point S", "none", "sequence 6 A", "none", "set T")
    assert game.score[0]["pique"] == 0
    act(game, "none")
    assert game.phase == "play"
    assert (game.score[0]["pique"], game.score[0]["repique"], game.score[0]["total"]) == (30, 0, 59)


def test_classic_pique_needs_30():
    game = act(classic(TWENTY_NINE, NOTHING), "stand", "stand")
    act(game, "point S", "none", "sequence 6 A", "none", "set T", "none")
    assert game.score[0]["total"] == 29
    act(game, "play SA")  # one for the card led, at once
    assert (game.score[0]["pique"], game.score[0]["total"]) == (30, 60)


def test_the_good_set_of_younger_stops_pique():
    game = declaring("+7", EIGHT_AND_TIERCE, TRIO_OF_ACES)
    act(game, "point S", "none", "sequence 8 A", "none", "none", "set A")
    assert [score["total"] for score in game.score] == [29, 3]


def test_a_sunk_set_of_younger_does_not():
    game = declaring("+7", EIGHT_AND_TIERCE, TRIO_OF_ACES)
    act(game, "point S", "none", "sequence 8 A", "none", "none", "none")
    assert [score["total"] for score in game.score] == [59, 0]


def test_repique_comes_before_a_set_of_younger():
    game = declaring("+7", EIGHT_AND_QUART, TRIO_OF_ACES)
    act(game, "point S", "none", "sequence 8 A", "none")
    assert game.score[0]["repique"] == 60
    act(game, "none", "set A")
    assert [score["total"] for score in game.score] == [90, 3]
    assert game.shown == [naive.parse_hand(EIGHT_AND_QUART), {"HA", "DA", "CA"}]


def test_a_tie_stops_nothing():
    game = declaring("+7", THREE_QUARTS, FOUR_DIAMONDS)
    act(game, "point S")
    assert game.legal() == ["none", "point D"]
    act(game, "point D")
    assert game.said["point"] == [{"number": 4, "pips": 41}, {"number": 4, "pips": 41}]
    act(game, "sequence 4 A", "none", "set A", "none")
    assert [score["total"] for score in game.score] == [24, 0]
    act(game, "play SA", "play S9", "play SK", "play S8", "play SQ", "play S7", "play HA", "play H9")
    assert game.tricks == [4, 0]
    assert game.score[0]["total"] == 28
    act(game, "play HK", "play H8")
    assert game.tricks == [5, 0]
    assert (game.score[0]["pique"], game.score[0]["total"]) == (30, 59)


def test_pips_of_the_loser_stay_hidden():
    game = act(declaring("+7", QUART_AND_TIERCES, TWO_TIERCES), "point S", "point C")
    assert game.said["point"] == [{"number": 4, "pips": 41}, {"number": 4}]
    assert game.score[0]["point"] == 4


def test_elder_names_the_number_only():
    game = act(declaring("+7", EIGHT_AND_TIERCE, TRIO_OF_ACES), "point H")
    assert game.said["point"] == [{"number": 3}, None]
    assert game.legal() == ["none", "point C", "point D", "point H"]
    act(game, "point C")
    assert game.said["point"] == [{"number": 3}, {"number": 5}]
    assert game.score[1]["point"] == 5


def test_a_minus_contract_scores_the_holdings_of_the_opponent():
    game = declaring("-7", EIGHT_AND_QUART, TRIO_OF_ACES)
    assert game.phase == "play"
    assert game.to_act == 0
    mine, theirs = game.score
    assert (mine["point"], mine["sequence"], mine["set"], mine["total"]) == (0, 0, 3, 3)
    assert (theirs["point"], theirs["sequence"], theirs["repique"], theirs["total"]) == (8, 22, 60, 90)
    assert game.shown == [naive.parse_hand(EIGHT_AND_QUART), {"HA", "DA", "CA"}]
    assert game.said["point"] == [None, None]


def test_what_ranks_above_the_holding_named_is_sunk():
    game = act(declaring("+7", QUART_AND_TIERCES, TWO_TIERCES), "none", "none")
    assert game.legal() == ["none", "sequence 3 9", "sequence 4 A"]
    act(game, "sequence 3 9", "none")  # both tierces, which are equal, and not the quart
    assert game.score[0]["sequence"] == 6
    act(game, "none", "none")
    assert game.shown[0] == {"H9", "H8", "H7", "D9", "D8", "D7"}


def test_the_best_named_carries_the_rest():
    game = act(declaring("+7", QUART_AND_TIERCES, TWO_TIERCES), "none", "none", "sequence 4 A", "none")
    assert game.score[0]["sequence"] == 10


def test_a_tie_in_sequences_wipes_out_the_further_ones():
    game = declaring("+7", "KQJ.QJT.987.987", "T98.987.KQJ.KQJ")
    act(game, "none", "none", "sequence 3 K", "sequence 3 K")
    assert [score["sequence"] for score in game.score] == [0, 0]


def test_younger_may_answer_equal_or_better_runs():
    game = act(declaring("+7", QUART_AND_TIERCES, TWO_TIERCES), "none", "none", "sequence 4 A")
    assert game.legal() == ["none"]
    game = act(declaring("+7", QUART_AND_TIERCES, TWO_TIERCES), "none", "none", "sequence 3 9")
    assert game.legal() == ["none", "sequence 3 Q", "sequence 3 T", "sequence 4 K"]
    act(game, "sequence 3 Q")
    assert [score["sequence"] for score in game.score] == [0, 6]


def test_without_sinking_there_is_nothing_to_choose():
    game = act(classic(TWENTY_NINE, NOTHING, sinking=False), "stand", "stand")
    assert game.phase == "play"
    assert game.score[0]["total"] == 29
    assert game.said["set"] == [{"number": 3, "rank": "T"}, {"none": True}]


# ------------------------------------------------------------------ carte blanche and cent

BLANK = "AT9.T987.T98.T9"
FACES = "KQJ.KQJ.KQJ.KQJ"


def test_carte_blanche_of_younger_comes_before_any_exchange():
    game = classic(FACES, BLANK)
    assert (game.phase, game.to_act, game.legal()) == ("carte blanche", 1, ["carte blanche", "none"])
    act(game, "carte blanche")
    assert game.score[1]["total"] == 10
    assert game.shown[1] == naive.parse_hand(BLANK)
    assert (game.phase, game.to_act) == ("exchange", 0)


def test_a_dear_carte_blanche_is_a_repique():
    game = act(classic(BLANK, FACES, carte_blanche=40), "carte blanche")
    assert (game.score[0]["repique"], game.score[0]["total"]) == (60, 100)


def test_cent_stops_with_the_bonus_of_the_points_that_reach_it():
    game = classic(EIGHT_AND_QUART, TRIO_OF_ACES, totals=(70, 99), stop_at=100)
    act(game, "stand", "stand", "point S", "none", "sequence 8 A", "none")
    assert game.phase == "over"
    assert game.legal() == []
    assert [score["total"] for score in game.score] == [90, 0]


def test_cent_stops_at_the_card_led():
    game = classic(EIGHT_AND_QUART, TRIO_OF_ACES, totals=(99, 0), stop_at=100)
    act(game, "stand", "stand", "none", "none", "none", "none", "none", "none", "play S7")
    assert game.phase == "over"
    assert game.tricks == [0, 0]
    assert game.score[0]["total"] == 1


def test_cent_stops_before_the_extra_point_for_the_last_trick():
    one_trick = {"suits": "S", "ranks": "789T", "hand_size": 1, "elder_talon": 1, "younger_talon": 1}
    one_trick |= {"carte_blanche": 0, "minimum_point": 2, "sinking": False, "stop_at": 5}
    moves = ("stand", "stand", "play S7", "play S8")
    game = act(classic("7...", "8...", totals=(0, 2), **one_trick), *moves)
    assert (game.score[1]["tricks"], game.score[1]["capot"]) == (2, 40)
    game = act(classic("7...", "8...", totals=(0, 4), **one_trick), *moves)
    assert (game.score[1]["tricks"], game.score[1]["capot"], game.tricks) == (1, 0, [0, 1])


# ------------------------------------------------------------------ section 10: the partie


@pytest.mark.parametrize(
    ("spec", "totals", "paid"),
    [
        ("auction", [149, 300], 150 + 449),
        ("auction", [150, 300], 150 + 150),
        ("rubicon", [80, 90], 100 + 170),  # the winner is below it too: only the loser's score matters
        ("rubicon", [100, 101], 101),
        ("cent", [49, 100], 2),
        ("cent", [50, 100], 1),
        ("auction", [200, 200], 0),
    ],
)
def test_payment(spec, totals, paid):
    rules = naive.make_rules(spec)
    assert naive.payment(rules, totals) == [-paid, paid]
    assert naive.payment(rules, totals[::-1]) == [paid, -paid]


def thrown_in(dealer):
    hands = {"player_0": THREE_QUARTS, "player_1": FOUR_DIAMONDS}
    rest = [c for c in naive.pack(naive.make_rules("auction")) if c not in cards_of(hands)]
    speakers = [1 - dealer, dealer]
    actions = [f"{speaker} pass" for speaker in speakers]
    return {"dealer": f"player_{dealer}", "hands": hands, "talon": " ".join(rest), "actions": actions}


def cards_of(hands):
    return set().union(*(naive.parse_hand(text) for text in hands.values()))


def test_thrown_in_deals_are_dealt_again_and_cut_off():
    spec = {"base": "auction", "max_thrown_in": 3}
    partie = naive.play_partie(spec, [thrown_in(0), thrown_in(0)])
    assert (partie["completed"], partie["over"], partie["truncated"]) == (0, False, False)
    partie = naive.play_partie(spec, [thrown_in(0)] * 3)
    assert (partie["over"], partie["truncated"], partie["payment"]) == (False, True, None)
    with pytest.raises(ValueError, match="dealer"):
        naive.play_partie(spec, [thrown_in(0), thrown_in(1)])


def test_thrown_in_deals_that_count():
    spec = {"base": "auction", "max_thrown_in": 1, "deals": 2, "extra_deals_on_tie": 2}
    partie = naive.play_partie(spec, [thrown_in(0), thrown_in(1)])
    assert (partie["completed"], partie["over"]) == (2, False)
    partie = naive.play_partie(spec, [thrown_in(0), thrown_in(1), thrown_in(0), thrown_in(1)])
    assert (partie["over"], partie["payment"]) == (True, [0, 0])


# ------------------------------------------------------------------ any rules that section 11 permits

NO_TALON = {"elder_talon": 0, "younger_talon": 0}
ODD = [
    {"base": "auction", "hand_size": 16, **NO_TALON, "lowest_level": 11, "highest_level": 16},
    {"base": "rubicon", "hand_size": 16, **NO_TALON, "minimum_exchange": 0, "carte_blanche": 0},
    {"base": "auction", "hand_size": 3, "elder_talon": 20, "younger_talon": 6, "lowest_level": 1, "highest_level": 3},
    {"base": "cavendish", "hand_size": 4, "elder_talon": 14, "younger_talon": 10},
    {"base": "rubicon", "hand_size": 1, "ranks": "7A", "elder_talon": 4, "younger_talon": 2, "carte_blanche": 0},
    {"base": "auction", "suits": "C", "hand_size": 3, "elder_talon": 1, "younger_talon": 1}
    | {"lowest_level": 1, "highest_level": 3, "pique": 1, "minus_pique": 1, "repique": 1, "minus_repique": 1},
    {"base": "auction", "suits": "DCH", "hand_size": 9, "elder_talon": 6, "younger_talon": 0}
    | {"lowest_level": 5, "highest_level": 9, "pass_after_double": False, "minimum_point": 5},
    {"base": "cent", "stop_at": 1, "carte_blanche": 40},
]


@pytest.mark.parametrize("spec", [*naive.RULESETS, *ODD], ids=str)
def test_random_deals_come_to_an_end(spec):
    rules = naive.make_rules(spec)
    rng = random.Random(7)
    size = rules["hand_size"]
    for _ in range(20):
        cards = naive.pack(rules)
        rng.shuffle(cards)
        hands = (cards[:size], cards[size : 2 * size])
        game = naive.NaiveGame(rules, rng.randrange(2), hands, cards[2 * size :])
        while game.phase != "over":
            legal = game.legal()
            indices = game.legal_indices()
            assert legal
            assert len(set(indices)) == len(legal)
            assert set(indices) <= set(range(80))
            game.act(rng.choice(legal))
            for score in game.score:
                assert score["total"] == sum(score[item] for item in naive.SCORE_ITEMS)
        if not game.thrown_in and rules["stop_at"] is None:
            assert sum(game.tricks) == size


def test_the_next_rank_is_next_in_the_full_order():
    assert naive.sequence_holdings({"S7", "S8", "ST"}) == []
    assert [holding.text for holding in naive.sequence_holdings({"S7", "S8", "S9", "SQ", "SK", "SA"})] == [
        "sequence 3 9",
        "sequence 3 A",
    ]


def test_the_table_of_actions():
    rules = naive.make_rules("auction")
    texts = naive.sequence_texts()
    assert len(texts) == 21
    assert texts[0] == "sequence 3 9"
    assert texts[-1] == "sequence 8 A"
    assert naive.action_index(rules, "sequence 8 A") == 73
    assert naive.action_index(rules, "set A") == 78
    assert naive.action_index(naive.make_rules("mini"), "+2") == 34 == naive.action_index(rules, "+7")
