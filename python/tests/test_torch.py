# SPDX-License-Identifier: BSD-2-Clause
"""jounce.torch: gradcheck and gradgradcheck of every operation, vmap, float32. Skipped if torch is not installed."""

from __future__ import annotations

import sys
import unittest

import numpy as np

import jounce

try:
    import torch
except ImportError:
    print("torch is not installed: skipped")
    sys.exit(77)

from jounce._differentiable import Operation
from jounce.torch import operation

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


def inputs(model: jounce.Model, name: str, grad: bool = True) -> list[torch.Tensor]:
    rng = np.random.default_rng(SEED)
    count = len(Operation(model, name, {}).inputs)
    q = model.neutral() + 0.1 * rng.normal(size=model.nq) * (name != "loops_conditions")
    return [torch.tensor(a, requires_grad=grad) for a in (q, *(rng.normal(size=model.nv) for _ in range(count - 1)))]


class Gradients(unittest.TestCase):
    def test_every_operation(self) -> None:
        for robot, names in ROBOTS.items():
            model = jounce.load(f"builtin:{robot}")
            for name in names:
                with self.subTest(robot=robot, name=name):
                    f, x = operation(model, name), inputs(model, name)
                    self.assertTrue(torch.autograd.gradcheck(f, x))
                    self.assertTrue(torch.autograd.gradgradcheck(f, x))

    def test_frames_by_name(self) -> None:
        """frames=: one row for each of them, with derivatives."""
        model, names = jounce.load("builtin:panda"), ["panda_link4", "panda_flange"]
        f = operation(model, "frames", frames=names)
        q, v = (torch.randn(3, 7, dtype=torch.float64, requires_grad=True) for _ in range(2))
        position = f(q, v)[0]
        self.assertEqual(tuple(position.shape), (3, 2, 3))
        for i, name in enumerate(names):
            expected = torch.from_numpy(model.frame_pose(name, q.detach().numpy())[..., :3, 3])
            self.assertTrue(torch.equal(position[:, i].detach(), expected))
        self.assertTrue(torch.autograd.gradcheck(f, (q, v)))

    def test_vmap_and_float32(self) -> None:
        model = jounce.load("builtin:panda")
        f = operation(model, "forward_dynamics")
        x = [torch.randn(10, 7, dtype=torch.float64) for _ in range(3)]
        self.assertTrue(torch.equal(torch.func.vmap(f)(*x), f(*x)))
        single = f(*[a.float() for a in x])
        self.assertEqual(single.dtype, torch.float32)
        self.assertTrue(torch.allclose(single.double(), f(*x), rtol=1e-3, atol=1e-2))


if __name__ == "__main__":
    print(f"seed {SEED}")
    unittest.main()
