# SPDX-License-Identifier: BSD-2-Clause
"""Puts the pages of the documentation site together: collect.py SOURCE OUT

Pages of docs/, README.md's neighbours, examples with their source text, and the reference of C and Python go to OUT.
Links between files of the repository become links between pages of the site.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import reference

LANGUAGES = {".c": "c", ".h": "c", ".py": "python", ".csv": "text", ".json": "json", ".cff": "yaml", ".gnuplot": "text",
             ".ipynb": "python"}  # fmt: skip
# Where a file of the repository is on the site; others keep their path.
QUIET = {"docs/verification.md", "docs/benchmarks.md", "CHANGELOG.md"}  # long lists: last among what a search finds
RENAMED = {"README.md": "index.md", "include/jounce": "api.md", "examples": "examples/README.md"}


def slug(text: str) -> str:
    """The anchor of a heading, as GitHub makes it."""
    text = re.sub(r"<[^>]*>", "", text).strip().lower()
    return re.sub(r"[^\w\- ]", "", text.replace("⁻", "")).replace(" ", "-")


def slugs():  # noqa: ANN201 - what the extension toc asks for
    return lambda text, separator: slug(text)


def place(path: str) -> str:
    """The page of a file of the repository."""
    if path in RENAMED:
        return RENAMED[path]
    if path.startswith("docs/"):
        return path.removeprefix("docs/")
    if path.startswith("include/jounce/"):
        return "c/" + Path(path).stem + ".md"
    if Path(path).suffix in LANGUAGES:
        return path + ".md"
    return path


def outside_of_code(text: str) -> list[tuple[bool, str]]:
    """The parts of a page: (is text, part)."""
    parts = re.split(r"(^```.*?^```[^\n]*$|`[^`\n]*`)", text, flags=re.M | re.S)
    return [(i % 2 == 0, part) for i, part in enumerate(parts)]


def notebook(text: str) -> str:
    """The cells of a notebook, one after the other."""
    cells = [(cell["cell_type"], "".join(cell["source"])) for cell in json.loads(text)["cells"]]
    return "\n\n".join(body if kind == "markdown" else f"```python\n{body}\n```" for kind, body in cells) + "\n"


class Collector:
    def __init__(self, source: Path, out: Path) -> None:
        self.source, self.out = source, out
        self.listed: set[str] = set()  # sources that pages link to

    def link(self, page: str, target: str) -> str:
        """A link of a page, for the site."""
        if re.match(r"[a-z]+:", target) or target.startswith("#"):
            return target
        file, _, anchor = target.partition("#")
        path = os.path.normpath(os.path.join(os.path.dirname(page), file)).replace("\\", "/")
        own = path.replace("docs/", "docs/site/pages/", 1)  # pages that only the site has
        if not (self.source / path).exists() and not (self.source / own).exists():
            raise SystemExit(f"{page}: link to {target}: no such file")
        if Path(path).suffix in LANGUAGES and not path.startswith("include/"):
            self.listed.add(path)
        relative = os.path.relpath(place(path), os.path.dirname(place(page)) or ".")
        return relative + ("#" + anchor if anchor else "")

    def page(self, path: str, text: str | None = None) -> None:
        text = (self.source / path).read_text() if text is None else text
        made = "".join(
            re.sub(r"(\]\()([^)\s]+)", lambda m: m[1] + self.link(path, m[2]), part) if plain else part
            for plain, part in outside_of_code(text)
        )
        # A link whose text is code is split above: [`model.h`](../include/jounce/model.h)
        made = re.sub(r"<!--.*?-->\n?", "", made, flags=re.S)
        self.write(place(path), ("---\nsearch:\n  boost: 0.2\n---\n" if path in QUIET else "") + made)

    def write(self, name: str, text: str) -> None:
        path = self.out / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def sources(self) -> None:
        """Source files that pages link to, each as a page."""
        for path in sorted(self.listed):
            content = (self.source / path).read_text()
            if path.endswith(".ipynb"):
                self.write(place(path), notebook(content))
                continue
            fence = LANGUAGES[Path(path).suffix]
            lines = content.split("\n")
            shown = "\n".join(lines[:200]) if fence == "text" and len(lines) > 200 else content.rstrip("\n")
            more = f"\nThe first 200 of {len(lines)} lines.\n" if len(lines) > 200 and fence == "text" else ""
            self.write(place(path), f"---\nsearch:\n  boost: 0.5\n---\n# {path}\n{more}\n```{fence}\n{shown}\n```\n")

    def comparison(self) -> str:
        """The text of docs/comparison.md, for the landing page."""
        text = (self.source / "docs/comparison.md").read_text().split("\n", 1)[1]
        return text.replace("](", "](docs/").replace("\n## ", "\n### ")


def main() -> int:
    source, out = Path(sys.argv[1]), Path(sys.argv[2])
    shutil.rmtree(out, ignore_errors=True)
    collector = Collector(source, out)
    for page in sorted(source.glob("docs/*.md")):
        collector.page(f"docs/{page.name}")
    for page in sorted(source.glob("docs/decisions/*.md")):
        collector.page(f"docs/decisions/{page.name}")
    for page in ("CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "examples/README.md"):
        collector.page(page)
    for page in sorted((source / "docs/site/pages").glob("*.md")):
        text = page.read_text().replace("<!-- comparison -->", collector.comparison())
        collector.page("README.md" if page.name == "index.md" else f"docs/{page.name}", text)
    shutil.copytree(source / "docs/pictures", out / "pictures")
    shutil.copytree(source / "docs/site/assets", out / "assets")
    for name, text in reference.pages(source):
        collector.write(name, text)
    collector.sources()
    return 0


if __name__ == "__main__":
    sys.exit(main())
