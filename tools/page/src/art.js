/** Pictures of pieces: every drawing is a symbol that is made once and used many times. */

import { drawing, h, s } from "./dom.js";

/** @import { Plan, Drawing, Seen } from "./types.js" */
/**
 */

export const CELL = 100;

/** How far a hexagon stands out of the square in its middle: to each side, and above it. */
const HEXAGON = [0, (CELL / 2) * (1 / Math.sqrt(0.75) - 1)];
/** The distance of the middle of a triangle from its sides. */
export const APOTHEM = 0.4 * CELL;
/** The same of a triangle, above and below it. */
const TRIANGLE = [APOTHEM * Math.sqrt(3) - CELL / 2, 2 * APOTHEM - CELL / 2];

export class Art {
  /** @param {Plan} plan @param {string} language @param {SVGSVGElement} store where symbols are kept */
  constructor(plan, language, store) {
    this.plan = plan;
    this.language = language;
    this.store = store;
    store.append(...drawing(plan.images.filter(([, { id }]) => !document.getElementById(String(id)))));
    /** @type {Set<string>} */
    this.made = new Set();
  }

  /** Whether a piece is a hexagon or a triangle, which turns by 60 degrees. @param {number} kind */
  hexagonal(kind) {
    return this.plan.enums.side.length === 6 && this.plan.kinds[kind].outlines.some((outline) => outline);
  }

  /** Returns how far a piece stands out of the square in its middle, to each side and above it. @param {number} kind */
  overhang(kind) {
    if (!this.hexagonal(kind)) return [0, 0];
    return this.plan.enums.side[0] === "n" ? TRIANGLE : HEXAGON;
  }

  /** Returns a point of a piece as it lies, from its upper left corner. @param {number} kind @param {[number, number]} at @param {number} turns @returns {[number, number]} */
  turnedPoint(kind, [x, y], turns) {
    if (this.hexagonal(kind)) {
      const [cos, sin] = [Math.cos((turns * Math.PI) / 3), Math.sin((turns * Math.PI) / 3)];
      const [across, down] = [x - CELL / 2, y - CELL / 2];
      return [CELL / 2 + across * cos - down * sin, CELL / 2 + across * sin + down * cos];
    }
    let [w, high] = this.drawing(kind).size.map((cells) => cells * CELL);
    for (let turn = 0; turn < turns; turn++) [x, y, w, high] = [high - y, x, high, w];
    return [x, y];
  }

  /** @param {number} kind @returns {Drawing} */
  drawing(kind) {
    const { drawn: all } = this.plan.kinds[kind];
    return all[this.language] ?? all[""];
  }

  /** Returns a reference to a symbol, made if need be. @param {string} id @param {() => (import("./types.js").Tree[])} trees @param {import("./dom.js").Attributes} attributes */
  use(id, trees, attributes = {}) {
    const name = `${this.language}-${id}`;
    if (!this.made.has(name)) {
      this.made.add(name);
      this.store.append(s("g", { id: name }, ...drawing(trees())));
    }
    return s("use", { href: `#${name}`, ...attributes });
  }

  /** Returns the drawing of a piece as it lies with its corner at (0, 0). @param {number} kind @param {number} face @param {number} rotation */
  laid(kind, face, rotation) {
    const drawing = this.drawing(kind);
    const [width, height] = drawing.size;
    const shift = [[0, 0], [height, 0], [width, height], [0, width]][rotation % 4];
    const square = `translate(${shift[0] * CELL} ${shift[1] * CELL}) rotate(${90 * rotation})`;
    const turned = this.hexagonal(kind) ? `rotate(${60 * rotation} ${CELL / 2} ${CELL / 2})` : square;
    const group = s("g");
    if (drawing.stands) {
      group.append(this.standing({ piece: -1, kind, seat: null, face: 0 }, CELL / 2, CELL / 2, 2));
      return group;
    }
    const ground = drawing.faces
      ? this.use(`k${kind}f${face}`, () => drawing.faces?.[face] ?? [])
      : this.use(`k${kind}`, () => drawing.ground ?? []);
    group.append(s("g", { transform: rotation ? turned : null }, ground));
    drawing.marks?.forEach((mark, number) => {
      const [x, y] = this.turnedPoint(kind, mark.at, rotation);
      group.append(this.use(`k${kind}m${number}`, () => mark.drawn, { x, y }));
    });
    return group;
  }

  /** Returns a piece that stands at a point. @param {Seen} seen @param {number} x @param {number} y @param {number} scale */
  standing({ kind, seat, face }, x, y, scale = 1) {
    const drawing = this.drawing(kind);
    const at = `translate(${x} ${y}) scale(${scale})`;
    if (drawing.stands) {
      const owner = Math.min(seat ?? 0, drawing.stands.length - 1);
      return s("g", { transform: at, class: "stands" }, this.use(`k${kind}s${owner}`, () => drawing.stands?.[owner] ?? []));
    }
    const [width, height] = drawing.size;
    const small = 34 / (CELL * Math.max(width, height));
    const inner = this.laid(kind, face, 0);
    inner.setAttribute("transform", `scale(${small}) translate(${(-CELL * width) / 2} ${(-CELL * height) / 2})`);
    return s("g", { transform: at }, inner);
  }

  /** Returns a small picture of its own of a piece, null for a hidden one. @param {Seen | null} seen @param {number} size @param {number} rotation @param {import("./types.js").Tree[]} back the image of its zone for these */
  picture(seen, size, rotation = 0, back = /** @type {import("./types.js").Tree[]} */ ([])) {
    if (!seen || seen.told) return this.back(size, back);
    const drawing = this.drawing(seen.kind);
    if (drawing.stands) {
      const picture = s("svg", { viewBox: "-20 -20 40 40", width: size * 0.6, height: size * 0.6, "aria-hidden": "true" });
      picture.append(this.standing(seen, 0, 0));
      return picture;
    }
    let [width, height] = drawing.size;
    if (rotation % 2) [width, height] = [height, width];
    const [aside, over] = this.overhang(seen.kind);
    const box = `${-1 - aside} ${-1 - over} ${CELL * width + 2 + 2 * aside} ${CELL * height + 2 + 2 * over}`;
    const high = (size * (CELL * height + 2 * over)) / (CELL * width + 2 * aside);
    const picture = s("svg", { viewBox: box, width: size, height: high, "aria-hidden": "true" });
    picture.append(this.laid(seen.kind, seen.face, rotation));
    return picture;
  }

  /** @param {number} size @param {import("./types.js").Tree[]} image */
  back(size, image) {
    if (image.length) {
      const high = Number(image[0][1].height);
      return s("svg", { viewBox: `0 0 100 ${high}`, width: size, height: (size * high) / 100, "aria-hidden": "true" }, ...drawing(image));
    }
    return s(
      "svg", { viewBox: "0 0 100 100", width: size, height: size, "aria-hidden": "true" },
      s("rect", { x: 3, y: 3, width: 94, height: 94, rx: 9, class: "back" }),
      s("text", { x: 50, y: 66, "font-size": 46, "text-anchor": "middle", class: "back-mark" }, "?"),
    );
  }

  /** Returns the sign of a seat: its colour and, for those who do not see colours, its number. @param {number} seat */
  sign(seat) {
    const fill = this.plan.colours[seat].fill;
    const [red, green, blue] = [1, 3, 5].map((at) => parseInt(fill.slice(at, at + 2), 16));
    const ink = 299 * red + 587 * green + 114 * blue < 128_000 ? "#fff" : "#000";
    const sign = s("svg", { viewBox: "0 0 20 20", width: 18, height: 18, class: "sign", "aria-hidden": "true" });
    sign.append(s("rect", { x: 1, y: 1, width: 18, height: 18, rx: 4, fill, class: "sign-box" }));
    sign.append(s("text", { x: 10, y: 14.6, "font-size": 13, "text-anchor": "middle", fill: ink }, String(seat + 1)));
    return h("span", { class: "seat-sign" }, sign);
  }
}
