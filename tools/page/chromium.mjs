// Chromium for tests: `node chromium.mjs` unpacks it, `launch` starts it.
import { existsSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const FOLDER = fileURLToPath(new URL("node_modules/.chromium", import.meta.url));

// The package unpacks into TMPDIR and sets the paths of fonts and libraries below it when it is imported. It adds the
// libraries that Chromium needs only if it believes to run in this environment.
process.env.AWS_EXECUTION_ENV ??= "AWS_Lambda_nodejs24.x";
const { default: chromium } = await within(FOLDER, () => import("@sparticuz/chromium"));

/** Where fonts are: those of the package, which itself looks for them in /tmp, and those of the system. */
const FONTS = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir prefix="relative">fonts</dir><dir>/usr/share/fonts</dir><cachedir prefix="xdg">fontconfig</cachedir></fontconfig>
`;

/** Does something while TMPDIR is a folder, and returns its result. */
async function within(folder, act) {
  const before = process.env.TMPDIR;
  process.env.TMPDIR = folder;
  try {
    return await act();
  } finally {
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
  }
}

/** Unpacks Chromium if it is not there. Processes that do so at once, or are interrupted, leave a whole folder or none. */
async function unpack() {
  if (existsSync(FOLDER)) return;
  const part = mkdtempSync(`${FOLDER}-`);
  try {
    await within(part, () => chromium.executablePath());
    writeFileSync(join(part, "fonts", "fonts.conf"), FONTS);
    renameSync(part, FOLDER);
  } catch (error) {
    if (!existsSync(FOLDER)) throw error; // Another process was first.
  } finally {
    rmSync(part, { recursive: true, force: true });
  }
}

/** Returns the program to run: $CHROMIUM, or the one of the npm package. */
async function executable() {
  if (process.env.CHROMIUM) return process.env.CHROMIUM;
  await unpack();
  return within(FOLDER, () => chromium.executablePath());
}

/** Starts a headless Chromium that reaches this machine alone, and returns it. */
export async function launch() {
  const { default: puppeteer } = await import("puppeteer-core");
  const args = ["--no-sandbox", "--no-zygote", "--disable-gpu", "--font-render-hinting=none", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"];
  return puppeteer.launch({ executablePath: await executable(), headless: "shell", args });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await executable();
