"""The page of the environment, the docstring of `auction_piquet_v0`, says what the code does: every fact of it."""

import inspect
import pydoc
import re

import numpy as np
import pettingzoo
import pytest

from piquet_env import action_index, action_text, auction_piquet_v0, knowledge
from piquet_env.envs.aec import ILLEGAL_ACTION
from piquet_env.envs.rendered import RENDER_MODES
from piquet_env.notation import action_names
from piquet_env.options import EPISODES, REWARDS
from piquet_env.rules import RULESETS, Rules

PAGE = auction_piquet_v0.__doc__


@pytest.fixture
def env():
    return auction_piquet_v0.env()


def section(title: str) -> str:
    """The text under a heading, up to the next one."""
    return re.split(r"^#+ ", PAGE.split(f"# {title}\n", 1)[1], maxsplit=1, flags=re.MULTILINE)[0]


def tables(text: str) -> list[list[list[str]]]:
    """The cells of every table, without its head."""
    found = re.findall(r"(?:^\|.*\|$\n?)+", text, flags=re.MULTILINE)
    return [[[cell.strip() for cell in line.strip("|").split(" | ")] for line in t.splitlines()[2:]] for t in found]


def facts() -> dict[str, list[str]]:
    """The table at the top, its head too; a name may stand twice."""
    named: dict[str, list[str]] = {}
    for line in PAGE.split("\n\n")[1].splitlines():
        name, *value = (cell.strip() for cell in line.strip("|").split("|"))
        named.setdefault(name, []).append("|".join(value))
    return named


def code(text: str) -> list[str]:
    return re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL)


def bits(text: str) -> range:
    """ "0-159" or "79"."""
    start, _, stop = text.partition("-")
    return range(int(start), int(stop or start) + 1)


def test_the_table_of_facts(env):
    said = facts()
    agents = env.possible_agents
    observation, state = env.observation_space(agents[0])["observation"], env.state_space
    assert said["Agents"] == [f"`agents= {agents}`", str(len(agents))]
    assert said["Action Shape"] == said["Action Values"] == [str(env.action_space(agents[0]))]
    for name, space in (("Observation", observation), ("State", state)):
        assert said[f"{name} Shape"] == [str(space.shape)]
        assert said[f"{name} Values"] == [f"[{space.low.min()}, {space.high.max()}]"]
        assert space.dtype == np.int8
    assert said["Actions"] == ["Discrete"]
    assert said["Parallel API"][0].startswith("No")
    assert not env.metadata["is_parallelizable"]
    exec(said["Import"][0].strip("`"), {})


def test_it_is_made_as_the_page_says(env):
    named = facts()["Creation"][0]
    first, second = re.findall(r"`(.*?)`", named)
    if hasattr(pettingzoo, "make"):
        assert type(eval(first, {"pettingzoo": pettingzoo})) is type(env)
    assert type(eval(second, {"auction_piquet_v0": auction_piquet_v0})) is type(env)


def test_the_game_in_brief():
    rules = Rules()
    assert f"with {rules.pack.bit_count()} cards" in PAGE
    assert re.search(rf"how many of\s+the {rules.hand_size} tricks", PAGE)
    assert re.search(r"A\s+partie is six deals", PAGE)
    assert rules.deals == 6


def test_its_example_runs():
    namespace: dict = {}
    exec(code(PAGE)[0], namespace)
    assert not namespace["env"].agents
    assert namespace["termination"]


def test_the_arguments_and_their_defaults():
    (usage,) = code(section("Arguments"))
    said = re.findall(r'(\w+)=("?\w+"?)', usage)
    parameters = list(inspect.signature(auction_piquet_v0.env).parameters.values())
    assert said == [(p.name, repr(p.default).replace("'", '"')) for p in parameters]
    eval(usage, {"auction_piquet_v0": auction_piquet_v0})


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("episode", EPISODES),
        ("reward", tuple(REWARDS)),
        ("illegal_action", ILLEGAL_ACTION),
        ("render_mode", RENDER_MODES),
    ],
)
def test_the_values_of_the_options(name, values):
    said = next(part for part in section("Arguments").split("\n\n") if part.startswith(f"`{name}`"))
    assert tuple(re.findall(r'`"(\w+)"`', said)) == values
    assert ("`None`" in said) == (name == "render_mode")


def test_the_rulesets():
    text = section("Arguments")
    (rows,) = tables(text)
    assert [row[0].strip("`") for row in rows] == list(RULESETS)
    said = {row[0].strip("`"): row[1] for row in rows}
    for name in ("auction", "rubicon"):
        assert f"rubicon of {RULESETS[name].rubicon} points" in said[name]
    assert f"a player has {RULESETS['cent'].stop_at} points" in said["cent"]
    for name in ("mini", "micro"):
        rules = RULESETS[name]
        cards = f"{len(rules.suits) * len(rules.ranks)} cards, {rules.hand_size} each"
        levels = f"bids of {rules.lowest_level} and {rules.highest_level}"
        assert cards in said[name]
        assert levels in said[name]
        assert rules.highest_level - rules.lowest_level == rules.deals == rules.max_thrown_in == 1
    Rules.make(eval(re.search(r"`(\{.*?\})`", text)[1]))


def test_the_observation_and_the_state_by_their_features():
    """The rows tile the vector without gaps, and every number is that of the features they name."""
    rows = [row for table in tables(section("Observation Space")) for row in table]
    features, following = {f.name: f for f in knowledge.features(knowledge.STATE_SIZE)}, 0
    for said, names, _ in rows:
        first, *last = (features[name] for name in re.findall(r"`(\w+)`", names))
        assert bits(said) == range(first.start, (last or [first])[0].stop)
        assert first.start == following
        following = bits(said).stop
    assert following == knowledge.STATE_SIZE
    assert any(bits(said).stop == knowledge.OBSERVATION_SIZE for said, *_ in rows)


def test_the_actions_by_their_texts():
    (rows,) = tables(section("Action Space"))
    following, texts = 0, action_names()
    for said, names, _ in rows:
        numbers, named = bits(said), re.findall(r"`(.*?)`", names)
        assert numbers.start == following
        every = [texts[number] for number in numbers]
        assert named == (every if " to " not in names else [every[0], every[-1]])
        following = numbers.stop
    assert following == len(texts)


def test_the_examples_of_actions():
    text = section("Action Space")
    for called, given in re.findall(r"`piquet_env\.action_text\((\d+)\)` is `\"(.*?)\"`", text):
        assert action_text(int(called)) == given
    for called, given in re.findall(r"`piquet_env\.action_index\(\"(.*?)\"\)`\s+is (\d+)", text):
        assert action_index(called) == int(given)
    name, number, given = re.search(r"with `(\w+)` action (\d+) is `(.*?)`", text).groups()
    assert action_text(int(number), name) == given


def test_the_mask_and_the_infos(env):
    assert f"int8, ({env.action_space('player_0').n},)" in section("Legal Actions Mask")
    env.reset(seed=1)
    said = re.search(r"`infos\[agent\]`: (.*?)\n\n", section("Reset, Records, Copies"), flags=re.DOTALL)[1]
    rng, told = np.random.default_rng(1), set()
    while env.agents:
        agent = env.agent_selection
        told |= set(env.infos[agent])
        mask = env.observe(agent)["action_mask"]
        env.step(None if env.terminations[agent] else int(rng.choice(np.flatnonzero(mask))))
    assert set(re.findall(r"`(\w+)`", said)) == told


def test_the_calls_that_are_named():
    for name in re.findall(r"^`(\w+)\(", section("Reset, Records, Copies"), flags=re.MULTILINE):
        assert inspect.getdoc(getattr(auction_piquet_v0.raw_env, name)), name


def test_rewards_and_truncation():
    (rows,) = tables(section("Rewards"))
    assert [row[0].strip('`"') for row in rows] == list(REWARDS)
    text = section("Termination and Truncation")
    assert f"`max_thrown_in` ({Rules().max_thrown_in})" in text
    once = re.search(r"In `(\w+)` and `(\w+)`, where it is 1", text).groups()
    assert set(once) == {name for name, rules in RULESETS.items() if rules.max_thrown_in == 1}


def test_rendering(env):
    text = section("Rendering")
    assert set(re.findall(r'`"(\w+)"`:', text)) == set(RENDER_MODES) == set(env.metadata["render_modes"])
    assert "one frame a second" in text
    assert env.metadata["render_fps"] == 1
    pytest.importorskip("PIL", reason="pictures need Pillow")
    env = auction_piquet_v0.env(render_mode="rgb_array")
    env.reset(seed=0)
    assert f"uint8 of shape {env.render().shape}" in text


def test_it_reads_as_one_page():
    shown = [line.strip() for line in pydoc.render_doc(auction_piquet_v0, renderer=pydoc.plaintext).splitlines()]
    lines = [line.strip() for line in PAGE.splitlines()][2:]  # pydoc has the title in another place
    start = shown.index(lines[0])
    assert shown[start : start + len(lines)] == lines
    assert max(map(len, PAGE.splitlines())) <= 120
    versions = re.findall(r"^\* (v\d+): ", section("Version History"), flags=re.MULTILINE)
    assert versions[0] == auction_piquet_v0.__name__.rsplit("_", 1)[1]
