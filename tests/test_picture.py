"""The table as a picture: steady, the same for what looks the same to the player, and food for video recorders."""

import random
import sys
from collections import Counter

import helpers
import numpy as np
import positions
import pytest
from helpers import NAMES
from positions import knowledge_key

pytest.importorskip("PIL", reason="pictures need Pillow")

import gymnasium
from PIL import Image, ImageFont
from PIL._util import DeferredError

from piquet_env import auction_piquet_v0
from piquet_env.engine import actions as act
from piquet_env.engine import game
from piquet_env.engine import layout as at
from piquet_env.render import lettering, panel
from piquet_env.render.canvas import Canvas
from piquet_env.render.picture import HEIGHT, WIDTH, table_picture
from piquet_env.render.scene import THEY, YOU, Pile, scene
from piquet_env.rules import RULESETS


def picture_of(row, player) -> bytes:
    """The picture's bytes, checked for its form."""
    picture = table_picture(row, player)
    assert picture.dtype == np.uint8
    assert picture.shape == (HEIGHT, WIDTH, 3)
    return picture.tobytes()


def test_the_size_is_even():
    """As H.264 wants it."""
    assert WIDTH % 2 == HEIGHT % 2 == 0


# ------------------------------------------------------------------ nothing hidden


@pytest.mark.parametrize("name", NAMES)
def test_hidden_cards_leave_no_trace_in_pictures(name):
    """Two positions that the rules do not let a player tell apart are the same picture, byte for byte."""
    rules, rng, compared = RULESETS[name], random.Random(f"pictures {name}"), Counter()
    for start in [*positions.starts(rules, False, rng, 8), *positions.starts(rules, True, rng, 4)]:
        for position in positions.positions(rules, start, rng, 3):
            twin, row = position.played(), position.row()
            for me in (0, 1):
                other = positions.redistribute(position, twin, me, rng)
                if other is not None and knowledge_key(other, other.played(), me) == knowledge_key(position, twin, me):
                    assert picture_of(row, me) == picture_of(other.row(), me), (position, other, me)
                    compared["acts" if twin.to_act == me else "waits"] += other.cards != position.cards
    assert compared["acts"] + compared["waits"] > 20
    assert compared["acts"] > 5


def test_the_picture_is_the_same_from_the_row_as_the_player_knows_it():
    """And under any rules there is one."""
    rng, phases = random.Random("hidden pictures"), Counter()
    for rules in [*RULESETS.values(), *map(helpers.odd_rules, range(12))]:
        row = helpers.set_up(rules, rng.randrange(2), helpers.lumpy_pack(rules, rng), partie=rng.random() < 0.5)
        for _ in helpers.walk(row, rng, deals=2):
            if rng.random() < 0.35:
                me = rng.randrange(2)
                assert picture_of(row, me) == picture_of(helpers.hidden(row, me), me)
                phases[at.Phase(int(row[at.PHASE])).name] += 1
    assert set(phases) >= {"AUCTION", "EXCHANGE", "POINT", "SEQUENCE", "SET", "PLAY", "DEAL_OVER"}


# ------------------------------------------------------------------ what is in it


@pytest.fixture
def deal():
    """player_0 deals, bids +8 after a pass, is doubled and redoubles; AKQJT987.T987.. against .AKQJ.T987.T987."""
    hands = [*range(12), *range(12, 20), *range(24, 28)]
    row = helpers.set_up(RULESETS["auction"], 0, [*hands, *range(20, 24), *range(28, 32)])
    for action in (act.PASS, act.PLUS + 1, act.DOUBLE, act.REDOUBLE):
        assert game.apply_action(row, action)
    return row


# Both stand; elder's point of eight is good, his sequence too, and nobody has a set.
DECLARED = [act.STAND, act.STAND, act.POINT, act.NONE, act.sequence_action(8, 7), act.NONE, act.NONE, act.NONE]


def cards(text):
    return [helpers.card_number(card) for card in text.split()]


def test_the_auction_and_the_exchange_in_the_scene(deal):
    mine = scene(deal, 0)
    assert mine.contract == ("+8", "redoubled", "You have to win 8 tricks")
    assert mine.calls == [(THEY, "pass"), (YOU, "+8"), (THEY, "double"), (YOU, "redouble")]
    assert mine.hand == cards("SA SK SQ SJ ST S9 S8 S7 HT H9 H8 H7")
    assert (mine.turn, mine.prompt, mine.choices) == (YOU, "Discard, then stand", ["stand"])
    assert scene(deal, 1).turn == THEY
    for card in cards("H7 H8"):
        assert game.apply_action(deal, card)
    assert scene(deal, 0).discards == (Pile(cards("H8 H7"), 0), Pile([], 0))
    assert scene(deal, 1).discards[THEY] == Pile([], 0)  # how many is hidden until he stands
    assert scene(deal, 1).theirs == Pile([], 12)
    assert game.apply_action(deal, act.STAND)
    other = scene(deal, 1)
    assert other.discards[THEY] == Pile([], 2)
    assert other.talon == Pile([], 6)
    assert scene(deal, 0).talon == Pile(cards("DA DK CJ"), 3)  # he sees what he left


def test_the_auction_stands_where_it_will_stand(monkeypatch):
    """The non-dealer's column is the first, before he has spoken too; below the longest auction nothing has moved."""
    places = {}
    write = Canvas.write

    def noted(canvas, text, x, y, style):
        if x > panel.LEFT and y > panel.TOP + 150:
            places.setdefault(text, []).append((x, y))
        return write(canvas, text, x, y, style)

    monkeypatch.setattr(Canvas, "write", noted)
    for dealer in (0, 1):
        row, heads = helpers.set_up(RULESETS["auction"], dealer, list(range(32))), []
        bids = [call for level in range(6) for call in (act.PLUS + level, act.DOUBLE)]
        for call in (act.PASS, *bids, act.REDOUBLE):
            places.clear()
            table_picture(row, 0)
            heads.append([places[name][0] for name in ("You", "They", "Total")])
            assert game.apply_action(row, call)
        places.clear()
        table_picture(row, 0)
        heads.append([places[name][0] for name in ("You", "They", "Total")])
        assert heads == [heads[0]] * 15


def test_one_trick_is_one_trick():
    row = helpers.set_up(RULESETS["micro"], 0, helpers.cards_of(RULESETS["micro"].pack))
    for call in (act.PLUS, act.PASS):
        assert game.apply_action(row, call)
    assert scene(row, 1).contract == ("+1", "", "You have to win 1 trick")
    assert scene(row, 0).contract == ("+1", "", "They have to win 1 trick")


def test_declarations_and_tricks_in_the_scene(deal):
    for action in cards("H7 H8") + DECLARED:
        assert game.apply_action(deal, action)
    other = scene(deal, 1)
    assert other.theirs == Pile(cards("SA SK SQ SJ ST S9 S8 S7"), 4)
    sheet = {name: (said, points) for name, said, points in other.sheet}
    assert sheet["Point"] == (("good", "8"), (0, 8))
    assert sheet["Sequences"] == (("good", "8 to A"), (0, 18))
    assert sheet["Sets"] == (("none", "none"), (0, 0))
    assert sheet["Total"] == (("", ""), (0, 26))
    assert other.words == [(THEY, "No set."), (YOU, "No set.")]
    assert game.apply_action(deal, helpers.card_number("HT"))
    other = scene(deal, 1)
    assert other.playable == cards("HA HK HQ HJ")
    assert (other.tricks[0].cards, other.tricks[0].leader, other.tricks[0].winner) == ((None, 11), THEY, None)
    assert game.apply_action(deal, helpers.card_number("HA"))
    assert scene(deal, 1).tricks[0].winner == YOU
    assert scene(deal, 0).tricks[0].winner == THEY
    assert scene(deal, 0).theirs == Pile([], 11)


def test_a_carte_blanche_in_the_scene():
    """He who showed it may discard of it: it lies apart, and his hand is as hidden as before."""
    blank = [card for card in range(32) if card & 7 not in (4, 5, 6)][:12]
    rest = [card for card in range(32) if card not in blank]
    row = helpers.set_up(RULESETS["rubicon"], 0, [*rest[:12], *blank, *rest[12:]])
    before = picture_of(row, 0)
    assert scene(row, 1).choices == ["none", "carte blanche"]
    assert game.apply_action(row, act.CARTE_BLANCHE)
    for me, who in ((1, YOU), (0, THEY)):
        assert sorted(scene(row, me).blanche[who]) == blank
        assert scene(row, me).blanche[1 - who] == []
    assert scene(row, 0).theirs == Pile([], 12)
    assert picture_of(row, 0) != before


def test_the_end_in_the_scene():
    rng = random.Random("picture's end")
    row = helpers.new_row(RULESETS["rubicon"], partie=True, seed=5)
    for _ in helpers.walk(row, rng):
        pass
    totals = row[at.TOTALS : at.TOTALS + 2].tolist()
    paid = int(game.payment(row, 0))
    assert paid != 0
    for me, sign in ((0, 1), (1, -1)):
        assert scene(row, me).totals == (totals[me], totals[1 - me])
        words = f"You are paid {sign * paid}" if sign * paid > 0 else f"You pay {-sign * paid}"
        assert scene(row, me).notice == ["The partie is over", f"You {totals[me]}, they {totals[1 - me]}", words]


def test_another_position_is_another_picture(deal):
    """Every action that the player sees changes his picture."""
    actions, seen = [*cards("H7 H8"), *DECLARED, *cards("HT HA CT SA")], {picture_of(deal, 0)}
    for action in actions:
        assert game.apply_action(deal, action)
        seen.add(picture_of(deal, 0))
    assert len(seen) == 1 + len(actions)


# ------------------------------------------------------------------ what it needs


def test_without_freetype_there_are_letters(monkeypatch, deal):
    monkeypatch.setattr(ImageFont, "core", DeferredError(ImportError("The _imagingft C module is not installed")))
    lettering._font.cache_clear()
    lettering.letters.cache_clear()
    try:
        made = lettering.letters("Auction Piquet", 20, 2)
        assert made.image.height == 24
        assert np.asarray(made.image).max() > 200
        picture_of(deal, 0)
    finally:
        lettering._font.cache_clear()
        lettering.letters.cache_clear()


def test_without_pillow_it_is_said_what_to_install(monkeypatch):
    for name in [name for name in sys.modules if name.startswith(("PIL", "piquet_env.render.picture"))]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "PIL", None)
    env = auction_piquet_v0.env("micro", render_mode="rgb_array")
    env.reset(seed=1)
    with pytest.raises(gymnasium.error.DependencyNotInstalled, match=r"pip install 'piquet-env\[render\]'"):
        env.render()


# ------------------------------------------------------------------ environments and recorders


def played_at_random(env, seed):
    """An episode, ended as PettingZoo has it."""
    env.reset(seed=seed)
    rng = np.random.default_rng(seed)
    for agent in env.agent_iter():
        observation, _, terminated, truncated, _ = env.last()
        yield agent
        legal = np.flatnonzero(observation["action_mask"])
        env.step(None if terminated or truncated else int(rng.choice(legal)))


def test_the_environment_renders_from_the_side_of_who_acts():
    env, agents = auction_piquet_v0.env("micro", render_mode="rgb_array"), set()
    assert "rgb_array" in env.metadata["render_modes"]
    for agent in played_at_random(env, 3):
        assert (env.render() == table_picture(env.unwrapped.known_row(agent), int(agent[-1]))).all()
        agents.add(agent)
    assert len(agents) == 2
    first, second = env.render(), env.render()
    assert (first == second).all()
    first[:] = 0  # an array of its own
    assert (env.render() == second).all()


def video_shape(path) -> tuple[int, int, int]:
    """Frames, height and width of a video."""
    from moviepy import VideoFileClip

    with VideoFileClip(str(path)) as clip:
        return round(clip.duration * clip.fps), clip.size[1], clip.size[0]


def test_pettingzoos_recorder(tmp_path):
    pytest.importorskip("moviepy", reason="recorders of videos need it")
    wrappers = pytest.importorskip("pettingzoo.utils.wrappers.record_video", reason="PettingZoo 1.26 has no recorder")
    env = auction_piquet_v0.env("micro", render_mode="rgb_array")
    env = wrappers.RecordVideo(env, str(tmp_path / "videos"), episode_trigger=lambda episode: True)
    steps = sum(1 for _ in played_at_random(env, 5))
    env.close()
    assert video_shape(tmp_path / "videos" / "rl-video-episode-0.mp4") == (steps + 1, HEIGHT, WIDTH)


def test_gymnasiums_save_video(tmp_path):
    pytest.importorskip("moviepy", reason="recorders of videos need it")
    from gymnasium.utils.save_video import save_video

    env = auction_piquet_v0.env("micro", render_mode="rgb_array")
    frames = [env.render() for _ in played_at_random(env, 6)]
    save_video(frames, str(tmp_path), fps=env.metadata["render_fps"])
    assert video_shape(tmp_path / "rl-video-episode-0.mp4") == (len(frames), HEIGHT, WIDTH)


def test_a_picture_survives_as_png(tmp_path, deal):
    Image.fromarray(table_picture(deal, 0)).save(tmp_path / "table.png")
    with Image.open(tmp_path / "table.png") as read:
        assert np.asarray(read).tobytes() == picture_of(deal, 0)


def one_seat():
    return gymnasium.make("piquet_env/AuctionPiquet-v0", opponent="random", rules="micro", render_mode="rgb_array")


def test_gymnasiums_recorder(tmp_path):
    pytest.importorskip("moviepy", reason="recorders of videos need it")
    env = gymnasium.wrappers.RecordVideo(one_seat(), str(tmp_path / "videos"), episode_trigger=lambda episode: True)
    _, info = env.reset(seed=2)
    steps, over = 0, False
    while not over:
        _, _, over, _, info = env.step(int(np.flatnonzero(info["action_mask"])[0]))
        steps += 1
    env.close()
    assert video_shape(tmp_path / "videos" / "rl-video-episode-0.mp4") == (steps + 1, HEIGHT, WIDTH)


def test_gymnasium_shows_it_in_a_window(monkeypatch):
    pytest.importorskip("pygame", reason="Gymnasium's window needs it")
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    env = gymnasium.wrappers.HumanRendering(one_seat())
    env.metadata["render_fps"] = 1000  # nobody is looking
    env.reset(seed=2)
    assert env.screen_size == (WIDTH, HEIGHT)
    env.close()
