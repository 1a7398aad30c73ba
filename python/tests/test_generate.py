# SPDX-License-Identifier: BSD-2-Clause
"""Model.generate(): the files of `jounce generate`, its options, and code that computes what the model does."""

from __future__ import annotations

import ctypes
import hashlib
import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

import numpy as np

import jounce

COMMAND = os.environ.get("JOUNCE_COMMAND")
COMPILER = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")


def statements(text: str) -> list[str]:
    """Without the lines that say where the code comes from."""
    return [line for line in text.splitlines() if not line.startswith((" * robot file", " * SHA-256", " * command"))]


class Generate(unittest.TestCase):
    def setUp(self) -> None:
        self.panda = jounce.load("builtin:panda")

    def test_files_are_those_of_the_command(self) -> None:
        if not COMMAND:
            self.skipTest("no command")
        options = {"prefix": "arm", "type": "double", "order": "2", "sincos": "libm", "regroup": "off", "in": "body",
                   "frame": "panda_link3,panda_link5", "prescribed": "panda_joint2", "runtime": "gravity,payload",
                   "payload-frame": "panda_link7", "snap": "0.001"}  # fmt: skip
        want = "hybrid_dynamics,jacobians,inverse_dynamics_jet"
        files = self.panda.generate(
            want.split(","), prefix="arm", type="double", order=2, sincos="libm", regroup=False, in_="body",
            frames=["panda_link3", "panda_link5"], prescribed=["panda_joint2"], runtime=["gravity", "payload"],
            payload_frame="panda_link7", snap=0.001,
        )  # fmt: skip
        with tempfile.TemporaryDirectory() as folder:
            line = [COMMAND, "generate", "builtin:panda", "--want", want, "--out", folder]
            subprocess.run([*line, *(f"--{name}={value}" for name, value in options.items())], check=True)
            self.assertEqual(sorted(files), sorted(os.listdir(folder)))
            for name, text in files.items():
                self.assertEqual(statements(text), statements((Path(folder) / name).read_text()), name)

    def test_each_option_matters(self) -> None:
        want = "hybrid_dynamics,jacobians,inverse_dynamics_jet"
        plain = self.panda.generate(want)
        self.assertEqual(sorted(plain), ["robot.c", "robot.h"])
        self.assertEqual(plain, self.panda.generate(want.split(",")))
        for options in ({"type": "double"}, {"order": 2}, {"sincos": "given"}, {"regroup": False}, {"in_": "world"},
                        {"frames": "panda_link2"}, {"prescribed": "panda_joint1"}, {"runtime": "gravity"},
                        {"prescribed": np.array([1, 0, 0, 0, 0, 0, 1])}, {"runtime": ["payload"]},
                        {"language": "matlab"}, {"prefix": "arm"}):  # fmt: skip
            self.assertNotEqual(plain, self.panda.generate(want, **options), options)  # type: ignore[arg-type]
        ends = self.panda.generate(want, runtime="payload", payload_frame="panda_link2")
        self.assertNotEqual(ends, self.panda.generate(want, runtime="payload"))

    def test_the_header_names_the_model(self) -> None:
        header = self.panda.generate("gravity_forces")["robot.h"]
        self.assertIn(hashlib.sha256(self.panda.to_json().encode()).hexdigest(), header)

    @unittest.skipUnless(COMPILER and os.name == "posix", "no compiler")
    def test_code_computes_what_the_model_does(self) -> None:
        files = self.panda.generate("inverse_dynamics,mass_matrix", prefix="arm", type="double")
        with tempfile.TemporaryDirectory() as folder:
            for name, text in files.items():
                (Path(folder) / name).write_text(text)
            library = Path(folder) / "arm.so"
            command = [str(COMPILER), "-shared", "-fPIC", "-O1", "-o", str(library), str(Path(folder) / "arm.c")]
            subprocess.run(command, check=True)
            arm = ctypes.CDLL(str(library))
            pointer = np.ctypeslib.ndpointer(np.float64, flags="C_CONTIGUOUS")
            arm.arm_inverse_dynamics.argtypes = [pointer] * 4
            arm.arm_mass_matrix.argtypes = [pointer] * 2
            arm.arm_inverse_dynamics.restype = arm.arm_mass_matrix.restype = None
            random = np.random.default_rng(1)
            for q in self.panda.random(20, seed=1):
                v, a, tau, mass = random.normal(size=7), random.normal(size=7), np.empty(7), np.empty((7, 7))
                arm.arm_inverse_dynamics(q, v, a, tau)
                arm.arm_mass_matrix(q, mass)
                np.testing.assert_allclose(tau, self.panda.inverse_dynamics(q, v, a), rtol=0, atol=1e-12)
                np.testing.assert_allclose(mass, self.panda.mass_matrix(q), rtol=0, atol=1e-13)

    def test_closed_loops_and_motors(self) -> None:
        motors = ["left_motor", "right_motor"]
        text = jounce.load("builtin:five_bar").generate("loops_inverse_dynamics", actuated=motors)["robot.h"]
        self.assertIn("coordinates 0 2", text)
        elastic = self.panda.elastic({"panda_joint1": {"stiffness": 1e4}})
        self.assertIn("theta", self.panda.generate("motor_commands", elastic=elastic)["robot.h"])

    def test_refusals(self) -> None:
        def refused(kind: type[Exception], part: str, want: object = "gravity_forces", **options: object) -> None:
            with self.assertRaisesRegex(kind, part):
                self.panda.generate(want, **options)  # type: ignore[arg-type]

        refused(jounce.NotFoundError, "'nothing'", "nothing")
        refused(jounce.NotFoundError, "at least one", "")
        refused(jounce.UnsupportedError, "nv\\^3", "mass_matrix_derivative")
        refused(jounce.UnsupportedError, "no loops", "loops_constraint")
        refused(jounce.UnsupportedError, "actuators", "motor_commands")
        refused(jounce.NotFoundError, "no joint named", "gravity_forces", actuated=["nowhere"])
        refused(TypeError, "elastic is a int", "motor_commands", elastic=1)
        refused(jounce.NotFoundError, "C identifier", prefix="x;y")
        refused(jounce.NotFoundError, "did you mean 'panda_link7'", frames=["panda_link77"])
        refused(jounce.NotFoundError, "no frame named", payload_frame="nowhere")
        refused(jounce.NotFoundError, "no joint named", prescribed=["nowhere"])
        refused(jounce.ArgumentError, "order", order=9)
        refused(jounce.ArgumentError, "snap", snap=1.0)
        refused(jounce.ArgumentError, "snap", snap=float("nan"))
        for name in ("type", "language", "sincos", "in_", "runtime"):
            refused(jounce.ArgumentError, f"{name} is 'wrong', expected one of", **{name: "wrong"})
        refused(ValueError, "must have one number", prescribed=[True])
        refused(TypeError, "integer", order=1.5)
        refused(TypeError, "want", [1])
        refused(ValueError, "null", prefix="a\0b")


if __name__ == "__main__":
    unittest.main()
