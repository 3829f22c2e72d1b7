"""Files are written whole or not at all, and only regular files are written."""

import os

import pytest

from piquet_env.files import file_to_write, whole_file


def test_whole_or_not_at_all(tmp_path):
    path = tmp_path / "a"
    for text in ("one", "two"):
        with whole_file(path) as file:
            file.write_text(text)
        assert path.read_text() == text

    def fail():
        with whole_file(path) as file:
            file.write_text("thr")
            raise RuntimeError("half")

    with pytest.raises(RuntimeError, match="half"):
        fail()
    assert path.read_text() == "two"
    assert os.listdir(tmp_path) == ["a"]


def test_links_are_followed_and_what_is_no_file_stays(tmp_path):
    (tmp_path / "real").write_text("one")
    (tmp_path / "link").symlink_to("real")
    with whole_file(tmp_path / "link") as file:
        file.write_text("two")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text() == "two"
    os.mkfifo(tmp_path / "fifo")
    for name in ("fifo", "."):
        with pytest.raises(FileExistsError, match="regular"), whole_file(tmp_path / name):
            pass
    assert sorted(os.listdir(tmp_path)) == ["fifo", "link", "real"]


def test_a_name_for_which_there_is_no_room_is_refused_before_anything_is_done(tmp_path):
    longest = os.pathconf(tmp_path, "PC_NAME_MAX") - len("..12345678.tmp")
    with whole_file(file_to_write("out", tmp_path / ("x" * longest))) as file:
        file.write_text("one")
    with pytest.raises(ValueError, match=r"out: no file can be written at .*: File name too long"):
        file_to_write("out", tmp_path / ("x" * (longest + 1)))
    assert os.listdir(tmp_path) == ["x" * longest]
