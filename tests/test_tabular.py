"""Bots that are tables, and their files: what was saved comes back, and nothing else is taken for one."""

import json
import zipfile

import numpy as np
import pytest

from piquet_env.arena import play_match
from piquet_env.bots import BotError, load_bot, views_of
from piquet_env.bots.policy import draw, probabilities_of
from piquet_env.bots.tabular import TabularBot
from piquet_env.exact import equilibrium, exploitability, information_sets

TINY = {"base": "micro", "ranks": "KA", "hand_size": 1, "highest_level": 1}


@pytest.fixture(scope="module")
def bot() -> TabularBot:
    return equilibrium(TINY, 30).bot


@pytest.fixture
def file(bot, tmp_path):
    bot.save(tmp_path / "table.npz")
    return tmp_path / "table.npz"


def test_what_was_saved_comes_back(bot, file):
    again = load_bot(str(file))
    assert isinstance(again, TabularBot)
    assert (again.sha256, again.rules) == (bot.sha256, bot.rules)
    assert exploitability(again, TINY) == exploitability(bot, TINY)
    deals = [play_match(each, load_bot("random"), TINY, 50, seed=1).deals for each in (bot, again)]
    assert (deals[0] == deals[1]).all()


def test_it_plays_its_probabilities(bot):
    """20,000 times in one situation: within four standard errors."""
    tree = information_sets(TINY)
    widest = int(np.diff(tree.firsts).argmax())
    views = tree.views(np.full(20_000, widest), 1)
    policy = probabilities_of("it", bot, views)
    assert (policy == policy[0]).all()
    assert policy[0].sum() == pytest.approx(1)
    counts = np.bincount(bot.act(views, np.random.default_rng(1)), minlength=80) / 20_000
    assert (abs(counts - policy[0]) <= 4 * np.sqrt(policy[0] * (1 - policy[0]) / 20_000)).all()


def test_actions_are_drawn_by_their_probabilities():
    policy = np.zeros((3, 80), np.float32)
    policy[0, 79] = policy[1, 0] = policy[2, 7] = 1
    for seed in range(20):
        assert draw(policy, np.random.default_rng(seed)).tolist() == [79, 0, 7]


def test_forced_actions_need_no_table_and_all_others_do(bot):
    rows = information_sets("micro").rows(np.arange(5))
    with pytest.raises(BotError, match=r"the table is for rules .*'ranks': 'KA'.*not in it"):
        bot.act(views_of(rows), np.random.default_rng(0))
    views = views_of(rows)
    views.mask[:] = 0
    views.mask[:, 32] = 1
    assert (bot.act(views, np.random.default_rng(0)) == 32).all()


# ------------------------------------------------------------------ files that are none


def refused(path, reason: str):
    with pytest.raises(BotError, match=reason) as error:
        load_bot(str(path))
    assert "\n" not in str(error.value)


def test_files_that_are_cut_short_or_damaged(file):
    content = file.read_bytes()
    for length in (0, 10, len(content) // 2, len(content) - 1):
        file.write_bytes(content[:length])
        refused(file, "table.npz: no table of a bot")
    for place in (100, len(content) // 2, len(content) - 60):
        damaged = bytearray(content)
        damaged[place] ^= 0xFF
        file.write_bytes(damaged)
        refused(file, "table.npz: no table of a bot")


def test_files_with_any_one_byte_damaged(file):
    """Where the damage changes nothing that is read, it is the same bot."""
    content, table, refusals = file.read_bytes(), load_bot(str(file)).sha256, []
    ends = [*range(300), *range(len(content) - 600, len(content))]  # the archive's own entries, of each kind
    for place in ends:
        damaged = bytearray(content)
        damaged[place] ^= 1
        file.write_bytes(damaged)
        try:
            assert load_bot(str(file)).sha256 == table
        except BotError as error:
            refusals.append(str(error))
    assert len(refusals) > 200
    assert all(said.startswith(f"{file}: no table of a bot: ") for said in refusals)


def test_files_of_another_kind(tmp_path, file):
    refused(tmp_path / "absent.npz", "absent.npz: no table of a bot: No such file")
    refused(tmp_path, "unknown bot")
    np.savez(file, x=np.zeros(3))
    refused(file, "it has no 'header")
    np.savez(file, header=np.array([{}], object))
    refused(file, "no table of a bot: .*pickle")
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("header.npy", "x")
    refused(file, "no table of a bot")


def changed(file, **changes):
    """The same file with other arrays, or another header."""
    with np.load(file) as content:
        arrays = {name: content[name] for name in content.files}
    header = json.loads(str(arrays["header"]))
    header |= changes.pop("header", {})
    np.savez(file, **arrays | changes | {"header": np.array(json.dumps(header))})


@pytest.mark.parametrize(
    ("header", "reason"),
    [
        ({"format": "piquet-table/2"}, "expected the format 'piquet-table/1'"),
        ({"versions": {"rules": 0}}, "it is of the versions {'rules': 0}, this program has"),
        ({"rules": "auction"}, "does not fit its checksum"),
        ({"rules": "bridge"}, "unknown ruleset 'bridge'"),
        ({"sha256": "0"}, "does not fit its checksum"),
    ],
)
def test_headers_that_do_not_fit(file, header, reason):
    changed(file, header=header)
    refused(file, reason)


def test_arrays_that_do_not_fit(bot, file):
    other = bot.policy.copy()
    other[:2] = other[:2][::-1] if other[0] != other[1] else [0.25, 0.75]
    wrong = {
        "does not fit its checksum|add up to 1": {"policy": other},
        "policy: expected float64": {"policy": bot.policy.astype(np.float32)},
        "do not go together": {"keys": bot.keys[:-1]},
        "first: expected rising places": {"first": bot.first[::-1].copy()},
        "policy: expected probabilities": {"policy": bot.policy * 2},
    }
    content = file.read_bytes()
    for reason, arrays in wrong.items():
        file.write_bytes(content)
        changed(file, **arrays)
        refused(file, reason)
