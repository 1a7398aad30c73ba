# SPDX-License-Identifier: BSD-2-Clause
"""Learns the viscous friction of the Panda's joints from a motion, by backpropagation through the simulator.

The motion is simulated with friction that the learner does not know. Its own simulation, semi-implicit Euler in a
jax.lax.scan, calls forward dynamics of jounce; the gradient of the squared error comes back through all steps.
"""

import jax
import jax.numpy as jnp
import numpy as np

import jounce
from jounce.jax import operation

jax.config.update("jax_enable_x64", True)
STEP, STEPS = 0.002, 150


def main():
    panda = jounce.load("builtin:panda")
    forward_dynamics = operation(panda, "forward_dynamics")
    rng = np.random.default_rng(3)
    q0 = jnp.array([0.0, -0.6, 0.0, -2.2, 0.0, 1.6, 0.8])
    wave = rng.normal(size=(3, 7)) * [8, 8, 6, 6, 0.6, 0.6, 0.1]
    time = np.arange(STEPS)[:, None] * STEP
    tau = panda.gravity_forces(np.asarray(q0)) + sum(w * np.sin((k + 2) * 6 * time) for k, w in enumerate(wave))

    def simulate(friction):
        def advance(state, tau):
            q, v = state
            v = v + STEP * forward_dynamics(q, v, tau - friction * v)
            q = q + STEP * v
            return (q, v), q

        return jax.lax.scan(advance, (q0, jnp.zeros(7)), jnp.asarray(tau))[1]

    true = jnp.array([1.5, 2.0, 1.0, 1.5, 0.2, 0.1, 0.02])
    measured = simulate(true) + 1e-5 * rng.normal(size=(STEPS, 7))

    @jax.jit
    def improve(friction, damping):
        """A step of Gauss and Newton, with the Jacobian of the whole motion."""
        error = simulate(friction) - measured
        J = jax.jacfwd(simulate)(friction).reshape(-1, 7)
        gradient = jax.grad(lambda f: jnp.sum((simulate(f) - measured) ** 2) / 2)(friction)
        return friction - jnp.linalg.solve(J.T @ J + damping * jnp.eye(7), gradient), jnp.sqrt(jnp.mean(error**2))

    friction = jnp.zeros(7)
    for k in range(6):
        friction, error = improve(friction, 1e-9)
        print(f"{k}: rms error {error:.2e} rad, friction {np.array2string(np.asarray(friction), precision=3)}")
    assert np.abs(friction / true - 1).max() < 0.02, friction


if __name__ == "__main__":
    main()
