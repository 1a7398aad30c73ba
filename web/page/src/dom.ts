// SPDX-License-Identifier: BSD-2-Clause
// Elements of the page. Text from files only ever becomes text content, never markup.

type Child = Node | string;

/** An element with attributes and children; a key `onclick` and the like takes a function. */
export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Record<string, string | number | boolean | ((event: Event) => void)> = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") made.addEventListener(name.slice(2), value);
    else if (typeof value === "boolean") made.toggleAttribute(name, value);
    else made.setAttribute(name, String(value));
  }
  made.append(...children);
  return made;
}

/** An element of index.html. */
export function byId<K extends keyof HTMLElementTagNameMap>(id: string, tag: K): HTMLElementTagNameMap[K] {
  const found = document.getElementById(id);
  if (!found || found.tagName.toLowerCase() !== tag) throw new Error(`index.html has no <${tag} id="${id}">`);
  return found as HTMLElementTagNameMap[K];
}

/** A color of the style sheet. */
export function color(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

/** Few digits, for tables. */
export function short(x: number, digits = 4): string {
  if (!Number.isFinite(x)) return "none";
  if (Math.abs(x) < 1e-9) return "0";
  const text = x.toPrecision(digits);
  return text.includes("e") ? text : String(Number(text));
}

/** Offers a file for saving. */
export function download(name: string, content: Uint8Array | string): void {
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
  const address = URL.createObjectURL(new Blob([bytes as BlobPart]));
  const link = element("a", { href: address, download: name });
  link.click();
  setTimeout(() => {
    URL.revokeObjectURL(address);
  }, 1000);
}
