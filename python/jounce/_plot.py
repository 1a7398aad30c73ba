# SPDX-License-Identifier: BSD-2-Clause
"""Plots of motions and torques by matplotlib, if it is installed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

if TYPE_CHECKING:
    from . import _core
    from ._model import Model


def sampled(trajectory: _core.Trajectory, count: int = 400) -> tuple[Any, Any, Any, Any]:
    """Times, positions, velocities and torques of a trajectory."""
    t = np.linspace(trajectory.start, trajectory.end, count)
    q, v_jet = trajectory.evaluate(t, order=0)
    tau = trajectory.model.inverse_dynamics_jet(q, v_jet)[:, 0]
    return t, q, v_jet[:, 0], tau


def plot(
    motion: _core.Trajectory | tuple[ArrayLike, ArrayLike],
    torques: ArrayLike | None = None,
    limits: bool | Model = True,
    joints: list[str] | None = None,
    axes: Any = None,
) -> Any:
    """Plots positions, velocities and torques over time; returns the figure.

    motion: a trajectory, or (t [n], q [n x nq]). torques [n x nv]: instead of those of inverse dynamics. limits: draws
    those of the model, which goes with the trajectory or is given here. joints: names of coordinates; default all.
    """
    try:
        import matplotlib.pyplot as plt
    except ImportError as missing:
        raise ImportError("jounce.plot() needs matplotlib: pip install matplotlib") from missing
    velocity = None
    if isinstance(motion, tuple):
        t, q = (np.asarray(part, np.float64) for part in motion)
        model = limits if not isinstance(limits, bool) else None
    else:
        t, q, velocity, tau = sampled(motion)
        model = limits if not isinstance(limits, bool) else motion.model
        torques = tau if torques is None else torques
    names = list(model.v_names) if model is not None else [f"coordinate {i}" for i in range(q.shape[1])]
    rows = [("position [rad, m]", q, ("lower", "upper")), ("velocity [rad/s, m/s]", velocity, ("velocity",)),
            ("torque [N m, N]", None if torques is None else np.asarray(torques), ("effort",))]  # fmt: skip
    shown: list[tuple[str, Any, tuple[str, ...]]] = [row for row in rows if row[1] is not None]
    figure = None
    if axes is None:
        figure, axes = plt.subplots(len(shown), 1, sharex=True, figsize=(8, 2.6 * len(shown)), squeeze=False)
        axes = axes[:, 0]
    for axis, (label, values, limit_names) in zip(axes, shown):
        for i in range(values.shape[1]):
            name = names[i] if values.shape[1] == len(names) else f"{i}"
            if joints is not None and name not in joints:
                continue
            (line,) = axis.plot(t, values[:, i], label=name)
            if limits and model is not None and values.shape[1] == model.nv:
                draw_limits(axis, model, limit_names, i, line.get_color())
        axis.set_ylabel(label)
        axis.grid(True, alpha=0.3)
    axes[-1].set_xlabel("time [s]")
    axes[0].legend(fontsize="small", ncols=2)
    return figure if figure is not None else axes[0].figure


def draw_limits(axis: Any, model: Model, names: tuple[str, ...], i: int, color: Any) -> None:
    for name in names:
        value = getattr(model.limits, name)[i]
        signs = (1,) if name in ("lower", "upper") else (1, -1)
        for sign in signs:
            if np.isfinite(value):
                axis.axhline(sign * value, color=color, linestyle=":", linewidth=0.8)
