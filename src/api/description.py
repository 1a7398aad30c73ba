# SPDX-License-Identifier: BSD-2-Clause
"""Reads functions.def, the description of the public functions and kernels, and checks it against the headers.

Nothing is guessed: an array without an entry, an entry without an array, or a contradiction ends the generation with
the place. The grammar is at the top of functions.def.
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
# Sizes that only arrays of kernels have.
OF_KERNELS = {"bodies", "pivots", "columns", "given"}
DIRECTIONS = ("in", "out", "inout", "scratch")
# First words of lines that say something about a function or a kernel, up to the end of the line.
PROPERTIES = ("kernel", "cost", "source", "eval", "code", "where")
ENTRY = re.compile(r"(?P<name>\w+)(?:\[(?P<shape>[^\]]*)\])?(?P<optional>[?*]?)")


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
    fixed: bool = False  # of a kernel: the same for all states


@dataclass
class Line:
    """All arrays of one function or struct."""

    name: str
    place: str
    entries: list[Entry] = field(default_factory=list)
    work: str = ""  # "0", "K" or "K+1"
    returns: Entry | None = None
    others: dict[str, str] = field(default_factory=dict)  # arguments that are not arrays -> type
    order: list[str] = field(default_factory=list)  # names of all arguments
    properties: dict[str, list[str]] = field(default_factory=dict)  # kernel, cost, source

    @property
    def kernels(self) -> list[str]:
        return " ".join(self.properties.get("kernel", [])).split()

    def entry(self, name: str) -> Entry | None:
        return next((e for e in self.entries if e.name == name), None)


@dataclass
class Kernel:
    """The arguments of a kernel, in the order of its struct: inputs, outputs, then what all states share."""

    name: str
    place: str
    scratch: str = "none"  # or "state", "order"
    inputs: list[Entry] = field(default_factory=list)
    outputs: list[Entry] = field(default_factory=list)
    shared: list[str] = field(default_factory=list)
    integers: list[str] = field(default_factory=list)
    like: str = ""  # the kernel whose arguments it has
    code: str = ""
    where: list[str] = field(default_factory=list)


@dataclass
class Description:
    kernels: dict[str, Kernel] = field(default_factory=dict)
    functions: dict[str, Line] = field(default_factory=dict)
    structs: dict[str, Line] = field(default_factory=dict)
    sizes: dict[str, dict[str, str]] = field(default_factory=dict)  # of objects: size -> C


def in_brackets(size: str) -> str:
    """K+1 is one size, (K+1)."""
    return f"({size})" if "+" in size and not size.startswith("(") else size


def read_shape(text: str) -> list[str]:
    return [in_brackets(size.strip()) for size in text.split(",")] if text.strip() else []


def logical_lines(path: Path) -> Iterable[tuple[str, str, list[str]]]:
    """Entries: their places, their text with the lines that continue it, and lines of properties."""
    place, text, properties = "", "", list[str]()
    for number, line in enumerate(path.read_text().split("\n"), 1):
        if line.startswith((" ", "\t")) and text:
            if line.split()[0] in PROPERTIES:
                properties.append(line.strip())
            elif properties:
                raise Mistake(f"{path.name}:{number}: {line.strip()!r} begins with none of {', '.join(PROPERTIES)}")
            else:
                text += " " + line.strip()
            continue
        if text:
            yield place, text, properties
        place, text, properties = f"{path.name}:{number}", "" if line.startswith("#") else line.strip(), []
    if text:
        yield place, text, properties


def read_entry(word: str, direction: str, place: str) -> Entry:
    match = ENTRY.fullmatch(word)
    if not match:
        raise Mistake(f"{place}: {word!r} is neither NAME[SIZE,...] nor a word of the grammar")
    optional = match["optional"] == "?"
    if match["shape"] is None:
        if not optional:
            raise Mistake(f"{place}: {word} has no size in brackets")
        return Entry(match["name"], direction, None, True)
    if direction == "scratch" and match["shape"].startswith("jn_"):
        return Entry(match["name"], direction, None, optional, match["shape"])
    return Entry(match["name"], direction, read_shape(match["shape"]), optional, fixed=match["optional"] == "*")


def read_properties(line: Line, lines: Iterable[str]) -> None:
    for text in lines:
        key, _, value = text.partition(" ")
        if key in ("code", "where") or (key in ("kernel", "cost", "eval") and key in line.properties):
            raise Mistake(f"{line.place}: {line.name} cannot have '{text}'")
        line.properties.setdefault(key, []).append(value.strip())


def read_line(name: str, rest: str, place: str) -> Line:
    line, direction = Line(name, place), ""
    for word in rest.split():
        work = re.fullmatch(r"work\((0|K|K\+1)\)", word)
        returns = re.fullmatch(r"returns\[([^\]]*)\](\??)", word)
        other = re.fullmatch(r"(\w+):(\w+\*?)", word)
        if work:
            line.work = work[1]
        elif returns:
            line.returns = Entry("result", "out", read_shape(returns[1]), bool(returns[2]))
        elif word in DIRECTIONS:
            direction = word
        elif other:
            line.others[other[1]] = f"const {other[2][:-1]} *" if other[2].endswith("*") else other[2]
            line.order.append(other[1])
        elif not direction:
            raise Mistake(f"{place}: {word} comes before in, out, inout or scratch")
        elif line.entry(word.partition("[")[0].rstrip("?")):
            raise Mistake(f"{place}: {word} is given twice")
        else:
            line.entries.append(read_entry(word, direction, place))
            line.order.append(line.entries[-1].name)
    return line


# ---- kernels ----


def read_kernel(name: str, rest: str, properties: Iterable[str], place: str) -> Kernel:
    kernel, kind = Kernel(name, place), ""
    for word in rest.split():
        scratch = re.fullmatch(r"scratch\((state|order)\)", word)
        if scratch:
            kernel.scratch = scratch[1]
        elif word in ("in", "out", "shared", "int", "like"):
            kind = word
        elif kind in ("in", "out"):
            (kernel.inputs if kind == "in" else kernel.outputs).append(read_entry(word, kind, place))
        elif kind == "like":
            kernel.like = word
        elif kind:
            (kernel.shared if kind == "shared" else kernel.integers).append(word)
        else:
            raise Mistake(f"{place}: {word} comes before in, out, shared, int or like")
    for text in properties:
        key, _, value = text.partition(" ")
        if key not in ("code", "where") or (key == "code" and kernel.code):
            raise Mistake(f"{place}: the kernel {name} cannot have '{text}'")
        if key == "code":
            kernel.code = value.strip()
        else:
            kernel.where.append(value.strip())
    return kernel


def check_kernel(kernel: Kernel, all_kernels: dict[str, Kernel]) -> None:
    """Names are there once, sizes are known, and pivots come last."""
    arrays = [*kernel.inputs, *kernel.outputs]
    names = [*(e.name for e in arrays), *kernel.shared, *kernel.integers]
    if len(set(names)) != len(names):
        raise Mistake(f"{kernel.place}: the kernel {kernel.name} has an argument twice")
    if not kernel.code:
        raise Mistake(f"{kernel.place}: the kernel {kernel.name} has no line 'code'")
    if bool(kernel.like) == bool(kernel.outputs) or (kernel.like and kernel.like not in all_kernels):
        raise Mistake(f"{kernel.place}: the kernel {kernel.name} needs outputs, or a kernel that it is like")
    if any(e.name == "pivots" for e in [*kernel.inputs, *kernel.outputs[:-1]]):
        raise Mistake(f"{kernel.place}: pivots must be the last output of {kernel.name}")
    if kernel.scratch == "order" and kernel.integers[:1] != ["order"]:
        raise Mistake(f"{kernel.place}: the first int of {kernel.name} must be its order")
    for entry in arrays:
        for size in entry.shape or []:
            if not size.isdigit() and size not in SIZES and size not in OF_KERNELS:
                raise Mistake(f"{kernel.place}: {entry.name}[...{size}...] of {kernel.name}: no such size")


def check_uses(found: Description) -> None:
    """Kernels that functions name exist, and each is named."""
    used = {"lie"}
    for line in found.functions.values():
        for name in line.kernels:
            used.add(name)
            if name != "lie" and name not in found.kernels:
                raise Mistake(f"{line.place}: {line.name} has no kernel {name}")
    for kernel in found.kernels.values():
        check_kernel(kernel, found.kernels)
        if kernel.name not in used:
            raise Mistake(f"{kernel.place}: no function names the kernel {kernel.name}")


def read_description(path: Path) -> Description:
    found = Description()
    for place, text, properties in logical_lines(path):
        head, colon, rest = text.partition(":")
        kind, _, name = head.rpartition(" ")
        wrong = not re.fullmatch(r"\w+" if kind == "kernel" else r"jn_\w+", name)
        if not colon or wrong or kind not in ("", "struct", "sizes", "kernel"):
            raise Mistake(f"{place}: expected 'jn_x:', 'struct jn_x:', 'sizes jn_x:' or 'kernel x:', not {text[:60]!r}")
        known = {"": found.functions, "struct": found.structs, "sizes": found.sizes, "kernel": found.kernels}[kind]
        if name in known:  # type: ignore[operator]
            raise Mistake(f"{place}: {head} is there twice")
        if kind == "sizes":
            pairs = [word.partition("=") for word in rest.split()]
            found.sizes[name] = {in_brackets(size): call for size, _, call in pairs}
        elif kind == "kernel":
            found.kernels[name] = read_kernel(name, rest, properties, place)
        else:
            line = read_line(name, rest, place)
            read_properties(line, properties)
            (found.functions if kind == "" else found.structs)[name] = line
    check_uses(found)
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


# Papers whose names in brackets are the source of a function.
PAPERS = re.compile(r"\[([^\]]*(?:kim2012|garofalo2013|mueller2021|kumar2021)[^\]]*)\]")


def check_computing(line: Line, parameters: Iterable[Parameter], comment: str, where: str) -> None:
    """A function that has a kernel lists all its arguments, and what its comment says about cost and source."""
    if not line.kernels:
        return
    listed = [p for p in parameters if p.type not in ("jn_model *", "jn_work *")]
    if [p.name for p in listed] != line.order:
        raise Mistake(f"{line.place}: the arguments of {line.name} are {', '.join(p.name for p in listed)}, in this order")
    for p in listed:
        declared = f"const {p.type}" if p.const else p.type
        if p.name in line.others and line.others[p.name] != declared:
            raise Mistake(f"{line.place}: {p.name} of {line.name} is declared as {declared}")
    text = " ".join(comment.split())
    costs, sources = line.properties.get("cost", []), line.properties.get("source", [])
    for cost in costs:
        if cost not in text:
            raise Mistake(f"{where}: {line.place} says that it costs {cost}, but its comment does not")
    if "O(" in text and not costs:
        raise Mistake(f"{line.place}: {line.name} has no line 'cost', but its comment says what it costs")
    if sources != PAPERS.findall(text):
        raise Mistake(f"{line.place}: the sources of {line.name} are not those in brackets in its comment")


def apply(line: Line, parameters: Iterable[Parameter]) -> None:
    """Parameters get what the list says about them."""
    for p in parameters:
        entry = line.entry(p.name)
        if entry is not None:
            p.shape, p.nullable, p.direction, p.room = entry.shape, entry.optional, entry.direction, entry.room
