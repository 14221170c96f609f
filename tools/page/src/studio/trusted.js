/** Workers and markup of the page's own code, as its content policy wants them. */

/** @type {any} */
let policy = null;

/** @param {string} name of the policy */
function own(name) {
  const same = (/** @type {string} */ text) => text;
  const rules = { createScriptURL: same, createHTML: same };
  policy ??= /** @type {any} */ (globalThis).trustedTypes?.createPolicy(name, rules) ?? rules;
  return policy;
}

/** Returns a worker that runs a program of the page. @param {string} code @param {string} name of the page's policy */
export function worker(code, name = "studio") {
  return new Worker(own(name).createScriptURL(URL.createObjectURL(new Blob([code], { type: "text/javascript" }))));
}

/** Returns markup of the page. @param {string} markup */
export function markup(markup) {
  return own("studio").createHTML(markup);
}
