// SPDX-License-Identifier: BSD-2-Clause
// The 3-D view: links, frames, axes, inertias, the centre of mass; turning the view, and dragging links.
import * as THREE from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import { color } from "./dom.js";
import type { LinkInfo, Robot } from "./robot.js";
import { inertiaBox, type Looks } from "./shapes.js";

export const PARTS = ["shapes", "boxes", "frames", "axes", "ellipsoids", "centre of mass"] as const;
export type Part = (typeof PARTS)[number];
/** What is shown at first. */
export const USUAL: readonly Part[] = ["shapes", "boxes", "axes", "centre of mass"];

/** A joint that the pointer turns or shifts: its link, and by how much [rad or m]. */
export type Dragged = (link: number, amount: number) => void;

const MATERIALS = [0x5b8bd0, 0x7aa36f, 0xc79a55, 0xa678b8, 0x5fa8a8, 0xc27878];
const MOVING = new Set(["revolute", "continuous", "prismatic", "helical"]);

export class Viewer {
  onDrag: Dragged = () => undefined;
  private readonly scene = new THREE.Scene();
  private readonly camera = new THREE.PerspectiveCamera(40, 1, 0.01, 200);
  private readonly renderer: THREE.WebGLRenderer;
  private readonly controls: OrbitControls;
  private readonly world = new THREE.Group();
  private readonly mass = new THREE.Mesh(new THREE.SphereGeometry(1, 24, 16), new THREE.MeshBasicMaterial());
  private links: THREE.Group[] = [];
  private infos: LinkInfo[] = [];
  private parts: Record<Part, THREE.Object3D[]> = Viewer.empty();
  private readonly shown = Object.fromEntries(PARTS.map((part) => [part, USUAL.includes(part)])) as Record<Part, boolean>;
  private bones: THREE.LineSegments | null = null;
  private parents: number[] = [];
  private ground: THREE.GridHelper | null = null;
  /** Corners of the box around each link's shape, in the frame of the link. */
  private corners: THREE.Vector3[][] = [];
  private size = 1;
  private fits = true;
  private grabbed: { link: number; last: THREE.Vector3 } | null = null;
  private stale = true;
  private frames = 0;
  private since = performance.now();
  /** Pictures drawn in the last second. */
  rate = 0;

  constructor(canvas: HTMLCanvasElement) {
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: true, preserveDrawingBuffer: true });
    this.camera.up.set(0, 0, 1);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.addEventListener("change", () => (this.stale = true));
    this.controls.listenToKeyEvents(canvas);
    const light = new THREE.DirectionalLight(0xffffff, 2.2);
    light.position.set(2, -3, 4);
    this.scene.add(light, new THREE.HemisphereLight(0xffffff, 0x667788, 1.6), this.world, this.mass);
    this.listen(canvas);
    new ResizeObserver(() => {
      this.resize();
    }).observe(canvas);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
      this.paint();
    });
    this.paint();
    this.resize();
  }

  private static empty(): Record<Part, THREE.Object3D[]> {
    return { shapes: [], boxes: [], frames: [], axes: [], ellipsoids: [], "centre of mass": [] };
  }

  /** Shows another robot. */
  show(robot: Robot, looks: Looks): void {
    this.world.clear();
    this.parts = Viewer.empty();
    this.infos = robot.info.links;
    const index = new Map(this.infos.map((link, i) => [link.name, i]));
    this.parents = this.infos.map((link) => (link.parent === null ? -1 : (index.get(link.parent) ?? -1)));
    this.size = this.reach();
    this.links = this.infos.map((link, i) => this.makeLink(link, i, looks.links.get(link.name)));
    this.corners = this.links.map((group) => this.cornersOf(group));
    this.world.add(...this.links);
    const lines = new THREE.BufferGeometry();
    lines.setAttribute("position", new THREE.BufferAttribute(new Float32Array(6 * this.links.length), 3));
    this.bones = new THREE.LineSegments(lines, new THREE.LineBasicMaterial({ color: 0x8a94a3 }));
    this.bones.frustumCulled = false;
    this.world.add(this.bones);
    this.drawGround(2 * this.size);
    this.mass.scale.setScalar(0.03 * this.size);
    (this.mass.material).color.set(0xd04040);
    this.parts["centre of mass"].push(this.mass);
    this.fits = false;
    for (const part of PARTS) this.toggle(part, this.shown[part]);
  }

  /** A grid on the ground, at least this far in each direction from the origin. */
  private drawGround(far: number): void {
    // 1, 2 or 5 times a power of ten: about ten lines in each direction.
    const power = 10 ** Math.floor(Math.log10(far / 10));
    const spacing = [1, 2, 5, 10].map((x) => x * power).find((x) => x >= far / 10) ?? power;
    const lines = Math.ceil(far / spacing);
    const grid = new THREE.GridHelper(2 * lines * spacing, 2 * lines, 0x8a94a3, 0x8a94a3).rotateX(Math.PI / 2);
    grid.material.transparent = true;
    grid.material.opacity = 0.25;
    this.ground?.removeFromParent();
    this.ground = grid;
    this.world.add(grid);
  }

  /** How far the robot can extend, roughly. */
  private reach(): number {
    const far: number[] = [];
    let most = 0.3;
    this.infos.forEach((link, i) => {
      const [x = 0, y = 0, z = 0] = link.placement.slice(0, 3).map((row) => row[3] ?? 0);
      const parent = this.parents[i] ?? -1;
      far[i] = (far[parent] ?? 0) + Math.hypot(x, y, z);
      most = Math.max(most, far[i] + Math.hypot(...link.com));
    });
    return Math.min(most, 20);
  }

  private makeLink(link: LinkInfo, index: number, look: THREE.Object3D | undefined): THREE.Group {
    const group = new THREE.Group();
    group.matrixAutoUpdate = false;
    group.userData["link"] = index;
    const material = new THREE.MeshStandardMaterial({ color: MATERIALS[index % MATERIALS.length] ?? 0x888888, roughness: 0.6 });
    const box = inertiaBox(link);
    if (look) {
      look.traverse((object) => {
        if (object instanceof THREE.Mesh && !Array.isArray(object.material)) object.material = material;
      });
      group.add(look);
      this.parts.shapes.push(look);
    } else if (box) {
      const clipped = box.half.clone().clampScalar(0.004 * this.size, 0.5 * this.size);
      const mesh = new THREE.Mesh(new THREE.BoxGeometry(2 * clipped.x, 2 * clipped.y, 2 * clipped.z), material);
      mesh.applyMatrix4(box.matrix);
      group.add(mesh);
      this.parts.boxes.push(mesh);
    }
    if (box) {
      const ball = new THREE.Mesh(
        new THREE.SphereGeometry(1, 24, 16),
        new THREE.MeshStandardMaterial({ color: 0xd08a2e, transparent: true, opacity: 0.45 }),
      );
      ball.applyMatrix4(new THREE.Matrix4().makeScale(box.half.x, box.half.y, box.half.z).premultiply(box.matrix));
      group.add(ball);
      this.parts.ellipsoids.push(ball);
    }
    const frame = new THREE.AxesHelper(0.08 * this.size);
    group.add(frame);
    this.parts.frames.push(frame);
    if (MOVING.has(link.joint.type)) {
      const axis = this.makeAxis(link);
      group.add(axis);
      this.parts.axes.push(axis);
    }
    return group;
  }

  private makeAxis(link: LinkInfo): THREE.Object3D {
    const long = 0.14 * this.size;
    const made = new THREE.Mesh(
      new THREE.CylinderGeometry(0.006 * this.size, 0.006 * this.size, long, 12),
      new THREE.MeshBasicMaterial({ color: link.joint.type === "prismatic" ? 0x2f9e66 : 0x3a6fd8 }),
    );
    const axis = new THREE.Vector3(...link.joint.axis);
    made.quaternion.setFromUnitVectors(new THREE.Vector3(0, 1, 0), axis.normalize());
    made.position.set(...(link.joint.point as [number, number, number]));
    return made;
  }

  toggle(part: Part, on: boolean): void {
    this.shown[part] = on;
    for (const object of this.parts[part]) object.visible = on;
    this.stale = true;
  }

  isShown(part: Part): boolean {
    return this.shown[part];
  }

  /** Poses of the links, 16 numbers each, row by row; and the centre of mass. */
  pose(poses: Float64Array, centre: Float64Array): void {
    const points = this.bones?.geometry.getAttribute("position");
    this.links.forEach((group, i) => {
      group.matrix.fromArray(poses, 16 * i).transpose();
      group.matrixWorldNeedsUpdate = true;
      const parent = this.parents[i] ?? -1;
      const at = (link: number, k: number) => (link < 0 ? 0 : (poses[16 * link + 4 * k + 3] ?? 0));
      points?.setXYZ(2 * i, at(parent, 0), at(parent, 1), at(parent, 2));
      points?.setXYZ(2 * i + 1, at(i, 0), at(i, 1), at(i, 2));
    });
    if (points) points.needsUpdate = true;
    this.mass.position.set(...(centre as unknown as [number, number, number]));
    if (!this.fits) this.fitTo([poses]);
    this.stale = true;
  }

  /** The eight corners of the box around a link's shape or inertia box, and its origin. */
  private cornersOf(group: THREE.Group): THREE.Vector3[] {
    const box = new THREE.Box3(new THREE.Vector3(), new THREE.Vector3());
    group.updateMatrixWorld(true);
    for (const child of group.children)
      if (this.parts.shapes.includes(child) || this.parts.boxes.includes(child)) box.expandByObject(child);
    const { min, max } = box;
    return [0, 1, 2, 3, 4, 5, 6, 7].map((k) => new THREE.Vector3(k & 1 ? max.x : min.x, k & 2 ? max.y : min.y, k & 4 ? max.z : min.z));
  }

  /** The box in the world around the robot in all these poses of its frames (16 numbers for each link, row by row). */
  private boxAround(poses: Float64Array[]): THREE.Box3 {
    const box = new THREE.Box3();
    const matrix = new THREE.Matrix4();
    for (const pose of poses)
      this.corners.forEach((corners, i) => {
        matrix.fromArray(pose, 16 * i).transpose();
        for (const corner of corners) box.expandByPoint(corner.clone().applyMatrix4(matrix));
      });
    return box;
  }

  /** Looks at the robot in all these poses, from the front and above. */
  fitTo(poses: Float64Array[]): void {
    const box = this.boxAround(poses);
    if (box.isEmpty()) return;
    this.fits = true;
    const ball = box.getBoundingSphere(new THREE.Sphere());

    // Half of the narrower angle of view.
    const upright = (this.camera.fov * Math.PI) / 360;
    const half = Math.min(upright, Math.atan(Math.tan(upright) * this.camera.aspect));
    const far = (1.05 * Math.max(ball.radius, 0.1)) / Math.sin(half);

    this.controls.target.copy(ball.center);
    this.camera.position.copy(ball.center).addScaledVector(new THREE.Vector3(0.6, -0.7, 0.4).normalize(), far);
    this.camera.near = far / 200;
    this.camera.far = 100 * far;
    this.camera.updateProjectionMatrix();
    this.controls.update();
    this.drawGround(Math.max(2 * this.size, ...[box.min.x, box.min.y, box.max.x, box.max.y].map(Math.abs)));
    this.stale = true;
  }

  /** Marks a link, or none (-1). */
  highlight(link: number): void {
    this.links.forEach((group, i) => {
      group.traverse((object) => {
        if (!(object instanceof THREE.Mesh)) return;
        const { material } = object as THREE.Mesh;
        if (material instanceof THREE.MeshStandardMaterial) material.emissive.set(i === link ? 0xb02020 : 0);
      });
    });
    this.stale = true;
  }

  /** Draws, if anything changed. */
  draw(): void {
    const now = performance.now();
    if (now - this.since >= 1000) {
      this.rate = (1000 * this.frames) / (now - this.since);
      this.frames = 0;
      this.since = now;
    }
    if (!this.stale) return;
    this.stale = false;
    this.frames++;
    this.renderer.render(this.scene, this.camera);
  }

  private paint(): void {
    this.scene.background = new THREE.Color(color("back"));
    this.stale = true;
  }

  private resize(): void {
    const canvas = this.renderer.domElement;
    const { clientWidth, clientHeight } = canvas;
    if (clientWidth === 0 || clientHeight === 0) return;
    this.renderer.setPixelRatio(Math.min(devicePixelRatio, 2));
    this.renderer.setSize(clientWidth, clientHeight, false);
    this.camera.aspect = clientWidth / clientHeight;
    this.camera.updateProjectionMatrix();
    this.stale = true;
  }

  // ---- Dragging ----

  private ray(event: PointerEvent): THREE.Raycaster {
    const box = this.renderer.domElement.getBoundingClientRect();
    const x = (2 * (event.clientX - box.left)) / box.width - 1;
    const y = 1 - (2 * (event.clientY - box.top)) / box.height;
    const ray = new THREE.Raycaster();
    ray.setFromCamera(new THREE.Vector2(x, y), this.camera);
    return ray;
  }

  private listen(canvas: HTMLCanvasElement): void {
    canvas.addEventListener("pointerdown", (event) => {
      const hit = this.ray(event).intersectObjects(this.links, true).find((found) => found.object.visible && found.object instanceof THREE.Mesh);
      let object: THREE.Object3D | null = hit?.object ?? null;
      while (object && object.userData["link"] === undefined) object = object.parent;
      if (!hit || !object) return;
      const link = this.movable(object.userData["link"] as number);
      if (link < 0) return;
      this.grabbed = { link, last: hit.point.clone() };
      this.controls.enabled = false;
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener("pointermove", (event) => {
      if (this.grabbed) this.drag(this.ray(event).ray, this.grabbed);
    });
    for (const name of ["pointerup", "pointercancel"] as const)
      canvas.addEventListener(name, () => {
        this.grabbed = null;
        this.controls.enabled = true;
      });
  }

  /** The link itself, or the nearest one below it that moves and follows nothing. */
  private movable(link: number): number {
    let at = link;
    while (at >= 0 && (this.infos[at]?.joint.mimic || !MOVING.has(this.infos[at]?.joint.type ?? ""))) at = this.parents[at] ?? -1;
    return at;
  }

  private drag(ray: THREE.Ray, grabbed: { link: number; last: THREE.Vector3 }): void {
    const info = this.infos[grabbed.link];
    const group = this.links[grabbed.link];
    if (!info || !group) return;
    const axis = new THREE.Vector3(...info.joint.axis).transformDirection(group.matrix);
    const point = new THREE.Vector3(...info.joint.point).applyMatrix4(group.matrix);
    const facing = this.camera.getWorldDirection(new THREE.Vector3());
    const plane = new THREE.Plane().setFromNormalAndCoplanarPoint(facing, grabbed.last);
    const now = ray.intersectPlane(plane, new THREE.Vector3());
    if (!now) return;
    const before = grabbed.last.clone().sub(point);
    const after = now.clone().sub(point);
    grabbed.last = now;
    if (info.joint.type === "prismatic") {
      this.onDrag(grabbed.link, after.sub(before).dot(axis));
      return;
    }
    // The pointer moves where the circle of the grabbed point goes: how far it turns is seen from the camera.
    const flat = (v: THREE.Vector3) => v.clone().addScaledVector(axis, -v.dot(axis));
    const [a, b] = [flat(before), flat(after)];
    const turned = Math.atan2(a.clone().cross(b).dot(axis), a.dot(b));
    if (Number.isFinite(turned)) this.onDrag(grabbed.link, turned);
  }
}
