// Prints pages in Chromium as PDF and shows their sheets: node print.mjs OUT < tasks, as browser.mjs.
import { readFileSync, writeFileSync } from "node:fs";
import { launch } from "../../tools/page/chromium.mjs";

const browser = await launch();
const told = {};
for (const { name, file } of JSON.parse(readFileSync(0, "utf8"))) {
  const page = await browser.newPage();
  await page.setViewport({ width: 900, height: 1200 });
  await page.goto(`file://${file}`);
  const pdf = Buffer.from(await page.pdf({ preferCSSPageSize: true, printBackground: true })).toString("latin1");
  const sides = [];
  for (const svg of await page.$$("main > svg:not(.defs)")) sides.push(await svg.screenshot({ encoding: "base64" }));
  told[name] = {
    pages: pdf.match(/\/Type ?\/Page\b/g).length,
    sizes: [...new Set(pdf.match(/\/MediaBox ?\[[^\]]*\]/g))].map((box) => box.match(/[\d.]+/g).map(Number)),
    sides,
  };
  await page.close();
}
await browser.close();
writeFileSync(process.argv[2], JSON.stringify(told));
