// SPDX-License-Identifier: BSD-2-Clause
// The panel Joints: sliders that place the robot, and the force of each joint against its limit.
import type { App, Panel } from "./app.js";
import { element, short } from "./dom.js";
import type { Coordinate, Robot } from "./robot.js";
import type { Slider } from "./sliders.js";

interface SliderRow {
  slider: Slider;
  input: HTMLInputElement;
  value: HTMLOutputElement;
}

interface BarRow {
  coordinate: Coordinate;
  bar: HTMLElement;
  fill: HTMLElement;
  value: HTMLOutputElement;
}

/** "force along x", "moment about z": what a component of the force of a free or spherical joint is. */
function forceName({ joint, v, unit }: Coordinate): string {
  const axis = "xyz".charAt((v - joint.v) % 3);
  return unit === "m" ? `force along ${axis}` : `moment about ${axis}`;
}

/** What fills half of a bar without an effort limit: the robot's weight, or the weight at a lever of 0.2 m. */
function usualForce({ info }: Robot, unit: "rad" | "m"): number {
  const weight = Math.max(info.mass * Math.hypot(...info.gravity), 1);
  return unit === "m" ? weight : 0.2 * weight;
}

export function jointsPanel(app: App): Panel {
  const list = element("div");
  const root = element(
    "div",
    {},
    element("p", { class: "quiet" }, "Move a joint with its slider, or drag a link in the view. The bar below a slider is the force or torque of the joint, as a part of its effort limit: what holds the robot still, or what the motion needs."),
    list,
  );
  let sliders: SliderRow[] = [];
  let bars: BarRow[] = [];

  const addSlider = (slider: Slider) => {
    const id = `joint${String(sliders.length)}`;
    const input = element("input", { type: "range", id, min: slider.lower, max: slider.upper, step: 0.001, value: 0 });
    const value = element("output", { for: id });
    input.addEventListener("input", () => {
      app.stop();
      app.place(slider.write(app.q, input.valueAsNumber), slider.held);
    });
    list.append(element("div", { class: "joint" }, element("label", { for: id, title: slider.title }, slider.label), input, value));
    sliders.push({ slider, input, value });
  };

  const addBar = (coordinate: Coordinate, label: string) => {
    const fill = element("i");
    const bar = element("div", { class: "bar" }, fill);
    const value = element("output", { class: "quiet" });
    const title = label ? `${coordinate.joint.name}: ${label} of the link that it carries; ${coordinate.name}.tau in files` : "";
    list.append(element("div", { class: "joint" }, element("span", { class: "quiet", title }, label), bar, value));
    bars.push({ coordinate, bar, fill, value });
  };

  const load = () => {
    const { robot } = app;
    list.replaceChildren();
    sliders = [];
    bars = [];
    let next = 0;
    for (const coordinate of robot?.coordinates ?? []) {
      // The sliders of a joint come before its first bar.
      for (; next < (robot?.sliders.length ?? 0); next++) {
        const slider = robot?.sliders[next];
        if (!slider?.held.includes(coordinate.v)) break;
        addSlider(slider);
      }
      addBar(coordinate, coordinate.q === null ? forceName(coordinate) : "");
    }
  };

  const showBar = ({ coordinate: c, bar, fill, value }: BarRow, robot: Robot) => {
    const tau = app.torque[c.v] ?? NaN;
    const limit = c.limits.effort;
    const part = limit ? tau / limit : tau / (Math.abs(tau) + usualForce(robot, c.unit));
    fill.style.transform = `scaleX(${String(Math.max(-1, Math.min(1, part || 0)))})`;
    bar.classList.toggle("over", limit !== null && Math.abs(tau) > limit);
    value.textContent = `${short(tau, 4)} ${c.unit === "m" ? "N" : "N m"}`;
    bar.title = limit ? `${short(100 * Math.abs(part), 3)} % of ${short(limit)}` : "no effort limit";
  };

  return {
    title: "Joints",
    root,
    load,
    moved: () => {
      for (const { slider, input, value } of sliders) {
        const x = slider.read(app.q);
        if (x < Number(input.min)) input.min = String(x); // a base without limits may be anywhere
        if (x > Number(input.max)) input.max = String(x);
        input.value = String(x);
        value.textContent = `${short(x, 4)} ${slider.unit}`;
      }
      for (const row of bars) if (app.robot) showBar(row, app.robot);
    },
  };
}
