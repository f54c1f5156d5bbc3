"""Mechanisms that several tests use."""

import mbdbench
import pytest

ARM = """
name = "arm"
gravity = [0.0, -9.81, 0.0]

[[bodies]]
name = "link"
mass = 2.0
com = [0.25, 0.0, 0.0]
inertia = [0.01, 0.05, 0.05]

[[joints]]
name = "shoulder"
type = "revolute"
a = "ground"
b = "link"
axis = [0.0, 0.0, 1.0]
q0 = [0.3]
"""


@pytest.fixture
def arm():
    """A pendulum: theta'' = -m g l cos(theta) / (I + m l^2), theta from the horizontal."""
    return mbdbench.Mechanism.from_toml_text(ARM, "arm.toml")


@pytest.fixture
def pendulum():
    return mbdbench.Mechanism.from_key("pendulum:4")
