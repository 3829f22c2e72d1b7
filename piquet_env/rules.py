"""The rules as data: every field that a ruleset may change, and the named rulesets.

A `Rules` is immutable and valid: one that breaks a condition of the rules page is refused when it is
made, with the field and the reason. The engine sees it as a few int64 columns (`Rules.columns`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

RULES_VERSION = 1

SUITS = "SHDC"
RANKS = "789TJQKA"
BIDS_OF_EACH_SIGN = 6  # as many levels as there are actions for
_LARGEST = 10**9


class RulesError(ValueError):
    """A rule that cannot be: `field` names it, the message says why."""

    def __init__(self, field: str, reason: str):
        super().__init__(f"rules, field {field!r}: {reason}")
        self.field = field


@dataclass(frozen=True)
class Rules:
    """Every rule that a ruleset may change. The defaults are those of `auction`.

    Raises:
        RulesError: (a ValueError) a field of the wrong type, or a combination that is no game.
    """

    auction: bool = True
    """A contract is bid for; false: classic Piquet, where elder is the non-dealer."""
    suits: str = SUITS
    """Suits in the pack."""
    ranks: str = RANKS
    """Ranks in the pack."""
    hand_size: int = 12
    """Cards dealt to each player, and tricks."""
    elder_talon: int = 5
    """Cards of the talon that are elder's."""
    younger_talon: int = 3
    """Cards of the talon that are younger's."""
    lowest_level: int = 7
    """The lowest level of a bid."""
    highest_level: int = 12
    """The highest level of a bid."""
    pass_after_double: bool = True
    """Facing a double a player may pass: the doubler is then the maker."""
    minimum_exchange: int = 0
    """Cards that elder exchanges at least."""
    younger_minimum_exchange: int = 0
    """Cards that younger exchanges at least."""
    younger_draws_leftovers: bool = False
    """The talon is one pile: younger may take what elder left."""
    younger_sees_leftovers: bool = True
    """When younger stands he sees what elder left."""
    max_thrown_in: int = 100
    """Deals thrown in in a row that cut an episode off; 1: such a deal counts as over."""
    minimum_point: int = 1
    """Shorter points do not count."""
    sinking: bool = True
    """Players choose what they declare; false: they name their best."""
    carte_blanche: int = 0
    """Points for showing a hand without K, Q, J; 0: there is none."""
    repique: int = 30
    """Points that repique needs, in classic Piquet and in plus contracts."""
    pique: int = 29
    """Points that pique needs, in classic Piquet and in plus contracts."""
    minus_repique: int = 21
    """Points that repique needs in minus contracts."""
    minus_pique: int = 21
    """Points that pique needs in minus contracts."""
    deals: int = 6
    """Completed deals of a partie."""
    rubicon: int = 150
    """A loser with fewer points pays the sum instead of the difference; also the bonus of the winner."""
    extra_deals_on_tie: int = 0
    """Deals that follow, once, when a partie is tied."""
    stop_at: int | None = None
    """The partie stops at once when a player has as many points (Piquet au cent)."""
    stop_double_below: int = 50
    """With `stop_at`: a loser with fewer points pays 2."""
    open_hands: bool = False
    """Both hands are face up (for teaching)."""

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            _check_type(field.name, str(field.type), value)
            if isinstance(value, np.generic):
                object.__setattr__(self, field.name, value.item())
        for name, alphabet in (("suits", SUITS), ("ranks", RANKS)):
            object.__setattr__(self, name, _in_order(name, getattr(self, name), alphabet))
        _check_sizes(self)
        _check_bounds(self)
        _check_combinations(self)

    @classmethod
    def make(cls, spec: str | Mapping[str, Any] | Rules) -> Rules:
        """The rules that `spec` means: a ruleset's name, a `Rules`, or `{"base": name, field: value}`.

        Raises:
            RulesError: unknown name or field, or a combination that is no game.
        """
        if isinstance(spec, Rules):
            return spec
        if isinstance(spec, str):
            if spec not in RULESETS:
                raise RulesError("rules", f"unknown ruleset {spec!r}; known are {', '.join(RULESETS)}")
            return RULESETS[spec]
        if not isinstance(spec, Mapping):
            raise RulesError("rules", f"expected a ruleset's name, a Rules or changed fields, got {spec!r}")
        changes = dict(spec)
        base = changes.pop("base", "auction")
        if not isinstance(base, str):
            raise RulesError("base", f"expected a ruleset's name, got {base!r}")
        known = {field.name for field in fields(cls)}
        for name in changes:
            if name not in known:
                raise RulesError(str(name), f"unknown; known are {', '.join(sorted(known))}")
        return replace(cls.make(base), **changes)

    def spec(self) -> str | dict[str, Any]:
        """The shortest text form: a ruleset's name, or `{"base": name, field: value}`; `make` reads it back."""
        best: dict[str, Any] | None = None
        for name, base in RULESETS.items():
            if base == self:
                return name
            changed = {k: v for k, v in vars(self).items() if v != getattr(base, k)}
            if best is None or len(changed) < len(best) - 1:
                best = {"base": name, **changed}
        assert best is not None
        return best

    @property
    def pack(self) -> int:
        """The pack as a mask of 32 cards, card `8 * suit + rank`."""
        ranks = sum(1 << RANKS.index(rank) for rank in self.ranks)
        return sum(ranks << 8 * SUITS.index(suit) for suit in self.suits)

    @property
    def levels(self) -> range:
        """The levels that can be bid."""
        return range(self.lowest_level, self.highest_level + 1)

    def columns(self) -> np.ndarray:
        """The rules as the engine sees them: int64 (len(RULE_COLUMNS),); no `stop_at` is 0."""
        return np.array([getattr(self, name) or 0 for name in RULE_COLUMNS], dtype=np.int64)


RULE_COLUMNS = ("pack", *(f.name for f in fields(Rules) if f.name not in ("suits", "ranks")))
"""What a game's row holds of its rules, in this order."""


def _check_type(name: str, kind: str, value: Any) -> None:
    if kind == "bool":
        if not isinstance(value, bool | np.bool_):
            raise RulesError(name, f"expected true or false, got {value!r}")
    elif kind == "str":
        if not isinstance(value, str):
            raise RulesError(name, f"expected letters, got {value!r}")
    elif not (value is None and "None" in kind):
        if isinstance(value, bool) or not isinstance(value, int | np.integer):
            raise RulesError(name, f"expected a whole number, got {value!r}")
        if not -_LARGEST <= value <= _LARGEST:
            raise RulesError(name, f"expected a number of at most {_LARGEST} in size")  # whose digits may be thousands


def _in_order(name: str, letters: str, alphabet: str) -> str:
    """The letters in the order of `alphabet`, so that equal packs are equal rules."""
    for letter in letters:
        if letter not in alphabet:
            raise RulesError(name, f"unknown letter {letter!r}; known are {alphabet}")
        if letters.count(letter) > 1:
            raise RulesError(name, f"the letter {letter!r} stands there more than once")
    return "".join(letter for letter in alphabet if letter in letters)


def _check_sizes(rules: Rules) -> None:
    for name in ("elder_talon", "younger_talon"):
        if getattr(rules, name) < 0:
            raise RulesError(name, f"expected at least 0, got {getattr(rules, name)}")
    if not 1 <= rules.lowest_level <= rules.highest_level:
        levels = f"{rules.lowest_level}, {rules.highest_level}"
        raise RulesError("lowest_level", f"expected 1 <= lowest_level <= highest_level, got {levels}")
    if rules.highest_level > rules.hand_size:
        raise RulesError(
            "highest_level", f"expected at most hand_size = {rules.hand_size} tricks, got {rules.highest_level}"
        )
    if len(rules.levels) > BIDS_OF_EACH_SIGN:
        most = rules.lowest_level + BIDS_OF_EACH_SIGN - 1
        raise RulesError("highest_level", f"expected at most lowest_level + 5 = {most}, got {rules.highest_level}")
    dealt = 2 * rules.hand_size + rules.elder_talon + rules.younger_talon
    pack = len(rules.suits) * len(rules.ranks)
    if dealt != pack:
        raise RulesError(
            "hand_size", f"2 * hand_size + elder_talon + younger_talon = {dealt}, but the pack has {pack} cards"
        )


def _check_bounds(rules: Rules) -> None:
    for name, talon in (("minimum_exchange", rules.elder_talon), ("younger_minimum_exchange", rules.younger_talon)):
        most = min(talon, rules.hand_size)
        if not 0 <= getattr(rules, name) <= most:
            raise RulesError(name, f"expected 0 to {most} cards, got {getattr(rules, name)}")
    at_least_one = ("repique", "pique", "minus_repique", "minus_pique", "max_thrown_in", "deals", "minimum_point")
    for name in at_least_one:
        if getattr(rules, name) < 1:
            raise RulesError(name, f"expected at least 1, got {getattr(rules, name)}")
    for name in ("carte_blanche", "rubicon", "extra_deals_on_tie", "stop_double_below"):
        if getattr(rules, name) < 0:
            raise RulesError(name, f"expected at least 0, got {getattr(rules, name)}")
    if rules.stop_at is not None and rules.stop_at < 1:
        raise RulesError("stop_at", f"expected at least 1, got {rules.stop_at}")


def _check_combinations(rules: Rules) -> None:
    if rules.auction and rules.carte_blanche:
        raise RulesError("carte_blanche", "only without an auction (auction = false)")
    if rules.auction and rules.stop_at is not None:
        raise RulesError("stop_at", "only without an auction (auction = false)")
    low_cards = len(rules.suits) * sum(rank not in "JQK" for rank in rules.ranks)
    if rules.carte_blanche and low_cards >= 2 * rules.hand_size:
        raise RulesError(
            "carte_blanche", f"could be dealt to both players: the pack has {low_cards} cards that are no K, Q, J"
        )
    if rules.younger_draws_leftovers and rules.younger_sees_leftovers:
        raise RulesError("younger_sees_leftovers", "not together with younger_draws_leftovers")


_AUCTION = Rules()
_RUBICON = Rules(auction=False, minimum_exchange=1, carte_blanche=10, repique=30, pique=30, rubicon=100)
_SMALL = Rules(
    suits="SH",
    ranks="JQKA",
    hand_size=3,
    elder_talon=1,
    younger_talon=1,
    lowest_level=2,
    highest_level=3,
    younger_sees_leftovers=False,
    max_thrown_in=1,
    repique=6,
    pique=5,
    minus_repique=5,
    minus_pique=5,
    deals=1,
)
_PILE: dict[str, Any] = dict(younger_draws_leftovers=True, younger_sees_leftovers=False, extra_deals_on_tie=2)

RULESETS: dict[str, Rules] = {
    "auction": _AUCTION,
    "auction-parlett": replace(_AUCTION, pass_after_double=False),
    "auction-cavendish": replace(_AUCTION, **_PILE),
    "rubicon": _RUBICON,
    "cavendish": replace(_RUBICON, younger_minimum_exchange=1, **_PILE),
    "cent": replace(_RUBICON, stop_at=100, stop_double_below=50),
    "open": replace(_RUBICON, open_hands=True),
    "mini": _SMALL,
    "micro": replace(
        _SMALL,
        ranks="QKA",
        hand_size=2,
        lowest_level=1,
        highest_level=2,
        repique=4,
        pique=3,
        minus_repique=3,
        minus_pique=3,
    ),
}
