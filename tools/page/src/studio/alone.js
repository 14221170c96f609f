/** The studio as one HTML file that carries a project: made of the page itself, with Python inside. */

/** @import { Parts } from "./worker_host.js" */
/** @typedef {import("./main.js").Boot} Boot */

/** The id of the element that holds a project, as a link has it. */
export const CARRIED = "carried";
const BLOCK = '<script type="application/octet-stream"';

/** Returns an element that holds data in base64. @param {string} id @param {string} text */
const block = (id, text) => `${BLOCK} id="${id}">${text}</script>`;

/** Returns a page with a project in it. @param {string} page @param {string} project */
export function carrying(page, project) {
  const at = page.indexOf(BLOCK);
  return new Blob([page.slice(0, at), block(CARRIED, project), "\n", page.slice(at)], { type: "text/html" });
}

/** Returns bytes in base64. @param {Blob} blob @returns {Promise<string>} */
function encoded(blob) {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener("load", () => resolve(String(reader.result).split(",")[1] ?? ""));
    reader.addEventListener("error", () => reject(reader.error));
    reader.readAsDataURL(blob);
  });
}

/** @param {Blob} blob */
async function deflated(blob) {
  return encoded(await new Response(blob.stream().pipeThrough(new CompressionStream("deflate"))).blob());
}

/**
 * Returns this page as one file, with Python from its elements, or from the files beside the page.
 * @param {Boot} boot @param {Parts} parts
 */
export async function alone(boot, parts) {
  const inside = (/** @type {string} */ id) => document.getElementById(id)?.textContent ?? "";
  const blocks = [block("boot", await deflated(new Blob([JSON.stringify({ ...boot, host: "single" })])))];
  for (const id of ["page", "playouts", "python"]) blocks.push(block(id, inside(id)));
  for (const name of boot.python) {
    const id = `python-${name}`;
    blocks.push(block(id, inside(id) || (await deflated(parts.source.get(name) ?? new Blob([parts.files[name]])))));
  }
  const policy = document.querySelector("meta[http-equiv]")?.getAttribute("content") ?? "";
  const values = /** @type {Record<string, string>} */ ({
    policy: policy.replace("; connect-src 'self'", ""),
    style: document.querySelector("style:not([nonce])")?.textContent ?? "",
    script: document.querySelector("script:not([type])")?.textContent ?? "",
    data: blocks.join("\n"),
  });
  return boot.template.replace(/\{\{(\w+)\}\}/g, (_, name) => values[name]);
}
