# SPDX-License-Identifier: BSD-2-Clause
"""Reads the public headers of jounce: functions, structs and enums, with their comments.

A comment belongs to the declarations right below it, up to the next comment or an empty line. What arrays are (sizes,
directions, whether they may be NULL) comes from functions.def, never from comments; these are only checked for
contradictions.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

from description import (
    Description,
    Line,
    Mistake,
    Parameter,
    apply,
    check_comment,
    check_computing,
    check_line,
    check_work,
    read_description,
)


@dataclass
class Function:
    name: str  # jn_x
    header: str
    result: str
    parameters: list[Parameter]
    comment: str
    work: str = ""  # order of its work memory: "0", "K" or "K+1"
    returns: list[str] | None = None  # sizes of the array that it returns


@dataclass
class Struct:
    name: str
    fields: list[Parameter]
    comment: str


@dataclass
class Enum:
    name: str
    values: dict[str, int]  # short name -> number
    codes: dict[str, str] = field(default_factory=dict)  # name in C -> short name


@dataclass
class Headers:
    functions: dict[str, Function] = field(default_factory=dict)
    structs: dict[str, Struct] = field(default_factory=dict)
    enums: dict[str, Enum] = field(default_factory=dict)
    groups: dict[str, dict[str, int]] = field(
        default_factory=dict
    )  # enums without a name: IDENTIFY -> {INERTIA: 1, ...}
    opaque: set[str] = field(default_factory=set)
    macros: dict[str, str] = field(default_factory=dict)  # those that are numbers
    preambles: dict[str, str] = field(default_factory=dict)
    others: set[str] = field(default_factory=set)  # functions of the float and batch headers
    sizes: dict[str, dict[str, str]] = field(default_factory=dict)  # of objects: size -> C with the handle as h
    given: Description = field(default_factory=Description)

    @property
    def plain(self) -> set[str]:
        """Types of single numbers in structs."""
        return {"int", "long", "double", *self.enums}


def words_of(comment: str) -> str:
    """The text of a comment, without its marks."""
    text = re.sub(r"^/\*+ ?|\s*\*+/$", "", comment.strip())
    return "\n".join(re.sub(r"^ \* ?", "", line) for line in text.split("\n")).strip()


def parameter(text: str, comment: str = "") -> Parameter:
    text = " ".join(text.split())
    const = text.startswith("const ")
    text = text.removeprefix("const ")
    match = re.fullmatch(r"(.*?[ *])(\w+)(?:\[(\w+)\])?(?:\[(\w+)\])?", text)
    if not match:
        raise ValueError(f"cannot read the declaration: {text}")
    kind = match[1].strip()
    length = match[3] or ""
    if length:
        kind += " *"
    if match[4]:
        length += " x " + match[4]
    return Parameter(kind, match[2], const, length, comment=comment)


def split_parameters(text: str) -> list[str]:
    parts, depth, start = [], 0, 0
    for i, c in enumerate(text):
        depth += (c == "(") - (c == ")")
        if c == "," and depth == 0:
            parts.append(text[start:i])
            start = i + 1
    parts.append(text[start:])
    return [part.strip() for part in parts if part.strip() not in ("", "void")]


def short_names(values: list[tuple[str, int]]) -> dict[str, int]:
    """JN_IN_BODY, JN_IN_WORLD: body, world."""
    parts = [name.removeprefix("JN_").split("_") for name, _ in values]
    common = 0
    while len(parts) > 1 and all(len(p) > common + 1 and p[common] == parts[0][common] for p in parts):
        common += 1
    return {"_".join(p[common:]).lower(): number for p, (_, number) in zip(parts, values)}


def enum_of(name: str, values: dict[str, int], codes: list[str]) -> Enum:
    return Enum(name, values, dict(zip(codes, values)))


def read_enum(name: str, body: str, text: str) -> Enum:
    body = re.sub(r"/\*.*?\*/", "", body, flags=re.S)
    listed = re.search(r"^\s*(JN_\w+_LIST)\(", body, re.M)
    if listed:  # X-macros: X(CODE, "name", ...) or X(CODE, number, text)
        definition = re.search(rf"#define {listed[1]}\(X\)(.*?[^\\])\n", text, re.S)
        if definition is None:
            raise ValueError(f"{listed[1]} is not defined in the header of {name}")
        entries = re.findall(r"X\((\w+), (\"([^\"]*)\"|\d+)", definition[1])
        if len(entries) != len(re.findall(r"\bX\(", definition[1])):
            raise ValueError(f"{listed[1]}: not all entries are understood")
        codes = [code for code, _, _ in entries]
        if all(re.fullmatch(r"\w+", word) for _, _, word in entries):
            return enum_of(name, {word: i for i, (_, _, word) in enumerate(entries)}, codes)
        if all(word for _, _, word in entries):  # sentences: the codes are the names
            prefix = listed[1].removesuffix("LIST")
            short = [code.removeprefix(prefix).removeprefix("JN_").lower() for code, _, _ in entries]
            return enum_of(name, {word: i for i, word in enumerate(short)}, codes)
        return enum_of(name, short_names([(code, int(number)) for code, number, _ in entries]), codes)
    values, number = [], -1
    for part in body.split(","):
        match = re.match(r"\s*(\w+)\s*(?:=\s*(-?\d+))?", part)
        if match:
            number = int(match[2]) if match[2] else number + 1
            values.append((match[1], number))
    return enum_of(name, short_names(values), [code for code, _ in values])


def read_fields(body: str) -> list[Parameter]:
    fields: list[Parameter] = []
    position = 0
    pattern = re.compile(r"\s*((?:[^;/]|/(?!\*))*);[ \t]*((?:/\*.*?\*/[ \t]*)?)", re.S)
    leading = ""
    while position < len(body):
        skip = re.compile(r"\s*(/\*.*?\*/)", re.S).match(body, position)
        if skip:
            leading = words_of(skip[1])
            position = skip.end()
            continue
        match = pattern.match(body, position)
        if not match:
            break
        position = match.end()
        comment = words_of(match[2]) if match[2] else leading
        declaration = " ".join(match[1].split())
        if "(*" in declaration:  # a function of the user
            called = re.search(r"\(\*(\w+)\)", declaration)
            fields.append(Parameter("callback", called[1] if called else "?", False, nullable=True, comment=comment))
            continue
        first, *more = split_parameters(declaration)
        fields.append(parameter(first, comment))
        base = re.match(r"(const )?[\w ]+?(?= \*?\w+$| \*?\w+\[)", first)
        for name in more:
            fields.append(parameter((base[0] if base else "") + " " + name, comment))
        if match[2]:
            leading = ""
    return fields


def read_struct(name: str, body: str, comment: str) -> Struct:
    return Struct(name, read_fields(body), comment)


DECLARATION = re.compile(
    r"(?P<comment>/\*.*?\*/[ \t]*\n?)"
    r"|(?P<empty>\n[ \t]*\n)"
    r"|typedef enum (?P<enum>jn_\w+) \{(?P<values>.*?)\} jn_\w+;"
    r"|typedef struct (?P<struct>jn_\w+) \{(?P<fields>.*?)\n\} jn_\w+;"
    r"|typedef struct (?P<opaque>jn_\w+) jn_\w+;"
    r"|JN_API (?P<function>[^;]*?);(?P<after>[ \t]*/\*.*?\*/)?",
    re.S,
)


def read_function(text: str, header: str, comment: str) -> Function:
    text = " ".join(text.split())
    match = re.match(r"(.*?[ *])(jn_\w+)\((.*)\)$", text)
    if not match:
        raise ValueError(f"cannot read the declaration: {text}")
    return Function(match[2], header, match[1].strip(), [parameter(p) for p in split_parameters(match[3])], comment)


def read_groups(text: str) -> dict[str, dict[str, int]]:
    """Enums without a name whose members begin alike: JN_IDENTIFY_INERTIA = 1, ..."""
    groups = {}
    for body in re.findall(r"^enum \{(.*?)\};", text, re.S | re.M):
        members = re.findall(r"\bJN_([A-Z]+)_(\w+) = (\d+)", re.sub(r"/\*.*?\*/", "", body, flags=re.S))
        if len(members) > 1 and len({first for first, _, _ in members}) == 1:
            groups[members[0][0]] = {rest: int(number) for _, rest, number in members}
    return groups


def read_header(path: Path, into: Headers) -> None:
    text = path.read_text()
    preamble = re.findall(r"/\*.*?\*/", text, re.S)[1]
    into.preambles[path.name] = words_of(preamble)
    into.macros |= dict(re.findall(r"^#define (JN_[A-Z_]+) (\d+)$", text, re.M))
    into.groups |= read_groups(text)
    body = text[text.index('extern "C" {') :]
    comment = ""
    for match in DECLARATION.finditer(body):
        if match["comment"]:
            comment = words_of(match["comment"])
            if comment.startswith("----"):
                comment = ""
        elif match["empty"]:
            comment = ""
        elif match["enum"]:
            into.enums[match["enum"]] = read_enum(match["enum"], match["values"], text)
        elif match["struct"]:
            into.structs[match["struct"]] = read_struct(match["struct"], match["fields"], comment)
        elif match["opaque"]:
            into.opaque.add(match["opaque"])
        elif match["function"]:
            said = words_of(match["after"]) if match["after"] else ""
            function = read_function(match["function"], path.name, said or comment)
            into.functions[function.name] = function


def describe(headers: Headers, given: Description) -> None:
    """All functions and structs get what the list says about their arrays; what does not agree is a mistake."""
    for kind, known, listed in (("struct", headers.structs, given.structs), ("", headers.functions, given.functions)):
        for name in set(listed) - set(known):
            raise Mistake(f"{listed[name].place}: the headers have no {kind or 'function'} {name}")
    for struct in headers.structs.values():
        line = given.structs.get(struct.name, Line(struct.name, f"struct {struct.name} of the headers"))
        check_line(line, struct.fields, True)
        check_comment(line, struct.comment, f"struct {struct.name}")
        apply(line, struct.fields)
    for function in headers.functions.values():
        where = f"{function.header}: {function.name}()"
        line = given.functions.get(function.name, Line(function.name, where))
        check_line(line, function.parameters, False)
        check_work(line, any(p.type == "jn_work *" for p in function.parameters), where)
        check_comment(line, function.comment, where)
        check_computing(line, function.parameters, function.comment, where)
        apply(line, function.parameters)
        function.work, function.returns = line.work, line.returns.shape if line.returns else None
    headers.sizes = given.sizes
    headers.given = given


def read_headers(folder: Path) -> Headers:
    headers = Headers()
    made = {"jounce.h", "batch.h", "float.h", "float_batch.h"}
    for path in sorted(folder.glob("*.h")):
        if path.name not in made:
            read_header(path, headers)
        elif path.name != "jounce.h":
            headers.others |= set(re.findall(r"JN_API [^;(]*?\b(jnf?_\w+)\(", path.read_text()))
    describe(headers, read_description(folder.parents[1] / "src" / "api" / "functions.def"))
    return headers
