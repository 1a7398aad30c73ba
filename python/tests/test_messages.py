# SPDX-License-Identifier: BSD-2-Clause
"""Messages and docstrings: they name the right argument, in the words of Python."""

from __future__ import annotations

import inspect
import re
import unittest
import warnings
from typing import Any

import numpy as np
from every import Stage, bound, name_of
from support import SOURCE

import jounce
from jounce._reasons import in_python

# Words of C and of the command line, which have no meaning in Python.
FORBIDDEN = re.compile(
    r"\bJN_\w+|\bjnf?_\w+|\bNULL\b|\bINFINITY\b|\bNAN\b|\bmalloc\b|\bsizeof\b|(?<![\w-])--[a-z]\w*|\bstruct\b|"
    r"\bfrees?\b.*\bmemory\b|\ballocator\b|\bdouble \*|`jounce \w+|\bTry: jounce\b|\bjounce (?:info|check|view|torque)\b"
)


def bad_words(text: str) -> list[str]:
    return sorted({match[0] for match in FORBIDDEN.finditer(text)})


class Words(unittest.TestCase):
    def test_docstrings_are_in_python(self) -> None:
        """All docstrings of the package, of its classes and of what these have."""
        found, seen = {}, 0
        scopes = [jounce, jounce._core, *vars(jounce).values(), *vars(jounce._core).values()]
        for scope in scopes:
            if not inspect.isclass(scope) and scope is not jounce and scope is not jounce._core:
                continue
            for name, value in [("", scope), *vars(scope).items()]:
                text = getattr(value, "__doc__", None)
                if not isinstance(text, str) or isinstance(value, (str, tuple, int)) or name.startswith("__"):
                    continue
                seen += 1
                if bad_words(text):
                    found[f"{scope.__name__}.{name}"] = bad_words(text)
        self.maxDiff = None
        self.assertEqual(found, {})
        self.assertGreater(seen, 400)

    def test_errors_are_exceptions_that_exist(self) -> None:
        """What docstrings say is raised is a class of jounce or of Python."""
        text = " ".join(
            str(v.__doc__) for c in vars(jounce._core).values() if inspect.isclass(c) for v in vars(c).values()
        )
        self.assertNotIn("joint()).", str(jounce.Model.forward_dynamics.__doc__))
        names = set(re.findall(r"\b[A-Z]\w*Error\b", text))
        self.assertGreater(len(names), 8)
        unknown = [
            name for name in names if not hasattr(jounce, name) and name not in ("MemoryError", "KeyboardInterrupt")
        ]
        self.assertEqual(unknown, [])


class Blame(unittest.TestCase):
    """Each argument of each method is left out, is None, and is wrong, in turn: the message names it."""

    @classmethod
    def setUpClass(cls) -> None:
        cls.stage = Stage()

    def attempt(self, call: Any, given: dict[str, Any]) -> Exception | None:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                call(**given)
        except Exception as error:
            return error
        return None

    def each(self) -> Any:
        for target, method in self.stage.calls():
            if method.is_property or not method.inputs:
                continue
            yield name_of(method), bound(target, method), method, self.stage.arguments(method)

    def test_required_arguments_that_are_missing(self) -> None:
        wrong = []
        for name, call, method, given in self.each():
            for a in method.inputs:
                if not a.required or a.nullable:
                    continue
                for change in ("missing", "None"):
                    changed = {k: v for k, v in given.items() if k != a.name}
                    if change == "None":
                        changed[a.name] = None
                    error = self.attempt(call, changed)
                    if not isinstance(error, TypeError) or a.name not in str(error):
                        wrong.append(f"{name}({a.name} {change}): {error!r}")
        self.assertEqual(wrong, [])

    def test_optional_arguments_that_are_none(self) -> None:
        """They are not blamed, and nothing else is."""
        wrong = []
        for name, call, method, given in self.each():
            usual = self.attempt(call, given)
            for a in method.inputs:
                if a.required and not a.nullable:
                    continue
                error = self.attempt(call, {**given, a.name: None})
                if error is None or type(error) is type(usual):
                    continue
                text = str(error).replace("'steps'", "'tau'")  # which an array of forces tells
                if bad_words(text) or not re.search(rf"\b{a.name}\b", text):
                    wrong.append(f"{name}({a.name}=None): {error!r}")
        self.assertEqual(wrong, [])

    def test_arrays_of_a_wrong_size(self) -> None:
        wrong = []
        for name, call, method, given in self.each():
            for a in method.inputs:
                if a.kind not in ("IN", "INOUT") or not a.shape or given.get(a.name) is None:
                    continue
                if a.shape in (["count"], ["rows"]) or a.shape[-1] == "directions":  # says itself how many there are
                    continue
                bad = np.concatenate([given[a.name], given[a.name][..., :1]], axis=-1)
                error = self.attempt(call, {**given, a.name: bad})
                if not isinstance(error, ValueError) or not re.search(rf"\b{a.name}\b", str(error)):
                    wrong.append(f"{name}({a.name}{bad.shape}): {error!r}")
        self.assertEqual(wrong, [])

    def test_values_of_a_wrong_kind(self) -> None:
        wrong = []
        for name, call, method, given in self.each():
            for a in method.inputs:
                error = self.attempt(call, {**given, a.name: object()})
                if error is None or not re.search(rf"\b{a.name.removesuffix('_').removesuffix('s')}", str(error)):
                    wrong.append(f"{name}({a.name}=object()): {error!r}")
                elif bad_words(str(error)):
                    wrong.append(f"{name}({a.name}=object()): {error!r}")
        self.assertEqual(wrong, [])

    def test_many_methods_are_tried(self) -> None:
        """Enough methods are tried, or the tests above would say nothing."""
        self.assertGreater(len(list(self.each())), 150)


class ByHand(unittest.TestCase):
    """The same of what is written in Python: functions of the module, of models and of builders."""

    def test_none_and_values_of_a_wrong_kind(self) -> None:
        model, builder = jounce.load("builtin:panda"), jounce.Builder("robot")
        calls = {
            "source": [jounce.load, model.trajectory],
            "text": [jounce.loads, model.trajectory_from_text],
            "description": [jounce.from_dict],
            "model": [jounce.show],
            "name": [jounce.Builder, builder.add_link],
            "actuators": [model.elastic],
            "trajectory": [model.retime],
            "task": [model.tasks],
            "path": [model.save],
            "shape": [model.random],
            "joint": [model.joint],
            "q": [model.q_dict, model.inverse_dynamics, model.frame_poses],
            "v": [model.v_dict, model.loss_forces],
        }
        for name, functions in calls.items():
            for function in functions:
                for value in (None, object()):
                    more = ["world"] if function == builder.add_link else []
                    with self.subTest(function=function.__name__, value=value):
                        with self.assertRaisesRegex(TypeError, rf"\b{name}") as caught:
                            function(value, *more)
                        self.assertEqual(bad_words(str(caught.exception)), [])


class Reasons(unittest.TestCase):
    """Options of simulators that are missing are named, not those that were given."""

    def refused(self, pattern: str, call: Any, *arguments: Any, **options: Any) -> None:
        with self.assertRaisesRegex(jounce.Error, pattern) as caught:
            call(*arguments, **options)
        self.assertEqual(bad_words(str(caught.exception)), [])

    def test_fixed_steps_need_a_length(self) -> None:
        model = jounce.load("builtin:panda")
        for integrator in ("rk4", "euler"):
            self.refused(rf"'{integrator}' needs the argument step", model.simulator, integrator=integrator)
            number = [jounce.integrator_name(integrator=k) for k in range(5)].index(integrator)
            self.refused(rf"'{integrator}' needs the argument step", model.simulator, integrator=number)
            self.refused("step is -1", model.simulator, integrator=integrator, step=-1)

    def test_derivatives_need_their_option(self) -> None:
        model = jounce.load("builtin:panda")
        ones = np.ones(2 * model.nv)
        for level in range(4):
            simulator = model.simulator(integrator="rk4", step=1e-3, derivatives=level)
            simulator.step(1.0)
            calls = [(1, simulator.derivatives, ()), (1, simulator.adjoint, (ones,)),
                     (2, simulator.parameter_derivatives, ()), (3, simulator.second_derivatives, (ones,))]  # fmt: skip
            for needed, call, arguments in calls:
                if level < needed:
                    self.refused(f"derivatives={needed}", call, *arguments)
                else:
                    call(*arguments)

    def test_taylor_needs_derivatives_of_forces(self) -> None:
        model = jounce.load("builtin:panda")
        self.refused("force_order=", model.simulator, force=lambda t, q, v: -v)

    def test_derivatives_need_a_step(self) -> None:
        simulator = jounce.load("builtin:panda").simulator(integrator="euler", step=1e-3, derivatives=1)
        self.refused(r"call step\(\) first", simulator.derivatives)

    def test_remedies_are_in_python(self) -> None:
        """Messages about files and motions name arguments, not options of the command."""
        model = jounce.load("builtin:panda")
        samples = "t,panda_joint1\n" + "".join(f"{k},{k % 2}\n" for k in range(9))
        self.refused("missing_neutral=True", model.trajectory_from_text, samples)
        self.refused("columns='t=COLUMN'", model.trajectory_from_text, "panda_joint1\n0\n1\n2\n3\n")

    def test_all_remedies_are_translated(self) -> None:
        """Every text of the library that names an option or a command of the terminal has its words in Python."""
        found, seen = [], 0
        set_up = re.compile(r"\bjn_\w+_init\(\)$")  # options in Python always are
        for path in sorted((SOURCE / "src").rglob("*.c")):
            if path.parent.name == "generate":
                continue
            code = re.sub(r'"\s*\n\s*"', "", path.read_text())  # strings over several lines
            for text in re.findall(r'"((?:[^"\\\n]|\\.)*)"', code):
                if re.search(r"(?<![\w-])--[a-z]|\bjounce (?:info|check|view|torque|eval)\b|\bjn_\w+\(", text):
                    seen += 1
                    if not set_up.search(text) and bad_words(
                        in_python(text.replace("%.*s", "name").replace("%.2g", "0.1"))
                    ):
                        found.append(f"{path.name}: {text}")
        self.assertGreater(seen, 20)
        self.assertEqual(found, [])


if __name__ == "__main__":
    unittest.main()
