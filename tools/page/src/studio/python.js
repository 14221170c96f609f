/** The worker of the studio without a server: Python, which answers the calls of the page. */

/** The first message has the files of Pyodide and the archive of the Python packages. @typedef {Omit<import("./worker_host.js").Parts, "source">} Parts */

/** What rules have no use for, taken away so that nothing can be kept or sent. */
const OUTSIDE = ["indexedDB", "caches", "WebSocket", "EventSource", "XMLHttpRequest", "BroadcastChannel", "Worker", "importScripts", "WebTransport"];
const NOWHERE = "https://offline.invalid/";
/** The size of a page of memory. */
const PAGE = 65_536;

/** @type {((text: string) => string) | null} */
let answer = null;

/** @param {Uint8Array} bytes @param {string} type */
const address = (bytes, type) => URL.createObjectURL(new Blob([/** @type {BlobPart} */ (bytes)], { type }));

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
  const own = /** @type {Record<string, BodyInit>} */ ({ "pyodide.asm.wasm": "", "python_stdlib.zip": parts.files["python_stdlib.zip"] });
  globalThis.fetch = async (asked) => {
    const name = String(asked instanceof Request ? asked.url : asked).split("/").pop() ?? "";
    if (own[name] === undefined) throw new TypeError("there is no network here");
    return new Response(own[name]);
  };
  // The page has compiled the module.
  WebAssembly.instantiateStreaming = async (_, imports) => ({ module: parts.module, instance: await WebAssembly.instantiate(parts.module, imports) });
  const { default: make } = await import(address(parts.files["pyodide.asm.mjs"], "text/javascript"));
  const { loadPyodide } = await import(address(parts.files["pyodide.mjs"], "text/javascript"));
  const snapshot = parts.files["snapshot.bin"];
  const lockFileContents = new TextDecoder().decode(parts.files["pyodide-lock.json"]);
  const python = await loadPyodide({
    createPyodideModule: (/** @type {any} */ settings) => make(snapshot ? grown(settings, snapshot.length) : settings),
    ...(snapshot ? { _loadSnapshot: snapshot } : {}),
    indexURL: NOWHERE, lockFileContents, env: { PYTHONHASHSEED: "0" }, stdout: () => {}, stderr: () => {},
  });
  performance.mark("python");
  const packages = python.runPython("import site; site.getsitepackages()[0]");
  python.unpackArchive(parts.files["rulesdsl.zip"], "zip", { extractDir: packages });
  python.FS.mkdirTree("/project");
  performance.mark("unpacked");
  answer = python.runPython("import importlib; importlib.invalidate_caches(); from rulesdsl.author.studio import browser; browser.answer");
  for (const name of OUTSIDE) Object.defineProperty(globalThis, name, { value: undefined });
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
