// Two pages of Chromium play at a table: node pages.mjs OUT < {links, most, end}; prints nothing, writes what they show.
import { readFileSync, writeFileSync } from "node:fs";
import { after, browser, generator, open as opened, over, progress, type } from "../chromium.mjs";

const { links, most, end } = JSON.parse(readFileSync(0, "utf8"));

const open = (link) => opened(link, {
  ignored: /WebSocket/,
  prepare: (page) => page.evaluateOnNewDocument(() => {
    // As on Chrome for Android while another app is in front.
    Object.defineProperty(document, "hidden", { get: () => true });
    window.tags = [];
    window.Notification = class {
      static permission = "granted";
      constructor(_, { tag }) {
        window.tags.push(tag);
        throw new TypeError("Illegal constructor");
      }
    };
  }),
});
const random = generator(12345);

/** Plays a move for the player of a page, if it is asked. */
const play = async (page) => (await page.title()).startsWith("●") && type(page, random());

const tables = [];
for (const link of links) tables.push(await open(link));
const [{ page: first }, { page: second }] = tables;

await first.evaluate(() => {
  const name = document.querySelector(".talk .name");
  name.value = "Ann";
  name.dispatchEvent(new Event("change"));
  document.querySelector("#chat").value = "hello <b>there</b>";
  document.querySelector("#chat-form").requestSubmit();
});
await second.waitForFunction(() => document.querySelector(".chat li")?.textContent === "Ann hello <b>there</b> ");

/** Returns for each player what the page shows of the hand. */
const hands = (page) =>
  page.$$eval("#players .player", (players) => players.map((player) => {
    const own = [...player.querySelectorAll(".own")].filter((zone) => /hand/i.test(zone.querySelector(".zone-name")?.textContent));
    return own.flatMap((zone) => [...zone.querySelectorAll(".thing")].map((each) => each.getAttribute("aria-label"))).filter((label) => !label.startsWith("hidden"));
  }));

const titles = new Set();
const seen = tables.map(() => new Set());
while (!(await over(first)) && (await progress(first)) < most) {
  const before = await progress(first);
  for (const { page } of tables) titles.add((await page.title()).slice(0, 11));
  for (const { page } of tables) if (await play(page)) break;
  if (before % 10 === 0) for (const [at, { page }] of tables.entries()) (await hands(page)).forEach((hand, seat) => hand.length && seen[at].add(seat));
  await after(first, before, { timeout: 5000, polling: 20 }).catch(() => {});
}

if (end) {
  await first.$eval("#end", (button) => button.click());
  for (const { page } of tables.slice(1)) await page.waitForSelector(".chat li button").then((yes) => yes.evaluate((button) => button.click()));
  for (const { page } of tables) await page.waitForFunction(() => document.querySelector("#now .question").textContent.startsWith("The players ended"));
}

const told = [];
for (const { page, errors } of tables) {
  const length = await progress(first);
  await page.waitForFunction((number) => Number(document.querySelector("#slider").max) >= number, { timeout: 30_000 }, length);
  const shown = await page.evaluate(() => ({
    scores: [...document.querySelectorAll("#players .player")].map((each) => each.textContent),
    opening: document.querySelector("#log > li:not([data-line])")?.textContent,
    log: [...document.querySelectorAll("#log [data-line]")].map((each) => each.textContent),
    question: document.querySelector("#now .question").textContent,
    tags: [...new Set(window.tags)],
    hidden: ["#new-game", "#share", "#open", "#show-best", "#analyse"].filter((id) => document.querySelector(id).checkVisibility()),
  }));
  await page.click("#first");
  await page.waitForFunction(() => document.querySelector("#slider").value === "0");
  await page.evaluate((name) => {
    const field = document.querySelector(".talk .name");
    field.value = name;
    field.dispatchEvent(new Event("change"));
    document.querySelector("#chat").value = `from ${name}`;
    document.querySelector("#chat-form").requestSubmit();
  }, `Seat ${told.length}`);
  await page.waitForFunction((name) => document.querySelector(".chat").textContent.includes(`${name} from ${name}`), {}, `Seat ${told.length}`);
  const offers = await page.evaluate(() => document.querySelector("#end").checkVisibility());
  told.push({ ...shown, errors, length, offers });
}
writeFileSync(process.argv[2], JSON.stringify({ told, seen: seen.map((seats) => [...seats]), titles: [...titles] }));
await browser.close();
