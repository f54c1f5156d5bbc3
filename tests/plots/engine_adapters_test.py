"""Adapters of engines in Python: accelerations, derivatives and many states at a time, beside those of the textbook."""
import json
import subprocess
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ENGINES = ROOT / "examples" / "engines"
X, Y, Z = [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]
# What a joint has of q and v.
SIZES = {"revolute": (1, 1), "prismatic": (1, 1), "cylindrical": (2, 2), "universal": (2, 2), "planar": (3, 3),
         "spherical": (4, 3), "free": (7, 6), "fixed": (0, 0), "screw": (1, 1)}


def tree(types):
    """A mechanism: two branches with one joint of each type, the bodies off their joints."""
    joints, bodies, q, v = [], [], 0, 0
    for k, kind in enumerate(types):
        count, freedoms = SIZES[kind]
        bodies.append({"name": f"b{k}", "mass": 1.0 + 0.1 * k, "com": [0.1, 0.2, -0.1],
                       "inertia": [[0.5, 0.01, 0.0], [0.01, 0.6, 0.02], [0.0, 0.02, 0.7]]})
        joints.append({"name": f"j{k}", "type": kind, "cut": False, "a": max(k - 2, -1), "b": k, "q": [q, count],
                       "v": [v, freedoms], "frame_a": {"position": [0.3, 0.0, 0.1], "rotation": [X, Y, Z]},
                       "frame_b": {"position": [0.0, -0.2, 0.0], "rotation": [Y, Z, X]}, "axis": Z, "axis2": X,
                       "pitch": 0.05, "normal1": X, "normal2": Y})
        q, v = q + count, v + freedoms
    return {"mechanism": {"name": "tree", "gravity": [0.0, 1.0, -9.81], "q_size": q, "v_size": v, "bodies": bodies,
                          "joints": joints}}


def state_of(mechanism):
    """Everything moves and is pulled; quaternions are a little longer than 1."""
    given = mechanism["mechanism"]
    q = [0.3 + 0.1 * i for i in range(given["q_size"])]
    for joint in given["joints"]:
        if joint["type"] in ("spherical", "free"):
            q[joint["q"][0]:joint["q"][0] + 4] = [0.7, 0.5, -0.1, 0.52]
    return {"t": 0.0, "q": q, "v": [0.5 - 0.1 * i for i in range(given["v_size"])],
            "joint_forces": [0.2 * i - 1.0 for i in range(given["v_size"])],
            "body_wrenches": [[0.1, 0.2, 0.3 * k, 0.0, -0.1, 0.2] for k in range(len(given["bodies"]))]}


def answers(program, messages, *options):
    """What a program answers to messages; it ends with them."""
    text = "".join(json.dumps(message) + "\n" for message in messages)
    made = subprocess.run(["sh", str(ENGINES / "run_engine.sh"), program, *options], input=text, capture_output=True,
                          text=True, timeout=300, check=True)
    return [json.loads(line) for line in made.stdout.splitlines()]


class EngineAdapters(unittest.TestCase):
    def _compared(self, program, types, options=(), digits=1e-10, of_derivatives=1e-9):
        """Answers of an adapter to a mechanism, a state, its derivatives and a batch, like those of the textbook."""
        mechanism = tree(types)
        state = state_of(mechanism)
        asked = [mechanism, state, {"derivatives": state}, {"batch": {"state": state, "count": 5, "threads": 2}}]
        try:
            expected = answers("newton_euler_engine.py", asked[:3])
        except subprocess.CalledProcessError:
            self.skipTest("no NumPy for the textbook's engine")
        found = answers(program, asked, *options)
        if "installs it" in found[0].get("refused", ""):
            self.skipTest(found[0]["refused"])
        self.assertNotIn("refused", found[0])
        self._close(found[1]["accelerations"], expected[1]["accelerations"], digits)
        for name in ("by_motion", "by_v", "by_forces"):
            self._close(sum(found[2][name], []), sum(expected[2][name], []), of_derivatives)
        self.assertTrue(all(answer["seconds"] > 0.0 for answer in found[1:3]))
        return found, expected

    def _close(self, found, expected, digits):
        self.assertEqual(len(found), len(expected))
        size = max(map(abs, expected))
        self.assertLess(max(abs(a - b) for a, b in zip(found, expected)), digits * size)

    def test_casadi_has_the_derivatives_of_every_joint_type(self):
        found, _ = self._compared("casadi_engine.py", SIZES)
        self.assertIn("one state at a time", found[3]["failed"])

    def test_compiled_casadi_is_the_same(self):
        self._compared("casadi_engine.py", ["revolute", "spherical"], ["--compiled"])

    def test_what_casadi_would_compile_too_long_is_refused(self):
        first = answers("casadi_engine.py", [tree([*SIZES] * 2)], "--compiled")[0]
        self.assertRegex(first["refused"], "take too long to compile|installs it")

    def test_drake_has_the_derivatives_of_every_joint_type(self):
        self._compared("drake_engine.py", SIZES)

    def test_many_states_by_mujoco(self):
        types = [kind for kind in SIZES if kind != "screw"]  # which MuJoCo has not
        found, expected = self._compared("mujoco_engine.py", types, ["--rollout"], of_derivatives=1e-5)
        self.assertTrue(found[0]["batches"])
        self._close(found[3]["accelerations"], expected[1]["accelerations"], 1e-10)
        self.assertGreater(found[3]["seconds"], found[1]["seconds"])
        without = answers("mujoco_engine.py", [tree(types)])[0]
        self.assertNotIn("batches", without)

    def test_loops_are_refused(self):
        mechanism = tree(["revolute", "revolute"])
        mechanism["mechanism"]["joints"][1]["cut"] = True
        for program in ("casadi_engine.py", "drake_engine.py"):
            self.assertRegex(answers(program, [mechanism])[0]["refused"], "closed loops|installs it")


# An engine whose accelerations are the forces, for the protocol alone.
FAKE = """
import sys
sys.path[:0] = [sys.argv[1]]
from engine_protocol import serve
class Solver:
    def __call__(self, state):
        return state["joint_forces"]
    def batch(self, state, count, threads):
        return state["joint_forces"], 1e-3 * count / threads
serve("fake 1.0", lambda mechanism: Solver())
"""


class ManyStates(unittest.TestCase):
    def test_batches_are_announced_and_checked(self):
        state = {"joint_forces": [2.0]}
        wrong = [{"state": state, "count": 0, "threads": 1}, {"state": state, "count": 1.5, "threads": 1},
                 {"state": state}]
        messages = [{"mechanism": {"joints": []}}, {"batch": {"state": state, "count": 8, "threads": 2}},
                    *({"batch": one} for one in wrong), state]
        made = subprocess.run([sys.executable, "-c", FAKE, str(ENGINES)], capture_output=True, text=True, check=True,
                              input="".join(json.dumps(message) + "\n" for message in messages))
        first, many, *failed, one = [json.loads(line) for line in made.stdout.splitlines()]
        self.assertTrue(first["batches"])
        self.assertEqual(many, {"accelerations": [2.0], "seconds": 4e-3})
        for answer, words in zip(failed, ("whole numbers", "whole numbers", "count")):
            self.assertIn(words, answer["failed"])
        self.assertEqual(one["accelerations"], [2.0])


if __name__ == "__main__":
    unittest.main()
