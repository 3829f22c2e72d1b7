"""What `piquet report` counts, counted again deal by deal, by replaying records with tests/naive.py.

Written from the rules page and the keys of piquet_env/report.schema.json.
"""

from collections import defaultdict

import naive

RANKS = naive.RANKS
ITEMS = naive.SCORE_ITEMS


class Recount:
    """`cases[path]` is a list of what was found in each case: a truth for a share, a number for a mean."""

    def __init__(self, rules: dict):
        self.rules = rules
        self.cases = defaultdict(list)

    def note(self, path: str, found) -> None:
        self.cases[path].append(found)

    def deal(self, record: dict, me: int) -> None:
        """One deal that is over, thrown in or not, from the side of player `me`."""
        game = naive.replay(record, self.rules)
        actions = [(int(action[0]), action[2:]) for action in record["actions"]]
        dealt = naive.parse_hand(record["hands"][naive.PLAYERS[me]])
        if self.rules["auction"]:
            self.auction(game, [a for a in actions if is_call(a[1])], me)
        if game.elder is None:
            if self.rules["max_thrown_in"] == 1:
                self.score("all", game, me)
            return
        kind = "classic" if game.contract is None else "minus" if game.minus else "plus"
        role = "elder" if game.elder == me else "younger"
        group = f"{kind}_{role}"
        for name in ("all", role, group):
            self.score(name, game, me)
        self.carte_blanche(group, game, dealt, me)
        if game.exchanged[me] is not None:
            self.exchange(group, role, game, dealt, me)
        hands = [hand | {card for who, card in game.played if who == player} for player, hand in enumerate(game.hands)]
        for category in naive.CATEGORIES:
            self.declaration(f"declarations/{group}/{category}", category, game, hands, actions, me)
        self.play(group, game, hands, me)

    # -- the auction

    def auction(self, game, calls, me) -> None:
        self.note("auction/thrown_in", game.thrown_in)
        last, doubled = None, set()
        for place, (player, call) in enumerate(calls):
            before = calls[place - 1][1] if place else None
            after = calls[place + 1][1] if place + 1 < len(calls) else None
            if player == me:
                for name in ("pass", "bid", "double", "redouble"):
                    self.note(f"auction/calls/{name}", kind_of(call) == name)
                self.call(game, call, before, after, last, me)
                doubled |= set(keys_of(last)) if call == "double" else set()
            last = call if is_bid(call) else last
        bids = {key for player, call in calls if player == me and is_bid(call) for key in keys_of(call)}
        mine = game.contract is not None and game.elder == me
        for key in self.keys():
            self.note(f"auction/bids/{key}/bid", key in bids)
            self.note(f"auction/bids/{key}/own", mine and key in keys_of(bid_of(game)))
        for key in doubled:
            self.note(f"auction/doubles/{key}/points", difference(game, me))
        if game.contract is not None:
            self.contract(game, me)

    def call(self, game, call, before, after, last, me) -> None:
        if before in (None, "pass"):
            name = "dealer" if game.dealer == me else "non_dealer"
            self.note(f"auction/openings/{name}/bids", is_bid(call))
            for key in self.keys()[1:] if is_bid(call) else ():
                self.note(f"auction/openings/{name}/with/{key}", key in keys_of(call))
            return
        situation, answers = ("to_a_double", "redouble") if before == "double" else ("to_a_bid", "double")
        for key in keys_of(last):
            for name in ("pass", "bid", answers):
                self.note(f"auction/{situation}/{key}/{name}", kind_of(call) == name)
            if call == "double":
                for name, answer in (("passed", "pass"), ("outbid", "bid"), ("redoubled", "redouble")):
                    self.note(f"auction/doubles/{key}/{name}", kind_of(after) == answer)

    def keys(self) -> list:
        levels = range(self.rules["lowest_level"], self.rules["highest_level"] + 1)
        return ["all", "+", "-", *(f"{sign}{level}" for sign in "+-" for level in levels)]

    def contract(self, game, me) -> None:
        whose = "own" if game.elder == me else "others"
        self.note("auction/declares", whose == "own")
        stakes = {"doubled": 2, "redoubled": 4}
        paths = [f"auction/{whose}/{key}" for key in keys_of(bid_of(game))]
        for name, stake in stakes.items():
            self.note(f"auction/stakes/{name}/played", game.contract["stake"] == stake)
            if game.contract["stake"] == stake:
                paths.append(f"auction/stakes/{name}/{whose}")
        tricks = game.tricks[game.younger if game.minus else game.elder]
        for path in paths:
            self.note(f"{path}/made", tricks >= game.contract["level"])
            self.note(f"{path}/tricks", tricks)
            self.note(f"{path}/points", difference(game, me))

    # -- the exchange

    def exchange(self, group, role, game, dealt, me) -> None:
        path, number = f"exchange/{group}", game.exchanged[me]
        kept, after = dealt - game.discards[me], dealt - game.discards[me] | game.drawn[me]
        self.note(f"{path}/exchanged", number)
        most = self.rules["elder_talon"]
        if role == "younger":
            leftovers = self.rules["elder_talon"] - self.rules["minimum_exchange"]
            most = self.rules["younger_talon"] + leftovers * self.rules["younger_draws_leftovers"]
        for cards in range(min(most, self.rules["hand_size"]) + 1):
            self.note(f"{path}/distribution/{cards}", number == cards)
        self.note(f"{path}/leftovers_seen", len(game.looked_at[me]))
        for card in dealt:
            self.note(f"{path}/kept/{card[1]}", card in kept)
        for name, hand in (("dealt", dealt), ("kept", kept), ("after", after)):
            self.note(f"{path}/longest_suit/{name}", max(suit_lengths(hand)))
        for name, (category, number_of) in KINDS.items():
            best, left, then = (naive.best(naive.holdings(category, hand, self.rules)) for hand in (dealt, kept, after))
            self.note(f"{path}/holdings/{name}/dealt", number_of(best))
            self.note(f"{path}/holdings/{name}/after", number_of(then))
            if number_of(best):
                self.note(f"{path}/holdings/{name}/kept", left is not None and left.strength == best.strength)
        for key in keys_of(bid_of(game))[1:] if game.contract else ():
            self.note(f"exchange/by_contract/{key}/{role}", number)

    # -- declarations

    def declaration(self, path, category, game, hands, actions, me) -> None:
        found = [naive.holdings(category, hand, self.rules) for hand in hands]
        best = [naive.best(of) for of in found]
        points = game.score[me][category]
        if game.minus:
            winner = naive.better(*best)
            self.note(f"{path}/held", best[me] is not None)
            self.note(f"{path}/scored", winner == 1 - me)
            self.note(f"{path}/given", winner == me)
            self.note(f"{path}/points", points)
            return
        if game.said[category][me] is None:
            return
        named = self.named(category, found, best, game, actions)
        self.note(f"{path}/held", best[me] is not None)
        self.note(f"{path}/declared", named[me] is not None)
        self.note(f"{path}/points", points)
        if named[me]:
            how = compared(named[me], named[1 - me])
            for name in ("good", "equal", "not_good"):
                self.note(f"{path}/{name}", how == name)
        self.sinking(f"{path}/sunk", category, best, named, game, me)

    def named(self, category, found, best, game, actions) -> list:
        """What each named: from his action, without sinking by the rule."""
        if not self.rules["sinking"]:
            answer = best[game.younger]
            says = answer is not None and naive.may_answer(category, answer, best[game.elder])
            return [best[player] if player == game.elder or says else None for player in (0, 1)]
        declared = [a for a in actions if a[1] == "none" or a[1].split()[0] in naive.CATEGORIES]
        declared = [a for a in declared if a not in actions[:1]]  # an answer about carte blanche comes first
        place = naive.CATEGORIES.index(category)
        texts = dict(declared[2 * place : 2 * place + 2])
        return [next((h for h in found[player] if h.text == texts[player]), None) for player in (0, 1)]

    def sinking(self, path, category, best, named, game, me) -> None:
        if best[me] is None:
            return
        if me == game.younger and not naive.may_answer(category, best[me], named[game.elder]):
            return
        sunk = named[me] is None or named[me].strength < best[me].strength
        self.note(f"{path}/any", sunk)
        self.note(f"{path}/whole", named[me] is None)
        self.note(f"{path}/lower", sunk and named[me] is not None)
        if sunk:
            would = compared(best[me], best[1 - me] if me == game.elder else named[game.elder])
            for name in ("good", "equal", "not_good"):
                self.note(f"{path}/would_be_{name}", would == name)

    def carte_blanche(self, group, game, dealt, me) -> None:
        if self.rules["carte_blanche"]:
            has = not any(card[1] in "KQJ" for card in dealt)
            self.note(f"declarations/{group}/carte_blanche/dealt", has)
            if has:
                self.note(f"declarations/{group}/carte_blanche/shown", game.score[me]["carte_blanche"] > 0)

    # -- play and score

    def play(self, group, game, hands, me) -> None:
        if me == game.elder and game.played:
            led = game.played[0][1]
            lengths = suit_lengths(hands[me])
            length = sum(card[0] == led[0] for card in hands[me])
            for rank in self.rules["ranks"]:
                self.note(f"play/{group}/first_lead/rank/{rank}", rank == led[1])
            for number in range(1, min(len(self.rules["ranks"]), self.rules["hand_size"]) + 1):
                self.note(f"play/{group}/first_lead/suit_length/{number}", length == number)
            self.note(f"play/{group}/first_lead/longest_suit", length == max(lengths))
        if sum(game.tricks) == self.rules["hand_size"]:
            self.note(f"play/{group}/tricks", game.tricks[me])
            for item in ("cards", "capot"):
                for who, player in (("bot", me), ("against", 1 - me)):
                    self.note(f"play/{group}/{item}/{who}", game.score[player][item] > 0)

    def score(self, group, game, me) -> None:
        sheets = [dict(game.score[player]) for player in (me, 1 - me)]
        for sheet, player in zip(sheets, (me, 1 - me), strict=True):
            contract = sheet.pop("contract")
            sheet["overtricks"] = contract if player == game.elder else 0
            sheet["undertricks"] = contract if player != game.elder else 0
        for item in sheets[0]:
            mine, theirs = sheets[0][item], sheets[1][item]
            for who, value in (("bot", mine), ("against", theirs), ("difference", mine - theirs)):
                self.note(f"score/{group}/{item}/{who}", value)


KINDS = {
    "point": ("point", bool),
    "sequence": ("sequence", bool),
    "trio": ("set", lambda best: best is not None and len(best.cards) == 3),
    "quatorze": ("set", lambda best: best is not None and len(best.cards) == 4),
}


def is_bid(call) -> bool:
    return call is not None and call[0] in "+-"


def is_call(text) -> bool:
    return is_bid(text) or text in ("pass", "double", "redouble")


def kind_of(call):
    return "bid" if is_bid(call) else call


def keys_of(bid) -> list:
    return [] if bid is None else ["all", bid[0], bid]


def bid_of(game):
    return None if game.contract is None else f"{game.contract['sign']}{game.contract['level']}"


def difference(game, me) -> int:
    return game.score[me]["total"] - game.score[1 - me]["total"]


def suit_lengths(hand) -> list:
    return [sum(card[0] == suit for card in hand) for suit in naive.SUITS]


def compared(mine, theirs) -> str:
    return {0: "good", 1: "not_good", None: "equal"}[naive.better(mine, theirs)]
