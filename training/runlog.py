"""What a run leaves behind: JSONL and TensorBoard logs, the progress bar, and the learning curve."""

from __future__ import annotations

import json
import os
import socket
import time
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, ProgressColumn, Task, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text
from tensorboard.compat.proto.event_pb2 import Event, SessionLog  # type: ignore[attr-defined] (as below)
from tensorboard.compat.proto.summary_pb2 import Summary  # type: ignore[attr-defined] (protobuf makes them)
from tensorboard.summary.writer.record_writer import RecordWriter

from piquet_env.files import whole_file

MEASURES = {
    "decisions": "decisions played so far, or read from a file",
    "decisions_per_second": "since this run was started",
    "deals": "deals finished in the rollout whose auction was the network's own",
    "thrown_in": "share of them thrown in",
    "level": "mean level of their contracts",
    "minus": "share of minus contracts",
    "doubled": "share doubled or redoubled",
    "made": "share of contracts made; in episodes of an auction: that brought the maker points",
    "entropy": "of the policy, 1 is uniform",
    "imitation_loss": "cross entropy of the policy with the imitated bot's, in nats",
    "agreement": "share of decisions in which the policy's likeliest action is what was done",
    "to_magnet": "KL divergence from mmd's magnet, divided by the log of the legal actions",
    "kl": "how far the update moved the policy from the one that played",
    "clipped": "share of decisions whose ratio left PPO's bound",
    "policy_loss": "PPO's loss",
    "value_loss": "mean squared error of the critic, in units of reward_scale squared",
    "skipped": "gradient steps left out because a gradient was not finite",
    "learning_rate": "Adam's step size",
}


class RunLog:
    """Appends to `log.jsonl` (a line for each update, one for each evaluation) and to TensorBoard."""

    def __init__(self, folder: Path, decisions: int):
        self.path = folder / "log.jsonl"
        self._forget_after(decisions)
        self.file = self.path.open("a", encoding="utf-8")
        self.board = Board(folder, decisions + 1)

    def _forget_after(self, decisions: int) -> None:
        """A resumed run repeats what came after its checkpoint; one that begins anew, all."""
        entries = read_log(self.path) if decisions else []
        kept = [json.dumps(entry) + "\n" for entry in entries if entry["decisions"] <= decisions]
        with whole_file(self.path) as file:
            file.write_text("".join(kept), encoding="utf-8")

    def update(self, figures: dict[str, float]) -> None:
        """One update's figures (MEASURES says what they are)."""
        self._write({"kind": "update", **figures})
        self.board.write({f"train/{name}": value for name, value in figures.items()}, int(figures["decisions"]))

    def evaluation(self, decisions: int, results: list[dict[str, Any]], more: dict[str, float]) -> None:
        """Points per deal against each opponent, with intervals, and what else was measured."""
        self._write({"kind": "evaluation", "decisions": decisions, "results": results, **more})
        points = {f"points_per_deal/{result['against']}": result["points_per_deal"] for result in results}
        self.board.write({**points, **more}, decisions)

    def _write(self, entry: dict[str, Any]) -> None:
        self.file.write(json.dumps(entry) + "\n")
        self.file.flush()

    def close(self) -> None:
        """Close both."""
        self.file.close()
        self.board.close()


class Board:
    """TensorBoard's events, written at once: its own writer does so in a thread, whose errors nobody could catch.

    Args:
        folder: where a file of events is made.
        begins: TensorBoard forgets what earlier files say of this and later numbers of decisions. Raises OSError.
    """

    def __init__(self, folder: Path, begins: int):
        name = f"events.out.tfevents.{time.time_ns() // 10**9:010d}.{socket.gethostname()}.{os.getpid()}"
        self.records = RecordWriter((folder / name).open("wb"))
        self._record(step=begins, file_version="brain.Event:2")
        self._record(step=begins, session_log=SessionLog(status=SessionLog.START))

    def write(self, figures: dict[str, float], decisions: int) -> None:
        """These figures, after so many decisions. Raises OSError."""
        values = [Summary.Value(tag=name, simple_value=value) for name, value in figures.items()]
        self._record(step=decisions, summary=Summary(value=values))

    def _record(self, **content: Any) -> None:
        self.records.write(Event(wall_time=time.time(), **content).SerializeToString())
        self.records.flush()

    def close(self) -> None:
        """Close the file. Raises OSError."""
        self.records.close()


def read_log(path: Path) -> list[dict[str, Any]]:
    """The entries of a log; lines that a crash has cut off or damaged are left out."""
    text = path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""
    return [entry for entry in map(_entry, text.splitlines()) if entry is not None]


def _entry(line: str) -> dict[str, Any] | None:
    try:
        entry = json.loads(line)
    except ValueError:
        return None
    is_whole = isinstance(entry, dict) and "kind" in entry and isinstance(entry.get("decisions"), int | float)
    return entry if is_whole else None


class _Rate(ProgressColumn):
    def render(self, task: Task) -> Text:
        return Text(f"{task.fields['rate']:,.0f}/s", style="cyan")


class TrainingProgress:
    """The progress bar with decisions/s and the main figures; where there is no terminal, a line now and then."""

    def __init__(self, console: Console, total: int, done: int):
        self.console, self.total, self.printed = console, total, done
        columns = (
            TextColumn("training"),
            BarColumn(bar_width=12),
            TextColumn("{task.percentage:>3.0f}%"),
            _Rate(),
            TextColumn("{task.fields[figures]}"),
            TimeRemainingColumn(),
        )
        self.progress = Progress(*columns, console=console, disable=not console.is_terminal, transient=False)
        self.task = self.progress.add_task("", total=total, completed=done, rate=0.0, figures="")

    def __enter__(self) -> TrainingProgress:
        self.progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.progress.stop()

    def update(self, figures: dict[str, float]) -> None:
        """After each update."""
        told = ("entropy", "agreement", "value_loss")
        text = next((f"{name.replace('_', ' ')} {figures[name]:.2f}" for name in told if name in figures), "")
        if "thrown_in" in figures:
            text += f" thrown in {figures['thrown_in']:.0%} made {figures.get('made', 0):.0%}"
        done = int(figures["decisions"])
        self.progress.update(self.task, completed=done, rate=figures["decisions_per_second"], figures=text)
        if not self.console.is_terminal and (done - self.printed >= self.total / 20 or done >= self.total):
            self.printed = done
            rate = figures["decisions_per_second"]
            self.console.print(f"{done:,} of {self.total:,} decisions, {rate:,.0f}/s, {text}", highlight=False)


def results_table(results: list[dict[str, Any]]) -> Table:
    """How the bot does against each opponent."""
    games = "parties" if "parties" in results[0] else "deals"
    table = Table(title=f"The trained bot on {results[0]['deals']:,} {games}, each played twice with the seats swapped")
    for name in ("against", "points per deal", "95 % interval", "won/drawn/lost", "thrown in"):
        table.add_column(name, justify="left" if name == "against" else "right")
    if "parties" in results[0]:
        table.add_column("payment a partie", justify="right")
    for result in results:
        low, high = result["interval"]
        pairs = result["pairs"]
        cells = [
            result["against"],
            f"{result['points_per_deal']:+.1f}",
            f"{low:+.1f} to {high:+.1f}",
            f"{pairs['won']}/{pairs['drawn']}/{pairs['lost']}",
            f"{result['thrown_in']:.1%}",
        ]
        table.add_row(*cells, *([_payment(result)] if "parties" in result else []))
    return table


def _payment(result: dict[str, Any]) -> str:
    low, high = result["payment_interval"]
    return f"{result['payment_per_partie']:+.0f} ({low:+.0f} to {high:+.0f})"


def plot_learning_curve(log: Path, picture: Path, auctions_from: float) -> None:
    """Points per deal against each opponent over the decisions, with 95 % intervals, as a PNG.

    A line marks the decisions after which auctions are learnt too, where there are such.
    """
    from matplotlib.figure import Figure
    from matplotlib.ticker import EngFormatter

    evaluations = [entry for entry in read_log(log) if entry["kind"] == "evaluation"]
    figure = Figure(figsize=(7, 4), layout="constrained")
    axes = figure.subplots()
    for opponent in dict.fromkeys(r["against"] for e in evaluations for r in e["results"]):
        points = [(e["decisions"], r) for e in evaluations for r in e["results"] if r["against"] == opponent]
        x = [decisions for decisions, _ in points]
        axes.plot(x, [r["points_per_deal"] for _, r in points], marker="o", markersize=3, label=f"against {opponent}")
        axes.fill_between(x, [r["interval"][0] for _, r in points], [r["interval"][1] for _, r in points], alpha=0.2)
    axes.axhline(0, color="grey", linewidth=0.8)
    if auctions_from:
        axes.axvline(auctions_from, color="grey", linestyle=":", label="from here auctions are learnt too")
    axes.set(xlabel="decisions", ylabel="points per deal (95 % interval)")
    axes.set_title("Self-play, measured on duplicate deals")
    axes.xaxis.set_major_formatter(EngFormatter())
    axes.grid(alpha=0.3)
    axes.legend()
    with whole_file(picture) as file:
        figure.savefig(file, dpi=120, format="png")
