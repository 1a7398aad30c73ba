# SPDX-License-Identifier: BSD-2-Clause
"""What Python computes is what the command prints: jounce eval, on robots and random models.

JOUNCE_COMMAND: path of the command; without it the test is skipped.
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

import numpy as np
from support import SEED, models, random_state

import jounce

COMMAND = os.environ.get("JOUNCE_COMMAND")
# name in eval: what gives it in Python
WANTED = {
    "tau": lambda m, s: m.inverse_dynamics(s["q"], s["v"], s["a"]),
    "M": lambda m, s: m.mass_matrix(s["q"]),
    "C": lambda m, s: m.coriolis_matrix(s["q"], s["v"]),
    "g": lambda m, s: m.gravity_forces(s["q"]),
    "bias": lambda m, s: m.bias_forces(s["q"], s["v"]),
    "dtau_dq": lambda m, s: m.inverse_dynamics_derivatives(s["q"], s["v"], s["a"]).dtau_dq,
    "dtau_dv": lambda m, s: m.inverse_dynamics_derivatives(s["q"], s["v"], s["a"]).dtau_dv,
    "Y": lambda m, s: m.regressor(s["q"], s["v"], s["a"]),
}


@unittest.skipUnless(COMMAND, "JOUNCE_COMMAND is not set")
class Eval(unittest.TestCase):
    def test_same_numbers(self) -> None:
        rng = np.random.default_rng(SEED)
        with tempfile.TemporaryDirectory() as folder:
            for model in models():
                path = Path(folder) / "model.json"
                model.save(path)
                state = random_state(model, rng)
                text = json.dumps({name: state[name].tolist() for name in ("q", "v", "a")})
                wanted = ",".join(WANTED)
                run = subprocess.run([COMMAND, "eval", str(path), "--want", wanted], input=text, text=True,
                                     capture_output=True, check=False)  # fmt: skip
                self.assertEqual(run.returncode, 0, run.stderr)
                printed = json.loads(run.stdout)["results"][0]
                for name, function in WANTED.items():
                    with self.subTest(model=model.name, name=name, seed=SEED):
                        expected = function(model, state)
                        got = np.array(printed[name], float).reshape(expected.shape)
                        np.testing.assert_array_equal(got, expected)

    def test_version(self) -> None:
        run = subprocess.run([str(COMMAND), "--version"], text=True, capture_output=True, check=True)
        self.assertIn(jounce.__version__, run.stdout)


if __name__ == "__main__":
    unittest.main()
