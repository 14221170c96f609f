/** The hosts of the studio: a server on this machine, or Python in a worker. Both answer the same calls. */

/** @typedef {Record<string, any>} Data */
/**
 * `files` are those that a host that begins anew has to know.
 * @typedef {{ask: (call: string, fields?: Data) => Promise<any>, files: () => Record<string, string>}} StudioHost
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
  /** Asks for the answer to a call. @param {string} call @param {Data} fields */
  async ask(call, fields = {}) {
    let response;
    try {
      response = await fetch("ask", { method: "POST", body: JSON.stringify({ call, ...fields }) });
    } catch {
      throw new Refused("`rulesdsl studio` does not answer: start it again");
    }
    if (!response.ok) throw new Refused(`\`rulesdsl studio\` answers with ${response.status}`);
    return result(await response.json());
  }

  /** @returns {Record<string, string>} */
  files() {
    return {};
  }
}
