// Searches in the site in Chromium from file://, without a network, and prints the sheet: node search.mjs FOLDER < questions.
import { readFileSync } from "node:fs";
import { launch } from "../../tools/page/chromium.mjs";

const folder = process.argv[2];
const browser = await launch();
const page = await browser.newPage();
const errors = [];
page.on("pageerror", (error) => errors.push(error.message));
page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
page.on("request", (request) => /^(file|data):/.test(request.url()) || errors.push(request.url()));
const found = {};
await page.goto(`file://${folder}/search.html`);
await page.waitForSelector("html[data-ready]");
const questions = JSON.parse(readFileSync(0, "utf8"));
for (const question of [...questions, questions[0]]) {
  await page.$eval("#q", (box) => (box.value = ""));
  await page.type("#q", question);
  found[question] = await page.$$eval("#found a", (links) => links.map((link) => [link.getAttribute("href"), link.textContent]));
}
await page.click("#found a");
await page.waitForSelector("body nav");
const opened = await page.title();
await page.goto(`file://${folder}/docs/cheat-sheet.html`);
const sheet = Buffer.from(await page.pdf({ preferCSSPageSize: true })).toString("latin1");
const sheets = (sheet.match(/\/Type\s*\/Page\b/g) ?? []).length;
await browser.close();
console.log(JSON.stringify({ found, errors, opened, sheets }));
