# SPDX-License-Identifier: BSD-2-Clause
"""A self-contained page with the robot in 3-D: viewer.js draws what scene() describes."""

from __future__ import annotations

import json
import os
import tempfile
import webbrowser
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from ._model import Model

FRAMES_PER_SECOND = 30


def ellipsoid(inertia: Any) -> dict[str, Any] | None:
    """The homogeneous ellipsoid with this inertia: centre, axes as rows, half lengths."""
    from . import _core

    mass, com, _ = _core.inertia_unpack(inertia)
    if mass <= 0:
        return None
    moments, axes = _core.inertia_principal(inertia)
    squares = 2.5 / mass * (moments.sum() - 2 * moments)  # I_a = m (b^2 + c^2) / 5
    half = np.sqrt(np.clip(squares, 0, None))
    return {"center": com.tolist(), "axes": axes.tolist(), "half": half.tolist(), "mass": mass}


def poses_over_time(model: Model, motion: Any) -> tuple[list[float], Any]:
    """Times, and poses of all frames [n x nframe x 4 x 4]."""
    if motion is None:
        return [0.0], model.frame_poses(model.neutral()[None])
    if hasattr(motion, "evaluate"):
        count = max(2, min(2000, int((motion.end - motion.start) * FRAMES_PER_SECOND) + 1))
        t = np.linspace(motion.start, motion.end, count)
        return t.tolist(), model.frame_poses(motion.evaluate(t, want="q").q)
    if isinstance(motion, tuple):
        t, q = motion
        return np.asarray(t, float).tolist(), model.frame_poses(np.asarray(q, np.float64))
    q = np.atleast_2d(model.configuration(motion))
    return [k / FRAMES_PER_SECOND for k in range(len(q))], model.frame_poses(q)


def scene(model: Model, motion: Any = None) -> dict[str, Any]:
    """What the page shows, as plain data."""
    times, poses = poses_over_time(model, motion)
    links = []
    for i in range(model.link_count):
        joint = model.joint(i)
        links.append({"name": joint.link, "parent": model.link_parent(i), "joint": joint.name, "type": joint.type,
                      "ellipsoid": ellipsoid(model.link_inertia(i))})  # fmt: skip
    frames = [
        {"name": model.frames[i], "link": model.frame_link(i)} for i in range(model.link_count, model.frame_count)
    ]
    numbers = np.round(poses[:, :, :3, :], 5).reshape(len(times), model.frame_count, 12)
    return {"name": model.name, "links": links, "frames": frames, "times": np.round(times, 4).tolist(),
            "poses": numbers.tolist()}  # fmt: skip


def page(model: Model, motion: Any = None) -> str:
    folder = Path(__file__).parent
    # what comes from files is data: no text of it can end the script
    data = json.dumps(scene(model, motion), separators=(",", ":")).replace("<", "\\u003c").replace("\u2028", "\\u2028")
    template = (folder / "viewer.html").read_text(encoding="utf-8")
    script = (folder / "viewer.js").read_text(encoding="utf-8")
    return template.replace("@TITLE@", escape(model.name)).replace("@DATA@", data).replace("@SCRIPT@", script)


class Page:
    """A written page; in notebooks it is shown inline."""

    def __init__(self, html: str, path: Path) -> None:
        self.html, self.path = html, path

    def _repr_html_(self) -> str:
        return f'<iframe srcdoc="{escape(self.html)}" width="100%" height="480" style="border:0"></iframe>'

    def __repr__(self) -> str:
        return f"<jounce page {self.path}>"


def in_notebook() -> bool:
    try:
        from IPython import get_ipython  # type: ignore[import-not-found, unused-ignore]
    except ImportError:
        return False
    shell = get_ipython()
    return shell is not None and shell.__class__.__name__ == "ZMQInteractiveShell"


def show(
    model: Model, motion: Any = None, path: str | os.PathLike[str] | None = None, browser: bool | None = None
) -> Page:
    """Writes a self-contained page with the robot in 3-D, and opens it in a browser, or inline in a notebook.

    motion: a trajectory, (t [n], q [n x nq]), or one or several configurations; default: neutral. path: where to write
    the page; default: a temporary file. browser: whether to open it; default: if no path was given.
    """
    html = page(model, motion)
    if path is None:
        handle, name = tempfile.mkstemp(prefix=f"jounce-{model.name[:40].replace(os.sep, '_')}-", suffix=".html")
        os.close(handle)
        target = Path(name)
    else:
        target = Path(path)
    target.write_text(html, encoding="utf-8")
    if (browser if browser is not None else path is None) and not in_notebook():
        webbrowser.open(target.resolve().as_uri())
    return Page(html, target)
