# SPDX-License-Identifier: BSD-2-Clause
"""Named integers of the library: Integrator.RK4, Representation.WORLD, Identify.INERTIA | Identify.ROTOR, ...

Where a function takes one of these, it also takes its name as a string: integrator="rk4". Made from the headers.
"""

from ._results import (
    About,
    BaseClass,
    BaseMethod,
    Format,
    FunctionKind,
    Happened,
    Identify,
    Integrator,
    Interpolation,
    JointType,
    Language,
    Limited,
    LimitRule,
    LoopsChoice,
    LoopType,
    ReachOutcome,
    Representation,
    ScalarKind,
    Severity,
    Sines,
    Smoothing,
    Status,
    TaskType,
    Wrench,
)

__all__ = [
    "About",
    "BaseClass",
    "BaseMethod",
    "Format",
    "FunctionKind",
    "Happened",
    "Identify",
    "Integrator",
    "Interpolation",
    "JointType",
    "Language",
    "LimitRule",
    "Limited",
    "LoopType",
    "LoopsChoice",
    "ReachOutcome",
    "Representation",
    "ScalarKind",
    "Severity",
    "Sines",
    "Smoothing",
    "Status",
    "TaskType",
    "Wrench",
]
