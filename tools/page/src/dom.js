/** Elements; texts are always text nodes. */

const SVG = "http://www.w3.org/2000/svg";

/** What a drawing may consist of. */
const DRAWN = new Set(["g", "path", "rect", "circle", "text", "svg", "line", "polygon", "ellipse", "use", "image", "mask", "clipPath"]);
const ATTRIBUTES = new Set([
  "d", "fill", "stroke", "stroke-width", "stroke-linejoin", "stroke-linecap", "stroke-dasharray", "transform",
  "x", "y", "width", "height", "rx", "cx", "cy", "r", "font-family", "font-size", "font-weight", "text-anchor",
  "paint-order", "opacity", "fill-opacity", "points", "viewBox", "x1", "x2", "y1", "y2",
  "id", "href", "mask", "clip-path", "mask-type", "maskUnits", "preserveAspectRatio",
]);
/** What an attribute that names something may name: the images of the plan. @type {Record<string, RegExp>} */
const NAMED = { id: /^art-/, mask: /^url\(#art-/, "clip-path": /^url\(#art-/, href: /^#art-/, image: /^data:image\/(png|jpeg|webp|svg\+xml);base64,/ };

/** @typedef {Record<string, string | number | boolean | null | undefined | ((event: any) => void)>} Attributes */

/** @param {Element} element @param {Attributes} attributes @param {(Node | string | null)[]} children */
function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, String(value));
  }
  for (const child of children) if (child !== null) element.append(child);
  return element;
}

/** Returns an HTML element; attributes that are functions listen to events. @template {keyof HTMLElementTagNameMap} T @param {T} tag @param {Attributes} attributes @param {...(Node | string | null)} children @returns {HTMLElementTagNameMap[T]} */
export function h(tag, attributes = {}, ...children) {
  return /** @type {any} */ (filled(document.createElement(tag), attributes, children));
}

/** Returns an SVG element. @template {keyof SVGElementTagNameMap} T @param {T} tag @param {Attributes} attributes @param {...(Node | string | null)} children @returns {SVGElementTagNameMap[T]} */
export function s(tag, attributes = {}, ...children) {
  return /** @type {any} */ (filled(document.createElementNS(SVG, tag), attributes, children));
}

/** Returns the element of a drawing; anything that is no drawing is left out. @param {import("./types.js").Tree} tree @returns {SVGElement | null} */
export function drawn([tag, attributes, ...children]) {
  if (!DRAWN.has(tag)) return null;
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes))
    if (ATTRIBUTES.has(name) && (NAMED[name === "href" && tag === "image" ? tag : name]?.test(String(value)) ?? true))
      element.setAttribute(name, String(value));
  for (const child of children) {
    const inner = typeof child === "string" ? child : drawn(child);
    if (inner !== null) element.append(inner);
  }
  return element;
}

/** Returns the elements of a drawing. @param {import("./types.js").Tree[]} trees @returns {SVGElement[]} */
export function drawing(trees) {
  return trees.flatMap((tree) => drawn(tree) ?? []);
}

/** Returns the element of the page with an id. @param {string} id @returns {HTMLElement} */
export function the(id) {
  const found = document.getElementById(id);
  if (!found) throw new Error(`no #${id}`);
  return found;
}

/** Lets the user save a file. @param {Blob} blob @param {string} name */
export function offer(blob, name) {
  const address = URL.createObjectURL(blob);
  h("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** Shows what the page needs of a browser. @param {string} what is missing */
export function lacking(what) {
  the("missing").hidden = false;
  the("missing").append(what);
}
