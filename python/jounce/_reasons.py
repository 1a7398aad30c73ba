# SPDX-License-Identifier: BSD-2-Clause
"""Messages of the library in the words of Python: what is wrong with which argument, and remedies as keywords."""

from __future__ import annotations

import re
from typing import Any

# Texts of statuses that speak of C.
TEXTS = {
    "null": "an argument that this call needs is None or missing",
    "work": "the order is higher than this object, or the loops in it, were made for",
    "init": "options were not set up",
}
# Methods of simulators: which option `derivatives` they need, and the argument or result that needs 2.
DERIVATIVES = {
    "derivatives": (1, ""),
    "parameter_derivatives": (2, ""),
    "adjoint": (1, "df_dpi"),
    "second_derivatives": (3, ""),
    "rollout_forward": (1, "dpi_ds"),
    "rollout_adjoint": (1, "df_dpi"),
}
# Methods that look at the last step.
OF_LAST_STEP = ("derivatives", "parameter_derivatives", "adjoint", "second_derivatives")
FIXED_STEPS = ("rk4", "euler")

# Remedies of the command, and of options in C: what to write in Python instead.
REMEDIES = [
    (r"\(jounce eval MODEL --assemble, jn_loops_assemble\(\)\)", "(model.loops.assemble())"),
    (r"jounce check --repair OUT", "jounce.inertia_repair()"),
    (r"options\.ignore_mimic \(--mimic ignore\)", "mimic=False"),
    (r"jounce info shows the names of the joints", "model.joints has the names of the joints"),
    (r"that of jounce info;", "that of model.q_names;"),
    (r"jounce info shows (?:the names|them)", "model.q_names has the names"),
    (r"as in the columns of jounce torque --out", "as in model.v_names"),
    (r"; files without times: --sample-rate of identify, --waypoints of retime", ""),
    (r"\(of logs: --skip-bad\)", "(of logs: skip_bad=True)"),
    (r"max_bytes of the options, --max-bytes of the command", "max_bytes="),
    (r"\(max_bytes, --max-bytes\)", "(max_bytes)"),
    (r"option lenient, --lenient of the command", "lenient=True"),
    (r"or write a new one \(--fresh\)", "or write a new one (without original=)"),
    (r"--joint-order \(options\.joint_order\)", "joint_order="),
    (r"--gravity \(options\.gravity\)", "gravity="),
    (r"--floating \(options\.floating = 1\)", "floating=True"),
    (r" \(--split adds a link there\)", ""),
    (r"--missing neutral", "missing_neutral=True"),
    (r"--columns ([^\s;:]+)", r"columns='\1'"),
    (r"--unwrap\b", "unwrap=True"),
    (r"--tolerance ([\d.e+-]+|X)", r"tolerance=\1"),
    (r"a lower --order, where the command has one,", "a lower order"),
    (r"the robot comes first: jounce torque MODEL TRAJECTORY", "the robot is read by jounce.load()"),
    (r"use a jn_joint_type", "use a type of jounce.Builder"),
    (r"--(tolerance|lowpass|columns|order)\b", r"\1"),
]  # fmt: skip
PATTERNS = [(re.compile(pattern), instead) for pattern, instead in REMEDIES]


def in_python(text: str) -> str:
    """A message or a warning, with remedies that Python has."""
    if "--" in text or "jounce " in text or "jn_" in text:
        for pattern, instead in PATTERNS:
            text = pattern.sub(instead, text)
    return text


def integrator_of(given: dict[str, Any]) -> str:
    from . import _core

    value = given.get("integrator", "taylor")
    return value if isinstance(value, str) else str(_core.integrator_name(integrator=value))


def reason(function: str, code: str, given: dict[str, Any], missing: list[str]) -> str:
    """What is wrong, where the status alone would blame something else; empty: nothing more is known."""
    if code == "null" and missing:
        return f"{missing[0]} is needed here" if len(missing) == 1 else f"one of {', '.join(missing)} is needed here"

    if function == "simulator" and code == "size" and integrator_of(given) in FIXED_STEPS and not given.get("step"):
        return f"integrator '{integrator_of(given)}' needs the argument step: the length of its steps in seconds"

    if function == "simulator" and code == "work":
        return (
            f"integrator '{integrator_of(given)}' needs loops made for a higher order: model.loops_with(order=...), "
            "one less than the order of the Taylor series; or choose another integrator"
        )

    if function == "simulator" and code == "callback":
        return (
            "integrator 'taylor' needs time derivatives of force: force(t, q, v_jet, order) with force_order=...; or choose "
            "another integrator, such as 'dopri5'"
        )

    if function in DERIVATIVES and code == "unsupported":
        level, more = DERIVATIVES[function]
        also = f" (2 with {more})" if more else ""
        return f"it needs a simulator that was made with derivatives={level}{also}"

    if function in OF_LAST_STEP and code == "size":
        return "there is no whole step before: call step() first; a step that an event has ended has no derivatives"

    if function == "spectrum" and code == "index":
        return f"method is {given.get('method', 'auto')!r}, expected 'qr' or 'svd'"
    return ""
