// Two browsers play a game by links, and get links that were altered: node letters.mjs OUT < {file, hidden, turns}; writes what they show.
import { readFileSync, writeFileSync } from "node:fs";
import { chained } from "../../tools/page/src/letters.js";
import { packed, unpacked } from "../../tools/page/src/link.js";
import { after, browser, generator, open as opened, progress, type } from "../chromium.mjs";

const KINDS = ["human"];
const { file, hidden, turns } = JSON.parse(readFileSync(0, "utf8"));
const errors = [];

async function open(path, hash = "", seats = "human,human") {
  const found = await opened(`file://${path}${hash}`, { kept: { language: "en", seats }, timeout: 60_000 });
  errors.push(found.errors);
  return found.page;
}

const warning = (page) => page.waitForFunction(() => document.querySelector("#why-box[open] #warning")?.textContent, { polling: 20 }).then((found) => found.jsonValue());
const close = (page) => page.$eval("#why-box", (box) => box.close());

async function begin(page) {
  await page.click("#new-game");
  await page.click("#letters");
  await page.click("#begin");
}

/** Opens a link in a page that is open, as somebody does who pastes it into the address. */
const follow = (page, hash) => page.evaluate((link) => { location.hash = link; }, hash);

/** Returns the link of a game when the page has written it, which it does after it has shown the last move. */
async function written(page) {
  const length = await progress(page);
  for (let waits = 0; waits < 1500; waits++) {
    const hash = await page.evaluate(() => location.hash.slice(1));
    if (hash.startsWith("2.") && (await unpacked(hash, KINDS)).rows.length === length) return hash;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error("the address was not written");
}

const random = generator(7);

/** Plays until the page asks for its link to be sent, and returns the link. */
async function turn(page) {
  let waits = 0;
  while (!(await page.$("#send"))) {
    const before = await progress(page);
    await type(page, random());
    const moved = after(page, before, { polling: 20, timeout: 1000 });
    await moved.catch((error) => {
      if (++waits > 20) throw error; // The moves of a position may be listed after it is shown.
    });
  }
  return written(page);
}

const red = await open(file);
await begin(red);
let link = await turn(red);
const blue = await open(file, `#${link}`);
const pages = [blue, red];
const links = [];
for (let count = 0; count < turns; count++) {
  const page = pages[count % 2];
  if (count) await follow(page, link);
  await page.waitForFunction(() => !document.querySelector("#send") && document.querySelector("#typed"), { polling: 20 });
  link = await turn(page);
  links.push(link);
}
const texts = await Promise.all(pages.map((page) => page.$eval(".send", (line) => line.textContent)));

// The last one to move gets the other's answer: the same game with another second move.
const receiver = pages[turns % 2];
const sent = links.at(-1);
const altered = async (change) => {
  const game = await unpacked(sent, KINDS);
  await change(game);
  return packed(game, KINDS);
};
const told = {};
const shown = async (name, hash) => {
  await follow(receiver, hash);
  told[name] = { text: await warning(receiver), offered: Boolean(await receiver.$("#take")), length: await progress(receiver) };
  await close(receiver);
};
const other = (game) => { game.rows[1] = game.rows[1] ? 0 : 1; };
await shown("careless", await altered(other));
await shown("careful", await altered(async (game) => {
  other(game);
  game.letter.digests = await chained(game, game.letter.id);
}));
await shown("start", await altered(async (game) => {
  game.seed = "5";
  game.letter.digests = await chained(game, game.letter.id);
}));
const before = await progress(receiver);
await follow(receiver, sent);
await after(receiver, before);
await written(receiver);
await shown("older", links.at(-3));
await receiver.reload();
await receiver.waitForSelector("html[data-ready]");
const length = await progress(receiver);

const cards = await open(hidden, "", "human,random");
await begin(cards);
const refused = await warning(cards);
writeFileSync(process.argv[2], JSON.stringify({ errors: errors.flat(), texts, told, before, length, moves: (await unpacked(sent, KINDS)).rows.length, refused, plain: await cards.evaluate(() => location.hash.slice(0, 3)) }));
await browser.close();
