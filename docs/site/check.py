# SPDX-License-Identifier: BSD-2-Clause
"""Checks a built site: check.py FOLDER

Every link leads to a file and an anchor that exist, and nothing is loaded from another place than the site.
"""

from __future__ import annotations

import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

LOADS = {("script", "src"), ("img", "src"), ("link", "href"), ("iframe", "src"), ("source", "src"), ("video", "src")}


class Page(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[tuple[str, str, str]] = []
        self.anchors: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        for key in ("id", "name"):
            if values.get(key):
                self.anchors.add(str(values[key]))
        for key in ("href", "src"):
            if values.get(key) is not None:
                self.links.append((tag, key, str(values[key])))


def main() -> int:
    root = Path(sys.argv[1]).resolve()
    paths = [p for p in sorted(root.rglob("*.html")) if "app" not in p.relative_to(root).parts]
    pages = {path: Page(path.read_text()) for path in paths}
    faults: list[str] = []
    count = 0
    for path, page in pages.items():
        if path.name == "404.html":
            continue
        for tag, key, link in page.links:
            parts = urlsplit(link)
            name = path.relative_to(root)
            if parts.scheme in ("http", "https") or parts.netloc:
                if (tag, key) in LOADS and not (tag == "link" and "canonical" in link):
                    faults.append(f"{name}: {tag} loads {link} from another place")
                continue
            if parts.scheme:
                continue
            count += 1
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            target = target / "index.html" if target.is_dir() else target
            if not target.exists():
                faults.append(f"{name}: link to {link}: no such file")
            elif parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].anchors:
                if not parts.fragment.startswith("__"):
                    faults.append(f"{name}: link to {link}: no such anchor")
    for path in root.rglob("*.css"):
        for link in re.findall(r"url\(([^)]+)\)", path.read_text()):
            link = link.strip("'\"")
            if re.match(r"https?:|//", link):
                faults.append(f"{path.relative_to(root)}: loads {link}")
    for fault in sorted(set(faults)):
        print(fault)
    print(f"{len(pages)} pages, {count} links, {len(set(faults))} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
