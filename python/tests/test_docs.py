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

from support import SOURCE

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
