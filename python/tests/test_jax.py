# SPDX-License-Identifier: BSD-2-Clause
"""jounce.jax: jax.test_util.check_grads of every operation, forwards and backwards, twice; jit, vmap, float32, and what
is refused. Skipped if jax is not installed."""

from __future__ import annotations

import sys
import unittest

import numpy as np

import jounce

try:
    import jax
except ImportError:
    print("jax is not installed: skipped")
    sys.exit(77)

import jax.numpy as jnp
from jax.test_util import check_grads

from jounce._differentiable import Operation
from jounce.jax import operation

jax.config.update("jax_enable_x64", True)
SEED = 5
ROBOTS = {
    "double_pendulum": (
        "inverse_dynamics",
        "forward_dynamics",
        "step",
        "frames",
        "momentum",
        "mass_matrix",
        "gravity",
        "torque_rate",
    ),
    "quadruped": ("forward_dynamics",),
    "four_bar": ("loops_conditions",),
}
panda = jounce.load("builtin:panda")


def inputs(model: jounce.Model, name: str) -> list[np.ndarray]:
    rng = np.random.default_rng(SEED)
    count = len(Operation(model, name, {}).inputs)
    q = model.neutral() + 0.1 * rng.normal(size=model.nq) * (name != "loops_conditions")
    return [q, *(rng.normal(size=model.nv) for _ in range(count - 1))]


class Gradients(unittest.TestCase):
    def test_every_operation(self) -> None:
        for robot, names in ROBOTS.items():
            model = jounce.load(f"builtin:{robot}")
            for name in names:
                with self.subTest(robot=robot, name=name):
                    order = 1 if robot == "quadruped" else 2
                    check_grads(operation(model, name), inputs(model, name), order=order, modes=("fwd", "rev"), eps=1e-4,
                                rtol=1e-4, atol=1e-4)  # fmt: skip

    def test_gradients_are_the_library_s(self) -> None:
        q, v, tau = inputs(panda, "forward_dynamics")
        f = operation(panda, "forward_dynamics")
        J = jax.jacrev(f, argnums=(0, 1, 2))(q, v, tau)
        d = panda.forward_dynamics_derivatives(q, v, tau)
        for mine, theirs in zip(J, (d.da_dq, d.da_dv, d.da_dtau)):
            np.testing.assert_allclose(mine, theirs, rtol=1e-10, atol=1e-9)
        for mine, theirs in zip(jax.jacfwd(f, argnums=(0, 1, 2))(q, v, tau), J):
            np.testing.assert_allclose(mine, theirs, rtol=1e-10, atol=1e-9)
        H = jax.hessian(lambda t: (f(q, t, tau) ** 2).sum())(v)
        np.testing.assert_allclose(H, H.T, rtol=0, atol=1e-9 * np.abs(H).max())

    def test_third_derivatives_are_refused(self) -> None:
        f = operation(jounce.load("builtin:double_pendulum"), "forward_dynamics")
        with self.assertRaisesRegex(NotImplementedError, "third"):
            jax.jacfwd(jax.hessian(lambda q: f(q, q, q).sum()))(jnp.ones(2))


class Batches(unittest.TestCase):
    def test_jit_and_vmap(self) -> None:
        rng = np.random.default_rng(SEED)
        q, v, a = rng.normal(size=(3, 20, 7))
        f = operation(panda, "inverse_dynamics")
        expected = panda.inverse_dynamics(q, v, a)
        np.testing.assert_array_equal(jax.jit(f)(q, v, a), expected)
        np.testing.assert_array_equal(jax.jit(jax.vmap(f))(q, v, a), expected)
        np.testing.assert_array_equal(
            jax.vmap(f, in_axes=(1, None, 0))(q.T, v[0], a), panda.inverse_dynamics(q, v[0], a)
        )
        grads = jax.jit(jax.vmap(jax.grad(lambda *x: f(*x).sum())))(q, v, a)
        one = jax.grad(lambda *x: f(*x).sum())(q[3], v[3], a[3])
        np.testing.assert_allclose(grads[3], one, rtol=1e-12, atol=1e-12)

    def test_several_outputs_and_axes(self) -> None:
        rng = np.random.default_rng(SEED)
        q, v = rng.normal(size=(2, 4, 5, 7))
        position, rotation, twist = operation(panda, "frames")(q, v)
        self.assertEqual((position.shape, rotation.shape, twist.shape), ((4, 5, 3), (4, 5, 9), (4, 5, 6)))
        last = panda.frame_count - 1
        np.testing.assert_array_equal(position, panda.frame_pose(last, q)[..., :3, 3])

    def test_frames_by_name(self) -> None:
        """frames=: one row for each of them."""
        rng = np.random.default_rng(SEED)
        q, v = rng.normal(size=(2, 4, 7))
        names = ["panda_link4", "panda_flange"]
        position, _, twist = operation(panda, "frames", frames=names)(q, v)
        self.assertEqual((position.shape, twist.shape), ((4, 2, 3), (4, 2, 6)))
        for i, name in enumerate(names):
            np.testing.assert_array_equal(position[:, i], panda.frame_pose(name, q)[..., :3, 3])

    def test_float32(self) -> None:
        rng = np.random.default_rng(SEED)
        x = rng.normal(size=(3, 7)).astype(np.float32)
        for name in ("forward_dynamics", "step"):
            f = operation(panda, name)
            single, double = f(*x), f(*x.astype(np.float64))
            for a, b in zip(jax.tree.leaves(single), jax.tree.leaves(double)):
                self.assertEqual(a.dtype, jnp.float32)
                np.testing.assert_allclose(a, b, rtol=1e-3, atol=1e-2)
            self.assertEqual(
                jax.grad(lambda t, f=f: jax.tree.leaves(f(x[0], x[1], t))[0].sum())(x[2]).dtype, jnp.float32
            )

    def test_mistakes(self) -> None:
        f = operation(panda, "inverse_dynamics")
        with self.assertRaisesRegex(ValueError, r"v has shape \(3,\)"):
            f(np.zeros(7), np.zeros(3), np.zeros(7))
        with self.assertRaisesRegex(TypeError, "3 arrays, not 1"):
            f(np.zeros(7))
        with self.assertRaisesRegex(jounce.ArgumentError, "no function"):
            operation(panda, "dynamics")


if __name__ == "__main__":
    print(f"seed {SEED}")
    unittest.main()
