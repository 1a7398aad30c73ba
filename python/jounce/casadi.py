# SPDX-License-Identifier: BSD-2-Clause
"""Dynamics as CasADi functions, with exact Jacobians and Hessians and no compiler.

    from jounce.casadi import Function
    forward_dynamics = Function(model, "forward_dynamics")
    step = Function(model, "step", step=0.02, integrator="rk4")

They are casadi.Function objects, made by casadi.external() from a copy of jounce's plugin that has the robot in it.
"""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ._differentiable import NAMES
from ._errors import ArgumentError, NotFoundError
from ._model import Model, model_of

_MARK = b"jounceCD"
_made: dict[bytes, str] = {}  # settings -> library
_folder: str | None = None


def _plugin() -> Path:
    given = os.environ.get("JOUNCE_CASADI_PLUGIN")
    path = Path(given) if given else Path(__file__).parent / "jounce_casadi.so"
    if not path.exists():
        raise NotFoundError(f"the plugin for CasADi is not part of this installation: {path} is missing")
    return path


def _settings(
    model: Model,
    step: float | None,
    integrator: str | None,
    losses: bool,
    friction_speed: float | None,
    frames: str | Sequence[str] | None,
) -> bytes:
    """Options line by line, an empty line, and the model: what plugin/settings.c reads."""
    lines = []
    for name, number in (("step", step), ("friction-speed", friction_speed)):
        if number is None:
            continue
        if not 0 < float(number) < 1e9:
            raise ArgumentError(f"{name} is {number}, expected a positive number")
        lines.append(f"--{name}={float(number)!r}")
    if integrator is not None:
        if integrator not in ("taylor", "dopri5", "rodas", "rk4", "euler"):
            raise ArgumentError(f"integrator is {integrator!r}, expected 'taylor', 'dopri5', 'rodas', 'rk4' or 'euler'")
        lines.append(f"--integrator={integrator}")
    if losses:
        lines.append("--losses")
    for frame in [frames] if isinstance(frames, str) else frames or ():
        if model.frame_index(frame) is None or "\n" in frame:
            from ._glue import unknown

            unknown("frame", frame, model)
        lines.append(f"--frame={frame}")
    return "".join(line + "\n" for line in lines).encode() + b"\n" + model.to_json().encode()


def _write(path: Path, settings: bytes) -> None:
    data = _plugin().read_bytes()
    if data[-8:] == _MARK:  # one that has a robot already
        data = data[: -int.from_bytes(data[-16:-8], "little") - 16]
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        beside.write_bytes(data + settings + len(settings).to_bytes(8, "little") + _MARK)
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)


def save(model: Model | str | os.PathLike[str], path: str | os.PathLike[str], *,
         step: float | None = None, integrator: str | None = None,
         losses: bool = False, friction_speed: float | None = None,
         frames: str | Sequence[str] | None = None) -> None:  # fmt: skip
    """Write a library with the robot in it, which casadi.external() loads anywhere."""
    _write(Path(path), _settings(model_of(model, "save"), step, integrator, losses, friction_speed, frames))


def Function(model: Model | str | os.PathLike[str], name: str, *, step: float | None = None, integrator: str | None = None,
             losses: bool = False, friction_speed: float | None = None,
             frames: str | Sequence[str] | None = None, options: dict[str, Any] | None = None) -> Any:  # fmt: skip
    """A casadi.Function of the model: "inverse_dynamics" (q, v, a) -> tau, "forward_dynamics" (q, v, tau) -> a,
    "step" (q, v, tau) -> q_next, v_next, "frames" (q, v) -> position, rotation, twist, "momentum" (q, v) -> momentum,
    com, "mass_matrix" (q) -> M, "gravity" (q) -> tau, "torque_rate" (q, v, a, j) -> tau, tau_rate,
    "loops_forward_dynamics" (q, v, tau) -> a, lambda, "loops_conditions" (q, v) -> phi, phidot. Instead of a model,
    a file that jounce.load() reads will do.

    step, integrator, losses and friction_speed are of "step", frames (names) of "frames"; options are given to
    casadi.external(). Derivatives by q are by its numbers; quaternions are normalised inside.
    """
    global _folder
    import casadi

    model = model_of(model, "Function")
    if name not in NAMES:
        raise ArgumentError(f"there is no function {name!r}; there are {', '.join(NAMES)}")
    if name.startswith("loops_") and not model.loop_names:
        raise ArgumentError(f"{name}: the model {model.name} has no loops")
    settings = _settings(model, step, integrator, losses, friction_speed, frames)
    if settings not in _made:
        if _folder is None:
            _folder = tempfile.mkdtemp(prefix="jounce-casadi-")
            atexit.register(shutil.rmtree, _folder, ignore_errors=True)
        path = Path(_folder) / f"robot{len(_made)}.so"
        _write(path, settings)
        _made[settings] = str(path)
    return casadi.external(name, _made[settings], options or {})
