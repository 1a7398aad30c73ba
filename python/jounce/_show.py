# SPDX-License-Identifier: BSD-2-Clause
"""A self-contained page with the robot in 3-D.

If the package was built with the web page (script/web), this is the command's own page, with the robot, its meshes and
its motion inside: given() makes what tool/view/view.c writes. Otherwise it is the package's own page (_scene.py), with the
robot, its meshes and its motion or sliders, but without plots and simulation.
"""

from __future__ import annotations

import base64
import json
import os
import re
import tempfile
import webbrowser
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import numpy as np

from ._meshes import Meshes, meshes_of
from ._scene import FRAMES_PER_SECOND, own_page

if TYPE_CHECKING:
    from ._model import Model

FEWEST = 8  # samples that a motion needs
MOTION_RATE = 100  # samples a second of motions that are not files
PAGE = Path(__file__).parent / "page.html"
# Where the page says what it is given.
EMPTY = '<script id="given" type="application/json">null</script>'


# ---- the page of `jounce view` ----


def robot_files(
    model: Model, folders: Sequence[str | os.PathLike[str]] = ()
) -> tuple[str, list[tuple[str, bytes]], Meshes]:
    """An unchanged URDF file goes in as it is, with its meshes; a built-in robot by its name; all others as native
    files."""
    source = model._unchanged_source()
    if source is not None and source.startswith("builtin:"):
        return source, [], Meshes()
    if source is not None:
        text = Path(source).read_bytes()
        if re.search(rb"<robot[\s>]", text):
            meshes = meshes_of(Path(source), text, folders)
            return Path(source).name, [(Path(source).name, text), *meshes.files], meshes
    return "robot.json", [("robot.json", model.to_json().encode())], Meshes()


def csv(model: Model, t: Any, q: Any) -> bytes:
    """A motion as a table that all commands read."""
    names = [f'"{quoted}"' for quoted in (name.replace('"', '""') for name in model.q_names)]
    rows = [",".join(["t", *names])]
    rows += [",".join(map(repr, [float(time), *row])) for time, row in zip(t, np.asarray(q, np.float64).tolist())]
    return ("\n".join(rows) + "\n").encode()


def samples_of(model: Model, motion: Any) -> tuple[Any, Any]:
    """Times [n] and configurations [n x nq] of what is not a file."""
    if hasattr(motion, "evaluate"):
        start, end = getattr(motion, "start", 0.0), motion.end if hasattr(motion, "end") else motion.duration
        t = np.linspace(start, end, max(2, min(100000, int((end - start) * MOTION_RATE) + 1)))
        return t, motion.evaluate(t, want="q").q
    if isinstance(motion, tuple):
        t, q = np.asarray(motion[0], float), np.asarray(motion[1], np.float64)
    else:
        q = np.atleast_2d(model.configuration(motion))
        if len(q) == 1:
            q = np.repeat(q, 2, axis=0)  # it stays there
        t = np.arange(len(q)) / FRAMES_PER_SECOND
    return (t, q) if len(t) >= FEWEST else filled(model, t, q)


def filled(model: Model, t: Any, q: Any) -> tuple[Any, Any]:
    """Points between the samples, on the shortest ways, because splines need a few."""
    parts = np.arange(FEWEST) / FEWEST
    steps = [model.integrate(q[k], parts[:, None] * model.difference(q[k], q[k + 1])) for k in range(len(t) - 1)]
    times = [t[k] + parts * (t[k + 1] - t[k]) for k in range(len(t) - 1)]
    return np.concatenate([*times, t[-1:]]), np.concatenate([*steps, q[-1:]])


def motion_file(model: Model, motion: Any) -> tuple[str, bytes | None]:
    """The motion's name, and its content unless it is built in. Trajectories from files go in as they are."""
    source: tuple[str, tuple[Any, ...]] = motion._source() if hasattr(motion, "_source") else ("", ())
    kind, what = source
    if kind == "file":
        return what[0], None
    if kind == "text":
        text, name = what
        return Path(name).name, text.encode() if isinstance(text, str) else bytes(text)
    return "motion.csv", csv(model, *samples_of(model, motion))


def plain_name(name: str) -> str:
    """Letters, digits and ._-/: as they are, everything else as %XX."""
    return quote(os.fsencode(name), safe="._-/:")


def given(model: Model, motion: Any = None, folders: Sequence[str | os.PathLike[str]] = ()) -> tuple[str, str]:
    """What the page is given, as the text of its element, and which meshes it does not show."""
    source, files, meshes = robot_files(model, folders)
    name: str | None = None
    if motion is not None:
        name, content = motion_file(model, motion)
        if content is not None:
            files.append((name, content))
    options = model._source_options() if source != "robot.json" else {}
    described: dict[str, Any] = {
        "files": [[plain_name(name), base64.b64encode(content).decode()] for name, content in files],
        "same": [[plain_name(name), plain_name(other)] for name, other in meshes.same],
        "source": plain_name(source),
        **({} if name is None else {"motion": plain_name(name)}),
        "floating": bool(options.get("floating", False)),
        "ignoreMimic": bool(options.get("ignore_mimic", False)),
        "lenient": bool(options.get("lenient", False)),
        "losses": False,
    }
    text = json.dumps(described, separators=(",", ":"))
    return f'<script id="given" type="application/json">{text}</script>', meshes.note()


def page(model: Model, motion: Any = None, folders: Sequence[str | os.PathLike[str]] = ()) -> tuple[str, str]:
    """The page, and what is not as it could be."""
    if not PAGE.is_file():
        _, files, meshes = robot_files(model, folders)
        html, unreadable = own_page(model, motion, files, dict(meshes.same))
        notes = [meshes.note(), f"meshes that cannot be read: {', '.join(unreadable)}" if unreadable else "", SIMPLE]
        return html, "; ".join(note for note in notes if note)
    element, note = given(model, motion, folders)
    template = PAGE.read_text(encoding="utf-8")
    return template.replace(EMPTY, element, 1), note


SIMPLE = "without plots and simulation, because the package was built without the web page (script/web)"


class Page:
    """A written page; in notebooks it is shown inline. note: what is not as it could be."""

    def __init__(self, html: str, path: Path, note: str = "") -> None:
        self.html, self.path, self.note = html, path, note

    def _repr_html_(self) -> str:
        return f'<iframe srcdoc="{escape(self.html)}" width="100%" height="480" style="border:0"></iframe>'

    def __repr__(self) -> str:
        return f"<jounce page {self.path}{': ' if self.note else ''}{self.note}>"


def in_notebook() -> bool:
    try:
        from IPython import get_ipython  # type: ignore[import-not-found, unused-ignore]
    except ImportError:
        return False
    shell = get_ipython()
    return shell is not None and shell.__class__.__name__ == "ZMQInteractiveShell"


def show(
    model: Model,
    motion: Any = None,
    path: str | os.PathLike[str] | None = None,
    browser: bool | None = None,
    meshes: Sequence[str | os.PathLike[str]] = (),
) -> Page:
    """Writes a self-contained page with the robot in 3-D, and opens it in a browser, or inline in a notebook.

    motion: a trajectory, (t [n], q [n x nq]), or one or several configurations; default: neutral. path: where to write
    the page; default: a temporary file. browser: whether to open it; default: if no path was given. meshes: folders whose
    meshes may be read, besides those in the folder and the package of the robot's file. It is the page that
    the command writes, or one without plots and simulation if the package was built without that (script/web): the result says so.
    """
    from . import _core

    if not isinstance(model, _core.Model):
        raise TypeError(f"show(): model is {model!r:.60}, expected a jounce.Model, as jounce.load() gives")
    html, note = page(model, motion, meshes)
    name = re.sub(r"\W", "_", model.name[:40])
    folder = None if path is None else Path(path).parent
    handle, part = tempfile.mkstemp(prefix=f"jounce-{name}-", suffix=".html", dir=folder)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(html)
    target = Path(part)
    if path is not None:  # whole or not at all
        mask = os.umask(0)
        os.umask(mask)
        target.chmod(0o666 & ~mask)
        target = target.replace(path)
    if (browser if browser is not None else path is None) and not in_notebook():
        webbrowser.open(target.resolve().as_uri())
    return Page(html, target, note)
