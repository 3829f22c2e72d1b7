"""What the README shows is run, and what it names exists."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from piquet_env import cli

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
USES = README.partition("## Use it from")[2].partition("\n## ")[0]
PYTHON = re.compile(r"```python\n(.*?)```", re.DOTALL)
EXAMPLES = PYTHON.findall(README.replace(USES, ""))


def test_the_examples_run_one_after_the_other_as_they_stand(capsys):
    from piquet_env.arena.match import play_match
    from piquet_env.bots import load_bot

    names = {}
    assert len(EXAMPLES) == 11
    exec(EXAMPLES[0], names)
    record = names["record"]
    assert record["result"]["score"]
    exec(EXAMPLES[1], names)
    assert names["observation"].shape == (4096, 1088)
    exec(EXAMPLES[2], names)
    assert names["env"].unwrapped.record() == record
    exec(EXAMPLES[3], names)
    assert names["observations"].any(axis=2).all()
    exec(EXAMPLES[4], names)
    exec(EXAMPLES[7], names)
    assert len(names["hands"]) == len(names["likely"]) in (455, 6188)
    assert names["values"].shape == (1000, 32)
    assert ((names["tricks"] >= 0) & (names["tricks"] <= 12)).all()
    exec(EXAMPLES[8], names)
    gain, again = (float(line) for line in capsys.readouterr().out.splitlines()[-2:])
    assert round(gain, 2) == round(again, 2) == 29.33
    match = play_match(names["Clever"](), load_bot("random"), "auction", 20)
    assert len(match.games) == 40
    exec(EXAMPLES[10], names)
    assert names["narrow"].shape == (4096, 197)
    assert len(play_match(names["bot"], load_bot("random"), "auction", 20, episode="auction").games) == 40


def test_the_example_of_a_bot_in_a_loop_of_ones_own_plays_a_deal():
    pytest.importorskip("onnxruntime", reason="its bot needs onnxruntime: pip install 'piquet-env[play]'")
    names = {}
    exec(EXAMPLES[5], names)
    assert names["env"].unwrapped.record()["result"]


def test_the_example_of_an_exported_bot_prints_what_it_says(capsys):
    pytest.importorskip("onnxruntime", reason="its bot needs onnxruntime: pip install 'piquet-env[play]'")
    exec(EXAMPLES[6], {})
    assert capsys.readouterr().out.strip() == EXAMPLES[6].strip().rpartition("# ")[2]


def test_the_example_about_data_reads_what_the_command_above_it_writes(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (arguments,) = re.findall(r"^piquet (selfplay .*?)\s+# 349,668 decisions", README, re.MULTILINE)
    assert cli.main(arguments.split()) == 0
    assert "349,668 decisions" in capsys.readouterr().out
    names = {}
    exec(EXAMPLES[9], names)
    assert names["data"].rows == 349_668
    rows = 349_668 % 4096  # of the last batch
    assert names["observation"].shape == (rows, 1088)
    assert names["mask"].shape == names["target"].shape == (rows, 80)
    assert names["outcome"].shape == (rows,)


LIBRARIES = {  # that a use needs besides the environment's own: its heading, and the module
    "Stable-Baselines3 and sb3-contrib": "sb3_contrib",
    "CleanRL, or a loop of your own": "torch",
    "TorchRL": "torchrl",
    "RLlib": "ray.rllib",
    "OpenSpiel": "pyspiel",
    "Pictures and videos": "moviepy",
}
BY_HEADING = dict(re.findall(r"^### (.*?)\n(.*?)(?=^### |\Z)", USES, re.DOTALL | re.MULTILINE))
SHORTEST = [(heading, code) for heading, text in BY_HEADING.items() for code in PYTHON.findall(text)]


def test_there_is_a_use_of_every_library():
    assert BY_HEADING.keys() > LIBRARIES.keys()
    assert {heading for heading, _ in SHORTEST} == BY_HEADING.keys()
    assert len(SHORTEST) == 8


@pytest.mark.parametrize(("heading", "code"), SHORTEST, ids=[heading for heading, _ in SHORTEST])
def test_the_shortest_use_of_a_library_runs_as_it_stands(heading, code, tmp_path, monkeypatch):
    if heading in LIBRARIES:
        pytest.importorskip(LIBRARIES[heading], reason="pip install 'piquet-env[examples]', or [ray] for RLlib")
    environment = os.environ | {"PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "ignore"}
    run = [sys.executable, "-c", code]
    done = subprocess.run(run, capture_output=True, text=True, encoding="utf-8", cwd=tmp_path, env=environment)
    assert done.returncode == 0, done.stderr
    if heading.startswith("CleanRL"):
        monkeypatch.chdir(tmp_path)
        Path("mine.py").write_text(code)
        assert cli.main(["evaluate", "mine:bot", "greedy", "--deals", "20"]) == 0
    if heading.startswith("Stable"):
        assert cli.main(["evaluate", str(tmp_path / "model.zip"), "greedy", "--rules", "micro", "--deals", "20"]) == 0
    if heading == "OpenSpiel":
        assert done.stdout.startswith("15.58")
    if heading.startswith("Pictures"):
        assert (tmp_path / "videos/rl-video-episode-0.mp4").stat().st_size > 10_000


TYPED = {"play": "?\n+7!\npass\n\nc9 c7 s7\n\n"}
SESSIONS = re.findall(r"```\n\$ piquet (.*?)\n(.*?)```", README, re.DOTALL)


@pytest.mark.parametrize(("command", "shown"), SESSIONS, ids=[command for command, _ in SESSIONS])
def test_what_commands_print_is_what_it_shows(command, shown, tmp_path):
    words = [str(ROOT / word) if word.startswith("tests/") else word for word in shlex.split(command)]
    if "base" in words:
        pytest.importorskip("onnxruntime", reason="its bot needs onnxruntime: pip install 'piquet-env[play]'")
    environment = os.environ | {"PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8", "COLUMNS": "80"}
    run = [sys.executable, "-m", "piquet_env.cli", *words]
    typed = TYPED.get(words[0], "")
    done = subprocess.run(
        run, input=typed, capture_output=True, text=True, encoding="utf-8", cwd=tmp_path, env=environment
    )
    printed = iter([line.rstrip() for line in done.stdout.splitlines()])
    for line in shown.splitlines():
        assert line == "…" or line.rstrip() in printed, line  # each after the one before


def test_the_size_of_the_observation_and_the_rulesets_are_those_that_it_names():
    from piquet_env.knowledge import OBSERVATION_SIZE
    from piquet_env.rules import RULESETS

    assert f"{OBSERVATION_SIZE:,} bits" in README
    for name in RULESETS:
        assert f"`{name}`" in README


@pytest.mark.parametrize("path", re.findall(r"\]\((?!http)([^)#]+)\)", README))
def test_the_files_that_it_links_to_exist(path):
    assert (ROOT / path).exists()


@pytest.mark.parametrize("path", re.findall(r"!\[.*?\]\(([^)]+)\)", README))
def test_the_source_distribution_has_the_pictures_that_it_shows(path):
    said = [line.split() for line in (ROOT / "MANIFEST.in").read_text(encoding="utf-8").splitlines()]
    included = [name for command, *names in said if command in ("graft", "include") for name in names]
    assert any(Path(path).match(name) or Path(name) in Path(path).parents for name in included)


def test_its_contents_are_its_sections():
    contents = README.partition("**Contents**")[2].partition("\n\n")[0]
    named, everywhere = (re.findall(r"\]\(#([^)]+)\)", text) for text in (contents, README))
    assert len(named) > 10
    assert named == [anchor for anchor in anchors("##") if anchor in named]
    assert set(everywhere) <= {*anchors("##"), *anchors("###")}


def anchors(level: str) -> list[str]:
    """Where links to the headings of a level lead, in their order."""
    headings = re.findall(rf"^{level} (.*)$", README, re.MULTILINE)
    return [re.sub(r"[^a-z0-9 -]", "", heading.lower()).replace(" ", "-") for heading in headings]


def test_the_tree_that_it_draws_is_the_tree():
    drawn = README.partition("## Where things are")[2].partition("```\n")[2].partition("```")[0]
    entries = [name for line in drawn.splitlines() for name in re.split(r"\s{2,}", line.strip())[0].split()]
    there = {path.stem for folder in ("piquet_env", "training") for path in (ROOT / folder).rglob("*.py")}
    there |= {path.name for path in (*ROOT.iterdir(), *(ROOT / "piquet_env").rglob("*")) if path.is_dir()}
    assert len(entries) > 20
    assert {Path(name).stem for name in entries} <= there


def test_its_commands_install_extras_that_exist():
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    named = re.findall(r"'\.\[(\w+)\]'", README)
    assert named[:2] == ["train", "dev"]
    assert set(named) <= set(extras)


def test_the_options_and_bots_of_its_commands_are_accepted():
    import inspect

    from piquet_env.bots.registry import BOTS
    from piquet_env.cli import OWN_COMMANDS, find_commands

    lines = [line for block in re.findall(r"```bash\n(.*?)```", README, re.DOTALL) for line in block.splitlines()]
    lines += re.findall(r"`(piquet [^`]+)`", README)
    found = 0
    for name, rest in re.findall(r"(?:^|\s)piquet (\w+)([^#\n]*)", "\n".join(lines)):
        if name in OWN_COMMANDS:
            parameters = inspect.signature(find_commands()[name].load()).parameters
            options = re.findall(r"--([a-z-]+)", re.sub(r'"[^"]*"', "", rest))  # a quoted command has its own
            assert {option.replace("-", "_") for option in options} - {"help"} <= parameters.keys()
            found += len(options)
    assert found > 10
    assert set(re.findall(r"`((?:expert|greedy|random|omniscient)[:a-z]*)`", README)) <= BOTS.keys()
