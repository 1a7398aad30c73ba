# SPDX-License-Identifier: BSD-2-Clause
"""Messages and docstrings: they name the right argument, in the words of Python."""

from __future__ import annotations

import inspect
import re
import unittest

import jounce

# Words of C and of the command line, which have no meaning in Python.
FORBIDDEN = re.compile(
    r"\bJN_\w+|\bjnf?_\w+|\bNULL\b|\bINFINITY\b|\bNAN\b|\bmalloc\b|\bsizeof\b|(?<![\w-])--[a-z]\w*|\bstruct\b|"
    r"\bfrees?\b.*\bmemory\b|\ballocator\b|\bdouble \*|`jounce \w+|\bTry: jounce\b|\bjounce (?:info|check|view|torque)\b"
)


def bad_words(text: str) -> list[str]:
    return sorted({match[0] for match in FORBIDDEN.finditer(text)})


class Words(unittest.TestCase):
    def test_docstrings_are_in_python(self) -> None:
        """All docstrings of the package, of its classes and of what these have."""
        found, seen = {}, 0
        scopes = [jounce, jounce._core, *vars(jounce).values(), *vars(jounce._core).values()]
        for scope in scopes:
            if not inspect.isclass(scope) and scope is not jounce and scope is not jounce._core:
                continue
            for name, value in [("", scope), *vars(scope).items()]:
                text = getattr(value, "__doc__", None)
                if not isinstance(text, str) or isinstance(value, (str, tuple, int)) or name.startswith("__"):
                    continue
                seen += 1
                if bad_words(text):
                    found[f"{scope.__name__}.{name}"] = bad_words(text)
        self.maxDiff = None
        self.assertEqual(found, {})
        self.assertGreater(seen, 400)

    def test_errors_are_exceptions_that_exist(self) -> None:
        """What docstrings say is raised is a class of jounce or of Python."""
        text = " ".join(
            str(v.__doc__) for c in vars(jounce._core).values() if inspect.isclass(c) for v in vars(c).values()
        )
        names = set(re.findall(r"\b[A-Z]\w*Error\b", text))
        self.assertGreater(len(names), 8)
        unknown = [
            name for name in names if not hasattr(jounce, name) and name not in ("MemoryError", "KeyboardInterrupt")
        ]
        self.assertEqual(unknown, [])


if __name__ == "__main__":
    unittest.main()
