# SPDX-License-Identifier: BSD-2-Clause
"""Comments of the headers in the words of Python: None, exceptions, methods, and the short names of choices.

Sentences that make sense in C only are listed in REWORDED. One that is no longer in any header is reported as a mistake.
"""

from __future__ import annotations

import importlib.util
import re
import textwrap
from pathlib import Path

from description import Mistake
from headers import Headers
from methods import BY_HAND, CLASSES, Method, camel

WIDTH = 120  # of lines
# Methods whose compiled part is private: what users call instead.
PUBLIC = {
    "jn_load": "load",
    "jn_load_text": "loads",
    "jn_save_text": "to_json",
    "jn_elastic_load": "elastic",
    "jn_elastic_load_text": "elastic",
    "jn_batch_create": "set_threads",
}
# Numbers and values; other macros that are numbers come from the headers.
NUMBERS = {
    "JN_WORLD": "-1 (the world)",
    "JN_NONE": "-2 (none)",
    "JN_LIMITED_QUANTITIES": "10",
    "INFINITY": "inf",
    "NAN": "nan",
    "NULL": "None",
}
# Errors that Python makes impossible: structs are always set up.
IMPOSSIBLE = r"JN_ERR_(?:INIT|NULL)(?!\s*\()"
# Statuses that are exceptions of Python itself.
BUILT_IN = {"memory": "MemoryError", "stopped": "KeyboardInterrupt"}
# Sentences about pointers, memory and statuses: C -> Python. White space may differ.
REWORDED = {
    "jn_save: the file is written": "The file is written",
    "jn_save_text: *text is allocated by the options' allocator and ends in 0; release it with jn_text_free().": "",
    "On error *base is NULL.": "",
    "; options NULL: defaults.": ".",
    "options NULL: defaults.": "",
    "The model must live as long; memory comes from its allocator.": "",
    "The model must live as long.": "",
    "Its arrays live as long as the jn_elastic.": "",
    "the checks of jn_builder_freeze()": "the checks of Builder.build()",
    "(jn_batch_singular() says which), and those of jn_forward_dynamics_batch()":
        "(its state says which), and those of jn_forward_dynamics()",
    "Work of order K + 1; room [jn_jet_derivatives_room()] numbers.": "",
    "every computing function then returns JN_ERR_VARIANT.": "every function that computes then raises Error.",
    "A function of the user for jounce/simulation.h (jn_force_function) is a call of this one:":
        "The force function of a simulation can call it:",
    "reach may be NULL. JN_OK: reached. JN_ERR_REACH: not; q is then the nearest that was found, and reach says why.":
        "If they are not reached, q is the nearest that was found, and reach.outcome says why.",
    "they do not make it JN_ERR_REACH, but `worst`": "reach.outcome does not count them, but `worst`",
    "Stops with JN_ERR_REACH where it cannot go on: *time (may be NULL) is how far it came, q is there, and reach says":
        "Stops where it cannot go on: time is how far it came, q is there, and reach.outcome says",
    "Errors: those of path->at, too.": "Raises what path() raises, too.",
    "Returns JN_ERR_REACH then.": "",
    "*retimed is NULL, with JN_OK, if no speed is possible: *event (may be NULL) is then":
        "retimed is None if no speed is possible: event is then",
    "see jn_simulator_report;": "see report();",
    "never JN_BASE_AUTO": "never 'auto'",
    "Computes any set of jn_terms together": "Computes any set of terms together",
    "its type; JN_JOINT_TYPES if out of range": "its type",
    "(options not set up, or out of range)": "(options out of range)",
    "Errors of jn_inertia_to_log_cholesky(): JN_ERR_MODEL (the": "inertia_to_log_cholesky() raises ModelError (the",
    "*error (may be NULL) says what is wrong.": "",
    "*error (may be NULL) gets the first error with file, line and column; the options' report gets all messages.":
        "The exception has the first error with file, line and column; all warnings are given.",
    "*error (may be NULL) gets the first error with file, row and column; the options' report gets all messages.":
        "The exception has the first error with file, row and column; all warnings are given.",
    "On error *model is NULL.": "",
    "give a warning in the options' report.": "give a warning.",
    "Outputs may be NULL.": "",
    "; outputs may be NULL.": ".",
    "known part [channels] (either may be NULL)": "known part [channels]",
    "Either may be NULL.": "",
    "Any may be NULL.": "",
    "NaN: NULL.": "",
}  # fmt: skip


def exceptions() -> dict[str, str]:
    """Status without err_ -> name of the exception, as jounce/_errors.py has them."""
    path = Path(__file__).parent / "jounce" / "_errors.py"
    spec = importlib.util.spec_from_file_location("jounce_errors", path)
    if spec is None or spec.loader is None:
        raise Mistake(f"{path} cannot be read")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return {**{status: kind.__name__ for status, kind in module.KINDS.items()}, **BUILT_IN}


def pattern_of(sentence: str) -> re.Pattern[str]:
    """The sentence, wherever its lines are broken."""
    return re.compile(r"\s+".join(re.escape(word) for word in sentence.split()))


class Words:
    """Translates comments; made once, from all headers and methods."""

    def __init__(self, headers: Headers, methods: list[Method]) -> None:
        self.exceptions = exceptions()
        self.reworded = [(pattern_of(said), instead) for said, instead in REWORDED.items()]
        self.names = {function: place.removeprefix("Model.") for function, place in BY_HAND.items()}
        self.names |= {m.function.name: m.name.removeprefix("_") for m in methods} | PUBLIC
        self.owners = {m.function.name: m.owner for m in methods}
        self.properties = {m.function.name for m in methods if m.is_property}
        self.properties |= {function for function, place in BY_HAND.items() if "Error" in place}
        self.numbers = NUMBERS | headers.macros
        self.choices = {code: name for enum in headers.enums.values() for code, name in enum.codes.items()}
        self.structs = set(headers.structs) | headers.opaque
        self.check(headers)

    def check(self, headers: Headers) -> None:
        comments = [function.comment for function in headers.functions.values()]
        for (pattern, _), said in zip(self.reworded, REWORDED):
            if not any(pattern.search(comment) for comment in comments):
                raise Mistake(f"words.py: REWORDED has a sentence that no header has: {said!r}")

    def translate(self, method: Method) -> str:
        """The comment of a function, as users of its class read it."""
        text, owner = method.function.comment, method.owner
        for pattern, instead in self.reworded:
            text = pattern.sub(instead, text)

        # results are returned: nobody gives memory for them, or NULL
        for a in method.outputs:
            text = re.sub(rf"\b({a.name}(?:\s+\[[^\]]*\])?)\s+\(may\s+be\s+NULL\)", r"\1", text)

        # "Errors: JN_ERR_SIZE (order), ..." -> "Raises: ArgumentError (order), ..."
        text = re.sub(rf"{IMPOSSIBLE},\s*|,\s*{IMPOSSIBLE}(?=\.)", "", text)
        text = re.sub(r"\bErrors(?=[^.:]*:\s+(?:JN_ERR|those))", "Raises", text)
        text = text.replace("Raises also:", "Also raises:")
        text = re.sub(r"\bJN_ERR_([A-Z]+)\b", lambda m: self.exceptions.get(m[1].lower(), "Error"), text)
        text = re.sub(r"\b(\w*Error),\s+\1\b(?!\s*\()", r"\1", text)

        # functions, choices, numbers and structs
        text = re.sub(r"\b(jn_\w+?)(?:_(?=\*))?(\(\)|(?=\())", lambda m: self.function(m[1], m[2], owner), text)
        text = re.sub(r"\bJN_\w+\b|\bINFINITY\b|\bNAN\b|\bNULL\b", lambda m: self.word(m[0]), text)
        text = re.sub(r"\bjn_\w+\b", lambda m: self.struct(m[0]), text)

        # results are no pointers, and what was left out leaves no gaps
        text = re.sub(r"(?<=\s)\*(?=[a-z]\w\w)", "", text)
        text = re.sub(
            r"(?<=[.;)\]]) {2,}(?=[A-Z])|(?<=\n) (?=[A-Z]\w*[ (])", lambda m: " " if len(m[0]) > 1 else "", text
        )
        text = re.sub(r"[ \t]+(?=\n|$)", "", text).strip()
        return "\n".join(textwrap.fill(line, WIDTH) if len(line) > WIDTH else line for line in text.split("\n"))

    def function(self, name: str, brackets: str, owner: str) -> str:
        """jn_loops_gaps() in a class of its own, Loops.gaps() elsewhere; properties have no brackets."""
        shown = self.names.get(name)
        if shown is None:
            return name + brackets

        other = self.owners.get(name, owner)
        if other and other != owner:
            shown = f"{CLASSES[other][0]}.{shown}"
        return shown if name in self.properties else shown + brackets

    def word(self, code: str) -> str:
        if code in self.numbers:
            return self.numbers[code]
        return repr(self.choices[code]) if code in self.choices else code

    def struct(self, name: str) -> str:
        if name in CLASSES:
            return CLASSES[name][0]
        if name in self.structs:
            return camel(name.removeprefix("jn_"))
        return self.names.get(name, name)
