/** The grids with everything on them, as one picture to pan, zoom and choose on. */

import { APOTHEM, CELL } from "./art.js";
import { drawing, s } from "./dom.js";
import { alike, inSquare, pieceLabel, spaceLabel, zoneTitle } from "./panels.js";

/** @import { View, Place } from "./types.js" */
/** @import { Target } from "./targets.js" */
/**
 * @typedef {{x: number, y: number, width: number, height: number}} Box
 * @typedef {{view: View, targets: Map<string, Target>, chosen: number | null, ghost: Ghost | null, label: (target: Target) => string, name: (grid: number) => string, owner: number | null, ranks: Map<string, number>}} Scene
 * @typedef {{kind: number, face: number, grid: string, x: number, y: number, rotation: number, at: number, count: number}} Ghost
 */

const GAP = 60;
const MARGIN = 55;

/** Returns the triangle at a point, both in cells from the corner of the first one. @param {number} across @param {number} down */
function triangleAt(across, down) {
  const [half, high] = [(APOTHEM * Math.sqrt(3)) / CELL, (3 * APOTHEM) / CELL];
  const below = down - 0.5 + (2 * APOTHEM) / CELL;
  const y = Math.floor(below / high);
  // In units of half a base: how far east of the corner at the left of the row, and the share of the row below its top.
  const [east, share] = [(across - 0.5) / half, below / high - y];
  const left = Math.floor(east);
  const up = ((left + y) & 1) === 0;
  const inside = up ? east - left < share : east - left < 1 - share;
  return { x: inside ? left : left + 1, y };
}

/** The distance of rows of hexagons of width 1. */
const ROW_OF_HEXAGONS = Math.sqrt(0.75);
/** Pixels that a pointer moves before a click becomes a drag. */
const DRAG = 6;

/** Keys of targets that are legal now, cells that are not, and segments of what gives other points. @typedef {{legal: string[], illegal: {grid: string, x: number, y: number}[], segments: [piece: number, index: number][]}} Changed */

/** Writes words in the middle of a room, smaller if they are too long. @param {string} words @param {number} x @param {number} y @param {number} room */
const written = (words, x, y, room) =>
  s("text", { transform: `translate(${x} ${y}) scale(${Math.min(1, room / (11 * words.length)).toFixed(2)})`, "text-anchor": "middle", class: "states large" }, words);

/** Returns the scale at which things in rows fit into a room, and the corner of each. @param {number[][]} sizes @param {number} room @param {number} most */
function fitted(sizes, room, most) {
  for (let step = 30; ; step--) {
    const scale = step / 20;
    let [x, y, row, right] = [0, 0, 0, 0];
    const corners = sizes.map(([width, height]) => {
      if (x > 0 && x + scale * width > room) [x, y, row] = [0, y + row + 4, 0];
      const corner = [x, y];
      [x, row] = [x + scale * width + 4, Math.max(row, scale * height)];
      right = Math.max(right, x - 4);
      return corner;
    });
    if ((y + row <= most && right <= room) || step === 1) return { scale, corners };
  }
}

export class Board {
  /**
   * @param {SVGSVGElement} svg @param {import("./types.js").Plan} plan @param {{art: import("./art.js").Art, words: import("./words.js").Words}} page
   * @param {{choose: (key: string) => void, turn: (by: number) => void, ask: (cell: {grid: string, x: number, y: number}) => void}} on
   */
  constructor(svg, plan, page, on) {
    this.svg = svg;
    this.plan = plan;
    this.page = page;
    this.on = on;
    /** @type {Map<string, {x: number, y: number}>} */
    this.origins = new Map();
    /** @type {Map<number, {x: number, y: number}>} the origins of the boards of tracks */
    this.planes = new Map();
    /** @type {Map<string, Box>} the cells that are shown of each grid */
    this.boxes = new Map();
    /** @type {Box} */
    this.box = { x: -100, y: -100, width: 300, height: 300 };
    /** @type {Box} */
    this.all = this.box;
    this.touched = false;
    /** @type {{grid: string, x: number, y: number} | null} the cell that is looked at by keyboard */
    this.cursor = null;
    /** @type {[piece: number, index: number][]} the segments that are lit up */
    this.lit = [];
    /** What other rules have changed, in the studio. @type {Changed} */
    this.changed = { legal: [], illegal: [], segments: [] };
    /** @type {Map<string, [number, number]>} the middle of each target, for the arrow keys */
    this.middles = new Map();
    this.listen();
  }

  // --- what is shown -----------------------------------------------------------------------------

  /** Draws a scene. @param {Scene} scene @param {import("./types.js").PlayersPlan} here */
  draw(scene, here) {
    const { view } = scene;
    const focused = /** @type {Element | null} */ (document.activeElement)?.closest("[data-key]")?.getAttribute("data-key");
    this.here = here;
    this.middles.clear();
    const grids = this.arrange(scene);
    const parts = grids.map((grid) => this.grid(scene, grid));
    parts.push(s("g", {}, ...this.tracks(scene), ...this.zones(scene)));
    const figures = s("g", {}, ...this.figures(scene));
    const ghost = this.ghost(scene);
    const spots = s("g", {}, ...this.spots(scene));
    const ranks = [...scene.ranks].flatMap(([key, rank]) => this.rank(key, rank));
    this.mark = s("g");
    this.lamps = s("g", { class: "lamps" });
    this.light(this.lit, view);
    const changed = s("g", { class: "changed" }, ...this.changes(view));
    this.svg.replaceChildren(...parts, ...(ghost ? [ghost] : []), this.lamps, figures, spots, changed, ...ranks, this.mark);
    this.showCursor();
    if (!this.touched) this.box = { ...this.all };
    this.show();
    if (focused) /** @type {HTMLElement | null} */ (this.svg.querySelector(`[data-key="${CSS.escape(focused)}"]`))?.focus();
    this.svg.classList.toggle("past", view.at !== view.length);
  }

  /** Returns the grid over which a layer lies, and any other grid itself. @param {number} grid */
  below(grid) {
    const here = /** @type {import("./types.js").PlayersPlan} */ (this.here);
    const { of, index } = here.grids[grid];
    const { over } = this.plan.grids[of];
    return over === null ? grid : here.grids.findIndex((each) => each.of === over && each.index === index);
  }

  /** Finds a place for every grid that is not empty, side by side; layers come last, each over its grid. @param {Scene} scene */
  arrange({ view, targets }) {
    const here = /** @type {import("./types.js").PlayersPlan} */ (this.here);
    const numbers = new Map(here.grids.map(({ name }, grid) => [name, grid]));
    this.origins.clear();
    this.boxes.clear();
    let left = 0;
    /** @type {{grid: number, x: number, y: number, width: number, height: number, title: number}[]} */
    const found = [];
    const shown = here.grids.flatMap(({ of, name }, grid) => {
      const declared = this.plan.grids[of];
      if (declared.absent || declared.over !== null) return [];
      const cells = /** @type {[number, number][]} */ ([]);
      for (const laid of view.laid)
        if (this.below(laid.grid) === grid) {
          const [width, height] = this.page.art.drawing(laid.kind).size;
          const [w, high] = laid.rotation % 2 ? [height, width] : [width, height];
          cells.push([laid.x, laid.y], [laid.x + w - 1, laid.y + high - 1]);
        }
      for (const cell of view.cells) if (this.below(cell.grid) === grid) cells.push([cell.x, cell.y]);
      for (const { cell } of targets.values()) if (cell && this.below(numbers.get(cell.grid) ?? 0) === grid) cells.push([cell.x, cell.y]);
      if (declared.size) cells.push([0, 0], [declared.size[0] - 1, declared.size[1] - 1]);
      return cells.length ? [{ grid, name, cells }] : [];
    });
    const planes = this.plan.tracks.flatMap(({ board }, track) => (board && board.grid === null ? [track] : []));
    const several = shown.length + planes.length > 1;
    const title = several ? 34 : 0;
    /** @type {Box[]} */
    const boxes = [];
    /** Finds a place for a board with these corners, and returns its origin. @param {number[][]} rims */
    const put = (rims) => {
      const [x, y] = [0, 1].map((axis) => Math.min(...rims.map((rim) => rim[axis])));
      const [width, height] = [Math.max(...rims.map((rim) => rim[0] + rim[2])) - x, Math.max(...rims.map((rim) => rim[1] + rim[3])) - y];
      const origin = several ? { x: left - x * CELL, y: title - y * CELL } : { x: 0, y: 0 };
      boxes.push({ x: origin.x + x * CELL, y: origin.y + y * CELL - title, width: width * CELL, height: height * CELL + title });
      left += width * CELL + GAP;
      return origin;
    };
    for (const { grid, name, cells } of shown) {
      const places = cells.map(([x, y]) => this.place(name, x, y));
      const [xs, ys] = [places.map(([x]) => x), places.map(([, y]) => y)];
      const out = this.form(name) === "triangles" ? (2 * APOTHEM) / CELL - 0.5 : 0;
      const [x, y] = [Math.min(...xs) - out, Math.min(...ys) - out];
      const [width, height] = [Math.max(...xs) - x + 1 + out, Math.max(...ys) - y + 1 + out];
      const rims = [[x, y, width, height], ...this.lying("grid", here.grids[grid].of)];
      this.origins.set(name, put(rims));
      this.boxes.set(name, { x, y, width, height });
      found.push({ grid, x, y, width, height, title: title && title + CELL * (y - Math.min(...rims.map((rim) => rim[1]))) });
    }
    this.planes = new Map(planes.map((track) => [track, put(this.lying("track", track))]));
    const [x, y] = [Math.min(0, ...boxes.map((box) => box.x)), Math.min(...boxes.map((box) => box.y), Infinity)];
    if (boxes.length) {
      const least = Math.min(...boxes.map((box) => box.x));
      const right = Math.max(...boxes.map((box) => box.x + box.width));
      const bottom = Math.max(...boxes.map((box) => box.y + box.height));
      const margin = shown.some(({ grid }) => !this.plan.grids[here.grids[grid].of].size) ? MARGIN : 20;
      this.all = { x: least - margin, y: y - margin, width: right - least + 2 * margin, height: bottom - y + 2 * margin };
    } else this.all = { x, y: 0, width: 300, height: 100 };
    this.svg.toggleAttribute("hidden", !boxes.length);
    this.svg.parentElement?.toggleAttribute("hidden", !boxes.length);
    const layers = here.grids.flatMap(({ of, name }, grid) => {
      const { absent, over } = this.plan.grids[of];
      const under = found.find((each) => over !== null && each.grid === this.below(grid));
      const origin = under && this.origins.get(here.grids[under.grid].name);
      if (absent || !under || !origin) return [];
      this.origins.set(name, origin);
      return [{ ...under, grid, title: 0 }];
    });
    return [...found, ...layers];
  }

  /** Returns the rectangles of the tracks and zones on the board of a grid or track, in cells. @param {"grid" | "track"} what @param {number} number */
  lying(what, number) {
    const { tracks, zones } = this.plan;
    const boards = [...tracks.map(({ board }) => board), ...zones.map(({ board, absent }) => (absent ? null : board))];
    const found = boards.flatMap((board) => (board && board[what] === number ? [board.box] : []));
    const own = what === "track" ? tracks[number].board : null;
    return (own ? [own.box, ...found] : found).map((box) => box.map((each) => each / CELL));
  }

  /** Returns the origin of the board on which a track or zone lies. @param {import("./types.js").OnBoard} board @param {number} track or -1 @param {number} index of the owner */
  ground(board, track, index = 0) {
    if (board.grid === null) return this.planes.get(board.track ?? track);
    const grid = this.here?.grids.find(({ of, index: own }) => of === board.grid && own === index);
    return grid && this.origins.get(grid.name);
  }

  /** Draws the tracks that lie on boards, with what stands on their spaces. @param {Scene} scene @returns {SVGElement[]} */
  tracks(scene) {
    const { words, art } = this.page;
    let first = 0;
    return this.plan.tracks.flatMap((track, number) => {
      const start = first;
      first += track.length;
      const origin = track.board && this.ground(track.board, number);
      if (!track.board || !origin) return [];
      const { width, spaces, drawn: ground } = track.board;
      const parts = drawing(ground);
      /** @type {SVGElement[]} */
      const targets = [];
      if (this.planes.size + this.origins.size > 1 && track.board.grid === null)
        parts.push(s("text", { x: track.board.box[0], y: track.board.box[1] - 12, class: "grid-name", "font-size": 22 }, words.labels.title(track)));
      for (const [index, [x, y]] of spaces.entries()) {
        const standing = scene.view.tracks.find((each) => each.track === number && each.space === index)?.standing ?? [];
        const name = spaceLabel({ plan: this.plan, words }, number, index);
        const label = [name, ...standing.map((seen) => pieceLabel({ plan: this.plan, words }, seen))].join(", ");
        const corner = [x - width / 2, y - width / 2];
        parts.push(s("g", { transform: `translate(${corner.join(" ")})`, role: "img", "aria-label": label }, s("title", {}, label),
          s("g", { transform: `scale(${width / CELL})` }, ...drawing(track.printed[index] ?? [])),
          written(name, width / 2, 0.92 * width, width - 4)));
        const target = scene.targets.get(`space:${start + index}`);
        if (target) targets.push(this.target(scene, target, [x, y], s("rect", { x: corner[0], y: corner[1], width, height: width, rx: 6 })));
        for (const [seen, left, top, scale] of inSquare(standing, width)) {
          const at = /** @type {[number, number]} */ ([corner[0] + left, corner[1] + top]);
          targets.push(art.standing(seen, at[0], at[1], scale));
          const own = scene.targets.get(`piece:${seen.piece}`);
          if (own) targets.push(this.target(scene, own, at, s("circle", { cx: at[0], cy: at[1], r: 20 * scale })));
        }
      }
      return [this.shift(origin, [...parts, ...targets])];
    });
  }

  /** Draws the zones that lie on boards. @param {Scene} scene @returns {SVGElement[]} */
  zones(scene) {
    const { words, art } = this.page;
    const here = /** @type {import("./types.js").PlayersPlan} */ (this.here);
    return scene.view.zones.flatMap(({ zone, pieces }) => {
      const { of, index } = here.zones[zone];
      const { board, drawn: image, absent, ordered, back } = this.plan.zones[of];
      // Zones for players or members share the rectangle in equal parts along its longer side.
      const share = here.zones.filter((each) => each.of === of).length / (here.grids.filter((each) => each.of === board?.grid).length || 1);
      const origin = board && this.ground(board, -1, Math.floor(index / share));
      if (!board || !origin || absent) return [];
      const long = Number(board.box[2] < board.box[3]);
      const [x, y, width, height] = board.box.map((each, at) => (at === long + 2 ? each / share : each + (at === long ? (board.box[long + 2] / share) * (index % share) : 0)));
      const title = zoneTitle({ plan: this.plan, here, words }, zone, share > 1);
      const head = Math.min(22, height / 4);
      const frame = (/** @type {Record<string, string>} */ more) => s("rect", { x, y, width, height, rx: 8, ...more });
      /** @type {SVGElement[]} */
      const parts = [frame({ class: "placed" }), s("svg", { x, y, width, height, viewBox: `0 0 100 ${(100 * height) / width}`, preserveAspectRatio: "xMidYMid slice" }, ...drawing(image)),
        written(title, x + width / 2, y + 0.8 * head, width - 6)];
      const target = scene.targets.get(`zone:${zone}`);
      if (target) parts.push(this.target(scene, target, [x + width / 2, y + height / 2], frame({})));
      const pictures = alike(pieces, ordered, scene.targets).map(({ first, count }) => ({ first, count, picture: art.picture(first, 64, 0, back) }));
      const sizes = pictures.map(({ picture, count }) => [Number(picture.getAttribute("width")) + (count > 1 ? 24 : 0), Number(picture.getAttribute("height"))]);
      const { scale, corners } = fitted(sizes, width - 8, height - head - 6);
      for (const [number, { first, count, picture }] of pictures.entries()) {
        const [left, top] = [x + 4 + corners[number][0], y + head + 2 + corners[number][1]];
        const [wide, high] = [scale * (sizes[number][0] - (count > 1 ? 24 : 0)), scale * sizes[number][1]];
        for (const [name, value] of Object.entries({ x: left, y: top, width: wide, height: high })) picture.setAttribute(name, String(value));
        const label = pieceLabel({ plan: this.plan, words }, first);
        parts.push(s("g", {}, s("title", {}, label), picture));
        if (count > 1) parts.push(s("text", { x: left + wide + 2, y: top + high / 2, class: "states large" }, `×${count}`));
        const own = first && scene.targets.get(`piece:${first.piece}`);
        if (own) parts.push(this.target(scene, own, [left + wide / 2, top + high / 2], s("rect", { x: left, y: top, width: wide, height: high, rx: 4 })));
      }
      return [this.shift(origin, parts)];
    });
  }

  /** Moves a part of a board to its origin, and the middles of its targets. @param {{x: number, y: number}} origin @param {SVGElement[]} parts */
  shift({ x, y }, parts) {
    const group = s("g", { transform: `translate(${x} ${y})` }, ...parts);
    for (const each of group.querySelectorAll("[data-key]")) {
      const key = each.getAttribute("data-key") ?? "";
      const [left, top] = this.middles.get(key) ?? [0, 0];
      this.middles.set(key, [left + x, top + y]);
    }
    return group;
  }

  /** Returns the form of the cells of a grid: squares, hexagons or triangles. @param {string} grid */
  form(grid) {
    const declared = this.here?.grids.find(({ name }) => name === grid);
    return declared === undefined ? "squares" : this.plan.grids[declared.of].cells;
  }

  /** Returns where a cell is drawn, in cells: rows of hexagons begin further east and are closer. @param {string} grid @param {number} x @param {number} y @returns {[number, number]} */
  place(grid, x, y) {
    if (this.form(grid) === "triangles") return [(APOTHEM * Math.sqrt(3) * x) / CELL, (APOTHEM * (3 * y - ((x + y) & 1))) / CELL];
    return this.form(grid) === "hexagons" ? [x + y / 2, y * ROW_OF_HEXAGONS] : [x, y];
  }

  /** Returns the upper left corner of the square in a cell. @param {string} grid @param {number} x @param {number} y @returns {[number, number]} */
  point(grid, x, y) {
    const origin = this.origins.get(grid) ?? { x: 0, y: 0 };
    const [across, down] = this.place(grid, x, y);
    return [origin.x + across * CELL, origin.y + down * CELL];
  }

  /** Draws a cell at a point: a square, hexagon or triangle, smaller by a gap. @param {Place} cell @param {[number, number]} corner @param {number} gap @param {number} rx @param {Record<string, string>} [more] */
  cell(cell, [x, y], gap, rx, more = {}) {
    const form = this.form(cell.grid);
    const half = CELL / 2 - gap;
    if (form === "squares") return s("rect", { x: x + gap, y: y + gap, width: 2 * half, height: 2 * half, rx, ...more });
    const way = (cell.x + cell.y) & 1 ? -1 : 1;
    const [corners, across, down] = form === "hexagons"
      ? [[[0, -1], [1, -0.5], [1, 0.5], [0, 1], [-1, 0.5], [-1, -0.5]], half, half / ROW_OF_HEXAGONS]
      : [[[0, -2], [1, 1], [-1, 1]], (APOTHEM - gap) * Math.sqrt(3), (APOTHEM - gap) * way];
    const points = corners.map(([east, south]) => `${x + CELL / 2 + across * east},${y + CELL / 2 + down * south}`);
    return s("polygon", { points: points.join(" "), ...more });
  }

  /** @param {number} grid */
  gridName(grid) {
    return this.here?.grids[grid].name ?? "";
  }

  /** Draws a grid with its pieces and the cells to choose. @param {Scene} scene @param {{grid: number, x: number, y: number, width: number, height: number, title: number}} at */
  grid(scene, { grid, x, y, title }) {
    const name = this.gridName(grid);
    const group = s("g");
    const origin = this.origins.get(name) ?? { x: 0, y: 0 };
    const [left, top] = [origin.x + x * CELL, origin.y + y * CELL];
    if (title) group.append(s("text", { x: left, y: top - title + 22, class: "grid-name", "font-size": 22 }, scene.name(grid)));
    const { key, size, drawn: print, over } = this.plan.grids[this.here?.grids[grid].of ?? 0];
    if (over !== null) group.setAttribute("class", "layer");
    else if (size) group.append(s("g", { transform: `translate(${origin.x} ${origin.y})` }, ...drawing(print)), ...this.names(name, key, size));
    else if (this.form(name) !== "squares")
      for (const { grid: of, x, y } of [...scene.view.cells, ...scene.view.laid])
        if (of === grid) group.append(this.cell({ grid: name, x, y }, this.point(name, x, y), 1, 0, { class: "empty" }));
    for (const laid of scene.view.laid)
      if (laid.grid === grid) {
        const [px, py] = this.point(name, laid.x, laid.y);
        group.append(s("g", { transform: `translate(${px} ${py})` }, this.page.art.laid(laid.kind, laid.face, laid.rotation)));
      }
    for (const laid of scene.view.last)
      if (laid.grid === grid) {
        const [px, py] = this.point(name, laid.x, laid.y);
        const [w, high] = this.page.art.drawing(laid.kind).size;
        const [across, down] = laid.rotation % 2 ? [high, w] : [w, high];
        group.append(this.form(name) !== "squares" ? this.cell({ grid: name, x: laid.x, y: laid.y }, [px, py], 2, 0, { class: "last" })
          : s("rect", { x: px + 2, y: py + 2, width: across * CELL - 4, height: down * CELL - 4, class: "last" }));
      }
    for (const target of scene.targets.values())
      if (target.cell?.grid === name) {
        const [px, py] = this.point(name, target.cell.x, target.cell.y);
        group.append(this.target(scene, target, [px + CELL / 2, py + CELL / 2],
          this.cell(target.cell, [px, py], 5, 8)));
      }
    return group;
  }

  /** Writes the labels of cells that have one of their own. @param {string} grid @param {string} key @param {[number, number]} size */
  names(grid, key, [columns, rows]) {
    return Array.from({ length: columns * rows }, (_, at) => [at % columns, Math.floor(at / columns)]).flatMap(([x, y]) => {
      const label = this.page.words.labels.find(`${key}[${x},${y}]`);
      const [left, top] = this.point(grid, x, y);
      return label ? [written(label, left + CELL / 2, top + 18, CELL - 6)] : [];
    });
  }

  /** Returns something to choose, as a button. @param {Scene} scene @param {Target} target @param {[number, number]} middle @param {SVGElement} shape */
  target(scene, target, middle, shape) {
    this.middles.set(target.key, middle);
    const chosen = scene.chosen !== null && target.moves.includes(scene.chosen);
    const label = scene.label(target);
    return s(
      "g",
      { class: chosen ? "target chosen" : "target", "data-key": target.key, role: "button", tabindex: -1, "aria-label": label, "aria-pressed": String(chosen) },
      s("title", {}, label), shape,
    );
  }

  /** Returns where the figures on a segment stand. @param {View} view @param {number} piece @param {number} index @param {number} order @returns {[number, number] | null} */
  spot(view, piece, index, order) {
    const laid = view.laid.find((each) => each.piece === piece);
    if (!laid) return null;
    const drawing = this.page.art.drawing(laid.kind);
    const spots = drawing.spots?.[index] ?? [[CELL / 2, 0.75 * CELL]];
    const [x, y] = this.page.art.turnedPoint(laid.kind, spots[Math.min(order, spots.length - 1)], laid.rotation);
    const [left, top] = this.point(this.gridName(laid.grid), laid.x, laid.y);
    const more = 9 * Math.max(0, order - spots.length + 1);
    return [left + x + more, top + y];
  }

  /** Draws what stands on segments and cells. @param {Scene} scene @returns {SVGElement[]} */
  figures(scene) {
    const { view, targets } = scene;
    /** @type {SVGElement[]} */
    const found = [];
    const put = (/** @type {import("./types.js").Seen} */ seen, /** @type {[number, number]} */ [x, y], scale = 1) => {
      found.push(this.page.art.standing(seen, x, y, scale));
      const states = this.page.words.states(seen);
      if (states) found.push(s("text", { x, y: y + 17 * scale + 14, "text-anchor": "middle", class: "states" }, states));
      const target = targets.get(`piece:${seen.piece}`);
      if (target) found.push(this.target(scene, target, [x, y], s("circle", { cx: x, cy: y, r: 21 * scale })));
    };
    for (const { piece, index, standing } of view.segments)
      standing.forEach((seen, order) => {
        const at = this.spot(view, piece, index, order);
        if (at) put(seen, at);
      });
    for (const { grid, x, y, standing, height } of view.cells) {
      const [left, top] = this.point(this.gridName(grid), x, y);
      const shown = standing.filter((seen, order) => height <= 1 || order === height - 1 || targets.has(`piece:${seen.piece}`));
      shown.forEach((seen, order) => put(seen, [left + ((order + 1) / (shown.length + 1)) * CELL, top + CELL / 2], shown.length === 1 ? this.plan.grids[this.here?.grids[grid].of ?? 0].alone : 1));
      if (height > 1) found.push(s("text", { x: left + 0.83 * CELL, y: top + 0.9 * CELL, "font-size": 20, "text-anchor": "middle" }, `×${height}`));
    }
    for (const laid of view.laid) {
      const target = targets.get(`piece:${laid.piece}`);
      if (!target) continue;
      const [left, top] = this.point(this.gridName(laid.grid), laid.x, laid.y);
      found.push(this.target(scene, target, [left + CELL / 2, top + CELL / 2], s("rect", { x: left + 4, y: top + 4, width: CELL - 8, height: CELL - 8, rx: 8 })));
    }
    return found;
  }

  /** Draws the segments to choose, with the figure that would stand there. @param {Scene} scene @returns {SVGElement[]} */
  spots(scene) {
    const { view, targets, chosen } = scene;
    /** @type {SVGElement[]} */
    const found = [];
    for (const target of targets.values()) {
      if (target.type !== "segment") continue;
      const [piece, index] = this.segmentOf(target.number);
      const order = view.segments.find((each) => each.segment === target.number)?.standing.length ?? 0;
      const at = this.spot(view, piece, index, order);
      if (!at) continue;
      const group = this.target(scene, target, at, s("circle", { cx: at[0], cy: at[1], r: 15 }));
      if (chosen !== null && target.moves.includes(chosen)) {
        const kind = view.moves[chosen].args.find(({ type }) => type.type === "kind")?.number;
        if (typeof kind === "number") group.append(this.page.art.standing({ piece: -1, kind, seat: scene.owner, face: 0 }, at[0], at[1]));
      }
      found.push(group);
    }
    return found;
  }

  /** @param {number} number @returns {[number, number]} */
  segmentOf(number) {
    const starts = this.here?.segments ?? [0];
    let piece = 0;
    while (piece + 1 < starts.length && starts[piece + 1] <= number) piece++;
    return [piece, number - starts[piece]];
  }

  /** Draws the piece that the chosen move lays. @param {Scene} scene */
  ghost({ ghost }) {
    if (!ghost) return null;
    const [x, y] = this.point(ghost.grid, ghost.x, ghost.y);
    const group = s("g", { class: "ghost", transform: `translate(${x} ${y})` }, this.page.art.laid(ghost.kind, ghost.face, ghost.rotation));
    const [width, height] = this.page.art.drawing(ghost.kind).size;
    const [w, high] = ghost.rotation % 2 ? [height, width] : [width, height];
    group.append(this.form(ghost.grid) !== "squares" ? this.cell(ghost, [0, 0], 1.5, 0, { class: "ghost-rim" })
      : s("rect", { x: 1.5, y: 1.5, width: w * CELL - 3, height: high * CELL - 3, class: "ghost-rim" }));
    if (ghost.count > 1)
      for (let dot = 0; dot < ghost.count; dot++)
        group.append(s("circle", {
          cx: (w * CELL) / 2 + (dot - (ghost.count - 1) / 2) * 15, cy: high * CELL - 11, r: 4.6, class: dot === ghost.at ? "dot on" : "dot",
        }));
    return group;
  }

  /** Draws the rank of a place among the best moves. @param {string} key @param {number} rank */
  rank(key, rank) {
    const at = this.middles.get(key);
    if (!at) return [];
    return [s("g", { class: "rank", transform: `translate(${at[0]} ${at[1]})` }, s("circle", { r: 17 }), s("text", { y: 7, "text-anchor": "middle", "font-size": 21 }, String(rank)))];
  }

  /** Lights segments up: a ring on each, and a rim around its piece. @param {[piece: number, index: number][]} lit @param {View} view */
  light(lit, view) {
    this.lit = lit;
    const rings = lit.flatMap(([piece, index]) => {
      const at = this.spot(view, piece, index, 0);
      return at ? ["lit-under", "lit"].map((name) => s("circle", { cx: at[0], cy: at[1], r: 19, class: name })) : [];
    });
    this.lamps?.replaceChildren(...this.rims(lit, view, "lit-rim"), ...rings);
  }

  /** Returns a rim around each piece with one of these segments. @param {[piece: number, index: number][]} segments @param {View} view @param {string} name of its class */
  rims(segments, view, name) {
    return view.laid.filter(({ piece }) => segments.some(([own]) => own === piece)).map((laid) => {
      const [x, y] = this.point(this.gridName(laid.grid), laid.x, laid.y);
      const [w, high] = this.page.art.drawing(laid.kind).size;
      const [across, down] = laid.rotation % 2 ? [high, w] : [w, high];
      return s("rect", { x: x + 4, y: y + 4, width: across * CELL - 8, height: down * CELL - 8, class: name });
    });
  }

  /** Draws what is legal now, what no longer is, and rims around what is worth another number of points. @param {View} view */
  changes(view) {
    const { legal, illegal, segments } = this.changed;
    const now = legal.flatMap((key) => {
      const at = this.middles.get(key);
      return at ? [s("circle", { cx: at[0], cy: at[1], r: 13, class: "now-legal" }), s("path", { d: `M${at[0] - 7} ${at[1]}h14m-7 -7v14`, class: "now-legal-sign" })] : [];
    });
    const gone = illegal.filter(({ grid }) => this.origins.has(grid)).flatMap(({ grid, x, y }) => {
      const [left, top] = this.point(grid, x, y);
      return [this.cell({ grid, x, y }, [left, top], 8, 8, { class: "not-legal" }), s("path", { d: `M${left + 35} ${top + 35}l30 30m0 -30l-30 30`, class: "not-legal" })];
    });
    return [...this.rims(segments, view, "changed-rim"), ...now, ...gone];
  }

  showCursor() {
    if (!this.cursor || !this.mark) return;
    const { grid, x, y } = this.cursor;
    this.mark.replaceChildren(this.cell({ grid, x, y }, this.point(grid, x, y), -3, 6, { class: "cursor" }));
  }

  /** Moves the cursor to the next cell. @param {number} dx @param {number} dy */
  move(dx, dy) {
    const first = [...this.origins.keys()][0];
    if (first === undefined) return null;
    const { grid, x, y } = this.cursor ?? { grid: first, x: -dx, y: -dy };
    this.cursor = { grid, x: x + dx, y: y + dy };
    this.showCursor();
    return this.cursor;
  }

  /** Returns the cell of a grid at a point of the picture, null outside of all. @param {[number, number]} point */
  cellAt([left, top]) {
    for (const [grid, origin] of this.origins) {
      const [across, down] = [(left - origin.x) / CELL, (top - origin.y) / CELL];
      const box = this.boxes.get(grid);
      if (!box || across < box.x - 1 || across >= box.x + box.width + 1 || down < box.y - 1 || down >= box.y + box.height + 1) continue;
      if (this.form(grid) === "squares") return { grid, x: Math.floor(across), y: Math.floor(down) };
      if (this.form(grid) === "triangles") return { grid, ...triangleAt(across, down) };
      const row = Math.round((down - 0.5) / ROW_OF_HEXAGONS);
      const near = [row - 1, row, row + 1].map((y) => ({ grid, x: Math.round(across - 0.5 - y / 2), y }));
      const apart = (/** @type {{x: number, y: number}} */ { x, y }) => Math.hypot(x + y / 2 + 0.5 - across, y * ROW_OF_HEXAGONS + 0.5 - down);
      return near.reduce((best, each) => (apart(each) < apart(best) ? each : best));
    }
    return null;
  }

  // --- pan and zoom ------------------------------------------------------------------------------

  show() {
    const { x, y, width, height } = this.box;
    this.svg.setAttribute("viewBox", `${x} ${y} ${width} ${height}`);
  }

  fit() {
    this.touched = false;
    this.box = { ...this.all };
    this.show();
  }

  /** Zooms around a point of the picture. @param {number} factor @param {[number, number]} [around] */
  zoom(factor, around) {
    const { x, y, width, height } = this.box;
    const most = 3 * Math.max(this.all.width, this.all.height, 600);
    const scale = Math.min(Math.max(factor, 160 / width), most / width);
    const [cx, cy] = around ?? [x + width / 2, y + height / 2];
    this.touched = true;
    this.box = { x: cx - (cx - x) * scale, y: cy - (cy - y) * scale, width: width * scale, height: height * scale };
    this.show();
  }

  /** Returns the point of the picture under a pointer. @param {{clientX: number, clientY: number}} event @returns {[number, number]} */
  under({ clientX, clientY }) {
    const matrix = this.svg.getScreenCTM();
    if (!matrix) return [0, 0];
    const point = new DOMPoint(clientX, clientY).matrixTransform(matrix.inverse());
    return [point.x, point.y];
  }

  listen() {
    const { svg } = this;
    /** @type {Map<number, PointerEvent>} */
    const pointers = new Map();
    /** @type {{x: number, y: number, box: Box, scale: number} | null} */
    let start = null;
    let dragged = false;
    svg.addEventListener("pointerdown", (event) => {
      pointers.set(event.pointerId, event);
      dragged = pointers.size > 1;
      start = { x: event.clientX, y: event.clientY, box: this.box, scale: this.box.width / Math.max(1, svg.clientWidth) };
      start.scale = Math.max(start.scale, this.box.height / Math.max(1, svg.clientHeight));
    });
    svg.addEventListener("pointermove", (event) => {
      const before = pointers.get(event.pointerId);
      if (!before || !start) return;
      if (pointers.size === 2) {
        const other = [...pointers.values()].find((each) => each.pointerId !== event.pointerId);
        if (!other) return;
        const span = (/** @type {PointerEvent} */ each) => Math.hypot(each.clientX - other.clientX, each.clientY - other.clientY);
        this.zoom(span(before) / Math.max(1, span(event)), this.under({ clientX: (event.clientX + other.clientX) / 2, clientY: (event.clientY + other.clientY) / 2 }));
        pointers.set(event.pointerId, event);
        return;
      }
      const [dx, dy] = [event.clientX - start.x, event.clientY - start.y];
      if (!dragged && Math.hypot(dx, dy) < DRAG) return;
      if (!dragged) svg.setPointerCapture(event.pointerId);
      dragged = true;
      this.touched = true;
      this.box = { ...start.box, x: start.box.x - dx * start.scale, y: start.box.y - dy * start.scale };
      this.show();
    });
    for (const name of /** @type {const} */ (["pointerup", "pointercancel"]))
      svg.addEventListener(name, (event) => {
        pointers.delete(event.pointerId);
        start = null;
      });
    svg.addEventListener("click", (event) => {
      if (dragged) return;
      const key = /** @type {Element} */ (event.target).closest("[data-key]")?.getAttribute("data-key");
      if (key) return this.on.choose(key);
      const cell = this.cellAt(this.under(event));
      if (cell) this.on.ask(cell);
    });
    svg.onwheel = (event) => {
      event.preventDefault();
      if (/** @type {Element} */ (event.target).closest(".target.chosen")) this.on.turn(event.deltaY > 0 ? 1 : -1);
      else this.zoom(event.deltaY > 0 ? 1.12 : 1 / 1.12, this.under(event));
    };
  }

  /** Moves the focus to the next target in a direction. @param {number} dx @param {number} dy */
  step(dx, dy) {
    if (!this.middles.size) return null;
    const focused = document.activeElement?.getAttribute("data-key") ?? "";
    const from = this.middles.get(focused);
    const keys = [...this.middles.keys()];
    let best = from ? null : keys[0];
    let least = Infinity;
    if (from)
      for (const [key, [x, y]] of this.middles) {
        const [ahead, aside] = [(x - from[0]) * dx + (y - from[1]) * dy, Math.abs((x - from[0]) * dy) + Math.abs((y - from[1]) * dx)];
        if (key === focused || ahead <= 0) continue;
        if (ahead + 2 * aside < least) [least, best] = [ahead + 2 * aside, key];
      }
    if (from && best === null) {
      const place = keys.indexOf(focused) + (dx + dy > 0 ? 1 : -1);
      best = keys[(place + keys.length) % keys.length];
    }
    const element = /** @type {HTMLElement | null} */ (best && this.svg.querySelector(`[data-key="${CSS.escape(best)}"]`));
    element?.focus();
    return best;
  }
}
