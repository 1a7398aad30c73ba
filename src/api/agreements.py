# SPDX-License-Identifier: BSD-2-Clause
"""Lists elsewhere that must agree with the description: the binary interface, the soak test, `jounce eval`, the map.

Sizes in the soak test are written by hand, so that a wrong size in the description is found; here both are compared.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from description import Description, Line
from versions import COMPUTING, WORK, has_batch, name_of, pieces

# Primes, so that two sizes are equal only if they are the same product.
VALUES = {"nq": 101, "nv": 97, "nlink": 53, "nframe": 59, "10L": 530, "6L": 318, "4nv": 388, "k": 5,
          "(K+1)": 8, "(K+2)": 9, "(K+3)": 10}  # fmt: skip
LOCALS = {"nq": 101, "n": 97, "L": 53, "fr": 59, "jn": 5, "K": 7, "r": 8}  # of tests/soak/catalogue.h
PAPERS = {"kim2012": "*kim*", "garofalo2013": "*garofalo*", "mueller2021": "*mueller*", "kumar2021": "*kumar*"}


def computing(given: Description) -> Iterator[Line]:
    return (line for line in given.functions.values() if line.kernels)


def symbols(root: Path, given: Description) -> Iterator[str]:
    """abi/symbols.txt, from which WebAssembly's exports are made, has all versions of all functions."""
    listed = set(re.findall(r"^symbol (\w+)", (root / "abi" / "symbols.txt").read_text(), re.M))
    expected = set(given.functions)
    for header in COMPUTING:
        for piece in pieces((root / "include" / "jounce" / header).read_text()):
            if piece.kind == "function" and "double" in piece.text:
                name = name_of(piece.text)
                expected.add(f"jnf_{name}")
                if WORK in piece.text and has_batch(piece.text):
                    expected |= {f"jn_{name}_batch", f"jnf_{name}_batch"}
    for name in sorted(expected - listed):
        yield f"abi/symbols.txt: {name} is missing"


def split(text: str) -> list[str]:
    """At commas that are not in brackets."""
    parts, depth, start = [], 0, 0
    for i, c in enumerate(text):
        depth += (c in "({[") - (c in ")}]")
        if c == "," and depth == 0:
            parts.append(text[start:i].strip())
            start = i + 1
    return [*parts, text[start:].strip()]


def catalogue(root: Path) -> dict[str, tuple[str, list[str]]]:
    """Entries of the soak test: function -> kind (F, G, N) and its parts."""
    text = (root / "tests" / "soak" / "catalogue.h").read_text().replace("\\\n", " ")
    text = text[text.index("#define CATALOGUE(F, G, N)") + len("#define CATALOGUE(F, G, N)") :]
    found, at = {}, 0
    while match := re.compile(r"\s*([FGN])\(").match(text, at):
        depth, at = 1, match.end()
        while depth:
            depth += (text[at] == "(") - (text[at] == ")")
            at += 1
        parts = split(text[match.end() : at - 1])
        found[parts[0]] = (match[1], parts[1:])
    return found


def shape_of(line: Line) -> list[int]:
    """Numbers in each output."""
    sizes = []
    for entry in line.entries:
        if entry.direction == "out":
            product = 1
            for size in entry.shape or []:
                product *= int(size) if size.isdigit() else VALUES[size]
            sizes.append(product)
    return sizes


def soak(root: Path, given: Description) -> Iterator[str]:
    listed = catalogue(root)
    for line in computing(given):
        name = line.name.removeprefix("jn_")
        if line.kernels == ["lie"] or "const jn_perturbation *" in line.others.values():
            continue  # laws_lie.c, sensitivity_kind.h
        if name not in listed:
            yield f"tests/soak/catalogue.h: jn_{name}() is missing"
            continue
        kind, parts = listed[name]
        arguments = parts[2:] if kind == "G" else parts[1:]
        if len(arguments) != len(line.order):
            yield f"tests/soak/catalogue.h: jn_{name}() has {len(line.order)} arguments behind work, not {len(arguments)}"
        sizes = [eval(size, {"__builtins__": {}}, dict(LOCALS)) for size in split(parts[0].removeprefix("SIZES(")[:-1])]
        if kind != "G" and sizes != shape_of(line):
            yield f"tests/soak/catalogue.h: the sizes of jn_{name}() are not those of {line.place}"


def wants(root: Path, given: Description) -> Iterator[str]:
    """Names of `jounce eval`: each belongs to functions of the description, and each that it says exists."""
    table = (root / "tool" / "eval" / "wants.c").read_text()
    listed = set(re.findall(r'^    \{"(\w+)",', table, re.M))
    said: dict[str, str] = {}
    for line in given.functions.values():
        for name in " ".join(line.properties.get("eval", [])).split():
            said[name] = line.place
    for name in sorted(listed - set(said)):
        yield f"tool/eval/wants.c: no function of the description has a line 'eval {name}'"
    for name in sorted(set(said) - listed):
        yield f"{said[name]}: jounce eval has no {name}"


def mathematics(root: Path, given: Description) -> Iterator[str]:
    """Every computing function is in the map, in a row that names the papers of its sources and a file of its kernels."""
    text = (root / "docs" / "mathematics.md").read_text()
    rows = [row for row in text.split("\n") if row.startswith("|")]
    for line in computing(given):
        if line.kernels == ["lie"]:
            continue
        own = [row for row in rows if f"`{line.name}()`" in row]
        if not own:
            yield f"docs/mathematics.md: `{line.name}()` is missing"
        for source in line.properties.get("source", []):
            for paper, spoken in PAPERS.items():
                if own and paper in source and not any(spoken in row for row in own):
                    yield f"docs/mathematics.md: the row of `{line.name}()` does not name {spoken}, its source ({source})"


def code(root: Path, given: Description) -> Iterator[str]:
    """Kernels are where the description says."""
    for kernel in given.kernels.values():
        path = root / "src" / "kernel" / kernel.code
        if not path.exists() or f"void JN_({kernel.name})(const jn_call" not in path.read_text():
            yield f"{kernel.place}: src/kernel/{kernel.code} has no kernel {kernel.name}"


def disagreements(root: Path, given: Description) -> list[str]:
    return [text for check in (symbols, soak, wants, mathematics, code) for text in check(root, given)]
