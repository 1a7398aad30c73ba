# SPDX-License-Identifier: BSD-2-Clause
"""Robot dynamics and all their derivatives.

>>> import jounce
>>> panda = jounce.load("builtin:panda")
>>> tau = panda.inverse_dynamics(panda.neutral())
"""

from __future__ import annotations

import os as _os

import numpy as _np

from . import _core, _glue, _results, constants
from ._core import *  # noqa: F403 - the functions of the library that need no model: so3_exp(), ...
from ._core import Simulator, set_threads
from ._errors import (
    ArgumentError,
    Error,
    FileError,
    LoopError,
    ModelError,
    ModelWarning,
    NotFoundError,
    SingularError,
    StepError,
    UnsupportedError,
)
from ._model import Builder, Elastic, Joint, Limits, Model, Trajectory, builtins, from_dict, load, loads
from ._objects import BaseParameters, Function, Loops, Tasks
from ._plot import plot
from ._show import show
from ._simulate import Simulation, simulate

_sample = _np.arange(6.0).reshape(2, 3)
_core._setup(
    samples=(_sample, _sample.ctypes.data, _sample.T),
    api=getattr(getattr(getattr(_np, "_core", None) or _np.core, "_multiarray_umath", None), "_ARRAY_API", None),
    ndarray=_np.ndarray,
    float64=_np.dtype(_np.float64),
    convert=_glue.convert,
    expand=_glue.expand,
    mask=_glue.mask,
    failed=_glue.failed,
    unknown=_glue.unknown,
    perturbations=_glue.perturbations,
    masked=_np.ma.MaskedArray,
    stack=_glue.stack,
    empty=_np.empty,
    float32=_np.dtype(_np.float32),
    uint8=_np.dtype(_np.uint8),
    int8=_np.dtype(_np.int8),
    results=_results,
    warn=_glue.warn,
    callback=_glue.callback,
    Model=Model,
    Elastic=Elastic,
    Loops=Loops,
    Function=Function,
    Tasks=Tasks,
    Trajectory=Trajectory,
    Simulator=Simulator,
    BaseParameters=BaseParameters,
)
# The threads of OpenMP do not survive fork(): batches of a child process run in its own thread.
if hasattr(_os, "register_at_fork"):
    _os.register_at_fork(after_in_child=lambda: set_threads(1))

__version__ = _core.version()

__all__ = [
    "ArgumentError",
    "BaseParameters",
    "Builder",
    "Error",
    "FileError",
    "Joint",
    "Limits",
    "LoopError",
    "Loops",
    "Model",
    "ModelError",
    "ModelWarning",
    "NotFoundError",
    "Simulation",
    "Simulator",
    "SingularError",
    "StepError",
    "Trajectory",
    "UnsupportedError",
    "builtins",
    "constants",
    "from_dict",
    "load",
    "loads",
    "plot",
    "set_threads",
    "show",
    "simulate",
]
