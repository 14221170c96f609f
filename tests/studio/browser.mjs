// Uses the studio in Chromium and prints what it finds: node browser.mjs OUT < tasks.
import { readFileSync, writeFileSync } from "node:fs";
import { browser, findings, open as opened, text } from "../chromium.mjs";
import { quoted } from "../../tools/page/src/studio/share.js";

/** Opens the studio in a profile of its own and waits for the game. */
function open({ address, hash = "", size = [1440, 900], dark = false, offline = false }) {
  const allowed = offline ? /^(file|blob|data|about):/ : new RegExp(`^(blob|data|about):|^${address}`);
  return opened(`${address}${hash}`, { kept: {}, allowed, size, dark, timeout: 90_000 });
}

const rounds = (page) => page.evaluate(() => Number(document.documentElement.dataset.ready));

/** Does something that changes the rules, and waits until the game follows all of it, typed as slowly as it may be; returns the milliseconds. */
async function looked(page, act) {
  const before = await rounds(page);
  await act();
  await page.waitForFunction((round) => {
    const ready = Number(document.documentElement.dataset.ready);
    return ready > round && ready === globalThis.studio.round;
  }, { polling: 10, timeout: 90_000 }, before);
  return page.evaluate(() => performance.getEntriesByName("look").at(-1).duration);
}

/** Returns the milliseconds that a fixed piece of work takes on this machine, as busy as it is now. */
const pace = (page) => page.evaluate(() => {
  const begun = performance.now();
  let sum = 1;
  for (let at = 0; at < 100_000_000; at++) sum = (Math.imul(sum, 1_103_515_245) + at) | 0;
  globalThis.sum = sum;
  return performance.now() - begun;
});

/** Replaces a text in a file as a person would: by selecting and typing. */
async function write(page, file, old, fresh) {
  await page.evaluate((name, wanted) => {
    const { view } = globalThis.studio.editors.get(name);
    const at = view.state.doc.toString().indexOf(wanted);
    if (at < 0) throw new Error(`no ${wanted} in ${name}`);
    view.dispatch({ selection: { anchor: at, head: at + wanted.length } });
    view.focus();
  }, file, old);
  if (fresh) await page.keyboard.type(fresh);
  else await page.keyboard.press("Delete");
}

const content = (page, file) => page.evaluate((name) => globalThis.studio.editors.get(name).text, file);
const frame = async (page) => (await page.$("#stage iframe:not(.waiting)")).contentFrame();

/** Turns the wheel over the board, until the studio knows what part of it is shown. */
async function zoomed(page) {
  const box = await (await (await frame(page)).$(".board > svg")).boundingBox();
  await page.mouse.move(box.x + 60, box.y + 60);
  await page.mouse.wheel({ deltaY: -200 });
  await page.waitForFunction(() => globalThis.studio.stage.box);
}

/** Returns what the page offers as a file when a button is clicked. */
function offered(page, button) {
  return page.evaluate(async (wanted) => {
    const kept = URL.createObjectURL.bind(URL);
    // The program of a worker, which random games may begin meanwhile, is no file.
    const blob = new Promise((resolve) => {
      URL.createObjectURL = (given) => {
        if (given.type === "text/javascript") return kept(given);
        resolve(given);
        return "about:blank#";
      };
    });
    HTMLAnchorElement.prototype.click = () => {};
    document.querySelector("#download").click();
    document.querySelector(wanted).click();
    const found = [...new Uint8Array(await (await blob).arrayBuffer())];
    URL.createObjectURL = kept;
    return found;
  }, button);
}

/** Lets the worker exceed its deadline, so that Python is ended and begins anew with the files as they are in the editors. */
async function restarted(page) {
  const first = await page.evaluate(async () => {
    const { studio } = globalThis;
    const { worker } = studio.host;
    studio.host.deadline = 1;
    const told = await studio.ask("check");
    studio.host.deadline = 60_000;
    return { told, ended: worker !== studio.host.worker, note: document.querySelector("#note").textContent };
  });
  const why = await page.evaluate(async () => { await globalThis.studio.why("at 0,0,0"); return document.querySelector("#panel").textContent; });
  await looked(page, () => write(page, "first.rules", "previous + 1", "previous + 3"));
  return { first, why, again: await text(page, "#state"), files: await page.evaluate(() => globalThis.studio.ask("check").then(({ findings }) => Object.keys(findings).sort())) };
}

const STEPS = {
  /** A number changes the points beside; a mistake is marked and its fix clicked; a scenario fails and shows its board. */
  async first(page, { picture }) {
    const found = { begin: await text(page, "#state"), moves: await page.evaluate(() => globalThis.studio.stage.told.length) };
    found.edit = await looked(page, () => write(page, "first.rules", "previous + 1", "previous + 3"));
    found.changes = await text(page, "#changes");
    found.failing = await text(page, "#state");
    found.rims = await (await frame(page)).$$eval(".changed-rim", (all) => all.length);
    if (picture) await page.screenshot({ path: picture });
    await page.click("#balance");
    await page.waitForFunction(() => /^2000 of 2000 and 2000/.test(document.querySelector("#panel .title")?.textContent ?? ""), { timeout: 90_000 });
    found.balance = await page.$$eval(".balance tr", (rows) => rows.map((row) => [...row.children].map((each) => each.textContent)));
    await page.click(".outcome.fails");
    await page.waitForSelector("#panel svg");
    found.board = [await text(page, "#panel .title"), await page.$eval("#panel > svg", (svg) => svg.getAttribute("viewBox"))];
    await looked(page, () => write(page, "first.rules", "refine", "refin"));
    found.error = [await text(page, "#state"), await text(page, "#panel .line"), await page.$$eval("[data-file='first.rules'] .cm-lintRange-error", (all) => all.map((each) => each.textContent))];
    await looked(page, () => page.click("#panel .fix"));
    found.fixed = await content(page, "first.rules");
    found.after = await text(page, "#changes");
    await page.click("#log");
    await page.click("#panel .line:has(b)");
    await page.waitForSelector("#panel pre");
    found.why = await text(page, "#panel pre");
    await zoomed(page);
    found.zoom = [await page.evaluate(() => globalThis.studio.stage.box)];
    await looked(page, () => write(page, "first.rules", "when f is road", "when f is city"));
    found.zoom.push(await page.evaluate(() => globalThis.studio.stage.box), await (await frame(page)).$eval("#board svg, .board > svg", (svg) => svg.getAttribute("viewBox")));
    found.findings = await findings(page);
    return found;
  },
  /** Completion, hover, definition, renaming, formatting. */
  async language(page) {
    const found = {};
    await looked(page, () => write(page, "first.rules", "f.market", "f.ma"));
    await page.keyboard.type("r");
    await page.waitForSelector(".cm-tooltip-autocomplete li");
    found.offered = await page.$$eval(".cm-tooltip-autocomplete li .cm-completionLabel", (all) => all.map((each) => each.textContent));
    await new Promise((resolve) => setTimeout(resolve, 150));
    await looked(page, () => page.keyboard.press("Tab"));
    found.completed = await content(page, "first.rules");
    const word = await page.evaluate(() => {
      const { view } = globalThis.studio.editors.get("first.rules");
      const at = view.state.doc.toString().indexOf("worth(f");
      view.dispatch({ selection: { anchor: at + 2 } });
      const box = view.coordsAtPos(at + 2);
      return { x: box.left, y: (box.top + box.bottom) / 2 };
    });
    await page.mouse.move(word.x, word.y);
    await page.mouse.move(word.x + 2, word.y);
    await page.waitForSelector(".cm-tooltip .hover pre");
    found.hover = await text(page, ".cm-tooltip .hover");
    await page.keyboard.press("F12");
    await page.waitForSelector("#box[open] .cm-editor");
    found.declared = await text(page, "#box h2");
    await page.click("#box .close");
    await page.evaluate(() => {
      const { view } = globalThis.studio.editors.get("first.rules");
      view.dispatch({ selection: { anchor: view.state.doc.toString().indexOf("f.market") + 4 } });
      view.focus();
    });
    await page.keyboard.press("F2");
    await page.waitForSelector("#box[open] input");
    await page.keyboard.type("fair");
    await looked(page, () => page.keyboard.press("Enter"));
    found.renamed = [await content(page, "first.yaml"), await content(page, "first.rules")];
    await looked(page, () => write(page, "first.rules", "previous + 1", "previous   +   1"));
    await looked(page, () => page.click("#format"));
    found.formatted = await content(page, "first.rules");
    await page.evaluate(() => globalThis.studio.goto({ file: "first.yaml", from: 250, to: 250 }));
    await page.waitForSelector(".preview svg");
    found.pictures = await page.$$eval(".small-picture svg", (all) => all.length);
    return found;
  },
  /** Plays a move, makes a scenario of the position, and shares it. */
  async position(page) {
    const before = await page.evaluate(() => globalThis.studio.stage.told.length);
    const game = await frame(page);
    await game.focus("#typed");
    const move = await game.waitForSelector("#typed-moves option").then((option) => option.evaluate((each) => each.value));
    await game.type("#typed", `${move}\n`);
    await page.waitForFunction((moves) => globalThis.studio.stage.told.length > moves, {}, before);
    const played = await page.evaluate(() => globalThis.studio.stage.told);
    await page.click("#to-scenario");
    await page.waitForSelector("#box[open] input");
    await looked(page, () => page.keyboard.press("Enter"));
    const state = await text(page, "#state");
    const scenarios = await content(page, "first.test.yaml");
    await page.click("#share");
    await page.waitForFunction(() => location.hash.length > 10);
    const hash = await page.evaluate(() => location.hash);
    const zip = await offered(page, "#as-zip");
    await page.evaluate(() => {
      const bytes = Array.from({ length: 30_000 }, () => Math.floor(Math.random() * 256).toString(16));
      globalThis.studio.editors.get("first.rules").text += `# ${bytes.join("")}\n`;
      document.querySelector("#share").click();
    });
    await page.waitForSelector("#box[open] #as-page");
    const long = await text(page, "#box p");
    await page.click("#as-table");
    const command = await page.$eval("#command", (field) => field.value);
    return { command, words: ["lakes/first.yaml", "a b; c", "it's", "\u001b[0m", "-x"].map(quoted), long, before, played: played.length, scores: played.scores, state, scenarios, hash, zip };
  },
  /** Everything that Python does in the browser. */
  async alone(page, { file, errors }) {
    const endless = await STEPS.endless(page);
    errors.length = 0; // What was refused is told.
    const found = { endless, begin: await text(page, "#state"), pace: await pace(page) };
    found.module = (await page.evaluate(() => globalThis.studio.ask("build", { main: "first.yaml", with: [], players: 2 }))).module;
    found.edit = await looked(page, () => write(page, "first.rules", "previous + 1", "previous + 3"));
    found.changes = await text(page, "#changes");
    found.failing = await text(page, "#state");
    await looked(page, () => write(page, "first.rules", "refine", "refin"));
    found.error = await page.$$eval("[data-file='first.rules'] .cm-lintRange-error", (all) => all.map((each) => each.textContent));
    await looked(page, () => page.$eval("#panel .fix", (fix) => fix.click()));
    const at = (await content(page, "first.rules")).indexOf("worth(f") + 1;
    found.hover = (await page.evaluate((place) => globalThis.studio.ask("hover", { file: "first.rules", at: place }), at)).markdown;
    await looked(page, () => write(page, "first.yaml", "count: 2", "count: many"));
    found.schema = await page.evaluate(() => globalThis.studio.findings["first.yaml"][0].severity);
    await looked(page, () => write(page, "first.yaml", "count: many", "count: 3"));
    found.scores = await page.evaluate(() => globalThis.studio.stage.told.scores);
    writeFileSync(file, Uint8Array.from(await offered(page, "#as-page")));
    return found;
  },
  /** Rules that do not end are stopped, and right ones play afterwards; nothing is fetched. */
  async endless(page) {
    const found = {};
    found.reached = [
      await page.evaluate(() => fetch("https://example.org/").then(() => "sent", () => "refused")),
      await page.evaluate(() => {
        const policy = globalThis.trustedTypes.createPolicy("worker", { createScriptURL: (url) => url });
        const code = "fetch('https://example.org/').then(() => postMessage('sent'), () => postMessage('refused'))";
        const worker = new Worker(policy.createScriptURL(URL.createObjectURL(new Blob([code], { type: "text/javascript" }))));
        return new Promise((done) => worker.addEventListener("message", ({ data }) => done(data)));
      }).catch(() => "refused"),
    ];
    found.known = await page.workers()[0].evaluate(() => ["indexedDB", "caches", "WebSocket", "EventSource", "XMLHttpRequest", "BroadcastChannel", "Worker", "importScripts", "document", "localStorage"].filter((name) => globalThis[name] !== undefined));
    const begun = performance.now();
    const set = (file, rules) => page.evaluate((name, all) => { globalThis.studio.editors.get(name).text = all; }, file, rules);
    const rules = await content(page, "first.rules");
    const endless = "\nvalue endless() -> int:\n    var n = 0\n    while n >= 0: n = 1 - n\n    n\n";
    await looked(page, () => set("first.rules", rules.replace("previous + 1", "previous + endless()") + endless));
    const state = await text(page, "#state");
    await looked(page, () => set("first.rules", rules));
    Object.assign(found, { state, after: await text(page, "#state"), seconds: (performance.now() - begun) / 1000, ...(await restarted(page)) });
    await looked(page, () => set("first.rules", rules));
    return found;
  },
  /** How long the second visit takes, and an edit of the base game, alone and with expansions. */
  async times(page, { expansions }) {
    const paces = [await pace(page)];
    const begun = performance.now();
    await page.goto(`${page.url()}?again`);
    await page.waitForSelector("html[data-ready]", { timeout: 90_000 });
    const found = { again: performance.now() - begun };
    /** Does something and returns how long the game under the new rules took; scenarios run later. */
    const shown = async (act, given) => {
      const before = await page.evaluate(() => performance.getEntriesByName("shown").length);
      await page.evaluate(act, given);
      await page.waitForFunction((count) => performance.getEntriesByName("shown").length > count, { polling: 10, timeout: 90_000 }, before);
      return page.evaluate(() => performance.getEntriesByName("shown").at(-1).duration);
    };
    const edit = (number) => {
      const { view } = globalThis.studio.editors.get("base.rules");
      const from = view.state.doc.toString().search(/\d \* \(f\.cells \+ f\.shield\)/);
      view.dispatch({ changes: { from, to: from + 1, insert: String(number) } });
    };
    await shown(() => { void globalThis.studio.example(globalThis.studio.boot.gallery.find(({ id }) => id === "base")); });
    found.base = Math.min(await shown(edit, 3), await shown(edit, 4));
    await shown((all) => {
      const field = document.querySelector("#with");
      field.value = all.join(", ");
      field.dispatchEvent(new Event("change"));
    }, expansions);
    found.every = Math.min(await shown(edit, 5), await shown(edit, 6));
    paces.push(await pace(page));
    return { ...found, pace: Math.max(...paces), rulesets: await page.evaluate(() => globalThis.studio.plan.rulesets.map(({ id }) => id)) };
  },
  /** What a link shows. */
  shown: async (page) => ({
    note: await text(page, "#note"), state: await text(page, "#state"), files: await page.evaluate(() => globalThis.studio.files),
    told: await page.evaluate(() => globalThis.studio.stage.told), main: await page.$eval("#main", (each) => each.value),
  }),
  /** Changes a file and saves it. */
  async save(page) {
    await looked(page, () => write(page, "first.rules", "previous + 1", "previous + 2"));
    const dots = await page.$$eval(".pane .dot:not([hidden])", (all) => all.length);
    await page.keyboard.down("Control");
    await page.keyboard.press("s");
    await page.keyboard.up("Control");
    await page.waitForSelector("#note.shown");
    return { dots, note: await text(page, "#note"), left: await page.$$eval(".pane .dot:not([hidden])", (all) => all.length) };
  },
  /** Opens every example and says what its state is. */
  async gallery(page) {
    const found = {};
    const count = await page.evaluate(() => document.querySelector("#examples").click() ?? document.querySelectorAll(".gallery button").length);
    for (let at = 0; at < count; at++) {
      if (!(await page.$("#box[open]"))) await page.click("#examples");
      const button = (await page.$$(".gallery button"))[at];
      const title = await button.$eval("b", (each) => each.textContent);
      await looked(page, () => button.click());
      found[`${at}. ${title}`] = await text(page, "#state");
    }
    return found;
  },
  /** Tries to reach the network and to write markup, from the page and from its game. */
  async outside(page) {
    const attempt = () =>
      Promise.all([
        fetch("https://example.org/").then(() => "sent", () => "refused"),
        new Promise((done) => {
          try {
            document.body.innerHTML = "<p>";
            done("written");
          } catch {
            done("refused");
          }
        }),
      ]);
    const game = await frame(page);
    return [...(await page.evaluate(attempt)), ...(await game.evaluate(attempt))];
  },
};

const found = {};
for (const { name, steps, ...task } of JSON.parse(readFileSync(0, "utf8"))) {
  const { page, context, errors, cold } = await open(task);
  try {
    found[name] = { found: await STEPS[steps](page, { ...task, errors }), errors, cold };
  } catch (error) {
    found[name] = { failed: String(error.stack), errors };
    await page.screenshot({ path: `${process.argv[2]}-${name}.png` });
  }
  await context.close();
}
await browser.close();
writeFileSync(process.argv[2], JSON.stringify(found));
