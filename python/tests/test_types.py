# SPDX-License-Identifier: BSD-2-Clause
"""mypy and ruff accept the package, where they are installed."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from support import SOURCE

import jounce

USE = """
import jounce
import numpy as np

model = jounce.load("builtin:panda")
tau = model.inverse_dynamics(model.neutral(), np.zeros(7))
d = model.inverse_dynamics_derivatives(model.neutral())
shape: tuple[int, ...] = d.dtau_dq.shape
wrong: int = model.name
"""


class Types(unittest.TestCase):
    @unittest.skipUnless(importlib.util.find_spec("mypy"), "mypy is not installed")
    def test_mypy(self) -> None:
        package = Path(jounce.__file__).parent
        with tempfile.TemporaryDirectory() as folder:
            command = [
                sys.executable,
                "-m",
                "mypy",
                "--config-file",
                str(SOURCE / "pyproject.toml"),
                "--cache-dir",
                folder,
            ]
            run = subprocess.run([*command, str(package)], capture_output=True, text=True, check=False)
            self.assertEqual(run.returncode, 0, run.stdout)
            use = Path(folder) / "use.py"
            use.write_text(USE)
            run = subprocess.run([*command, str(use)], capture_output=True, text=True, check=False, cwd=package.parent)
            self.assertEqual(run.stdout.count("error:"), 1, run.stdout)  # the wrong line, and only that
            self.assertIn('use.py:9: error: Incompatible types in assignment (expression has type "str"', run.stdout)

    @unittest.skipUnless(importlib.util.find_spec("ruff"), "ruff is not installed")
    def test_ruff(self) -> None:
        for arguments in (["check"], ["format", "--check"]):
            command = [
                sys.executable,
                "-m",
                "ruff",
                *arguments,
                str(SOURCE / "python"),
                str(SOURCE / "examples" / "python"),
            ]
            run = subprocess.run(command, capture_output=True, text=True, check=False)
            self.assertEqual(run.returncode, 0, run.stdout)


if __name__ == "__main__":
    unittest.main()
