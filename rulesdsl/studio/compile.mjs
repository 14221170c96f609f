// Compiles the Python files of an archive by Pyodide, so that a browser starts faster: node compile.mjs PYODIDE < ARCHIVE > ARCHIVE.
// The sources of the runtime stay, because the engines read them.
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const PROGRAM = `
import io, os, py_compile, site, zipfile
root = site.getsitepackages()[0]
made = io.BytesIO()
with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as out:
    for place, folders, files in sorted(os.walk(root)):
        for file in sorted(files):
            path, name = os.path.join(place, file), os.path.relpath(os.path.join(place, file), root)
            read = name.startswith("rulesdsl/runtime/")
            if file.endswith(".py") and not read:
                mode = py_compile.PycInvalidationMode.UNCHECKED_HASH
                path, name = py_compile.compile(path, "/made.pyc", dfile=name, doraise=True, invalidation_mode=mode), name + "c"
            out.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), open(path, "rb").read(), zipfile.ZIP_DEFLATED, 9)
made.getvalue()
`;

const parts = [];
for await (const part of process.stdin) parts.push(part);
const folder = process.argv[2];
const { loadPyodide } = await import(pathToFileURL(join(folder, "pyodide.mjs")).href);
const python = await loadPyodide({ indexURL: `${folder}/` });
const packages = python.runPython("import site; site.getsitepackages()[0]");
python.unpackArchive(new Uint8Array(Buffer.concat(parts)), "zip", { extractDir: packages });
process.stdout.write(python.runPython(PROGRAM).toJs());
