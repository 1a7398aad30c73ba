# SPDX-License-Identifier: BSD-2-Clause
"""Time per state in Python beside C and other libraries, all in one run: script/bench --python.

    bench.py CALLS [ROUNDS [PEER...]]     CALLS: the program of calls.c, built; PEER: pin, mujoco, mjx, frax; default all

The measurements take turns, and each is the best of all rounds, because other programs disturb them. Pinocchio (pin) and
MuJoCo (mujoco) are measured if they are installed, called as their users do: results of Pinocchio stay in its data,
MuJoCo computes its whole pipeline up to the result. JAX-based libraries (mujoco-mjx, frax) run compiled, frax also
for one state.
"""

from __future__ import annotations

import subprocess
import sys
import time
import timeit
import warnings
from typing import Any

import numpy as np

import jounce

MODEL, ORDER, MANY = "builtin:panda", 2, 1000
MJX_MANY = 20  # a state takes milliseconds


# What is measured: a statement, and the names it uses.
Calls = dict[str, tuple[str, dict[str, Any]]]


def best(call: tuple[str, dict[str, Any]], states: int = 1) -> float:
    """Nanoseconds per state: of many short runs the fastest, because other programs interrupt."""
    timer = timeit.Timer(call[0], globals=call[1])
    times = 200 if states == 1 else 1
    least, budget = float("inf"), 0.3  # [s]
    while budget > 0:
        run = timer.timeit(times)
        least, budget = min(least, run / times), budget - run
    return least * 1e9 / states


def of_jounce(model: jounce.Model, count: int, reuse: bool) -> Calls:
    shape = () if count == 1 else (count,)
    names: dict[str, Any] = {"m": model, "q": model.random(shape, seed=1), "frame": model.frame_count - 1}
    for name, value in (("v", 0.3), ("a", 1.0), ("tau", 0.5)):
        names[name] = np.full((*shape, model.nv), value)
    names["jet"] = np.full((*shape, ORDER + 2, model.nv), 0.2)
    arguments = {
        "inverse_dynamics": "q, v, a",
        "mass_matrix": "q",
        "forward_dynamics": "q, v, tau",
        "inverse_dynamics_derivatives": "q, v, a",
        "inverse_dynamics_jet": "q, jet",
        "frame_jacobian": "frame, q",
    }
    calls: Calls = {}
    for name, given in arguments.items():
        if reuse:
            out = eval(f"m.{name}({given})", dict(names))
            calls[name] = f"m.{name}({given}, out=out)", {**names, "out": tuple(out) if isinstance(out, tuple) else out}
        else:
            calls[name] = f"m.{name}({given})", names
    return calls


def of_pinocchio(urdf: str) -> Calls:
    try:
        import pinocchio as pin
    except ImportError:
        return {}
    model = pin.buildModelFromXML(urdf)
    names = {"pin": pin, "m": model, "d": model.createData(), "q": pin.neutral(model), "v": np.full(model.nv, 0.3),
             "a": np.full(model.nv, 1.0), "tau": np.full(model.nv, 0.5), "frame": model.nframes - 1}  # fmt: skip
    print(f"# Pinocchio {pin.__version__}")
    return {
        "inverse_dynamics": ("pin.rnea(m, d, q, v, a)", names),
        "mass_matrix": ("pin.crba(m, d, q)", names),
        "forward_dynamics": ("pin.aba(m, d, q, v, tau)", names),
        "inverse_dynamics_derivatives": ("pin.computeRNEADerivatives(m, d, q, v, a)", names),
        "frame_jacobian": ("pin.computeFrameJacobian(m, d, q, frame)", names),
    }


def of_mujoco(urdf: str) -> Calls:
    try:
        import mujoco
    except ImportError:
        return {}
    model = mujoco.MjModel.from_xml_string(urdf)
    data = mujoco.MjData(model)
    data.qvel[:], data.qacc[:] = 0.3, 1.0
    names = {"mujoco": mujoco, "m": model, "d": data}
    print(f"# MuJoCo {mujoco.__version__}")
    return {
        "inverse_dynamics": ("mujoco.mj_inverse(m, d)", names),
        "forward_dynamics": ("mujoco.mj_forward(m, d)", names),
    }


def of_mjx(urdf: str) -> Calls:
    """MuJoCo by JAX: compiled, vmapped over MJX_MANY states, in double, on the CPU. Prints how long compilation took."""
    try:
        import jax
        import mujoco
        from mujoco import mjx
    except ImportError:
        return {}
    jax.config.update("jax_enable_x64", True)
    host = mujoco.MjModel.from_xml_string(urdf)
    model = mjx.put_model(host)
    start = mjx.make_data(host)
    one = jax.numpy.ones(host.nv)
    positions = jounce.load(MODEL).random(MJX_MANY, seed=1)
    states = jax.vmap(lambda q: start.replace(qpos=q, qvel=0.3 * one, qacc=one))(positions)
    functions = {
        "inverse_dynamics": lambda m, d: mjx.inverse(m, d).qfrc_inverse,
        "mass_matrix": lambda m, d: mjx.full_m(m, mjx.crb(m, mjx.com_pos(m, mjx.kinematics(m, d)))),
        "forward_dynamics": lambda m, d: mjx.forward(m, d).qacc,
    }
    calls: Calls = {}
    for name, function in functions.items():
        compiled = jax.jit(jax.vmap(function, in_axes=(None, 0)))
        before = time.process_time()
        compiled(model, states).block_until_ready()
        took = time.process_time() - before
        print(f"# MJX {mujoco.__version__} on JAX {jax.__version__}: {name} compiled in {took:.0f} s of CPU time")
        calls[name] = "f(m, d).block_until_ready()", {"f": compiled, "m": model, "d": states}
    return calls


def of_frax(count: int) -> Calls:
    """frax, dynamics in JAX: compiled, one state or vmapped over many, in double, on the CPU."""
    try:
        import jax

        jax.config.update("jax_enable_x64", True)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            import frax
    except ImportError:
        return {}
    robot = frax.load_panda()  # its own Panda, with collision bodies that are not used here
    gravity = jax.numpy.array([0, 0, 9.81, 0, 0, 0])  # linear part first, upwards: it stands for the weight
    functions = {
        "inverse_dynamics": lambda q, v, a: robot.rnea(q, v, a, gravity, None),
        "mass_matrix": robot.crba,
        "forward_dynamics": lambda q, v, tau: robot.forward_dynamics(q, v, tau, None),
    }
    shape = () if count == 1 else (count,)
    numbers = [jax.numpy.full((*shape, robot.nv), value) for value in (0.1, 0.3, 1.0)]
    calls: Calls = {}
    for name, function in functions.items():
        compiled = jax.jit(function if count == 1 else jax.vmap(function))
        given = numbers[: 1 if name == "mass_matrix" else 3]
        compiled(*given).block_until_ready()
        calls[name] = "f(*x).block_until_ready()", {"f": compiled, "x": given}
    print(f"# frax on JAX {jax.__version__}")
    return calls


def in_c(program: str, count: int) -> dict[str, float]:
    text = subprocess.run([program, MODEL, str(count), "5"], check=True, capture_output=True, text=True).stdout
    return {name: float(ns) for name, ns in (line.split() for line in text.splitlines())}


def keep_least(into: dict[str, float], found: dict[str, float]) -> None:
    for name, value in found.items():
        into[name] = min(into.get(name, float("inf")), value)


def main() -> None:
    program = sys.argv[1]
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    model = jounce.load(MODEL)
    jounce.set_threads(1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        urdf = model.to_urdf()
    peers = sys.argv[3:] or ["pin", "mujoco", "mjx", "frax"]
    singles = {
        "Python": of_jounce(model, 1, False),
        "out=": of_jounce(model, 1, True),
        "pin": of_pinocchio(urdf) if "pin" in peers else {},
        "mujoco": of_mujoco(urdf) if "mujoco" in peers else {},
        "frax": of_frax(1) if "frax" in peers else {},
    }
    batches = {
        "Python": of_jounce(model, MANY, False),
        "out=": of_jounce(model, MANY, True),
        "frax": of_frax(MANY) if "frax" in peers else {},
    }
    mjx = of_mjx(urdf) if "mjx" in peers else {}
    times: dict[str, dict[str, float]] = {"mjx many": {k: best(call, MJX_MANY) for k, call in mjx.items()}}
    for _ in range(rounds):
        keep_least(times.setdefault("C 1", {}), in_c(program, 1))
        keep_least(times.setdefault("C many", {}), in_c(program, MANY))
        for name, calls in singles.items():
            keep_least(times.setdefault(name + " 1", {}), {k: best(call) for k, call in calls.items()})
        for name, calls in batches.items():
            keep_least(times.setdefault(name + " many", {}), {k: best(call, MANY) for k, call in calls.items()})
    print_tables(times)


def print_tables(times: dict[str, dict[str, float]]) -> None:
    cell = lambda column, name: f"{times[column][name] / 1000:.2f}" if name in times.get(column, {}) else "-"  # noqa: E731
    print("\none state [us] | C | Python | Python, out= | above C | above C, out= | pin | mujoco | frax")
    for name in times["C 1"]:
        above = [times[column][name] / 1000 - times["C 1"][name] / 1000 for column in ("Python 1", "out= 1")]
        cells = [cell(column + " 1", name) for column in ("C", "Python", "out=")]
        cells += [f"{number:.2f}" for number in above] + [cell(peer + " 1", name) for peer in ("pin", "mujoco", "frax")]
        print(f"`{name}` | " + " | ".join(cells))
    print(
        f"\nbatches of {MANY} [us per state] | C | Python | Python, out= | throughput of C | the same, out= | mjx | frax"
    )
    for name in times["C many"]:
        shares = [100 * times["C many"][name] / times[column][name] for column in ("Python many", "out= many")]
        print(f"`{name}` | {cell('C many', name)} | {cell('Python many', name)} | {cell('out= many', name)} | "
              f"{shares[0]:.0f} % | {shares[1]:.0f} % | {cell('mjx many', name)} | {cell('frax many', name)}")  # fmt: skip


if __name__ == "__main__":
    main()
