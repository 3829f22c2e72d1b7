"""A trained bot that leaves the house: one ONNX file that plays as the original did, or nothing at all."""

from __future__ import annotations

import dataclasses
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="training needs torch: pip install 'piquet-env[train]'")
onnx = pytest.importorskip("onnx", reason="exporting needs onnx: pip install 'piquet-env[export]'")
pytest.importorskip("onnxscript", reason="exporting needs onnxscript: pip install 'piquet-env[export]'")

from commands import run_command

from piquet_env import Rules, SelfPlayVectorEnv
from piquet_env.bots import load_bot, views_of
from piquet_env.bots.exported import ExportedBot
from piquet_env.engine import layout as at
from piquet_env.knowledge import canonical_orders, fields
from piquet_env.rules import RULESETS
from training import export_command
from training.bot import NetworkBot, Value, load_network_bot
from training.botfile import save_bot_file
from training.config import TrainConfig, as_dict
from training.export import MOST_DIFFERENT, ExportError, about_bot, at_temperature, compare, onnx_file, positions
from training.graph import ExportedNetwork, SuitSort
from training.network import Critic, PolicyNetwork
from training.value import Outcomes, fitted_value, played

ROOT = Path(__file__).parent.parent
CONFIG = TrainConfig(width=16, depth=1)
ABOUT_VALUE = {"width": 8, "depth": 1, "scale": 50.0, "deals": 20, "explained_variance": 0.5,
               "root_mean_square_error": 20.0}  # fmt: skip
GOOD = ["--decisions", "500", "--value-deals", "40"]


def strong_network(seed: int = 0, width: int = 16) -> PolicyNetwork:
    """With logits as large as those of networks that were trained for long."""
    torch.manual_seed(seed)
    policy = PolicyNetwork(width, 1)
    with torch.no_grad():
        policy.layers[-1].weight.mul_(3000.0)
    return policy


def bot_of(config: TrainConfig, head: str = "softmax") -> NetworkBot:
    torch.manual_seed(1)
    value = Value(Critic(policy_inputs(), 8, 1).eval(), 50.0)
    return NetworkBot(strong_network(), head, config.symmetry == "canonical", config.rules, value)


def policy_inputs() -> int:
    return fields()[-1][2]


def file_of(config: TrainConfig, head: str = "softmax") -> tuple[NetworkBot, bytes]:
    bot = bot_of(config, head)
    header = {"config": as_dict(config), "decisions": 123, "head": head}
    return bot, onnx_file(bot, about_bot(bot, header, ABOUT_VALUE, [], "MIT"))


@pytest.fixture(scope="module")
def saved(tmp_path_factory) -> Path:
    """A trained bot as a run leaves it."""
    path = tmp_path_factory.mktemp("run") / "bot.safetensors"
    header = {"config": as_dict(CONFIG), "decisions": 123, "head": "softmax"}
    save_bot_file(path, strong_network().state_dict(), header)
    return path


# ------------------------------------------------------------------ the graph


@pytest.mark.parametrize("rules", [*RULESETS, {"base": "micro", "suits": "SC"}, {"base": "micro", "suits": "HD"}])
def test_the_graph_sorts_suits_as_the_networks_were_taught_to_see_them(rules):
    made = Rules.make(rules)
    env = SelfPlayVectorEnv(60, made, "partie", seed=3)
    observation, info = env.reset()
    sort, rng = SuitSort(made.pack), np.random.default_rng(0)
    for _ in range(25):
        expected = canonical_orders(observation, np.ascontiguousarray(env.rows[:, at.PACK]))
        assert np.array_equal(sort.order(torch.from_numpy(observation)).numpy(), expected)
        mask = info["action_mask"]
        observation, _, _, _, info = env.step((mask * rng.random(mask.shape)).argmax(1))


@pytest.mark.parametrize(
    ("rules", "symmetry", "head"),
    [
        ("auction", "canonical", "softmax"),
        ("auction", "none", "greedy"),
        ("rubicon", "canonical", "greedy"),
        ({"base": "micro", "suits": "SC"}, "canonical", "softmax"),
    ],
)
def test_the_file_plays_as_the_original_whatever_the_batch(rules, symmetry, head):
    bot, content = file_of(dataclasses.replace(CONFIG, rules=rules, symmetry=symmetry), head)
    exported = ExportedBot(content, "bot.onnx")
    views = positions(bot, 3000, seed=1)
    compared = compare(bot, exported.outputs(views), views)
    compared.check()
    assert compared.decisions == 3000
    assert compared.largest_difference < MOST_DIFFERENT / 2
    made = exported.probabilities(views)
    assert not made[views.mask == 0].any()
    for size in (0, 1, 7, 3000):
        part = views.part(slice(0, size))
        assert np.allclose(exported.probabilities(part), made[:size], atol=1e-6)
        assert exported.value(part).shape == (size,)
    first = exported.act(views.part(slice(0, 50)), np.random.default_rng(5))
    assert np.array_equal(first, bot.act(views.part(slice(0, 50)), np.random.default_rng(5)))
    assert exported.trained_on == Rules.make(rules)
    assert exported.sha256 == bot.sha256


def test_where_nothing_is_legal_nothing_is_likely_and_nothing_is_no_number():
    network = ExportedNetwork(bot_of(CONFIG), bot_of(CONFIG).expects, 2**32 - 1)
    zeros = torch.zeros(2, policy_inputs(), dtype=torch.int8)
    probabilities, value, action = network(zeros, torch.zeros(2, 80, dtype=torch.int8))
    assert not probabilities.any()
    assert value.isfinite().all()
    assert action.tolist() == [0, 0]


def test_onnx_itself_finds_the_file_sound_and_any_program_can_read_what_it_means():
    bot, content = file_of(CONFIG)
    model = onnx.load_from_string(content)
    onnx.checker.check_model(model, full_check=True)
    assert [port.name for port in model.graph.input] == ["observation", "action_mask"]
    assert [port.name for port in model.graph.output] == ["probabilities", "value", "action"]
    assert {node.domain for node in model.graph.node} == {""}  # operators of ONNX alone
    about = json.loads({entry.key: entry.value for entry in model.metadata_props}["piquet"])
    assert [(f["name"], f["start"], f["stop"], f["meaning"]) for f in about["observation"]] == fields()
    assert about["actions"][34] == "+7"
    assert about["rules"] == "auction"
    assert {feature["form"] for feature in about["observation"]} <= about["forms"].keys()
    assert about["versions"] == {"rules": 1, "actions": 1, "observation": 1}
    assert set(about["hashes"]) == {"rules", "actions", "observation"}
    assert about["architecture"]["policy"]["width"] == 16
    assert "canonical" in about["suits"]
    assert about["training"]["decisions"] == 123
    assert about["license"] == "MIT"
    assert about["sha256"] == bot.sha256
    weights = [onnx.numpy_helper.to_array(tensor) for tensor in model.graph.initializer]
    first = bot.policy.layers[0].weight.detach().numpy()
    assert any(array.shape == first.shape and np.array_equal(array, first) for array in weights)


# ------------------------------------------------------------------ the check before anything is written


def test_a_bot_that_plays_otherwise_is_not_written(saved, tmp_path, capsys, monkeypatch):
    def other_bot(bot: NetworkBot, about: dict) -> bytes:
        other = NetworkBot(strong_network(seed=1), "softmax", bot.canonical, "auction", bot.expects)
        return onnx_file(other, about)

    monkeypatch.setattr(export_command, "onnx_file", other_bot)
    status, out, err = run_command(capsys, "export", str(saved), "-o", str(tmp_path / "bot.onnx"), *GOOD)
    assert (status, out) == (1, "")
    assert "it chooses another action in" in err
    assert list(tmp_path.iterdir()) == []


def test_small_differences_and_changed_values_count_too():
    bot, views = bot_of(CONFIG), positions(bot_of(CONFIG), 200, 0)
    good = {"probabilities": bot.probabilities(views), "value": bot.value(views)}
    good["action"] = good["probabilities"].argmax(-1)
    assert compare(bot, good, views).largest_difference == 0
    for name, change in (("probabilities", 2e-5), ("value", 2e-5 * 50), ("value", np.nan)):
        other = {key: array.copy() for key, array in good.items()}
        other[name][7] += change
        with pytest.raises(ExportError, match="largest difference"):
            compare(bot, other, views).check()
    other = {**good, "action": np.roll(good["action"], 1)}
    assert compare(bot, other, views).other_choices > 50


def test_of_two_actions_that_are_nearly_equal_either_may_be_chosen():
    policy = PolicyNetwork(16, 1)
    with torch.no_grad():
        policy.layers[-1].weight.zero_()  # all numbers equal
    bot = NetworkBot(policy, "greedy", False, "auction", bot_of(CONFIG).expects)
    views = positions(bot, 200, 0)
    last = 79 - views.mask[:, ::-1].argmax(1)
    other = {"probabilities": np.eye(80, dtype=np.float32)[last], "value": bot.value(views), "action": last}
    compare(bot, other, views).check()


# ------------------------------------------------------------------ its value


def test_the_value_is_fitted_to_whole_deals_as_many_as_were_asked_for():
    config = dataclasses.replace(CONFIG, rules="mini")
    done = []
    outcomes = played(bot_of(config), config, 130, 0, done.append)
    assert set(outcomes.deal) <= set(range(130))
    assert len(set(outcomes.deal)) > 100  # of some, no decision is kept
    assert sum(done) == pytest.approx(0.5)
    for deal in set(outcomes.deal):
        assert len(set(np.abs(outcomes.points[outcomes.deal == deal]))) == 1  # one result, seen from both sides


def test_a_value_finds_what_decides_the_deal():
    torch.manual_seed(0)
    config = dataclasses.replace(CONFIG, rules="mini", reward_scale=10.0)
    bot = NetworkBot(PolicyNetwork(16, 1), "softmax", True, "mini")
    value, about = fitted_value(bot, config, 6000, 0, lambda done: None)
    assert about["explained_variance"] > 0.3
    outcomes: Outcomes = played(bot, config, 500, 9, lambda done: None)
    seen = np.unpackbits(outcomes.seen, axis=-1, count=policy_inputs()).view(np.int8)
    errors = outcomes.points - value.points(seen)
    assert np.sqrt(np.mean(errors**2)) < 0.85 * outcomes.points.std()
    assert about["root_mean_square_error"] == pytest.approx(np.sqrt(np.mean(errors**2)), rel=0.2)
    again, _ = fitted_value(bot, config, 200, 0, lambda done: None)
    once_more, _ = fitted_value(bot, config, 200, 0, lambda done: None)
    assert np.array_equal(again.points(seen), once_more.points(seen))


# ------------------------------------------------------------------ the command


def test_the_command_writes_a_file_that_plays_without_torch(saved, tmp_path, capsys):
    path = tmp_path / "bot.onnx"
    status, out, err = run_command(capsys, "export", str(saved), "-o", str(path), "--json", *GOOD)
    assert (status, err) == (0, "")
    told = json.loads(out)
    assert told["decisions"] == 500
    assert told["largest_difference"] <= MOST_DIFFERENT
    assert told["other_choices"] == 0
    assert told["bytes"] == path.stat().st_size
    program = (
        "import sys; sys.modules['torch'] = sys.modules['training'] = None\n"
        "from piquet_env.arena.match import play_match\n"
        "from piquet_env.bots import load_bot\n"
        "bot = load_bot(sys.argv[1])\n"
        "print(play_match(bot, load_bot('base'), 'auction', 3).pairs, bot.sha256)"
    )
    done = subprocess.run([sys.executable, "-c", program, str(path)], capture_output=True, text=True, cwd=ROOT)
    assert (done.stderr, done.stdout.split()) == ("", ["3", told["sha256"]])


def test_the_command_writes_a_folder_with_weights_manifest_and_card(saved, tmp_path, capsys):
    folder = tmp_path / "my bot"
    status, out, _ = run_command(capsys, "export", str(saved), "-o", str(folder), "--license", "CC0-1.0", *GOOD)
    assert status == 0
    assert "500 decisions replayed: largest difference 0.0e+00" in out
    assert f"piquet evaluate '{folder}/bot.safetensors' greedy" in out
    assert sorted(path.name for path in folder.iterdir()) == ["README.md", "bot.safetensors", "manifest.json"]
    bot, views = load_bot(str(folder / "bot.safetensors")), positions(bot_of(CONFIG), 100, 0)
    assert np.array_equal(bot.probabilities(views), load_network_bot(saved).probabilities(views))
    assert bot.value(views).std() > 0
    manifest = json.loads((folder / "manifest.json").read_text())
    assert (manifest["format"], manifest["license"]) == ("piquet-manifest/1", "CC0-1.0")
    assert manifest["sha256"] == bot.sha256
    card = (folder / "README.md").read_text()
    assert "# my bot" in card
    assert "a ruleset of Auction Piquet" in card
    assert f"It needs {manifest['made_by']} with torch" in card
    assert 'auction_piquet_v0.env(rules="auction", episode="deal")' in card
    assert "That was not measured" in card
    assert bot.sha256 in card
    # What was fitted once is kept: the file that is made of it expects the same.
    run_command(capsys, "export", str(folder), "-o", str(tmp_path / "again.onnx"), "--decisions", "100")
    assert np.allclose(load_bot(str(tmp_path / "again.onnx")).value(views), bot.value(views), atol=1e-3)


def test_at_a_lower_temperature_it_draws_its_likeliest_actions_more_often(saved, tmp_path, capsys):
    for source, temperature, folder in ((saved, 0.5, "half"), (tmp_path / "half", 0.5, "quarter")):
        arguments = (str(source), "-o", str(tmp_path / folder), "--temperature", str(temperature), *GOOD)
        assert run_command(capsys, "export", *arguments)[0] == 0
    views = positions(bot_of(CONFIG), 100, 0)
    expected = load_network_bot(saved).probabilities(views).astype(np.float64) ** 4
    bot = load_bot(str(tmp_path / "quarter" / "bot.safetensors"))
    assert np.allclose(bot.probabilities(views), expected / expected.sum(axis=1, keepdims=True), atol=1e-5)
    assert "at temperature 0.25" in (tmp_path / "quarter" / "README.md").read_text()
    assert bot.value(views).std() > 0  # fitted anew
    with pytest.raises(ValueError, match="temperature: expected 1 for a bot with a greedy head"):
        at_temperature(bot_of(CONFIG, "greedy"), 0.5)


def test_what_was_measured_is_told_if_it_is_of_these_weights(saved, tmp_path, capsys):
    result = {"against": "greedy", "points_per_deal": 1.25, "interval": [0.5, 2.0], "deals": 1000, "more": 1}
    for sha256, expected in ((load_network_bot(saved).sha256, [result]), ("0" * 64, [])):
        (tmp_path / "bot.safetensors").write_bytes(saved.read_bytes())
        report = {"results": [result], "provenance": {"weights": {"bot": sha256}}}
        (tmp_path / "results.json").write_text(json.dumps(report))
        run_command(capsys, "export", str(tmp_path), "-o", str(tmp_path / "out"), *GOOD)
        manifest = json.loads((tmp_path / "out/manifest.json").read_text())
        assert manifest["training"]["results"] == [{k: v for k, v in each.items() if k != "more"} for each in expected]
        assert ("+1.2 [0.5, 2.0]" in (tmp_path / "out/README.md").read_text()) == bool(expected)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["{folder}/none.safetensors"], "none.safetensors: No such file"),
        (["{folder}/junk.safetensors"], "junk.safetensors: no bot of this project"),
        (["{folder}/junk.pt"], "junk.pt: no checkpoint"),
        (["{bot}", "-o", "{folder}/no/such/bot.onnx"], "out: no file can be written at"),
        (["{bot}", "-o", "{folder}/junk.pt"], "is no folder, and does not end in .onnx"),
        (["{bot}", "-o", "{folder}/x.onnx", "--decisions", "0"], "decisions: expected at least 1, got 0"),
        (["{bot}", "-o", "{folder}/x.onnx", "--value-deals", "3"], "value_deals: expected at least 20, got 3"),
        (["{bot}", "-o", "{folder}/x.onnx", "--temperature", "0"], "temperature: expected 0.01 to 100, got 0"),
        (["{bot}", "-o", "{folder}/x.onnx", "--seed", "-1"], "seed"),
    ],
)
def test_what_cannot_be_is_refused_and_nothing_is_written(saved, tmp_path, capsys, arguments, message):
    (tmp_path / "junk.safetensors").write_bytes(b"junk" * 99)
    (tmp_path / "junk.pt").write_bytes(b"junk" * 99)
    filled = [word.format(folder=tmp_path, bot=saved) for word in arguments]
    status, out, err = run_command(capsys, "export", *filled)
    assert (status, out) == (2, "")
    assert err.startswith("piquet export: ")
    assert message in err
    assert err.count("\n") == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["junk.pt", "junk.safetensors"]


def test_views_of_rows_that_the_exported_bot_never_saw_are_played_legally():
    _, content = file_of(CONFIG)
    exported = ExportedBot(content, "bot.onnx")
    for rules in RULESETS:
        env = SelfPlayVectorEnv(20, rules, seed=4)
        env.reset()
        views = views_of(np.array(env.rows))
        assert views.mask[np.arange(20), exported.outputs(views)["action"]].all()


# ------------------------------------------------------------------ where it is written


def refused_unmade(capsys, monkeypatch, *arguments) -> str:
    """What is said where the command is refused before anything is computed."""
    monkeypatch.setattr(export_command, "read_network", lambda path: pytest.fail("it went to work"))
    status, out, err = run_command(capsys, "export", *map(str, arguments))
    assert (status, out, err.count("\n")) == (2, "", 1)
    return err


@pytest.mark.parametrize("foreign", ["README.md", "bot.safetensors", "manifest.json"])
def test_what_others_have_written_is_not_replaced(saved, tmp_path, capsys, monkeypatch, foreign):
    """A run's own bot and its notes, and whatever else has such a name."""
    (tmp_path / foreign).write_text("{}")
    err = refused_unmade(capsys, monkeypatch, saved, "-o", tmp_path)
    assert err == f"piquet export: out: {tmp_path} has a {foreign} that piquet export did not write, or was changed\n"
    assert [path.name for path in tmp_path.iterdir()] == [foreign]
    assert (tmp_path / foreign).read_text() == "{}"


@pytest.mark.parametrize("name", ["README.md", "bot.safetensors", "manifest.json"])
def test_a_folder_that_cannot_take_them_is_refused_at_once(saved, tmp_path, capsys, monkeypatch, name):
    (tmp_path / name).mkdir()
    assert f"{name}: what is there is no regular file" in refused_unmade(capsys, monkeypatch, saved, "-o", tmp_path)
    (tmp_path / "link").symlink_to("nowhere")
    err = refused_unmade(capsys, monkeypatch, saved, "-o", tmp_path / "link")
    assert f"out: {tmp_path / 'link'} is no folder" in err


def test_the_current_folder_and_names_with_dots(saved, tmp_path, capsys, monkeypatch):
    """A folder keeps its whole name, so that runs/v1.2 does not take the place of runs/v1.1."""
    for name in ("v1.1", "v1.2"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "bot.safetensors").write_bytes(saved.read_bytes())
        assert run_command(capsys, "export", str(tmp_path / name), *GOOD)[0] == 0
    monkeypatch.chdir(tmp_path / "v1.1")
    assert run_command(capsys, "export", ".", *GOOD)[0] == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["v1.1", "v1.1.onnx", "v1.2", "v1.2.onnx"]
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    assert run_command(capsys, "export", str(saved), "-o", ".", *GOOD)[0] == 0
    assert (tmp_path / "here/README.md").read_text().startswith("# here\n")
    assert run_command(capsys, "export", "bot.safetensors", "-o", ".", *GOOD)[0] == 0  # its own files it may replace
    (tmp_path / "here/README.md").write_text("# filled in")
    assert "has a README.md that" in refused_unmade(capsys, monkeypatch, saved, "-o", tmp_path / "here")


def test_where_writing_fails_nothing_is_left(saved, tmp_path, capsys, monkeypatch):
    write, written = Path.write_bytes, []

    def full_disk(path, content):
        written.append(path.name)
        if "manifest" in path.name:
            raise OSError(28, "No space left on device")
        return write(path, content)

    monkeypatch.setattr(Path, "write_bytes", full_disk)
    status, _, err = run_command(capsys, "export", str(saved), "-o", str(tmp_path / "out"), *GOOD)
    assert (status, err) == (2, f"piquet export: {tmp_path / 'out/manifest.json'}: No space left on device\n")
    assert len(written) > 1
    assert list(tmp_path.iterdir()) == []


# ------------------------------------------------------------------ what a file says of itself


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda header: header.pop("decisions"), "decisions: expected a whole number"),
        (lambda header: header.update(decisions="many"), "decisions: expected a whole number"),
        (lambda header: header.update(head="best"), "head: expected softmax or greedy, got 'best'"),
        (lambda header: header.update(temperature="hot"), "temperature: expected a number above 0, got 'hot'"),
        (lambda header: header["value"].pop("explained_variance"), "value: expected numbers for"),
        (lambda header: header["value"].update(scale=0), "value: expected a scale above 0"),
        (lambda header: header["value"].update(deals="20"), "value: expected numbers for"),
        (lambda header: header.update(value=None), "value: expected numbers for"),
    ],
)
def test_a_header_that_lacks_what_is_to_be_told_is_refused(tmp_path, capsys, change, message):
    bot = bot_of(CONFIG)
    weights = bot.policy.state_dict() | {f"value.{k}": v for k, v in bot.expects.network.state_dict().items()}
    header = {"config": as_dict(CONFIG), "decisions": 5, "head": "softmax", "value": dict(ABOUT_VALUE)}
    change(header)
    save_bot_file(tmp_path / "bot.safetensors", weights, header)
    status, out, err = run_command(capsys, "export", str(tmp_path), "-o", str(tmp_path / "x.onnx"), *GOOD)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert message in err
    assert not (tmp_path / "x.onnx").exists()


@pytest.mark.parametrize("results", [[{"against": "x"}], 5, [7], [{"against": "x", "points_per_deal": "much",
                                                                   "interval": [0, 1], "deals": 9}]])  # fmt: skip
def test_a_report_that_is_none_tells_nothing(saved, tmp_path, results):
    sha256 = load_network_bot(saved).sha256
    report = {"results": results, "provenance": {"weights": {"bot": sha256}}}
    (tmp_path / "results.json").write_text(json.dumps(report))
    assert export_command.results_of(tmp_path / "bot.safetensors", sha256) == []


def test_too_few_deals_to_measure_a_value_are_refused(monkeypatch):
    """Where no decision of the deals held out is kept, there is nothing to measure it with."""
    config = dataclasses.replace(CONFIG, rules="micro")
    outcomes = played(bot_of(config), config, 20, 0, lambda done: None)
    for deals in (range(18), range(18, 20), range(0)):  # the last two are those held out
        kept = np.isin(outcomes.deal, deals)
        few = Outcomes(outcomes.seen[kept], outcomes.points[kept], outcomes.deal[kept])
        monkeypatch.setattr("training.value.played", lambda *_, few=few: few)
        with pytest.raises(ValueError, match="value_deals: 20 have too few decisions"):
            fitted_value(bot_of(config), config, 20, 0, lambda done: None)
