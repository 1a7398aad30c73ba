# SPDX-License-Identifier: BSD-2-Clause
"""Ctrl-C stops every long call within 0.2 s, and what was called works afterwards."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
import unittest
from collections.abc import Callable
from typing import Any

import numpy as np
from support import four_bar

import jounce

AFTER = 0.35  # [s] when the signal comes
WITHIN = 0.2  # [s] in which the call must have ended


def cases() -> dict[str, Callable[[], Any]]:
    """Calls that would take many seconds."""
    model = jounce.load("builtin:panda")
    humanoid = jounce.load("builtin:humanoid")
    q = model.random(seed=1)
    many = np.tile(humanoid.random(64, seed=2), (1500, 1))
    rk4 = model.simulator(integrator="rk4", step=1e-5, derivatives=1)
    steps = 400_000
    tau = np.zeros((steps, 7))
    tasks = model.tasks([{"type": "pose", "frame": "panda_flange"}], starts=10**7, nearest=1)
    several = model.tasks([{"type": "pose", "frame": "panda_flange"}, {"type": "position", "frame": 3}], starts=10**6)
    target = tasks.values(q)
    target[3] += 30  # out of reach
    motion = model.trajectory("builtin:demo")
    loops = four_bar().loops
    loop_states = np.tile(np.array([0.4, 0.1, 0.3]), (10**6, 1))

    def nothing(k: int, q: Any, v: Any) -> tuple[float, np.ndarray]:
        return 0.0, np.zeros(14)

    found: dict[str, Callable[[], Any]] = {
        "simulator.run": lambda: rk4.run(rk4.get().t + 1e4),
        "simulator.run, taylor": lambda: model.simulator().run(1e6),
        "rollout_forward": lambda: rk4.rollout_forward(q=q, tau=tau, step=1e-5),
        "rollout_adjoint": lambda: rk4.rollout_adjoint(nothing, q, None, tau, step=1e-5),
        "motions_run": lambda: model.motions_run(np.tile(q, (1000, 1)), np.zeros(7), steps=10**7, step=1e-6),
        "motions_run, many": lambda: humanoid.motions_run(many, np.zeros(humanoid.nv), steps=100, step=1e-3),
        "batch": lambda: humanoid.forward_dynamics_derivatives(many, want="a"),
        "batch of float": lambda: humanoid.inverse_dynamics_derivatives(many.astype(np.float32), want="dtau_dq"),
        "loop": lambda: loops.forward_dynamics_jet(loop_states, np.zeros(3), np.zeros((1, 3))),
        "retime": lambda: humanoid_retime(),
        "generate": lambda: humanoid.generate("forward_dynamics_derivatives,inverse_dynamics_jet", order=3),
        "tasks.solve": lambda: tasks.solve(target, q),
        "tasks.solve, many": lambda: several.solve(np.tile(several.values(q) + 30, (1000, 1)), np.tile(q, (1000, 1))),
        "tasks.solve, lanes": lambda: model.tasks([{"type": "pose", "frame": "panda_flange"}], starts=10**6).solve(
            np.tile(target, (5000, 1)), np.tile(q, (5000, 1))),
    }  # fmt: skip

    def humanoid_retime() -> Any:
        return model.retime(motion, samples=3_000_000, intervals=1000, iterations=10**6)

    try:
        identification = humanoid.identification()
    except jounce.UnsupportedError:
        return found
    zeros = np.zeros((len(many), humanoid.nv))
    found["identification.add"] = lambda: identification.add(many, zeros, zeros, zeros)
    found["base_parameters"] = lambda: humanoid.base_parameters(states=10**6)
    fitted = humanoid.identification()
    fitted.add(
        many[:400], zeros[:400] + 0.3, zeros[:400] - 0.2, np.random.default_rng(1).normal(size=(400, humanoid.nv))
    )
    found["identification.solve"] = lambda: fitted.solve(-1.0, 1)
    return found


class Interrupt(unittest.TestCase):
    def interrupted(self, call: Callable[[], Any]) -> tuple[str, float]:
        """How a call ends that gets a signal, and how long after it [s]."""
        sent: list[float] = []

        def interrupt() -> None:
            sent.append(time.monotonic())
            os.kill(os.getpid(), signal.SIGINT)

        timer = threading.Timer(AFTER, interrupt)
        timer.start()
        outcome = "ended by itself"
        try:
            call()
            timer.cancel()
            timer.join()
        except KeyboardInterrupt:
            outcome = "stopped"
        took = time.monotonic() - sent[0] if sent else float("nan")
        timer.join()
        return outcome, took

    def test_ctrl_c_stops_every_long_call(self) -> None:
        previous = signal.signal(signal.SIGINT, signal.default_int_handler)
        self.addCleanup(signal.signal, signal.SIGINT, previous)
        slow = []
        for name, call in cases().items():
            for _ in range(3):  # a busy machine may delay one signal, or its end, but not three
                outcome, took = self.interrupted(call)
                print(f"{name}: {outcome} after {took * 1000:.0f} ms", flush=True)
                if outcome == "stopped" and took <= WITHIN:
                    break
            else:
                slow.append(f"{name}: {outcome} after {took * 1000:.0f} ms")
        self.assertEqual(slow, [])

    def test_work_goes_on_afterwards(self) -> None:
        """A call that was stopped leaves nothing behind."""
        model = jounce.load("builtin:panda")
        simulator = model.simulator(integrator="rk4", step=1e-4)
        states = model.random(500, seed=3)
        expected = model.mass_matrix(states)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        with self.assertRaises(KeyboardInterrupt):
            simulator.run(1e5)
        before = simulator.get().t
        simulator.run(before + 0.01)
        self.assertAlmostEqual(simulator.get().t, before + 0.01)
        np.testing.assert_array_equal(model.mass_matrix(states), expected)

    def test_other_handlers_run_and_the_call_goes_on(self) -> None:
        """A handler that raises nothing runs while C computes."""
        model = jounce.load("builtin:panda")
        simulator = model.simulator(integrator="rk4", step=1e-4)
        seen: list[float] = []
        previous = signal.signal(signal.SIGINT, lambda *_: seen.append(time.monotonic()))
        self.addCleanup(signal.signal, signal.SIGINT, previous)
        threading.Timer(0.1, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        start = time.monotonic()
        while not seen and time.monotonic() < start + 5:
            simulator.run(simulator.get().t + 1.0)
        self.assertEqual(len(seen), 1)


if __name__ == "__main__":
    if not hasattr(signal, "pthread_kill"):
        sys.exit(77)
    unittest.main()
