import math

import mbdbench
import numpy
import pytest


def test_members_that_are_given_are_single_runs(arm):
    starts = [0.1, 0.2, 0.4]
    many = mbdbench.ensemble(arm, "aba", times=(0.0, 0.25, 1.0), members={"q.shoulder": starts}, tolerance=1e-8)
    assert many.ok and many.status == ["ok"] * 3
    assert list(many.start["q.shoulder"]) == starts
    assert list(many.t) == [0.0, 0.25, 0.5, 0.75, 1.0]
    ends = []
    for start in starts:
        run = mbdbench.simulate(arm.with_initial_values({"q.shoulder": start}), "aba", times=[0.0, 0.25, 0.5, 0.75, 1.0], tolerance=1e-8)
        ends.append(run.q[-1, 0])
    assert list(many.end["q.shoulder"]) == ends, "bit for bit"
    mean = many.statistic("mean", "q.shoulder")
    assert mean[0] == pytest.approx(sum(starts) / 3, rel=1e-15)
    assert mean[-1] == pytest.approx(sum(ends) / 3, rel=1e-14)
    assert list(many.statistic("q50", "q.shoulder")[[0, -1]]) == [0.2, ends[1]]


def test_members_that_are_drawn_depend_on_the_seed_alone(tmp_path):
    words = dict(times=(0.0, 0.5, 1.0), members=40, spread={"positions": 0.05, "ratio": "uniform:0.1"}, quantities=["q.hinge", "total"])
    one = mbdbench.ensemble("cart_pole", "naudet", folder=tmp_path / "one", **words)
    two = mbdbench.ensemble("cart_pole", "naudet", threads=2, **words)
    other = mbdbench.ensemble("cart_pole", "naudet", seed=2, **words)
    assert one.quantities == ["q.hinge", "total"] and one.statistics["mean"].shape == (3, 2)
    for name, values in one.statistics.items():
        assert numpy.array_equal(values, two.statistics[name]), name
    assert not numpy.array_equal(one.statistics["mean"], other.statistics["mean"])
    assert numpy.all(numpy.abs(one.start["ratio"] / numpy.mean(one.start["ratio"]) - 1.0) < 0.25)
    read = mbdbench.read_ensemble(tmp_path / "one")
    assert numpy.array_equal(read.start["q.hinge"], one.start["q.hinge"]) and "40 ok" in repr(read)


def test_a_member_without_a_start_is_told(arm):
    many = mbdbench.ensemble(arm, "aba", times=0.1, members={"mass.link": [2.0, -1.0]})
    assert not many.ok and many.status == ["ok", "no_start"]
    assert many.message[1] and math.isnan(many.end["q.shoulder"][1])


@pytest.mark.parametrize(
    "words, message",
    [
        (dict(members=0, spread={"positions": 0.1}), "members: is 0; at least one is wanted"),
        (dict(members={"q.shoulder": []}), "members: there are none"),
        (dict(members=2, spread={"positons": 0.1}), "positons"),
        (dict(members={"q.elbow": [1.0]}), "q.elbow"),
        (dict(members={"q.shoulder": [1.0], "v.shoulder": [1.0, 2.0]}), "one length"),
        (dict(members={}), "one length"),
    ],
)
def test_what_cannot_be_run_says_why(arm, words, message):
    with pytest.raises(ValueError, match=message):
        mbdbench.ensemble(arm, "aba", times=0.1, **words)


def test_what_is_not_there_is_named(arm, tmp_path):
    many = mbdbench.ensemble(arm, "aba", times=0.1, members=2, spread={"positions": 0.1})
    with pytest.raises(KeyError, match="there is no statistic 'median'; there are members, mean"):
        many.statistic("median", "total")
    with pytest.raises(KeyError, match="no quantity 'q.elbow'"):
        many.statistic("mean", "q.elbow")
    with pytest.raises(FileNotFoundError, match="ensemble.json"):
        mbdbench.read_ensemble(tmp_path)


def test_a_call_into_its_own_folder_goes_on(arm, tmp_path):
    words = dict(times=0.5, members={"q.shoulder": [0.1, 0.2]}, folder=tmp_path / "kept")
    first = mbdbench.ensemble(arm, "aba", **words)
    again = mbdbench.ensemble(arm, "aba", **words)
    assert list(again.end["q.shoulder"]) == list(first.end["q.shoulder"])
    with pytest.raises(ValueError, match="kept"):
        mbdbench.ensemble(arm, "naudet", **words)
