"""The command `piquet solve`: what a person reads, what a program reads, and what is refused."""

import json
from pathlib import Path

import pytest
from commands import run_command

from piquet_env.records import RecordError, check_record

DATA = Path(__file__).parent / "data"
SMALL = '{"base": "auction", "hand_size": 3, "elder_talon": 13, "younger_talon": 13, "lowest_level": 1, '
SMALL += '"highest_level": 3}'
ENDPLAY = ("--hands", "AQ.7..", "KJ.8..", "--rules", SMALL, "--contract", "+1")
DEAL = next(
    record
    for record in map(json.loads, (DATA / "deals.jsonl").read_text(encoding="utf-8").splitlines())
    if record["rules"] == "auction" and record["result"] and record["result"]["contract"]["sign"] == "-"
)
CARDS = 24  # the last actions of a deal


def solve(capsys, *arguments):
    return run_command(capsys, "solve", *map(str, arguments))


def solved(capsys, *arguments) -> dict:
    status, out, err = solve(capsys, *arguments, "--json")
    assert (status, err) == (0, "")
    return json.loads(out)


@pytest.fixture
def deal(tmp_path):
    """A file with a deal that is over, or as far as so many of its cards were played."""

    def written(played: int = CARDS, **changed) -> Path:
        record = dict(DEAL, **changed)
        if played < CARDS:
            record.pop("result")
            record.pop("legal", None)
            record["actions"] = record["actions"][: len(DEAL["actions"]) - CARDS + played]
        (tmp_path / "deal.json").write_text(json.dumps(record), encoding="utf-8")
        return tmp_path / "deal.json"

    return written


# ------------------------------------------------------------------ two hands


def test_two_hands_as_an_object(capsys):
    """The endplay of test_solver_use.py: with the seven of hearts two tricks, 22 to 1."""
    made = solved(capsys, *ENDPLAY)
    assert made["contract"] == {"maker": "player_0", "sign": "+", "level": 1, "stake": 1}
    best, *others = made["cards"]
    assert best == {
        "card": "H7",
        "difference": 21,
        "tricks": {"player_0": 2, "player_1": 1},
        "score": {"player_0": 22, "player_1": 1},
        "tricks_alone": 2,
    }
    assert {each["card"]: each["difference"] for each in others} == {"SA": -11, "SQ": -11}
    assert made["line"][:2] == ["0 play H7", "1 play H8"]
    assert len(made["line"]) == 6
    assert (made["trick"], made["to_act"], made["led"], made["played"]) == (1, "player_0", None, [])


def test_two_hands_for_the_eye(capsys):
    status, out, err = solve(capsys, *ENDPLAY)
    assert (status, err) == (0, "")
    lines = [" ".join(line.replace("│", " ").replace("|", " ").split()) for line in out.splitlines()]
    assert lines[0] == "Contract: player_0, to win 1 trick."
    assert "Trick 1: player_0 leads." in lines
    assert "difference: player_0's score less player_1's; loses:" in " ".join(out.split())
    assert "♥7 +21 2 : 1 22 : 1 2" in lines
    assert "♠A -11 32 1 : 2 1 : 12 1" in lines
    assert "1 > ♥7 ♥8" in lines
    assert max(map(len, out.splitlines())) <= 80


def test_a_late_position(capsys):
    """Doubled, younger to lead: 7 to win, 5 won, 4 to come. A trick is one point, and 20 when it is one beyond.

    Ace of hearts and exit: ace and queen of spades are elder's only two. 7 - 5 and 10 for cards. A spade: three.
    """
    late = ("--hands", "AQ9.K..", "KJ.A.9.", "--contract", "+7x", "--won", "5", "3", "--leader", "1")
    cards = {each["card"]: (each["difference"], each["tricks_alone"]) for each in solved(capsys, *late)["cards"]}
    assert cards == {"HA": (-12, 5), "D9": (-12, 5), "SJ": (-34, 4), "SK": (-34, 4)}


def test_points_that_bring_pique(capsys):
    """Classic: with 28 the second lead is pique; test_solver_use.py has the figures."""
    rules = '{"base": "rubicon", "hand_size": 3, "elder_talon": 13, "younger_talon": 13, "carte_blanche": 0, '
    rules += '"lowest_level": 1, "highest_level": 3}'
    made = solved(capsys, "--hands", "AQ.7..", "KJ.8..", "--rules", rules, "--points", "28", "0")
    assert {each["card"]: each["difference"] for each in made["cards"]} == {"SA": 47, "SQ": 17, "H7": 40}
    assert made["contract"] is None


def test_points_with_pique_in_them(capsys):
    """Plus: 59 to 0 are 29 and pique, which does not come again. Three aces high: 62, capot 40, 40 for the contract."""
    late = ("--hands", "AKQ...", ".KQJ..", "--contract", "+8", "--won", "9", "0")
    best = solved(capsys, *late, "--points", "59", "0")["cards"][0]
    assert best["score"] == {"player_0": 59 + 3 + 40 + 40, "player_1": 0}
    best = solved(capsys, *late, "--points", "28", "0")["cards"][0]
    assert best["score"] == {"player_0": 28 + 3 + 30 + 40 + 40, "player_1": 0}
    pique_at_9 = ("--rules", '{"base": "auction", "pique": 9}')  # earned by the tricks alone
    best = solved(capsys, *late, *pique_at_9)["cards"][0]
    assert best["score"] == {"player_0": 9 + 30 + 3 + 40 + 40, "player_1": 0}


# ------------------------------------------------------------------ records


def test_a_deal_that_is_over(capsys, deal):
    """From the first lead; best value less costs is what came out, and the line of best play is a legal end of it."""
    made = solved(capsys, deal())
    assert (made["trick"], len(made["line"]), len(made["played"])) == (1, CARDS, CARDS)
    sign = {name: 1 if name == made["to_act"] else -1 for name in ("player_0", "player_1")}
    cost = sum(sign[each["player"]] * each["cost"] for each in made["played"])
    score = {name: DEAL["result"]["score"][name]["total"] for name in sign}
    assert made["cards"][0]["difference"] - cost == sum(sign[name] * score[name] for name in sign)
    line = {key: DEAL[key] for key in DEAL if key not in ("result", "legal", "actions")}
    line["actions"] = DEAL["actions"][:-CARDS] + made["line"]
    check_record(line)
    with pytest.raises(RecordError, match="the deal is over"):
        check_record(line | {"actions": [*line["actions"], "0 play SA"]})
    out = solve(capsys, deal())[1]
    assert "Lost in all: player_0 " in out


@pytest.mark.parametrize("trick", [1, 7, 12])
def test_from_a_trick_on(capsys, deal, trick):
    made = solved(capsys, deal(), "--trick", trick)
    assert (made["trick"], len(made["line"])) == (trick, CARDS - 2 * (trick - 1))
    assert [each["card"] for each in made["played"]] == [text[-2:] for text in DEAL["actions"][-len(made["line"]) :]]


def test_a_deal_that_is_not_over(capsys, deal):
    """From where it stands, or from an earlier trick."""
    within = solved(capsys, deal(played=7))
    assert (within["trick"], within["led"], within["played"]) == (4, DEAL["actions"][-CARDS + 6][-2:], [])
    assert len(within["line"]) == CARDS - 7
    assert f"{within['led'][-1]} is led." in solve(capsys, deal(played=7))[1]
    assert solved(capsys, deal(played=6))["led"] is None
    assert solved(capsys, deal(played=0))["trick"] == 1
    earlier = solved(capsys, deal(played=7), "--trick", 2)
    assert (earlier["trick"], len(earlier["played"])) == (2, 5)


def test_a_line_of_a_file_and_the_last_deal_of_a_partie(capsys):
    deals = (DATA / "deals.jsonl").read_text(encoding="utf-8").splitlines()
    line = next(n for n, text in enumerate(deals, 1) if n > 3 and '"rubicon"' in text)
    made = solved(capsys, DATA / "deals.jsonl", "--line", line)
    assert made["played"][0]["card"] == json.loads(deals[line - 1])["actions"][-CARDS][-2:]
    partie = json.loads((DATA / "parties.jsonl").read_text(encoding="utf-8").splitlines()[0])
    made = solved(capsys, DATA / "parties.jsonl")
    assert made["played"][-1]["card"] == partie["deals"][-1]["actions"][-1][-2:]


# ------------------------------------------------------------------ what is refused


def refused(capsys, *arguments) -> str:
    """One line on standard error, and nothing else."""
    status, out, err = solve(capsys, *arguments)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert err.startswith("piquet solve: ")
    return err.removeprefix("piquet solve: ").strip()


def test_refused_records(capsys, deal, tmp_path):
    assert refused(capsys) == "expected a file or --hands, one of the two"
    assert refused(capsys, deal(), *ENDPLAY) == "expected a file or --hands, one of the two"
    assert refused(capsys, tmp_path / "none.json") == f"{tmp_path / 'none.json'}: No such file or directory"
    assert "line 1" in refused(capsys, deal(dealer="nobody"))
    assert refused(capsys, deal(), "--line", 2) == f"line: expected 1 to 1 in {tmp_path / 'deal.json'}, got 2"
    for trick in (0, 13):
        message = f"trick: expected 1 to 12, as far as the record goes, got {trick}"
        assert refused(capsys, deal(), "--trick", trick) == message
    assert refused(capsys, deal(played=3), "--trick", 3).startswith("trick: expected 1 to 2, as far")


@pytest.mark.parametrize(
    "options",
    [
        ("--contract", "+8"), ("--rules", "auction"), ("--elder", "0"), ("--leader", "1"), ("--won", "0", "0"),
        ("--points", "0", "0"),
    ],
)  # fmt: skip
def test_what_is_said_of_hands_is_refused_with_a_file(capsys, deal, options):
    assert refused(capsys, deal(), *options) == f"{options[0].removeprefix('--')}: not with a file"


def test_a_record_that_does_not_come_to_the_play(capsys, deal):
    expected = "the deal has not come to the play: {}; expected a record that goes so far"
    first = "player_1" if DEAL["dealer"] == "player_0" else "player_0"
    start = {"actions": [], "result": None}
    file = deal(**start)
    record = json.loads(file.read_text())
    record.pop("result")
    record.pop("legal", None)
    file.write_text(json.dumps(record))
    assert refused(capsys, file) == expected.format(f"{first} is to act, auction")
    digits = (first[-1], "10"[int(first[-1])])
    file.write_text(json.dumps(record | {"actions": [f"{digit} pass" for digit in digits], "result": None}))
    assert refused(capsys, file) == expected.format("the cards were thrown in")


HANDS = ("AQ9.KJ8.AQ7.KT8", "KJ.AQ9.KT8.AQ97")
LATE = ("AKQ...", ".AKQ..", "--won", "9", "0")
REFUSED = {
    "hands: expected a hand": ("AQ9", HANDS[1], "--contract", "+8"),
    "hands: these cards are in both hands: A...": ("AQ...", "AJ...", "--contract", "+8"),
    "hands: these cards are not in the pack: ...7": ("A...", "...7", "--contract", "+2", "--rules", "mini"),
    "hands: expected equally many cards, 1 to 12, got 2 and 1": ("AQ...", "K...", "--contract", "+8"),
    "hands: expected equally many cards, 1 to 12, got 0 and 0": ("...", "...", "--contract", "+8"),
    "contract: missing; expected + or -, 7 to 12": HANDS,
    "contract: expected + or -, 7 to 12, and x for doubled or xx for redoubled, as in -7x, got '+6'": (
        *(*HANDS, "--contract", "+6"),
    ),
    "contract: expected + or -, 7 to 12, and x for": (*HANDS, "--contract", "8"),
    "contract: expected none in classic Piquet, got '+8'": (*HANDS, "--contract", "+8", "--rules", "rubicon"),
    "elder: expected 0 or 1, got 2": (*HANDS, "--contract", "+8", "--elder", "2"),
    "leader: expected 0 or 1, got -1": (*HANDS, "--contract", "+8", "--leader", "-1"),
    "won: expected two numbers with the sum 0": (*HANDS, "--contract", "+8", "--won", "1", "0"),
    "won: expected two numbers with the sum 11": ("A...", "K...", "--contract", "+8", "--won", "12", "-1"),
    "points: expected at least 0 of player_0, one for each trick won, got -1": (
        *(*HANDS, "--contract", "+8", "--points", "-1", "0"),
    ),
    "points: expected at least 9 of player_0": (*LATE, "--contract", "+8", "--points", "8", "1"),
    "points: with 58 to 0 there is pique: expected its 30 too": (*LATE, "--contract", "+8", "--points", "58", "0"),
    "points: with 50 to 0 there is pique": (*LATE, "--contract", "-8", "--elder", "1", "--points", "50", "0"),
    "points: with so many of player_1 the deal has stopped": (*LATE, "--rules", "cent", "--points", "9", "100"),
    "line: not with --hands": (*HANDS, "--contract", "+8", "--line", "1"),
    "line, trick: not with --hands": (*HANDS, "--contract", "+8", "--trick", "1", "--line", "1"),
    "rules: expected a ruleset's name or a JSON object": (*HANDS, "--rules", "{"),
    "unknown ruleset": (*HANDS, "--rules", "whist"),
}


@pytest.mark.parametrize(("message", "arguments"), REFUSED.items(), ids=[text[:40] for text in REFUSED])
def test_refused_hands(capsys, message, arguments):
    assert message in refused(capsys, "--hands", *arguments)
