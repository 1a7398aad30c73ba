# SPDX-License-Identifier: BSD-2-Clause
"""The examples of docs/solvers.md run and find what they say. Those whose package is not installed are skipped."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import unittest
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[2] / "examples" / "solvers"
EXAMPLES = {
    "swing_up.py": "casadi",
    "point_to_point.py": "casadi",
    "learn_friction.py": "jax",
    "sweep.py": "distributed",
}
missing = sorted({package for package in EXAMPLES.values() if importlib.util.find_spec(package) is None})
if len(missing) == len(set(EXAMPLES.values())):
    print(f"{', '.join(missing)} are not installed: skipped")
    sys.exit(77)


class Examples(unittest.TestCase):
    def test_all_are_listed(self) -> None:
        self.assertEqual(sorted(path.name for path in FOLDER.glob("*.py")), sorted(EXAMPLES))

    def test_they_run(self) -> None:
        for name, package in EXAMPLES.items():
            with self.subTest(name):
                if package in missing:
                    self.skipTest(f"{package} is not installed")
                done = subprocess.run([sys.executable, str(FOLDER / name)], capture_output=True, text=True, check=False)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                print(f"# {name}: {done.stdout.strip().splitlines()[-1]}")


if __name__ == "__main__":
    unittest.main()
