# SPDX-License-Identifier: BSD-2-Clause
"""The Python blocks of the pages run and print what the pages show; the examples run."""

from __future__ import annotations

import contextlib
import importlib.util
import io
import json
import os
import re
import runpy
import tempfile
import unittest
import urllib.request
import warnings
from unittest import mock

import numpy as np
from support import SEED, SOURCE

import jounce

# A block, and the block without a language that follows it directly: what it prints.
BLOCKS = re.compile(r"^```python\n(.*?)^```\n(?:```\n(.*?)^```\n)?", re.S | re.M)


class Pages(unittest.TestCase):
    def run_page(self, name: str) -> int:
        blocks = BLOCKS.findall((SOURCE / name).read_text(encoding="utf-8"))
        shared: dict[str, object] = {}
        before = os.getcwd()
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            try:
                for code, expected in blocks:
                    printed = io.StringIO()
                    with contextlib.redirect_stdout(printed):
                        exec(compile(code, name, "exec"), shared)
                    if expected:
                        self.assertEqual(printed.getvalue(), expected, code)
            finally:
                os.chdir(before)
        return len(blocks)

    def test_tutorial(self) -> None:
        self.assertGreater(self.run_page("docs/python.md"), 5)

    def test_readme(self) -> None:
        self.assertEqual(self.run_page("README.md"), 1)


class ComingFrom(unittest.TestCase):
    def test_calls_in_python(self) -> None:
        """Every expression of jounce in the table of docs/coming-from.md runs; robot.joint(name).v is a slice, and so on."""
        text = (SOURCE / "docs" / "coming-from.md").read_text(encoding="utf-8")
        part = text.split("### In Python\n")[1].split("\n## ")[0]
        rows = [
            line.split(" | ")[1] for line in part.splitlines() if line.startswith("| `") or line.startswith("| loops")
        ]
        calls = [call for row in rows for call in re.findall(r"`((?:robot|jounce)\.[^`]*)`", row)]
        self.assertGreater(len(calls), 40)
        robot = jounce.load("builtin:panda")
        q = robot.random(seed=SEED)
        names = {
            "robot": robot, "jounce": jounce, "file": "builtin:panda", "q": q, "q0": q, "q1": q + 0.1, "v": np.ones(7),
            "a": np.ones(7), "tau": np.ones(7), "name": "panda_link7", "names": ["panda_joint7"], "w": np.ones(3),
            "R": np.eye(3), "T": robot.frame_pose("panda_link7", q),
        }  # fmt: skip
        box = tempfile.NamedTemporaryFile(suffix=".urdf")
        self.addCleanup(box.close)
        inertial = (
            '<inertial><mass value="1"/><inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>'
        )
        box.write(f'<robot name="box"><link name="base">{inertial}</link></robot>'.encode())
        box.flush()
        for call in calls:
            more: dict[str, object] = {"name": "panda_joint7"} if "joint" in call else {}
            more |= {"v": np.ones(6)} if "se3_exp" in call else {}
            more |= {"file": box.name} if "floating" in call else {}
            with self.subTest(call):
                self.assertIsNotNone(eval(call, {**names, **more}))
        for row in rows:
            found = re.match(r"`(robot\.\w+_derivatives\(.*?\))`: (.*?) *\|?$", row)
            for field in re.findall(r"`(\w+)`", found[2]) if found else []:
                self.assertEqual(getattr(eval(found[1], names), field).shape, (7, 7))  # type: ignore[index]


class Examples(unittest.TestCase):
    def test_all(self) -> None:
        """Each example checks its own results."""
        for path in sorted((SOURCE / "examples" / "python").glob("*.py")):
            with self.subTest(path.name), contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
                warnings.simplefilter("error")
                runpy.run_path(str(path), run_name="__main__")

    def test_notebooks(self) -> None:
        """The cells of notebooks run in their order; pages are made and not opened, plots only drawn with matplotlib."""
        os.environ["MPLBACKEND"] = "Agg"
        can_plot = importlib.util.find_spec("matplotlib") is not None
        for path in sorted((SOURCE / "examples" / "python").glob("*.ipynb")):
            shared: dict[str, object] = {}
            with mock.patch("webbrowser.open") as opened, contextlib.redirect_stdout(io.StringIO()):
                for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
                    is_plot = "plot" in cell["metadata"].get("tags", [])
                    if cell["cell_type"] == "code" and (can_plot or not is_plot):
                        exec(compile("".join(cell["source"]), path.name, "exec"), shared)
            for call in opened.call_args_list:
                os.remove(urllib.request.url2pathname(call.args[0].removeprefix("file://")))

    def test_every_example_is_listed(self) -> None:
        text = (SOURCE / "examples" / "README.md").read_text(encoding="utf-8")
        for path in (SOURCE / "examples" / "python").glob("*.*[pyb]"):
            self.assertIn(f"(python/{path.name})", text)


if __name__ == "__main__":
    unittest.main()
