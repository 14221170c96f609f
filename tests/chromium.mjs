// What tests do with pages in Chromium.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { launch } from "../tools/page/chromium.mjs";

const packages = createRequire(new URL("../tools/page/package.json", import.meta.url));
const axe = readFileSync(packages.resolve("axe-core/axe.min.js"), "utf8");

export const browser = await launch();

/**
 * Opens a page in a profile of its own, where nothing moves, with what the browser has `kept`. Returns it with its errors: also
 * the requests to addresses that are not `allowed`, and messages of the console that are not `ignored`.
 */
export async function open(address, { kept = { language: "en" }, allowed = /./, ignored = /^$/, size, touch = false, dark = false, prepare = () => {}, ready = "html[data-ready]", timeout = 30_000 } = {}) {
  const context = await browser.createBrowserContext();
  const page = await context.newPage();
  const errors = [];
  page.on("pageerror", (error) => errors.push(error.message));
  page.on("console", (message) => message.type() === "error" && !ignored.test(message.text()) && errors.push(message.text()));
  page.on("request", (request) => !allowed.test(request.url()) && errors.push(`request ${request.url()}`));
  if (size) await page.setViewport({ width: size[0], height: size[1], hasTouch: touch, isMobile: touch });
  await page.emulateMediaFeatures([{ name: "prefers-reduced-motion", value: "reduce" }, { name: "prefers-color-scheme", value: dark ? "dark" : "light" }]);
  await page.evaluateOnNewDocument((texts) => {
    for (const [name, value] of Object.entries(texts)) if (value) localStorage.setItem(`rulesdsl ${name}`, value);
  }, kept);
  await prepare(page);
  const begun = performance.now();
  await page.goto(address);
  await page.waitForSelector(ready, { timeout });
  return { page, context, errors, cold: performance.now() - begun };
}

/** Returns a generator of numbers that are the same in every run. */
export const generator = (seed) => () => (seed = (Math.imul(seed, 1103515245) + 12345) >>> 0) >>> 8;

export const text = (page, id) => page.$eval(id, (each) => each.textContent);
/** Returns how many moves a game has, and says whether it is over. */
export const progress = (page) => page.$eval("#slider", (slider) => Number(slider.max));
export const over = (page) => page.evaluate(() => !document.querySelector(".player.moves"));

/** Waits until a game has more moves than before. */
export const after = (page, before, given = { polling: 5, timeout: 30_000 }) =>
  page.waitForFunction((number) => Number(document.querySelector("#slider").max) > number, given, before);

/** Plays a move of the list that is offered for typing, or the one that is chosen already; says whether there is one. */
export const type = (page, number) => page.evaluate((drawn) => {
  const typed = document.querySelector("#typed");
  typed.dispatchEvent(new Event("focus"));
  const moves = document.querySelectorAll("#typed-moves option");
  if (!moves.length) return false;
  typed.value = moves[drawn % moves.length].value;
  document.querySelector("#typed-form").requestSubmit();
  document.querySelector("#confirm:not(:disabled)")?.click();
  return true;
}, number);

/** Returns what is hard to use for some people. */
export async function findings(page) {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => globalThis.axe.run(document, { iframes: false, resultTypes: ["violations"] }));
  return violations.map(({ id, nodes }) => `${id}: ${nodes.slice(0, 3).map((node) => node.html.slice(0, 140)).join(" | ")}`);
}
