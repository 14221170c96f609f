// Opens pages in Chromium on a desktop, on a phone and as they are printed, and prints what does not fit:
// node overflow.mjs FILE...
import { launch } from "../../tools/page/chromium.mjs";

const SIZES = [
  ["desktop", 1280, 800, "screen"],
  ["phone", 390, 844, "screen"],
  ["A4", 673, 1009, "print"],
  ["letter", 695, 942, "print"],
];

/** Returns what reaches beyond the right edge and cannot be scrolled there, and what covers a neighbour. */
function beyond() {
  const wide = document.documentElement.clientWidth;
  const scrolls = (each) => {
    for (let outer = each.parentElement; outer; outer = outer.parentElement) {
      if (["auto", "scroll", "hidden"].includes(getComputedStyle(outer).overflowX)) return true;
    }
    return false;
  };
  return [...document.body.querySelectorAll("*")]
    .filter((each) => each.ownerSVGElement == null && each.getBoundingClientRect().right > wide + 1 && !scrolls(each))
    .slice(0, 5)
    .map((each) => `${each.tagName.toLowerCase()}.${each.className.baseVal ?? each.className}: ${each.textContent.trim().slice(0, 60)}`);
}

const browser = await launch();
const found = [];
for (const file of process.argv.slice(2)) {
  const page = await browser.newPage();
  page.on("pageerror", (error) => found.push(`${file}: ${error.message}`));
  page.on("request", (request) => !/^(file|data):/.test(request.url()) && found.push(`${file} requests ${request.url()}`));
  await page.goto(`file://${file}`);
  for (const [name, width, height, media] of SIZES) {
    await page.setViewport({ width, height });
    await page.emulateMediaType(media);
    found.push(...(await page.evaluate(beyond)).map((each) => `${file} ${name}: ${each}`));
  }
  await page.close();
}
await browser.close();
console.log(JSON.stringify(found));
