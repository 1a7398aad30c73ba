# SPDX-License-Identifier: BSD-2-Clause
"""Every public method runs on models where no two sizes are equal, with arrays that end where memory ends.

A child process makes the calls and says before each which one it is, so that a crash names its method.
"""

from __future__ import annotations

import os
import subprocess
import sys
import unittest
import warnings
from fnmatch import fnmatch
from typing import Any

import numpy as np
from every import METHODS, Argument, Method, Stage, bound, name_of, result_items
from guarded import available, guarded
from support import SEED

import jounce

# Errors that are right: files that are not there, and states that the call cannot have.
EXPECTED = {
    "Model._elastic_load": "missing.json", "Model._save": "missing", "Trajectory.load_wrenches": "missing.csv",
    "Trajectory.load_forces": "missing.csv", "Elastic.state_jet": "", "Elastic.linearising_torque": "",
    "Retimed.event": "", "Model.trajectory": "panda_joint1",
}  # fmt: skip
# Coordinates of spherical and free joints have no motor, and these no torque constant: NaN says so.
NOT_A_NUMBER = {("Elastic.inverse", "theta_jet"), ("Elastic.inverse", "current"), ("Elastic.split", "theta")}
# Last numbers that have no effect on the results, with the reason.
UNREAD = {
    ("BaseParameters.regressor", "Y"): "the last column belongs to no base parameter",
    ("Model.integrate_derivatives", "*"): "constant for the last coordinate, of a planar joint",
    ("Model.difference_derivatives", "*"): "likewise",
    ("Model.spring_forces", "q"): "it has no spring",
    ("Model.hybrid_dynamics*", "a"): "its force is given",
    ("Model.mass_solve", "factor"): "its layout is private",
    ("Elastic.*", "*"): "it has no motor behind a spring",
    ("Identification.regressor", "forces"): "no torque constants are identified",
    ("Identification.foresee", "noise"): "the channel of the user has no rows",
    ("jounce.rotation_to_rpy", "R"): "angles follow from other entries",
    ("Loops.health_at", "q"): "a rank, not a number",
    ("Loops.complete_motion", "q"): "all motion is given",
    ("Loops.hybrid_dynamics_jet", "tau_jet"): "all motion is given",
    ("Loops.inverse_dynamics*", "passive*"): "all coordinates have motors",
    ("Loops.*", "weight"): "the choice does not weigh",
    ("Tasks.solve", "target"): "an outcome, not a number",
    ("Tasks.motion_jet", "target"): "all rows of the tasks count",
}


def is_unread(name: str, argument: str) -> bool:
    return any(fnmatch(name, where) and fnmatch(argument, what) for where, what in UNREAD)


def last_number(a: Argument, array: np.ndarray) -> tuple[int, ...]:
    """Where the last number is: of poses before the constant row, of jets in the first row, which all functions read."""
    if a.shape[-2:] == ["4", "4"]:
        return (2, 3)
    if a.shape[0].startswith(("(K", "(P")):
        return (0, *(-1,) * (array.ndim - 1))
    return (-1,) * array.ndim


def outputs(stage: Stage, method: Method, given: dict[str, Any]) -> list[Any]:
    """Arrays for the results, full of NaN, at the end of memory."""
    out = []
    sizes = stage.last_sizes
    for a in result_items(method):
        if a.kind not in ("OUT", "INOUT"):
            out.append(None)
            continue
        shape = tuple(sizes[s] if s in sizes else int(s) for s in a.shape)
        if a.kind == "INOUT" and given.get(a.name) is not None:
            shape = given[a.name].shape
        kind = {"B": np.uint8, "b": np.int8}.get(a.dtype, np.float64)
        out.append(guarded(np.zeros(shape, kind) if kind != np.float64 else np.full(shape, np.nan)))
    return out


def call_one(stage: Stage, target: Any, method: Method) -> tuple[Any, list[Any]]:
    given = stage.arguments(method)
    given = {name: guarded(value) if isinstance(value, np.ndarray) else value for name, value in given.items()}
    if method.is_property:
        return getattr(target, method.name), []
    call = bound(target, method)
    out = outputs(stage, method, given)
    if any(item is not None for item in out):
        return call(**given, out=tuple(out) if len(out) > 1 else out[0]), out
    return call(**given), []


def walk() -> None:
    """In the child: calls everything and prints what happens."""
    stage = Stage()
    for target, method in stage.calls():
        name = name_of(method)
        print("CALL", name, flush=True)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                _, out = call_one(stage, target, method)
        except (jounce.Error, ValueError, TypeError) as error:
            print("ERROR", name, f"{type(error).__name__}: {error}", flush=True)
            continue
        for a, array in zip(result_items(method), out):
            if array is not None and array.dtype == np.float64 and np.isnan(array).any():
                print("NAN", name, a.name, flush=True)
    print("END", flush=True)


class EveryCall(unittest.TestCase):
    @unittest.skipUnless(available, "guard pages are for Linux")
    def test_every_method_at_the_end_of_memory(self) -> None:
        print(f"seed {SEED}")
        command = [sys.executable, "-X", "faulthandler", os.path.abspath(__file__), "--walk"]
        run = subprocess.run(command, capture_output=True, text=True, check=False)
        lines = run.stdout.splitlines()
        called = [line.split()[1] for line in lines if line.startswith("CALL")]
        self.assertEqual(run.returncode, 0, f"{called[-1:]} crashed, seed {SEED}\n{run.stderr[-2000:]}")
        self.assertEqual(lines[-1:], ["END"])
        stage_less = {"jn_base", "jn_identification"} if "BaseParameters.count" not in called else set()
        self.assertEqual(sorted(name_of(m) for m in METHODS if m.owner not in stage_less), sorted(called))

        wrong = []
        for line in lines[:-1]:
            kind, name, *rest = line.split(" ", 2)
            expected = EXPECTED.get(name)
            if kind == "ERROR" and (expected is None or "shape" in rest[0] or "expected" in rest[0]):
                wrong.append(line)
            if kind == "NAN" and (name, *rest) not in NOT_A_NUMBER:
                wrong.append(line)
        self.assertEqual(wrong, [], f"seed {SEED}")

    def test_every_number_is_read(self) -> None:
        """NaN in the last number of an array changes a result or is refused: no array is longer than what C reads."""
        stage = Stage()
        silent = []
        for target, method in stage.calls():
            name = name_of(method)
            arrays = [a for a in method.inputs if a.kind in ("IN", "INOUT")]
            results = [a for a in result_items(method) if a.kind in ("OUT", "INOUT")]
            if not arrays or not results or name in EXPECTED or method.owner == "jn_simulator":
                continue
            given = stage.arguments(method)
            want = {"want": [a.name for a in result_items(method)]} if len(result_items(method)) > 1 else {}
            call = bound(target, method)
            for a in arrays:
                if is_unread(name, a.name):
                    continue
                changed = {**given, a.name: np.array(given[a.name])}
                changed[a.name][last_number(a, changed[a.name])] = np.nan
                try:
                    result = call(**changed, **want)
                except (jounce.Error, ValueError):
                    continue
                parts = result if isinstance(result, tuple) else (result,)
                if not any(np.isnan(p).any() for p in parts if isinstance(p, (np.ndarray, float))):
                    silent.append((name, a.name))
        self.maxDiff = None
        self.assertEqual(silent, [], f"seed {SEED}")


class Mended(unittest.TestCase):
    """Calls that were wrong once."""

    def test_regressor_of_an_identification(self) -> None:
        model = jounce.load("builtin:panda")
        try:
            identification = model.identification()
        except jounce.UnsupportedError:
            self.skipTest("no LAPACK")
        q, v, a = model.random(seed=SEED), np.full(7, 0.3), np.full(7, -0.2)
        both = identification.regressor(q, v, a)
        self.assertEqual(both.Y.shape, (7, identification.count))
        x = identification.prior
        losses = model.loss_forces(v)
        np.testing.assert_allclose(both.Y @ x + both.known, model.inverse_dynamics(q, v, a) + losses, atol=1e-9)

    def test_constraint_at_a_velocity(self) -> None:
        model = Stage().closed
        q, v = model.random(seed=SEED), np.linspace(-1, 1, model.nv)
        found = model.loops.constraint(q, v)
        self.assertEqual(found.A.shape, (7, 17))
        h = 1e-6
        ahead = model.loops.constraint(model.integrate(q, h * v)).A @ v
        behind = model.loops.constraint(model.integrate(q, -h * v)).A @ v
        np.testing.assert_allclose(found.Adot_v, (ahead - behind) / (2 * h), atol=1e-7)
        with self.assertRaisesRegex(ValueError, r"v has shape \(7,\), expected \(..., 17\)"):
            model.loops.constraint(q, v[:7])

    def test_a_joint_that_follows_itself(self) -> None:
        for name in ("builtin:panda", "builtin:double_pendulum"):
            model = jounce.load(name)
            self.assertEqual(tuple(model.joint_mimic(0)), (0, 0, 1.0, 0.0))

    def test_limits_cannot_be_written(self) -> None:
        model = jounce.load("builtin:panda")
        for array in model.limits:
            with self.assertRaisesRegex(ValueError, "read-only"):
                array[0] = 1.0

    def test_many_states_are_no_jet(self) -> None:
        """1000 states in place of the rows of a jet are refused at once."""
        model = jounce.load("builtin:panda")
        states = np.zeros((1000, 7))
        with self.assertRaisesRegex(ValueError, r"v_jet has 1000 rows, one for each time derivative.*order is 170"):
            model.inverse_dynamics_jet(model.neutral(), states)
        self.assertEqual(model.inverse_dynamics_jet(model.neutral(), states[:172]).shape, (171, 7))
        with self.assertRaisesRegex(ValueError, "order"):
            model.loops_with(order=171)
        with self.assertRaisesRegex(ValueError, "order"):
            model.tasks([{"type": "pose", "frame": 1}], order=10**6)


if __name__ == "__main__":
    walk() if "--walk" in sys.argv else unittest.main()
