// SPDX-License-Identifier: BSD-2-Clause
// Boxes as mesh files for the tests: STL (text and binary), OBJ, Collada with any up axis, unit and node.

const FACES = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
const TRIANGLES = FACES.flatMap(([a, b, c, d]) => [[a, b, c], [a, c, d]]);

/** The eight corners of a box with this centre and these half lengths. */
export const corners = ([x, y, z], [a, b, c]) =>
  Array.from({ length: 8 }, (_, k) => [x + (k & 1 ? a : -a), y + (k & 2 ? b : -b), z + (k & 4 ? c : -c)]);

export function asciiStl(points) {
  const facet = (triangle) => `facet normal 0 0 0\nouter loop\n${triangle.map((k) => `vertex ${points[k].join(" ")}`).join("\n")}\nendloop\nendfacet`;
  return Buffer.from(`solid box\n${TRIANGLES.map(facet).join("\n")}\nendsolid box\n`);
}

export function binaryStl(points) {
  const bytes = Buffer.alloc(84 + 50 * TRIANGLES.length);
  bytes.writeUInt32LE(TRIANGLES.length, 80);
  TRIANGLES.forEach((triangle, i) => {
    triangle.forEach((k, j) => points[k].forEach((x, axis) => bytes.writeFloatLE(x, 84 + 50 * i + 12 + 12 * j + 4 * axis)));
  });
  return bytes;
}

export function obj(points) {
  const lines = [...points.map((point) => `v ${point.join(" ")}`), ...FACES.map((face) => `f ${face.map((k) => k + 1).join(" ")}`)];
  return Buffer.from(`${lines.join("\n")}\n`);
}

/** up: X_UP, Y_UP, Z_UP or nothing; unit: metres for one unit of the file; matrix: 16 numbers of the node, row by row. */
export function collada(points, { up = null, unit = null, matrix = null } = {}) {
  const asset = `<asset>${unit === null ? "" : `<unit name="u" meter="${unit}"/>`}${up === null ? "" : `<up_axis>${up}</up_axis>`}</asset>`;
  return Buffer.from(`<?xml version="1.0" encoding="utf-8"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">${asset}
<library_geometries><geometry id="box"><mesh>
<source id="points"><float_array id="numbers" count="24">${points.flat().join(" ")}</float_array><technique_common><accessor source="#numbers" count="8" stride="3"><param name="X" type="float"/><param name="Y" type="float"/><param name="Z" type="float"/></accessor></technique_common></source>
<vertices id="corners"><input semantic="POSITION" source="#points"/></vertices>
<triangles count="12"><input semantic="VERTEX" source="#corners" offset="0"/><p>${TRIANGLES.flat().join(" ")}</p></triangles>
</mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="scene"><node id="node">${matrix === null ? "" : `<matrix>${matrix.join(" ")}</matrix>`}<instance_geometry url="#box"/></node></visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#scene"/></scene></COLLADA>
`);
}

/** The matrix of <origin xyz rpy>, row by row: Rz(yaw) Ry(pitch) Rx(roll). */
export function origin([x, y, z], [r, p, w]) {
  const [cr, sr, cp, sp, cw, sw] = [r, p, w].flatMap((angle) => [Math.cos(angle), Math.sin(angle)]);
  return [
    [cw * cp, cw * sp * sr - sw * cr, cw * sp * cr + sw * sr, x],
    [sw * cp, sw * sp * sr + cw * cr, sw * sp * cr - cw * sr, y],
    [-sp, cp * sr, cp * cr, z],
    [0, 0, 0, 1],
  ];
}

/** A point moved by a matrix of four rows. */
export const moved = (rows, [x, y, z]) => rows.slice(0, 3).map(([a, b, c, d]) => a * x + b * y + c * z + d);

/** Numbers from 0 to 1 that are the same for the same seed. */
export function random(seed) {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 4294967296;
  };
}
