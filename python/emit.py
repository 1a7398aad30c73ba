# SPDX-License-Identifier: BSD-2-Clause
"""Writes what generate.py found: C tables and calls, named tuples, and type stubs."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable
from pathlib import Path

from description import SIZES, Parameter
from headers import Headers, Struct
from methods import (
    AT_ONCE,
    CLASSES,
    EXCLUSIVE,
    GIVEN_SIZES,
    NOTES,
    OUTCOMES,
    TOGETHER,
    Argument,
    Method,
    camel,
    float_name,
    is_counted,
    python_name,
    result_items,
    shown,
)
from words import Words

CODES = {size: i for i, size in enumerate(SIZES)}
NOTE = "made by python/generate.py from include/jounce and src/api/functions.def"


def code(size: str) -> int:
    """Sizes in one byte: those of the model first, numbers from 64."""
    return 64 + int(size) if size.isdigit() else CODES[size]


def size_name(size: str) -> str:
    """As in enum of core.h: (K+1) is PY_K1."""
    return "PY_" + re.sub(r"\W", "", size)


def c_string(text: str) -> str:
    lines = text.split("\n")
    return "\n    ".join('"' + line.replace("\\", "\\\\").replace('"', '\\"') + '\\n"' for line in lines)


def quoted(words: Iterable[str]) -> str:
    return ", ".join(f'"{word}"' for word in words)


# ---- C ----


def struct_table(headers: Headers, struct: Struct) -> str:
    """The struct itself, with what sets it up, then its members."""
    init = f"(const void *)(uintptr_t){struct.name}_init" if f"{struct.name}_init" in headers.functions else "NULL"
    rows = [f"{{\"{struct_class(struct)}\", 'n', sizeof({struct.name}), 0, {{0, 0}}, {init}}}"]
    for f in struct.fields:
        kind = {"int": "i", "long": "l", "double": "d"}.get(f.type, "-")
        extra, sizes = "NULL", [] if is_counted(f) else [code(size) for size in f.shape or []]
        if is_counted(f) and f.shape:
            kind, sizes = "A", [1 + [g.name for g in struct.fields].index(f.shape[0])]
        elif f.type in headers.enums:
            kind, extra = "e", f"names_{f.type}"
        elif f.length and f.type == "double *" and f.length.isdigit():
            kind, sizes = "D", [int(f.length)]
        elif f.shape is not None and f.const and len(sizes) <= 2:
            kind = "U" if f.type == "unsigned char *" else "P"
        dim = ", ".join(str(size) for size in [*sizes, 0, 0][:2])
        rows.append(
            f"{{\"{f.name}\", '{kind}', offsetof({struct.name}, {f.name}), {min(len(sizes), 2)}, {{{dim}}}, {extra}}}"
        )
    rows.append("{NULL, 0, 0, 0, {0, 0}, NULL}")
    return f"static const py_member members_{struct.name}[] = {{{', '.join(rows)}}};"


def argument_row(method: Method, a: Argument) -> str:
    flags = []
    if a.name in TOGETHER.get(method.function.name, "").split():
        flags.append("PY_TOGETHER")
    if a.nullable:
        flags.append("PY_NULLABLE")
    if a.required:
        flags.append("PY_REQUIRED")
    if a.keyword:
        flags.append("PY_KEYWORD")
    if a.wanted:
        flags.append("PY_WANTED")
    if any(size.startswith(("(K", "(P")) for size in a.shape):
        flags.append("PY_JET")
    if a.dtype in "Bb":
        flags.append("PY_BYTES" if a.dtype == "B" else "PY_SIGNED")
    extra = "NULL"
    if a.enum is not None:
        extra = f"names_{a.enum.name}"
    elif a.struct is not None:
        extra = f"members_{a.struct.name}"
    elif a.object:
        extra = f"&py_class_{CLASSES[a.object][0]}"
    default: int | str = 0
    if a.kind == "LINK" and not a.required:
        default = -1
    elif a.kind == "SIZE":
        default = GIVEN_SIZES[a.name]
    elif a.kind == "CALLBACK":
        default = f"{a.name.upper()}_CALLBACK"
    sizes = ", ".join(str(code(size)) for size in a.shape) or "0"
    return f'{{"{a.name}", PY_{a.kind}, {" | ".join(flags) or "0"}, {len(a.shape)}, {{{sizes}}}, {default}, {extra}}}'


def call_text(method: Method, name: str, number: str, batch: bool) -> str:
    """A C function that calls one function of the library."""
    assign, *arguments = method.call
    if batch:
        arguments = [a for a in arguments if a != "c->work"]
        first = ["c->batch", "c->count"]
    elif method.owner:
        first = ["c->self"]
    else:
        first = []
    setup = [
        re.sub(r"NUMBER_STRUCT\((\w+)\)", ("jnf_" if number == "float" else "jn_") + r"\1", s) for s in method.setup
    ]
    call = f"{name}({', '.join(first + arguments)})".replace("NUMBER", number)
    body = "".join(f"  {line}\n" for line in setup)
    if method.function.result == "jn_status" and method.after:
        after = "".join(f"  {line}\n" for line in method.after)
        body += f"  jn_status status = {call};\n{after}  return status;\n"
    elif method.function.result == "jn_status":
        body += f"  return {call};\n"
    elif "CALL" in assign:
        body += f"  {assign.replace('CALL', call).split(' if (0)')[0]}\n  return JN_OK;\n"
    else:
        body += f"  {assign}{call};\n  return JN_OK;\n"
    kind = ("many" if batch else "one") + ("_f" if number == "float" else "")
    unused = "" if "c->" in body else "  (void)c;\n"
    return f"static jn_status {kind}_{method.function.name}(py_call_state *c) {{\n{unused}{body}}}\n"


def function_text(headers: Headers, method: Method, i: int) -> tuple[str, str]:
    """The descriptor's row, and what must come before it."""
    name = method.function.name
    before = call_text(method, name, "double", method.by_batch)
    links = {"one": f"one_{name}", "one_f": "NULL", "many": "NULL", "many_f": "NULL"}
    if method.by_batch:
        links["one"] = links["many"] = f"many_{name}"
    twin = float_name(name)
    for kind, c_name, number, batch in (("one_f", twin, "float", False), ("many", name + "_batch", "double", True),
                                        ("many_f", twin + "_batch", "float", True)):  # fmt: skip
        if any(a.kind == "STRUCTS" for a in method.inputs):  # their members are double
            continue
        if c_name in headers.others and (kind != "many_f" or twin in headers.others):
            before += call_text(method, c_name, number, batch)
            links[kind] = f"{kind}_{name}"
    if name in AT_ONCE:
        before += f"static jn_status many_{name}(py_call_state *c) {{\n  return {AT_ONCE[name]};\n}}\n"
        links["many"] = f"many_{name}"
    if method.arguments:
        rows = ",\n    ".join(argument_row(method, a) for a in method.arguments)
        before += f"static const py_argument arguments_{name}[] = {{\n    {rows}}};\n"
    flags = []
    if method.has_work:
        flags.append("PY_WORK | PY_BY_BATCH" if method.by_batch else "PY_WORK")
    if method.more_work:
        flags.append("PY_MORE_WORK")
    if any(a.kind == "INOUT" for a in method.inputs):
        flags.append("PY_CHANGES")
    if any(a.kind == "HANDLE" for a in method.inputs):
        flags.append("PY_HANDLES")
    if method.order_from or any(a.kind == "ORDER" for a in method.inputs):
        flags.append("PY_ORDERED")
    if any(a.kind == "OBJECT" for a in method.outputs) or "c->report" in " ".join(method.setup):
        flags.append("PY_MAKES")
    outcome = headers.enums["jn_status"].values.get(OUTCOMES.get(name, ""), 0)
    row = (f'{{"{method.name.removeprefix("_")}", {f"arguments_{name}" if method.arguments else "NULL"}, {len(method.inputs)}, '
           f"{len(method.arguments)}, {positional(method)}, {len(result_items(method))}, {' | '.join(flags) or 0}, "
           f"{links['one']}, {links['one_f']}, {links['many']}, "
           f"{links['many_f']}, {result_index(method)}, {outcome}}}")  # fmt: skip
    if not method.is_property:
        before += (f"static PyObject *method_{name}(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *names) {{\n"
                   f"  return py_call(self, args, n, names, &py_functions[{i}]);\n}}\n")  # fmt: skip
    return row, before


def positional(method: Method) -> int:
    """How many arguments may be given by position."""
    return next((i for i, a in enumerate(method.inputs) if a.keyword), len(method.inputs))


RESULTS: list[str] = []


def result_index(method: Method) -> int:
    if not method.result:
        return -1
    if method.result not in RESULTS:
        RESULTS.append(method.result)
    return RESULTS.index(method.result)


def signature(method: Method) -> str:
    parts = ["$self"] if method.owner else ["$module"]
    starred = False
    for a in method.inputs:
        if a.keyword and not starred:
            parts.append("*")
            starred = True
        parts.append(a.name if a.required else f"{a.name}={a.default}")
    if not starred:
        parts.append("*")
    for name in extras(method):
        parts.append(f"{name}=None")
    if parts[-1] == "*":
        parts.pop()
    return f"{method.name}({', '.join(parts)})"


def extras(method: Method) -> list[str]:
    """Keyword arguments of all functions with arrays as results."""
    arrays = [a for a in result_items(method) if a.kind in ("OUT", "INOUT")]
    return (["want"] if len(arrays) > 1 else []) + (["out"] if arrays else [])


def doc(method: Method, words: Words) -> str:
    lines = [words.translate(method), ""]
    if method.function.name in NOTES:
        lines += [NOTES[method.function.name], ""]
    for a in method.inputs:
        if a.kind in ("IN", "INOUT", "MASK", "FIXED", "SCALAR"):
            lines.append(f"{a.name}: {shape_text(a)}")
        elif a.enum is not None:
            lines.append(f"{a.name}: one of {', '.join(repr(v) for v in a.enum.values)}")
    items = [a for a in result_items(method) if a.kind in ("OUT", "INOUT", "CONSTANT")]
    if items:
        lines.append("Returns " + ", ".join(f"{a.name} {shape_text(a)}" for a in items))
    if not method.has_float and any(a.kind in ("OUT", "INOUT") for a in items) and takes_arrays(method):
        lines.append("Computes in float64 and returns float64, even if all arrays are float32.")
    return "\n".join(lines).strip()


def takes_arrays(method: Method) -> bool:
    return any(a.kind in ("IN", "INOUT") for a in method.inputs)


def shape_text(a: Argument) -> str:
    sizes = ", ".join(["...", *a.shape])
    return f"[{sizes}]" if a.kind not in ("MASK", "FIXED") else f"[{', '.join(a.shape)}]"


def table(methods: list[Method], words: Words, owner: str, what: str) -> str:
    rows = []
    for method in methods:
        if method.owner != owner:
            continue
        name = method.function.name
        if method.is_property and what == "properties":
            rows.append(
                f'{{"{method.name}", py_get, NULL,\n    {c_string(doc(method, words))}, (void *)&py_functions[INDEX_{name}]}}'
            )
        elif not method.is_property and what == "methods":
            text = c_string(f"{signature(method)}\n--\n\n{doc(method, words)}")
            rows.append(f'{{"{method.name}", (PyCFunction)(void (*)(void))method_{name}, METH_FASTCALL | METH_KEYWORDS,\n'
                        f"    {text}}}")  # fmt: skip
    kind = "PyGetSetDef" if what == "properties" else "PyMethodDef"
    prefix = CLASSES[owner][0] if owner else "module"
    extra = f"PY_MORE_{prefix} " if what == "methods" and owner in ("", "jn_model") else ""
    end = "{NULL, NULL, NULL, NULL, NULL}" if what == "properties" else "{NULL, NULL, 0, NULL}"
    body = "".join(f"  {row},\n" for row in rows)
    return f"static {kind} {what}_{prefix}[] = {{\n{body}  {extra}{end}}};\n"


def c_text(headers: Headers, methods: list[Method], words: Words) -> str:
    text = f"/* {NOTE} */\n"
    for i, size in enumerate(SIZES):  # core.h has them in the same order
        text += f'_Static_assert({size_name(size)} == {i}, "sizes of core.h and arrays.py");\n'
    text += "".join(f"py_class py_class_{CLASSES[owner][0]};\n" for owner in classes_of(headers))
    for enum in headers.enums.values():
        if list(enum.values.values()) == list(range(len(enum.values))):
            text += f"static const char *const names_{enum.name}[] = {{{quoted(enum.values)}, NULL}};\n"
    structs = {a.struct.name: a.struct for m in methods for a in m.arguments if a.struct is not None}
    for struct in structs.values():
        text += struct_table(headers, struct) + "\n"
    text += f"static const py_function py_functions[{len(methods)}];\n"
    rows = []
    for i, method in enumerate(methods):
        text += f"enum {{ INDEX_{method.function.name} = {i} }};\n"
        row, before = function_text(headers, method, i)
        text += before
        rows.append(row)
    text += (
        f"static const py_function py_functions[{len(methods)}] = {{\n"
        + "".join(f"  {row},\n" for row in rows)
        + "};\n"
    )
    text += f"static const char *const py_result_names[] = {{{quoted(RESULTS)}, NULL}};\n"
    text += table(methods, words, "", "methods")
    for owner in classes_of(headers):
        text += (
            table(methods, words, owner, "methods")
            + table(methods, words, owner, "properties")
            + class_text(headers, owner)
        )
    names = ", ".join(f"&py_class_{CLASSES[owner][0]}" for owner in classes_of(headers))
    return text + f"static py_class *const py_classes[] = {{{names}}};\n"


def classes_of(headers: Headers) -> list[str]:
    return [owner for owner in CLASSES if owner in headers.opaque]


def class_text(headers: Headers, owner: str) -> str:
    name = CLASSES[owner][0]
    sizes = headers.sizes.get(owner, {})
    order = "(int)size[PY_K1] - 1"  # of the call; the function is called again when it is known
    calls = {size: re.sub(r"\bK\b", order, call) for size, call in sizes.items()}
    body = "".join(f"  size[{size_name(size)}] = (Py_ssize_t)({call});\n" for size, call in calls.items())
    unused = "" if sizes else "  (void)h, (void)size;\n"
    return f"""static void destroy_{name}(void *handle) {{ {owner}_destroy(handle); }}
static void sizes_{name}(void *h, Py_ssize_t *size) {{
{unused}{body}}}
py_class py_class_{name} = {{"{name}", "jounce._core.{name}", destroy_{name}, {int(owner in EXCLUSIVE)}, sizes_{name},
    methods_{name}, properties_{name}, NULL}};
"""


# ---- Python ----

ROUNDING_STUB = "\n    def rounding(self, order: int = ...) -> float: ...\n"
ROUNDING = '''
    def rounding(self, order: int = 0) -> float:
        """About how large the rounding error of derivative `order` is: 8 epsilon / weakest^(order + 1)."""
        from . import _core

        return 8 * _core.variant_epsilon() / self.weakest ** (order + 1) if order >= 0 else float("nan")
'''


def struct_class(struct: Struct) -> str:
    return camel(struct.name.removeprefix("jn_"))


def results_text(headers: Headers, methods: list[Method], stub: bool) -> str:
    text = f'"""Results with several parts: named tuples; {NOTE}."""\n\n'
    text += "from __future__ import annotations\n\nfrom enum import IntEnum, IntFlag\nfrom typing import Any, NamedTuple\n\n"
    made = sorted({CLASSES[a.object][0] for m in methods if m.result for a in m.outputs if a.kind == "OBJECT"})
    text += f"from numpy.typing import NDArray\n\nfrom ._core import {', '.join(made)}\n" if stub else ""
    structs = {a.struct.name: a.struct for m in methods for a in m.outputs if a.struct is not None}
    for struct in structs.values():
        members = "".join(member_text(headers, f, stub) for f in shown(struct))
        text += f"\n\nclass {struct_class(struct)}(NamedTuple):\n{members}"
        if struct.name == "jn_loops_health":
            text += ROUNDING_STUB if stub else ROUNDING
    perturbation = next(a.struct for m in methods for a in m.inputs if a.kind == "STRUCTS" and a.struct)
    shapes = {f.name: tuple(f.shape or []) for f in perturbation.fields}
    text += "\n\nPERTURBATION" + (": dict[str, tuple[str, ...]]\n" if stub else f" = {shapes!r}\n")
    text += "SCALARS" + (": dict[str, int]\n" if stub else f" = {headers.enums['jn_scalar_kind'].values!r}\n")
    text += "STATUS" + (": dict[str, int]\n" if stub else f" = {headers.enums['jn_status'].values!r}\n")
    text += constants_text(headers)
    for method in methods:
        if method.result:
            members = ""
            for a in result_items(method):
                hides = "  # type: ignore[assignment]" if a.name in ("index", "count") else ""  # of tuple
                members += f"    {a.name}: {item_type(a, method, stub)}{hides}\n"
            text += f'\n\nclass {method.result}(NamedTuple):\n    """Result of {method.name}()."""\n\n{members}'
    return text


def constants_text(headers: Headers) -> str:
    """Classes of named integers; IntFlag where members are bits that can be joined by |."""
    named = {camel(name.removeprefix("jn_")): enum.values for name, enum in headers.enums.items()}
    named |= {name.capitalize(): values for name, values in headers.groups.items()}
    text = ""
    for name, values in sorted(named.items()):
        are_bits = len(values) > 2 and list(values.values()) == [1 << i for i in range(len(values))]
        members = "".join(f"    {member.upper()} = {number}\n" for member, number in values.items())
        text += f"\n\nclass {name}({'IntFlag' if are_bits else 'IntEnum'}):\n{members}"
    return text + f"\n\nCONSTANTS = {tuple(sorted(named))!r}\n"


def member_text(headers: Headers, f: Parameter, stub: bool) -> str:
    kind = "float" if f.type == "double" else "str" if f.type in headers.enums else "int"
    if f.shape is not None:
        kind = "NDArray[Any]" if stub else "Any"
    hides = "  # type: ignore[assignment]" if f.name in ("index", "count") else ""  # of tuple
    return f"    {python_name(f.name)}: {kind}{hides}\n"


def item_type(a: Argument, method: Method, stub: bool) -> str:
    types = {"INT": "int", "UNSIGNED": "int", "DOUBLE": "float", "STRING": "str", "CHARS": "str", "OWNED_TEXT": "str",
             "ENUM": "str", "CONSTANT": "NDArray[Any]"}  # fmt: skip
    if a.kind in types:
        return types[a.kind] if stub else types[a.kind].replace("NDArray[Any]", "Any")
    if a.kind == "BORROWED":
        return CLASSES[a.object][0]
    if a.kind == "OBJECT":
        name = CLASSES[a.object][0] + (" | None" if method.function.name == "jn_retime" else "")
        return name if stub else "Any"
    if a.kind in ("STRUCT", "STRUCT_OF_OBJECT") and a.struct is not None:
        return struct_class(a.struct)
    return "NDArray[Any]" if stub else "Any"


def input_type(a: Argument) -> str:
    types = {"IN": "State", "INOUT": "State", "FIXED": "ArrayLike", "SCALAR": "ArrayLike", "MASK": "Mask", "INT": "int",
             "UNSIGNED": "int", "SIZE": "int", "DOUBLE": "float", "ORDER": "int", "FRAME": "int | str", "LINK": "int | str",
             "JOINT": "int | str", "LOOP": "int | str", "STRING": "str", "STRINGS": "Sequence[str]", "TEXT": "str | bytes",
             "FRAMES": "Sequence[int | str] | int | str", "STRUCTS": "Sequence[Any]",
        "RECORDS": "Sequence[Mapping[str, Any]]", "CALLBACK": "Callable[..., Any]"}  # fmt: skip
    if a.name == "watch":
        text = "Callable[..., Any] | Sequence[Any]"
    elif a.kind == "ENUM" and a.enum is not None:
        text = "Literal[" + ", ".join(f'"{v}"' for v in a.enum.values) + "] | int"
    elif a.kind == "HANDLE":
        text = CLASSES[a.object][0]
    else:
        text = types[a.kind]
    return text if a.required and not a.nullable else text + " | None"


def stub_method(method: Method, words: Words) -> str:
    items = result_items(method)
    returns = method.result or (item_type(items[0], method, True) if items else "None")
    name = CLASSES[method.owner][0] if method.owner else ""
    indent = "    " if method.owner else ""
    if method.is_property:
        return f"{indent}@property\n{indent}def {method.name}(self) -> {returns}: ...\n"
    parts = ["self"] if name else []
    starred = False
    for a in method.inputs:
        if a.keyword and not starred:
            parts.append("*")
            starred = True
        parts.append(f"{a.name}: {input_type(a)}" + ("" if a.required else " = ..."))
    more = extras(method)
    if more and not starred:
        parts.append("*")
    if "want" in more:
        parts.append("want: str | Sequence[str] | None = ...")
    if "out" in more:
        parts.append("out: Any = ...")
    body = textwrap.indent('"""' + doc(method, words).replace("\\", "\\\\") + '\n"""', indent + "    ")
    return f"{indent}def {method.name}({', '.join(parts)}) -> {returns}:\n{body}\n"


def stub_text(headers: Headers, methods: list[Method], words: Words) -> str:
    text = f'"""The compiled module; {NOTE}."""\n\n'
    text += ("from collections.abc import Callable, Mapping, Sequence\nfrom typing import Any, Literal, TypeAlias\n\n"
             "from numpy.typing import ArrayLike, NDArray\n\nfrom ._results import *\n\n"
             "State: TypeAlias = ArrayLike | Mapping[str, Any]\nMask: TypeAlias = ArrayLike | Sequence[str]\n")  # fmt: skip
    for owner in classes_of(headers):
        text += f"\nclass {CLASSES[owner][0]}:\n"
        if owner != "jn_model":
            text += "    model: Model\n"
        else:
            text += "    def _random(self, state: int) -> tuple[NDArray[Any], int]: ...\n"
            text += ("    def _perturbation(self, kind: int, index: int, component: int, q: NDArray[Any], "
                     "v: NDArray[Any] | None) -> tuple[bytearray, dict[str, int]]: ...\n")  # fmt: skip
            text += "    def _generate(self, *arguments: Any) -> dict[str, str]: ...\n"
        text += "".join(stub_method(m, words) for m in methods if m.owner == owner)
    text += "".join(stub_method(m, words) for m in methods if not m.owner)
    text += "def set_threads(count: int) -> int: ...\ndef _setup(**objects: Any) -> None: ...\n"
    text += "def _functions() -> list[tuple[str, str, str, list[Any], list[Any]]]: ...\n"
    text += "def _address(object: Any) -> int: ...\n"
    return text


def write(headers: Headers, methods: list[Method], folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    words = Words(headers, methods)
    made = {
        "functions.inc": c_text(headers, methods, words),
        "_results.py": results_text(headers, methods, False),
        "_results.pyi": results_text(headers, methods, True),
        "_core.pyi": stub_text(headers, methods, words),
    }
    for name, text in made.items():
        path = folder / name
        if not path.exists() or path.read_text() != text:
            path.write_text(text)
