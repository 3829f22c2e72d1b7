"""Exported bots without torch: `base`, which comes with the package, and what passes for such a file and is none."""

from __future__ import annotations

import json
import multiprocessing
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("onnxruntime", reason="exported bots need onnxruntime: pip install 'piquet-env[play]'")

from piquet_env import SelfPlayVectorEnv
from piquet_env.bots import BotError, Views, load_bot, views_of
from piquet_env.bots.exported import UNSIGNED, load_exported_bot, signed
from piquet_env.bots.registry import TRAINED

ROOT = Path(__file__).parent.parent
BASE = TRAINED / "base.onnx"
CONTENT = BASE.read_bytes()


def some_views(games: int = 64, steps: int = 12) -> Views:
    env, rng = SelfPlayVectorEnv(games, seed=5), np.random.default_rng(0)
    _, info = env.reset()
    for _ in range(steps):
        mask = info["action_mask"]
        _, _, _, _, info = env.step((mask * rng.random(mask.shape)).argmax(1))
    return views_of(np.array(env.rows))


def with_about(change) -> bytes:
    """The file of `base` with other metadata of the same length, signed again as if it were right."""
    about = re.search(rb'\{"format": "piquet-onnx/1".*"content": "[0-9a-f]{64}"\}', CONTENT)[0]
    made = change(about)
    assert len(made) == len(about)
    assert made != about
    unsigned = re.sub(rb'"content": "[0-9a-f]{64}"', f'"content": "{UNSIGNED}"'.encode(), CONTENT.replace(about, made))
    return signed(unsigned)


def test_base_is_played_without_torch():
    program = (
        "import sys; sys.modules['torch'] = sys.modules['training'] = sys.modules['onnx'] = None\n"
        "from piquet_env.arena.match import play_match\n"
        "from piquet_env.bots import load_bot\n"
        "print(play_match(load_bot('base'), load_bot('random'), 'auction', 5).pairs)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=ROOT)
    assert (done.stderr, done.stdout) == ("", "5\n")


def test_without_onnxruntime_it_is_said_what_to_install(monkeypatch):
    import importlib.util

    found = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name, *_: None if name == "onnxruntime" else found(name))
    with pytest.raises(
        BotError, match=r"the bot 'base' needs onnxruntime, which is not installed: pip install 'piquet-env\[play\]'"
    ):
        load_bot("base")


def test_value_and_probabilities_are_of_the_right_kind():
    bot, views = load_bot("base"), some_views()
    made, value = bot.probabilities(views), bot.value(views)
    assert (made.dtype, made.shape) == (np.float32, (64, 80))
    assert np.allclose(made.sum(1), 1, atol=1e-5)
    assert not made[views.mask == 0].any()
    assert (value.dtype, value.shape) == (np.float32, (64,))
    assert 1 < value.std() < 100
    assert np.array_equal(bot.outputs(views)["action"], made.argmax(1))


def test_more_games_than_fit_in_a_call_are_played_in_several(monkeypatch):
    from piquet_env.bots import exported

    bot, views = load_bot("base"), some_views()
    whole = bot.probabilities(views)
    monkeypatch.setattr(exported, "LARGEST_BATCH", 10)
    assert np.allclose(bot.probabilities(views), whole, atol=1e-6)


def _play_in_child(bot, views, queue):
    queue.put(bot.probabilities(views))


def test_it_goes_on_playing_in_a_process_that_was_forked():
    if "fork" not in multiprocessing.get_all_start_methods():
        pytest.skip("this system cannot fork")
    bot, views = load_bot("base"), some_views(8)
    expected = bot.probabilities(views)
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    child = context.Process(target=_play_in_child, args=(bot, views, queue))
    child.start()
    assert np.allclose(queue.get(timeout=60), expected, atol=1e-6)
    child.join()


# ------------------------------------------------------------------ what is no such file


@pytest.mark.parametrize("kept", [0, 1, 100, 1000, 10**6, len(CONTENT) - 5000, len(CONTENT) - 1])
def test_a_file_that_was_cut_short_is_refused(tmp_path, kept):
    (tmp_path / "cut.onnx").write_bytes(CONTENT[:kept])
    with pytest.raises(BotError, match=r"cut\.onnx: no exported bot, or a damaged one"):
        load_bot(str(tmp_path / "cut.onnx"))


def test_one_changed_byte_anywhere_is_noticed(tmp_path):
    rng, path = np.random.default_rng(0), tmp_path / "flipped.onnx"
    for place in [*rng.integers(len(CONTENT), size=40), *(len(CONTENT) - rng.integers(20_000, size=40) - 1)]:
        changed = bytearray(CONTENT)
        changed[place] ^= 1 << int(rng.integers(8))
        path.write_bytes(changed)
        with pytest.raises(BotError, match=r"flipped\.onnx: no exported bot, or a damaged one"):
            load_bot(str(path))


def test_foreign_files_are_refused(tmp_path):
    checksum = f'"content": "{UNSIGNED}"'.encode()
    cases = {"text": b"hello\n" * 999, "zip": b"PK\x03\x04" + bytes(500), "pickle": b"\x80\x04.", "twice": CONTENT * 2,
             "signed": signed(b"junk" + checksum)}  # fmt: skip
    for name, content in cases.items():
        (tmp_path / f"{name}.onnx").write_bytes(content)
        with pytest.raises(BotError, match=rf"{name}\.onnx: no exported bot, or a damaged one") as refused:
            load_bot(str(tmp_path / f"{name}.onnx"))
        assert "\n" not in str(refused.value)
    for path, message in (("absent.onnx", "No such file"), (".onnx", "No such file")):
        with pytest.raises(BotError, match=message):
            load_bot(str(tmp_path / path))
    os.mkdir(tmp_path / "folder.onnx")
    with pytest.raises(BotError, match="Is a directory"):
        load_bot(str(tmp_path / "folder.onnx"))


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such files")
def test_what_never_ends_is_not_read(tmp_path):
    """A pipe that nobody writes to, a device, and more than any ONNX file may have."""
    os.mkfifo(tmp_path / "pipe.onnx")
    (tmp_path / "zero.onnx").symlink_to("/dev/zero")
    for name in ("pipe.onnx", "zero.onnx"):
        with pytest.raises(BotError, match=f"{name}: not a regular file"):
            load_bot(str(tmp_path / name))
    with (tmp_path / "huge.onnx").open("wb") as file:
        file.truncate(1 << 33)  # a hole, which takes no room
    with pytest.raises(BotError, match=r"huge\.onnx: no exported bot: longer than 2147483648 bytes"):
        load_bot(str(tmp_path / "huge.onnx"))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda about: about.replace(b'"observation": 1', b'"observation": 2', 1), "versions: it is of .*2.*plays"),
        (lambda about: about.replace(b"piquet-onnx/1", b"piquet-onnx/9"), "expected the format 'piquet-onnx/1'"),
        (lambda about: about.replace(b'"rubicon": 150', b'"rubicon": 151', 1), "rule_fields: rubicon was 151"),
        (lambda about: about.replace(b'"rules": "auction"', b'"rules": "tarocks"', 1), "tarocks"),
        (lambda about: about.replace(b'"sha256"', b'"sha257"', 1), "it has no 'sha256'"),
        (lambda about: re.sub(rb'("hashes": .*?"observation": ")[0-9a-f]{8}', rb"\g<1>00000000", about, count=1),
         "its table of observation is another"),
    ],
)  # fmt: skip
def test_what_it_says_of_itself_must_fit_this_program(tmp_path, change, message):
    (tmp_path / "other.onnx").write_bytes(with_about(change))
    with pytest.raises(BotError, match=message):
        load_bot(str(tmp_path / "other.onnx"))


def test_a_graph_with_other_inputs_or_outputs_is_refused(tmp_path):
    onnx = pytest.importorskip("onnx", reason="makes another graph: pip install 'piquet-env[export]'")
    (about,) = (entry.value for entry in onnx.load_from_string(CONTENT).metadata_props)
    about = json.dumps(json.loads(about) | {"content": UNSIGNED})
    helper, types = onnx.helper, onnx.TensorProto
    for width, message in ((7, r"observation: expected int8 \(batch, 1088\)"), (1088, "expected probabilities, value")):
        ports = [helper.make_tensor_value_info("observation", types.INT8, ["batch", width]),
                 helper.make_tensor_value_info("action_mask", types.INT8, ["batch", 80])]  # fmt: skip
        out = helper.make_tensor_value_info("value", types.INT8, ["batch", width])
        graph = helper.make_graph([helper.make_node("Identity", ["observation"], ["value"])], "g", ports, [out])
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10)
        model.metadata_props.add(key="piquet", value=about)
        (tmp_path / "other.onnx").write_bytes(signed(model.SerializeToString()))
        with pytest.raises(BotError, match=message):
            load_exported_bot(tmp_path / "other.onnx")
