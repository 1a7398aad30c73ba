# SPDX-License-Identifier: BSD-2-Clause
"""Every public method, with arguments that fit, on models where no two sizes are equal.

A size that is mistaken for another one is then refused, or reads beyond an array.
"""

from __future__ import annotations

import contextlib
from typing import Any

import numpy as np
from support import SEED, SOURCE, random_inertia, random_placement

import jounce

from headers import Headers, read_headers  # isort: skip
from methods import CLASSES, Argument, Method, read_methods, result_items  # isort: skip

HEADERS: Headers = read_headers(SOURCE / "include" / "jounce")
METHODS, MISSING = read_methods(HEADERS)
ORDER, COUNT, ROWS, STEPS, DIRECTIONS, STATES = 2, 11, 8, 14, 21, 16
INTEGERS = {"consistent": 0, "checkpoints": 6}
EXTRA: dict[str, dict[str, Any]] = {
    "Loops.simulator": {"integrator": "rk4", "step": 1e-3},
    "Model.trajectory_from_text": {"missing_neutral": 1},
    "BaseParameters.spectrum": {"method": "qr"},
}


def no_two_sizes_are_equal(with_loops: bool) -> jounce.Model:
    """19 numbers in q, 17 in v, 10 links, 13 frames; 2 loops of 7 rows."""
    rng = np.random.default_rng(SEED)
    builder = jounce.Builder("unequal")
    inertia = {"mass": 1.5, "tensor": [0.01, 0.02, 0.015, 0, 0, 0]}
    about_y = {"axis": [0, 1, 0]}
    springs = {"armature": 0.02, "damping": 0.1, "friction": 0.05}
    builder.add_link("base", "world", joint="free", **inertia)
    builder.add_link("crank", "base", joint="revolute", **about_y, **inertia, **springs)
    builder.add_link("rod", "crank", [0, 0, 1], joint="revolute", **about_y, **inertia)
    builder.add_link("rocker", "base", [1, 0, 0], joint="revolute", **about_y, **inertia)
    builder.add_link("ball", "base", [0, 0.3, 0], joint="spherical", inertia=random_inertia(rng))
    builder.add_link("cross", "ball", [0, 0.1, 0.2], joint="universal", inertia=random_inertia(rng))
    builder.add_link("plate", "base", [0.5, 0, 0.1], joint="planar", axis=[0, 0, 1], inertia=random_inertia(rng))
    for k in range(3):
        builder.add_link(f"part{k}", "plate", random_placement(rng), inertia=random_inertia(rng))
        builder.add_frame(f"mark{k}", f"part{k}", random_placement(rng))
    if with_loops:
        place = {"placement_a": [1, 0, 0], "placement_b": [0, 0, 1], "axis": [0, 1, 0]}
        builder.add_loop("close", "revolute", "rod", "rocker", **place)
        builder.add_loop("rest", "point_on_axis", "base", "plate", placement_a=[0.5, 0, 0.1], axis=[1, 0, 0])
    model = builder.build()
    sizes = [model.nq, model.nv, model.link_count, model.frame_count, ORDER + 1, ORDER + 2, COUNT, ROWS, STEPS,
             DIRECTIONS, STATES, model.loop_count]  # fmt: skip
    if with_loops:
        sizes.append(model.loops.rows)
    assert len(set(sizes)) == len(sizes), sizes
    return model


class Stage:
    """The objects whose methods are called, and the sizes that arrays of theirs have."""

    def __init__(self) -> None:
        self.tree = no_two_sizes_are_equal(False)
        self.closed = no_two_sizes_are_equal(True)
        self.rng = np.random.default_rng(SEED)
        t = np.linspace(0, 1, 30)
        q0, q1 = self.tree.neutral(), self.tree.random(seed=3)
        samples = np.array([self.tree.interpolate(q0, q1, float(s)) for s in t * t * (3 - 2 * t)])
        self.motion = self.tree.trajectory_from_samples(t, samples)
        self.motion.set_forces(t, np.ones((30, self.tree.nv)))
        self.objects: dict[str, Any] = {}
        self.sizes: dict[str, dict[str, int]] = {}
        self.make()

    def make(self) -> None:
        tree, motion = self.tree, self.motion
        simulator = tree.simulator(integrator="euler", step=1e-3, derivatives=3)
        simulator.step(1e-3)
        tasks = tree.tasks([{"type": "pose", "frame": "mark0"}, {"type": "position", "frame": "rod"}], order=ORDER)
        elastic = tree.elastic(
            {name: {"stiffness": 900, "rotor_inertia": 0.3} for name in ("crank", "rod")}, order=ORDER
        )
        loops = self.closed.loops_with(order=ORDER)
        function = tree.function("step")
        self.add("jn_model", tree)
        self.add("jn_loops", loops, m=loops.rows)
        self.add("jn_trajectory", motion, rows=motion.force_rows)
        self.add("jn_simulator", simulator)
        self.add("jn_tasks", tasks, rows=tasks.rows, targets=tasks.targets)
        self.add("jn_elastic", elastic, **{"N": elastic.full_model.nv, "nq_all": elastic.full_model.nq,
                                           "(P+1)": elastic.order(ORDER) + 1, "(P+2)": elastic.order(ORDER) + 2})  # fmt: skip
        self.add("jn_function", function, n=function.n, m=function.m)
        self.add("jn_retimed", tree.retime(motion, uniform=True, samples=50).retimed)
        self.add("", jounce)
        with contextlib.suppress(jounce.UnsupportedError):  # a build without LAPACK
            base = tree.base_parameters()
            self.add("jn_base", base, nb=base.count)
            identification = tree.identification(wrench_link=tree.link_index("ball"), user_channels=1)
            self.add("jn_identification", identification, n=identification.count, channels=identification.channels,
                     nb=identification.base_count)  # fmt: skip

    def add(self, owner: str, target: Any, **sizes: int) -> None:
        model = getattr(target, "model", None) or self.tree
        nq, nv, nlink = model.nq, model.nv, model.link_count
        self.objects[owner] = target
        self.sizes[owner] = {
            "nq": nq, "nv": nv, "nlink": nlink, "nframe": model.frame_count, "10L": 10 * nlink, "6L": 6 * nlink,
            "2nv": 2 * nv, "3nv": 3 * nv, "4nv": 4 * nv, "(nq+nv)": nq + nv, "loops": model.loop_count, "rows": ROWS,
            "count": COUNT, "steps": STEPS, "(steps+1)": STEPS + 1, "tau_rows": STEPS, "directions": DIRECTIONS,
            "every": 1, "stored": STEPS + 1, "motors": nv,
            "(K+1)": ORDER + 1, "(K+2)": ORDER + 2, "(K+3)": ORDER + 3, **sizes,
        }  # fmt: skip

    # ---- arguments ----

    def arguments(self, method: Method) -> dict[str, Any]:
        """Values of all arguments that are required, and of all arrays."""
        sizes = dict(self.sizes[method.owner])
        given = {}
        for a in method.inputs:
            if a.required or a.kind in ("IN", "INOUT", "LINK", "ORDER"):
                given[a.name] = self.value(method, a, sizes)
            elif a.kind == "MASK" and not a.keyword:
                given[a.name] = self.value(method, a, sizes)
        self.last_sizes = sizes
        self.prepare(method)
        return {**given, **EXTRA.get(name_of(method), {})}

    def prepare(self, method: Method) -> None:
        """What must have happened before."""
        if method.owner == "jn_identification" and method.name in ("solve", "foresee", "residuals", "base_residuals"):
            rng, count = np.random.default_rng(SEED), 50
            forces = rng.uniform(-1, 1, (count, self.sizes[method.owner]["channels"]))
            forces[:, -1] = np.nan  # the channel of the user has no rows of its own
            v, a = rng.uniform(-1, 1, (2, count, self.tree.nv))
            self.objects[method.owner].add(self.tree.random(count, seed=SEED), v, a, forces)
        if method.owner == "jn_simulator" and method.name in ("dense", "derivatives", "second_derivatives", "adjoint",
                                                              "parameter_derivatives"):  # fmt: skip
            simulator = self.objects[method.owner]
            simulator.step(simulator.get().t + 1e-3)

    def value(self, method: Method, a: Argument, sizes: dict[str, int]) -> Any:
        model = getattr(self.objects[method.owner], "model", None) or self.tree
        special = self.special(method, a)
        if special is not None:
            return special
        if a.kind in ("IN", "INOUT", "FIXED"):
            return self.array(model, a, tuple(sizes[s] if s in sizes else int(s) for s in a.shape), method)
        if a.kind == "MASK" and method.owner == "jn_loops":  # enough motors, and a motion that is possible
            return np.ones(model.nv, np.uint8)
        if a.kind == "MASK":
            return (np.arange(model.nv) % 2).astype(np.uint8)
        if a.kind in ("LINK", "JOINT"):
            sizes["k"] = 3
            return "plate"
        simple: dict[str, Any] = {"SCALAR": 0.25, "FRAME": "mark2", "LOOP": "close", "ORDER": ORDER, "DOUBLE": 1e-3,
                                  "INT": INTEGERS.get(a.name, 1), "ENUM": 0, "SIZE": sizes.get(a.name, 1)}  # fmt: skip
        return simple[a.kind]

    def array(self, model: jounce.Model, a: Argument, shape: tuple[int, ...], method: Method) -> np.ndarray:
        if method.owner == "jn_loops" and a.shape == ["nq"]:
            return self.closed.loops.assemble(accuracy=0.0, q=self.closed.neutral()).q
        if method.owner == "jn_loops" and a.name in ("v", "v_jet", "a"):  # at rest, so that loops stay closed
            return np.zeros(shape)
        if a.shape == ["nq"]:
            return model.random(seed=int(self.rng.integers(1, 2**30)))
        if a.shape == ["nq_all"]:
            return self.objects["jn_elastic"].full_model.random(seed=5)
        if a.shape == ["count", "nq"]:
            return model.random(COUNT, seed=int(self.rng.integers(1, 2**30)))
        if method.name == "trajectory_from_samples" or (a.name == "t" and a.shape == ["count"]):
            return np.linspace(0, 1, COUNT)
        if shape == (4, 4):
            return random_placement(self.rng)
        if shape == (3, 3):
            return jounce.so3_exp(self.rng.uniform(-1, 1, 3))
        if shape == (10,):
            return random_inertia(self.rng)
        if a.name == "factor":
            return model.mass_factor(model.random(seed=7))
        if a.name == "pi" and method.owner == "jn_model":
            return model.parameters()
        if a.name == "limits":
            return model.limit_ranges()
        if a.name == "target":
            return self.objects["jn_tasks"].values(model.random(seed=9))
        if a.name == "x" and method.owner == "jn_function":
            return np.concatenate([model.random(seed=4), self.rng.uniform(-1, 1, 2 * model.nv)])
        if method.owner == "jn_identification" and a.name == "x":
            return self.objects[method.owner].prior
        return self.rng.uniform(-1, 1, shape) * 0.1

    def special(self, method: Method, a: Argument) -> Any:
        """What only one function takes."""
        model = self.tree
        state = model.random(seed=2)
        found: dict[tuple[str, str], Any] = {
            ("lock", "joints"): ["crank"], ("subtree", "link"): "ball", ("reroot", "link"): "plate",
            ("attach", "frame"): "mark2", ("attach", "other"): jounce.load("builtin:double_pendulum"), ("attach", "prefix"): "x_",
            ("_elastic_load", "path"): "missing.json", ("_load", "source"): "builtin:panda",
            ("_elastic_load_text", "text"): '{"joints": {"crank": {"stiffness": 90}}}',
            ("_load_text", "text"): jounce.load("builtin:double_pendulum").to_json(), ("_save", "path"): "missing/x.json",
            ("link_index", "name"): "ball", ("joint_index", "name"): "ball", ("frame_index", "name"): "mark0",
            ("loop_index", "name"): "close", ("trajectory", "source"): "builtin:demo",
            ("trajectory_from_text", "text"): "t,crank\n0,0\n1,0.1\n2,0\n3,0\n4,0\n5,0\n6,0\n",
            ("load_wrenches", "source"): "missing.csv", ("load_forces", "source"): "missing.csv",
            ("follow", "from"): 0.0, ("follow", "from_"): 0.0, ("follow", "to"): 0.01,
            ("_tasks", "task"): [{"type": "pose", "frame": 3}],
        }  # fmt: skip
        if (method.name, a.name) in found:
            return found[method.name, a.name]
        if (method.name, a.name) == ("dense", "t"):
            simulator = self.objects["jn_simulator"]
            simulator.step(simulator.get().t + 1e-3)
            return simulator.get().t
        if (method.name, a.name) == ("add_rows", "Y"):  # rows may only depend on base parameters
            return np.zeros((ROWS, self.sizes[method.owner]["n"]))
        if (method.name, a.name) in (("run", "until"), ("step", "until")):
            return float(self.objects["jn_simulator"].get().t + 5e-3)
        if a.kind == "STRING" and a.name == "file":
            return "text"
        if a.kind == "HANDLE":
            return {"jn_trajectory": self.motion, "jn_elastic": self.objects["jn_elastic"]}.get(a.object)
        if a.kind == "STRUCTS":
            one = model.perturbation("inertia", "ball", 2, state)
            return [one] * COUNT
        if a.name == "cost":
            return lambda k, q, v: (0.5 * float(v @ v), np.concatenate([0 * v, v]))
        if a.name == "path":
            tasks = self.objects["jn_tasks"]
            target = tasks.values(model.random(seed=9))
            rows = tasks.rows
            return lambda t, order: (target, np.zeros((order + 1, rows)))
        return None

    def calls(self) -> list[tuple[Any, Method]]:
        """Every method with the object it is called on."""
        return [(self.objects[m.owner], m) for m in METHODS if m.owner in self.objects]


def name_of(method: Method) -> str:
    return f"{CLASSES[method.owner][0] if method.owner else 'jounce'}.{method.name}"


def bound(target: Any, method: Method) -> Any:
    """The method of the compiled module, also where the package has one of its own."""
    if method.is_property:
        return None
    owner = getattr(jounce._core, CLASSES[method.owner][0]) if method.owner else jounce._core
    function = getattr(owner, method.name)
    return function.__get__(target) if method.owner else function


__all__ = ["METHODS", "Argument", "Method", "Stage", "bound", "name_of", "no_two_sizes_are_equal", "result_items"]
