/** The page that plays, inside of the studio: it is given games, follows moves of the last one, and tells what it shows. */

import { text as plainText } from "../position.js";

/** @import { View } from "../types.js" */
/** @typedef {import("../types.js").Plan} Plan */
/** @typedef {{by: string, move: string, args: Record<string, string>}} Line */
/** @typedef {import("../board.js").Board["box"]} Box */
/**
 * A game to show; `box` is the part of the board that was shown of the last one, and `before` what that told.
 * @typedef {{plan: Plan, module: Uint8Array, players: number, seed: string, lines: Line[] | null, plies: number, dark: string | null,
 *   box: Box | null, before: Told | null}} Given
 */
/**
 * What the page shows: `stop` is the first move that is not legal any more, with its number.
 * @typedef {{length: number, scores: number[], players: string[], asked: string, moves: string[], over: boolean,
 *   log: {text: string, gains: string[]}[], record: string, seed: string, stop: {number: number, text: string} | null,
 *   targets: {key: string, cell: {grid: string, x: number, y: number} | null}[]}} Told
 */

const NOTHING = { length: 0, legal: [], illegal: [], segments: [] };

/**
 * Waits for the game that the studio sends, and plays it for whoever is there, without secrets between seats.
 * @param {new (plan: Plan, worker: string, modules: Map<number, Uint8Array>) => any} Page @param {string} worker
 */
export function embed(Page, worker) {
  document.documentElement.dataset.embedded = "yes";
  addEventListener("message", async (event) => {
    if (event.source !== parent) return;
    const { plan, module, players, seed, lines, plies, dark, box, before } = /** @type {Given} */ (event.data);
    if (dark) document.documentElement.dataset.theme = dark;
    const page = new Page(plan, worker, new Map([[players, module]]));
    page.viewer = () => null;
    page.board.changed = NOTHING;
    page.address = async () => {};
    const refresh = page.refresh.bind(page);
    let stop = /** @type {Told["stop"]} */ (null);
    page.refresh = async () => {
      await refresh();
      if (page.board.changed !== NOTHING && page.board.changed.length !== page.view?.length) {
        page.board.changed = NOTHING;
        page.show(null);
      }
      await tell(page, stop);
    };
    const looked = () => setTimeout(() => parent.postMessage({ box: page.board.touched ? page.board.box : null }, "*"));
    for (const name of ["pointerup", "click", "keyup"]) addEventListener(name, looked);
    window.onwheel = looked;
    const seats = Array.from({ length: players }, () => "human");
    try {
      if (lines) stop = (await page.host.call("follow", { players, seed, lines })).stop;
      else await page.host.call("advance", { players, seed, plies });
      page.opened(seats, seed);
      if (box) Object.assign(page.board, { box, touched: true });
      await refresh();
      const told = await tell(page, stop);
      if (told && before && !stop) await compare(page, before, told);
    } catch (error) {
      parent.postMessage({ failed: error instanceof Error ? error.message : String(error) }, "*");
    }
    document.documentElement.dataset.ready = "yes";
  });
  parent.postMessage({ waits: true }, "*");
}

/** Tells the studio what the page shows. @param {any} page @param {Told["stop"]} stop */
async function tell(page, stop) {
  const view = /** @type {View} */ (page.view);
  const { words } = page;
  if (!view || view.at !== view.length) return null;
  /** @type {Told} */
  const told = {
    length: view.length,
    scores: view.scores,
    players: Array.from({ length: view.players }, (_, seat) => words.seat(seat)),
    asked: view.mover === null ? "" : `${words.seat(view.mover)}: ${words.question(view.choice)}`,
    moves: view.moves.map((move) => words.move(move, view)),
    over: view.over,
    log: view.log.map((entry) => ({
      text: `${words.seat(entry.by)}: ${words.entry(entry)}`,
      gains: entry.gains.map(({ seat, source, amount }) => `${words.seat(seat)} ${amount < 0 ? "" : "+"}${amount} ${words.label(source, 2)}`),
    })),
    record: await page.record(),
    seed: String(view.seed),
    stop,
    targets: [...page.targets.values()].map(({ key, cell }) => ({ key, cell })),
  };
  parent.postMessage({ told }, "*");
  return told;
}

/** Marks on the board what differs from the same position under other rules. @param {any} page @param {Told} before @param {Told} now */
async function compare(page, before, now) {
  const same = before.seed === now.seed && before.length === now.length;
  if (!same) return;
  const [was, is] = [before, now].map(({ targets }) => new Set(targets.map(({ key }) => key)));
  const segments = [];
  for (const [at, { text, gains }] of now.log.entries()) {
    const other = before.log[at];
    if (other?.text !== text || other.gains.join() === gains.join()) continue;
    const names = page.view.log[at].gains.flatMap((/** @type {import("../types.js").Gain} */ { subject }) => (subject ? [plainText(subject)] : []));
    segments.push(...(await page.host.call("features", { at: at + 1, names, segments: names.length ? [] : page.view.log[at].segments })));
  }
  const illegal = before.targets.flatMap(({ key, cell }) => (cell && !is.has(key) ? [cell] : []));
  page.board.changed = { length: now.length, legal: [...is].filter((key) => !was.has(key)), illegal, segments };
  page.show(null);
}
