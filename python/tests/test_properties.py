# SPDX-License-Identifier: BSD-2-Clause
"""Laws of dynamics for random models and states, by hypothesis where it is installed."""

from __future__ import annotations

import sys
import unittest

import numpy as np
from support import random_model, random_state

try:
    from hypothesis import given, settings
    from hypothesis import strategies as st
except ImportError:
    print("hypothesis is not installed: skipped")
    sys.exit(77)

SEEDS = st.integers(0, 2**32 - 1)


class Laws(unittest.TestCase):
    @settings(max_examples=25, deadline=None)
    @given(SEEDS, st.integers(1, 9), st.lists(st.integers(0, 3), max_size=3))
    def test_forward_undoes_inverse(self, seed: int, links: int, shape: list[int]) -> None:
        """forward(q, v, inverse(q, v, a)) = a, for any leading axes."""
        model = random_model(seed, links)
        state = random_state(model, np.random.default_rng(seed), tuple(shape))
        tau = model.inverse_dynamics(state["q"], state["v"], state["a"], state["wrench"])
        self.assertEqual(tau.shape, (*shape, model.nv))
        a = model.forward_dynamics(state["q"], state["v"], tau, state["wrench"])
        np.testing.assert_allclose(a, state["a"], atol=1e-6)

    @settings(max_examples=25, deadline=None)
    @given(SEEDS, st.integers(1, 9))
    def test_equation_of_motion(self, seed: int, links: int) -> None:
        """tau = M a + C v + g + springs; M is symmetric; dM/dt - 2 C is skew-symmetric."""
        model = random_model(seed, links)
        state = random_state(model, np.random.default_rng(seed))
        q, v, a = state["q"], state["v"], state["a"]
        M, C = model.mass_matrix(q), model.coriolis_matrix(q, v)
        tau = M @ a + C @ v + model.gravity_forces(q) + model.spring_forces(q)
        np.testing.assert_allclose(model.inverse_dynamics(q, v, a), tau, atol=1e-9 * (1 + np.abs(tau).max()))
        np.testing.assert_array_equal(M, M.T)
        skew = model.mass_matrix_rate(q, v) - 2 * C
        np.testing.assert_allclose(skew, -skew.T, atol=1e-9 * (1 + np.abs(C).max()))

    @settings(max_examples=15, deadline=None)
    @given(SEEDS, st.integers(1, 8))
    def test_integrate_and_difference(self, seed: int, links: int) -> None:
        """(q (+) v) (-) q = v for small v."""
        model = random_model(seed, links)
        state = random_state(model, np.random.default_rng(seed))
        moved = model.integrate(state["q"], state["v"])
        np.testing.assert_allclose(model.difference(state["q"], moved), state["v"], atol=1e-9)


if __name__ == "__main__":
    unittest.main()
