"""Reading files of decisions: group by group and as minibatches; what cannot be read is refused."""

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from dataset_files import columns_of, table_of, written

from piquet_env.dataset import DatasetError, Decisions, page, read, read_decisions, write
from piquet_env.rules import Rules

# ------------------------------------------------------------------ reading


@pytest.fixture
def small_groups(monkeypatch):
    monkeypatch.setattr(write, "ROWS_PER_GROUP", 100)
    monkeypatch.setattr(read, "POOL", 3)


def test_groups_are_read_in_the_order_asked_for(tmp_path, small_groups):
    path = written(tmp_path / "a")
    with Decisions.open(path) as data:
        assert data.row_groups == -(-data.rows // 100) > 6
        straight, turned = list(read_decisions(path)), list(read_decisions(path, range(data.row_groups - 1, -1, -1)))
        assert [len(part.game) for part in straight[:-1]] == [100] * (data.row_groups - 1)
        assert sum(len(part.game) for part in straight) == data.rows
        for one, other in zip(straight, reversed(turned), strict=True):
            assert all(np.array_equal(a, b) for a, b in zip(one[:-1], other[:-1], strict=True))
        assert np.array_equal(data.read(2).observation, straight[2].observation)
        for none in (-1, data.row_groups):
            with pytest.raises(IndexError, match=f"expected 0 to {data.row_groups - 1}"):
                data.read(none)
    game_number = np.concatenate([part.game for part in straight])
    assert (np.diff(game_number) >= 0).all()


@pytest.mark.parametrize("state", [False, True])
@pytest.mark.parametrize("size", [1, 64, 1000, 10**6])
def test_minibatches_have_every_decision_once(tmp_path, small_groups, size, state):
    path = written(tmp_path / "a", state=state, games=25)
    expected = columns_of(path)
    with Decisions.open(path) as data:
        batches = list(data.batches(size, np.random.default_rng(1)))
        again, other = (next(data.batches(size, np.random.default_rng(seed))) for seed in (1, 2))
    assert [len(batch.action) for batch in batches[:-1]] == [size] * (len(batches) - 1)
    assert 0 < len(batches[-1].action) <= size
    assert len(batches) == -(-data.rows // size)
    for one, two in zip(batches[0], again, strict=True):
        assert np.array_equal(one, two)
    if size > 1:
        assert not np.array_equal(batches[0].observation, other.observation)
    names = ["observation", "mask", "action", "policy", "return_"] + ["state"] * state
    kinds = [batches[0]._asdict()[name].dtype for name in names]
    assert kinds == [np.uint8, np.uint8, np.int64, np.float32, np.float32] + [np.dtype(np.uint8)] * state
    assert (batches[0].state is not None) == state == data.has_state
    read_rows = sorted(_bytes([batch._asdict() for batch in batches], names))
    assert read_rows == sorted(_bytes([expected | {"action": expected["action"].astype(np.int64)}], names))


def _bytes(parts, names) -> list[bytes]:
    """Each row as bytes."""
    return [b"".join(part[name][i].tobytes() for name in names) for part in parts for i in range(len(part["action"]))]


def test_minibatches_mix_the_groups(tmp_path, small_groups):
    """The first batch is drawn from three groups of a hundred rows, not from one."""
    path = written(tmp_path / "a")
    with Decisions.open(path) as data:
        batch = next(data.batches(90, np.random.default_rng(0)))
        groups = [{row.tobytes() for row in data.read(n).observation} for n in range(data.row_groups)]
    held = [sum(row.tobytes() in group for row in batch.observation) for group in groups]
    assert sum(count >= 15 for count in held) >= 3


def test_a_batch_has_at_least_one_row(tmp_path):
    with Decisions.open(written(tmp_path / "a")) as data, pytest.raises(ValueError, match="size: expected at least 1"):
        data.batches(0, np.random.default_rng(0))


def test_the_file_says_what_it_is(tmp_path):
    rules = {"base": "rubicon", "sinking": False}
    with Decisions.open(str(written(tmp_path / "a", rules=rules, episode="partie", games=2, seed=5))) as data:
        assert data.rules == Rules.make(rules)
        assert data.metadata.keys() == page.METADATA.keys()
        about = data.metadata
    assert (about["format"], about["episode"], about["games"], about["seed"]) == ("piquet-decisions/1", "partie", 2, 5)
    assert about["versions"] == {"rules": 1, "actions": 1, "observation": 1}
    assert [bot["name"] for bot in about["bots"]] == ["passing", "greedy"]


def test_the_page_is_current():
    """Made anew by: python -m piquet_env.dataset.page > piquet_env/dataset/DATASET.md"""
    assert Path(page.__file__).with_name("DATASET.md").read_text(encoding="utf-8") == page.markdown()


# ------------------------------------------------------------------ what is refused


def with_metadata(path, change) -> None:
    """The file with other metadata."""
    table = table_of(path)
    made = json.loads(table.schema.metadata[b"piquet"])
    change(made)
    pq.write_table(table.replace_schema_metadata({"piquet": json.dumps(made)}), path)


def refused(path, message):
    with pytest.raises(DatasetError, match=message) as caught:
        Decisions.open(path)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)
    with pytest.raises(ValueError, match=message):  # at once, not when the first row is asked for
        read_decisions(path)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda made: made.update(format="piquet-decisions/2"), "its format is 'piquet-decisions/2', expected"),
        (lambda made: made["versions"].update(observation=2), "version 2 of the observation, expected 1"),
        (lambda made: made["versions"].update(rules=0), "version 0 of the rules, expected 1"),
        (lambda made: made.pop("versions"), "no file of decisions"),
        (lambda made: made.update(rules="bridge"), "unknown ruleset 'bridge'"),
        (lambda made: made.pop("rules"), "its metadata have no 'rules'"),
        (lambda made: made.pop("episode"), "its metadata have no 'episode'"),
    ],
)
def test_files_of_other_versions_are_refused(tmp_path, change, message):
    path = written(tmp_path / "a")
    Decisions.open(path).close()
    with_metadata(path, change)
    refused(path, message)


def test_files_of_others_are_refused(tmp_path):
    refused(tmp_path / "none", "there is no such file")
    refused(tmp_path, "no file of decisions")
    (tmp_path / "text").write_text("a,b\n1,2\n" * 100)
    (tmp_path / "empty").write_bytes(b"")
    pq.write_table(pa.table({"a": [1]}), tmp_path / "other")
    for name in ("text", "empty", "other"):
        refused(tmp_path / name, "no file of decisions")
    path = written(tmp_path / "a")
    pq.write_table(table_of(path).drop_columns(["step"]), path)
    refused(path, "its columns are not those")


def test_truncated_and_damaged_files_are_refused(tmp_path):
    path = written(tmp_path / "a")
    content = path.read_bytes()
    for length in (0, 3, 100, len(content) // 2, len(content) - 1):
        path.write_bytes(content[:length])
        refused(path, "no file of decisions, or damaged")
    found = 0
    for place in range(10, len(content) // 2, len(content) // 20):
        path.write_bytes(content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :])
        with Decisions.open(path) as data, pytest.raises(DatasetError, match="damaged"):
            data.read(0)
        found += 1
    assert found >= 5


def test_a_file_whose_end_is_damaged_is_refused_or_read_as_it_was(tmp_path):
    """The end, which says where everything stands, has no checksum of its own."""
    path = written(tmp_path / "a", games=4)
    content, rows = path.read_bytes(), columns_of(path)
    end = len(content) - 8 - int.from_bytes(content[-8:-4], "little")
    refusals = 0
    for place in range(end, len(content)):
        path.write_bytes(content[:place] + bytes([content[place] ^ 64]) + content[place + 1 :])
        try:
            found = columns_of(path)
        except DatasetError:
            refusals += 1
        else:
            assert all(np.array_equal(found[name], rows[name]) for name in rows), place - end
    assert refusals > 100


def test_a_policy_that_does_not_fit_its_mask_is_refused(tmp_path):
    path = written(tmp_path / "a")
    table = table_of(path)
    place = table.column_names.index("policy")
    column = pa.array([[0.5, 0.5]] * table.num_rows, table.schema.field("policy").type)
    pq.write_table(table.set_column(place, table.schema.field("policy"), column), path)
    with Decisions.open(path) as data, pytest.raises(DatasetError, match="the policy of a row"):
        data.read(0)
