/** The worker of the studio without a server: Python, which answers the calls of the page. */

/** The first message has the files of Pyodide and the archive of the Python packages. @typedef {Record<string, Uint8Array>} Parts */

const NOWHERE = "https://offline.invalid/";
const START = `
import json, os, sys
os.environ["RULESDSL_NO_CACHE"] = "1"
os.makedirs("/project", exist_ok=True)
from rulesdsl.studio.project import Project
from rulesdsl.studio.session import Session
session = Session(Project("/project"), saves=False)
def answer(text):
    return json.dumps(session.answer(json.loads(text)))
answer
`;

/** @type {((text: string) => string) | null} */
let answer = null;

/** @param {Uint8Array} bytes @param {string} type */
const address = (bytes, type) => URL.createObjectURL(new Blob([/** @type {BlobPart} */ (bytes)], { type }));

/** Starts Python from the bytes of its files; nothing is fetched. @param {Parts} parts */
async function start(parts) {
  const own = /** @type {Record<string, () => Response>} */ ({
    "pyodide.asm.wasm": () => new Response(/** @type {BodyInit} */ (parts["pyodide.asm.wasm"]), { headers: { "content-type": "application/wasm" } }),
    "python_stdlib.zip": () => new Response(/** @type {BodyInit} */ (parts["python_stdlib.zip"])),
  });
  globalThis.fetch = async (asked) => {
    const name = String(asked instanceof Request ? asked.url : asked).split("/").pop() ?? "";
    if (!own[name]) throw new TypeError("there is no network here");
    return own[name]();
  };
  const { default: createPyodideModule } = await import(address(parts["pyodide.asm.mjs"], "text/javascript"));
  const { loadPyodide } = await import(address(parts["pyodide.mjs"], "text/javascript"));
  const lockFileContents = new TextDecoder().decode(parts["pyodide-lock.json"]);
  const python = await loadPyodide({ createPyodideModule, indexURL: NOWHERE, lockFileContents, stdout: () => {}, stderr: () => {} });
  performance.mark("python");
  const packages = python.runPython("import site; site.getsitepackages()[0]");
  python.unpackArchive(parts["rulesdsl.zip"], "zip", { extractDir: packages });
  performance.mark("unpacked");
  answer = python.runPython(START);
  performance.mark("imported");
}

addEventListener("message", async ({ data }) => {
  try {
    if (data.parts) {
      await start(data.parts);
      postMessage({ ready: performance.getEntriesByType("mark").map(({ name, startTime }) => [name, startTime]) });
    } else postMessage({ id: data.id, answer: /** @type {(text: string) => string} */ (answer)(data.text) });
  } catch (error) {
    postMessage({ id: data.id, failed: error instanceof Error ? `${error.message}` : String(error) });
  }
});
