# SPDX-License-Identifier: BSD-2-Clause
"""Threads share models; calls keep no references and no memory."""

from __future__ import annotations

import gc
import os
import sys
import threading
import time
import unittest
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from support import SEED, four_bar, random_model, random_state

import jounce


class Threads(unittest.TestCase):
    def test_one_model_in_many_threads(self) -> None:
        """Single calls, batches and jets of different orders at the same time give what they give alone."""
        model = random_model(SEED + 20)
        rng = np.random.default_rng(SEED)
        q = model.random(64, seed=3)
        v = rng.normal(size=(64, model.nv))
        jets = [rng.normal(size=(k + 2, model.nv)) for k in range(6)]
        expected = model.inverse_dynamics(q, v)
        expected_jets = [model.inverse_dynamics_jet(q[0], jet) for jet in jets]

        def work(seed: int) -> None:
            mine = np.random.default_rng(seed)
            for _ in range(15):
                i = int(mine.integers(64))
                np.testing.assert_allclose(model.inverse_dynamics(q[i], v[i]), expected[i], rtol=1e-12, atol=1e-12)
                k = int(mine.integers(6))
                np.testing.assert_array_equal(model.inverse_dynamics_jet(q[0], jets[k]), expected_jets[k])
                np.testing.assert_array_equal(model.inverse_dynamics(q, v), expected)

        with ThreadPoolExecutor(8) as pool:
            for result in [pool.submit(work, seed) for seed in range(8)]:
                result.result()

    def test_loops_are_locked(self) -> None:
        """Loops belong to one thread at a time: others wait."""
        loops = four_bar().loops
        guess = np.array([0.4, 0.1, 0.3])
        expected = loops.assemble(0.0, guess).q

        def work(_: int) -> None:
            for _ in range(15):
                np.testing.assert_array_equal(loops.assemble(0.0, guess).q, expected)
                self.assertEqual(loops.gaps(np.array([expected] * 40)).shape, (40, 1))

        with ThreadPoolExecutor(6) as pool:
            list(pool.map(work, range(6)))

    def test_batches_release_the_gil(self) -> None:
        """While a batch is computed, other threads run."""
        model = jounce.load("builtin:panda")
        before = jounce.set_threads(1)
        q = model.random(2000, seed=1)
        ticks, done = 0, threading.Event()

        def count() -> None:
            nonlocal ticks
            while not done.is_set():
                ticks += 1
                time.sleep(0.0005)

        other = threading.Thread(target=count)
        other.start()
        start = time.perf_counter()
        while time.perf_counter() - start < 0.2:
            model.inverse_dynamics_second_derivatives(q)
        done.set()
        other.join()
        jounce.set_threads(before)
        self.assertGreater(ticks, 5)

    @unittest.skipUnless(hasattr(os, "fork"), "no fork")
    def test_fork_after_a_batch(self) -> None:
        """A child process computes batches, although the threads of its parent are gone."""
        model = jounce.load("builtin:panda")
        q = model.random(500, seed=1)
        expected = model.mass_matrix(q)
        child = os.fork()
        if child == 0:
            same = np.array_equal(model.mass_matrix(q), expected)
            os._exit(0 if same else 1)
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            ended, status = os.waitpid(child, os.WNOHANG)
            if ended:
                self.assertEqual(status, 0)
                return
            time.sleep(0.01)
        os.kill(child, 9)
        os.waitpid(child, 0)
        self.fail("the child process hangs")


def kept_by_numpy(*objects: object) -> list[object]:
    """Those of its objects whose references NumPy itself counts: 2.5 loses one to ndarray with every array."""
    before = [sys.getrefcount(x) for x in objects]
    for _ in range(100):
        np.empty(3)
    return [x for x, count in zip(objects, before) if sys.getrefcount(x) - count < 50]


class References(unittest.TestCase):
    def test_calls_keep_nothing(self) -> None:
        """The reference counts of arguments and the number of objects stay the same over many calls, also failing ones."""
        model = random_model(SEED + 21)
        state = random_state(model, np.random.default_rng(SEED))
        q, v, a = state["q"], state["v"], state["a"]
        out = np.empty((model.nv, model.nv))
        many = model.random(3, seed=1)
        name = "tool-that-is-not-there"

        def calls() -> None:
            model.inverse_dynamics(q, v, a, state["wrench"])
            model.inverse_dynamics(q.astype(np.float32), v)
            model.inverse_dynamics(list(q), v)
            model.inverse_dynamics(many, v)
            model.mass_matrix(q, out=out)
            model.mass_matrix(q, out=out.T)
            model.inverse_dynamics_derivatives(q, v, a, want=("dtau_dq",))
            model.compute(q, v, a)
            model.frame_pose("tool", q)
            model.inverse_dynamics_sensitivity(q, v, a, [model.perturbation("velocity", 0, 0, q, v)])
            model.with_gravity([0, 0, 1])
            model.coordinate_dof(0)
            model.lock(["j0"], q)
            for wrong in (lambda: model.mass_matrix(v[:1]), lambda: model.frame_pose(name, q), lambda: model.mass_matrix(q, out=q),
                          lambda: model.inverse_dynamics(q, v, a, want=3), lambda: jounce.loads("<robot")):  # fmt: skip
                try:
                    wrong()
                except (TypeError, ValueError, jounce.Error):
                    pass

        for _ in range(20):
            calls()
        gc.collect()
        watched = (q, v, a, out, many, name, model, np.float64, np.empty, out.dtype, jounce._results)
        before = [sys.getrefcount(x) for x in watched]
        grown = []
        for _ in range(15):  # caches of the interpreter fill for a while; a lost object per round would never stop
            blocks = sys.getallocatedblocks()
            for _ in range(60):
                calls()
            gc.collect()
            grown.append(sys.getallocatedblocks() - blocks)
            if grown[-1] < 20:
                break
        self.assertEqual([sys.getrefcount(x) for x in watched], before)
        self.assertLess(min(grown), 60, grown)

    def test_calls_of_objects_keep_nothing(self) -> None:
        """The same for simulators, springs, tasks and functions of the user, also when these fail."""
        model = jounce.load("builtin:panda")
        simulator = model.simulator(integrator="euler", step=1e-2, derivatives=1)
        elastic = model.elastic({name: {"stiffness": 9000, "rotor_inertia": 0.3} for name in model.moving_joints})
        tasks = model.tasks([{"type": "position", "frame": "panda_link7"}], order=2)
        q, tau, zero = model.configuration(panda_joint4=-1.9), np.ones((2, 7)), np.zeros(14)
        v_jet = np.zeros((elastic.order(0) + 2, 7))
        start = tasks.values(q)
        # made here: in NumPy 2.4, zeros() without a type loses a reference to float64
        number, many, rates = np.dtype(np.float64), np.stack([q, q]), np.ones((2, 7, 1))

        def cost(k: int, q: np.ndarray, v: np.ndarray) -> tuple[float, np.ndarray]:
            return 0.0, zero

        def failing(k: int, q: np.ndarray, v: np.ndarray) -> None:
            raise KeyError("mine")

        def calls() -> None:
            simulator.rollout_forward(q, None, tau, step=1e-2, dtau_ds=rates)
            simulator.rollout_adjoint(cost, q, None, tau, step=1e-2)
            model.motions_run(many, zero[:7], tau, step=1e-2, want="states")
            elastic.inverse(0.0, q, v_jet, model.inverse_dynamics_jet(q, v_jet))
            elastic.actuator(0)
            tasks.solve(np.stack([start, start]), q)
            tasks.follow(lambda t, order: (start, np.zeros((order + 1, 3), number)), 0.0, 0.1, q)
            for wrong in (lambda: simulator.rollout_adjoint(failing, q, None, tau, step=1e-2),
                          lambda: simulator.rollout_adjoint(3, q, None, tau, step=1e-2),
                          lambda: tasks.solve(start[:2], q), lambda: elastic.inverse(0.0, q, v_jet[:1], v_jet)):  # fmt: skip
                with self.assertRaises((KeyError, TypeError, ValueError)):
                    wrong()

        for _ in range(5):
            calls()
        watched = (q, tau, zero, v_jet, start, cost, failing, model, simulator, elastic, tasks, number,
                   jounce._results.TasksSolve, None, 0, (), *kept_by_numpy(np.ndarray))  # fmt: skip
        grown = []
        for _ in range(8):
            gc.collect()
            before, blocks = [sys.getrefcount(x) for x in watched], sys.getallocatedblocks()
            for _ in range(100):
                calls()
            gc.collect()
            after = [sys.getrefcount(x) for x in watched]
            grown.append((sys.getallocatedblocks() - blocks, max(y - x for x, y in zip(before, after))))
            if max(grown[-1]) < 100:  # one per call would be 100 or more; caches of the interpreter come and go
                break
        self.assertLess(max(grown[-1]), 100, grown)

    def test_objects_are_released(self) -> None:
        """Memory does not grow with models that come and go."""
        import resource

        def cycle() -> None:
            model = four_bar()
            model.loops.gaps(np.zeros(3))
            model.simulator(force=lambda t, q, v: 0 * v, integrator="dopri5").run(0.01)
            model.mass_matrix(np.zeros((10, 3)))
            del model
            gc.collect()  # a model and its loops know each other

        for _ in range(15):
            cycle()
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        for _ in range(60):
            cycle()
        grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
        self.assertLess(grown, 3000, "kilobytes")


if __name__ == "__main__":
    unittest.main()
