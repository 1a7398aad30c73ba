#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""MuJoCo as an oracle for MJCF files: the package mujoco (3 or newer) and jounce read the same files; masses, centres of
mass, inertias, poses of bodies, M and bias forces at random states must agree to 1e-9 of the largest number.

Usage: oracle_mjcf.py JOUNCE FILE.xml ...

What jounce refuses is read again with --lenient; all of what it leaves out are forces that MuJoCo keeps apart from M and
bias. Meshes and pictures that are missing are replaced by a small one, in a copy, for both programs. Couplings and loops
are ignored on the side of jounce, since MuJoCo keeps them apart from M and bias, too. Exit code 77: no mujoco."""
import json
import os
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import zlib

try:
    import mujoco
    import numpy as np
except ImportError:
    print("skipped: the Python packages mujoco and numpy are not installed")
    sys.exit(77)

TOLERANCE = 1e-9
# MuJoCo finds the principal axes of meshes only to about 3e-8, while their moments are good to 1e-14; before version 4 it
# stops the search at a fixed number, which is large for small bodies. So tensors of bodies with meshes are compared with
# this in mind, and then MuJoCo gets the axes and moments of our tensors for the comparison of M and bias.
OLD = int(mujoco.__version__.split(".")[0]) < 4
MESH_TOLERANCE = {"mesh inertia": 1 if OLD else 1e-7, "mesh moments": 1 if OLD else 1e-9}
STATES = 5


def stand_in(path):
    """A closed solid without symmetries, or a picture of one pixel."""
    corners = [(0, 0, 0), (1.5, 0, 0), (0, 0.8, 0), (0.25, 0.25, 1)]
    faces = [(0, 2, 1), (0, 1, 3), (1, 2, 3), (2, 0, 3)]
    os.makedirs(os.path.dirname(path), exist_ok=True)
    ending = path.lower().rsplit(".", 1)[-1]
    if ending == "stl":
        data = b" " * 80 + struct.pack("<I", len(faces))
        for face in faces:
            data += struct.pack("<3f", 0, 0, 0) + b"".join(struct.pack("<3f", *corners[i]) for i in face) + b"\0\0"
    elif ending == "obj":
        data = "".join("v %g %g %g\n" % c for c in corners) + "".join("f %d %d %d\n" % tuple(i + 1 for i in f) for f in faces)
        data = data.encode()
    elif ending == "png":
        def chunk(kind, body):
            return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
        data = (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 2, 2, 8, 0, 0, 0, 0)) +
                chunk(b"IDAT", zlib.compress(b"\0\0\1\0\2\3")) + chunk(b"IEND", b""))
    else:
        raise RuntimeError("no stand-in for " + path)
    with open(path, "wb") as f:
        f.write(data)


def asset_folders(base):
    """The folders that the files of a robot name for meshes and pictures."""
    names = set()
    for name in os.listdir(base):
        if name.endswith(".xml"):
            with open(os.path.join(base, name), encoding="utf-8") as f:
                names.update(re.findall(r'(?:mesh|texture|asset)dir="([^"]*)"', f.read()))
    return [os.path.join(base, name) for name in names]


def load_theirs(path):
    """The model, and how many files had to be replaced."""
    for replaced in range(1000):
        try:
            return mujoco.MjModel.from_xml_path(path), replaced
        except ValueError as error:
            # it names the last place where it looked, which for included files is not the first
            found = re.search(r"(?:rror opening file|resource provider|not find|loading file)[^'/]*'([^']+)'", str(error))
            missing = found and os.path.join(os.path.dirname(path), found.group(1))
            if not missing or os.path.exists(missing):
                raise
            for folder in asset_folders(os.path.dirname(path)):
                if not missing.startswith(folder):
                    stand_in(os.path.join(folder, os.path.relpath(missing, os.path.dirname(path))))
            stand_in(missing)
    raise RuntimeError("too many files are missing")


def run(jounce, command, path, *options, states=None):
    done = subprocess.run([jounce, command, "--mimic", "ignore", "--loops", "ignore", *options, path],
                          input=json.dumps(states) if states else "", capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


class Pair:
    """One file in both programs."""

    def __init__(self, m, info):
        self.m = m
        self.d = mujoco.MjData(self.m)
        self.info = info
        self.links = {link["name"]: link for link in info["links"]}
        self.joints = {link["joint"]["name"]: link["joint"] for link in info["links"]}
        self.worst = {}

    def body_name(self, i):
        return self.m.body(i).name or "body_%d" % i

    def joint_of(self, j):
        name, body = self.m.joint(j).name, self.m.jnt_bodyid[j]
        if not name:
            name = self.body_name(body)
            if self.m.body_jntnum[body] > 1:
                name += "_%d" % (j - self.m.body_jntadr[body] + 1)
            if name + "_joint" in self.joints:
                name += "_joint"
        return self.joints[name]

    def agree(self, what, ours, theirs):
        ours, theirs = np.asarray(ours, float), np.asarray(theirs, float)
        assert ours.shape == theirs.shape, (what, ours.shape, theirs.shape)
        if ours.size == 0:
            return
        size = max(np.abs(theirs).max(), np.abs(ours).max(), 1e-12)
        error = np.abs(ours - theirs).max() / size
        self.worst[what] = max(self.worst.get(what, 0), error if np.isfinite(error) else np.inf)

    def compare_bodies(self):
        for i in range(1, self.m.nbody):
            ours = np.array(self.links[self.body_name(i)]["inertia"])
            R = np.zeros(9)
            mujoco.mju_quat2Mat(R, self.m.body_iquat[i])
            R = R.reshape(3, 3)
            mass, c = self.m.body_mass[i], self.m.body_ipos[i]
            I = R @ np.diag(self.m.body_inertia[i]) @ R.T + mass * (c @ c * np.eye(3) - np.outer(c, c))
            self.agree("mass", ours[:1], [mass])
            meshes = any(self.m.geom_type[k] == mujoco.mjtGeom.mjGEOM_MESH for k in range(self.m.ngeom)
                         if self.m.geom_bodyid[k] == i)
            self.agree("mesh inertia" if meshes else "inertia", ours[4:],
                       [I[0, 0], I[1, 1], I[2, 2], I[0, 1], I[0, 2], I[1, 2]])
            if meshes:
                self.give_axes(i, ours)
            if mass > 0:
                self.agree("centre", ours[1:4], mass * c)

    def give_axes(self, i, ours):
        xx, yy, zz, xy, xz, yz = ours[4:]
        mass, c = ours[0], self.m.body_ipos[i]
        I = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) - mass * (c @ c * np.eye(3) - np.outer(c, c))
        moments, axes = np.linalg.eigh(I)
        self.agree("mesh moments", moments, np.sort(self.m.body_inertia[i]))
        axes *= np.linalg.det(axes)
        self.m.body_inertia[i] = moments
        turn = np.zeros(4)
        mujoco.mju_mat2Quat(turn, axes.flatten())
        self.m.body_iquat[i] = turn
        self.m.body_sameframe[i] = 0

    def random_state(self, rng):
        """A state of MuJoCo, the same for jounce, and P, c with v' = P v, a' = P a + c (primed: MuJoCo's)."""
        m, d = self.m, self.d
        q, v = np.zeros(self.info["nq"]), np.zeros(self.info["nv"])
        P, c = np.zeros((m.nv, self.info["nv"])), np.zeros(m.nv)
        for j in range(m.njnt):
            ours, a, b, kind = self.joint_of(j), m.jnt_qposadr[j], m.jnt_dofadr[j], m.jnt_type[j]
            n = {0: 6, 1: 3}.get(int(kind), 1)
            oq, ov = ours["q"], ours["v"]
            rate = np.array([rng.uniform(-2, 2) for _ in range(n)])
            if kind <= 1:
                turn = np.array([rng.gauss(0, 1) for _ in range(4)])
                turn /= np.linalg.norm(turn)
                place = np.array([rng.uniform(-1, 1) for _ in range(3)]) if kind == 0 else np.zeros(0)
                d.qpos[a:a + len(place) + 4] = np.concatenate([place, turn])
                q[oq:oq + len(place) + 4] = np.concatenate([place, turn[1:], turn[:1]])
            else:
                d.qpos[a] = q[oq] = rng.uniform(-2, 2) * (0.1 if kind == 2 else 1)
            v[ov:ov + n] = rate
            P[b:b + n, ov:ov + n] = np.eye(n)
            if kind == 0:  # ours: (angular, linear) in body axes; theirs: linear in world axes, angular in body axes
                R = np.zeros(9)
                mujoco.mju_quat2Mat(R, turn)
                R = R.reshape(3, 3)
                P[b:b + 6, ov:ov + 6] = np.block([[np.zeros((3, 3)), R], [np.eye(3), np.zeros((3, 3))]])
                c[b:b + 3] = R @ np.cross(rate[:3], rate[3:])
        d.qvel[:] = P @ v
        return q, v, P, c

    def mass_matrix(self):
        M = np.zeros((self.m.nv, self.m.nv))
        try:
            mujoco.mj_fullM(self.m, M, self.d.qM)
        except (AttributeError, TypeError):
            mujoco.mj_fullM(self.m, self.d, M)
        return M

    def springs(self):
        """What springs at joints need: part of the bias of jounce, but not of MuJoCo's."""
        force = np.zeros(self.m.nv)
        for j in range(self.m.njnt):
            if self.m.jnt_type[j] >= 2 and self.joint_of(j)["limits"][0]["stiffness"] != 0:
                q = self.m.jnt_qposadr[j]
                force[self.m.jnt_dofadr[j]] = self.m.jnt_stiffness[j] * (self.d.qpos[q] - self.m.qpos_spring[q])
        return force

    def compare_joints(self, lenient):
        """Ranges, springs and friction. What is left out with --lenient is zero here."""
        m = self.m
        for j in range(m.njnt):
            if m.jnt_type[j] < 2:
                continue
            ours, v, q = self.joint_of(j)["limits"][0], m.jnt_dofadr[j], m.jnt_qposadr[j]
            pairs = [("damping", m.dof_damping[v]), ("friction", m.dof_frictionloss[v]), ("stiffness", m.jnt_stiffness[j])]
            if m.jnt_stiffness[j] != 0:
                pairs.append(("rest", m.qpos_spring[q]))
            if m.jnt_limited[j]:
                pairs += [("lower", m.jnt_range[j][0]), ("upper", m.jnt_range[j][1])]
            for name, theirs in pairs:
                left_out = lenient and ours["stiffness"] == 0 and m.jnt_stiffness[j] != 0  # springdamper
                if not left_out:
                    self.agree("joints", [ours[name]], [theirs])

    def compare_order(self):
        """Coordinates are in MuJoCo's order."""
        assert [self.joint_of(j)["q"] for j in range(self.m.njnt)] == self.m.jnt_qposadr.tolist(), "order of coordinates"

    def compare_states(self, jounce, path, options, rng):
        states, theirs = [], []
        for _ in range(STATES):
            q, v, P, c = self.random_state(rng)
            mujoco.mj_forward(self.m, self.d)
            M = self.mass_matrix()
            poses = {}
            for i in range(1, self.m.nbody):
                T = np.eye(4)
                T[:3, :3], T[:3, 3] = self.d.xmat[i].reshape(3, 3), self.d.xpos[i]
                poses[self.body_name(i)] = T
            states.append({"q": q.tolist(), "v": v.tolist()})
            theirs.append((P.T @ M @ P, P.T @ (self.d.qfrc_bias + self.springs() + M @ c), poses))
        code, out, error = run(jounce, "eval", path, "--want", "M,bias,pose", *options, states=states)
        assert code == 0, error
        for ours, (M, bias, poses) in zip(json.loads(out)["results"], theirs):
            if self.m.nv:
                self.agree("M", ours["M"], M)
                self.agree("bias", ours["bias"], bias)
            for name, T in poses.items():
                self.agree("pose", ours["pose"][name], T)


def check(jounce, given, rng):
    """A line about one file; 1 when it is good."""
    with tempfile.TemporaryDirectory() as folder:
        base = os.path.join(folder, "robot")
        shutil.copytree(os.path.dirname(os.path.abspath(given)), base)
        for root, _, _ in os.walk(base):
            os.chmod(root, 0o755)
        path, options, note = os.path.join(base, os.path.basename(given)), [], ""
        try:
            model, replaced = load_theirs(path)
        except Exception as error:  # not a model by itself
            print("%-46s MuJoCo: %s" % (given, str(error).splitlines()[0][:90]))
            return 1
        code, out, error = run(jounce, "info", path, "--json")
        if code != 0:
            lines = error.splitlines()
            note = "refused: " + re.sub(r"^jounce: .*?([^/]*:\d+:\d+: )", r"\1", lines[0])[:120] if lines else "?"
            options = ["--lenient"]
            code, out, error = run(jounce, "info", path, "--json", *options)
        if code != 0:
            print("%-46s %s; not read with --lenient either: %s" % (given, note, error.splitlines()[0][:120]))
            return 0
        pair = Pair(model, json.loads(out))
        missing = [pair.body_name(i) for i in range(1, model.nbody) if pair.body_name(i) not in pair.links]
        if missing:
            print("%-46s %s; left out with --lenient: %d bodies" % (given, note, len(missing)))
            return 1
        pair.compare_order()
        pair.compare_joints(bool(options))
        pair.compare_bodies()
        pair.compare_states(jounce, path, options, rng)
        worst = max([error for what, error in pair.worst.items() if what not in MESH_TOLERANCE], default=0)
        for what, tolerance in MESH_TOLERANCE.items():
            if pair.worst.get(what, 0) > tolerance:
                worst = pair.worst[what]
        text = " ".join("%s %.0e" % item for item in pair.worst.items())
        if replaced:
            text += " (%d files replaced)" % replaced
        print("%-46s %s nv %d: %s%s" % (given, "good" if worst <= TOLERANCE else "BAD", pair.m.nv, text, note and "; " + note))
        return worst <= TOLERANCE


def main():
    if len(sys.argv) < 3:
        print(__doc__)
        return 2
    seed = int(os.environ.get("JOUNCE_SEED", "1"))
    print("mujoco %s, seed %d" % (mujoco.__version__, seed))
    rng = random.Random(seed)
    results = [check(sys.argv[1], path, rng) for path in sys.argv[2:]]
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
