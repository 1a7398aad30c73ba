# SPDX-License-Identifier: BSD-2-Clause
"""What the links of a URDF file look like, as triangles: solids, and meshes of STL, OBJ and Collada files.

Triangles are arrays [n x 3 x 3] of float32: triangle, corner, coordinate [m]. A mesh that is damaged raises ValueError.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any
from xml.etree import ElementTree

import numpy as np
from numpy.typing import NDArray

Triangles = NDArray[np.float32]
SEGMENTS = 24  # of a circle
TRIANGLES = 2_000_000  # in all files of a page


# ---- solids ----


def grid_triangles(points: Any) -> Triangles:
    """The triangles of a grid of points [n x m x 3], two for each cell."""
    p = np.asarray(points, np.float32)
    a, b, c, d = p[:-1, :-1], p[1:, :-1], p[1:, 1:], p[:-1, 1:]
    return np.concatenate([np.stack([a, b, c], -2), np.stack([a, c, d], -2)]).reshape(-1, 3, 3)


def turned(profile: list[tuple[float, float]]) -> Triangles:
    """A profile of points (radius, z), turned about the z axis."""
    r, z = np.array(profile).T
    angle = np.linspace(0, 2 * np.pi, SEGMENTS + 1)[:, None]
    return grid_triangles(np.stack([r * np.cos(angle), r * np.sin(angle), z + 0 * angle], -1))


def arc(radius: float, start: float, end: float, shift: float = 0) -> list[tuple[float, float]]:
    """Part of a circle in the plane of radius and z, from one latitude to another."""
    return [(radius * np.cos(at), radius * np.sin(at) + shift) for at in np.linspace(start, end, SEGMENTS // 4 + 1)]


def box(size: list[float]) -> Triangles:
    corners = np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)]) * size
    faces = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    return np.concatenate([corners[[[a, b, c], [a, c, d]]] for a, b, c, d in faces]).astype(np.float32)


def solid(tag: ElementTree.Element) -> Triangles | None:
    """A box, sphere, cylinder or capsule of a URDF file; None: something else."""
    radius, half = (float(tag.get(name, "0.1")) / part for name, part in (("radius", 1), ("length", 2)))
    quarter = np.pi / 2
    match tag.tag:
        case "box":
            return box(numbers(tag.get("size"), [0.1, 0.1, 0.1]))
        case "sphere":
            return turned(arc(radius, -quarter, 0) + arc(radius, 0, quarter)[1:])
        case "cylinder":
            return turned([(0, -half), (radius, -half), (radius, half), (0, half)])
        case "capsule":
            return turned(arc(radius, -quarter, 0, -half) + arc(radius, 0, quarter, half))
    return None


# ---- meshes ----


def numbers(text: str | None, fallback: list[float]) -> list[float]:
    found = [float(word) for word in text.split()] if text else fallback
    if len(found) != len(fallback) or not np.all(np.isfinite(found)):
        raise ValueError(f"expected {len(fallback)} numbers, got {text!r:.60}")
    return found


def read_stl(data: bytes) -> Triangles:
    """Binary: 80 bytes, the number n of triangles, then 50 bytes each. Otherwise text, with lines "vertex x y z"."""
    count = int.from_bytes(data[80:84], "little") if len(data) >= 84 else -1
    if len(data) == 84 + 50 * count or (count > 0 and not data.lstrip()[:5].lower() == b"solid"):
        record = np.dtype([("normal", "<f4", 3), ("corner", "<f4", (3, 3)), ("rest", "<u2")])
        return np.frombuffer(data, record, count, 84)["corner"]
    found = re.findall(rb"vertex\s+(\S+)\s+(\S+)\s+(\S+)", data)
    return np.array(found, np.float32).reshape(-1, 3, 3)


def fans(polygons: list[list[int]]) -> list[list[int]]:
    """Polygons as triangles that share the first corner."""
    return [[p[0], p[k], p[k + 1]] for p in polygons for k in range(1, len(p) - 1)]


def corners_of(points: Any, triangles: Any) -> Triangles:
    p, at = np.asarray(points, np.float32).reshape(-1, 3), np.asarray(triangles, np.int64).reshape(-1, 3)
    if at.size and not (0 <= at.min() and at.max() < len(p)):
        raise ValueError("a face names a point that does not exist")
    return p[at]


def read_obj(data: bytes) -> Triangles:
    """Lines "v x y z" and "f i j k ...", where i is the number of a point, from 1, or from -1 backwards: i, i/t, i/t/n."""
    points: list[list[float]] = []
    polygons: list[list[int]] = []
    for line in data.decode("utf-8", "replace").splitlines():
        words = line.split()
        if words[:1] == ["v"]:
            points.append(numbers(" ".join(words[1:4]), [0.0, 0.0, 0.0]))
        elif words[:1] == ["f"]:
            at = [int(word.split("/")[0]) for word in words[1:]]
            polygons.append([k - 1 if k > 0 else len(points) + k for k in at])
    return corners_of(points, fans(polygons))


class Collada:
    """The scene of a Collada file as URDF users expect it: its unit counts, <up_axis> does not."""

    def __init__(self, data: bytes) -> None:
        if b"<!ENTITY" in data:
            raise ValueError("entities are not read")
        try:
            self.root = ElementTree.fromstring(data)
        except ElementTree.ParseError as error:
            raise ValueError(str(error)) from None
        for tag in self.root.iter():
            tag.tag = tag.tag.rpartition("}")[2]  # without the name space
        self.by_id = {tag.attrib["id"]: tag for tag in self.root.iter() if "id" in tag.attrib}
        self.left = TRIANGLES
        self.made: dict[str, Triangles] = {}

    def named(self, reference: str | None) -> ElementTree.Element:
        found = self.by_id.get((reference or "").removeprefix("#"))
        if found is None:
            raise ValueError(f"nothing is called {reference!r:.60}")
        return found

    def points(self, vertices: ElementTree.Element) -> Any:
        """The positions [n x 3] that <vertices> names."""
        given = next((i for i in vertices.findall("input") if i.get("semantic") == "POSITION"), None)
        array = self.named(given.get("source") if given is not None else None).find("float_array")
        values = np.array((array.text or "").split() if array is not None else [], np.float32)
        return values[: len(values) // 3 * 3].reshape(-1, 3)

    def primitive(self, tag: ElementTree.Element) -> Triangles:
        """<triangles>, <polylist> or <polygons>: indices of all inputs after each other; only those of points count."""
        inputs = [(i.get("semantic"), int(i.get("offset", "0")), i.get("source")) for i in tag.findall("input")]
        width = 1 + max((offset for _, offset, _ in inputs), default=0)
        vertex = next(((offset, source) for semantic, offset, source in inputs if semantic == "VERTEX"), None)
        if vertex is None:
            raise ValueError(f"<{tag.tag}> without points")
        lists = [np.array((p.text or "").split(), np.int64)[vertex[0] :: width] for p in tag.findall("p")]
        if tag.tag == "triangles":
            at: Any = np.concatenate(lists) if lists else np.zeros(0, np.int64)
            at = at[: len(at) // 3 * 3]
        elif tag.tag == "polygons":
            at = fans([p.tolist() for p in lists])
        else:
            sizes = np.array((tag.findtext("vcount") or "").split(), np.int64)
            every = np.concatenate(lists) if lists else np.zeros(0, np.int64)
            if (sizes < 0).any() or sizes.sum() > len(every):
                raise ValueError("<vcount> counts more corners than there are")
            at = fans([part.tolist() for part in np.split(every, np.cumsum(sizes))[: len(sizes)]])
        return corners_of(self.points(self.named(vertex[1])), at)

    def geometry(self, reference: str | None) -> Triangles:
        key = reference or ""
        if key not in self.made:
            found = [tag for name in ("triangles", "polylist", "polygons") for tag in self.named(key).iter(name)]
            self.made[key] = np.concatenate([np.zeros((0, 3, 3), np.float32), *[self.primitive(tag) for tag in found]])
        return self.made[key]

    def parts(self, node: ElementTree.Element, pose: Any, depth: int = 0) -> Iterator[Triangles]:
        """A node with all below it; a file that repeats itself without end is stopped."""
        if depth > 64:
            raise ValueError("nodes inside nodes without end")
        pose = pose @ transform(node)
        for tag in node:
            if tag.tag == "instance_geometry":
                made = self.geometry(tag.get("url"))
                self.left -= len(made)
                if self.left < 0:
                    raise ValueError(f"more than {TRIANGLES} triangles")
                yield made @ pose[:3, :3].T.astype(np.float32) + pose[:3, 3].astype(np.float32)
            elif tag.tag in ("node", "instance_node"):
                yield from self.parts(tag if tag.tag == "node" else self.named(tag.get("url")), pose, depth + 1)

    def triangles(self) -> Triangles:
        unit = self.root.find("asset/unit")
        scale = float(unit.get("meter", "1")) if unit is not None else 1.0
        shown = self.root.find("scene/instance_visual_scene")
        scene = (
            self.named(shown.get("url")) if shown is not None else self.root.find("library_visual_scenes/visual_scene")
        )
        if scene is None:
            raise ValueError("no scene")
        return np.concatenate(
            [np.zeros((0, 3, 3), np.float32), *self.parts(scene, np.diag([scale, scale, scale, 1.0]))]
        )


def transform(node: ElementTree.Element) -> Any:
    """The product of a node's <matrix>, <translate>, <rotate> and <scale>, in their order."""
    pose = np.eye(4)
    for tag in node:
        if tag.tag == "matrix":
            pose = pose @ np.reshape(numbers(tag.text, [0.0] * 16), (4, 4))
        elif tag.tag == "translate":
            step = np.eye(4)
            step[:3, 3] = numbers(tag.text, [0.0] * 3)
            pose = pose @ step
        elif tag.tag == "scale":
            pose = pose @ np.diag([*numbers(tag.text, [0.0] * 3), 1.0])
        elif tag.tag == "rotate":
            *axis, degrees = numbers(tag.text, [0.0] * 4)
            pose = pose @ rotation(np.array(axis), np.radians(degrees))
    return pose


def rotation(axis: Any, angle: float) -> Any:
    """Rodrigues' formula, as a pose."""
    x, y, z = axis / (np.linalg.norm(axis) or 1.0)
    K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    pose = np.eye(4)
    pose[:3, :3] += np.sin(angle) * K + (1 - np.cos(angle)) * K @ K
    return pose


def read_mesh(name: str, data: bytes) -> Triangles:
    match name.lower().rpartition(".")[2]:
        case "stl":
            found = read_stl(data)
        case "obj":
            found = read_obj(data)
        case _:
            found = Collada(data).triangles()
    if not len(found):
        raise ValueError("no triangle")
    if not np.isfinite(found).all():
        raise ValueError("a corner is not a number")
    return found


# ---- the visuals of a URDF file ----


def origin(visual: ElementTree.Element) -> Any:
    """The pose of <origin xyz rpy>: rotations about the fixed axes x, y and z."""
    tag = visual.find("origin")
    xyz, rpy = (numbers(tag.get(name) if tag is not None else None, [0.0] * 3) for name in ("xyz", "rpy"))
    pose = np.eye(4)
    for axis, angle in zip(np.eye(3), rpy):
        pose = rotation(axis, angle) @ pose
    pose[:3, 3] = xyz
    return pose


def visuals(text: bytes, meshes: dict[str, bytes]) -> tuple[dict[str, Triangles], list[str]]:
    """The triangles of each link, in its frame, and the names of meshes that could not be read."""
    looks: dict[str, Triangles] = {}
    unreadable: list[str] = []
    made: dict[str, Triangles] = {}
    left = TRIANGLES
    for link in ElementTree.fromstring(text).findall("link"):
        parts = []
        for visual in link.findall("visual"):
            tag = visual.find("geometry/*")
            if tag is None:
                continue
            name = tag.get("filename", "")
            try:
                shape = solid(tag)
                if shape is None and name in meshes:
                    made[name] = made[name] if name in made else read_mesh(name, meshes[name])
                    shape = made[name] * np.array(numbers(tag.get("scale"), [1.0, 1.0, 1.0]), np.float32)
                if shape is None:
                    continue
                left -= len(shape)
                if left < 0:
                    raise ValueError(f"more than {TRIANGLES} triangles")
                pose = origin(visual).astype(np.float32)
            except (ValueError, OverflowError):
                unreadable += [name] if name not in unreadable else []
                continue
            parts.append(shape @ pose[:3, :3].T + pose[:3, 3])
        if parts:
            looks[link.get("name", "")] = np.concatenate(parts)
    return looks, unreadable
