# SPDX-License-Identifier: BSD-2-Clause
"""Named constants stand for the numbers of the headers; stubs say which arguments may be None."""

from __future__ import annotations

import ast
import unittest
from enum import IntFlag
from pathlib import Path

import numpy as np
from support import SEED, SOURCE

import jounce
from jounce import _results, constants

from headers import read_headers  # isort: skip
from methods import CLASSES, read_methods  # isort: skip


class Constants(unittest.TestCase):
    def test_all_of_the_headers(self) -> None:
        """jounce.constants has every class that is made, with the numbers of the headers."""
        self.assertEqual(sorted(constants.__all__), sorted(_results.CONSTANTS))
        headers = read_headers(SOURCE / "include" / "jounce")
        self.assertEqual(len(constants.__all__), len(headers.enums) + len(headers.groups))
        self.assertEqual({m.name.lower(): m.value for m in constants.JointType}, headers.enums["jn_joint_type"].values)
        self.assertTrue(issubclass(constants.Identify, IntFlag))
        self.assertEqual(constants.Wrench.JOINT, 2)

    def test_members_and_names_are_the_same(self) -> None:
        """A member, its name and its number give the same results."""
        panda = jounce.load("builtin:panda")
        q = panda.random(seed=SEED)
        for place in constants.Representation:
            J = panda.frame_jacobian("panda_flange", q, in_=place)
            np.testing.assert_array_equal(J, panda.frame_jacobian("panda_flange", q, in_=place.name.lower()))  # type: ignore[arg-type]
        for integrator in constants.Integrator:
            results = []
            for given in (integrator, integrator.name.lower(), int(integrator)):
                simulator = panda.simulator(integrator=given, step=0.01)  # type: ignore[arg-type]
                simulator.set(0.0, q)
                simulator.run(0.02)
                results.append(simulator.get().q)
            np.testing.assert_array_equal(results[0], results[1])
            np.testing.assert_array_equal(results[0], results[2])
        for kind in (constants.FunctionKind.MOMENTUM, constants.FunctionKind.STEP):
            self.assertEqual(panda.function(kind).m, panda.function(kind.name.lower()).m)  # type: ignore[arg-type]

    def test_flags(self) -> None:
        """Bits are joined by |."""
        panda, identify = jounce.load("builtin:panda"), constants.Identify
        try:
            inertia = panda.identification(columns=identify.INERTIA).count
        except jounce.UnsupportedError:
            self.skipTest("a build without LAPACK")
        self.assertEqual(inertia, panda.identification(columns=1).count)
        self.assertEqual(panda.identification(columns=identify.INERTIA | identify.VISCOUS).count, inertia + 7)


class Stubs(unittest.TestCase):
    def test_arguments_that_may_be_none(self) -> None:
        """What src/api/functions.def marks by ?, and whatever has a default, is typed as ... | None; nothing else is."""
        stub = ast.parse((Path(jounce.__file__).parent / "_core.pyi").read_text(encoding="utf-8"))
        typed: dict[tuple[str, str, str], bool] = {}
        for part in stub.body:
            inside = part.body if isinstance(part, ast.ClassDef) else [part]
            for function in inside:
                if not isinstance(function, ast.FunctionDef):
                    continue
                for a in (*function.args.args, *function.args.kwonlyargs):
                    text = ast.unparse(a.annotation) if a.annotation else ""
                    owner = part.name if isinstance(part, ast.ClassDef) else ""
                    typed[owner, function.name, a.arg] = text.endswith("| None")
        methods, _ = read_methods(read_headers(SOURCE / "include" / "jounce"))
        count = 0
        for method in methods:
            owner = CLASSES[method.owner][0] if method.owner else ""
            for argument in method.inputs:
                may = argument.nullable or not argument.required
                self.assertEqual(
                    typed[owner, method.name, argument.name], may, f"{owner}.{method.name}: {argument.name}"
                )
                count += may
        self.assertGreater(count, 300)


if __name__ == "__main__":
    print(f"seed {SEED}")
    unittest.main()
