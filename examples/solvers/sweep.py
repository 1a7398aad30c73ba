# SPDX-License-Identifier: BSD-2-Clause
"""A map of torque-rate margins over the Panda's workspace, under unknown payloads, on several worker processes.

Each row of states.npy is a state (q, v, a, jerk) and a payload; each row of margins.npy is how much of each joint's
torque limit and torque-rate limit the state leaves. Dask distributed spreads the rows over workers; the same code runs on
a cluster with Client("tcp://scheduler:8786").
    python sweep.py [rows] [workers] [folder]
"""

import functools
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import jounce
from jounce.dask import sweep

MASSES = (0.0, 1.0, 2.0, 3.0)  # kg at the flange


def margins(robots, limits, rows):
    """Shares of torque and torque-rate limits that are left, [rows, 14]; negative: a limit is broken."""
    q, jet, mass = rows[:, :7], rows[:, 7:28].reshape(-1, 3, 7), rows[:, 28].astype(int)
    left = np.empty((len(rows), 14))
    for k, robot in enumerate(robots):
        chosen = mass == k
        tau = robot.inverse_dynamics_jet(q[chosen], jet[chosen])
        left[chosen, :7] = 1 - np.abs(tau[:, 0]) / limits.effort
        left[chosen, 7:] = 1 - np.abs(tau[:, 1]) / limits.effort_rate
    return left


def prepare():
    panda = jounce.load("builtin:panda")
    flange = panda.links[-1]
    robots = [panda]
    for mass in MASSES[1:]:
        load = np.array([mass, 0, 0, 0.1 * mass, 0.011 * mass, 0.011 * mass, 0.001 * mass, 0, 0, 0])
        robots.append(panda.with_payload(flange, load))
    return robots, panda.limits


def write_states(path, count, seed=1):
    """Random states, written block by block: the file may be larger than memory."""
    panda = jounce.load("builtin:panda")
    file = np.lib.format.open_memmap(path, mode="w+", dtype=np.float64, shape=(count, 29))
    rng = np.random.default_rng(seed)
    for k in range(0, count, 65536):
        n = min(65536, count - k)
        file[k : k + n, :7] = panda.random((n,), seed=seed + k)
        file[k : k + n, 7:28] = rng.normal(size=(n, 21)) * np.repeat([1, 8, 500], 7)
        file[k : k + n, 28] = rng.integers(len(MASSES), size=n)
    file.flush()


def main():
    from dask.distributed import Client, LocalCluster

    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 200_000
    workers = int(sys.argv[2]) if len(sys.argv) > 2 else 2
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(sys.argv[3] if len(sys.argv) > 3 else scratch)
        write_states(folder / "states.npy", rows)
        function = functools.partial(margins, *prepare())
        jounce.set_threads(1)
        states = np.load(folder / "states.npy", mmap_mode="r")
        begin, work = time.perf_counter(), time.process_time()
        alone = np.concatenate([function(np.array(states[k : k + 16384])) for k in range(0, rows, 16384)])
        single, work = rows / (time.perf_counter() - begin), time.process_time() - work
        with LocalCluster(n_workers=workers, threads_per_worker=1, protocol="tcp://", dashboard_address=None) as cluster:
            with Client(cluster) as client:
                client.run(prepare)  # what workers do once: import jounce
                begin, used = time.perf_counter(), sum(client.run(time.process_time).values())
                sweep(client, function, folder / "states.npy", folder / "margins.npy")
                many = rows / (time.perf_counter() - begin)
                used = sum(client.run(time.process_time).values()) - used
        result = np.load(folder / "margins.npy", mmap_mode="r")
        assert np.array_equal(result, alone)
        print(f"one process {single:.3g} states/s; {workers} workers {many:.3g}, {many / single / workers:.0%} of {workers} "
              f"times one process; by CPU time, which other load does not change, {work / used:.0%}; the same bits")  # fmt: skip
        print(f"{(result[:, :7].min(axis=1) < 0).mean():.1%} of states break a torque limit, "
              f"{(result[:, 7:].min(axis=1) < 0).mean():.1%} a torque-rate limit")  # fmt: skip


if __name__ == "__main__":
    main()
