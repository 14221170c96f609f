/** The hosts of the studio: a server on this machine, or Python in a worker. Both answer the same calls. */

/** @typedef {Record<string, any>} Data */
/**
 * `files` are those that a host that begins anew has to know, and `begun` is how often it has. `alone` returns the studio
 * as one HTML file.
 * @typedef {{ask: (call: string, fields?: Data) => Promise<any>, files: () => Record<string, string>, begun: number,
 *   alone: (boot: import("./main.js").Boot) => Promise<string>}} StudioHost
 */

/** The reason why the host did not answer, for the person at the page. */
export class Refused extends Error {}

/** Returns the result of an answer, or throws its reason. @param {Data} answer */
export function result(answer) {
  if (typeof answer.error === "string") throw new Refused(answer.error);
  return answer.result;
}

/** `rulesdsl studio`, at the address from which the page came. @implements {StudioHost} */
export class ServerHost {
  begun = 0;

  /** Asks for the answer to a call. @param {string} call @param {Data} fields */
  async ask(call, fields = {}) {
    const response = await this.post("ask", JSON.stringify({ call, ...fields }));
    return result(await response.json());
  }

  /** @param {string} name @param {string} body */
  async post(name, body) {
    let response;
    try {
      response = await fetch(name, { method: "POST", body });
    } catch {
      throw new Refused("`rulesdsl studio` does not answer: start it again");
    }
    if (response.ok) return response;
    throw new Refused((await response.text()) || `\`rulesdsl studio\` answers with ${response.status}`);
  }

  async alone() {
    return (await this.post("alone", "")).text();
  }

  /** @returns {Record<string, string>} */
  files() {
    return {};
  }
}
