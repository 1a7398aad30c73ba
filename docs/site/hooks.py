# SPDX-License-Identifier: BSD-2-Clause
"""Hooks of MkDocs: formulas are rendered by KaTeX while the site is built, so that pages need no script for them."""

from __future__ import annotations

import html
import json
import re
import subprocess
from pathlib import Path

WEB = Path(__file__).parents[2] / "web"
# Pages of mathematics: indices in the running text are set as indices there, x_k and x_{k+1}.
INDEXED = {"dynamics.md", "jets.md", "derivatives.md", "regressors.md", "base-parameters.md", "loops.md", "tasks.md",
           "mathematics.md", "linearisation.md", "simulation.md", "conventions.md"}  # fmt: skip
INDEX = re.compile(r"(?<![\w/.])((?:[A-Za-zΑ-Ωα-ω][\u0300-\u036f′″]*){1,2})_(?:\{([^}<]+)\}|([A-Za-z0-9]{1,2}(?![A-Za-z0-9_])|given))")
RENDER = """
import katex from "katex";
import { readFileSync } from "node:fs";
const made = JSON.parse(readFileSync(0, "utf8")).map((tex) => katex.renderToString(tex, { displayMode: true, throwOnError: true, strict: "error", trust: false }));
process.stdout.write(JSON.stringify(made));
"""


def on_config(config):  # noqa: ANN001, ANN201
    """The headers and the example programs become part of the navigation, and pages that mkdocs.yml forgets."""
    pages = Path(config.docs_dir)
    reference = next(part["Reference"] for part in config.nav if "Reference" in part)
    reference.insert(2, {"Headers": [f"c/{path.name}" for path in sorted(pages.glob("c/*.md"))]})
    sources = sorted(str(path.relative_to(pages)) for path in pages.glob("examples/**/*.md") if path.name != "README.md")
    reference.append({"Example programs": sources})
    listed = set(re.findall(r"'([^']*\.md)'", repr(config.nav)))
    forgotten = sorted(path.name for path in pages.glob("*.md") if path.name not in listed)
    if forgotten:
        guides = next(part["Guides"] for part in config.nav if "Guides" in part)
        guides.append({"More": forgotten})
    return config


def formula_fence(source, language, css_class, options, md, **kwargs):  # noqa: ANN001, ANN003, ANN201
    """A block ```math: kept as text until the whole page is known."""
    return f'<div class="formula">{html.escape(source)}</div>'


def render(formulas: list[str], page: str) -> list[str]:
    command = ["node", "--input-type=module", "-e", RENDER]
    run = subprocess.run(command, input=json.dumps(formulas), capture_output=True, text=True, cwd=WEB, check=False)
    if run.returncode != 0:
        raise SystemExit(f"{page}: a formula cannot be rendered: {run.stderr.strip()}")
    return json.loads(run.stdout)


def indices(content: str) -> str:
    """x_k becomes x with an index, outside of code and formulas."""
    parts = re.split(r'(<pre.*?</pre>|<code.*?</code>|<div class="formula">.*?</div>|<[^>]*>)', content, flags=re.S)
    return "".join(
        part if i % 2 else INDEX.sub(lambda m: f"{m[1]}<sub>{m[2] or m[3]}</sub>", part) for i, part in enumerate(parts)
    )


def on_page_content(content: str, page, config, files) -> str:  # noqa: ANN001
    if page.file.src_uri in INDEXED:
        content = indices(content)
    pattern = re.compile(r'<div class="formula">(.*?)</div>', re.S)
    formulas = [html.unescape(text).strip() for text in pattern.findall(content)]
    if not formulas:
        return content
    made = iter(render(formulas, page.file.src_uri))
    return pattern.sub(lambda _: f'<div class="formula">{next(made)}</div>', content)
