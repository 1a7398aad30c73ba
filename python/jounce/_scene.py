# SPDX-License-Identifier: BSD-2-Clause
"""The package's own page: what viewer.js draws, as plain data, for packages that were built without the page of the command.

A scene has
  links   name, parent (index, -1: the world), joint, type, ellipsoid, and shape (index of a mesh) or null
  frames  name, link
  meshes  {low [3], high [3], corners}: corners of triangles as unsigned 16-bit numbers between low and high, in base64
  times, poses [time][frame][12]: the upper three rows of each pose, row by row; frame i is link i, and named frames follow
  sliders name, lower, upper, start, moves [[link, screw [6]], ...]: a link that it moves is at P X exp(screw (x - start)), with the
          pose P of its parent and its pose X in it at the start; none if there is a motion, or if loops would come apart
"""

from __future__ import annotations

import base64
import json
import re
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ._shapes import Triangles, visuals

if TYPE_CHECKING:
    from ._model import Model

FRAMES_PER_SECOND = 30
STEP = 1e-3  # of a coordinate, to see which links it moves, and how


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
        start, end = getattr(motion, "start", 0.0), motion.end if hasattr(motion, "end") else motion.duration
        count = max(2, min(2000, int((end - start) * FRAMES_PER_SECOND) + 1))
        t = np.linspace(start, end, count)
        return t.tolist(), model.frame_poses(motion.evaluate(t, want="q").q)
    if isinstance(motion, tuple):
        t, q = motion
        return np.asarray(t, float).tolist(), model.frame_poses(np.asarray(q, np.float64))
    q = np.atleast_2d(model.configuration(motion))
    return [k / FRAMES_PER_SECOND for k in range(len(q))], model.frame_poses(q)


# ---- sliders ----


def logarithm(pose: Any) -> Any:
    """The screw (angular, linear) of a small motion: pose = exp(screw)."""
    R, p = pose[:3, :3], pose[:3, 3]
    w = 0.5 * np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])  # axis sin(angle)
    sine = float(np.linalg.norm(w))
    angle = float(np.arctan2(sine, (np.trace(R) - 1) / 2))
    w = w * (angle / sine if sine > 0 else 1.0)
    # V^-1 = 1 - [w] / 2 + (1 / angle^2 - cot(angle / 2) / (2 angle)) [w]^2
    factor = 1 / 12 if angle < 1e-4 else 1 / angle**2 - 1 / (2 * angle * np.tan(angle / 2))
    return np.concatenate([w, p - 0.5 * np.cross(w, p) + factor * np.cross(w, np.cross(w, p))])


def relative_poses(model: Model, q: Any) -> list[Any]:
    """The pose of each link in its parent."""
    poses = model.frame_poses(q)
    parents = [model.link_parent(i) for i in range(model.link_count)]
    return [poses[i] if p < 0 else np.linalg.inv(poses[p]) @ poses[i] for i, p in enumerate(parents)]


def sliders(model: Model) -> list[dict[str, Any]]:
    """One for each joint with one coordinate. A step of it moves links by a screw, coupled ones included."""
    if model.loop_names:
        return []
    q = model.neutral()
    before, found = relative_poses(model, q), []
    for name in model.moving_joints:
        joint = model.joint(name)
        if joint.q.stop - joint.q.start != 1:
            continue
        ahead = q.copy()
        ahead[joint.q] += STEP
        screws = [logarithm(np.linalg.inv(a) @ b) / STEP for a, b in zip(before, relative_poses(model, ahead))]
        moves = [[i, np.round(screw, 9).tolist()] for i, screw in enumerate(screws) if np.abs(screw).max() > 1e-6]
        reach = np.pi if joint.type in ("revolute", "continuous") else 1.0
        lower, upper = (float(getattr(model.limits, side)[joint.v][0]) for side in ("lower", "upper"))
        start = float(q[joint.q][0])
        found.append({"name": name, "moves": moves, "start": start,
                      "lower": lower if np.isfinite(lower) else start - reach,
                      "upper": upper if np.isfinite(upper) else start + reach})  # fmt: skip
    return found


# ---- the page ----


def packed(triangles: Triangles) -> dict[str, Any]:
    """16 bits for each coordinate: 18 bytes a triangle, and nobody sees 1/65536 of a link."""
    corners = triangles.reshape(-1, 3).astype(np.float64)
    low, high = corners.min(0), corners.max(0)
    size = np.where(high > low, high - low, 1.0)
    numbers = np.round((corners - low) / size * 65535).astype("<u2")
    return {"low": low.tolist(), "high": (low + size).tolist(), "corners": base64.b64encode(numbers.tobytes()).decode()}


def scene(model: Model, motion: Any = None, looks: dict[str, Triangles] | None = None) -> dict[str, Any]:
    """What the page shows, as plain data."""
    times, poses = poses_over_time(model, motion)
    links: list[dict[str, Any]] = []
    meshes: list[dict[str, Any]] = []
    for i in range(model.link_count):
        joint = model.joint(i)
        look = (looks or {}).get(joint.link)
        shape = len(meshes) if look is not None and len(look) else None
        meshes += [packed(look)] if shape is not None and look is not None else []
        links.append({"name": joint.link, "parent": model.link_parent(i), "joint": joint.name, "type": joint.type,
                      "ellipsoid": ellipsoid(model.link_inertia(i)), "shape": shape})  # fmt: skip
    frames = [
        {"name": model.frames[i], "link": model.frame_link(i)} for i in range(model.link_count, model.frame_count)
    ]
    numbers = np.round(poses[:, :, :3, :], 5).reshape(len(times), model.frame_count, 12)
    return {"name": model.name, "links": links, "frames": frames, "meshes": meshes, "times": np.round(times, 4).tolist(),
            "poses": numbers.tolist(), "sliders": sliders(model) if motion is None else []}  # fmt: skip


def own_page(model: Model, motion: Any, files: list[tuple[str, bytes]], same: dict[str, str]) -> tuple[str, list[str]]:
    """The page, and the names of meshes that could not be read.

    files: the robot's URDF file first, if it has one, then its meshes; same: other names of these.
    """
    looks: dict[str, Triangles] = {}
    unreadable: list[str] = []
    if files and files[0][0] != "robot.json":
        meshes = dict(files[1:])
        looks, unreadable = visuals(files[0][1], meshes | {name: meshes[other] for name, other in same.items()})
    folder = Path(__file__).parent
    parts = {
        "TITLE": escape(model.name),
        # what comes from files is data: no text of it can end the script
        "DATA": json.dumps(scene(model, motion, looks), separators=(",", ":")).replace("<", "\\u003c"),
        "SCRIPT": (folder / "viewer.js").read_text(encoding="utf-8"),
    }
    template = (folder / "viewer.html").read_text(encoding="utf-8")
    return re.sub("@(TITLE|DATA|SCRIPT)@", lambda found: parts[found[1]], template), unreadable
