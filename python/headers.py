# SPDX-License-Identifier: BSD-2-Clause
"""Reads the public headers of jounce: functions, structs and enums, with their comments and the sizes of arrays.

A comment belongs to the declarations right below it, up to the next comment or an empty line, as in
script/declarations.awk. Sizes of arrays come from the declaration (double T[16]), from the brackets in the comment
(`tau [nv]`), or from the conventions that all headers share (NAMED).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

# Sizes that headers state once for all functions.
NAMED = {
    "q": "nq", "q0": "nq", "q1": "nq",
    "v": "nv", "a": "nv", "tau": "nv", "y": "nv", "x": "nv", "passive": "nv", "weight": "nv",
    "wrench": "nlink x 6",
    "v_jet": "(K+2) x nv", "tau_jet": "(K+1) x nv", "passive_jet": "(K+1) x nv",
    "wrench_jet": "(K+1) x nlink x 6",
    "prescribed": "nv", "actuated": "nv", "given": "nv", "held": "nv",
    "M_jet": "(K+1) x nv x nv", "C_jet": "(K+1) x nv x nv", "Y_jet": "(K+1) x nv x 10L", "factor": "nv x nv",
    "placement": "16", "gravity": "3",
}  # fmt: skip
NAMED_IN_LOOPS = {"lambda": "m", "lambda_jet": "(K+1) x m"}
NAMED_IN_ELASTIC = {
    "q_all": "nq_all", "v_all": "N", "theta": "nv", "dtheta": "nv", "motor": "nv", "motor_ff": "nv", "kp": "nv", "kd": "nv",
}  # fmt: skip
# Sizes that the comments give in words.
IN_WORDS = {
    ("jn_loops_gaps", "gap"): "loops",
    ("jn_loops_health_at", "redundant"): "m",
    ("jn_base_regressor", "Y"): "rows x 10L",
    ("jn_base_regressor", "Yb"): "rows x nb",
    ("jn_base_parameters", "pi"): "10L",
    ("jn_model_with_parameters", "pi"): "10L",
    ("jn_trajectory_fit", "t"): "count",
    ("jn_trajectory_fit", "q"): "count x nq",
    ("jn_loops_constraint", "Adot_v"): "m",
    ("jn_integrate_derivatives", "dout_dq"): "nv x nv",
    ("jn_integrate_derivatives", "dout_dv"): "nv x nv",
    ("jn_difference_derivatives", "dv_dq0"): "nv x nv",
    ("jn_difference_derivatives", "dv_dq1"): "nv x nv",
    ("jn_simulator_second_derivatives", "lambda"): "2nv",
    ("jn_tasks_error", "target"): "targets",
    ("jn_tasks_solve", "target"): "targets",
    ("jn_tasks_motion_jet", "target"): "targets",
    ("jn_tasks_solve", "active"): "nv",
    ("jn_identification_residuals", "error"): "channels",
    ("jn_identification_residuals", "force"): "channels",
    ("jn_identification_residuals", "rows"): "channels",
    ("jn_identification_base_residuals", "error"): "channels",
    ("jn_identification_base_residuals", "force"): "channels",
    ("jn_identification_base_residuals", "rows"): "channels",
    ("jn_identification_foresee", "noise"): "channels",
    ("jn_identification_foresee", "deviation"): "nb",
    ("jn_elastic_inverse", "v_jet"): "(P+2) x nv",
    ("jn_elastic_inverse", "tau_jet"): "(P+1) x nv",
    ("jn_elastic_dynamics", "motor"): "nv",
    ("jn_elastic_motor_pd", "theta_jet"): "(K+3) x nv",
    ("jn_limits_of_model", "limits"): "nv x 10 x 2",
    ("jn_retime", "limits"): "nv x 10 x 2",
    ("jn_rollout", "q"): "nq",
    ("jn_rollout", "v"): "nv",
    ("jn_actuator", "table_torque"): "table_count",
    ("jn_actuator", "time_stiffness"): "time_count",
    ("jn_motions", "tau"): "tau_rows x nv",
    ("jn_motions", "states"): "stored x (nq+nv)",
    ("jn_motions_run", "q"): "nq",
    ("jn_motions_run", "v"): "nv",
    # one number
    ("jn_base_spectrum", "kept"): "",
    ("jn_base_spectrum", "dropped"): "",
    ("jn_inertia_repair", "change"): "",
    ("jn_loops_assemble", "residual"): "",
    ("jn_loops_assemble_inside", "residual"): "",
    ("jn_loops_assemble_inside", "outside"): "",
    ("jn_inertia_unpack", "mass"): "",
    ("jn_joint_mimic", "ratio"): "",
    ("jn_joint_mimic", "offset"): "",
    ("jn_simulator_get", "t"): "",
    ("jn_tasks_follow", "time"): "",
    ("jn_identification_foresee", "condition"): "",
}
SIZE = (
    r"(?:(?:\d+ ?)?(?:nq|nv|nlink|nframe|L|k|nv_joint|m|nb|rows|loops|count|targets|channels|n|N|steps|directions|"
    r"polynomial_count|table_count|time_count)|\d+|\(K\+\d\)|\(steps \+ 1\)|\(nq \+ nv\))"
)
SHAPE = re.compile(rf"\[({SIZE}(?: x (?:{SIZE}|\.\.\.))*)\]")
# Inputs that may be NULL, unless the comment of a function says otherwise; not in STRICT.
NULLABLE = {"v", "a", "tau", "wrench", "wrench_jet", "passive", "passive_jet", "weight", "held"}
STRICT = {"configuration.h", "elastic.h"}
ARRAYS = {"double *": "d", "unsigned char *": "B", "signed char *": "b", "jn_range *": "d"}


@dataclass
class Parameter:
    type: str  # without const and the name, e.g. "double *"
    name: str
    const: bool
    length: str = ""  # of a declared array, e.g. "16"
    shape: list[str] | None = None
    nullable: bool = False
    comment: str = ""


@dataclass
class Function:
    name: str  # jn_x
    header: str
    result: str
    parameters: list[Parameter]
    comment: str

    @property
    def c_name(self) -> str:
        return self.name


@dataclass
class Struct:
    name: str
    fields: list[Parameter]
    comment: str


@dataclass
class Enum:
    name: str
    values: dict[str, int]  # short name -> number


@dataclass
class Headers:
    functions: dict[str, Function] = field(default_factory=dict)
    structs: dict[str, Struct] = field(default_factory=dict)
    enums: dict[str, Enum] = field(default_factory=dict)
    opaque: set[str] = field(default_factory=set)
    preambles: dict[str, str] = field(default_factory=dict)
    others: set[str] = field(default_factory=set)  # functions of the float and batch headers

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
    return Parameter(kind, match[2], const, length, None, False, comment)


def split_parameters(text: str) -> list[str]:
    parts, depth, start = [], 0, 0
    for i, c in enumerate(text):
        depth += (c == "(") - (c == ")")
        if c == "," and depth == 0:
            parts.append(text[start:i])
            start = i + 1
    parts.append(text[start:])
    return [part.strip() for part in parts if part.strip() not in ("", "void")]


def shape_of(text: str) -> list[str]:
    return ["".join(part.split()) for part in text.split(" x ")] if text else []


def sizes_in(comment: str, names: set[str]) -> dict[str, list[str]]:
    """The sizes that a comment gives: each bracket belongs to the names in the words before it."""
    text = " ".join(comment.split())
    found: dict[str, list[str]] = {}
    start = 0
    for match in SHAPE.finditer(text):
        before = re.split(r"[;:]|\.\s|\]|\)", text[start : match.start()])[-1]
        words = re.findall(r"\w+", before)
        for word in words:
            if word not in names or word in found:
                continue
            shape, usual = shape_of(match[1]), shape_of(NAMED.get(word, ""))
            if (
                word == words[-1] or shape[len(shape) - len(usual) :] == usual
            ):  # not "what they are at q, target [targets]"
                found[word] = shape
        start = match.end()
    return found


def short_names(values: list[tuple[str, int]]) -> dict[str, int]:
    """JN_IN_BODY, JN_IN_WORLD: body, world."""
    parts = [name.removeprefix("JN_").split("_") for name, _ in values]
    common = 0
    while len(parts) > 1 and all(len(p) > common + 1 and p[common] == parts[0][common] for p in parts):
        common += 1
    return {"_".join(p[common:]).lower(): number for p, (_, number) in zip(parts, values)}


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
        if all(re.fullmatch(r"\w+", word) for _, _, word in entries):
            return Enum(name, {word: i for i, (_, _, word) in enumerate(entries)})
        if all(word for _, _, word in entries):  # sentences: the codes are the names
            prefix = listed[1].removesuffix("LIST")
            short = [code.removeprefix(prefix).removeprefix("JN_").lower() for code, _, _ in entries]
            return Enum(name, {word: i for i, word in enumerate(short)})
        return Enum(name, short_names([(code, int(number)) for code, number, _ in entries]))
    values, number = [], -1
    for part in body.split(","):
        match = re.match(r"\s*(\w+)\s*(?:=\s*(-?\d+))?", part)
        if match:
            number = int(match[2]) if match[2] else number + 1
            values.append((match[1], number))
    return Enum(name, short_names(values))


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
            fields.append(Parameter("callback", called[1] if called else "?", False, "", None, True, comment))
            continue
        first, *more = split_parameters(declaration)
        fields.append(parameter(first, comment))
        base = re.match(r"(const )?[\w ]+?(?= \*?\w+$| \*?\w+\[)", first)
        for name in more:
            fields.append(parameter((base[0] if base else "") + " " + name, comment))
        if match[2]:
            leading = ""
    return fields


def set_shapes(owner: str, parameters: list[Parameter], comment: str) -> None:
    """Finds the sizes of all arrays of numbers among the parameters."""
    names = {p.name for p in parameters}
    said = sizes_in(comment, names)
    for p in parameters:
        if p.type not in ARRAYS:
            continue
        if p.length:
            p.shape = shape_of(p.length)
        elif (owner, p.name) in IN_WORDS:
            p.shape = shape_of(IN_WORDS[owner, p.name])
        elif p.name in NAMED_IN_ELASTIC and owner.startswith("jn_elastic_"):
            p.shape = shape_of(NAMED_IN_ELASTIC[p.name])
        elif p.name in said:
            p.shape = said[p.name]
        elif p.name in NAMED:
            p.shape = shape_of(NAMED[p.name])
        elif p.name in NAMED_IN_LOOPS and owner.startswith("jn_loops_"):
            p.shape = shape_of(NAMED_IN_LOOPS[p.name])


def set_nullable(function: Function) -> None:
    comment = " ".join(function.comment.split())
    for p in function.parameters:
        if not p.type.endswith("*") or not p.const:
            continue
        p.nullable = (p.name in NULLABLE and function.header not in STRICT) or bool(
            re.search(rf"\b{p.name}(?:\[i\] != 0)?(?: \[[^\]]*\])? \(?(?:may be )?NULL\b", comment)
        )
        if re.search(rf"\b{p.name} must not be NULL", comment):
            p.nullable = False


def read_struct(name: str, body: str, comment: str) -> Struct:
    fields = read_fields(body)
    for f in fields:
        set_shapes(name, [f], f.comment if "[" in f.comment and f.name in f.comment else f"{f.name} {f.comment}")
        said = SHAPE.search(f.comment)
        if said and f.type in ARRAYS and f.shape is None:
            f.shape = shape_of(said[1])
        if f.shape and "..." in f.shape:  # columns by what the derivative is taken by
            by = f.name.split("_d")[-1]
            f.shape = [f.shape[0], *{"wrench": ["nlink", "6"], "pi": ["10L"]}.get(by, ["nv"])]
        f.nullable = f.type.endswith("*")
    return Struct(name, fields, comment)


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
    function = Function(match[2], header, match[1].strip(), [parameter(p) for p in split_parameters(match[3])], comment)
    set_shapes(function.name, function.parameters, comment)
    set_nullable(function)
    return function


def read_header(path: Path, into: Headers) -> None:
    text = path.read_text()
    preamble = re.findall(r"/\*.*?\*/", text, re.S)[1]
    into.preambles[path.name] = words_of(preamble)
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


def read_headers(folder: Path) -> Headers:
    headers = Headers()
    made = {"jounce.h", "batch.h", "float.h", "float_batch.h"}
    for path in sorted(folder.glob("*.h")):
        if path.name not in made:
            read_header(path, headers)
        elif path.name != "jounce.h":
            headers.others |= set(re.findall(r"JN_API [^;(]*?\b(jnf?_\w+)\(", path.read_text()))
    return headers
