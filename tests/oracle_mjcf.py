#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""MuJoCo as an oracle for MJCF files: the package mujoco (3 or newer) and jounce read the same files; masses, centres of
mass, inertias, poses of bodies, M and bias forces at random states must agree to 1e-9 of the largest number.

Usage: oracle_mjcf.py JOUNCE FILE.xml ...      the robots of these files
       oracle_mjcf.py JOUNCE --random N        N random robots

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
# MuJoCo stops the search for principal axes early: it finds the axes of bodies made of geoms only to about 1e-7 and their
# moments to 1e-8 (their sums to 1e-7), and before version 4 it stops at a fixed number, which is large for small bodies. So inertia is compared
# with this in mind, and then MuJoCo gets the axes and moments of our tensors for the comparison of M and bias.
OLD = int(mujoco.__version__.split(".")[0]) < 4
INERTIA_TOLERANCE = {"inertia": 1 if OLD else 1e-5, "moments": 1 if OLD else 1e-7}
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


def run(jounce, command, path, *options, states=None, couple=False):
    tree = [] if couple else ["--mimic", "ignore", "--loops", "ignore"]
    done = subprocess.run([jounce, command, *tree, *options, path],
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

    def place_of(self, j):
        """First places of a joint in our q and v, and whether it is a free joint that became three slides and a ball."""
        ours = self.joint_of(j)
        split = self.m.jnt_type[j] == 0 and ours["type"] == "spherical"
        first = self.joints[self.m.joint(j).name + "_x"] if split else ours
        return first["q"], first["v"], split

    def agree(self, what, ours, theirs):
        ours, theirs = np.asarray(ours, float), np.asarray(theirs, float)
        assert ours.shape == theirs.shape, (what, ours.shape, theirs.shape)
        if ours.size == 0:
            return 0
        size = max(np.abs(theirs).max(), np.abs(ours).max(), 1e-12)
        error = np.abs(ours - theirs).max() / size
        error = error if np.isfinite(error) else np.inf
        self.worst[what] = max(self.worst.get(what, 0), error)
        return error

    def compare_bodies(self):
        for i in range(1, self.m.nbody):
            ours = np.array(self.links[self.body_name(i)]["inertia"])
            R = np.zeros(9)
            mujoco.mju_quat2Mat(R, self.m.body_iquat[i])
            R = R.reshape(3, 3)
            mass, c = self.m.body_mass[i], self.m.body_ipos[i]
            I = R @ np.diag(self.m.body_inertia[i]) @ R.T + mass * (c @ c * np.eye(3) - np.outer(c, c))
            self.agree("mass", ours[:1], [mass])
            if self.agree("inertia", ours[4:], [I[0, 0], I[1, 1], I[2, 2], I[0, 1], I[0, 2], I[1, 2]]) > 1e-13:
                self.give_axes(i, ours)
            if mass > 0:
                self.agree("centre", ours[1:4], mass * c)

    def give_axes(self, i, ours):
        xx, yy, zz, xy, xz, yz = ours[4:]
        mass, c = ours[0], self.m.body_ipos[i]
        I = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) - mass * (c @ c * np.eye(3) - np.outer(c, c))
        moments, axes = np.linalg.eigh(I)
        self.agree("moments", moments, np.sort(self.m.body_inertia[i]))
        if os.environ.get("JOUNCE_THEIR_AXES"):  # to see what the early stop does to M and bias
            return
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
            a, b, kind = m.jnt_qposadr[j], m.jnt_dofadr[j], m.jnt_type[j]
            n = {0: 6, 1: 3}.get(int(kind), 1)
            oq, ov, split = self.place_of(j)
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
            if kind == 0 and not split:  # ours: (angular, linear) in body axes; theirs: linear in world axes, angular in body axes
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
        assert [self.place_of(j)[0] for j in range(self.m.njnt)] == self.m.jnt_qposadr.tolist(), "order of coordinates"

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


class Conditions:
    """Couplings and loops: at one state, what is missing to each equality of MuJoCo is missing to ours."""

    def __init__(self, pair, info):
        self.pair, self.m, self.d = pair, pair.m, pair.d
        self.loops = list(info["loops"])
        self.mimic = {link["joint"]["name"]: link["joint"]["mimic"] for link in info["links"]}
        self.address = {pair.joint_of(j)["name"]: self.m.jnt_qposadr[j] for j in range(self.m.njnt)}

    def follow(self):
        """Put the joints that follow others where they belong."""
        for _ in self.mimic:
            for name, to in self.mimic.items():
                if to:
                    self.d.qpos[self.address[name]] = to["ratio"] * self.d.qpos[self.address[to["joint"]]] + to["offset"]
        mujoco.mj_forward(self.m, self.d)

    def pose(self, link, placement):
        T, X = np.eye(4), np.array(placement)
        if link != "world":
            i = next(i for i in range(1, self.m.nbody) if self.pair.body_name(i) == link)
            T[:3, :3], T[:3, 3] = self.d.xmat[i].reshape(3, 3), self.d.xpos[i]
        return T @ X

    def residual(self, loop):
        if loop["type"] == "coupling":
            return [sum(t["factor"] * self.d.qpos[self.address[t["joint"]]] for t in loop["terms"]) - loop["offset"]]
        a, b = self.pose(loop["link_a"], loop["placement_a"]), self.pose(loop["link_b"], loop["placement_b"])
        out = list(a[:3, 3] - b[:3, 3])
        if loop["type"] == "weld":
            turn = np.zeros(4)
            mujoco.mju_mat2Quat(turn, (b[:3, :3].T @ a[:3, :3]).flatten())
            out += list(turn[1:] * np.sign(turn[0] or 1))
        return out

    def compare(self):
        m, d, left = self.m, self.d, list(self.loops)
        for e in range(m.neq):
            if not m.eq_active0[e]:
                continue
            rows = [r for r in range(d.nefc) if d.efc_type[r] == mujoco.mjtConstraint.mjCNSTR_EQUALITY and d.efc_id[r] == e]
            theirs = d.efc_pos[rows]
            kind = mujoco.mjtEq(m.eq_type[e])
            name = m.eq(e).name
            loop = left[0] if left and (left[0]["name"] == name or not name) else None
            if kind == mujoco.mjtEq.mjEQ_JOINT and (not loop or loop["type"] != "coupling"):
                assert self.mimic[self.pair.joint_of(m.eq_obj1id[e])["name"]], "a joint that follows another"
                self.pair.agree("followers", theirs + 1, [1.0])
                continue
            wanted = {"CONNECT": "spherical", "WELD": "weld"}.get(kind.name[5:], "coupling")
            assert loop and loop["type"] == wanted, "%s '%s' is %s" % (kind.name, name, loop)
            if not rows:  # between bodies that do not move
                left.pop(0)
                continue
            if kind == mujoco.mjtEq.mjEQ_WELD:  # a quaternion has two signs
                turn = theirs[3:] / m.eq_data[e][10]
                sign = np.sign(turn @ np.array(self.residual(loop))[3:]) or 1
                theirs = np.concatenate([theirs[:3], sign * turn])
            self.pair.agree("loops", np.array(self.residual(loop)) + 1, theirs + 1)
            left.pop(0)
        assert not left, "loops"


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
        code, out, error = run(jounce, "info", path, "--json", *options, couple=True)
        assert code == 0, error
        conditions = Conditions(pair, json.loads(out))
        conditions.follow()
        conditions.compare()
        worst = max([error for what, error in pair.worst.items() if what not in INERTIA_TOLERANCE], default=0)
        for what, tolerance in INERTIA_TOLERANCE.items():
            if pair.worst.get(what, 0) > tolerance:
                worst = pair.worst[what]
        text = " ".join("%s %.0e" % item for item in pair.worst.items())
        if replaced:
            text += " (%d files replaced)" % replaced
        print("%-46s %s nv %d: %s%s" % (given, "good" if worst <= TOLERANCE else "BAD", pair.m.nv, text, note and "; " + note))
        return worst <= TOLERANCE


def random_file(rng):
    """A random robot with most of what MJCF offers."""
    def numbers(n, size=1):
        return " ".join("%.6g" % rng.uniform(-size, size) for _ in range(n))

    def chance(p):
        return rng.random() < p

    def orientation():
        angle = 180 if degrees else 3
        return rng.choice(["", 'quat="%s"' % numbers(4), 'euler="%s"' % numbers(3, angle), 'zaxis="%s"' % numbers(3),
                           'axisangle="%s %s"' % (numbers(3), numbers(1, angle)), 'xyaxes="%s"' % numbers(6)])

    def placed(text=""):
        return (' pos="%s" ' % numbers(3) if chance(0.7) else " ") + orientation() + text

    def child_class():
        return ' childclass="%s"' % rng.choice(classes) if chance(0.2) else ""

    def of_class():
        return ' class="%s"' % rng.choice(classes) if chance(0.3) else ""

    def geom():
        shape = rng.choice(["sphere", "capsule", "cylinder", "ellipsoid", "box", "mesh"])
        # the shell of an ellipsoid is not closed form in MuJoCo: it differs by about 1e-6
        shell = ' shellinertia="true"' if chance(0.2) and shape not in ("mesh", "ellipsoid") else ""
        text = '<geom type="%s"%s%s' % (shape, of_class(), shell)
        if shape == "mesh":
            return text + ' mesh="%s"%s/>' % (rng.choice(["tetra", "points"]), placed())
        sizes = [rng.uniform(0.05, 0.4) for _ in range(3)]
        if shape in ("capsule", "cylinder", "ellipsoid", "box") and chance(0.3):
            return text + ' size="%.4g" fromto="%s"/>' % (sizes[0], numbers(6))
        if chance(0.3):
            text += ' mass="%.4g"' % rng.uniform(0.1, 2)
        return text + ' size="%.4g %.4g %.4g" group="%d"%s/>' % (*sizes, rng.randrange(0, 4), placed())

    def inertial():
        a, b, c = (rng.uniform(0.1, 1) for _ in range(3))
        moments = "%.5g %.5g %.5g" % (a + b, b + c, c + a)
        kind = 'diaginertia="%s"' % moments + placed() if chance(0.6) else 'fullinertia="%s 0.01 -0.02 0.03" pos="%s"' % (
            moments, numbers(3))
        return '<inertial mass="%.4g" %s/>' % (rng.uniform(0.2, 3), kind if "pos=" in kind else kind + ' pos="0 0 0"')

    def joint(alone):
        kind = rng.choice(["", 'type="hinge"', 'type="slide"', 'type="ball"' if alone else ""])
        name = ' name="j%d"' % len(names) if chance(0.7) else ""
        if name:
            names.append("j%d" % len(names))
        text = "<joint %s%s%s" % (kind, name, of_class())
        for attribute, value in (("pos", numbers(3)), ("axis", numbers(3)), ("armature", "%.3g" % rng.uniform(0, 0.2)),
                                 ("damping", "0.1"), ("frictionloss", "0.2")):
            if chance(0.5):
                text += ' %s="%s"' % (attribute, value)
        if "ball" not in kind:
            if name:
                scalars.append(name[7:-1])
            for attribute, value in (("ref", numbers(1)), ("stiffness", "1.5"), ("springref", numbers(1)), ("range", "-0.5 1")):
                if chance(0.3):
                    text += ' %s="%s"' % (attribute, value)
        else:
            text += ' stiffness="0"'
        return text + "/>"

    def content(depth):
        parts = [geom() for _ in range(rng.randrange(1, 4))]
        if chance(0.3):
            parts.append("<frame%s%s>%s</frame>" % (placed(), child_class(), geom()))
        if chance(0.4):
            parts.append(inertial())
        if chance(0.5):
            parts.append('<site name="s%d"%s/>' % (rng.randrange(10**9), placed()))
        if depth < 4:
            for _ in range(rng.randrange(0, 3)):
                inner = body(depth + 1)
                parts.append("<frame%s%s>%s</frame>" % (placed(), child_class(), inner) if chance(0.3) else inner)
        return "".join(parts)

    def body(depth):
        count = rng.choice([0, 1, 1, 1, 2, 3])
        floats = depth == 0 and chance(0.5)
        free = rng.choice(["<freejoint/>", '<joint type="free" name="f%d" armature="0.3" stiffness="0"/>' % rng.randrange(10**9)])
        joints = free if floats else "".join(joint(count == 1) for _ in range(count))
        if joints and chance(0.2) and "free" not in joints:
            joints = "<frame%s>%s</frame>" % (placed(), joints)
        name = ' name="b%d"' % rng.randrange(10**9) if chance(0.7) else ""
        if name:
            bodies.append(name[7:-1])
        return "<body%s%s%s>%s%s</body>" % (name, placed(), child_class(), joints, content(depth))

    def equality():
        parts, tendons = [], []
        if len(scalars) > 1:
            for _ in range(rng.randrange(0, 3)):
                one, two = rng.sample(scalars, 2)
                parts.append('<joint joint1="%s" joint2="%s" polycoef="%s"/>' % (one, two, numbers(2)))
            if chance(0.3):
                parts.append('<joint joint1="%s" polycoef="%s"/>' % (rng.choice(scalars), numbers(1)))
            for i in range(2):
                some = rng.sample(scalars, rng.randrange(1, min(4, len(scalars)) + 1))
                terms = "".join('<joint joint="%s" coef="%s"/>' % (j, numbers(1)) for j in some)
                tendons.append('<fixed name="t%d">%s</fixed>' % (i, terms))
            if chance(0.5):
                parts.append('<tendon tendon1="t0" %s polycoef="%s"/>' % (rng.choice(["", 'tendon2="t1"']), numbers(2)))
        if len(bodies) > 1:
            for _ in range(rng.randrange(0, 3)):
                pair = 'body1="%s" body2="%s"' % tuple(rng.sample(bodies, 2))
                pair = pair.split(" body2")[0] if chance(0.2) else pair
                parts.append(rng.choice(['<connect %s anchor="%s"/>' % (pair, numbers(3)), "<weld %s/>" % pair,
                                         '<weld %s anchor="%s"/>' % (pair, numbers(3)),
                                         '<weld %s relpose="%s" anchor="%s"/>' % (pair, numbers(7), numbers(3))]))
        named = "".join(part.replace(" ", ' name="e%d" ' % i, 1) for i, part in enumerate(parts))
        return "<tendon>%s</tendon><equality>%s</equality>" % ("".join(tendons), named)

    degrees, names, scalars, bodies, classes = chance(0.5), [], [], [], ["one", "two", "inner"]
    compiler = '<compiler angle="%s" eulerseq="%s" inertiafromgeom="%s" inertiagrouprange="0 %d" %s/>' % (
        "degree" if degrees else "radian", rng.choice(["xyz", "ZYX", "xYz", "zxz"]), rng.choice(["auto", "true", "auto"]),
        rng.choice([5, 5, 2]), rng.choice(["", 'boundmass="0.5" boundinertia="0.1"', 'settotalmass="7"', 'balanceinertia="true"']))
    default = ('<default><geom density="700"/><joint armature="0.03"/><default class="one"><joint damping="0.3" axis="0 1 0"/>'
               '<geom shellinertia="false" density="300"/><default class="inner"><joint stiffness="0.7" springref="0.2"/>'
               '<geom quat="1 1 0 0"/></default></default><default class="two"><joint ref="0.3"/><site pos="1 0 0"/></default></default>')
    points = " ".join(numbers(3) for _ in range(12))
    asset = ('<asset><mesh name="tetra" vertex="0 0 0 1 0 0 0 .5 0 .2 .2 .7" face="0 2 1 0 1 3 1 2 3 2 0 3" scale=".5 -.7 .9" '
             'inertia="%s" refpos=".1 .2 .3"/><mesh name="points" vertex="%s" inertia="convex"/></asset>') % (
                 rng.choice(["exact", "legacy", "shell"]), points)
    world = "".join(body(0) for _ in range(rng.randrange(1, 3)))
    return '<mujoco>%s<option gravity="%s"/>%s%s<worldbody>%s</worldbody>%s</mujoco>\n' % (
        compiler, numbers(3, 10), default, asset, world, equality())


def main():
    if len(sys.argv) < 3:
        print(__doc__)
        return 2
    seed = int(os.environ.get("JOUNCE_SEED", "1"))
    print("mujoco %s, seed %d" % (mujoco.__version__, seed))
    rng = random.Random(seed)
    if sys.argv[2] != "--random":
        results = [check(sys.argv[1], path, rng) for path in sys.argv[2:]]
        return 0 if all(results) else 1
    results = []
    with tempfile.TemporaryDirectory() as folder:
        for i in range(int(sys.argv[3])):
            path = os.path.join(folder, "random%d.xml" % i)
            with open(path, "w", encoding="utf-8") as f:
                f.write(random_file(rng))
            try:
                results.append(check(sys.argv[1], path, rng))
            except AssertionError as error:
                print(path, "BAD", error)
                results.append(0)
            if os.environ.get("JOUNCE_KEEP") and not results[-1]:
                shutil.copy(path, os.environ["JOUNCE_KEEP"])
            os.remove(path)
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
