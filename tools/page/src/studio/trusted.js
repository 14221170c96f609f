/** Workers and markup of the page's own code, as its content policy wants them. */

/** @type {any} */
let policy = null;

function own() {
  const types = /** @type {any} */ (globalThis).trustedTypes;
  const same = (/** @type {string} */ text) => text;
  policy ??= types ? types.createPolicy("studio", { createScriptURL: same, createHTML: same }) : { createScriptURL: same, createHTML: same };
  return policy;
}

/** Returns a worker that runs a program of the page. @param {string} code */
export function worker(code) {
  return new Worker(own().createScriptURL(URL.createObjectURL(new Blob([code], { type: "text/javascript" }))));
}

/** Returns markup of the page. @param {string} markup */
export function markup(markup) {
  return own().createHTML(markup);
}
