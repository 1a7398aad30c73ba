# SPDX-License-Identifier: BSD-2-Clause
"""Inverse kinematics by Python packages, on the poses and starts that bench_reach --export wrote:
  reach.py FOLDER [POSES]
An answer counts when the pose is met to 1e-6 m and rad and all limits are kept. What is not installed is said."""
import glob
import os
import sys
import time
import warnings

import numpy as np


def read(path):
    with open(path) as f:
        robot, frame = f.readline().split()
        joints = f.readline().split()
        rows = np.array([[float(x) for x in line.split()] for line in f])
    n = len(joints)
    T = np.tile(np.eye(4), (len(rows), 1, 1))
    T[:, :3, :] = rows[:, :12].reshape(-1, 3, 4)
    return robot, frame, joints, T, rows[:, 12:12 + n], rows[:, 12 + n:]


def quaternion(T):
    """x, y, z, w"""
    K = np.array([[T[0, 0] - T[1, 1] - T[2, 2], 0, 0, 0], [T[1, 0] + T[0, 1], T[1, 1] - T[0, 0] - T[2, 2], 0, 0],
                  [T[2, 0] + T[0, 2], T[2, 1] + T[1, 2], T[2, 2] - T[0, 0] - T[1, 1], 0],
                  [T[2, 1] - T[1, 2], T[0, 2] - T[2, 0], T[1, 0] - T[0, 1], T[0, 0] + T[1, 1] + T[2, 2]]]) / 3
    values, vectors = np.linalg.eigh(K)
    return vectors[:, -1]


def report(name, case, solve, forward, limits, clock=time.thread_time):
    robot, frame, joints, T, near, start = case
    found = within = near_found = 0
    near_time = all_time = 0.0
    for i in range(len(T)):
        for first, q0 in ((True, near[i]), (False, start[i])):
            begin = clock()
            q = solve(T[i], q0)
            took = clock() - begin
            good = q is not None and np.abs(forward(q) - T[i]).max() < 1e-6
            inside = good and np.all(q >= limits[0] - 1e-9) and np.all(q <= limits[1] + 1e-9)
            if first:
                near_time, near_found = near_time + took, near_found + good
            else:
                all_time, found, within = all_time + took, found + good, within + inside
    n = len(T)
    print(f"{name:34s} {1e6 * near_time / n:9.2f} {100 * near_found / n:9.2f} {1e6 * all_time / n:9.2f} "
          f"{'':10s} {100 * found / n:9.2f} {100 * within / n:9.2f}", flush=True)


def with_toolbox(case, urdf):
    """roboticstoolbox-python: Levenberg-Marquardt in C on its elementary transforms, 100 starts, limits."""
    import roboticstoolbox as rtb
    robot, frame, joints, T, near, start = case
    arm = rtb.Robot.URDF(os.path.abspath(urdf))
    ets = arm.ets(end=frame)
    limits = np.array(ets.qlim)
    def solve(T, q0):
        found = ets.ik_LM(T, q0=q0, tol=1e-12, joint_limits=True, method="chan", slimit=100)
        return found.q if found.success else None
    report(f"roboticstoolbox {rtb.__version__}, 100 starts", case, solve, lambda q: ets.eval(q), limits)


def with_ikpy(case, urdf):
    """ikpy: scipy's least squares within bounds, from one start."""
    from ikpy.chain import Chain
    robot, frame, joints, T, near, start = case
    import xml.etree.ElementTree as ET
    base = None
    tree = ET.parse(urdf).getroot()
    children = {j.find("child").get("link") for j in tree.findall("joint")}
    base = next(l.get("name") for l in tree.findall("link") if l.get("name") not in children)
    chain = Chain.from_urdf_file(urdf, base_elements=[base])
    mask = [l.joint_type in ("revolute", "prismatic") for l in chain.links]
    chain.active_links_mask = np.array(mask)
    places = [i for i, m in enumerate(mask) if m]
    limits = np.array([chain.links[i].bounds for i in places]).T
    def expand(q):
        x = np.zeros(len(chain.links))
        x[places] = q
        return x
    def solve(T, q0):
        try:
            return chain.inverse_kinematics_frame(T, initial_position=expand(np.clip(q0, *limits)),
                                                  orientation_mode="all")[places]
        except ValueError:
            return None
    report("ikpy, one start", case, solve, lambda q: chain.forward_kinematics(expand(q)), limits)


def with_pink(case, urdf):
    """pink: differential inverse kinematics by quadratic programs with limits, 100 steps of 1 s."""
    import pinocchio as pin
    import pink
    robot, frame, joints, T, near, start = case
    model = pin.buildModelFromUrdf(urdf)
    data = model.createData()
    at = model.getFrameId(frame)
    order = [model.joints[model.getJointId(j)].idx_q for j in joints]
    limits = np.array([model.lowerPositionLimit[order], model.upperPositionLimit[order]])
    task = pink.tasks.FrameTask(frame, position_cost=1.0, orientation_cost=1.0)
    def forward(q):
        full = np.zeros(model.nq)
        full[order] = q
        pin.framesForwardKinematics(model, data, full)
        return data.oMf[at].homogeneous
    def solve(T, q0):
        full = np.zeros(model.nq)
        full[order] = np.clip(q0, *limits)
        task.set_target(pin.SE3(T))
        configuration = pink.Configuration(model, data, full)
        for _ in range(100):
            if np.linalg.norm(task.compute_error(configuration)) < 1e-9:
                break
            try:
                v = pink.solve_ik(configuration, [task], 1.0, solver="quadprog", limits=[configuration.model.configuration_limit])
            except Exception:
                return None
            configuration.integrate_inplace(v, 1.0)
        return configuration.q[order]
    report(f"pink {pink.__version__}, one start", case, solve, forward, limits)


def with_mink(case, urdf):
    """mink: the same on MuJoCo, 100 steps of 1 s."""
    import mink
    import mujoco
    robot, frame, joints, T, near, start = case
    with open(urdf) as f:
        text = f.read()
    at = text.index(">", text.index("<robot")) + 1
    text = text[:at] + '<mujoco><compiler fusestatic="false" balanceinertia="true" boundmass="1e-9" boundinertia="1e-12"/></mujoco>' + text[at:]
    model = mujoco.MjModel.from_xml_string(text)
    order = [model.joint(j).qposadr[0] for j in joints]
    limits = np.array([model.joint(j).range for j in joints]).T
    task = mink.FrameTask(frame, "body", position_cost=1.0, orientation_cost=1.0)
    configuration = mink.Configuration(model)
    inside = [mink.ConfigurationLimit(model)]
    def place(q):
        full = np.zeros(model.nq)
        full[order] = q
        configuration.update(full)
    def forward(q):
        place(q)
        return configuration.get_transform_frame_to_world(frame, "body").as_matrix()
    def solve(T, q0):
        place(np.clip(q0, *limits))
        task.set_target(mink.SE3.from_matrix(T))
        for _ in range(100):
            if np.linalg.norm(task.compute_error(configuration)) < 1e-9:
                break
            try:
                configuration.integrate_inplace(mink.solve_ik(configuration, [task], 1.0, solver="quadprog", limits=inside), 1.0)
            except Exception:
                return None
        return configuration.q[order].copy()
    report("mink, one start", case, solve, forward, limits)


def with_tracik(case, urdf):
    """pytracik: TRAC-IK, Newton with random restarts beside quasi-Newton, up to 50 ms, 1e-7."""
    import pytracik
    robot, frame, joints, T, near, start = case
    import xml.etree.ElementTree as ET
    tree = ET.parse(urdf).getroot()
    children = {j.find("child").get("link") for j in tree.findall("joint")}
    base = next(l.get("name") for l in tree.findall("link") if l.get("name") not in children)
    with open(urdf) as f:
        solver = pytracik.TRAC_IK(base, frame, f.read(), 0.05, 1e-7, pytracik.SolveType.Speed)
    limits = np.array([pytracik.get_joint_lower_bounds(solver), pytracik.get_joint_upper_bounds(solver)])
    def solve(T, q0):
        Q = quaternion(T)
        found = pytracik.ik(solver, q0, *T[:3, 3], *Q)
        return np.array(found[1:]) if found[0] >= 0 else None
    report("pytracik (wall time)", case, solve, lambda q: np.array(pytracik.fk(solver, q)).reshape(4, 4), limits,
           clock=time.perf_counter)


def main():
    warnings.simplefilter("ignore")
    folder, most = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 200
    for path in sorted(glob.glob(folder + "/robot*.txt")):
        case = read(path)
        case = case[:3] + tuple(x[:most] for x in case[3:])
        print(f"{case[0]} {case[1]}: {len(case[3])} poses\n{'':34s} {'near us':>9s} {'found %':>9s} {'random us':>9s} "
              f"{'':10s} {'found %':>9s} {'in limits':>9s}")
        for run in (with_toolbox, with_ikpy, with_pink, with_mink, with_tracik):
            try:
                run(case, path.replace(".txt", ".urdf"))
            except ImportError as e:
                print(f"{run.__name__[5:]}: not installed ({e})")
            except Exception as e:  # a package that cannot read the robot
                print(f"{run.__name__[5:]}: {type(e).__name__}: {e}")
        print()


if __name__ == "__main__":
    main()
