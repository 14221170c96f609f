// Plays pages in Chromium from file:// and prints what it finds: node browser.mjs < tasks.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, browser, findings, generator, open as opened, over, progress, text as shown } from "../chromium.mjs";

/** Opens a page in a profile of its own, without network or animations, in which every game has the seed 1. */
function open({ file, address = `file://${file}`, hash = "", size = [1280, 800], seats, language = "en", ...how }) {
  const allowed = new RegExp(`^(file|blob|data):|^${address}`);
  const prepare = (page) => page.evaluateOnNewDocument(() => {
    const real = crypto.getRandomValues.bind(crypto);
    crypto.getRandomValues = (numbers) => (numbers instanceof Uint32Array ? numbers.fill(1) : real(numbers));
  });
  return opened(`${address}${hash}`, { kept: { seats, language }, allowed, size, prepare, ...how });
}

const settled = (page) => page.waitForFunction(() => !document.querySelector("#now .thinks"), { polling: 5, timeout: 30_000 });
/** Returns the middle of something to choose, drawn with a generator of our own, and scrolls to a move of the list. */
function something(page, draw) {
  return page.evaluate((number) => {
    const middle = (each) => {
      const box = each.getBoundingClientRect();
      return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
    };
    const all = [...document.querySelectorAll("#board .target, button.target, #now .move")].filter((each) => {
      if (each.matches(".move")) return each.checkVisibility();
      const { x, y } = middle(each);
      const under = document.elementFromPoint(x, y);
      return under && (each.contains(under) || under.contains(each));
    });
    if (!all.length) return null;
    const chosen = all[number % all.length];
    if (chosen.matches(".move")) chosen.scrollIntoView({ block: "nearest" });
    return { ...middle(chosen), count: all.length };
  }, draw);
}

const random = generator(12345);

/** The ways to play a move. */
const WAYS = {
  async mouse(page) {
    if (await page.$("#confirm:disabled")) {
      const at = await something(page, random());
      if (at) await page.mouse.click(at.x, at.y);
      else await page.click("#skip");
    }
    if (random() % 3 === 0) await page.keyboard.press("r");
    await page.click("#confirm:not(:disabled)");
  },
  async touch(page) {
    if (await page.$("#confirm:disabled")) {
      await page.$eval(".do", (panel) => panel.scrollIntoView());
      if (await page.$("#board .target")) await page.$eval(".board", (panel) => panel.scrollIntoView());
      const at = await something(page, random());
      if (at) await page.touchscreen.tap(at.x, at.y);
      else await page.tap("#skip");
    }
    await page.tap("#confirm:not(:disabled)");
  },
  async keyboard(page) {
    if (await page.$("#confirm:disabled")) {
      const onBoard = await page.$("#board .target");
      if (onBoard) {
        for (let step = random() % 3; step >= 0; step--) await page.keyboard.press(["ArrowRight", "ArrowDown", "ArrowLeft"][random() % 3]);
        await page.keyboard.press("Enter");
      } else {
        await page.evaluate((number) => {
          const all = document.querySelectorAll("button.target, #now .move");
          all[number % all.length].focus();
        }, random());
        await page.keyboard.press("Enter");
      }
    }
    if (random() % 3 === 0) await page.keyboard.press("r");
    await page.evaluate(() => document.activeElement?.blur());
    await page.keyboard.press(" ");
  },
};

/** Returns the record that the page saves. */
async function saved(page) {
  return page.evaluate(async () => {
    const kept = URL.createObjectURL;
    const text = new Promise((resolve) => {
      URL.createObjectURL = (blob) => {
        void blob.text().then(resolve);
        return "about:blank";
      };
    });
    const click = HTMLAnchorElement.prototype.click;
    HTMLAnchorElement.prototype.click = () => {};
    document.querySelector("#save").click();
    const found = await text;
    URL.createObjectURL = kept;
    HTMLAnchorElement.prototype.click = click;
    return found;
  });
}

const scores = (page) => page.$$eval(".player .score", (all) => all.map((each) => Number(each.textContent)));

const TASKS = {
  /** Plays a whole game, or some moves of it. */
  async play({ way, moves = Infinity, picture, check = false, ...where }) {
    const { page, errors, context } = await open(where);
    for (let count = 0; count < moves; count++) {
      await settled(page);
      if (await over(page)) break;
      const before = await progress(page);
      await WAYS[way](page);
      await after(page, before);
    }
    await settled(page);
    if (picture) await page.screenshot({ path: picture });
    const found = {
      record: await saved(page), scores: await scores(page), over: await over(page), hash: await page.evaluate(() => location.hash),
      question: await page.$eval(".question", (each) => each.textContent), findings: check ? await findings(page) : [], errors,
    };
    await context.close();
    return found;
  },
  /** Opens a page, does something there, and tells what it finds. */
  async look({ steps, check = false, ...where }) {
    const { page, errors, context } = await open(where);
    const found = { found: await STEPS[steps](page) };
    found.findings = check ? await findings(page) : [];
    found.scores = await scores(page);
    found.errors = errors;
    await context.close();
    return found;
  },
};

/** Plays one move by mouse. */
async function lay(page) {
  await settled(page);
  const before = await progress(page);
  await WAYS.mouse(page);
  await after(page, before);
}

/** Drops a file on the page. */
const drop = (page, text) =>
  page.evaluate((content) => {
    const files = new DataTransfer();
    files.items.add(new File([content], "game.jsonl"));
    document.dispatchEvent(new DragEvent("drop", { dataTransfer: files }));
  }, text);

/** Returns the alarm that something raises. */
async function noted(page, act) {
  await page.$eval("#note", (note) => note.classList.remove("alarm"));
  await act();
  await page.waitForSelector("#note.alarm");
  return shown(page, "#note");
}

/** What is done in pages that are looked at. */
const STEPS = {
  /** Returns the sizes of the images as they are decoded, what refers to them, and a pixel of the board. */
  async images(page) {
    const found = await page.evaluate(async () => {
      const decoded = [];
      for (const { href } of document.querySelectorAll("image")) {
        const image = new Image();
        image.src = href.baseVal;
        await image.decode();
        decoded.push([image.naturalWidth, image.naturalHeight]);
      }
      return { decoded, masks: document.querySelectorAll("mask").length, pieces: document.querySelectorAll("#board .stands").length };
    });
    const corner = await page.evaluate(() => {
      const { a, e, f } = document.querySelector("#board").getScreenCTM();
      return { x: e + 60 * a, y: f + 60 * a, width: 1, height: 1 };
    });
    return { ...found, corner: await page.screenshot({ clip: corner, encoding: "base64" }) };
  },

  /** Plays a move by clicking on a space, and returns what lies on the board, and where the pieces are. */
  async boards(page) {
    await settled(page);
    const middles = (selector) => page.$$eval(selector, (all) => all.map((each) => {
      const { x, y, width, height } = each.getBoundingClientRect();
      return [x + width / 2, y + height / 2];
    }));
    const spaces = await middles('#board g[role="img"] > g');
    const found = { names: await page.$$eval("#board .large", (all) => all.map((each) => each.textContent)), zone: await middles("#board .placed"), spaces };
    const [target] = await middles('#board [data-key^="space:"]');
    const before = await progress(page);
    await page.mouse.click(...target);
    await page.keyboard.press("Space");
    await after(page, before);
    return { ...found, target, moved: await middles("#board .stands"), below: await page.$$eval("#table .zone", (all) => all.length), tracks: await page.$$eval("#table .track", (all) => all.length) };
  },

  /** Lays a tile, takes it back, plays the whole turn; can each be undone? */
  async undo(page) {
    const possible = () => page.$eval("#undo", (each) => !each.disabled);
    await lay(page);
    const there = await possible();
    await page.keyboard.press("u");
    await page.waitForFunction(() => document.querySelector("#slider").max === "0");
    await lay(page);
    await lay(page);
    return [there, await possible(), await progress(page)];
  },
  /** Waits until bots have played 140 moves, then tells how many there are and how long the link is. */
  async link(page) {
    await page.waitForFunction(() => Number(document.querySelector("#slider").max) >= 140, { timeout: 60_000 });
    await page.click("#back1"); // The bots stop.
    await page.waitForFunction(() => document.querySelector("#note").textContent || !document.querySelector("#past").hidden);
    await page.click("#share");
    await page.waitForSelector("#note.shown");
    return [await progress(page), await page.evaluate(() => location.hash.length)];
  },
  /** Takes a tile back at once, then a turn that the bot has answered; which lines of the record say so? */
  async taken(page) {
    await lay(page);
    await page.keyboard.press("u");
    await page.waitForFunction(() => document.querySelector("#slider").max === "0");
    await lay(page);
    await lay(page);
    await settled(page);
    const before = await progress(page);
    await page.keyboard.press("u");
    await page.waitForFunction((was) => Number(document.querySelector("#slider").max) < was, {}, before);
    await lay(page);
    const lines = (await saved(page)).trim().split("\n").slice(1).map((line) => JSON.parse(line).taken_back ?? false);
    return [before, lines];
  },
  /** How many pieces of hands are shown before and after a person has taken the device? */
  async pass(page) {
    const hands = () =>
      page.$$eval(".player", (all) => all.map((each) => each.querySelectorAll(".own use").length));
    const [closed, hidden] = [await page.$eval("#curtain", (each) => each.open), await hands()];
    await page.click("#curtain button");
    await page.waitForFunction(() => !document.querySelector("#curtain").open);
    return [closed, hidden, await hands()];
  },
  /** At a hot seat with hidden hands: what does the second person see before the device is passed on, and of the first one's turn? */
  async peek(page) {
    const hands = () => page.$$eval(".player", (all) => all.map((each) => each.querySelectorAll(".own use").length));
    const pass = async () => {
      await page.waitForSelector("#curtain[open] button");
      await page.click("#curtain button");
      await page.waitForFunction(() => !document.querySelector("#curtain").open);
    };
    const best = async (closing) => {
      await page.evaluate(() => document.activeElement.blur());
      await page.keyboard.press("b");
      await new Promise((go) => setTimeout(go, 1500));
      const moves = await page.$$eval("#best-box[open] li", (all) => all.length);
      if (moves && closing) await page.keyboard.press("Escape");
      return moves > 0;
    };
    const hidden = await hands();
    await pass();
    const first = [await hands(), await best(true)];
    await page.click("#now .move");
    await page.click("#confirm:not(:disabled)");
    await page.waitForSelector("#curtain[open] button");
    const between = [await hands(), await best(false)];
    await pass();
    const second = await hands();
    await page.keyboard.press("[");
    await page.waitForSelector("#past:not([hidden])");
    return { hidden, first, between, second, past: [await hands(), await best(false)] };
  },
  /** The number of elements that only labels could have made, and what is asked. */
  markup: async (page) => [
    await page.$$eval("img, b, iframe", (all) => all.length), await shown(page, ".question"),
  ],
  /** Opens a record of other rules. */
  async refused(page) {
    const head = { record: 1, root: "base", rulesets: [["x", "1.0", "y"]], settings: {}, players: 2, seed: 1 };
    return noted(page, () => drop(page, JSON.stringify(head)));
  },
  /** Opens records and links that make no game, goes on with the game, then opens one of a large seed. */
  async strangers(page) {
    await lay(page);
    const before = await scores(page);
    const [head] = (await saved(page)).split("\n").map((line) => line && JSON.parse(line));
    const notes = [];
    for (const text of ["{", "1", { ...head, seed: null }, { ...head, rulesets: [["\u202ex\u202c", "1.0", "y"]] }, { ...head, rulesets: [1] }, "x".repeat(8_000_001)])
      notes.push(await noted(page, () => drop(page, typeof text === "string" ? text : JSON.stringify(text))));
    for (const bytes of [[2, 1, 0, 1, 99], [2, 1], [3, 1, 0, 0, 0]])
      notes.push(await noted(page, () => page.evaluate(async (numbers) => {
        const stream = new Blob([Uint8Array.from(numbers)]).stream().pipeThrough(new CompressionStream("deflate-raw"));
        const text = btoa(String.fromCharCode(...new Uint8Array(await new Response(stream).arrayBuffer())));
        const [version, digest] = location.hash.split(".");
        location.hash = [version, digest, text.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")].join(".");
      }, bytes)));
    const same = JSON.stringify(before) === JSON.stringify(await scores(page)) && await progress(page);
    await lay(page);
    const [length, seed] = [await progress(page), "18446744073709551557"];
    await drop(page, JSON.stringify(head).replace(/"seed":\d+/, `"seed":${seed}`));
    await page.waitForFunction(() => document.querySelector("#slider").max === "0");
    return { notes, same, length, seed: (await saved(page)).includes(`"seed":${seed},"seats"`) };
  },
  /** Tries to reach the network, to load a picture, and to write markup. */
  outside: (page) =>
    page.evaluate(() =>
      Promise.all([
        fetch("https://example.org/").then(() => "sent", () => "refused"),
        new Promise((done) => {
          const image = new Image();
          image.onload = () => done("loaded");
          image.onerror = () => done("refused");
          image.src = "data:image/gif;base64,R0lGODlhAQABAAAAACw=";
        }),
        new Promise((done) => {
          try {
            document.querySelector("#note").innerHTML = "<p>";
            done("written");
          } catch {
            done("refused");
          }
        }),
      ]),
    ),
  /** Asks why a piece does not go to the cell where another lies, looks at the next one, and opens the rules. */
  async why(page) {
    await lay(page);
    await page.keyboard.down("Shift");
    await page.keyboard.press("ArrowRight");
    await page.keyboard.up("Shift");
    await page.waitForFunction(() => document.querySelector("#live").textContent.startsWith("cell"));
    const spoken = await shown(page, "#live");
    await page.keyboard.press("w");
    await page.waitForSelector("#why-box[open]");
    const refused = await shown(page, "#why-told");
    await page.keyboard.press("Escape");
    await page.keyboard.press("g");
    const rules = await shown(page, "#rules");
    await page.keyboard.press("Escape");
    return [refused, spoken, rules];
  },
  /** Analyses the first moves of a game of bots and tells how many numbers the curve then has. */
  async analysed(page) {
    await page.waitForFunction(() => Number(document.querySelector("#slider").max) >= 8, { timeout: 30_000 });
    await page.keyboard.press("a");
    await page.waitForFunction(() => document.querySelector(".curves .curve").getAttribute("d").split("L").length >= 6, { timeout: 60_000 });
    return page.$eval(".curves .curve", (each) => each.getAttribute("d").split("L").length);
  },
  /** Goes to the end of a record, and puts the focus on each gain: its text, and the pieces that are lit up. Then clicks the first line that says one. */
  async lit(page) {
    await page.keyboard.press("End");
    await page.waitForFunction(() => document.querySelector("#slider").value === document.querySelector("#slider").max);
    const count = Math.min(12, await page.$$eval("#log button.gain", (all) => all.length));
    const found = [];
    const lit = () => page.$$eval("#board .lit-rim", (all) => all.length);
    for (let at = 0; at < count; at++) {
      await page.evaluate((number) => {
        document.querySelector(".lamps").replaceChildren();
        document.querySelectorAll("#log button.gain")[number].focus();
      }, at);
      await page.waitForFunction(() => document.querySelector("#board .lit-rim"), { polling: 5, timeout: 2000 }).catch(() => null);
      found.push([await page.$$eval("#log button.gain", (all, number) => all[number].textContent, at), await lit()]);
    }
    await page.$eval("#log li:has(.gain) .entry", (line) => line.click());
    await page.waitForSelector("#past:not([hidden])");
    const line = await lit();
    await page.keyboard.press("End");
    await page.waitForFunction(() => !document.querySelector("#board .lit-rim"));
    return { gains: found, line };
  },
  /** How many moves a phone lists below the hand, before and after a card was touched, and which cards these name? */
  async narrow(page) {
    const listed = () => page.$$eval("#now .move", (all) => all.map((each) => (each.checkVisibility() ? each.textContent : "")).filter((text) => text));
    const card = await page.waitForSelector(".hand .target:nth-child(4)"); // The bot moves first.
    const before = (await listed()).length;
    const name = await card.evaluate((each) => each.title);
    await card.tap();
    await page.waitForSelector("#now .move.chosen");
    const after = await listed();
    return { before, after: after.length, named: after.filter((text) => text.includes(name)).length, bottom: (await (await page.$("#confirm")).boundingBox()).y };
  },
  /** Chooses a cell, turns the ghost once, lays it, skips the figure by key, zooms, fits, and changes the language. */
  async gestures(page) {
    const count = (what) => page.$$eval(`#board ${what}`, (all) => all.length);
    const chosen = () => shown(page, "#now .move.chosen");
    const box = () => page.$eval("#board", (each) => each.getAttribute("viewBox"));
    const cells = await count(".target");
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("Enter");
    const ghost = [await count(".ghost"), await count(".dot")];
    const before = await chosen();
    await page.keyboard.press("r");
    const turned = [before, await chosen()];
    const boxes = [await box()];
    for (const key of ["+", "0"]) {
      await page.keyboard.press(key);
      boxes.push(await box());
    }
    await page.evaluate(() => document.activeElement.blur());
    await page.keyboard.press(" ");
    await page.waitForFunction(() => document.querySelector("#slider").max === "1");
    const spots = [await count("g.target circle"), await count(".last")];
    await page.keyboard.press("s");
    await page.waitForFunction(() => document.querySelector("#slider").max === "2");
    const live = await shown(page, "#live");
    await page.click("#language");
    return { cells, ghost, turned, boxes, spots, live, spanish: await shown(page, "#log .now .entry") };
  },
  /** On which member of a ring does a state stand, and what does the page say of it? */
  async ring(page) {
    return page.$$eval(".member", (all) => all.map((each) => [each.querySelector(".zone-name").textContent, each.querySelector(".marker")?.parentElement.title ?? ""]));
  },
  /** Clicks everything at once, hidden or not, in several orders; does the game then go on? */
  async everything(page) {
    for (let round = 0; round < 4; round++) {
      await page.evaluate((number) => {
        const all = [...document.querySelectorAll("button, summary, input[type=checkbox], .target, .move, [data-line]")].filter((each) => !["open", "save"].includes(each.id));
        const order = [all, all.toReversed(), all.toSorted((one, other) => one.outerHTML.length % 7 - other.outerHTML.length % 7), [...all, ...all]][number];
        for (const each of order) each.dispatchEvent(new MouseEvent("click", { bubbles: true }));
      }, round);
      await new Promise((go) => setTimeout(go, 300));
    }
    await page.evaluate(() => document.querySelectorAll("dialog[open]:not(#curtain)").forEach((each) => each.close()));
    await page.evaluate(() => document.activeElement?.blur()); // a field that is typed in takes the keys
    await page.keyboard.press("End");
    const before = await progress(page);
    for (let tried = 0; tried < 50 && !(await over(page)) && (await progress(page)) <= before; tried++) {
      await page.evaluate(() => {
        for (const what of ["#curtain button", "#last", "#now .move", "#confirm"]) document.querySelector(what)?.click();
      });
      await new Promise((go) => setTimeout(go, 200));
    }
    return (await over(page)) || (await progress(page)) > before;
  },
  /** Lays a tile, and then clicks twice where only the first click has a meaning. How many moves are there, and how many after the second player has confirmed twice? */
  async twice(page) {
    const both = (id) => page.$eval(id, (each) => { each.click(); each.click(); });
    await lay(page);
    await both("#skip");
    await page.waitForFunction(() => Number(document.querySelector("#slider").max) > 1);
    await new Promise((go) => setTimeout(go, 200));
    return progress(page);
  },
  /** Lays a tile, takes it back after the bot has moved, and lays it again; reloads the page and plays on; then begins another game. */
  async reload(page) {
    const again = async () => {
      await page.reload();
      await page.waitForSelector("html[data-ready]");
    };
    await lay(page);
    await lay(page);
    await settled(page);
    const before = await progress(page);
    await again(); // The mark is made after one reload, and kept over the next.
    const shared = await page.evaluate(() => location.hash);
    await page.keyboard.press("u");
    await page.waitForFunction((was) => Number(document.querySelector("#slider").max) < was, {}, before);
    await page.waitForFunction((was) => location.hash !== was, {}, shared); // the address is written last
    await again();
    await lay(page);
    await again();
    await lay(page);
    await settled(page);
    const first = await saved(page);
    await page.click("#new-game");
    await page.click("#begin");
    await page.waitForFunction(() => document.querySelector("#slider").max === "0");
    await lay(page);
    await settled(page);
    await new Promise((go) => setTimeout(go, 1000)); // The last record arrives.
    return [first, await saved(page)];
  },
  progress,
  note: (page) => shown(page, "#note"),
  /** Goes from the start of a record to its end. */
  async end(page) {
    const first = await page.$eval("#slider", (each) => Number(each.value));
    await page.keyboard.press("End");
    await page.waitForFunction(() => document.querySelector("#slider").value === document.querySelector("#slider").max);
    return [first, await progress(page)];
  },
  /** Types a move, reads what the search says, and what is left. */
  async drawers(page) {
    await page.keyboard.press("/");
    await page.keyboard.type("at 0,-1");
    await page.keyboard.press("Enter");
    await page.evaluate(() => document.activeElement.blur());
    await page.waitForFunction(() => !document.querySelector("#confirm").disabled || Number(document.querySelector("#slider").max) > 0);
    if (!(await progress(page))) await page.keyboard.press(" ");
    await page.waitForFunction(() => Number(document.querySelector("#slider").max) > 0);
    await page.keyboard.press("b");
    await page.waitForSelector("#best li", { timeout: 10_000 });
    const best = await page.$$eval("#best li", (all) => all.length);
    await page.keyboard.press("Escape");
    await page.keyboard.press("t");
    const left = await page.$$eval("#left .thing", (all) => all.length);
    await page.keyboard.press("Escape");
    return [await progress(page), best, left];
  },
  /** Milliseconds to the first move, of a strong bot's move, and of drawing while the board is dragged. */
  async speed(page) {
    const first = await page.evaluate(() => performance.getEntriesByName("ready")[0].startTime);
    await lay(page);
    await lay(page);
    const start = Date.now();
    await settled(page);
    const bot = Date.now() - start;
    const dragged = () => page.evaluate(async () => {
      const board = document.querySelector("#board");
      const { x, y, width, height } = board.getBoundingClientRect();
      const point = (at) => ({ clientX: x + width / 2 + at, clientY: y + height / 2 + at, pointerId: 1, bubbles: true });
      const times = [];
      board.setPointerCapture = () => {};
      board.dispatchEvent(new PointerEvent("pointerdown", point(0)));
      for (let at = 1; at < 40; at++) {
        const begin = performance.now();
        board.dispatchEvent(new PointerEvent("pointermove", point(3 * at)));
        await new Promise((done) => requestAnimationFrame(done));
        times.push(performance.now() - begin);
      }
      board.dispatchEvent(new PointerEvent("pointerup", point(0)));
      return times.sort((a, b) => a - b);
    });
    // A page that draws slowly does so each time, a machine that does other things does not.
    const drags = [await dragged(), await dragged(), await dragged()];
    const median = (times) => times[Math.floor(times.length / 2)];
    const frames = drags.sort((a, b) => median(a) - median(b))[0];
    return { first, bot, frame: median(frames), longest: frames.at(-1) };
  },
};

const told = {};
for (const { name, task, ...given } of JSON.parse(readFileSync(0, "utf8"))) {
  try {
    told[name] = await TASKS[task](given);
  } catch (error) {
    told[name] = { failed: String(error?.stack ?? error) };
  }
}
await browser.close();
writeFileSync(join(process.argv[2]), JSON.stringify(told));
