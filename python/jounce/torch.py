# SPDX-License-Identifier: BSD-2-Clause
"""Dynamics as PyTorch functions on the CPU, with backward, double backward, forward mode and vmap.

    from jounce.torch import operation
    forward_dynamics = operation(model, "forward_dynamics")          # (q, v, tau) -> a

Tensors may have any leading axes; float32 and float64.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch.autograd import Function

from ._differentiable import Operation
from ._model import Model


def _host(op: Operation, name: str, *tensors: Any) -> Any:
    for t in tensors:
        if t.device.type != "cpu":
            raise ValueError(f"{op.name}(): tensors must be on the CPU, not on {t.device}")
    result = getattr(op, name)(*[t.detach().numpy() for t in tensors])
    return torch.from_numpy(np.ascontiguousarray(result, dtype=tensors[0].detach().numpy().dtype))


class _Base(Function):  # type: ignore[misc, unused-ignore]
    """Operations on x and further vectors with the same leading axes; the last argument is the Operation."""

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        *tensors, ctx.op = inputs
        ctx.save_for_backward(*tensors)
        ctx.save_for_forward(*tensors)

    @classmethod
    def batched(cls, info: Any, in_dims: Any, *inputs: Any) -> Any:
        *tensors, op = inputs
        moved = [
            t.expand(info.batch_size, *t.shape) if d is None else t.movedim(d, 0) for t, d in zip(tensors, in_dims)
        ]
        return cls.apply(*moved, op), 0


class _Value(_Base):
    @staticmethod
    def forward(x: Any, op: Operation) -> Any:
        return _host(op, "value", x)

    @staticmethod
    def backward(ctx: Any, y: Any) -> Any:
        (x,) = ctx.saved_tensors
        return _Adjoint.apply(x, y, ctx.op), None

    @staticmethod
    def jvp(ctx: Any, t: Any, _: Any) -> Any:
        (x,) = ctx.saved_tensors
        return _Linear.apply(x, t, ctx.op)

    @staticmethod
    def vmap(info: Any, in_dims: Any, *inputs: Any) -> Any:
        return _Value.batched(info, in_dims, *inputs)


class _Linear(_Base):
    """J(x) t."""

    @staticmethod
    def forward(x: Any, t: Any, op: Operation) -> Any:
        return _host(op, "linear", x, t)

    @staticmethod
    def backward(ctx: Any, y: Any) -> Any:
        x, t = ctx.saved_tensors
        return _Curvature.apply(x, y, t, ctx.op), _Adjoint.apply(x, y, ctx.op), None

    @staticmethod
    def vmap(info: Any, in_dims: Any, *inputs: Any) -> Any:
        return _Linear.batched(info, in_dims, *inputs)


class _Adjoint(_Base):
    """J(x)^T y."""

    @staticmethod
    def forward(x: Any, y: Any, op: Operation) -> Any:
        return _host(op, "adjoint", x, y)

    @staticmethod
    def backward(ctx: Any, w: Any) -> Any:
        x, y = ctx.saved_tensors
        return _Curvature.apply(x, y, w, ctx.op), _Linear.apply(x, w, ctx.op), None

    @staticmethod
    def vmap(info: Any, in_dims: Any, *inputs: Any) -> Any:
        return _Adjoint.batched(info, in_dims, *inputs)


class _Curvature(_Base):
    """H(y) s, without derivatives of its own: these would be third ones."""

    @staticmethod
    def forward(x: Any, y: Any, s: Any, op: Operation) -> Any:
        return _host(op, "curvature", x, y, s)

    @staticmethod
    def backward(ctx: Any, w: Any) -> Any:
        raise NotImplementedError(f"jounce.torch: {ctx.op.name} has no third derivatives")

    @staticmethod
    def vmap(info: Any, in_dims: Any, *inputs: Any) -> Any:
        return _Curvature.batched(info, in_dims, *inputs)


def operation(model: Model | str, name: str, **options: Any) -> Callable[..., Any]:
    """A PyTorch function of the model; names, inputs, outputs and options as in jounce.jax.operation()."""
    op = Operation(model, name, options)

    def function(*inputs: Any) -> Any:
        if len(inputs) != len(op.inputs):
            raise TypeError(f"{name}() takes {', '.join(op.inputs)}: {len(op.inputs)} tensors, not {len(inputs)}")
        for t, size, given in zip(inputs, op.in_sizes, op.inputs):
            if t.ndim < 1 or t.shape[-1] != size:
                raise ValueError(f"{name}(): {given} has shape {tuple(t.shape)}, expected (..., {size})")
        lead = torch.broadcast_shapes(*[t.shape[:-1] for t in inputs])
        x = torch.cat([t.expand(*lead, t.shape[-1]) for t in inputs], dim=-1)
        y = _Value.apply(x, op)
        flat = torch.split(y, [int(np.prod(shape)) for shape in op.out_shapes], dim=-1)
        parts = [part.reshape(*lead, *shape) for part, shape in zip(flat, op.out_shapes)]
        return parts[0] if len(parts) == 1 else tuple(parts)

    function.__name__ = name
    return function
