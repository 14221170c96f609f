// Makes a snapshot of Python's memory, in which all packages are imported and the first example was opened, so that a
// browser starts faster: node snapshot.mjs PYODIDE < ARCHIVE > SNAPSHOT. It is deflated, and the same each time.
import crypto from "node:crypto";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { deflateSync } from "node:zlib";

// Neither the clock nor chance is part of the snapshot.
Date.now = () => 315_532_800_000;
performance.now = () => 0;
globalThis.crypto.getRandomValues = (array) => array.fill(0);
crypto.randomFillSync = (array) => array.fill(0);

const parts = [];
for await (const part of process.stdin) parts.push(part);
const folder = process.argv[2];
const { loadPyodide } = await import(pathToFileURL(join(folder, "pyodide.mjs")).href);
const python = await loadPyodide({ indexURL: `${folder}/`, env: { PYTHONHASHSEED: "0" }, _makeSnapshot: true });
const packages = python.runPython("import site; site.getsitepackages()[0]");
python.unpackArchive(new Uint8Array(Buffer.concat(parts)), "zip", { extractDir: packages });
python.runPython("import importlib; importlib.invalidate_caches(); from rulesdsl.author.studio import browser; browser.rehearse()");
process.stdout.write(deflateSync(python.makeMemorySnapshot(), { level: 6 }));
