import importlib.metadata
from pathlib import Path

import mbdbench
import numpy as np
import pytest


def test_tables_have_keys_and_summaries():
    assert "four_bar" in mbdbench.mechanisms()
    assert "hdca" in mbdbench.formulations()
    assert "ode45" in mbdbench.integrators()
    assert all(summary for table in (mbdbench.mechanisms(), mbdbench.formulations(), mbdbench.integrators()) for summary in table.values())


def test_the_version_is_that_of_the_package():
    project = (Path(__file__).resolve().parents[2] / "CMakeLists.txt").read_text(encoding="utf-8")
    assert f"project(mbdbench VERSION {mbdbench.__version__} " in project
    assert importlib.metadata.version("mbdbench") == mbdbench.__version__


@pytest.mark.parametrize("text", [f"{200000 * 'a.'}a = 1\n", f"a = {200000 * '['}\n", f"[{200000 * 'a.'}a]\n"])
def test_a_file_without_end_ends_no_interpreter(text):
    with pytest.raises(mbdbench.MechanismError, match="nested deeper than 32 levels"):
        mbdbench.Mechanism.from_toml_text(text, "deep.toml")


def test_names_and_sizes(arm):
    assert (arm.name, arm.bodies, arm.joints, arm.cut_joints) == ("arm", ["link"], ["shoulder"], [])
    assert (arm.q_size, arm.u_size, arm.constraint_size) == (1, 1, 0)
    assert (arm.q_names, arm.u_names) == (["q.shoulder"], ["v.shoulder"])
    np.testing.assert_array_equal(arm.q0, [0.3])
    np.testing.assert_array_equal(arm.gravity, [0.0, -9.81, 0.0])


def test_names_are_those_of_the_state():
    mechanism = mbdbench.Mechanism.from_key("random_tree:seed=7,bodies=12")
    layout = mbdbench.Formulation(mechanism, "dense").layout
    assert mechanism.q_names + mechanism.u_names == [component.name for component in layout]


def test_toml_round_trip(tmp_path):
    mechanism = mbdbench.Mechanism.from_key("four_bar")
    file = tmp_path / "four_bar.toml"
    file.write_text(mechanism.to_toml())
    again = mbdbench.Mechanism.from_toml(file)
    assert again.to_toml() == mechanism.to_toml()
    np.testing.assert_array_equal(again.q0, mechanism.q0)


def test_initial_values(arm):
    moved = arm.with_initial_values({"q.shoulder": 0.5, "v.shoulder": -1.25})
    assert (moved.q0[0], moved.u0[0], arm.q0[0]) == (0.5, -1.25, 0.3)
    with pytest.raises(ValueError, match="did you mean \"q.shoulder\""):
        arm.with_initial_values({"q.sholder": 0.5})


def test_what_moved_of_a_typed_start_is_a_warning():
    text = mbdbench.Mechanism.from_key("four_bar").to_toml().replace("dependent = true\n", "")
    first = text.index("q0 = [") + len("q0 = [")
    typed = f"{text[:first]}-1.5{text[text.index(']', first):]}"
    with pytest.warns(UserWarning, match="to close the loops of mechanism 'four_bar' at the start, q.joint1 moved from -1.5 to "):
        mbdbench.Mechanism.from_toml_text(typed, "typed.toml")


def test_unknown_key_names_the_nearest():
    with pytest.raises(ValueError, match="did you mean \"four_bar\""):
        mbdbench.Mechanism.from_key("four_baar")


def test_a_file_that_is_wrong_is_told_with_its_line(arm):
    with pytest.raises(mbdbench.MechanismError, match="arm.toml:6: body 'link': mass = -2"):
        mbdbench.Mechanism.from_toml_text(arm.to_toml().replace("mass = 2", "mass = -2"), "arm.toml")
    with pytest.raises(mbdbench.MechanismError, match="nowhere.toml"):
        mbdbench.Mechanism.from_toml("nowhere.toml")
    assert issubclass(mbdbench.MechanismError, ValueError)


def test_a_robot_from_urdf(tmp_path):
    robot = Path(__file__).resolve().parents[2] / "fuzz/corpus/mechanism_urdf/arm.urdf"
    arm = mbdbench.Mechanism.from_urdf(robot)
    assert (arm.joints, arm.bodies, arm.markers) == (["shoulder", "wrist"], ["upper", "hand"], ["flange"])
    spoilt = tmp_path / "spoilt.urdf"
    spoilt.write_text(robot.read_text().replace("prismatic", "prismatik"))
    with pytest.raises(mbdbench.MechanismError, match="spoilt.urdf:21: .*did you mean \"prismatic\""):
        mbdbench.Mechanism.from_urdf(spoilt)
