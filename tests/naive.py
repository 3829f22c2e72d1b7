"""The rules of Auction Piquet and classic Piquet, slow and obvious: an oracle for the tests.

Written from the rules page alone (its sections are named in the comments) and independent of the
package: standard library only, cards are strings such as "SA", hands are sets of such strings.
"""

from typing import NamedTuple

SUITS = "SHDC"
RANKS = "789TJQKA"
PLAYERS = ("player_0", "player_1")
CATEGORIES = ("point", "sequence", "set")
SCORE_ITEMS = ("carte_blanche", "point", "sequence", "set", "repique", "pique", "tricks", "cards", "capot", "contract")

# ------------------------------------------------------------------ sections 10 and 11: the rules

DEFAULTS = {
    "auction": True,
    "suits": "SHDC",
    "ranks": "789TJQKA",
    "hand_size": 12,
    "elder_talon": 5,
    "younger_talon": 3,
    "lowest_level": 7,
    "highest_level": 12,
    "pass_after_double": True,
    "minimum_exchange": 0,
    "younger_minimum_exchange": 0,
    "younger_draws_leftovers": False,
    "younger_sees_leftovers": True,
    "max_thrown_in": 100,
    "minimum_point": 1,
    "sinking": True,
    "carte_blanche": 0,
    "repique": 30,
    "pique": 29,
    "minus_repique": 21,
    "minus_pique": 21,
    "deals": 6,
    "rubicon": 150,
    "extra_deals_on_tie": 0,
    "stop_at": None,
    "stop_double_below": 50,
    "open_hands": False,
}
CLASSIC = {
    **DEFAULTS,
    "auction": False,
    "minimum_exchange": 1,
    "carte_blanche": 10,
    "repique": 30,
    "pique": 30,
    "rubicon": 100,
}
LEFTOVERS = {"younger_draws_leftovers": True, "younger_sees_leftovers": False, "extra_deals_on_tie": 2}
SMALL = {"suits": "SH", "elder_talon": 1, "younger_talon": 1, "deals": 1, "max_thrown_in": 1}
SMALL = {**SMALL, "younger_sees_leftovers": False}
MINI = {"ranks": "JQKA", "hand_size": 3, "lowest_level": 2, "highest_level": 3}
MINI = {**MINI, "repique": 6, "pique": 5, "minus_repique": 5, "minus_pique": 5}
MICRO = {"ranks": "QKA", "hand_size": 2, "lowest_level": 1, "highest_level": 2}
MICRO = {**MICRO, "repique": 4, "pique": 3, "minus_repique": 3, "minus_pique": 3}

RULESETS: dict[str, dict] = {
    "auction": DEFAULTS,
    "auction-parlett": {**DEFAULTS, "pass_after_double": False},
    "auction-cavendish": {**DEFAULTS, **LEFTOVERS},
    "rubicon": CLASSIC,
    "cavendish": {**CLASSIC, **LEFTOVERS, "younger_minimum_exchange": 1},
    "cent": {**CLASSIC, "stop_at": 100, "stop_double_below": 50},
    "open": {**CLASSIC, "open_hands": True},
    "mini": {**DEFAULTS, **SMALL, **MINI},
    "micro": {**DEFAULTS, **SMALL, **MICRO},
}


def make_rules(spec) -> dict:
    """A ruleset's name, or a dict {"base": name, field: value, ...} -> all the fields."""
    if isinstance(spec, str):
        return dict(RULESETS[spec])
    changes = {field: value for field, value in spec.items() if field != "base"}
    unknown = set(changes) - set(DEFAULTS)
    if unknown:
        raise ValueError(f"unknown fields of the rules: {sorted(unknown)}")
    return {**RULESETS[spec.get("base", "auction")], **changes}


def pack(rules) -> list:
    return [suit + rank for suit in rules["suits"] for rank in rules["ranks"]]


# ------------------------------------------------------------------ the table of 80 actions


def sequence_texts() -> list:
    return [f"sequence {length} {top}" for length in range(3, 9) for top in RANKS[length - 1 :]]


def action_index(rules, text) -> int:
    word, *rest = text.split(" ")
    if word in ("discard", "play"):
        return 8 * SUITS.index(rest[0][0]) + RANKS.index(rest[0][1])
    if text[0] in "+-":
        return {"+": 34, "-": 40}[text[0]] + int(text[1:]) - rules["lowest_level"]
    if word == "point":
        return 49 + SUITS.index(rest[0])
    if word == "sequence":
        return 53 + sequence_texts().index(text)
    if word == "set":
        return 74 + "TJQKA".index(rest[0])
    return {"stand": 32, "none": 33, "pass": 46, "double": 47, "redouble": 48, "carte blanche": 79}[text]


# ------------------------------------------------------------------ section 5: holdings


class Holding(NamedTuple):
    text: str  # the action that names it
    strength: tuple  # a holding beats another of its category when its strength is greater
    points: int
    cards: frozenset


def pips(rank) -> int:
    if rank == "A":
        return 11
    return int(rank) if rank in "789" else 10


def point_holdings(hand, minimum_point) -> list:
    """Every suit of the hand, in the order S H D C; strength (number, pips)."""
    found = []
    for suit in SUITS:
        cards = frozenset(card for card in hand if card[0] == suit)
        if cards and len(cards) >= minimum_point:
            strength = (len(cards), sum(pips(card[1]) for card in cards))
            found.append(Holding(f"point {suit}", strength, len(cards), cards))
    return found


def sequence_holdings(hand) -> list:
    """Every maximal run of three or more, in the order S H D C; strength (length, place of the top rank)."""
    found = []
    for suit in SUITS:
        run = []
        for rank in RANKS + "-":  # the "-" is in no hand and ends the last run
            if suit + rank in hand:
                run.append(suit + rank)
                continue
            if len(run) >= 3:
                top = run[-1][1]
                points = {3: 3, 4: 4, 5: 15, 6: 16, 7: 17, 8: 18}[len(run)]
                strength = (len(run), RANKS.index(top))
                found.append(Holding(f"sequence {len(run)} {top}", strength, points, frozenset(run)))
            run = []
    return found


def set_holdings(hand) -> list:
    """Trios and quatorzes of ten or higher; strength (number, place of the rank)."""
    found = []
    for rank in "TJQKA":
        cards = frozenset(card for card in hand if card[1] == rank)
        if len(cards) >= 3:
            strength = (len(cards), RANKS.index(rank))
            found.append(Holding(f"set {rank}", strength, {3: 3, 4: 14}[len(cards)], cards))
    return found


def holdings(category, hand, rules) -> list:
    if category == "point":
        return point_holdings(hand, rules["minimum_point"])
    return sequence_holdings(hand) if category == "sequence" else set_holdings(hand)


def best(found):
    """The best of them, the first of equal ones; None of none."""
    return max(found, key=lambda holding: holding.strength, default=None)


def scored_with(category, named, found) -> list:
    """Section 6, step 4: the holding named, and all others of the hand that do not rank above it."""
    if category == "point":  # a hand scores one point, never two
        return [named]
    return [holding for holding in found if holding.strength <= named.strength]


def better(first, second):
    """0 or 1: which of the two holdings (None: nothing) wins; None: nobody."""
    if first is None and second is None:
        return None
    if first is None or second is None:
        return 0 if second is None else 1
    if first.strength == second.strength:
        return None
    return 0 if first.strength > second.strength else 1


def may_answer(category, holding, named) -> bool:
    """Section 6, step 2: may younger name this, given the holding that elder named (None: none)?"""
    if named is None:
        return True
    if category == "point":  # elder has said only the number
        return holding.strength[0] >= named.strength[0]
    if category == "sequence":
        return holding.strength >= named.strength
    return holding.strength > named.strength


def words(category, holding) -> dict:
    """What is said in naming it."""
    if holding is None:
        return {"none": True}
    first, second = holding.strength
    if category == "point":
        return {"number": first}
    if category == "sequence":
        return {"length": first, "top": RANKS[second]}
    return {"number": first, "rank": RANKS[second]}


# ------------------------------------------------------------------ one deal


class NaiveGame:
    """One deal. Players are 0 and 1.

    phase       "auction", "carte blanche", "exchange", "point", "sequence", "set", "play" or "over"
    to_act      whose turn it is; None when over
    contract    None, or {"maker": 0, "sign": "+", "level": 7, "stake": 1}
    elder       None until it is known
    score       [itemised score of 0, of 1]
    tricks      [won by 0, won by 1]
    shown       [cards that 0 has shown, that 1 has shown]: carte blanche, scored holdings
    said        said[category][player]: None (nothing yet), {"none": True}, {"number": 5} with "pips" when
                those are public, {"length": 4, "top": "K"} or {"number": 3, "rank": "A"}
    exchanged   [number 0 exchanged, 1 exchanged]: None before he stands
    discards, drawn, looked_at   of each player: cards discarded, drawn, left in the talon but seen by him
    played      (player, card) in order
    """

    def __init__(self, rules: dict, dealer: int, hands, talon, totals=(0, 0)):
        self.rules, self.dealer, self.totals = rules, dealer, tuple(totals)
        self.hands = [set(hands[0]), set(hands[1])]
        self.talon = list(talon)
        self.check_the_deal()
        self.score = [dict.fromkeys((*SCORE_ITEMS, "total"), 0) for _ in range(2)]
        self.tricks = [0, 0]
        self.contract, self.thrown_in, self.elder = None, False, None
        self.bid, self.doubled, self.passes = None, False, 0  # bid: (player, sign, level)
        self.exchanged = [None, None]
        self.discards, self.drawn, self.looked_at = [set(), set()], [set(), set()], [set(), set()]
        self.shown, self.to_show = [set(), set()], [set(), set()]
        self.said = {category: [None, None] for category in CATEGORIES}
        self.named = None  # the holding that elder has named in the category under way
        self.led, self.played = None, []  # led: (player, card)
        if rules["auction"]:
            self.phase, self.to_act = "auction", 1 - dealer  # section 3: the non-dealer speaks first
        else:
            self.elder = 1 - dealer
            self.start_classic()

    def check_the_deal(self):
        sizes = [len(self.hands[0]), len(self.hands[1]), len(self.talon)]
        size, parts = self.rules["hand_size"], self.rules["elder_talon"] + self.rules["younger_talon"]
        if sizes != [size, size, parts]:
            raise ValueError(f"hands and talon of {sizes} cards, not {[size, size, parts]}")
        if sorted([*self.hands[0], *self.hands[1], *self.talon]) != sorted(pack(self.rules)):
            raise ValueError("the cards are not the pack")

    @property
    def younger(self):
        return 1 - self.elder

    @property
    def minus(self) -> bool:
        return self.contract is not None and self.contract["sign"] == "-"

    # -- what is legal, and doing it

    def legal(self) -> list:
        """The legal actions' texts, sorted as strings."""
        if self.phase == "over":
            return []
        return sorted(self.legal_in_phase())

    def legal_in_phase(self) -> list:
        if self.phase == "auction":
            return self.legal_calls()
        if self.phase == "carte blanche":
            return ["none", "carte blanche"]
        if self.phase == "exchange":
            return self.legal_exchange()
        if self.phase == "play":
            return self.legal_cards()
        return self.legal_declarations()

    def legal_indices(self) -> list:
        return sorted(action_index(self.rules, text) for text in self.legal())

    def act(self, text: str):
        if text not in self.legal():
            raise ValueError(f"illegal action {text!r} in phase {self.phase!r}; legal: {self.legal()}")
        if self.phase == "auction":
            self.call(text)
        elif self.phase == "carte blanche":
            self.answer_carte_blanche(text)
        elif self.phase == "exchange":
            self.exchange(text)
        elif self.phase == "play":
            self.play(text.removeprefix("play "))
        else:
            self.declare(text)

    def finish(self):
        self.phase, self.to_act = "over", None

    # -- section 3: the auction

    def legal_calls(self) -> list:
        lowest = self.rules["lowest_level"] if self.bid is None else self.bid[2] + 1
        levels = range(lowest, self.rules["highest_level"] + 1)
        calls = [f"{sign}{level}" for sign in "+-" for level in levels]
        if self.doubled:
            return calls + ["redouble"] + (["pass"] if self.rules["pass_after_double"] else [])
        if self.bid is not None:
            return [*calls, "pass", "double"]
        return [*calls, "pass"]

    def call(self, text):
        speaker, other = self.to_act, 1 - self.to_act
        self.to_act = other
        if text == "double":
            self.doubled = True
        elif text == "redouble":
            self.contract_is(maker=speaker, stake=4)
        elif text != "pass":
            self.bid, self.doubled = (speaker, text[0], int(text[1:])), False
        elif self.bid is None:
            self.passes += 1
            if self.passes == 2:
                self.thrown_in = True
                self.finish()
        elif self.doubled:
            self.contract_is(maker=other, stake=2)  # the doubler is the maker
        else:
            self.contract_is(maker=other, stake=1)

    def contract_is(self, maker, stake):
        _, sign, level = self.bid
        self.contract = {"maker": maker, "sign": sign, "level": level, "stake": stake}
        self.elder = maker
        self.start_exchange()

    # -- section 9: carte blanche, before any exchange

    def start_classic(self):
        if self.rules["carte_blanche"] > 0:
            for player in (self.elder, self.younger):
                if not any(card[1] in "KQJ" for card in self.hands[player]):
                    self.phase, self.to_act = "carte blanche", player
                    return
        self.start_exchange()

    def answer_carte_blanche(self, text):
        if text == "carte blanche":
            self.shown[self.to_act] |= self.hands[self.to_act]
            self.add(self.to_act, "carte_blanche", self.rules["carte_blanche"])
            self.look_at_repique()
            if self.stopped():
                return
        self.start_exchange()

    # -- section 4: the exchange

    def start_exchange(self):
        self.phase, self.to_act = "exchange", self.elder

    def part_of_the_talon(self) -> list:
        """The cards that the player to act may take, in order."""
        if self.to_act == self.elder:
            return self.talon[: self.rules["elder_talon"]]
        if self.rules["younger_draws_leftovers"]:
            return self.talon[self.exchanged[self.elder] :]
        return self.talon[self.rules["elder_talon"] :]

    def legal_exchange(self) -> list:
        done = len(self.discards[self.to_act])
        minimum = "minimum_exchange" if self.to_act == self.elder else "younger_minimum_exchange"
        actions = []
        if done < len(self.part_of_the_talon()):
            actions += ["discard " + card for card in self.hands[self.to_act]]
        if done >= self.rules[minimum]:
            actions.append("stand")
        return actions

    def exchange(self, text):
        player = self.to_act
        if text != "stand":
            card = text.removeprefix("discard ")
            self.hands[player].remove(card)
            self.discards[player].add(card)
            return
        part, number = self.part_of_the_talon(), len(self.discards[player])
        self.exchanged[player] = number
        self.drawn[player] = set(part[:number])
        self.hands[player] |= self.drawn[player]
        self.looked_at[player] |= set(part[number:])
        if player == self.elder:
            self.to_act = self.younger
            return
        if self.rules["younger_sees_leftovers"]:
            self.looked_at[player] |= self.looked_at[self.elder]
        self.start_declarations()

    # -- sections 6 and 7: the declarations

    def start_declarations(self):
        if self.rules["sinking"] and not self.minus:
            self.phase, self.to_act = "point", self.elder
            return
        for category in CATEGORIES:  # no choices and no actions
            if self.minus:
                self.compare_minus(category)
            else:
                self.name_the_best(category)
            if self.phase == "over":
                return
        self.start_play()

    def holdings(self, category, player) -> list:
        return holdings(category, self.hands[player], self.rules)

    def legal_declarations(self) -> list:
        found = self.holdings(self.phase, self.to_act)
        if self.to_act == self.younger:
            found = [holding for holding in found if may_answer(self.phase, holding, self.named)]
        return ["none", *{holding.text for holding in found}]

    def declare(self, text):
        """Of two equal runs, which have one text, it does not matter which is taken."""
        category, player = self.phase, self.to_act
        matching = [holding for holding in self.holdings(category, player) if holding.text == text]
        holding = matching[0] if matching else None
        if player == self.elder:
            self.elder_names(category, holding)
            self.to_act = self.younger
            return
        self.younger_answers(category, holding)
        if self.phase == "over":
            return
        if category == "set":
            self.start_play()
        else:
            self.phase, self.to_act = CATEGORIES[CATEGORIES.index(category) + 1], self.elder

    def name_the_best(self, category):
        """Section 6, rule sinking = False."""
        self.elder_names(category, best(self.holdings(category, self.elder)))
        answer = best(self.holdings(category, self.younger))
        if answer is not None and not may_answer(category, answer, self.named):
            answer = None
        self.younger_answers(category, answer)

    def elder_names(self, category, holding):
        self.named = holding
        self.said[category][self.elder] = words(category, holding)

    def younger_answers(self, category, answer):
        named, said = self.named, self.said[category]
        said[self.younger] = words(category, answer)
        if category == "point" and named and answer and named.strength[0] == answer.strength[0]:
            said[self.elder]["pips"] = named.strength[1]
            if answer.strength >= named.strength:
                said[self.younger]["pips"] = answer.strength[1]
        winning = better(named, answer)
        if winning is None:
            self.settle(category, None, None, [])
            return
        winner, holding = [(self.elder, named), (self.younger, answer)][winning]
        scored = scored_with(category, holding, self.holdings(category, winner))
        self.settle(category, winner, winner, scored)

    def compare_minus(self, category):
        """Section 7: the best holdings are compared; the opponent of the better hand scores it."""
        found = [self.holdings(category, 0), self.holdings(category, 1)]
        winner = better(best(found[0]), best(found[1]))
        if winner is None:
            self.settle(category, None, None, [])
            return
        scored = scored_with(category, best(found[winner]), found[winner])
        self.settle(category, winner, 1 - winner, scored)

    def settle(self, category, holder, scorer, scored):
        """The category is decided: `scored`, in the hand of `holder`, count for `scorer` (None: nobody)."""
        if holder is not None:
            for holding in scored:
                self.to_show[holder] |= holding.cards
            self.add(scorer, category, sum(holding.points for holding in scored))
        self.look_at_repique()
        if category == "set":  # all declarations are done
            self.shown[0] |= self.to_show[0]
            self.shown[1] |= self.to_show[1]
            self.look_at_pique()
        self.stopped()

    # -- section 8: the play

    def start_play(self):
        self.phase, self.to_act = "play", self.elder

    def legal_cards(self) -> list:
        hand = self.hands[self.to_act]
        following = [] if self.led is None else [card for card in hand if card[0] == self.led[1][0]]
        return ["play " + card for card in following or hand]

    def play(self, card):
        player = self.to_act
        self.hands[player].remove(card)
        self.played.append((player, card))
        self.to_act = 1 - player
        if self.led is None:
            self.led = (player, card)
            if not self.rules["auction"]:
                self.point_in_play(player)  # classic: for the card led
            return
        leader, lead = self.led
        self.led = None
        follower_wins = card[0] == lead[0] and RANKS.index(card[1]) > RANKS.index(lead[1])
        winner = player if follower_wins else leader
        self.end_of_trick(leader, winner)

    def end_of_trick(self, leader, winner):
        self.tricks[winner] += 1
        self.to_act = winner
        last = not self.hands[0]
        if self.rules["auction"] or winner != leader:
            self.point_in_play(winner)
        if not self.rules["auction"] and last:
            self.point_in_play(winner)
        if last and self.phase != "over":
            self.score_the_tricks()
            self.finish()

    def point_in_play(self, player):
        if self.phase != "over":  # the point before may have stopped the deal
            self.add(player, "tricks", 1)
            self.look_at_pique()
            self.stopped()

    # -- section 9: bonuses and the score

    def add(self, player, item, points):
        self.score[player][item] += points
        self.score[player]["total"] += points

    def look_at_repique(self):
        threshold = self.rules["minus_repique" if self.minus else "repique"]
        self.look_at_bonus("repique", 60, threshold, (0, 1))

    def look_at_pique(self):
        threshold = self.rules["minus_pique" if self.minus else "pique"]
        self.look_at_bonus("pique", 30, threshold, (0, 1) if self.minus else (self.elder,))

    def look_at_bonus(self, item, bonus, threshold, players):
        """Before anybody has a bonus the total is what counts towards one; after that there is no other."""
        if any(score["repique"] or score["pique"] for score in self.score):
            return
        for player in players:
            if self.score[player]["total"] >= threshold and self.score[1 - player]["total"] == 0:
                self.add(player, item, bonus)

    def stopped(self) -> bool:
        """Section 10, `cent`: the deal stops at once when a total reaches stop_at."""
        stop_at = self.rules["stop_at"]
        if stop_at is not None and max(self.totals[p] + self.score[p]["total"] for p in (0, 1)) >= stop_at:
            self.finish()
        return self.phase == "over"

    def score_the_tricks(self):
        """Cards, capot and contract."""
        size = self.rules["hand_size"]
        for player in (0, 1):
            counted = self.tricks[1 - player] if self.minus else self.tricks[player]
            if counted == size:
                self.add(player, "capot", 40)
            elif 2 * counted > size:
                self.add(player, "cards", 10)
        if self.contract is not None:
            maker = self.contract["maker"]
            counted = self.tricks[1 - maker] if self.minus else self.tricks[maker]
            beyond = counted - self.contract["level"]
            self.add(maker if beyond > 0 else 1 - maker, "contract", 10 * abs(beyond) * self.contract["stake"])


# ------------------------------------------------------------------ deal records


def parse_hand(text) -> set:
    return {suit + rank for suit, ranks in zip(SUITS, text.split("."), strict=True) for rank in ranks}


def game_of(record, rules=None, totals=(0, 0)) -> NaiveGame:
    """The deal of a record, before its first action."""
    rules = make_rules(record["rules"]) if rules is None else rules
    hands = [parse_hand(record["hands"][name]) for name in PLAYERS]
    return NaiveGame(rules, PLAYERS.index(record["dealer"]), hands, record["talon"].split(), totals)


def replay(record, rules=None, totals=(0, 0)) -> NaiveGame:
    """The deal of a record after its last action."""
    game = game_of(record, rules, totals)
    for action in record["actions"]:
        player, text = action.split(" ", 1)
        if str(game.to_act) != player:
            raise ValueError(f"{action!r}: it is the turn of {game.to_act}")
        game.act(text)
    return game


def result(game):
    """The `result` of the deal's record; None where the cards were thrown in."""
    if game.phase != "over":
        raise ValueError("the deal is not over")
    if game.thrown_in:
        return None
    contract = game.contract and {**game.contract, "maker": PLAYERS[game.contract["maker"]]}
    return {
        "contract": contract,
        "tricks": dict(zip(PLAYERS, game.tricks, strict=True)),
        "score": dict(zip(PLAYERS, [dict(score) for score in game.score], strict=True)),
    }


# ------------------------------------------------------------------ section 10: the partie


def partie_over(rules, totals, completed) -> bool:
    if rules["stop_at"] is not None:
        return max(totals) >= rules["stop_at"]
    if completed == rules["deals"]:
        return totals[0] != totals[1] or rules["extra_deals_on_tie"] == 0
    return completed == rules["deals"] + rules["extra_deals_on_tie"]


def payment(rules, totals) -> list:
    if totals[0] == totals[1]:
        return [0, 0]
    winner = 0 if totals[0] > totals[1] else 1
    won, lost = totals[winner], totals[1 - winner]
    if rules["stop_at"] is not None:
        paid = 2 if lost < rules["stop_double_below"] else 1
    else:
        paid = rules["rubicon"] + (won + lost if lost < rules["rubicon"] else won - lost)
    return [paid, -paid] if winner == 0 else [-paid, paid]


def play_partie(rules, deals) -> dict:
    """Replay deal records in order, thrown-in ones too; the last one may be incomplete.

    Gives {"totals": [of completed deals], "payment": [..] (None unless over), "over", "truncated",
    "completed": number of deals, "thrown_in": number in a row, "games": the replayed deals}.
    """
    rules = make_rules(rules)
    totals, completed, in_a_row, over, truncated, games = [0, 0], 0, 0, False, False, []
    dealer = PLAYERS.index(deals[0]["dealer"]) if deals else None
    for record in deals:
        if over or truncated or (games and games[-1].phase != "over"):
            raise ValueError("a deal after the end, or after a deal that is not over")
        if PLAYERS.index(record["dealer"]) != dealer:
            raise ValueError(f"the dealer is {PLAYERS[dealer]}")
        game = replay(record, rules, totals)
        games.append(game)
        if game.phase != "over":
            continue
        if game.thrown_in and rules["max_thrown_in"] > 1:  # section 3: the same dealer deals again
            in_a_row += 1
            truncated = in_a_row == rules["max_thrown_in"]
            continue
        in_a_row = 0
        completed += 1
        totals = [totals[player] + game.score[player]["total"] for player in (0, 1)]
        dealer = 1 - dealer
        over = partie_over(rules, totals, completed)
    return {
        "totals": totals,
        "payment": payment(rules, totals) if over else None,
        "over": over,
        "truncated": truncated,
        "completed": completed,
        "thrown_in": in_a_row,
        "games": games,
    }
