// Follows the links of an index to the studio in Chromium, and says what opens: node browser.mjs OUT < tasks.
import { readFileSync, writeFileSync } from "node:fs";
import { launch } from "../../tools/page/chromium.mjs";

const browser = await launch();
const told = {};
for (const { name, file } of JSON.parse(readFileSync(0, "utf8"))) {
  const page = await browser.newPage();
  const errors = [];
  page.on("pageerror", (error) => errors.push(error.message));
  page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
  const shown = async () => {
    await page.waitForSelector("html[data-ready]", { timeout: 90_000 });
    return page.evaluate(() => ({
      files: globalThis.studio.files, main: document.querySelector("#main").value,
      state: document.querySelector("#state").textContent, note: document.querySelector("#note").textContent,
      ids: globalThis.studio.plan?.rulesets.map(({ id }) => id),
    }));
  };
  await page.goto(`file://${file}`);
  await page.click("a[href*='#']");
  const first = await shown();
  await page.reload({ ignoreCache: true });
  told[name] = { first, again: await shown(), errors };
  await page.close();
}
await browser.close();
writeFileSync(process.argv[2], JSON.stringify(told));
