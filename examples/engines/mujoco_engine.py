#!/usr/bin/env python3
"""MuJoCo (`pip install mujoco`) as an engine, for trees. Its constraints are soft, so that loops have other accelerations:
they are refused, unless the word --soft-loops asks for them, closed as hard as MuJoCo can. With --rollout it also takes
many states at a time, by mujoco.rollout.

    mbdbench verify -f mujoco --engine mujoco='sh examples/engines/run_engine.sh mujoco_engine.py'
"""
import sys
import time
from xml.sax.saxutils import quoteattr

from engine_protocol import Refused, missing, serve, timed

try:
    import numpy as np
    import mujoco
    from mujoco import rollout
except ImportError as error:
    sys.exit(missing("MuJoCo", error))


def numbers(values):
    return " ".join(repr(float(value)) for value in np.ravel(values))


def quaternion_of(rotation):
    found = np.zeros(4)
    mujoco.mju_mat2Quat(found, np.ravel(rotation))
    return found


def elements(joint, turn):
    """The joint as MuJoCo's joints in a row, in axes of the body."""
    at = f'pos="{numbers(joint["frame_b"]["position"])}"'
    axes = {name: f'axis="{numbers(turn @ np.array(joint[name]))}"' for name in ("axis", "axis2", "normal1", "normal2")}
    hinge, slide = f'<joint type="hinge" {at} {axes["axis"]}/>', f'<joint type="slide" {at} {axes["axis"]}/>'
    slides = lambda axes_of: "".join(f'<joint type="slide" {at} axis="{numbers(turn @ axis)}"/>' for axis in axes_of)
    ball = f'<joint type="ball" {at}/>'
    if joint["type"] == "screw":
        raise Refused(f"joint '{joint['name']}' is a screw, which MuJoCo has not")
    return {
        "fixed": "", "revolute": hinge, "prismatic": slide, "cylindrical": hinge + slide,
        "universal": hinge + f'<joint type="hinge" {at} {axes["axis2"]}/>',
        "planar": slides([np.array(joint["normal1"]), np.array(joint["normal2"])]) + hinge,
        "spherical": ball, "free": slides(np.eye(3)) + ball,  # whose velocities are ours, unlike those of a <freejoint>
    }[joint["type"]]


class Engine:
    def __init__(self, mechanism, springs=(), time_constant=0.001):
        self.mechanism, self.time_constant = mechanism, time_constant
        self.joints = [joint for joint in mechanism["joints"] if not joint["cut"]]
        self.sites, closings = {}, ""
        for joint in mechanism["joints"]:
            closings += self.closing(joint) if joint["cut"] else ""
        tendons = "".join(self.tendon(f"spring {i}", spring) for i, spring in enumerate(springs))
        gravity = numbers(mechanism["gravity"])
        xml = (f'<mujoco><compiler angle="radian" boundmass="0" boundinertia="0"/><option gravity="{gravity}"/>'
               f"<worldbody>{self.sites.get(-1, '')}{self.bodies_on(-1)}</worldbody><equality>{closings}</equality>"
               f"<tendon>{tendons}</tendon></mujoco>")
        self.model = mujoco.MjModel.from_xml_string(xml)
        # A call repeated at one state must not begin from its own answer.
        self.model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_WARMSTART
        self.data = mujoco.MjData(self.model)
        self.body = [mujoco.mj_name2id(self.model, mujoco.mjtObj.mjOBJ_BODY, f"{k}") for k in range(len(self.joints))]
        self.q_at, self.v_at = [], []
        for joint, body in zip(self.joints, self.body):
            first = self.model.body_jntadr[body]
            self.q_at.append(self.model.jnt_qposadr[first] if first >= 0 else 0)
            self.v_at.append(self.model.jnt_dofadr[first] if first >= 0 else 0)

    def closing(self, joint):
        """Points of a revolute or spherical cut joint that stay together, by sites on both bodies."""
        along = {"spherical": [0.0], "revolute": [0.0, 1.0]}.get(joint["type"])
        if "--soft-loops" not in sys.argv or along is None:
            raise Refused("it has closed loops, and MuJoCo's constraints are soft (--soft-loops takes revolute and spherical "
                          "ones all the same)")
        xml = ""
        for s in along:
            name = f"{joint['name']} {s}"
            for side, number in (("a", joint["a"]), ("b", joint["b"])):
                frame = joint["frame_" + side]
                place = np.array(frame["position"]) + s * np.array(frame["rotation"]) @ joint["axis"]
                self.add_site(number, f"{name} {side}", place)
            xml += (f"<connect site1={quoteattr(name + ' a')} site2={quoteattr(name + ' b')} "
                    f'solimp="0.9999 0.9999 0.001" solref="{self.time_constant!r} 1"/>')
        return xml

    def add_site(self, body, name, place):
        self.sites[body] = self.sites.get(body, "") + f'<site name={quoteattr(name)} pos="{numbers(place)}"/>'

    def tendon(self, name, spring):
        for side in "ab":
            self.add_site(spring[side], f"{name} {side}", spring["point_" + side])
        return (f'<spatial stiffness="{spring["stiffness"]!r}" damping="{spring["damping"]!r}" springlength="{spring["rest"]!r}">'
                f'<site site={quoteattr(name + " a")}/><site site={quoteattr(name + " b")}/></spatial>')

    def bodies_on(self, parent):
        xml = ""
        for k, (joint, body) in enumerate(zip(self.joints, self.mechanism["bodies"])):
            if joint["a"] != parent:
                continue
            turn = np.array(joint["frame_b"]["rotation"])
            start = np.array(joint["frame_a"]["rotation"]) @ turn.T
            place = np.array(joint["frame_a"]["position"]) - start @ np.array(joint["frame_b"]["position"])
            inertia = np.array(body["inertia"])
            full = [inertia[i, j] for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))]
            xml += (f'<body name={quoteattr(str(k))} pos="{numbers(place)}" quat="{numbers(quaternion_of(start))}">'
                    f'<inertial pos="{numbers(body["com"])}" mass="{body["mass"]!r}" fullinertia="{numbers(full)}"/>'
                    f"{elements(joint, turn)}{self.sites.get(k, '')}{self.bodies_on(k)}</body>")
        return xml

    def place(self, message):
        data, turns = self.data, [np.array(joint["frame_b"]["rotation"]) for joint in self.joints]
        given = [[np.array(message[name][joint[at][0]:sum(joint[at])]) for joint in self.joints]
                 for name, at in (("q", "q"), ("v", "v"), ("joint_forces", "v"))]
        for k, joint in enumerate(self.joints):
            q, v, force = (numbers_of[k] for numbers_of in given)
            if joint["type"] in ("spherical", "free"):
                q, v, force = (np.concatenate([own[count:], own[:count - 3], turns[k] @ own[count - 3:count]])
                               for own, count in ((q, 4), (v, 3), (force, 3)))
            data.qpos[self.q_at[k]:self.q_at[k] + len(q)] = q
            data.qvel[self.v_at[k]:self.v_at[k] + len(v)] = v
            data.qfrc_applied[self.v_at[k]:self.v_at[k] + len(v)] = force
            data.xfrc_applied[self.body[k]] = message["body_wrenches"][k]
        return turns

    def accelerations(self, message):
        turns = self.place(message)
        seconds = timed(lambda: mujoco.mj_forward(self.model, self.data))
        return self.ours(self.data.qacc, turns), seconds

    def ours(self, qacc, turns):
        """v' in our order."""
        answer = np.zeros(self.mechanism["v_size"])
        for k, joint in enumerate(self.joints):
            found = qacc[self.v_at[k]:self.v_at[k] + joint["v"][1]]
            if joint["type"] in ("spherical", "free"):
                found = np.concatenate([turns[k].T @ found[-3:], found[:-3]])
            answer[joint["v"][0]:sum(joint["v"])] = found
        return answer

    def batch(self, message, count, threads):
        """Many copies of a state by mujoco.rollout, which makes one step of each: the forward dynamics, and one step of
        Euler's method, which costs little beside it. The accelerations are the changes of the velocities over the step.
        Several threads are its pool; one thread is the calling one."""
        model, turns, kinds = self.model, self.place(message), mujoco.mjtState
        start = np.zeros(mujoco.mj_stateSize(model, kinds.mjSTATE_FULLPHYSICS))
        mujoco.mj_getState(model, self.data, start, kinds.mjSTATE_FULLPHYSICS)
        forces = kinds.mjSTATE_QFRC_APPLIED | kinds.mjSTATE_XFRC_APPLIED
        control = np.zeros(mujoco.mj_stateSize(model, forces))
        mujoco.mj_getState(model, self.data, control, forces)
        starts, ends = np.tile(start, (count, 1)), np.zeros((count, 1, len(start)))
        workers = [mujoco.MjData(model) for _ in range(threads)]
        with rollout.Rollout(nthread=threads if threads > 1 else 0) as pool:
            def step():
                pool.rollout(model, workers, starts, control.reshape(1, 1, -1), control_spec=int(forces), state=ends)
            step()  # wakes the threads
            seconds = timed(step)
        speeds = slice(1 + model.nq, 1 + model.nq + model.nv)
        if np.any(ends != ends[0]):
            raise RuntimeError("copies of one state end in different states")
        return self.ours((ends[-1, 0, speeds] - start[speeds]) / model.opt.timestep, turns), seconds

    def derivatives(self, message):
        """What MuJoCo offers: differences of one step, here centred; v after a step is v + step * v'."""
        data, size, turns = self.data, self.mechanism["v_size"], self.place(message)
        own = np.zeros((self.model.nv, size))
        for k, joint in enumerate(self.joints):
            at, (first, count) = self.v_at[k], joint["v"]
            if joint["type"] in ("spherical", "free"):
                own[at:at + count - 3, first + 3:first + count] = np.eye(count - 3)
                own[at + count - 3:at + count, first:first + 3] = turns[k]
            else:
                own[at:at + count, first:first + count] = np.eye(count)
        nv, step = self.model.nv, self.model.opt.timestep
        by_state, inverse = np.zeros((2 * nv, 2 * nv)), np.zeros((nv, nv))
        seconds = timed(lambda: mujoco.mjd_transitionFD(self.model, data, 1e-6, True, by_state, None, None, None))
        mujoco.mj_forward(self.model, data)
        mujoco.mj_solveM(self.model, data, inverse, np.eye(nv))
        by_motion, by_v = by_state[nv:, :nv] / step, (by_state[nv:, nv:] - np.eye(nv)) / step
        return (*(own.T @ slopes @ own for slopes in (by_motion, by_v, inverse)), seconds)


class Solver:
    """Derivatives of trees alone: where constraints are soft they are those of the constraints."""
    def __init__(self, mechanism):
        engine = Engine(mechanism)
        self.accelerations = engine.accelerations
        if engine.model.neq == 0:
            self.derivatives = engine.derivatives
        if "--rollout" in sys.argv:
            self.batch = engine.batch

    def __call__(self, message):
        return self.accelerations(message)


def simulate(mechanism, simulation):
    """Steps of the control's length or a little less; loops are as hard as a step allows."""
    times = simulation["times"]
    intervals = np.diff(times)
    counts = np.ceil(intervals / simulation["control"] - 1e-9).astype(int)
    engine = Engine(mechanism, simulation["springs"], 2 * float(np.max(intervals / counts)))
    model, data = engine.model, engine.data
    data.time = times[0]
    model.opt.integrator = getattr(mujoco.mjtIntegrator, "mjINT_" + simulation["integrator"].upper())
    model.opt.disableflags = 0
    places = [at for at, joint in zip(engine.q_at, engine.joints) for at in range(at, at + joint["q"][1])]
    data.qpos[places], data.qvel[places], data.qfrc_applied[places] = simulation["q"], simulation["v"], simulation["joint_forces"]
    rows, start = [data.qpos[places]], time.thread_time()
    for interval, count in zip(intervals, counts):
        model.opt.timestep = interval / count
        mujoco.mj_step(model, data, count)
        rows.append(data.qpos[places])
    return rows, time.thread_time() - start


if __name__ == "__main__":
    sys.setrecursionlimit(100000)
    serve(f"MuJoCo {mujoco.__version__}", Solver, simulate=simulate)
