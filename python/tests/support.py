# SPDX-License-Identifier: BSD-2-Clause
"""Models and arrays for the tests. The seed of random models is JOUNCE_TEST_SEED, 1 if it is not set."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import numpy as np

import jounce

SOURCE = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SOURCE / "python"))
sys.path.insert(0, str(SOURCE / "src" / "api"))

SEED = int(os.environ.get("JOUNCE_TEST_SEED", "1"))
TYPES = ("revolute", "continuous", "prismatic", "helical", "cylindrical", "universal", "planar", "spherical", "gimbal",
         "free", "fixed")  # fmt: skip


def random_placement(rng: np.random.Generator) -> np.ndarray:
    return jounce.se3_exp(rng.uniform(-1, 1, 6))


def random_inertia(rng: np.random.Generator) -> np.ndarray:
    """Ten parameters of a rigid body."""
    return jounce.inertia_from_log_cholesky(rng.uniform(-0.5, 0.5, 10))


def random_model(seed: int, links: int = 8, types: tuple[str, ...] = TYPES) -> jounce.Model:
    """A tree of random joints; one joint follows another if there are two of one coordinate."""
    rng = np.random.default_rng(seed)
    builder = jounce.Builder(f"random{seed}", gravity=rng.uniform(-10, 10, 3))
    single: list[str] = []
    for i in range(links):
        kind = str(rng.choice(types)) if i else "revolute"
        keys: dict[str, object] = {}
        if kind != "fixed" and kind != "free":
            if kind not in ("spherical", "gimbal", "universal"):
                keys["axis"] = rng.normal(size=3)
            if kind != "prismatic":
                keys["point"] = rng.uniform(-0.2, 0.2, 3)
            keys["armature"] = 0.1
            keys["damping"] = 0.3
        if kind == "helical":
            keys["pitch"] = 0.1
        if kind in ("revolute", "prismatic") and single and rng.random() < 0.3:
            keys["mimic"] = {"joint": single[0], "ratio": 0.7, "offset": 0.1}
        elif kind in ("revolute", "prismatic"):
            single.append(f"j{i}")
        if kind == "revolute" and i == 0:
            keys["stiffness"] = 2.0
        parent = f"l{rng.integers(max(0, i - 3), i)}" if i else "world"
        builder.add_link(f"l{i}", parent, random_placement(rng), joint=kind, joint_name=f"j{i}",
                         inertia=random_inertia(rng), **keys)  # fmt: skip
    builder.add_frame("tool", f"l{links - 1}", random_placement(rng))
    return builder.build()


def four_bar() -> jounce.Model:
    """A planar loop of four bars: three revolute joints and a closure."""
    builder = jounce.Builder("four_bar")
    inertia = {"mass": 1.0, "tensor": [0.01, 0.01, 0.01, 0, 0, 0]}
    about_y = {"axis": [0, 1, 0]}
    builder.add_link("crank", "world", joint="revolute", **about_y, **inertia)
    builder.add_link("rod", "crank", [0, 0, 1], joint="revolute", **about_y, **inertia)
    builder.add_link("rocker", "world", [1, 0, 0], joint="revolute", **about_y, **inertia)
    builder.add_loop("close", "revolute", "rod", "rocker", placement_a=[1, 0, 0], placement_b=[0, 0, 1], axis=[0, 1, 0])
    return builder.build()


def models() -> list[jounce.Model]:
    return [jounce.load("builtin:panda"), *(random_model(SEED * 1000 + i) for i in range(3))]


def random_state(model: jounce.Model, rng: np.random.Generator, shape: tuple[int, ...] = ()) -> dict[str, np.ndarray]:
    q = model.random(shape, seed=int(rng.integers(1, 2**40)))
    state = {"q": q}
    for name in ("v", "a", "tau"):
        state[name] = rng.uniform(-1, 1, (*shape, model.nv))
    state["wrench"] = rng.uniform(-1, 1, (*shape, model.link_count, 6))
    return state
