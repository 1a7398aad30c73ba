# SPDX-License-Identifier: BSD-2-Clause
"""Dynamics as JAX functions on the CPU, differentiable forwards and backwards, twice, and under jit and vmap.

    from jounce.jax import operation
    forward_dynamics = operation(model, "forward_dynamics")          # (q, v, tau) -> a
    jax.grad(lambda tau: forward_dynamics(q, v, tau).sum())(tau)

Arrays may have any leading axes. float64 needs jax.config.update("jax_enable_x64", True). A third derivative is refused.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend.core import Primitive
from jax.interpreters import ad, batching, mlir

from ._differentiable import Operation
from ._model import Model

# Each primitive calls the method of the same name of the operation in its parameter `op`. The first argument is x; all
# are vectors with the same leading axes.
_primitives: dict[str, Primitive] = {}
_RESULT = {"value": "m", "linear": "m", "adjoint": "n", "curvature": "n", "along": "m"}


def _host(name: str, op: Operation, *arguments: Any) -> Any:
    return getattr(op, name)(*[np.asarray(a) for a in arguments])


def _make(name: str) -> Primitive:
    p = Primitive(f"jounce_{name}")

    def shape_of(*arguments: Any, op: Operation) -> Any:
        x = arguments[0]
        return jax.core.ShapedArray((*x.shape[:-1], getattr(op, _RESULT[name])), x.dtype)

    def call(*arguments: Any, op: Operation) -> Any:
        x = arguments[0]
        result = jax.ShapeDtypeStruct((*x.shape[:-1], getattr(op, _RESULT[name])), x.dtype)
        return jax.pure_callback(lambda *a: _host(name, op, *a), result, *arguments, vmap_method="broadcast_all")

    def batch(arguments: Any, axes: Any, *, op: Operation) -> Any:
        size = next(a.shape[i] for a, i in zip(arguments, axes) if i is not None)
        moved = [jnp.broadcast_to(a, (size, *a.shape)) if i is None else jnp.moveaxis(a, i, 0)
                 for a, i in zip(arguments, axes)]  # fmt: skip
        return p.bind(*moved, op=op), 0

    p.def_abstract_eval(shape_of)
    p.def_impl(jax.jit(call, static_argnames="op"))
    mlir.register_lowering(p, mlir.lower_fun(call, multiple_results=False))
    batching.primitive_batchers[p] = batch
    _primitives[name] = p
    return p


_value, _linear, _adjoint, _curvature, _along = (_make(name) for name in _RESULT)


def _is_zero(t: Any) -> bool:
    return type(t) is ad.Zero


def _add(a: Any, b: Any) -> Any:
    return b if a is None else a + b


def _value_jvp(primals: Any, tangents: Any, *, op: Operation) -> Any:
    (x,), (t,) = primals, tangents
    return _value.bind(x, op=op), _linear.bind(x, ad.instantiate_zeros(t), op=op)


def _linear_jvp(primals: Any, tangents: Any, *, op: Operation) -> Any:
    """J(x) t: linear in t; along s, x changes it by t^T H s."""
    (x, t), (dx, dt), total = primals, tangents, None
    if not _is_zero(dx):
        total = _add(total, _along.bind(x, t, dx, op=op))
    if not _is_zero(dt):
        total = _add(total, _linear.bind(x, dt, op=op))
    return _linear.bind(x, t, op=op), total


def _adjoint_jvp(primals: Any, tangents: Any, *, op: Operation) -> Any:
    (x, y), (dx, dy), total = primals, tangents, None
    if not _is_zero(dx):
        total = _add(total, _curvature.bind(x, y, dx, op=op))
    if not _is_zero(dy):
        total = _add(total, _adjoint.bind(x, dy, op=op))
    return _adjoint.bind(x, y, op=op), total


def _linear_transpose(ct: Any, x: Any, t: Any, *, op: Operation) -> Any:
    return None, _adjoint.bind(x, ct, op=op)


def _adjoint_transpose(ct: Any, x: Any, y: Any, *, op: Operation) -> Any:
    return None, _linear.bind(x, ct, op=op)


def _curvature_transpose(ct: Any, x: Any, y: Any, s: Any, *, op: Operation) -> Any:
    """H(y) s, symmetric in what it is multiplied with, and linear in y."""
    if ad.is_undefined_primal(s):
        return None, None, _curvature.bind(x, y, ct, op=op)
    return None, _along.bind(x, s, ct, op=op), None


def _along_transpose(ct: Any, x: Any, t: Any, s: Any, *, op: Operation) -> Any:
    if ad.is_undefined_primal(s):
        return None, None, _curvature.bind(x, ct, t, op=op)
    return None, _curvature.bind(x, ct, s, op=op), None


def _second_jvp(p: Primitive) -> Callable[..., Any]:
    """Of what is linear in its last two arguments: in x it would be a third derivative."""

    def rule(primals: Any, tangents: Any, *, op: Operation) -> Any:
        (x, a, b), (dx, da, db), total = primals, tangents, None
        if not _is_zero(dx):
            raise NotImplementedError(f"jounce.jax: {op.name} has no third derivatives")
        if not _is_zero(da):
            total = _add(total, p.bind(x, da, b, op=op))
        if not _is_zero(db):
            total = _add(total, p.bind(x, a, db, op=op))
        return p.bind(x, a, b, op=op), total

    return rule


ad.primitive_jvps[_value] = _value_jvp
ad.primitive_jvps[_linear] = _linear_jvp
ad.primitive_jvps[_adjoint] = _adjoint_jvp
ad.primitive_jvps[_curvature] = _second_jvp(_curvature)
ad.primitive_jvps[_along] = _second_jvp(_along)
ad.primitive_transposes[_linear] = _linear_transpose
ad.primitive_transposes[_adjoint] = _adjoint_transpose
ad.primitive_transposes[_curvature] = _curvature_transpose
ad.primitive_transposes[_along] = _along_transpose


def operation(model: Model | str, name: str, **options: Any) -> Callable[..., Any]:
    """A JAX function of the model: "inverse_dynamics" (q, v, a) -> tau, "forward_dynamics" (q, v, tau) -> a,
    "step" (q, v, tau) -> q_next, v_next (options step, integrator, losses, friction_speed), "frames" (q, v) -> position,
    rotation (columns), twist of the last frame, or with frames=[names] one row for each of them,
    "momentum" (q, v) -> momentum, com, "mass_matrix" (q) -> M, "gravity" (q) -> tau,
    "torque_rate" (q, v, a, j) -> tau, tau_rate, with the jerk j, and with loops
    "loops_forward_dynamics" (q, v, tau) -> a, lambda, "loops_conditions" (q, v) -> phi, phidot.
    """
    op = Operation(model, name, options)

    def function(*inputs: Any) -> Any:
        if len(inputs) != len(op.inputs):
            raise TypeError(f"{name}() takes {', '.join(op.inputs)}: {len(op.inputs)} arrays, not {len(inputs)}")
        arrays = [jnp.asarray(a) for a in inputs]
        kind = jnp.result_type(jnp.float32, *arrays)
        for a, size, given in zip(arrays, op.in_sizes, op.inputs):
            if a.ndim < 1 or a.shape[-1] != size:
                raise ValueError(f"{name}(): {given} has shape {a.shape}, expected (..., {size})")
        lead = jnp.broadcast_shapes(*[a.shape[:-1] for a in arrays])
        x = jnp.concatenate([jnp.broadcast_to(a, (*lead, a.shape[-1])).astype(kind) for a in arrays], axis=-1)
        y = _value.bind(x, op=op)
        ends = np.cumsum([int(np.prod(shape)) for shape in op.out_shapes])[:-1]
        parts = [part.reshape(*lead, *shape) for part, shape in zip(jnp.split(y, ends, axis=-1), op.out_shapes)]
        return parts[0] if len(parts) == 1 else tuple(parts)

    function.__name__ = name
    return function
