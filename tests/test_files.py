"""Files are written whole or not at all, and only regular files are written."""

import errno
import os

import pytest

from piquet_env.files import file_to_write, whole_file, write_all


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


def test_what_fails_names_the_file_that_was_meant(tmp_path):
    """And not a temporary one, or none at all as a full disk does."""

    for filename in (None, "temporary"):
        with pytest.raises(OSError, match="No space") as failed, whole_file(tmp_path / "a") as file:
            raise OSError(errno.ENOSPC, "No space left on device", filename and str(file))
        assert failed.value.filename == str(tmp_path / "a")
    with pytest.raises(OSError, match="Is a directory") as failed, whole_file(tmp_path / "a"):
        tmp_path.read_bytes()
    assert failed.value.filename == str(tmp_path)


def test_several_files_are_written_all_or_none(tmp_path):
    files = {tmp_path / name: name.encode() for name in "abc"}
    write_all(files)
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == files
    os.remove(tmp_path / "b")
    os.mkdir(tmp_path / "b")
    with pytest.raises(FileExistsError, match="regular"):
        write_all({path: b"new" for path in files})
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()} == {"a": b"a", "c": b"c"}
