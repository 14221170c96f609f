/** The game beside the editors: the page that plays, in a frame of its own for every version of the rules. */

import { h } from "../dom.js";
import { markup } from "./trusted.js";

/** @import { Line } from "./embedded.js" */
/** @typedef {import("./embedded.js").Told} Told */

/** Milliseconds after which a game that shows nothing is given up. */
const DEADLINE = 15_000;

/** The seed of the first game, the same for everybody. */
const FIRST = "8";

export class Stage {
  /**
   * @param {HTMLElement} place @param {string} page the page without a game
   * @param {(told: Told, fresh: boolean) => void} tell what the page shows, and whether the rules are new
   * @param {(message: string) => void} fail
   */
  constructor(place, page, tell, fail) {
    this.place = place;
    this.page = page;
    this.tell = tell;
    this.fail = fail;
    /** @type {HTMLIFrameElement | null} */
    this.frame = null;
    /** The frame of the next game, and when it waits for one. @type {{frame: HTMLIFrameElement, waits: Promise<void>} | null} */
    this.next = null;
    /** @type {Told | null} */
    this.told = null;
    /** @type {Line[] | null} */
    this.lines = null;
    this.seed = FIRST;
    /** The part of the board that is shown, if the user chose it. @type {import("./embedded.js").Box | null} */
    this.box = null;
  }

  /** Forgets the game, so that the next one begins anew. @param {string} seed */
  forget(seed = FIRST) {
    this.told = null;
    this.lines = null;
    this.box = null;
    this.seed = seed;
  }

  /** Makes the next game follow these moves. @param {string} seed @param {Line[]} lines */
  follow(seed, lines) {
    this.told = null;
    this.box = null;
    this.seed = seed;
    this.lines = lines;
  }

  /** Makes the frame of the next game, which loads while the rules are built. */
  prepare() {
    if (this.next) return this.next;
    const frame = h("iframe", { sandbox: "allow-scripts allow-forms allow-downloads", title: "The game", class: "waiting" });
    /** @type {Promise<void>} */
    const waits = new Promise((resolve) => {
      const listen = (/** @type {MessageEvent} */ event) => {
        if (event.source !== frame.contentWindow) return;
        removeEventListener("message", listen);
        resolve();
      };
      addEventListener("message", listen);
    });
    frame.srcdoc = markup(this.page);
    this.place.append(frame);
    return (this.next = { frame, waits });
  }

  /**
   * Shows the game under these rules, at the position of the last one; resolves when it is there.
   * @param {any} plan @param {Uint8Array} module @param {number} players @param {number} plies the moves that bots play in a new game
   * @returns {Promise<void>}
   */
  begin(plan, module, players, plies) {
    const { frame, waits } = this.prepare();
    this.next = null;
    const dark = document.documentElement.dataset.theme ?? null;
    const given = { plan, module, players, seed: this.seed, lines: this.lines, plies, dark, box: this.box, before: this.told };
    return new Promise((resolve) => {
      let fresh = true;
      const end = (/** @type {string} */ message) => {
        removeEventListener("message", listen);
        if (fresh) frame.remove();
        if (message) this.fail(message);
        resolve();
      };
      const timer = setTimeout(() => end("the game did not begin in time"), DEADLINE);
      const listen = (/** @type {MessageEvent} */ event) => {
        if (event.source !== frame.contentWindow) return frame.isConnected || removeEventListener("message", listen);
        const { failed, told, box } = event.data;
        if (box !== undefined) this.box = box;
        if (failed !== undefined) end(`the game cannot go on: ${failed}`);
        if (!told) return;
        clearTimeout(timer);
        this.shown(frame, told, fresh);
        fresh = false;
        resolve();
      };
      addEventListener("message", listen);
      void waits.then(() => frame.contentWindow?.postMessage(given, "*"));
    });
  }

  /** @param {HTMLIFrameElement} frame @param {Told} told @param {boolean} fresh */
  shown(frame, told, fresh) {
    if (fresh) {
      frame.classList.remove("waiting");
      if (this.frame !== frame) this.frame?.remove();
      this.frame = frame;
    }
    // Moves that the new rules do not allow are kept: the next change may allow them again.
    if (!told.stop || !fresh) this.lines = linesOf(told.record);
    this.told = told;
    this.tell(told, fresh);
  }
}

/** Returns the moves of a record. @param {string} record @returns {Line[]} */
function linesOf(record) {
  const lines = record.split("\n").filter((line) => line).slice(1).map((line) => JSON.parse(line));
  return lines.filter((line) => line.move !== undefined);
}
