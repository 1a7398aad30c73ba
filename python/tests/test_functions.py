# SPDX-License-Identifier: BSD-2-Clause
"""Every function of the headers is offered, and gives what C gives.

The functions of the shared library are called through ctypes with the arguments in the order of the headers, by name.
Results must be the same bits. JOUNCE_LIBRARY: path of libjounce.so; without it these comparisons are skipped.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import unittest

import numpy as np
from guarded import guarded
from support import SEED, SOURCE, four_bar, models, random_inertia, random_model, random_placement

import jounce
from jounce import _core

from description import ARRAYS, Parameter  # isort: skip
from headers import Function, Headers, Struct, read_headers  # isort: skip
from methods import BY_HAND, CLASSES, NOT_YET, Method, dims, read_methods, reason_not_offered, result_items  # isort: skip

LIBRARY = os.environ.get("JOUNCE_LIBRARY")
HEADERS: Headers = read_headers(SOURCE / "include" / "jounce")
METHODS, MISSING = read_methods(HEADERS)
BY_NAME = {m.function.name: m for m in METHODS}
PAIRED = {"q", "q0", "q1"}  # configurations: quaternions have unit length
ORDER = 2


class Completeness(unittest.TestCase):
    def test_no_function_is_missing(self) -> None:
        """Whoever adds a public function has it in Python, or says in methods.py why not."""
        self.assertEqual(MISSING, {}, "give sizes in the comment of the header, or extend python/methods.py")

    def test_every_function_has_its_place(self) -> None:
        for name in HEADERS.functions:
            if reason_not_offered(name) or (name not in BY_NAME and NOT_YET.fullmatch(name)):
                continue
            if name in BY_HAND:
                owner, _, attribute = BY_HAND[name].rpartition(".")
                place = getattr(jounce, owner, None) or getattr(jounce._results, owner, None) if owner else jounce
                self.assertTrue(hasattr(place, attribute), f"{name}: jounce.{BY_HAND[name]}")
            else:
                method = BY_NAME[name]
                place = getattr(_core, CLASSES[method.owner][0]) if method.owner else _core
                self.assertTrue(hasattr(place, method.name), f"{name}: {method.name}")

    def test_exported_symbols_are_in_the_headers(self) -> None:
        """The list of symbols and the reader of headers agree on which functions there are."""
        lines = (SOURCE / "abi" / "symbols.txt").read_text().splitlines()
        listed = {line.split()[1] for line in lines if line.startswith("symbol jn")}
        self.assertEqual(listed ^ (set(HEADERS.functions) | HEADERS.others), set())

    def test_docstrings_name_shapes(self) -> None:
        for method in METHODS:
            place = getattr(_core, CLASSES[method.owner][0]) if method.owner else _core
            text = getattr(place, method.name).__doc__ or ""
            self.assertTrue(text.strip(), method.name)
            for a in method.inputs:
                if a.kind == "IN":
                    self.assertIn(f"{a.name}: [", text, method.name)


class Arguments:
    """Random arguments of one function, by their names in C."""

    def __init__(self, model: jounce.Model, method: Method, rng: np.random.Generator, sizes: dict[str, int]) -> None:
        self.model, self.method, self.rng = model, method, rng
        self.sizes = {
            "nq": model.nq, "nv": model.nv, "nlink": model.link_count, "nframe": model.frame_count,
            "10L": 10 * model.link_count, "6L": 6 * model.link_count, "4nv": 4 * model.nv, "2nv": 2 * model.nv, "3nv": 3 * model.nv,
            "(nq+nv)": model.nq + model.nv, "loops": model.loop_count,
            "(K+1)": ORDER + 1, "(K+2)": ORDER + 2, "(K+3)": ORDER + 3, "rows": 3, "count": 4,
            **sizes,
        }  # fmt: skip
        self.given: dict[str, object] = {}
        for a in method.inputs:
            self.given[a.name] = self.value(a)

    def value(self, a: object) -> object:
        kind = a.kind
        if kind in ("IN", "INOUT"):
            return self.array(a)
        if kind == "MASK":
            return (np.arange(self.model.nv) % 2).astype(np.uint8)
        if kind == "SCALAR":
            return 0.25
        if kind == "ENUM":
            return int(self.rng.integers(0, len(a.enum.values)))
        if kind == "FRAME":
            return int(self.rng.integers(0, self.model.frame_count))
        if kind in ("LINK", "JOINT"):
            index = int(self.rng.integers(0, self.model.link_count))
            self.sizes["k"] = self.model.joint_nv(index) or int(self.model.joint_mimic(index).result or 0)
            return index
        if kind == "LOOP":
            return 0
        if kind == "ORDER":
            return ORDER
        if kind == "INT":
            return 1
        raise NotImplementedError(kind)

    def array(self, a: object) -> np.ndarray:
        if a.name in PAIRED:
            return self.model.random(seed=int(self.rng.integers(1, 2**30)))
        shape = self.shape(a.shape)
        if shape == (4, 4):
            return random_placement(self.rng)
        if shape == (3, 3):
            return jounce.so3_exp(self.rng.uniform(-1, 1, 3))
        if shape == (10,):
            return random_inertia(self.rng)
        if a.name == "factor":
            return self.model.mass_factor(self.model.random(seed=7))
        return self.rng.uniform(-1, 1, shape)

    def shape(self, shape: list[str]) -> tuple[int, ...]:
        return tuple(self.sizes[s] if s in self.sizes else int(s) for s in shape)


def pointer(array: np.ndarray | None) -> object:
    return None if array is None else array.ctypes.data_as(ctypes.c_void_p)


class CCall:
    """Calls a function of the shared library with arguments by name."""

    def __init__(self, library: ctypes.CDLL, arguments: Arguments, handle: int, work: int) -> None:
        self.library, self.arguments, self.handle, self.work = library, arguments, handle, work
        self.outputs: dict[str, np.ndarray] = {}
        self.kept: list[object] = []

    def run(self, function: Function) -> int:
        parameters = function.parameters
        values = [self.one(p, parameters) for p in parameters]
        call = getattr(self.library, function.name)
        call.restype = ctypes.c_int
        return int(call(*values))

    def one(self, p: Parameter, parameters: list[Parameter]) -> object:
        name = {"in": "in_", "lambda": "lambda_"}.get(p.name, p.name)
        if p.type.removesuffix(" *") in CLASSES:
            return ctypes.c_void_p(self.handle)
        if p.type == "jn_work *":
            return ctypes.c_void_p(self.work)
        if p.name == "room":
            return self.room()
        if p.type in ARRAYS:
            return self.array(p, name)
        if p.type == "int *":
            self.outputs[name] = np.zeros((), np.int32)
            return pointer(self.outputs[name])
        if p.type == "double":
            return ctypes.c_double(self.arguments.given[name])
        if p.name == "order":
            return ORDER if self.arguments.method.order_from else self.arguments.given[name]
        if p.name in ("rows", "count"):
            return self.arguments.sizes[p.name]
        struct = HEADERS.structs.get(p.type.removesuffix(" *"))
        if struct is not None:
            return self.struct(struct)
        return ctypes.c_int(self.arguments.given[name])

    def room(self) -> object:
        size = self.library.jn_jet_derivatives_room
        size.restype = ctypes.c_size_t
        self.kept.append(np.zeros(size(ctypes.c_void_p(self.handle), ORDER)))
        return pointer(self.kept[-1])  # type: ignore[arg-type]

    def array(self, p: Parameter, name: str) -> object:
        if p.const:
            return pointer(self.arguments.given.get(name))
        changed = self.arguments.given.get(name)
        kind = {"B": np.uint8, "b": np.int8, "d": np.float64}[ARRAYS[p.type]]
        shape = self.arguments.shape(dims(p.shape or []))
        self.outputs[name] = np.array(changed) if changed is not None else np.zeros(shape, kind)
        return pointer(self.outputs[name])

    def struct(self, struct: Struct) -> object:
        """A struct of pointers and enums, in the order of the header."""
        fields = []
        for f in struct.fields:
            fields.append((f.name, ctypes.c_int if f.type in HEADERS.enums else ctypes.c_void_p))
        cls = type(struct.name, (ctypes.Structure,), {"_fields_": fields})
        made = cls()
        for f in struct.fields:
            name = {"in": "in_", "lambda": "lambda_"}.get(f.name, f.name)
            known = {a.name for a in self.arguments.method.arguments}
            if f.type in HEADERS.enums:
                setattr(made, f.name, self.arguments.given[name])
            elif name in known:
                setattr(made, f.name, self.array(f, name))
        self.kept.append(made)
        return ctypes.byref(made)


def is_computing(method: Method) -> bool:
    """Arrays in or out and nothing that needs another object."""
    kinds = {a.kind for a in method.arguments}
    return "OUT" in kinds | ({"OUT"} if "INOUT" in kinds else set()) and not kinds & {
        "OBJECT", "STRUCT", "STRUCTS", "HANDLE", "STRING", "STRINGS", "TEXT", "CHARS", "CONSTANT", "CALLBACK", "SIZE",
    } and method.function.result == "jn_status"  # fmt: skip


@unittest.skipUnless(LIBRARY, "JOUNCE_LIBRARY is not set")
class AgainstC(unittest.TestCase):
    library: ctypes.CDLL

    @classmethod
    def setUpClass(cls) -> None:
        cls.library = ctypes.CDLL(LIBRARY)

    def load(self, model: jounce.Model) -> tuple[int, int]:
        """The same model in C, and its work memory."""
        text = model.to_json().encode()
        handle, work = ctypes.c_void_p(), ctypes.c_void_p()
        status = self.library.jn_load_text(
            text, ctypes.c_size_t(len(text)), 2, b"model", None, ctypes.byref(handle), None
        )
        self.assertEqual(status, 0)
        self.assertEqual(self.library.jn_work_create_order(handle, ORDER + 1, ctypes.byref(work)), 0)
        return handle.value or 0, work.value or 0

    def compare(self, owner: object, method: Method, arguments: Arguments, handle: int, work: int) -> None:
        call = CCall(self.library, arguments, handle, work)
        status = call.run(method.function)
        target = owner if method.owner else jounce
        everything = [a.name for a in result_items(method)]
        keywords = dict(arguments.given)
        if len(everything) > 1:
            keywords["want"] = everything
        if status != 0:
            with self.assertRaises((jounce.Error, MemoryError)):
                getattr(target, method.name)(**keywords)
            return
        result = getattr(target, method.name)(**keywords)
        if len(everything) == 1:
            result = (result,)
        for name, value in zip(everything, result, strict=True):
            expected = call.outputs[name]
            self.assertEqual(np.shape(value), expected.shape, f"{method.name}: {name}")
            np.testing.assert_array_equal(value, expected, f"{method.name}: {name}")

    def test_functions_of_models(self) -> None:
        """Every function of a model, on a real robot and on random trees with all types of joints."""
        rng = np.random.default_rng(SEED)
        called = 0
        for model in models():
            handle, work = self.load(model)
            for method in METHODS:
                if method.owner == "jn_model" and is_computing(method):
                    with self.subTest(model=model.name, function=method.name, seed=SEED):
                        arguments = Arguments(model, method, rng, {})
                        self.compare(model, method, arguments, handle, work)
                        called += 1
        self.assertGreater(called, 4 * 80)

    def test_functions_without_model(self) -> None:
        rng = np.random.default_rng(SEED)
        model = jounce.load("builtin:panda")
        for method in METHODS:
            if not method.owner and is_computing(method):
                with self.subTest(function=method.name, seed=SEED):
                    self.compare(jounce, method, Arguments(model, method, rng, {}), 0, 0)

    def test_functions_of_loops(self) -> None:
        rng = np.random.default_rng(SEED)
        model = four_bar()
        handle, _ = self.load(model)
        loops = ctypes.c_void_p()

        class Options(ctypes.Structure):
            _fields_ = (("bytes", ctypes.c_char * 256),)

        options = Options()
        self.library.jn_loops_options_init(ctypes.byref(options))
        ctypes.c_int.from_buffer(options, 8).value = ORDER  # size_t size; int order;
        create = self.library.jn_loops_create
        self.assertEqual(create(ctypes.c_void_p(handle), ctypes.byref(options), ctypes.byref(loops)), 0)
        mine = model.loops_with(order=ORDER)
        for method in METHODS:
            if method.owner == "jn_loops" and is_computing(method):
                with self.subTest(function=method.name, seed=SEED):
                    arguments = Arguments(model, method, rng, {"m": mine.rows})
                    self.compare(mine, method, arguments, loops.value or 0, 0)

    def test_functions_of_objects(self) -> None:
        """Simulators, tasks, springs, motions, ...: C is called with the very same object."""
        rng = np.random.default_rng(SEED)
        called = 0
        for owner, (target, sizes) in objects().items():
            for method in METHODS:
                if method.owner == owner and is_computing(method) and method.name not in CHANGES_STATE:
                    with self.subTest(owner=owner, function=method.name, seed=SEED):
                        arguments = Arguments(target.model, method, rng, sizes)
                        self.compare(target, method, arguments, _core._address(target), 0)
                        called += 1
        self.assertGreater(called, 24)


CHANGES_STATE = {"set", "step", "run", "dense"}


def objects() -> dict[str, tuple[object, dict[str, int]]]:
    """One object of each class that has no test of its own, and the sizes that only it has."""
    model = jounce.load("builtin:panda")
    simulator = model.simulator(integrator="euler", step=1e-3, derivatives=3)
    simulator.step(1e-3)
    tasks = model.tasks([{"type": "pose", "frame": "panda_link7"}, {"type": "position", "frame": 3}], order=ORDER + 1)
    elastic = model.elastic(
        {name: {"stiffness": 9000, "rotor_inertia": 0.3, "torque_constant": 0.1} for name in model.moving_joints},
        order=ORDER,
    )
    path = model.trajectory("builtin:demo")
    found: dict[str, tuple[object, dict[str, int]]] = {
        "jn_simulator": (simulator, {}),
        "jn_tasks": (tasks, {"rows": tasks.rows, "targets": tasks.targets}),
        "jn_elastic": (elastic, {"N": elastic.full_model.nv, "nq_all": elastic.full_model.nq,
                                 "(P+1)": elastic.order(ORDER) + 1, "(P+2)": elastic.order(ORDER) + 2}),
        "jn_trajectory": (path, {}),
        "jn_retimed": (model.retime(path, uniform=True, samples=100).retimed, {}),
    }  # fmt: skip
    with contextlib.suppress(jounce.UnsupportedError):
        base = model.base_parameters()
        found["jn_base"] = base, {"nb": base.count, "rows": 3}
    return found


class Memory(unittest.TestCase):
    """Every number of every result is written, and nothing beyond the arrays is read or written.

    Results start as NaN and must have none afterwards. All arrays end at a page that must not be touched.
    """

    def check(self, owner: object, method: Method, arguments: Arguments, dtype: type) -> None:
        given = {}
        for name, value in arguments.given.items():
            if isinstance(value, np.ndarray):
                value = guarded(value.astype(dtype) if value.dtype == np.float64 else value)
            given[name] = value
        items = result_items(method)
        out = []
        for a in items:
            if a.kind not in ("OUT", "INOUT"):
                out.append(None)
                continue
            changed = arguments.given.get(a.name) if a.kind == "INOUT" else None
            shape = arguments.shape(a.shape) if changed is None else np.shape(changed)
            out.append(guarded(np.zeros(shape, np.uint8) if a.dtype == "B" else np.full(shape, np.nan, dtype)))
        try:
            getattr(owner, method.name)(**given, out=tuple(out) if len(out) > 1 else out[0])
        except jounce.Error:
            return
        for a, array in zip(items, out):
            self.assertFalse(
                array is not None and np.isnan(array).any(), f"{method.name}: {a.name} is not written completely"
            )

    def test_loops(self) -> None:
        rng = np.random.default_rng(SEED)
        model = four_bar()
        for method in METHODS:
            if method.owner == "jn_loops" and is_computing(method):
                with self.subTest(function=method.name, seed=SEED):
                    self.check(model.loops, method, Arguments(model, method, rng, {"m": model.loops.rows}), np.float64)

    def test_objects(self) -> None:
        rng = np.random.default_rng(SEED)
        for owner, (target, sizes) in objects().items():
            for method in METHODS:
                if method.owner == owner and is_computing(method) and method.name not in CHANGES_STATE:
                    with self.subTest(owner=owner, function=method.name, seed=SEED):
                        self.check(target, method, Arguments(target.model, method, rng, sizes), np.float64)

    def test_all(self) -> None:
        rng = np.random.default_rng(SEED)
        for model in models()[:3]:
            for method in METHODS:
                if method.owner in ("jn_model", "") and is_computing(method):
                    with self.subTest(model=model.name, function=method.name, seed=SEED):
                        arguments = Arguments(model, method, rng, {})
                        target = model if method.owner else jounce
                        self.check(target, method, arguments, np.float64)
                        arrays = any(a.kind in ("IN", "INOUT") for a in method.inputs)  # they say that it is float
                        if arrays and method.function.name.replace("jn_", "jnf_", 1) in HEADERS.others:
                            self.check(target, method, arguments, np.float32)


class Wanted(unittest.TestCase):
    """Each result alone is what it is among all, so what C must not be given as NULL is known."""

    def check(self, owner: object, method: Method, arguments: Arguments) -> None:
        names = [a.name for a in result_items(method)]
        call = getattr(owner, method.name)
        try:
            together = call(**arguments.given, want=names)
        except jounce.Error:
            return
        for name in names:
            alone = call(**arguments.given, want=name)
            scale = max(1.0, float(np.abs(getattr(together, name)).max(initial=0)))
            np.testing.assert_allclose(getattr(alone, name), getattr(together, name), rtol=0, atol=1e-12 * scale)

    def test_all(self) -> None:
        rng = np.random.default_rng(SEED)
        model = random_model(SEED + 7)
        cases: dict[str, tuple[object, dict[str, int]]] = {"jn_model": (model, {}), "": (jounce, {}), **objects()}
        loops = four_bar().loops
        cases["jn_loops"] = loops, {"m": loops.rows}
        for owner, (target, sizes) in cases.items():
            for method in METHODS:
                if method.owner == owner and is_computing(method) and method.name not in CHANGES_STATE:
                    if len([a for a in result_items(method) if a.kind in ("OUT", "INOUT")]) > 1:
                        with self.subTest(owner=owner, function=method.name, seed=SEED):
                            self.check(target, method, Arguments(getattr(target, "model", model), method, rng, sizes))


class Batches(unittest.TestCase):
    """A batch gives what its states give one by one, whatever the number of leading axes."""

    def test_all(self) -> None:
        rng = np.random.default_rng(SEED)
        for model in (jounce.load("builtin:panda"), random_model(SEED + 5)):
            for method in METHODS:
                if method.owner not in ("jn_model", "") or not is_computing(method):
                    continue
                arrays = [a for a in method.inputs if a.kind in ("IN", "INOUT")]
                if not arrays or any(s in ("rows", "count") for a in arrays for s in a.shape):
                    continue
                with self.subTest(model=model.name, function=method.name, seed=SEED):
                    self.check(model if method.owner else jounce, model, method, rng)

    def check(self, owner: object, model: jounce.Model, method: Method, rng: np.random.Generator) -> None:
        states = [Arguments(model, method, rng, {}) for _ in range(6)]
        fixed = {a.name: states[0].given[a.name] for a in method.inputs if a.kind not in ("IN", "INOUT")}
        many, one = {}, []
        for a in method.inputs:
            if a.kind in ("IN", "INOUT"):
                stacked = np.array([s.given[a.name] for s in states])
                many[a.name] = stacked.reshape(2, 3, *stacked.shape[1:])
        try:
            for s in states:
                given = {**{name: s.given[name] for name in many}, **fixed}
                one.append(getattr(owner, method.name)(**given))
        except jounce.Error:
            with self.assertRaises(jounce.Error):
                getattr(owner, method.name)(**many, **fixed)
            return
        together = getattr(owner, method.name)(**many, **fixed)
        items = len(result_items(method))
        for k in range(items):
            part = together if items == 1 else together[k]
            parts = [result if items == 1 else result[k] for result in one]
            if part is None:
                self.assertTrue(all(p is None for p in parts))
                continue
            expected = np.array(parts)
            expected = expected.reshape(2, 3, *expected.shape[1:])
            self.assertEqual(part.shape, expected.shape)
            scale = max(1.0, float(np.abs(expected).max(initial=0)))
            np.testing.assert_allclose(part, expected, rtol=1e-10, atol=1e-12 * scale)


if __name__ == "__main__":
    unittest.main()
