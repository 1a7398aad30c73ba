# SPDX-License-Identifier: BSD-2-Clause
"""The reference of C and Python as pages: from the headers, and from the stubs and sources of the Python package."""

from __future__ import annotations

import ast
import html
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "src" / "api"))
from headers import words_of

NAME = re.compile(r"\bjnf?_[a-z0-9_]+\b|\bJN_[A-Z0-9_]+\b")
# What a header declares, in the order of the file; a comment belongs to what follows it without an empty line.
ITEM = re.compile(
    r"^(?P<comment>/\*.*?\*/)[ \t]*\n"
    r"|^(?P<empty>[ \t]*\n)"
    r"|^(?P<define>#define JN_\w+(?:\([^)]*\))?(?:[^\n]*\\\n)*[^\n]*\n)"
    r"|^(?P<type>typedef (?:enum|struct) \w+ \{.*?^\} \w+;[^\n]*\n)"
    r"|^(?P<short>typedef [^;{]*;[^\n]*\n)"
    r"|^(?P<function>JN_API [^;]*;[ \t]*(?:/\*.*?\*/)?[ \t]*\n)",
    re.M | re.S,
)


def anchor_name(text: str) -> str:
    """The name that a declaration declares."""
    for pattern in (r"#define (\w+)", r"\} (\w+);", r"\(\*(\w+)\)\(", r"(\w+)\(", r"(\w+)(?:\[\w+\])?;"):
        found = re.search(pattern, text)
        if found:
            return found[1]
    raise ValueError(f"cannot read the declaration: {text}")


class Index:
    """Where each public name is explained."""

    def __init__(self) -> None:
        self.page: dict[str, str] = {}

    def linked(self, text: str, here: str) -> str:
        def link(match: re.Match[str]) -> str:
            page = self.page.get(match[0])
            return match[0] if page is None else f'<a href="{"" if page == here else page + ".html"}#{match[0]}">{match[0]}</a>'

        return NAME.sub(link, html.escape(text, quote=False))

    def prose(self, comment: str, here: str) -> str:
        """A comment as HTML: lines that are indented are formulas or tables, and stay as they are."""
        out, inside = [], False
        for line in comment.split("\n"):
            fixed = line.startswith("  ")
            if fixed != inside:
                out.append("<pre class='fixed'>" if fixed else "</pre>")
                inside = fixed
            elif not fixed and not line.strip():
                out.append("<br><br>")
            out.append(self.linked(line, here))
        return "<div class='words'>" + "\n".join(out) + ("</pre>" if inside else "") + "</div>\n"


def items(text: str) -> Iterator[tuple[str, str, list[str]]]:
    """(kind, comment, declarations): kind is "section" or "entry"; one comment may explain several declarations."""
    comment, group = "", []
    body = text[text.index('extern "C" {') :]
    for match in ITEM.finditer(body):
        if match["comment"] or match["empty"]:
            if group:
                yield "entry", comment, group
            comment, group = words_of(match["comment"] or ""), []
            if comment.startswith("----"):
                yield "section", comment.strip("- \n"), []
                comment = ""
        else:
            group.append(re.sub(r"^JN_API ", "", match[0].rstrip("\n")))
    if group:
        yield "entry", comment, group


def c_page(name: str, text: str, index: Index, generated: bool) -> str:
    preamble = words_of(re.findall(r"/\*.*?\*/", text, re.S)[1])
    title, _, rest = preamble.partition("\n")
    summary = title.partition(": ")[2]
    made = f"---\ntitle: {name}.h\n" + f"search:\n  boost: {0.2 if generated else 0.6}\n" + "---\n"
    made += f"# {name}.h\n\n{index.prose(summary + chr(10) + rest, name)}\n"
    made += f"`#include <jounce/{name}.h>`\n\n"
    for kind, comment, group in items(text):
        if kind == "section":
            made += f"## {html.escape(comment)}\n\n"
            continue
        names = [anchor_name(declaration) for declaration in group]
        shown = [n for n in names if not re.fullmatch(r"JN_[A-Z]+_(LIST|ENUM)", n)]
        if not shown:
            continue
        own = [d for d, n in zip(group, names) if n in shown]
        if not comment and not any("/*" in d for d in own):
            raise SystemExit(f"include/jounce/{name}.h: {shown[0]} has no comment")
        made += "".join(f'### {n} {{ #{n} }}\n\n' for n in shown)
        made += "```c\n" + "\n".join(own) + "\n```\n\n" + (index.prose(comment, name) + "\n" if comment else "")
    return made


def c_pages(source: Path) -> Iterator[tuple[str, str]]:
    index = Index()
    texts = {path.stem: path.read_text() for path in sorted((source / "include/jounce").glob("*.h")) if path.stem != "jounce"}
    for name, text in texts.items():
        for _, _, group in items(text):
            for declaration in group:
                index.page.setdefault(anchor_name(declaration), name)
    for name, text in texts.items():
        yield f"c/{name}.md", c_page(name, text, index, name in ("batch", "float", "float_batch"))


# ---- Python ----


def signature(node: ast.FunctionDef, owner: str) -> str:
    arguments = ast.unparse(node.args)
    arguments = re.sub(r"^self(, )?", "", arguments) if owner else arguments
    returns = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    return f"{owner + '.' if owner else ''}{node.name}({arguments}){returns}"


def documented(node: ast.ClassDef | ast.FunctionDef) -> str:
    text = ast.get_docstring(node) or ""
    return f'<div class="words python">{html.escape(text, quote=False)}</div>\n\n' if text else ""


def is_property(node: ast.FunctionDef) -> bool:
    return any(ast.unparse(d) == "property" for d in node.decorator_list)


def python_function(node: ast.FunctionDef, owner: str, prefix: str) -> str:
    name = f"{owner}.{node.name}" if owner else node.name
    kind = f"{name} -> {ast.unparse(node.returns)}" if is_property(node) and node.returns else signature(node, owner)
    return f"### {prefix}{name} {{ #{name} }}\n\n```python\n{kind}\n```\n\n{documented(node)}"


def public(nodes: list[ast.stmt], kind: type) -> list:
    return [n for n in nodes if isinstance(n, kind) and not n.name.startswith("_")]


def python_page(source: Path) -> str:
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, str(source / "python/generate.py"), str(source / "include"), folder]
        subprocess.run(command, check=True)
        core = ast.parse((Path(folder) / "_core.pyi").read_text()).body
    files = [ast.parse(p.read_text()).body for p in sorted((source / "python/jounce").glob("_[a-z]*.py"))]
    exported = set(re.findall(r'^    "(\w+)",$', (source / "python/jounce/__init__.py").read_text(), re.M))
    made = "---\nsearch:\n  boost: 0.3\n---\n# Python reference\n\nEvery function of the package; the [tutorial](python.md) shows how to use it. "
    made += "`[..., nq]`: any number of leading axes, one state for each.\n\n"
    classes: dict[str, list[ast.ClassDef]] = {}
    for body in [core, *files]:
        for node in public(body, ast.ClassDef):
            if body is core or node.name in exported:
                classes.setdefault(node.name, []).append(node)
    functions = {n.name: n for body in files for n in public(body, ast.FunctionDef) if n.name in exported}
    made += "## Functions\n\n" + "".join(python_function(n, "", "jounce.") for n in functions.values())
    for name, nodes in classes.items():
        made += f"## {name}\n\n" + "".join(documented(n) for n in reversed(nodes))
        methods = {m.name: m for node in nodes for m in public(node.body, ast.FunctionDef)}
        made += "".join(python_function(m, name, "") for m in methods.values())
    rest = [n for n in public(core, ast.FunctionDef) if n.name not in functions]
    made += "## Functions without a model\n\n" + "".join(python_function(n, "", "jounce.") for n in rest)
    return made


def pages(source: Path) -> Iterator[tuple[str, str]]:
    yield from c_pages(source)
    yield "python-reference.md", python_page(source)
