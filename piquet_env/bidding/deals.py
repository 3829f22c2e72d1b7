"""The deals of the bidding benchmark: dealt and settled once, then looked up; kept in a file."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from piquet_env.bidding.making import ONE, first_wrong, settled_deals, talon_size
from piquet_env.bidding.playout import PLAYOUT_VERSION
from piquet_env.engine.cards import CARDS
from piquet_env.files import read_arrays, write_arrays
from piquet_env.rules import RULES_VERSION, Rules

FORMAT = "piquet-bidding/1"
SUFFIX = ".npz"
_DTYPES = {"hands": np.dtype("<u4"), "talon": np.dtype("u1"), "scores": np.dtype("<i2")}
# What neither the cards dealt nor the playout depends on.
_ANY_RULES = {"pass_after_double", "max_thrown_in", "deals", "rubicon", "extra_deals_on_tie", "highest_level"}


class DealsError(ValueError):
    """Deals that cannot be used: a file that is none, is damaged, of another version, or of other rules."""


class Part(NamedTuple):
    """A part of the benchmark: these deals of `auction`, and no others."""

    name: str
    seed: int
    number: int
    sha256: str
    """`BiddingDeals.checksum` of it."""


def held_out_seed(seed: int) -> int:
    """The seed of the deals to test on, for those trained on deals of a seed: a negative one.

    No environment takes it, and of matches only those with the seed 2**63 - 1 - seed play such deals.
    """
    return -1 - seed


TRAIN = Part("train", 0, 1_000_000, "8ed9f050f419610bfd222ad73221a49ce36f1e54c114b8f6e3fb945b1c37ec5e")
TEST = Part("test", held_out_seed(0), 10_000, "16c7851c2d16345f4abfd14f0ed80e51b1747008b6486b4ba5d245e58b730235")
PARTS = (TRAIN, TEST)


@dataclass(frozen=True, eq=False, repr=False)
class BiddingDeals:
    """Deals, and what each comes to in every contract.

    Number i of them is dealt as an environment with the seed `seed` deals the first deal of its game number
    `first` + i, but for the dealer, whom an environment draws for itself.
    """

    rules: Rules
    seed: int
    first: int
    hands: NDArray[np.uint32]
    """(N, 2): player_0's hand and player_1's, sets of cards."""
    talon: NDArray[np.uint8]
    """(N, talon): its cards in order."""
    scores: NDArray[np.int16]
    """(N, 2, 2, 3): [elder][0 plus, 1 minus][stake 1, 2, 4], player_0's score less player_1's in a contract of the
    lowest level (bidding.playout)."""

    def __post_init__(self) -> None:
        """Raises DealsError: rules without an auction, or arrays of other shapes or types."""
        check_has_auction(self.rules)
        _check_arrays(self.rules, self._arrays(), None)
        self._own_arrays()

    @classmethod
    def make(
        cls,
        number: int,
        seed: int,
        first: int = 0,
        rules: str | Rules | Mapping[str, Any] = "auction",
        threads: int | None = None,
        progress: Callable[[int], object] | None = None,
    ) -> BiddingDeals:
        """Deal so many deals and settle them, in about a millisecond each and core.

        Args:
            number: at least 1.
            seed: 0 <= seed < 2**63, as that of an environment; or negative: `held_out_seed` of such a one.
            first: the number of the first game, at least 0; the last one is at most 2**63 - 1.
            rules: with an auction.
            threads: how many to use; None: one for each core. The deals do not depend on it.
            progress: called with the number of deals that are done since the last call.

        Raises:
            ValueError: bad numbers, or rules without an auction.
        """
        made = Rules.make(rules)
        check_has_auction(made)
        check_numbers(number, seed, first)
        numbers = int(first) + np.arange(number, dtype=np.int64)
        arrays = settled_deals(made, int(seed), numbers, threads, progress)
        typed = (array.astype(dtype) for array, dtype in zip(arrays, _DTYPES.values(), strict=True))
        return cls(made, int(seed), int(first), *typed)

    @classmethod
    def joined(cls, parts: Sequence[BiddingDeals]) -> BiddingDeals:
        """Parts that follow on one another, of the same rules and seed, as one."""
        arrays = (np.concatenate([getattr(part, name) for part in parts]) for name in _DTYPES)
        return cls(parts[0].rules, parts[0].seed, parts[0].first, *arrays)

    def __len__(self) -> int:
        return len(self.hands)

    def __repr__(self) -> str:
        """Which they are, without the arrays."""
        return f"<BiddingDeals: {len(self):,} of {self.rules.spec()}, seed {self.seed}, from number {self.first}>"

    def __deepcopy__(self, memo: Any) -> BiddingDeals:
        """Itself: it never changes, and copies of an environment share it."""
        return self

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Pickled out of band the arrays may be read-only."""
        self.__dict__.update(state)
        self._own_arrays()

    def _arrays(self) -> dict[str, NDArray[Any]]:
        return {name: getattr(self, name) for name in _DTYPES}

    def _own_arrays(self) -> None:
        """Arrays of the one kind that all is compiled for: copies of those that are read-only, or lie otherwise."""
        for name, array in self._arrays().items():
            self.__dict__[name] = np.require(array, requirements=["C", "ALIGNED", "WRITEABLE", "ENSUREARRAY"])

    @cached_property
    def checksum(self) -> str:
        """sha256 of the three arrays, one after another, as little-endian bytes in C order."""
        digest = hashlib.sha256()
        for name, dtype in _DTYPES.items():
            digest.update(np.ascontiguousarray(getattr(self, name), dtype).tobytes())
        return digest.hexdigest()

    @property
    def part(self) -> Part | None:
        """Which part of the benchmark these deals are; None: other deals."""
        settings = (self.rules.spec(), self.first, self.seed, len(self))
        for part in PARTS:
            if settings == ("auction", 0, part.seed, part.number) and self.checksum == part.sha256:
                return part
        return None

    def check_rules(self, rules: Rules) -> None:
        """Raises DealsError: by these rules other cards are dealt, or they are settled otherwise."""
        if _what_counts(self.rules) != _what_counts(rules):
            raise DealsError(f"rules: the deals are of {self.rules.spec()}, and here {rules.spec()} is played")

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write them as one .npz file, whole or not at all. Raises OSError."""
        header = {**_header(), "rules": self.rules.spec(), "seed": self.seed, "first": self.first, "number": len(self)}
        write_arrays(path, header | {"sha256": self.checksum}, self._arrays())

    @classmethod
    def load(cls, path: str | os.PathLike[str], rules: str | Rules | Mapping[str, Any] | None = None) -> BiddingDeals:
        """The deals in a file that `save` wrote; rules: those that are to be played, None: any.

        Raises:
            DealsError: no such file, or one that is damaged, of another version, or of other rules.
        """
        made = None if rules is None else Rules.make(rules)
        try:
            header, arrays = read_arrays(path, _DTYPES, _check_header)
            its_rules = Rules.make(header["rules"])
            check_has_auction(its_rules)
            _check_arrays(its_rules, arrays, header["number"])
            deals = cls(its_rules, header["seed"], header["first"], **arrays)
            _check_cards(deals)
            if deals.checksum != header["sha256"]:
                raise ValueError("its content does not fit its checksum")
            if made is not None:
                deals.check_rules(made)
        except ValueError as error:
            raise DealsError(f"{os.fspath(path)}: no deals for bidding: {error}") from error
        return deals


def _what_counts(rules: Rules) -> dict[str, Any]:
    """The fields of the rules that the cards dealt, or the playout, depend on."""
    return {name: value for name, value in asdict(rules).items() if name not in _ANY_RULES}


def check_has_auction(rules: Rules) -> None:
    """Raises DealsError: they are without one."""
    if not rules.auction:
        raise DealsError(f"rules: expected a game with an auction, got {rules.spec()}")


def _header() -> dict[str, Any]:
    return {"format": FORMAT, "playout": PLAYOUT_VERSION, "versions": {"rules": RULES_VERSION}}


def check_numbers(number: Any, seed: Any, first: Any) -> None:
    """Raises ValueError: there are no such deals."""
    for name, value, least in (("number", number, 1), ("seed", seed, -(2**63)), ("first", first, 0)):
        if isinstance(value, bool) or not isinstance(value, int | np.integer) or not least <= value < 2**63:
            raise ValueError(f"{name}: expected a whole number from {least} to 2**63 - 1, got {value!r}")
    if int(first) + int(number) > 2**63:
        raise ValueError(f"first: the last of {number} games from {first} on has no number below 2**63")


_KINDS = {"rules": (str, dict), "seed": int, "first": int, "number": int, "sha256": str}


def _check_header(header: Any) -> None:
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise ValueError(f"expected the format {FORMAT!r}")
    for name, expected in _header().items():
        if header.get(name) != expected:
            raise ValueError(f"it is of {name} {header.get(name)}, this program has {expected}")
    for name, kind in _KINDS.items():
        if not isinstance(header.get(name), kind):
            raise ValueError(f"its header has no {name!r}")
    check_numbers(header["number"], header["seed"], header["first"])


def _check_arrays(rules: Rules, arrays: Mapping[str, Any], number: int | None) -> None:
    """Raises DealsError: types or shapes are not those of so many deals; None: of at least one."""
    for name, shape in {"hands": (2,), "talon": (talon_size(rules),), "scores": ONE}.items():
        array, dtype = arrays[name], _DTYPES[name]
        if not isinstance(array, np.ndarray):
            raise DealsError(f"{name}: expected {dtype} (N, {', '.join(map(str, shape))}), got {type(array).__name__}")
        number = array.shape[0] if number is None and array.shape else number
        if array.shape != (number, *shape) or array.dtype != dtype:
            raise DealsError(f"{name}: expected {dtype} {(number, *shape)}, got {array.dtype} {array.shape}")
    if not number:
        raise DealsError("expected at least one deal")


def _check_cards(deals: BiddingDeals) -> None:
    """Raises ValueError: its cards are no deals."""
    hands, talon = deals.hands.astype(np.int64), deals.talon.astype(np.int64)
    wrong = first_wrong(hands, talon, deals.rules.hand_size, deals.rules.pack)
    if wrong >= 0 or (talon >= CARDS).any():
        raise ValueError("its cards are not those of the pack")
