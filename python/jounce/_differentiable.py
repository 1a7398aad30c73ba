# SPDX-License-Identifier: BSD-2-Clause
"""What jounce.jax and jounce.torch share: a function of a model with its derivatives, for arrays with leading axes.

Inputs come as arrays of their own and are one vector x here; derivatives by q are by its numbers, as in jounce/solvers.h.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._errors import ArgumentError
from ._model import Model, model_of

Array = NDArray[Any]
NAMES = (
    "inverse_dynamics",
    "forward_dynamics",
    "step",
    "frames",
    "momentum",
    "loops_forward_dynamics",
    "loops_conditions",
    "mass_matrix",
    "gravity",
    "torque_rate",
)


class Operation:
    """f(x) with J t, J^T y and H(y) s. Numbers are those of the arrays: float32 gives float32."""

    def __init__(self, model: Model | str, name: str, options: dict[str, Any]) -> None:
        model = model_of(model, "operation")
        if name not in NAMES:
            raise ArgumentError(f"there is no function {name!r}; there are {', '.join(NAMES)}")
        self.model, self.name = model, name
        kind: Any = name
        self.function = model.function(kind=kind, **options)
        self.inputs = [self.function.input_name(i) for i in range(self.function.inputs)]
        self.in_sizes = [self.function.input_size(i) for i in range(self.function.inputs)]
        self.out_shapes = []
        for i in range(self.function.outputs):
            size, rows = self.function.output_size(i), self.function.output_rows(i)
            self.out_shapes.append((size,) if rows == size else (size // rows, rows))
        self.n, self.m = self.function.n, self.function.m
        # batches in lanes and threads where the tangent space is that of the numbers
        self.is_plain = model.nq == model.nv and name in ("inverse_dynamics", "forward_dynamics")

    def split(self, x: Array) -> list[Array]:
        return np.split(x, np.cumsum(self.in_sizes)[:-1], axis=-1)

    def value(self, x: Array) -> Array:
        if self.is_plain:
            return np.asarray(getattr(self.model, self.name)(*self.split(x)))
        return np.asarray(self.function.value(x.astype(np.float64)), x.dtype)

    def adjoint(self, x: Array, y: Array) -> Array:
        """J^T y."""
        if self.is_plain:
            last = "df_da" if self.name == "inverse_dynamics" else "df_dtau"
            call = getattr(self.model, self.name + "_adjoint")
            also = () if self.name == "inverse_dynamics" else ("a",)  # which the function needs
            gradient = call(*self.split(x), y, want=("df_dq", "df_dv", last, *also))
            return np.concatenate([gradient.df_dq, gradient.df_dv, getattr(gradient, last)], axis=-1)
        return np.asarray(self.function.adjoint(x.astype(np.float64), y.astype(np.float64)), x.dtype)

    def linear(self, x: Array, t: Array) -> Array:
        """J t."""
        if self.is_plain:
            d = getattr(self.model, self.name + "_derivatives")(*self.split(x))
            by = (d.dtau_dq, d.dtau_dv, d.dtau_da) if self.name == "inverse_dynamics" else (d.da_dq, d.da_dv, d.da_dtau)
            return np.asarray(sum(np.einsum("...ij,...j->...i", J, s) for J, s in zip(by, self.split(t))))
        J = self.function.jacobian(x.astype(np.float64))
        return np.asarray(np.einsum("...ij,...j->...i", J, t), x.dtype)

    def curvature(self, x: Array, y: Array, s: Array) -> Array:
        """H(y) s: the change of J^T y along s."""
        H = self.function.hessian(x.astype(np.float64), y.astype(np.float64), want="H").H
        return np.asarray(np.einsum("...ij,...j->...i", H, s), x.dtype)

    def along(self, x: Array, t: Array, s: Array) -> Array:
        """The change of J t along s: t^T H_i s for every output i."""
        wide = x.astype(np.float64)
        rows = []
        for i in range(self.m):
            y = np.zeros((*x.shape[:-1], self.m))
            y[..., i] = 1
            rows.append(np.einsum("...i,...ij,...j->...", t, self.function.hessian(wide, y, want="H").H, s))
        return np.asarray(np.stack(rows, axis=-1), x.dtype)
