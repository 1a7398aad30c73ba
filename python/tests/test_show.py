# SPDX-License-Identifier: BSD-2-Clause
"""model.show() gives the page what `jounce view` gives it; without the page there is the package's own one, which says what it
lacks."""

from __future__ import annotations

import base64
import json
import os
import re
import subprocess
import tempfile
import unittest
import warnings
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np

import jounce
from jounce import _show

COMMAND = os.environ.get("JOUNCE_COMMAND")
URDF = """<robot name="arm &lt;/script&gt;">
  <link name="base"/>
  <link name="arm"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
    <visual><geometry><mesh filename="package://arm/meshes/arm piece.stl"/></geometry></visual>
    <visual><geometry><mesh filename="package://arm/meshes/arm piece.stl"/></geometry></visual>
    <visual><geometry><mesh filename="package://arm/meshes/lost.dae"/></geometry></visual></link>
  <joint name="hinge" type="revolute"><parent link="base"/><child link="arm"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
</robot>
"""
MOTION = "t,hinge\n" + "".join(f"{k / 10},{0.1 * np.sin(k / 10)}\n" for k in range(20))


class Pages(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.page = self.folder / "page.html"
        self.page.write_text(f"<html><body>{_show.EMPTY}</body></html>")
        (self.folder / "arm" / "urdf").mkdir(parents=True)
        (self.folder / "arm" / "meshes").mkdir()
        (self.folder / "arm" / "package.xml").write_text("<package/>")
        (self.folder / "arm" / "meshes" / "arm piece.stl").write_bytes(bytes(range(256)))
        self.urdf = self.folder / "arm" / "urdf" / "arm.urdf"
        self.urdf.write_text(URDF)
        self.motion = self.folder / "motion.csv"
        self.motion.write_text(MOTION)

    def show(self, model: jounce.Model, motion: Any = None) -> jounce._show.Page:
        with mock.patch.object(_show, "PAGE", self.page):
            return model.show(motion, path=self.folder / "shown.html")

    def given(self, html: str) -> Any:
        found = re.fullmatch(
            r'<html><body><script id="given" type="application/json">(.*)</script></body></html>', html, re.S
        )
        self.assertIsNotNone(found)
        return json.loads(found[1]) if found else None

    @unittest.skipUnless(COMMAND, "JOUNCE_COMMAND is not set")
    def test_as_the_command(self) -> None:
        """Built-in robots, a URDF file with a mesh, options, a motion from a file."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            panda = jounce.load("builtin:panda")
            arm = jounce.load(self.urdf)
            floating = jounce.load(self.urdf, floating=True)
        cases: list[tuple[jounce.Model, Any, list[str]]] = [
            (panda, None, ["builtin:panda"]),
            (panda, panda.trajectory("builtin:demo"), ["builtin:panda", "builtin:demo"]),
            (arm, arm.trajectory(self.motion), [str(self.urdf), str(self.motion)]),
            (floating, None, [str(self.urdf), "--floating"]),
            (panda.lock(["panda_joint7"]), None, ["builtin:panda", "--lock", "panda_joint7"]),
        ]
        for model, motion, arguments in cases:
            with self.subTest(arguments):
                out = self.folder / "command.html"
                command = [str(COMMAND), "view", *arguments, "--page", str(self.page), "--out", str(out)]
                subprocess.run(command, check=True, capture_output=True)
                ours, theirs = self.given(self.show(model, motion).html), self.given(out.read_text())
                self.assertEqual(ours, theirs)

    def test_meshes_and_notes(self) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            arm = jounce.load(self.urdf)
        page = self.show(arm)
        files = dict(self.given(page.html)["files"])
        self.assertEqual(base64.b64decode(files["package://arm/meshes/arm%20piece.stl"]), bytes(range(256)))
        self.assertEqual(page.note, "1 mesh not found: package://arm/meshes/lost.dae")
        self.assertEqual(page.html.count("</script>"), 1)
        self.assertEqual((self.folder / "shown.html").read_text(), page.html)
        self.urdf.write_text(URDF.replace("revolute", "continuous"))  # no longer the model's file
        self.assertEqual(self.given(self.show(arm).html)["source"], "robot.json")

    def test_meshes_of_strangers(self) -> None:
        """Only regular files of the robot's folder or package are read, unless their folder is allowed."""
        (self.folder / "secret").mkdir()
        secret = self.folder / "secret" / "plan.stl"
        secret.write_bytes(b"secret")
        near = self.urdf.parent
        (near / "link.stl").symlink_to(secret)
        (near / "folder.stl").mkdir()
        os.mkfifo(near / "pipe.stl")
        names = [str(secret), f"file://{secret}", "../../secret/plan.stl", "link.stl", "package://secret/plan.stl",
                 "package://arm/../secret/plan.stl", "folder.stl", "pipe.stl", "/dev/zero", "plan.ply"]  # fmt: skip
        for name in names:
            with self.subTest(name):
                self.urdf.write_text(f"<!-- {URDF} -->" + URDF.replace("package://arm/meshes/arm piece.stl", name))
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    arm = jounce.load(self.urdf)
                page = self.show(arm)
                self.assertEqual([name for name, _ in self.given(page.html)["files"]], ["arm.urdf"])
                self.assertIn(name, page.note)
        self.urdf.write_text(URDF.replace("package://arm/meshes/arm piece.stl", "link.stl"))
        with mock.patch.object(_show, "PAGE", self.page):
            page = jounce.load(self.urdf).show(path=self.folder / "shown.html", meshes=[self.folder / "secret"])
        self.assertIn("link.stl", dict(self.given(page.html)["files"]))

    def test_motions_of_arrays(self) -> None:
        """Samples and configurations become a table that the readers of motions understand."""
        panda = jounce.load("builtin:panda")
        t = np.linspace(0, 1, 11)
        q = panda.random(seed=2) + 0.1 * t[:, None]
        kept = panda.trajectory_from_samples(t, q, smoothing="none")
        retimed = panda.retime(panda.trajectory("builtin:demo"), uniform=True, samples=100).retimed
        for motion, rows in (
            ((t, q), 11),
            (q, 11),
            (q[0], 9),
            (q[:3], 17),
            ({"panda_joint1": 0.3}, 9),
            (kept, 101),
            (retimed, None),
        ):
            files = dict(self.given(self.show(panda, motion).html)["files"])
            text = base64.b64decode(files["motion.csv"])
            again = panda.trajectory_from_text(text, "motion.csv", smoothing="none")
            if rows:
                self.assertEqual(again.samples, rows)
            if motion is not retimed and not isinstance(motion, dict):
                np.testing.assert_allclose(again.evaluate(again.start).q, q[0], atol=1e-12)

    def test_without_the_page(self) -> None:
        with mock.patch.object(_show, "PAGE", self.folder / "none"):
            page = jounce.load("builtin:panda").show(path=self.folder / "simple.html")
        self.assertIn("without plots and simulation", repr(page))
        self.assertNotIn("@DATA@", page.html)

    def scene(self, page: jounce._show.Page) -> Any:
        found = re.search(r'<script type="application/json" id="scene">(.*?)</script>', page.html, re.S)
        assert found is not None
        return json.loads(found[1])

    def test_own_page_has_meshes(self) -> None:
        """Without the command's page, the package's own one shows the meshes that it can read, and names the others."""
        corners = np.array([[0, 0, 0], [1, 0, 0], [0, 2, 0]], "<f4")
        (self.folder / "arm" / "meshes" / "arm piece.stl").write_bytes(
            bytes(80) + (1).to_bytes(4, "little") + bytes(12) + corners.tobytes() + bytes(2)
        )
        with mock.patch.object(_show, "PAGE", self.folder / "none"):
            arm = jounce.load(self.urdf)
            scene = self.scene(arm.show(path=self.folder / "own.html"))
            (self.folder / "arm" / "meshes" / "arm piece.stl").write_bytes(b"solid nothing\nvertex 1 2\n")
            damaged = arm.show(path=self.folder / "own.html")
        self.assertEqual([link["shape"] for link in scene["links"]], [None, 0])
        self.assertEqual(len(base64.b64decode(scene["meshes"][0]["corners"])), 2 * 18)  # the mesh is shown twice
        self.assertEqual(scene["meshes"][0]["high"][:2], [1, 2])
        self.assertEqual([slider["name"] for slider in scene["sliders"]], ["hinge"])
        self.assertIn("arm piece.stl", damaged.note)
        self.assertIn("lost.dae", damaged.note)

    def test_text_of_files_is_data(self) -> None:
        """Names that look like the places of the template, or end the script, change nothing of the page."""
        with mock.patch.object(_show, "PAGE", self.folder / "none"):
            self.urdf.write_text(URDF.replace("hinge", "@SCRIPT@ &lt;/script&gt;"))
            page = jounce.load(self.urdf).show(path=self.folder / "own.html")
        self.assertEqual(page.html.count("</script>"), 2)
        self.assertEqual(self.scene(page)["sliders"][0]["name"], "@SCRIPT@ </script>")


if __name__ == "__main__":
    unittest.main()
