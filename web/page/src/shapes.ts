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

function content(files: Files, name: string): Uint8Array | null {
  const tail = name.replace(/^(package|model):\/\/[^/]*\//, "").replace(/^file:\/\//, "").replace(/^\.\//, "");
  const found = Object.keys(files).find((path) => path === tail || path.endsWith(`/${tail}`) || tail.endsWith(`/${path}`))
    ?? Object.keys(files).find((path) => path.split("/").pop() === tail.split("/").pop());
  const given = found === undefined ? undefined : files[found];
  if (given === undefined) return null;
  return typeof given === "string" ? new TextEncoder().encode(given) : given;
}

function readMesh(files: Files, name: string): THREE.Object3D | null {
  const bytes = content(files, name);
  if (!bytes) return null;
  const ending = name.toLowerCase().split(".").pop();
  try {
    if (ending === "stl") {
      const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer;
      return new THREE.Mesh(new STLLoader().parse(buffer));
    }
    if (ending === "obj") return new OBJLoader().parse(decoder.decode(bytes));
    if (ending === "dae") return new ColladaLoader().parse(decoder.decode(bytes), "").scene;
  } catch {
    return null; // a mesh that cannot be read is shown as a box
  }
  return null;
}

const numbers = (text: string | null | undefined, fallback: number[]) =>
  text ? text.trim().split(/\s+/).map(Number) : fallback;

function geometry(tag: Element, files: Files): { object: THREE.Object3D | null; mesh: string | null } {
  const shape = tag.firstElementChild;
  const value = (name: string, fallback: number) => Number(shape?.getAttribute(name) ?? fallback);
  switch (shape?.tagName) {
    case "box": {
      const [x = 0.1, y = 0.1, z = 0.1] = numbers(shape.getAttribute("size"), [0.1, 0.1, 0.1]);
      return { object: new THREE.Mesh(new THREE.BoxGeometry(x, y, z)), mesh: null };
    }
    case "sphere":
      return { object: new THREE.Mesh(new THREE.SphereGeometry(value("radius", 0.05), 24, 16)), mesh: null };
    case "capsule":
    case "cylinder": {
      const made = new THREE.CylinderGeometry(value("radius", 0.05), value("radius", 0.05), value("length", 0.1), 24);
      return { object: new THREE.Mesh(made.rotateX(Math.PI / 2)), mesh: null };
    }
    case "mesh": {
      const name = shape.getAttribute("filename") ?? "";
      const object = readMesh(files, name);
      const [x = 1, y = 1, z = 1] = numbers(shape.getAttribute("scale"), [1, 1, 1]);
      object?.scale.multiply(new THREE.Vector3(x, y, z));
      return { object, mesh: object ? null : name };
    }
    default:
      return { object: null, mesh: null };
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
  /** Meshes that were not among the files. */
  missing: string[];
}

/** The visuals of a URDF file; empty for other files. */
export function readLooks(text: string, files: Files): Looks {
  const looks: Looks = { links: new Map(), missing: [] };
  if (!/<robot[\s>]/.test(text)) return looks;
  const document_ = new DOMParser().parseFromString(text, "application/xml");
  for (const link of document_.querySelectorAll("robot > link")) {
    const group = new THREE.Group();
    for (const visual of [...link.children].filter((child) => child.tagName === "visual")) {
      const tag = [...visual.children].find((child) => child.tagName === "geometry");
      if (!tag) continue;
      const { object, mesh } = geometry(tag, files);
      if (mesh) looks.missing.push(mesh);
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
