// SPDX-License-Identifier: BSD-2-Clause
// What the page shows, as text to take away: a command line, C, Python.
import { conditionFlags, type App, type Panel } from "./app.js";
import { element } from "./dom.js";
import { flags, type Robot } from "./robot.js";

const quoted = (text: string) => (/^[\w./:,=@%+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);
/** A string of C or Python: text of files cannot end it. Other characters than ASCII become bytes of UTF-8 in C. */
const literal = (text: string) => JSON.stringify(text);

export interface Shared {
  command: string;
  c: string;
  python: string;
}

function command(app: App, robot: Robot, numbers: string): string {
  const options = [...flags(robot.options), robot.source].map(quoted).join(" ");
  const state = `echo ${quoted(`{"q": [${numbers}]}`)} | jounce eval ${options} --want g,M`;
  if (!app.motion) return state;
  return `jounce torque ${options} ${quoted(app.motion.name)} --order 1 ${conditionFlags(app.conditions).map(quoted).join(" ")} --out torques.csv\n${state}`;
}

function cProgram(robot: Robot, numbers: string): string {
  const { floating, ignoreMimic, lenient } = robot.options;
  const set = [floating && "floating", ignoreMimic && "ignore_mimic", lenient && "lenient"].filter(Boolean).map((name) => `  options.${String(name)} = 1;\n`);
  const nv = String(robot.model.nv);
  return `#include <jounce/jounce.h>
#include <stdio.h>

int main(void) {
  jn_options options;
  jn_model *model;
  jn_work *work;
  jn_error error;
  jn_options_init(&options);
${set.join("")}  if (jn_load(${literal(robot.source)}, &options, &model, &error) != JN_OK) return fprintf(stderr, "%s\\n", error.text), 1;
  if (jn_work_create(model, &work) != JN_OK) return 1;
  const double q[] = {${numbers}};
  double g[${nv}], M[${nv} * ${nv}];
  if (jn_gravity_forces(model, work, q, g) != JN_OK || jn_mass_matrix(model, work, q, M) != JN_OK) return 1;
  for (int i = 0; i < ${nv}; i++) printf("%.10g\\n", g[i]);
  jn_work_destroy(work);
  jn_model_destroy(model);
}
`;
}

function python(app: App, robot: Robot, numbers: string): string {
  const { floating, ignoreMimic, lenient } = robot.options;
  const set = [floating && ", floating=True", ignoreMimic && ", mimic=False", lenient && ", lenient=True"].filter(Boolean).join("");
  return `import jounce

model = jounce.load(${literal(robot.source)}${set})
q = [${numbers}]
print(model.gravity_forces(q))
print(model.mass_matrix(q))
`;
}

/** What is shown, in three languages. */
export function shared(app: App): Shared | null {
  const { robot } = app;
  if (!robot) return null;
  const numbers = [...app.q].map((x) => String(Number(x.toPrecision(10)))).join(", ");
  return { command: command(app, robot, numbers), c: cProgram(robot, numbers), python: python(app, robot, numbers) };
}

export function sharePanel(app: App): Panel {
  const root = element("div");
  const block = (title: string, text: string) =>
    element("div", {}, element("h2", {}, title), element("pre", { tabindex: 0, "aria-label": title }, text), element("button", { onclick: () => void copy(title, text) }, `Copy the ${title}`));
  const copy = async (title: string, text: string) => {
    try {
      await navigator.clipboard.writeText(text);
      app.tell(`Copied: ${title}`, "good");
    } catch {
      app.tell("The browser does not allow the page to copy; select the text and copy it.", "error");
    }
  };
  const draw = () => {
    const texts = root.isConnected ? shared(app) : null;
    if (texts) root.replaceChildren(block("command line", texts.command), block("C program", texts.c), block("Python program", texts.python));
  };
  return { title: "Copy", root, load: draw, moved: draw, motion: draw };
}
