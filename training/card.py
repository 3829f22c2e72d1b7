"""The model card of an exported bot: what it is, how to use it, how good it is as far as was measured, its limits."""

from __future__ import annotations

from typing import Any

import yaml

_USE = """It needs {made_by} with torch (`pip install 'piquet-env[train]'`), or a later one of the same versions.
The weights hold no code.

```python
import numpy as np
from piquet_env import auction_piquet_v0
from piquet_env.bots import act_in, load_bot

bot, rng = load_bot("{file}"), np.random.default_rng(0)
env = auction_piquet_v0.env(rules={rules}, episode={episode})
env.reset(seed=0)
env.step(act_in(env, bot, rng))  # what it does where the environment waits for a player
```"""


def model_card(name: str, file: str, about: dict[str, Any]) -> str:
    """Markdown.

    Args:
        name: of the bot.
        file: the name of its weights' file, beside the card.
        about: `training.export.about_bot`.
    """
    parts = [
        f"# {name}",
        f"A network that plays {_rules(about)}, a ruleset of {_game(about)}, the card game for two, trained with "
        "piquet-env. It sees what its player sees, no more.",
        _use(file, about),
        "## How good it is",
        *_strength(about["training"]["results"], file),
        _value(about["architecture"]["value"]),
        "## How it was trained",
        _training(about["training"]),
        "```yaml\n" + yaml.safe_dump(about["training"]["config"], sort_keys=False).rstrip() + "\n```",
        "## What it is",
        _architecture(about),
        _table(("", ""), [("policy, sha256", f"`{about['sha256']}`"), ("value, sha256", f"`{about['value_sha256']}`"),
                          ("versions", _versions(about)), ("licence", about["license"])]),
        "## Limits",
        f"It knows {_rules(about)}; by other rules it plays legally, and as well as that goes. Self-play promises no "
        "equilibrium: whoever looks for its weaknesses will find some (`piquet exploit`).",
    ]  # fmt: skip
    return "\n\n".join(parts) + "\n"


def _use(file: str, about: dict[str, Any]) -> str:
    rules, episode = (_python(about[key]) for key in ("rules", "episode"))
    return _USE.format(file=file, made_by=about["made_by"], rules=rules, episode=episode)


def _rules(about: dict[str, Any]) -> str:
    rules = about["rules"]
    return f"`{rules}`" if isinstance(rules, str) else f"`{rules['base']}` with changed rules ({rules})"


def _game(about: dict[str, Any]) -> str:
    return "Auction Piquet" if about["rule_fields"]["auction"] else "Piquet"


def _python(value: str | dict[str, Any]) -> str:
    return f'"{value}"' if isinstance(value, str) else repr(value)


def _strength(results: list[dict[str, Any]], file: str) -> list[str]:
    if not results:
        return [f"That was not measured: `piquet evaluate {file} greedy --deals 2000`."]
    rows = [
        (f"`{r['against']}`", f"{r['points_per_deal']:+.1f} [{r['interval'][0]:.1f}, {r['interval'][1]:.1f}]",
         f"{r['deals']:,}") for r in results
    ]  # fmt: skip
    said = "Its points less the other's, with 95 % intervals; every deal was played twice with the seats swapped."
    return [said, _table(("against", "points a deal", "deals"), rows)]


def _value(value: dict[str, Any]) -> str:
    return (
        f"Its value, what it expects the deal to come to in points, was fitted to {value['deals']:,} deals that it "
        f"played against itself; on deals held out it explains {100 * value['explained_variance']:.0f} % of the "
        f"variance (root mean square error {value['root_mean_square_error']:.1f} points)."
    )


def _training(training: dict[str, Any]) -> str:
    config = training["config"]
    imitated = f", the first {config['imitate_decisions']:,} of them imitating `{config['imitate']}`"
    return (
        f"{training['decisions']:,} decisions by `{training['algorithm']}`{imitated if config['imitate'] else ''}, "
        "with these settings:"
    )


def _architecture(about: dict[str, Any]) -> str:
    policy, value = about["architecture"]["policy"], about["architecture"]["value"]
    temperature = about["training"]["temperature"]
    drawn = "" if temperature == 1 else f" (what it learnt, at temperature {temperature:g})"
    return (
        f"Policy: {policy['inputs']:,} inputs, {policy['depth']} layers of {policy['width']}, {policy['outputs']} "
        f"outputs, ReLU; it acts by its {policy['head']} head{drawn}. Value: {value['depth']} layers of "
        f"{value['width']}. Suits: {about['suits']}."
    )


def _versions(about: dict[str, Any]) -> str:
    return ", ".join(f"{name} {number}" for name, number in about["versions"].items())


def _table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (head, ("---",) * len(head), *rows))
