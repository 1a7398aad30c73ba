# SPDX-License-Identifier: BSD-2-Clause
"""What show() draws: one body in every format of meshes, solids by their volume, sliders against the poses of the library."""

from __future__ import annotations

import unittest
from typing import Any

import numpy as np

import jounce
from jounce import _scene, _shapes

SEED = 20260401
POINTS = np.array([[x, y, z] for x in (0.0, 0.5) for y in (0.0, 0.25) for z in (0.0, 0.125)])
QUADS = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
TRIANGLES = np.array([POINTS[list(f)] for a, b, c, d in QUADS for f in ((a, b, c), (a, c, d))])


def volume(triangles: Any) -> float:
    """By the divergence theorem: a sixth of the sum of a . (b x c)."""
    a, b, c = np.moveaxis(np.asarray(triangles, float), 1, 0)
    return float(abs(np.sum(a * np.cross(b, c))) / 6)


def same(a: Any, b: Any) -> bool:
    """Equal sets of triangles."""
    order = [np.array(sorted(np.asarray(t, np.float32).reshape(-1, 9).round(6).tolist())) for t in (a, b)]
    return order[0].shape == order[1].shape and bool(np.allclose(order[0], order[1], atol=1e-6))


def collada(primitive: str, before: str = "", unit: float = 1, points: Any = POINTS) -> bytes:
    numbers = " ".join(map(str, np.ravel(points)))
    return f"""<?xml version="1.0"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit meter="{unit}"/><up_axis>Z_UP</up_axis></asset>
<library_geometries><geometry id="g"><mesh>
<source id="p"><float_array id="pa" count="24">{numbers}</float_array></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>{primitive}</mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="s">
<node>{before}<instance_geometry url="#g"/></node></visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#s"/></scene></COLLADA>""".encode()


INPUTS = '<input semantic="VERTEX" source="#v" offset="0"/><input semantic="NORMAL" source="#v" offset="1"/>'
POLYLIST = (
    f"<polylist>{INPUTS}<vcount>{'4 ' * 6}</vcount><p>{' '.join(f'{k} 0' for f in QUADS for k in f)}</p></polylist>"
)


class Formats(unittest.TestCase):
    def test_stl(self) -> None:
        record = b"".join(bytes(12) + t.astype("<f4").tobytes() + bytes(2) for t in TRIANGLES)
        for head in (bytes(80), b"solid made by a tool that says so".ljust(80)):
            self.assertTrue(same(_shapes.read_stl(head + len(TRIANGLES).to_bytes(4, "little") + record), TRIANGLES))
        text = "solid box\n" + "".join(
            "facet normal 0 0 0\nouter loop\n"
            + "".join(f"vertex {x:g} {y:g} {z:g}\n" for x, y, z in t)
            + "endloop\nendfacet\n"
            for t in TRIANGLES
        )
        self.assertTrue(same(_shapes.read_stl(text.encode()), TRIANGLES))

    def test_obj(self) -> None:
        points = "".join(f"v {x} {y} {z}\n" for x, y, z in POINTS)
        forward = "".join("f " + " ".join(f"{k + 1}/1/1" for k in f) + "\n" for f in QUADS)
        backward = "".join("f " + " ".join(f"{k - 8}" for k in f) + "\n" for f in QUADS)
        for faces in (forward, backward):
            self.assertTrue(same(_shapes.read_obj(f"# box\n{points}{faces}".encode()), TRIANGLES))

    def test_collada(self) -> None:
        corners = "".join(f"{k} 0 " for a, b, c, d in QUADS for k in (a, b, c, a, c, d))
        polygons = "".join(f"<p>{' '.join(f'{k} 0' for k in f)}</p>" for f in QUADS)
        for primitive in (
            POLYLIST,
            f"<triangles>{INPUTS}<p>{corners}</p></triangles>",
            f"<polygons>{INPUTS}{polygons}</polygons>",
        ):
            with self.subTest(primitive[:10]):
                self.assertTrue(same(_shapes.read_mesh("a.DAE", collada(primitive)), TRIANGLES))

    def test_collada_units_and_nodes(self) -> None:
        """Lengths are in the file's unit, <up_axis> turns nothing, and a node's transformations act in their order."""
        before = "<translate>1 2 3</translate><rotate>0 0 1 90</rotate><scale>2 2 2</scale>"
        turned = 2 * TRIANGLES @ np.array([[0, 1, 0], [-1, 0, 0], [0, 0, 1.0]]) + [1, 2, 3]
        self.assertTrue(same(_shapes.read_mesh("a.dae", collada(POLYLIST, before)), turned))
        matrix = "<matrix>0 -2 0 1  2 0 0 2  0 0 2 3  0 0 0 1</matrix>"
        self.assertTrue(same(_shapes.read_mesh("a.dae", collada(POLYLIST, matrix)), turned))
        self.assertTrue(same(_shapes.read_mesh("a.dae", collada(POLYLIST, "", 0.001, 1000 * POINTS)), TRIANGLES))

    def test_damage(self) -> None:
        """Any part that is missing, and any byte that is wrong, gives triangles or a ValueError: never another error."""
        print("seed", SEED)
        random = np.random.default_rng(SEED)
        binary = bytes(80) + (12).to_bytes(4, "little")
        binary += b"".join(bytes(12) + t.astype("<f4").tobytes() + bytes(2) for t in TRIANGLES)
        obj = "".join(f"v {x} {y} {z}\n" for x, y, z in POINTS) + "f 1 2 3\n" * 3
        whole = {"a.stl": binary, "b.obj": obj.encode(), "c.dae": collada(POLYLIST)}
        for name, data in whole.items():
            for _ in range(400):
                wrong = bytearray(data[: random.integers(len(data))] if random.random() < 0.3 else data)
                for _ in range(random.integers(1, 4)):
                    if wrong:
                        wrong[random.integers(len(wrong))] = random.integers(256)
                try:
                    shape = _shapes.read_mesh(name, bytes(wrong)).shape
                except (ValueError, OverflowError):
                    continue
                self.assertEqual(shape[1:], (3, 3))
        endless = collada(POLYLIST, '<instance_node url="#n"/>').replace(b"<node>", b'<node id="n">')
        with self.assertRaises(ValueError):
            _shapes.read_mesh("a.dae", endless)


class Solids(unittest.TestCase):
    def test_volumes(self) -> None:
        """Boxes exactly; round solids are inscribed, with 24 segments: from 95 % of the volume on."""
        urdf = b"""<robot name="r"><link name="a"><visual><geometry>%s</geometry></visual></link></robot>"""
        r, h = 0.2, 0.7
        for tag, right in (
            (b'<box size="0.2 0.3 0.5"/>', 0.03),
            (b'<sphere radius="0.2"/>', 4 / 3 * np.pi * r**3),
            (b'<cylinder radius="0.2" length="0.7"/>', np.pi * r * r * h),
            (b'<capsule radius="0.2" length="0.7"/>', np.pi * r * r * h + 4 / 3 * np.pi * r**3),
        ):
            got = volume(_shapes.visuals(urdf % tag, {})[0]["a"])
            self.assertTrue(0.95 * right < got < (1 + 1e-6) * right, (tag, got, right))
            self.assertTrue(tag[1:4] != b"box" or abs(got - right) < 1e-6 * right)

    def test_origin_is_that_of_joints(self) -> None:
        """<origin> of a visual turns as <origin> of a joint, which the library reads."""
        given = '<origin xyz="1 2 3" rpy="0.3 -0.7 1.9"/>'
        visual = f"<visual>{given}<geometry><mesh filename='m.stl'/></geometry></visual>"
        text = f"""<robot name="r"><link name="a">{visual}</link><link name="b"/>
          <joint name="j" type="fixed">{given}<parent link="a"/><child link="b"/></joint></robot>"""
        data = b"solid\n" + "".join(f"vertex {x} {y} {z}\n" for t in TRIANGLES for x, y, z in t).encode()
        looks, unreadable = _shapes.visuals(text.encode(), {"m.stl": data})
        pose = jounce.loads(text, floating=True).frame_poses(np.array([0, 0, 0, 0, 0, 0, 1.0]))[1]
        self.assertEqual(unreadable, [])
        self.assertTrue(same(looks["a"], TRIANGLES @ pose[:3, :3].T + pose[:3, 3]))


class Sliders(unittest.TestCase):
    def exponential(self, screw: Any, x: float) -> Any:
        """The series of exp, term by term."""
        w, u = np.asarray(screw[:3]), np.asarray(screw[3:])
        S = np.zeros((4, 4))
        S[:3, :3] = np.cross(np.eye(3), w)
        S[:3, 3] = u
        S *= x
        total, term = np.eye(4), np.eye(4)
        for k in range(1, 60):
            term = term @ S / k
            total = total + term
        return total

    def test_poses(self) -> None:
        """Links that are moved by their screws are where the library puts them, coupled joints included."""
        print("seed", SEED)
        robots = ["builtin:panda", "builtin:quadruped", "builtin:humanoid", COUPLED]
        for source in robots:
            model = jounce.loads(source) if "<robot" in source else jounce.load(source)
            found = _scene.sliders(model)
            self.assertEqual(
                len(found), sum(model.joint(j).q.stop - model.joint(j).q.start == 1 for j in model.moving_joints)
            )
            q, values = model.neutral(), {}
            random = np.random.default_rng(SEED)
            for slider in found:
                values[slider["name"]] = random.uniform(max(slider["lower"], -3), min(slider["upper"], 3))
                q[model.joint(slider["name"]).q] = values[slider["name"]]
            local = _scene.relative_poses(model, model.neutral())
            for slider in found:
                for link, screw in slider["moves"]:
                    step = values[slider["name"]] - slider["start"]
                    local[link] = local[link] @ self.exponential(screw, step)
            right = _scene.relative_poses(model, q)
            np.testing.assert_allclose(local, right, atol=1e-7)


COUPLED = """<robot name="r"><link name="a"/><link name="b"/><link name="c"/>
<joint name="first" type="revolute"><origin xyz="0.1 0 0.2" rpy="0.4 0 1"/><axis xyz="0 0.6 0.8"/>
 <parent link="a"/><child link="b"/> <limit lower="-2" upper="2" effort="1" velocity="1"/></joint>
<joint name="second" type="prismatic"><axis xyz="1 0 0"/><parent link="b"/><child link="c"/>
 <mimic joint="first" multiplier="-0.3" offset="0.05"/><limit lower="-2" upper="2" effort="1" velocity="1"/></joint></robot>"""

if __name__ == "__main__":
    unittest.main()
