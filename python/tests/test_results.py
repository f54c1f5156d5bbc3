import sys

import mbdbench
import pytest

RECORDS = """# a comment of the writer
experiment,mechanism,formulation,quantity,value,note
mine,pendulum:4,dense,evaluations,100,"bodies # 1, 2"
mine,pendulum:4,hdca,evaluations,90,'=1+1
"""


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    directory = tmp_path / "results" / "runs" / "mine"
    directory.mkdir(parents=True)
    (directory / "records.csv").write_text(RECORDS)
    (directory / "study.json").write_text('{"name": "mine"}')
    return directory


@pytest.mark.parametrize("name", ["mine", "results/runs/mine"])
def test_records_and_study(run, name):
    pytest.importorskip("pandas")
    frame = mbdbench.records(name)
    assert list(frame["value"]) == [100, 90] and list(frame["note"]) == ["bodies # 1, 2", "=1+1"]
    assert mbdbench.study(name) == {"name": "mine"}


def test_what_is_missing_is_told(run):
    pytest.importorskip("pandas")
    with pytest.raises(FileNotFoundError, match="timings.csv: holds records.csv, study.json"):
        mbdbench.records("mine", "timings.csv")
    with pytest.raises(FileNotFoundError, match="no such directory; runs in results.runs: mine"):
        mbdbench.study("yours")


@pytest.mark.parametrize("content", [b"{", b"[]", b"", b"\xff", b"[" * 100000])
def test_a_damaged_study_is_told(run, content):
    (run / "study.json").write_bytes(content)
    with pytest.raises(ValueError, match="study.json: is not what 'mbdbench study' writes"):
        mbdbench.study("mine")


def test_without_pandas(run, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match="needs pandas: pip install pandas"):
        mbdbench.records("mine")


def test_results_of_a_newer_program_are_refused(tmp_path):
    (tmp_path / "study.json").write_text('{"format": 1, "name": "arm"}')
    assert mbdbench.study(tmp_path)["name"] == "arm"
    (tmp_path / "provenance.json").write_text('{"format": 2}')
    with pytest.raises(ValueError, match="format 2 is that of a newer mbdbench"):
        mbdbench.study(tmp_path)
