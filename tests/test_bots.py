"""The bots: one signature, legal in all rules, blind to what is hidden; finding them by name."""

import importlib.util
import json
import os
import sys

import numpy as np
import pytest
from helpers import card_number, hidden, legal, odd_rules, set_up

from piquet_env import SelfPlayVectorEnv, auction_piquet_v0, knowledge
from piquet_env.arena.match import play_on
from piquet_env.bots import Bot, BotError, PolicyBot, Views, act_in, act_on_view, load_bot, views_of
from piquet_env.bots.base import ask
from piquet_env.bots.policy import draw, draw_by, legal_actions_of, probabilities_of
from piquet_env.bots.registry import note_rules
from piquet_env.engine import batch, game
from piquet_env.engine import layout as at
from piquet_env.engine.actions import ACTIONS
from piquet_env.notation import action_index, action_text, cards_of, parse_hand
from piquet_env.rules import RULESETS, Rules
from piquet_env.views import ViewError

RULES = [*RULESETS.values(), *(odd_rules(seed) for seed in range(30))]
BOTS = ("random", "greedy")


def decisions(rules: Rules, games: int = 6, seed: int = 3) -> np.ndarray:
    """The true rows of every decision in some games that were played at random: int64 (N, columns)."""
    rows = np.zeros((games, at.COLUMNS), np.int64)
    batch.new_games(rows, rules.columns(), 0, seed, 0)
    rng, seen = np.random.default_rng(seed), []
    while len(rows):
        seen.append(rows.copy())
        play_on(rows, load_bot("random").act(views_of(rows), rng))
        rows = rows[rows[:, at.PHASE] < at.DEAL_OVER]
    return np.concatenate(seen)


def greedy_action(row: np.ndarray) -> int:
    return int(load_bot("greedy").act(views_of(row), np.random.default_rng(0))[0])


# ------------------------------------------------------------------ the signature


@pytest.mark.parametrize("name", BOTS)
def test_every_choice_is_legal_in_all_rules(name):
    bot = load_bot(name)
    assert isinstance(bot, Bot)
    for rules in RULES:
        rows = decisions(rules)
        actions = bot.act(views_of(rows), np.random.default_rng(1))
        assert actions.shape == (len(rows),)
        assert actions.dtype == np.int64
        for row, action in zip(rows, actions, strict=True):
            assert action in legal(row), (rules.spec(), action)


@pytest.mark.parametrize("name", BOTS)
def test_probabilities_are_of_what_it_does(name):
    """Random's legal actions are equally likely; greedy does what it does."""
    bot = load_bot(name)
    for rules in RULES[::4]:
        views = views_of(decisions(rules, games=2))
        policy = probabilities_of(name, bot, views)
        assert policy.shape == views.mask.shape
        if name == "random":
            assert (policy > 0).tolist() == (views.mask == 1).tolist()
            assert all(len(set(row[row > 0])) == 1 for row in policy)
        else:
            assert (policy.argmax(axis=1) == bot.act(views, np.random.default_rng(0))).all()
            assert (policy.max(axis=1) == 1).all()


def test_views_hold_what_the_player_to_act_knows():
    for rules in RULES:
        rows = decisions(rules, games=2)
        before = rows.copy()
        views = views_of(rows)
        assert np.array_equal(rows, before)
        assert views.observation.shape == (len(rows), knowledge.OBSERVATION_SIZE)
        assert views.mask.shape == (len(rows), ACTIONS)
        for i, row in enumerate(rows):
            player = int(row[at.ACTOR])
            assert np.array_equal(views.observation[i], knowledge.observation(row, player))
            assert np.flatnonzero(views.mask[i]).tolist() == legal(row)
            assert np.array_equal(views.rows[i], hidden(row, player))
            assert views.rows[i, at.HANDS + player] == row[at.HANDS + player]
            assert (views.rows[i, at.HANDS + 1 - player] == -1) == (not rules.open_hands)
            assert views.rows[i, at.RANDOM] == views.rows[i, at.TALON] == -1


def test_greedy_uses_nothing_that_is_hidden():
    for rules in RULES:
        rows = decisions(rules)
        views = views_of(rows)
        seeing_all = Views(views.observation, views.mask, rows)
        bot, rng = load_bot("greedy"), np.random.default_rng(0)
        assert np.array_equal(bot.act(views, rng), bot.act(seeing_all, rng)), rules.spec()


def test_greedy_draws_no_random_numbers_and_each_game_stands_alone():
    rows = decisions(RULESETS["auction"])
    bot, rng = load_bot("greedy"), np.random.default_rng(5)
    together = bot.act(views_of(rows), rng)
    assert rng.random() == np.random.default_rng(5).random()
    order = np.random.default_rng(1).permutation(len(rows))
    assert np.array_equal(bot.act(views_of(rows[order]), rng), together[order])
    assert [greedy_action(row) for row in rows[:40]] == together[:40].tolist()


def test_random_takes_every_legal_action_equally_often_and_repeats_with_the_seed():
    row = set_up(RULESETS["auction"], 1, cards_of(Rules().pack))
    views = views_of(np.repeat(row[None], 26_000, axis=0))
    bot = load_bot("random")
    actions = bot.act(views, np.random.default_rng(7))
    counts = np.bincount(actions, minlength=ACTIONS)[legal(row)]
    assert len(counts) == 13  # six bids of each sign, and pass
    assert np.all(abs(counts - 2000) < 5 * 2000**0.5)
    assert np.array_equal(actions, bot.act(views, np.random.default_rng(7)))
    assert not np.array_equal(actions, bot.act(views, np.random.default_rng(8)))


# ------------------------------------------------------------------ what greedy does, by hand


def deal(hand: str, *actions: str, rules: str = "auction", other: str = "") -> np.ndarray:
    """player_0 speaks first and holds `hand`, player_1 `other` and the lowest of the rest; then these actions."""
    made = RULESETS[rules]
    mine, theirs = parse_hand(hand), parse_hand(other) if other else 0
    rest = [card for card in cards_of(made.pack & ~(mine | theirs))]
    rest.sort(key=lambda card: (card & 7, card))
    second = [*cards_of(theirs), *rest][: made.hand_size]
    talon = [card for card in rest if card not in second]
    row = set_up(made, 1, [*cards_of(mine), *second, *talon])
    for text in actions:
        assert game.apply_action(row, action_index(text, made)), text
    return row


def choice(row: np.ndarray, rules: str = "auction") -> str:
    return action_text(greedy_action(row), rules, int(row[at.PHASE]))


HIGH, LOW = "AKQJ.AKQ.AKQ.87", "987.987.987.987"


def test_greedy_bids_plus_on_high_cards_and_minus_on_low_ones():
    assert choice(deal(HIGH)) == "+7"
    assert choice(deal(LOW)) == "-7"
    assert choice(deal("AK97.KQ9.QT8.J8")) in ("+7", "-7", "pass")


def test_greedy_doubles_a_contract_that_it_would_make_itself():
    assert choice(deal(HIGH, "pass", "+7")) == "double"
    assert choice(deal(LOW, "pass", "-7")) == "double"
    assert choice(deal(HIGH, "+7", "double")) == "redouble"


def test_greedy_leaves_the_other_a_contract_that_neither_makes():
    assert choice(deal(HIGH, "pass", "-12")) == "pass"
    assert choice(deal(LOW, "pass", "+12")) == "pass"


def test_greedy_throws_low_cards_in_a_plus_contract_and_high_ones_in_a_minus_contract():
    hand = "AKQJT.AKQ.98.87"
    thrown = choice(deal(hand, "+7", "pass"))
    assert thrown in ("discard D9", "discard D8", "discard C8", "discard C7")
    thrown = choice(deal(hand, "-7", "pass"))
    assert thrown[-1] in "AKQJT"


def test_greedy_keeps_a_set_and_a_long_suit():
    row = deal("AKJT987.A.A.A97", "+7", "pass")
    for _ in range(2):
        card = greedy_action(row)
        assert card in (card_number("C9"), card_number("C7"))
        game.apply_action(row, card)


def test_greedy_declares_the_best_of_each_category():
    row = deal("KQJT.AQJT.A987.", "+7", "pass", "stand", "stand")
    assert choice(row) == "point H"  # of three fours: 41 pips against 40 and 35
    row = deal("KQJT.QJT.QJT.QJ", "+7", "pass", "stand", "stand", "point S", "none")
    assert choice(row) == "sequence 4 K"
    for text in ("none", "none"):
        game.apply_action(row, action_index(text))
    assert choice(row) == "set Q"  # a quatorze, and so is that of the knaves; the tens are a trio


def test_a_quatorze_is_named_before_a_higher_trio():
    row = deal("AT98.AT98.AT.T9", "+7", "pass", "stand", "stand", "none", "none", "none", "none")
    assert choice(row) == "set T"


def test_greedy_says_good_when_it_is_beaten():
    other = "AKQJT987.AKQJ.."
    row = deal("..AKQJT987.AKQJ", "pass", "+7", "pass", "stand", "stand", "none", "none", other=other)
    assert row[at.ACTOR] == 1  # the maker: it names the sequence of eight, which the other's only equals
    assert choice(row) == "sequence 8 A"
    game.apply_action(row, action_index("sequence 8 A"))
    assert choice(row) == "sequence 8 A"
    beaten = deal("..KQJT987.KQJT9", "pass", "+7", "pass", "stand", "stand", "none", "none", other=other)
    game.apply_action(beaten, action_index("sequence 8 A"))
    assert choice(beaten) == "none"


def test_greedy_shows_carte_blanche():
    row = deal("AT98.AT9.T98.T9", rules="rubicon")
    assert choice(row, "rubicon") == "carte blanche"


def playing(sign: str, hand: str, other: str, *actions: str) -> np.ndarray:
    """player_1 has led after these actions of his contract, and player_0 is to play."""
    silence = ["none"] * 6 if sign == "+" else []
    return deal(hand, "pass", f"{sign}7", "pass", "stand", "stand", *silence, *actions, other=other)


def test_greedy_wins_cheaply_and_in_a_minus_contract_loses_high():
    hand, other = "AKJ87.K98.Q8.87", "QT9.AQJT.AKJT.A"
    assert choice(playing("+", hand, other, "play ST")) == "play SJ"
    assert choice(playing("-", hand, other, "play ST")) == "play S8"
    assert choice(playing("+", hand, other, "play HA")) == "play H8"
    assert choice(playing("-", hand, other, "play HA")) == "play HK"


def test_greedy_throws_losers_and_in_a_minus_contract_high_cards():
    hand, other = "AKJ987.K98.Q87.", "QT.AQJT.AKJT.AK"
    assert choice(playing("+", hand, other, "play CA"))[-1] in "789"
    assert choice(playing("-", hand, other, "play CA"))[-1] in "AKQJ"


def test_greedy_leads_from_length_and_in_a_minus_contract_low():
    row = deal("AKQJT9.98.98.87", "+7", "pass", "stand", "stand", *["none"] * 6)
    assert choice(row) == "play SA"
    row = deal("AKQJT9.A8.98.87", "-7", "pass", "stand", "stand")
    assert choice(row)[-1] in "789"


def test_greedy_keeps_the_guard_of_a_king():
    assert choice(deal("K7.AKJ9.AKQ.A98", "+7", "pass")) == "discard C8"


def test_greedy_throws_no_guard():
    hand, other = "K7.AKJ98.QJ987.", "AQ.QT.AKT.AKQJT"
    assert choice(playing("+", hand, other, "play CA")) in ("play H8", "play D7")


# ------------------------------------------------------------------ finding them


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty current directory whose modules can be imported."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [entry for entry in sys.path if entry not in ("", os.getcwd())])
    yield tmp_path
    for module in ("my_bots", "bad_bots", "policies"):
        sys.modules.pop(module, None)


def refused(spec: str) -> str:
    with pytest.raises(BotError) as caught:
        load_bot(spec)
    return str(caught.value)


def test_unknown_names_are_refused_with_the_known_ones():
    message = refused("gredy")
    assert "did you mean 'greedy'?" in message
    assert "'random'" in message
    assert "did you mean" not in refused("xyzzy")
    assert "got 7" in refused(7)  # type: ignore[arg-type] (a bad argument)


def test_a_bot_of_ones_own_from_the_current_directory(folder):
    (folder / "my_bots.py").write_text(
        "class First:\n    def act(self, views, rng):\n        return views.mask.argmax(axis=1)\n\n\n"
        "text = str\nnumber = 7\n"
    )
    bot = load_bot("my_bots:First")
    rows = decisions(RULESETS["micro"])
    assert [min(legal(row)) for row in rows] == bot.act(views_of(rows), np.random.default_rng(0)).tolist()
    assert "'Second'" in refused("my_bots:Second")
    assert "'number'" in refused("my_bots:number")
    assert "act(views, rng)" in refused("my_bots:text")


def test_a_policy_of_ones_own_is_a_bot_in_a_module(folder):
    source = "from piquet_env.bots import PolicyBot\nmine = PolicyBot(lambda seen, mask: mask / mask.sum(1)[:, None])\n"
    (folder / "policies.py").write_text(source)
    bot = load_bot("policies:mine")
    views = views_of(decisions(RULESETS["micro"]))
    assert np.array_equal(bot.probabilities(views), (views.mask / views.mask.sum(1)[:, None]).astype(np.float32))
    actions = bot.act(views, np.random.default_rng(0))
    assert views.mask[np.arange(len(actions)), actions].all()


def test_modules_that_cannot_be_imported_are_named(folder):
    (folder / "bad_bots.py").write_text("import no_such_library\n")
    assert "there is no module 'no_bots'" in refused("no_bots:Bot")
    assert "No module named 'no_such_library'" in refused("bad_bots:Bot")
    for name in ("", ".bad_bots", "bad_bots..x"):
        assert "no module's name" in refused(f"{name}:Bot")


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("x = 1\ndef make(:\n", "importing its module raised SyntaxError: invalid syntax (FILE:2)"),
        (
            "x = 1\n\nint('x')\n",
            "importing its module raised ValueError: invalid literal for int() with base 10: 'x' (FILE:3)",
        ),
        ("import sys\nsys.exit()\n", "importing its module raised SystemExit (FILE:2)"),
        ("import json\njson.loads('{')\n", "(FILE:2)"),  # not a line of the json library
        ("raise ModuleNotFoundError('what?')\n", "importing its module raised ModuleNotFoundError: what? (FILE:1)"),
        ("raise TypeError('two\\n lines')\n", "importing its module raised TypeError: two lines (FILE:1)"),
        ("def __getattr__(name):\n    raise ValueError(name)\n", "(FILE:2)"),
        ("def make(size): ...\n", "raised TypeError: make() missing 1 required positional argument: 'size'"),
        ("def make():\n    raise SystemExit(0)\n", "making it by make() raised SystemExit: 0 (FILE:2)"),
        ("def make():\n    class Odd(BaseException): ...\n    raise Odd\n", "Odd (FILE:3)"),
    ],
)
def test_what_a_bots_own_code_raises_is_said_in_one_line(folder, source, message):
    (folder / "bad_bots.py").write_text(source)
    said = refused("bad_bots:make")
    assert said.startswith("bot 'bad_bots:make': ")
    assert said.endswith(message.replace("FILE", str(folder / "bad_bots.py")))
    assert "\n" not in said


def test_an_interrupt_is_no_fault_of_a_bot(folder):
    (folder / "bad_bots.py").write_text("def make():\n    raise KeyboardInterrupt\n")
    with pytest.raises(KeyboardInterrupt):
        load_bot("bad_bots:make")


def test_what_a_bot_says_is_shortened():
    with pytest.raises(BotError) as caught:
        ask("x", "act", {}.pop, "x" * 400)
    assert 300 < len(str(caught.value)) < 340


def test_checkpoints_that_cannot_be_loaded_are_refused(folder, monkeypatch):
    assert "no trained bot at 'none.pt'" in refused("none.pt")
    (folder / "junk.pt").write_bytes(b"junk")
    assert "junk.pt: no checkpoint" in refused("junk.pt")
    monkeypatch.setattr(importlib.util, "find_spec", lambda name, package=None: None)
    assert "pip install 'piquet-env[train]'" in refused("junk.pt")


def test_a_bot_that_cannot_be_asked_what_it_was_trained_on_is_named():
    class Bad:
        @property
        def trained_on(self):
            raise RuntimeError("not today")

    with pytest.raises(BotError, match=r"'mine'.*not today"):
        note_rules({"mine": Bad()}, RULESETS["micro"])


def test_drawing_follows_the_probabilities_and_never_takes_what_has_none():
    probabilities = np.tile(np.array([0.0, 0.1, 0.0, 0.3, 0.6, 0.0]), (40_000, 1))
    actions = draw(probabilities, np.random.default_rng(0))
    shares = np.bincount(actions, minlength=6) / len(actions)
    assert (shares[[0, 2, 5]] == 0).all()
    assert np.allclose(shares, probabilities[0], atol=0.015)
    for extreme in (0.0, 1 - 2**-53):  # the smallest number that random() gives, and the largest
        assert set(draw_by(probabilities[:3], np.full(3, extreme))) <= {1, 4}


@pytest.mark.parametrize("rules", ["auction", "rubicon", "open", "micro"])
def test_a_bot_is_asked_by_json_as_in_the_environment(rules):
    bot = load_bot("random")
    env = auction_piquet_v0.env(rules=rules)
    env.reset(seed=4)
    for number in range(200):
        if not env.agents or env.terminations[env.agent_selection]:
            break
        agent = env.agent_selection
        seen = json.loads(json.dumps(env.unwrapped.view(agent)))
        action = act_in(env, bot, np.random.default_rng(number))
        said = act_on_view(seen, bot, np.random.default_rng(number))
        assert said in seen["legal"]
        assert action_index(said, rules) == action
        other = "player_1" if agent == "player_0" else "player_0"
        with pytest.raises(ViewError, match=f"'to_act': expected a view of {agent}"):
            act_on_view(env.unwrapped.view(other), bot, np.random.default_rng(0))
        env.step(action)
    assert number > 3
    with pytest.raises(ViewError, match="'phase': expected a deal that goes on"):
        act_on_view(env.unwrapped.view("player_0"), bot, np.random.default_rng(0))


def test_a_policy_of_float16_is_one():
    """Each of its numbers is rounded by up to 2**-11 of itself."""
    policy = PolicyBot(lambda seen, mask: (mask / mask.sum(1, keepdims=True)).astype(np.float16))
    views = views_of(np.array(SelfPlayVectorEnv(8, seed=1).rows))
    assert np.abs(policy.probabilities(views).sum(axis=1, dtype=np.float64) - 1).max() > 1e-4
    actions = policy.act(views, np.random.default_rng(0))
    assert views.mask[np.arange(8), actions].all()


@pytest.mark.parametrize(
    ("policy", "message"),
    [
        (lambda seen, mask: np.full(mask.shape, np.nan), "expected 0 or more each and a sum of 1"),
        (lambda seen, mask: np.where(mask, 2.0, -1e9), "expected 0 or more each and a sum of 1"),
        (lambda seen, mask: np.full(mask.shape, 1 / ACTIONS), "expected 0 for illegal actions"),
        (lambda seen, mask: (mask / mask.sum(1, keepdims=True))[:, :79], r"expected probabilities float \(\d+, 80\)"),
    ],
    ids=["not a number", "logits", "without masks", "narrow"],
)
def test_what_is_no_policy_is_refused(policy, message):
    views = views_of(decisions(Rules.make("mini")))
    right = PolicyBot(lambda seen, mask: mask / mask.sum(1, keepdims=True))
    assert legal_actions_of("right", right, views, np.random.default_rng(0)).shape == (len(views.mask),)
    with pytest.raises(BotError, match=message):
        legal_actions_of("wrong", PolicyBot(policy), views, np.random.default_rng(0))
