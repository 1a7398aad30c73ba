# SPDX-License-Identifier: BSD-2-Clause
"""Reads abi/arrays.txt, which says what all arrays of the public functions are, and checks it against the headers.

Nothing is guessed: an array without an entry, an entry without an array, or a contradiction ends the generation with
the place. The grammar is at the top of the file.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

# Types of numbers that arrays are made of, and their letters.
ARRAYS = {"double *": "d", "unsigned char *": "B", "signed char *": "b", "jn_range *": "d"}
# Sizes that arrays may have, besides numbers and members of the same struct. In the order of the enum in src/core.h.
SIZES = ["nq", "nv", "nlink", "nframe", "10L", "6L", "4nv", "2nv", "k", "m", "nb", "loops", "rows", "count",
         "3nv", "targets", "channels", "n", "N", "nq_all", "steps", "(steps+1)", "every", "stored", "tau_rows",
         "(nq+nv)", "directions", "motors", "(P+1)", "(P+2)",
         "(K+1)", "(K+2)", "(K+3)"]  # fmt: skip
# Sizes of arrays that Python does not offer.
ELSEWHERE = {"frame_count", "ld_jac", "ld_hess", "(nq+2nv)"}
SYNONYMS = {"L": "nlink", "nv_joint": "k"}
DIRECTIONS = ("in", "out", "inout", "scratch")
ENTRY = re.compile(r"(?P<name>\w+)(?:\[(?P<shape>[^\]]*)\])?(?P<optional>\??)")


class Mistake(Exception):
    """The list and the headers do not agree, or a line cannot be read."""


@dataclass
class Parameter:
    """A parameter of a function, or a member of a struct."""

    type: str  # without const and the name, e.g. "double *"
    name: str
    const: bool
    length: str = ""  # of a declared array, e.g. "16"
    shape: list[str] | None = None  # the rest comes from the list
    nullable: bool = False
    direction: str = ""
    room: str = ""
    comment: str = ""


@dataclass
class Entry:
    """One array, or another pointer that may be NULL."""

    name: str
    direction: str
    shape: list[str] | None  # None: not an array of numbers
    optional: bool
    room: str = ""  # scratch: the function that says how many numbers


@dataclass
class Line:
    """All arrays of one function or struct."""

    name: str
    place: str
    entries: list[Entry] = field(default_factory=list)
    work: str = ""  # "0", "K" or "K+1"
    returns: Entry | None = None

    def entry(self, name: str) -> Entry | None:
        return next((e for e in self.entries if e.name == name), None)


@dataclass
class Description:
    functions: dict[str, Line] = field(default_factory=dict)
    structs: dict[str, Line] = field(default_factory=dict)
    sizes: dict[str, dict[str, str]] = field(default_factory=dict)  # of objects: size -> C


def in_brackets(size: str) -> str:
    """K+1 is one size, (K+1)."""
    return f"({size})" if "+" in size and not size.startswith("(") else size


def read_shape(text: str) -> list[str]:
    return [in_brackets(size.strip()) for size in text.split(",")] if text.strip() else []


def logical_lines(path: Path) -> Iterable[tuple[str, str]]:
    """Lines with what continues them, and their places."""
    place, text = "", ""
    for number, line in enumerate(path.read_text().split("\n"), 1):
        if line.startswith((" ", "\t")) and text:
            text += " " + line.strip()
            continue
        if text:
            yield place, text
        place, text = f"{path.name}:{number}", "" if line.startswith("#") else line.strip()
    if text:
        yield place, text


def read_entry(word: str, direction: str, place: str) -> Entry:
    match = ENTRY.fullmatch(word)
    if not match:
        raise Mistake(f"{place}: {word!r} is neither NAME[SIZE,...] nor a word of the grammar")
    optional = bool(match["optional"])
    if match["shape"] is None:
        if not optional:
            raise Mistake(f"{place}: {word} has no size in brackets")
        return Entry(match["name"], direction, None, True)
    if direction == "scratch" and match["shape"].startswith("jn_"):
        return Entry(match["name"], direction, None, optional, match["shape"])
    return Entry(match["name"], direction, read_shape(match["shape"]), optional)


def read_line(name: str, rest: str, place: str) -> Line:
    line, direction = Line(name, place), ""
    for word in rest.split():
        work = re.fullmatch(r"work\((0|K|K\+1)\)", word)
        returns = re.fullmatch(r"returns\[([^\]]*)\](\??)", word)
        if work:
            line.work = work[1]
        elif returns:
            line.returns = Entry("result", "out", read_shape(returns[1]), bool(returns[2]))
        elif word in DIRECTIONS:
            direction = word
        elif not direction:
            raise Mistake(f"{place}: {word} comes before in, out, inout or scratch")
        elif line.entry(word.partition("[")[0].rstrip("?")):
            raise Mistake(f"{place}: {word} is given twice")
        else:
            line.entries.append(read_entry(word, direction, place))
    return line


def read_description(path: Path) -> Description:
    found = Description()
    for place, text in logical_lines(path):
        head, colon, rest = text.partition(":")
        kind, _, name = head.rpartition(" ")
        if not colon or not re.fullmatch(r"jn_\w+", name) or kind not in ("", "struct", "sizes"):
            raise Mistake(f"{place}: expected 'jn_x:', 'struct jn_x:' or 'sizes jn_x:', not {text[:60]!r}")
        if name in {"": found.functions, "struct": found.structs, "sizes": found.sizes}[kind]:  # type: ignore[operator]
            raise Mistake(f"{place}: {head} is there twice")
        if kind == "sizes":
            pairs = [word.partition("=") for word in rest.split()]
            found.sizes[name] = {in_brackets(size): call for size, _, call in pairs}
        else:
            (found.functions if kind == "" else found.structs)[name] = read_line(name, rest, place)
    return found


# ---- agreement with the headers ----


def check_sizes(line: Line, members: set[str]) -> None:
    for entry in [*line.entries, *([line.returns] if line.returns else [])]:
        for size in entry.shape or []:
            known = size.isdigit() or size in SIZES or size in ELSEWHERE or size in members
            if not known:
                raise Mistake(f"{line.place}: {entry.name}[...{size}...] of {line.name}: no such size")


def check_entry(line: Line, entry: Entry, const: bool, length: str) -> None:
    """Against the declaration: const arrays are inputs, and double x[16] has 16 numbers."""
    if length:
        if entry.shape != length.split(" x "):
            raise Mistake(f"{line.place}: {entry.name} of {line.name} is declared with the size {length}")
    if const != (entry.direction == "in"):
        raise Mistake(
            f"{line.place}: {entry.name} of {line.name} is {'' if const else 'not '}const, but '{entry.direction}'"
        )


def check_line(line: Line, parameters: Iterable[Parameter], is_struct: bool) -> None:
    """Every array has an entry, in the order of the declaration, and no other entry is there."""
    arrays: list[Parameter] = []
    others: list[Parameter] = []
    for p in parameters:
        is_array = p.type in ARRAYS or (p.type == "int *" and p.const)
        (arrays if is_array else others).append(p)
    names = [p.name for p in arrays]
    listed = [e.name for e in line.entries if e.shape is not None or e.room]
    for name in names:
        if name not in listed:
            raise Mistake(f"{line.place}: the array {name} of {line.name} is missing")
    if listed != names:
        raise Mistake(f"{line.place}: the arrays of {line.name} are {', '.join(names)}, in this order")
    pointers = {p.name for p in others if p.type.endswith("*")}
    for entry in line.entries:
        if entry.shape is None and not entry.room and entry.name not in pointers:
            raise Mistake(f"{line.place}: {line.name} has no pointer {entry.name}")
    for p in arrays:
        found = line.entry(p.name)
        if found is not None and not (is_struct and p.length):
            check_entry(line, found, p.const, p.length)
    check_sizes(line, {p.name for p in others})


def spoken_shape(text: str) -> list[str] | None:
    """The sizes in a bracket of a comment, or None if it is something else, such as a unit."""
    sizes = []
    for part in text.split(" x "):
        size = in_brackets(re.sub(r"\s", "", part))
        size = SYNONYMS.get(size, size)
        if not size.isdigit() and size not in SIZES:
            return None
        sizes.append(size)
    return sizes


def check_comment(line: Line, comment: str, where: str) -> None:
    """`name [sizes]` in a comment of a header says the same; for batches the number of states comes first."""
    text = " ".join(comment.split())
    for entry in line.entries:
        for match in re.finditer(rf"\b{entry.name} \[([^\]]*)\]", text):
            spoken = spoken_shape(match[1])
            if spoken is None or entry.shape is None:
                continue
            if spoken != entry.shape and spoken != ["count", *entry.shape]:
                raise Mistake(
                    f"{where}: the comment says {match[0]}, but {line.place} says {entry.name}[{','.join(entry.shape)}]"
                )


def check_work(line: Line, has_work: bool, where: str) -> None:
    if has_work != bool(line.work):
        raise Mistake(f"{where} has {'' if has_work else 'no '}work memory: {line.place} must say so")


def apply(line: Line, parameters: Iterable[Parameter]) -> None:
    """Parameters get what the list says about them."""
    for p in parameters:
        entry = line.entry(p.name)
        if entry is not None:
            p.shape, p.nullable, p.direction, p.room = entry.shape, entry.optional, entry.direction, entry.room
