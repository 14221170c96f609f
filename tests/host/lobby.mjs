// Two people meet in the lobby of a server: node lobby.mjs OUT < {address}; writes what they see.
import { readFileSync, writeFileSync } from "node:fs";
import { browser, open as opened } from "../chromium.mjs";

const { address } = JSON.parse(readFileSync(0, "utf8"));
const errors = [];

async function open(at = address) {
  const found = await opened(at, { ready: ".lobby button", ignored: /WebSocket/ });
  errors.push(found.errors);
  return found.page;
}

const press = (page, text) =>
  page.waitForFunction((wanted) => {
    const button = [...document.querySelectorAll(".lobby button")].find((each) => each.textContent === wanted);
    button?.click();
    return button;
  }, {}, text);

const [first, second, third] = [await open(`${address}?fbclid=a`), await open(), await open()];
const empty = await first.$eval(".lobby", (box) => box.textContent);
await press(first, "Open a table for 2");
for (const [page, name, seat] of [[first, "Ann", "Red"], [second, "Bob", "Blue"]]) {
  await page.type("#own-name", name);
  await press(page, `Sit down as ${seat}`);
  await page.waitForSelector(".talk .name");
}
await first.waitForFunction(() => document.querySelector(".talk .seats")?.textContent.includes("Bob"));
const games = await third.$$eval(".lobby nav > *", (all) => all.map((each) => [each.tagName, each.textContent]));
await Promise.all([third.waitForNavigation(), third.click(".lobby nav a")]);
await third.waitForSelector(".lobby nav b");
const there = await third.$eval(".lobby nav b", (each) => each.textContent);
const names = await first.$$eval(".talk .name", (inputs) => inputs.map((input) => input.value));

/** Returns what the page says where the browser lacks something. */
async function lacking(prepare) {
  const { page } = await opened(address, { prepare, ready: "#missing:not([hidden])" });
  return page.$eval("#missing", (box) => box.checkVisibility() && box.innerText);
}
const without = (name) => (page) => page.evaluateOnNewDocument((each) => delete globalThis[each], name);
const refused = (page) => page.evaluateOnNewDocument(() => { globalThis.Worker = function () { throw new Error("refused here"); }; });
const lacks = [await lacking(without("DecompressionStream")), await lacking(without("Worker")), await lacking(refused), await lacking((page) => page.setJavaScriptEnabled(false))];
writeFileSync(process.argv[2], JSON.stringify({ empty, names, errors: errors.flat(), games, there, lacks }));
await browser.close();
