# SPDX-License-Identifier: BSD-2-Clause
"""The meshes that a URDF file shows, by the rules of the command's pages (tool/view/meshes.h): regular files only, in the folder
of the robot's file, in its package, or in a folder that the caller allows; all files of a page within one limit."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree

ENDINGS = (".stl", ".obj", ".dae")
PARENTS = 3
NAMES_TOLD = 10
LIMIT = 256 << 20  # bytes of all files of a page


def mesh_names(text: bytes) -> list[str]:
    """The names of the meshes of visuals, each once, as an XML parser sees them."""
    if b"<!ENTITY" in text:  # the reader of models refuses them, too
        return []
    try:
        root = ElementTree.fromstring(text)
    except ElementTree.ParseError:
        return []
    found = root.findall("link/visual/geometry/mesh") if root.tag == "robot" else []
    return sorted({m.attrib["filename"] for m in found if "filename" in m.attrib}, key=os.fsencode)


def is_package(folder: Path) -> bool:
    return (folder / "package.xml").is_file()


@dataclass
class Search:
    """Where meshes may be: `above` has the folder of the robot's file and those above it."""

    above: list[Path]
    allowed: list[Path]

    @staticmethod
    def around(robot: Path, folders: Sequence[str | os.PathLike[str]]) -> Search:
        above: list[Path] = []
        allowed: list[Path] = []
        for file in dict.fromkeys((robot.parent.resolve() / robot.name, robot.resolve())):
            near = [file.parent, *file.parents[1 : PARENTS + 1]]
            above = above or near
            allowed += [near[0], *[folder for folder in near if is_package(folder)][:1]]
        return Search(above, allowed + [Path(folder).resolve() for folder in folders])

    def places(self, name: str) -> Iterator[tuple[Path, Path | None]]:
        """Paths to look at, each with the folder that makes it allowed if that is a package."""
        scheme, separator, rest = name.partition("://")
        if not separator or scheme == "file":
            rest = rest if separator else name
            bases = [Path("/")] if rest.startswith("/") else [self.above[0], *self.allowed]
            yield from ((base / rest.lstrip("/") if rest.startswith("/") else base / rest, None) for base in bases)
            return
        rest = rest.lstrip("/")
        package, slash, inner = rest.partition("/")
        inner, package = (inner, package) if slash else (rest, "")
        for folder in self.above:
            yield folder / inner, folder
            if package:
                yield folder / package / inner, folder / package
        yield from ((folder / part, None) for folder in self.allowed for part in (inner, rest))

    def find(self, name: str) -> tuple[str, Path | None]:
        """The state of a mesh, as mesh_list_tell() of the command words it ("": found), and its resolved path."""
        if not name.lower().endswith(ENDINGS):
            return "format", None
        state = "missing"
        for place, package in self.places(name):
            try:
                path = place.resolve(strict=True)
            except (OSError, RuntimeError, ValueError):
                continue
            real = package.resolve() if package else None
            in_package = real is not None and real in path.parents and is_package(real)
            if not in_package and not any(folder in path.parents for folder in self.allowed):
                state = "outside"
                continue
            return ("" if path.is_file() else "special"), path
        return state, None


def read_regular(path: Path, limit: int) -> bytes:
    """A regular file of at most `limit` bytes; does not wait for the writer of a pipe."""
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    with os.fdopen(os.open(path, flags), "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise OSError(f"{path} is no regular file")
        content = file.read(limit + 1)
    if len(content) > limit:
        raise ValueError(f"{path} makes all files of the page together larger than the limit of {LIMIT} bytes")
    return content


@dataclass
class Meshes:
    """files: name and content of the meshes that were found; same: other names of these; left: names by what is wrong."""

    files: list[tuple[str, bytes]] = field(default_factory=list)
    same: list[tuple[str, str]] = field(default_factory=list)
    left: dict[str, list[str]] = field(default_factory=dict)

    def note(self) -> str:
        """What is not shown, by name."""
        words = {"missing": "not found", "format": "not STL, OBJ or DAE", "special": "no regular file",
                 "outside": "outside the robot's folder and package (allow folders with meshes=)"}  # fmt: skip
        parts = []
        for state, names in self.left.items():
            more = f" and {len(names) - NAMES_TOLD} more" if len(names) > NAMES_TOLD else ""
            count = f"{len(names)} {'mesh' if len(names) == 1 else 'meshes'}"
            parts.append(f"{count} {words[state]}: {', '.join(names[:NAMES_TOLD])}{more}")
        return "; ".join(parts)


def meshes_of(robot: Path, text: bytes, folders: Sequence[str | os.PathLike[str]] = ()) -> Meshes:
    """The meshes that a URDF file names, each file once."""
    search, result = Search.around(robot, folders), Meshes()
    first: dict[Path, str] = {}
    size = len(text)
    for name in mesh_names(text):
        state, path = search.find(name)
        if state or path is None:
            result.left.setdefault(state, []).append(name)
        elif path in first:
            result.same.append((name, first[path]))
        else:
            first[path] = name
            content = read_regular(path, LIMIT - size)
            size += len(content)
            result.files.append((name, content))
    return result
