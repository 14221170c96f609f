// Opens the studio in Chromium and changes rules in it: node studio.mjs BROWSER FILE ADDRESS. Prints wall-clock seconds as JSON: until
// everything is shown at the first and the second visit, and from a key until the game and all findings of the change are shown.
import { writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [launcher, file, address] = process.argv.slice(2);
const { launch } = await import(pathToFileURL(launcher).href);
const EXPANSIONS = "crop_circles, hills_and_sheep, inns_and_cathedrals, river, robbers, traders_and_builders, wheel_of_fortune";
const EDITS = 3;
const browser = await launch();
try {
  // The browser is in a session of its own, which the scheduler would treat as another program's.
  writeFileSync(`/proc/${browser.process().pid}/autogroup`, "-15");
} catch {} // Not permitted, or not Linux.

/** Opens a page and returns the seconds until its game is there and its scenarios have run. */
async function opened(page, where) {
  const begun = performance.now();
  await page.goto(where);
  await page.waitForSelector("html[data-ready]", { timeout: 120_000 });
  return (performance.now() - begun) / 1000;
}

/** Does something and waits until the studio has followed. */
async function followed(page, act) {
  const before = await page.evaluate(() => Number(document.documentElement.dataset.ready));
  await act();
  await page.waitForFunction((round) => Number(document.documentElement.dataset.ready) > round, { polling: 20, timeout: 120_000 }, before);
}

/** Types another number into the rules, and returns the seconds until the game shows it. */
async function edited(page, digit) {
  await page.evaluate((number) => {
    const { view } = globalThis.studio.editors.get("base.rules");
    const at = view.state.doc.toString().search(/\d \* \(f\.cells \+ f\.shield\)/);
    view.dispatch({ selection: { anchor: at, head: at + 1 } });
    view.focus();
    globalThis.begun = performance.now();
    view.dispatch(view.state.replaceSelection(String(number)));
  }, digit);
  const shown = await page.waitForFunction(() => {
    const last = performance.getEntriesByName("shown").at(-1);
    return last && last.startTime > globalThis.begun ? last.startTime + last.duration - globalThis.begun : 0;
  }, { polling: 10, timeout: 120_000 });
  const milliseconds = await shown.jsonValue();
  await page.waitForFunction(() => performance.getEntriesByName("look").at(-1).startTime > globalThis.begun, { polling: 20, timeout: 120_000 });
  return milliseconds / 1000;
}

async function visits(where, again) {
  const context = await browser.createBrowserContext();
  const page = await context.newPage();
  const found = [await opened(page, where)];
  if (again) found.push(await opened(page, `${where}?again`));
  return { page, found };
}

const lone = await visits(pathToFileURL(file).href, false);
await lone.page.browserContext().close();
const { page, found } = await visits(address, true);
await followed(page, () => page.evaluate(() => { void globalThis.studio.example(globalThis.studio.boot.gallery.find(({ id }) => id === "base")); }));
const base = [];
for (let at = 0; at < EDITS; at++) base.push(await edited(page, 3 + at));
await followed(page, () => page.evaluate((all) => {
  const field = document.querySelector("#with");
  field.value = all;
  field.dispatchEvent(new Event("change"));
}, EXPANSIONS));
const every = [];
for (let at = 0; at < EDITS; at++) every.push(await edited(page, 6 + at));
const least = (times) => Math.min(...times);
console.log(JSON.stringify({ file: lone.found[0], first: found[0], again: found[1], base: least(base), every: least(every) }));
await browser.close();
