"""Plans of a table: what they say, what is refused, and the pieces that they are made of."""

from __future__ import annotations

import copy
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

torch = pytest.importorskip("torch", reason="training needs torch: pip install 'piquet-env[train]'")

from rich.console import Console

from piquet_env.arena.bidding_command import FOLDER
from piquet_env.arena.match import play_match
from piquet_env.arena.statistics import pair_values
from piquet_env.bidding import BiddingDeals
from piquet_env.bots import load_bot
from training.bot import load_network_bot
from training.config import load_config, read_values
from training.exploit import REPORT_SEED
from training.table.data import collected
from training.table.make import make
from training.table.pieces import (
    CROSS,
    EXACT,
    MATCHES,
    RESPONSES,
    RUNS,
    Folder,
    Piece,
    Run,
    evaluation_seed,
    pieces_of,
    settings_of,
)
from training.table.plan import PlanError
from training.table.reading import load_plan, plan_from
from training.train import CURVE_SEED, FINAL_SEED

PLAN = Path(__file__).parent / "data" / "table.yaml"
ROOT = Path(__file__).parent.parent


@pytest.fixture
def values() -> dict[str, Any]:
    return copy.deepcopy(yaml.safe_load(PLAN.read_text()))


def test_what_is_said_closest_to_a_run_counts(values):
    values["config"]["clip"], values["games"]["mini"]["config"]["clip"] = 0.5, 0.4
    plan = plan_from(values)
    assert plan.config_of("micro", "slow_dmc", 1).clip == 0.5
    assert plan.config_of("mini", "slow_dmc", 1).clip == 0.4
    ppo = plan.config_of("mini", "ppo", 2)
    assert (ppo.clip, ppo.algorithm, ppo.rules, ppo.seed, ppo.decisions) == (0.1, "ppo", "mini", 2, 512)
    values["algorithms"]["ppo"] = {"clip": 0.3}
    assert plan_from(values).config_of("micro", "ppo", 1).clip == 0.3
    dmc = plan.config_of("micro", "slow_dmc", 1)
    assert (dmc.algorithm, dmc.learning_rate, dmc.decisions) == ("dmc", 1e-4, 256)


def test_a_best_response_plays_the_same_game_with_settings_of_its_own(values):
    config, start = plan_from(values).response_of("mini", 2)
    assert start == "bot"
    assert (config.rules, config.reward_scale, config.threads, config.seed) == ("mini", 10.0, 1, 2)
    assert (config.algorithm, config.final_deals, config.minibatch) == ("best_response", 40, 512)
    values["games"]["mini"]["response"] |= {"start": "scratch"}
    assert plan_from(values).response_of("mini", 2)[1] == "scratch"


def test_every_piece_is_there_once():
    pieces = pieces_of(load_plan(PLAN))
    counts = {kind: sum(piece.kind == kind for piece in pieces) for kind in (RUNS, MATCHES, CROSS, RESPONSES, EXACT)}
    assert counts == {RUNS: 12, MATCHES: 12, CROSS: 4, RESPONSES: 8, EXACT: 4}
    crossed = {piece.name for piece in pieces if piece.kind == CROSS}
    assert crossed == {f"cross/mini/ppo-{s}-slow_dmc-{t}" for s in (1, 2) for t in (1, 2)}
    cross = Piece(CROSS, "mini", (Run("ppo", 1), Run("slow_dmc", 2)))
    assert [need.name for need in cross.needs] == ["runs/mini/ppo-1", "runs/mini/slow_dmc-2"]
    assert Piece(MATCHES, "mini", (Run("ppo", 1),), "expert:fast").name == "matches/mini/ppo-1-expert-fast"


def test_the_plan_of_the_benchmark_has_three_seeds_and_the_same_budget_for_all():
    values = read_values(ROOT / "configs" / "benchmark" / "table.yaml")
    bidding = values["games"]["bidding"]
    # Files that `piquet bidding make` writes.
    assert (bidding.pop("stored"), bidding["config"].pop("deals")) == (
        str(FOLDER / "test.npz"),
        str(FOLDER / "train.npz"),
    )
    plan = plan_from(values)
    assert len(plan.seeds) >= 3
    assert list(plan.algorithms) == ["ppo", "mmd", "dmc"]
    episodes = {name: plan.config_of(name, "ppo", 1).episode for name in plan.games}
    assert episodes == {"auction": "deal", "bidding": "auction", "micro": "deal"}
    for game in plan.games:
        assert plan.config_of(game, "mmd", 2).decisions == 10_000_000
    for game in ("auction", "bidding"):
        assert list(plan.games[game].opponents) == ["random", "greedy", "expert:fast"]
    for algorithm in plan.algorithms:
        # The seed apart, as in the files that the curves of `micro` were made with.
        alone = load_config(ROOT / f"configs/benchmark/micro-{algorithm}.yaml")
        config = plan.config_of("micro", algorithm, alone.seed)
        budget = {"decisions": alone.decisions, "evaluate_every": alone.evaluate_every}
        assert replace(config, **budget, checkpoint_every=alone.checkpoint_every) == alone


def test_no_two_matches_have_the_same_deals_and_none_those_of_choice(values):
    plan = plan_from(values)
    played = [piece for piece in pieces_of(plan) if piece.kind in (MATCHES, CROSS, RESPONSES)]
    seeds = [evaluation_seed(plan, piece) for piece in played]
    assert len({*seeds, CURVE_SEED, FINAL_SEED, REPORT_SEED}) == len(seeds) + 3
    # Seeds, opponents or algorithms that are added change nothing of what there is.
    more = plan_from({**values, "seeds": [3, 1, 2]})
    assert [evaluation_seed(more, piece) for piece in played] == seeds
    other = plan_from({**values, "evaluation_seed": 81})
    assert not set(seeds) & {evaluation_seed(other, piece) for piece in played}


WRONG = [
    ("seedz", [1], "unknown field 'seedz'; known are seeds, evaluation_seed"),
    ("seeds", [1, 2, 1], "seeds: 1 is there twice"),
    ("seeds", [], "seeds: expected a list of whole numbers, got []"),
    ("seeds", [-1], "seeds: "),
    ("seeds", 3, "seeds: expected a list"),
    ("evaluation_seed", "x", "evaluation_seed: "),
    ("network", "best", "network: expected one of last, chosen, got 'best'"),
    ("algorithms", None, "algorithms: expected at least one"),
    ("algorithms", ["ppo"], "algorithms: expected names and values, got ['ppo']"),
    ("algorithms/ppo-2", {}, "algorithms: expected a name of letters, digits and underscores, got 'ppo-2'"),
    ("algorithms/poo", None, "games: mini: the runs of poo: algorithm: 'poo' is unknown, did you mean 'ppo'?"),
    ("algorithms/ppo", {"clipp": 1}, "games: mini: the runs of ppo: unknown field 'clipp'"),
    (
        "algorithms/ppo",
        {"decisions": 5000},
        "games: mini: decisions: expected the same budget for every algorithm, got",
    ),
    ("algorithms/ppo", {"rules": "micro"}, "algorithms: ppo: rules: it is the same for every algorithm"),
    ("config/seed", 4, "config: seed: the plan's seeds are used"),
    ("config/opponents", ["greeedy"], "games: mini: the runs of ppo: unknown bot 'greeedy'"),
    ("games", {}, "games: expected at least one"),
    ("games/mini/rules", "mini", "games: mini: unknown field 'rules'; known are about, config"),
    ("games/mini/config/clip", 2, "games: mini: the runs of slow_dmc: clip: expected 0 to 1"),
    ("games/mini/algorithms/mmd", {}, "games: mini: algorithms: 'mmd' is none of ppo, slow_dmc"),
    ("games/mini/opponents", {"greeedy": 20}, "games: mini: opponents: unknown bot 'greeedy'"),
    ("games/mini/opponents", {"greedy": 1}, "games: mini: opponents: greedy: expected a whole number of at least 2"),
    ("games/mini/opponents", ["greedy"], "games: mini: opponents: expected names and values"),
    ("games/mini/cross", 1.5, "games: mini: cross: expected a whole number of at least 2, got 1.5"),
    ("games/mini/stored", "a.npz", "games: mini: stored: deals: stored ones are for episode"),
    ("games/bidding/stored", "none.npz", "games: bidding: stored: "),
    ("games/bidding/stored", 5, "games: bidding: stored: expected a file of stored deals, got 5"),
    ("games/mini/exact", True, "games: mini: exact: expected deals with a pack as small as that of micro"),
    ("games/micro/exact", "yes", "games: micro: exact: expected true or false, got 'yes'"),
    ("games/mini/response", {"deals": 40}, "games: mini: response: decisions is missing"),
    ("games/mini/response/start", "weights", "games: mini: response: start: expected one of scratch, bot"),
    ("games/mini/response/config/seed", 1, "games: mini: response: config: seed: it follows from the rest"),
    ("games/mini/response/config/start", "x.pt", "games: mini: response: config: start: it follows from the rest"),
    ("games/mini/config/start", "none.pt", "games: mini: the runs of ppo: start: none.pt: No such file"),
    (
        "games/mini/config",
        {"imitate": "greeedy", "imitate_decisions": 100},
        "games: mini: the runs of ppo: imitate: unknown bot 'greeedy'",
    ),
    (
        "games/bidding/config/deals",
        "none.npz",
        "games: bidding: config: deals: none.npz: no deals for bidding: No such",
    ),
    ("games/mini/response/config/clip", 3, "games: mini: response: clip: expected 0 to 1"),
]


@pytest.mark.parametrize(("place", "value", "expected"), WRONG, ids=[f"{place}={value}" for place, value, _ in WRONG])
def test_a_plan_that_cannot_be_is_refused_and_says_where(values, place, value, expected):
    *path, last = place.split("/")
    at = values
    for name in path:
        at = at[name]
    at[last] = value
    with pytest.raises(PlanError) as refused:
        plan_from(values)
    assert str(refused.value).startswith(expected)


def test_matches_of_bidders_may_play_stored_deals(values, tmp_path):
    deals = BiddingDeals.make(25, 3, rules="mini")
    values["games"]["bidding"]["stored"] = str(tmp_path / "deals.npz")
    deals.save(tmp_path / "deals.npz")
    plan = plan_from(values)
    match = Piece(MATCHES, "bidding", (Run("ppo", 1),), "greedy")
    settings = settings_of(plan, match)
    assert (settings["stored"], settings["deals"]) == (deals.checksum, 20)
    folder = Folder(tmp_path / "out", plan)
    folder.begin()
    for piece in (*match.needs, match):
        with folder.claimed(piece):
            make(folder, piece, Console(quiet=True))
    del values["games"]["bidding"]["stored"]
    with pytest.raises(PlanError, match="of another plan: stored was"):
        Folder(tmp_path / "out", plan_from(values)).check()
    values["games"]["bidding"]["stored"] = str(tmp_path / "deals.npz")
    kept = folder.finished(match)
    bot = load_network_bot(folder.bot("bidding", Run("ppo", 1)))
    seed = settings["evaluation_seed"]
    played = play_match(bot, load_bot("greedy"), "mini", 20, seed, "auction", deals=deals)
    assert kept is not None
    assert kept["result"]["mean"] == pytest.approx(pair_values(played).mean(), abs=1e-4)
    shown = collected(folder, "")["playouts"]["bidding"]["stored_deals"]
    assert (shown["sha256"], shown["number"]) == (deals.checksum, 25)
    values["games"]["bidding"]["opponents"] = {"greedy": 26}
    with pytest.raises(PlanError, match="games: bidding: stored: deals: 25 are stored, too few for 26"):
        plan_from(values)


def test_what_is_no_plan_is_refused_by_its_files_name(tmp_path):
    path = tmp_path / "plan.yaml"
    for content, expected in (("[", "no YAML"), ("5", "expected names and values"), ("seeds: [1]", "is missing")):
        path.write_text(content)
        with pytest.raises(PlanError, match=expected) as refused:
            load_plan(path)
        assert str(refused.value).startswith(f"{path}: ")
    with pytest.raises(PlanError, match="No such file"):
        load_plan(tmp_path / "none.yaml")


def test_opponents_that_would_share_a_folder_are_refused():
    plan = load_plan(PLAN)
    plan.games["mini"].opponents.update({"a:b": 20, "a.b": 20})
    with pytest.raises(PlanError, match="two names are too alike"):
        pieces_of(plan)
