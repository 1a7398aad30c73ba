// SPDX-License-Identifier: BSD-2-Clause
// What a link looks like: its visuals and meshes from a URDF file, or a box that has its mass and moments.
import * as THREE from "three";
import { STLLoader } from "three/addons/loaders/STLLoader.js";
import { OBJLoader } from "three/addons/loaders/OBJLoader.js";
import { ColladaLoader } from "three/addons/loaders/ColladaLoader.js";
import type { Files } from "../../library/src/index.js";
import type { LinkInfo } from "./robot.js";

/** A symmetric 3 x 3 matrix's eigenvalues and vectors, by Jacobi's rotations. */
export function principal(A: number[][]): { values: number[]; vectors: number[][] } {
  const a = A.map((row) => [...row]);
  const n = a.length;
  const V = a.map((_, i) => a.map((__, k) => (i === k ? 1 : 0)));
  const at = (M: number[][], i: number, k: number) => M[i]?.[k] ?? 0;
  for (let sweep = 0; sweep < 60; sweep++) {
    let off = 0;
    for (let p = 0; p < n; p++)
      for (let q = p + 1; q < n; q++) {
        const apq = at(a, p, q);
        off += apq * apq;
        if (Math.abs(apq) < 1e-300) continue;
        const theta = (at(a, q, q) - at(a, p, p)) / (2 * apq);
        const t = Math.sign(theta || 1) / (Math.abs(theta) + Math.hypot(theta, 1));
        const c = 1 / Math.hypot(t, 1);
        const s = t * c;
        for (const M of [a, V])
          for (const row of M) {
            const x = row[p] ?? 0;
            const y = row[q] ?? 0;
            row[p] = c * x - s * y;
            row[q] = s * x + c * y;
          }
        const rowP = a[p] ?? [];
        const rowQ = a[q] ?? [];
        for (let k = 0; k < n; k++) {
          const x = rowP[k] ?? 0;
          const y = rowQ[k] ?? 0;
          rowP[k] = c * x - s * y;
          rowQ[k] = s * x + c * y;
        }
      }
    if (off < 1e-30) break;
  }
  return { values: a.map((row, i) => row[i] ?? 0), vectors: V };
}

/** Centre, axes and half lengths of the box of even density with the same mass and moments; null without mass. */
export function inertiaBox(link: LinkInfo): { matrix: THREE.Matrix4; half: THREE.Vector3 } | null {
  const [m = 0, hx = 0, hy = 0, hz = 0, xx = 0, yy = 0, zz = 0, xy = 0, xz = 0, yz = 0] = link.inertia;
  if (!(m > 0)) return null;
  const [x, y, z] = [hx / m, hy / m, hz / m];
  const I = [
    [xx - m * (y * y + z * z), xy + m * x * y, xz + m * x * z],
    [xy + m * x * y, yy - m * (x * x + z * z), yz + m * y * z],
    [xz + m * x * z, yz + m * y * z, zz - m * (x * x + y * y)],
  ];
  const { values, vectors } = principal(I);
  const sum = values.reduce((total, value) => total + value, 0);
  const half = values.map((value) => Math.sqrt(Math.max((3 * (sum / 2 - value)) / m, 1e-8)));
  const column = (k: number) => new THREE.Vector3(...vectors.map((row) => row[k] ?? 0));
  const [a, b, c] = [column(0), column(1), column(2)];
  if (a.clone().cross(b).dot(c) < 0) c.negate();
  const matrix = new THREE.Matrix4().makeBasis(a, b, c).setPosition(x, y, z);
  return { matrix, half: new THREE.Vector3(...half) };
}

const decoder = new TextDecoder();

/** The rest of a name that URDF files use for meshes, with the folder of the package and without it. */
function placesOf(name: string): { inPackage: string; below: string } {
  const inPackage = name.replace(/^(package|model|file):\/\//, "").replace(/^(\.{0,2}\/)+/, "");
  const below = /^(package|model):\/\//.test(name) ? inPackage.replace(/^[^/]*\//, "") : inPackage;
  return { inPackage, below };
}

/** The given file that a URDF file names. Weaker matches count only when no better one exists: two packages may have files of one name. */
export function findFile(names: string[], wanted: string): string | undefined {
  const { inPackage, below } = placesOf(wanted);
  const ends = (whole: string, tail: string) => whole === tail || whole.endsWith(`/${tail}`);
  const lastPart = (path: string) => path.split("/").pop();
  const matches: ((path: string) => boolean)[] = [
    (path) => path === wanted,
    (path) => ends(path, inPackage),
    (path) => ends(path, below),
    (path) => ends(below, path),
    (path) => lastPart(path) === lastPart(below),
  ];
  for (const fits of matches) {
    const found = names.find(fits);
    if (found !== undefined) return found;
  }
  return undefined;
}

function content(files: Files, name: string): Uint8Array | null {
  const found = findFile(Object.keys(files), name);
  const given = found === undefined ? undefined : files[found];
  if (given === undefined) return null;
  return typeof given === "string" ? new TextEncoder().encode(given) : given;
}

/** The scene of a Collada file as URDF users expect it: its unit counts, <up_axis> does not (as in RViz and in other URDF loaders).
 *  three.js turns Z_UP files by -90 degrees instead, so that y is up. */
function readCollada(text: string): THREE.Object3D {
  const { scene } = new ColladaLoader().parse(text, "");
  scene.position.set(0, 0, 0);
  scene.quaternion.identity();
  return scene;
}

/** Normals for a mesh that has none, or only zeros as some STL files: it would be black. */
function addNormals(shape: THREE.BufferGeometry): void {
  const normals = shape.attributes["normal"];
  const given = normals !== undefined && Array.from(normals.array).some((x) => x !== 0);
  if (!given) shape.computeVertexNormals();
}

/** null: the format is not known, or the file is damaged. */
function readMesh(bytes: Uint8Array, name: string): THREE.Object3D | null {
  try {
    switch (name.toLowerCase().split(".").pop()) {
      case "stl": {
        const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer;
        return new THREE.Mesh(new STLLoader().parse(buffer));
      }
      case "obj":
        return new OBJLoader().parse(decoder.decode(bytes));
      case "dae":
        return readCollada(decoder.decode(bytes));
      default:
        return null;
    }
  } catch {
    return null; // the loaders throw whatever a damaged file leads them to
  }
}

const numbers = (text: string | null | undefined, fallback: number[]) =>
  text ? text.trim().split(/\s+/).map(Number) : fallback;

interface Shape {
  object: THREE.Object3D | null;
  /** The name of a mesh that was not among the files, or could not be read. */
  missing?: string;
  unreadable?: string;
}

function meshShape(tag: Element, files: Files): Shape {
  const name = tag.getAttribute("filename") ?? "";
  const bytes = content(files, name);
  if (!bytes) return { object: null, missing: name };

  const object = readMesh(bytes, name);
  if (!object) return { object: null, unreadable: name };
  object.traverse((part) => { if (part instanceof THREE.Mesh) addNormals((part as THREE.Mesh).geometry); });

  // After the unit of a Collada file, the scale of the URDF file.
  const [x = 1, y = 1, z = 1] = numbers(tag.getAttribute("scale"), [1, 1, 1]);
  object.scale.multiply(new THREE.Vector3(x, y, z));
  return { object };
}

function geometry(tag: Element, files: Files): Shape {
  const shape = tag.firstElementChild;
  const value = (name: string, fallback: number) => Number(shape?.getAttribute(name) ?? fallback);
  const solid = (made: THREE.BufferGeometry): Shape => ({ object: new THREE.Mesh(made) });
  switch (shape?.tagName) {
    case "box": {
      const [x = 0.1, y = 0.1, z = 0.1] = numbers(shape.getAttribute("size"), [0.1, 0.1, 0.1]);
      return solid(new THREE.BoxGeometry(x, y, z));
    }
    case "sphere":
      return solid(new THREE.SphereGeometry(value("radius", 0.05), 24, 16));
    case "capsule":
      return solid(new THREE.CapsuleGeometry(value("radius", 0.05), value("length", 0.1), 8, 24).rotateX(Math.PI / 2));
    case "cylinder":
      return solid(new THREE.CylinderGeometry(value("radius", 0.05), value("radius", 0.05), value("length", 0.1), 24).rotateX(Math.PI / 2));
    case "mesh":
      return meshShape(shape, files);
    default:
      return { object: null };
  }
}

function origin(visual: Element): THREE.Matrix4 {
  const tag = [...visual.children].find((child) => child.tagName === "origin");
  const [x = 0, y = 0, z = 0] = numbers(tag?.getAttribute("xyz"), [0, 0, 0]);
  const [r = 0, p = 0, w = 0] = numbers(tag?.getAttribute("rpy"), [0, 0, 0]);
  return new THREE.Matrix4().makeRotationFromEuler(new THREE.Euler(r, p, w, "ZYX")).setPosition(x, y, z);
}

export interface Looks {
  /** Visuals by the name of the link. */
  links: Map<string, THREE.Object3D>;
  /** Names of meshes that were not among the files, each once. */
  missing: string[];
  /** Names of meshes that are damaged, or of a format that the page cannot read, each once. */
  unreadable: string[];
}

/** The visuals of a URDF file; empty for other files. */
export function readLooks(text: string, files: Files): Looks {
  const looks: Looks = { links: new Map(), missing: [], unreadable: [] };
  const note = (list: string[], name: string | undefined) => {
    if (name !== undefined && !list.includes(name)) list.push(name);
  };
  if (!/<robot[\s>]/.test(text)) return looks;
  const document_ = new DOMParser().parseFromString(text, "application/xml");
  for (const link of document_.querySelectorAll("robot > link")) {
    const group = new THREE.Group();
    for (const visual of [...link.children].filter((child) => child.tagName === "visual")) {
      const tag = [...visual.children].find((child) => child.tagName === "geometry");
      if (!tag) continue;
      const { object, missing, unreadable } = geometry(tag, files);
      note(looks.missing, missing);
      note(looks.unreadable, unreadable);
      if (!object) continue;
      const holder = new THREE.Group();
      holder.applyMatrix4(origin(visual));
      holder.add(object);
      group.add(holder);
    }
    if (group.children.length) looks.links.set(link.getAttribute("name") ?? "", group);
  }
  return looks;
}
