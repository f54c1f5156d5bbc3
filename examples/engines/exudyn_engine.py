#!/usr/bin/env python3
"""Exudyn (`pip install exudyn`) as an engine, for trees: its kinematic tree gives M and the forces in C++, NumPy solves.

    mbdbench verify -f exudyn --engine exudyn='sh examples/engines/run_engine.sh exudyn_engine.py'
"""
import sys
import time

from engine_protocol import Refused, missing, serve, timed

try:
    import numpy as np
    import exudyn as exu
    from exudyn.itemInterface import NodeGenericODE2, ObjectKinematicTree
except ImportError as error:
    sys.exit(missing("Exudyn", error))


def axes_along(direction):
    """Axes of which z is the direction."""
    z = np.array(direction)
    x = np.cross(z, np.eye(3)[np.argmin(np.abs(z))])
    x /= np.linalg.norm(x)
    return np.array([x, np.cross(z, x), z]).T


class Engine:
    def __init__(self, mechanism, q=None, v=None, forces=None):
        self.mechanism = mechanism
        links = []  # type, parent, rotation, offset, mass, com, inertia
        frame_of = {-1: (-1, np.eye(3), np.zeros(3))}  # link, and the body's frame in the link's
        for joint, body in zip((j for j in mechanism["joints"] if not j["cut"]), mechanism["bodies"]):
            self.add(joint, body, links, frame_of)
        if any(joint["cut"] for joint in mechanism["joints"]):
            raise Refused("it has closed loops; this adapter uses Exudyn's kinematic tree")
        self.frame_of, self.links, self.count = frame_of, links, len(links)
        kinds, parents, rotations, offsets, masses, coms, inertias = (list(column) for column in zip(*links))
        self.container = exu.SystemContainer()
        self.mbs = self.container.AddSystem()
        node = self.mbs.AddNode(NodeGenericODE2(referenceCoordinates=[0.0] * self.count, initialCoordinates=q or [0.0] * self.count,
                                                initialCoordinates_t=v or [0.0] * self.count, numberOfODE2Coordinates=self.count))
        self.tree = self.mbs.AddObject(ObjectKinematicTree(
            nodeNumber=node, jointTypes=kinds, linkParents=parents, jointTransformations=exu.Matrix3DList(rotations),
            jointOffsets=exu.Vector3DList(offsets), linkInertiasCOM=exu.Matrix3DList(inertias),
            linkCOMs=exu.Vector3DList(coms), linkMasses=masses, gravity=mechanism["gravity"],
            jointForceVector=forces or [0.0] * self.count))
        self.mbs.Assemble()
        self.solver, settings = exu.MainSolverExplicit(), exu.SimulationSettings()
        settings.timeIntegration.verboseMode = 0
        settings.solution.file.write = False
        settings.timeIntegration.solverType = exu.DynamicSolverType.ExplicitEuler
        self.solver.InitializeSolver(self.mbs, settings)

    def add(self, joint, body, links, frame_of):
        """Exudyn's links in a row, those without mass first."""
        turn, slide = exu.JointType.RevoluteZ, exu.JointType.PrismaticZ
        axis = joint["axis"]
        rows = {"revolute": [(turn, axis)], "prismatic": [(slide, axis)], "cylindrical": [(turn, axis), (slide, axis)],
                "universal": [(turn, axis), (turn, joint["axis2"])],
                "planar": [(slide, joint["normal1"]), (slide, joint["normal2"]), (turn, axis)]}
        if joint["type"] not in rows:
            raise Refused(f"joint '{joint['name']}' is {joint['type']}, which Exudyn's kinematic tree has not")
        parent, inner, offset = frame_of[joint["a"]]
        at = offset + inner @ np.array(joint["frame_a"]["position"])
        axes = inner @ np.array(joint["frame_a"]["rotation"])  # the joint's axes in the inboard link's
        row = rows[joint["type"]]
        for i, (kind, direction) in enumerate(row):
            along = axes_along(direction)
            rotation, start = axes @ along, at
            links.append([kind, parent, rotation, start, 0.0, np.zeros(3), np.zeros((3, 3))])
            parent, axes, at = len(links) - 1, along.T, np.zeros(3)
        # The last link's axes are those of the joint on b, turned by `along`; its origin is the joint's on b.
        inside = axes @ np.array(joint["frame_b"]["rotation"]).T
        origin = -inside @ np.array(joint["frame_b"]["position"])
        frame_of[joint["b"]] = (parent, inside, origin)
        links[-1][4:] = [body["mass"], origin + inside @ np.array(body["com"]), inside @ np.array(body["inertia"]) @ inside.T]

    def joint_forces_of(self, wrenches, q):
        """What wrenches on bodies do in the joints. The tree's own linkForces pushed the other way in Exudyn 1.13.6."""
        placed, done = {-1: (np.eye(3), np.zeros(3))}, np.zeros(self.count)
        for i, (kind, parent, rotation, offset, *_) in enumerate(self.links):
            outer, origin = placed[parent]
            turned, c, s = outer @ rotation, np.cos(q[i]), np.sin(q[i])
            slides = kind == exu.JointType.PrismaticZ
            placed[i] = (turned if slides else turned @ np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]),
                         origin + outer @ offset + (turned[:, 2] * q[i] if slides else 0.0))
        for k, wrench in enumerate(wrenches):
            link, (force, moment) = self.frame_of[k][0], np.split(np.array(wrench), 2)
            point = placed[link][1] + placed[link][0] @ self.links[link][5]
            while link >= 0:
                axis = placed[link][0][:, 2]
                slides = self.links[link][0] == exu.JointType.PrismaticZ
                done[link] += axis @ force if slides else axis @ (moment + np.cross(point - placed[link][1], force))
                link = self.links[link][1]
        return done

    def accelerations(self, message):
        mbs, solver = self.mbs, self.solver
        mbs.systemData.SetODE2Coordinates(message["q"], exu.ConfigurationType.Current)
        mbs.systemData.SetODE2Coordinates_t(message["v"], exu.ConfigurationType.Current)
        forces = np.array(message["joint_forces"])
        if np.any(message["body_wrenches"]):
            forces += self.joint_forces_of(message["body_wrenches"], message["q"])
        mbs.SetObjectParameter(self.tree, "jointForceVector", list(forces))

        def evaluate():
            solver.ComputeMassMatrix(mbs)
            solver.ComputeODE2RHS(mbs)
            return np.linalg.solve(solver.GetSystemMassMatrix(), solver.GetSystemResidual())

        seconds, found = timed(evaluate), evaluate()
        return found, seconds


def simulate(mechanism, simulation):
    """By Exudyn's solver of this name, anew from each time to the next; the control is a tolerance, or the step of
    GeneralizedAlpha and of explicit methods without step control."""
    if simulation["springs"]:
        raise Refused("this adapter has no springs in simulations")
    mbs = Engine(mechanism, simulation["q"], simulation["v"], simulation["joint_forces"]).mbs
    control, settings = simulation["control"], exu.SimulationSettings()
    settings.solution.file.write = False
    own = settings.timeIntegration
    own.solverType = kind = getattr(exu.DynamicSolverType, simulation["integrator"])
    own.explicit.computeEndOfStepAccelerations = False
    own.absoluteTolerance = own.relativeTolerance = control
    own.automaticStepSize = controlled = simulation["integrator"] in ("DOPRI5", "ODE23")
    own.generalizedAlpha.spectralRadius = 1.0 if simulation["integrator"] == "GeneralizedAlpha" else 0.9
    own.newton.relativeTolerance, own.newton.absoluteTolerance = 1e-10, 1e-12
    times, rows, seconds = simulation["times"], [simulation["q"]], 0.0
    for begin, end in zip(times, times[1:]):
        own.startTime, own.endTime = begin, end
        own.numberOfSteps = 10 if controlled else int(np.ceil((end - begin) / control - 1e-9))
        start = time.thread_time()
        if not mbs.SolveDynamic(settings, solverType=kind, updateInitialValues=True):
            raise RuntimeError(f"the solver does not come from {begin:g} to {end:g} s")
        seconds += time.thread_time() - start
        rows.append(mbs.systemData.GetODE2Coordinates(exu.ConfigurationType.Initial))
    return rows, seconds


if __name__ == "__main__":
    serve(f"Exudyn {exu.__version__}", lambda mechanism: Engine(mechanism).accelerations, simulate=simulate)
