/** The worker of the studio without a server: Python, which answers the calls of the page. */

/** The first message has the files of Pyodide and the archive of the Python packages. @typedef {Record<string, Uint8Array>} Parts */

const NOWHERE = "https://offline.invalid/";
/** The size of a page of memory. */
const PAGE = 65_536;

/** @type {((text: string) => string) | null} */
let answer = null;

/** @param {Uint8Array} bytes @param {string} type */
const address = (bytes, type) => URL.createObjectURL(new Blob([/** @type {BlobPart} */ (bytes)], { type }));

/** @param {Uint8Array} bytes */
async function inflated(bytes) {
  const stream = new Blob([/** @type {BlobPart} */ (bytes)]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Gives the settings of a module so much memory that a snapshot fits, before Python takes it over. @param {any} settings @param {number} size */
function grown(settings, size) {
  const { instantiateWasm } = settings;
  settings.instantiateWasm = (/** @type {any} */ imports, /** @type {any} */ receive) =>
    instantiateWasm(imports, (/** @type {WebAssembly.Instance} */ instance, /** @type {WebAssembly.Module} */ module) => {
      const { memory } = /** @type {{memory: WebAssembly.Memory}} */ (/** @type {unknown} */ (instance.exports));
      memory.grow(Math.max(0, Math.ceil((size - memory.buffer.byteLength) / PAGE)));
      return receive(instance, module);
    });
  return settings;
}

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
  const { default: make } = await import(address(parts["pyodide.asm.mjs"], "text/javascript"));
  const { loadPyodide } = await import(address(parts["pyodide.mjs"], "text/javascript"));
  const snapshot = parts["snapshot.bin"] && (await inflated(parts["snapshot.bin"]));
  const lockFileContents = new TextDecoder().decode(parts["pyodide-lock.json"]);
  const python = await loadPyodide({
    createPyodideModule: (/** @type {any} */ settings) => make(snapshot ? grown(settings, snapshot.length) : settings),
    ...(snapshot ? { _loadSnapshot: snapshot } : {}),
    indexURL: NOWHERE, lockFileContents, env: { PYTHONHASHSEED: "0" }, stdout: () => {}, stderr: () => {},
  });
  performance.mark("python");
  const packages = python.runPython("import site; site.getsitepackages()[0]");
  python.unpackArchive(parts["rulesdsl.zip"], "zip", { extractDir: packages });
  python.FS.mkdirTree("/project");
  performance.mark("unpacked");
  answer = python.runPython("import importlib; importlib.invalidate_caches(); from rulesdsl.studio import browser; browser.answer");
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
