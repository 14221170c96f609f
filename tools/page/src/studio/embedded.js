/** The page that plays, inside of the studio: it is given games, follows moves of the last one, and tells what it shows. */

/** @typedef {import("../types.js").Plan} Plan */
/** @typedef {import("../types.js").View} View */
/** @typedef {{by: string, move: string, args: Record<string, string>}} Line */
/** @typedef {{plan: Plan, module: Uint8Array, players: number, seed: string, lines: Line[] | null, plies: number, dark: string | null}} Given */
/**
 * What the page shows: `stop` is the first move that is not legal any more, with its number.
 * @typedef {{length: number, scores: number[], players: string[], asked: string, moves: string[], over: boolean,
 *   log: {text: string, gains: string[], turn: number}[], record: string, seed: string, stop: {number: number, text: string} | null}} Told
 */

/**
 * Waits for the game that the studio sends, and plays it for whoever is there, without secrets between seats.
 * @param {new (plan: Plan, worker: string, modules: Map<number, Uint8Array>) => any} Page @param {string} worker
 */
export function embed(Page, worker) {
  document.documentElement.dataset.embedded = "yes";
  addEventListener("message", async (event) => {
    if (event.source !== parent) return;
    const { plan, module, players, seed, lines, plies, dark } = /** @type {Given} */ (event.data);
    if (dark) document.documentElement.dataset.theme = dark;
    const page = new Page(plan, worker, new Map([[players, module]]));
    page.viewer = () => null;
    page.address = async () => {};
    const refresh = page.refresh.bind(page);
    let stop = /** @type {Told["stop"]} */ (null);
    page.refresh = async () => {
      await refresh();
      await tell(page, stop);
    };
    const seats = Array.from({ length: players }, () => "human");
    try {
      if (lines) stop = (await page.host.call("follow", { players, seed, lines })).stop;
      else await page.host.call("advance", { players, seed, plies });
      page.opened(seats, seed);
      await page.refresh();
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
  if (!view || view.at !== view.length) return;
  /** @type {Told} */
  const told = {
    length: view.length,
    scores: view.scores,
    players: view.scores.map((_, seat) => words.seat(seat)),
    asked: view.mover === null ? "" : `${words.seat(view.mover)}: ${words.question(view.choice)}`,
    moves: view.moves.map(({ name, args }) => words.move(name, args)),
    over: view.over,
    log: view.log.map((entry, number) => ({
      text: `${words.seat(entry.by)}: ${words.entry(entry)}`,
      gains: entry.gains.map(({ seat, source, amount }) => `${words.seat(seat)} ${amount > 0 ? "+" : ""}${amount} ${words.label(source, 2)}`),
      turn: number + 1,
    })),
    record: await page.host.call("record"),
    seed: String(view.seed),
    stop,
  };
  parent.postMessage({ told }, "*");
}
