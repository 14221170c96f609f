/** The host without a server: Python in a worker, which is ended and begun anew when it takes too long. */

import { alone } from "./alone.js";
import { Refused, result } from "./host.js";
import { worker as begin } from "./trusted.js";

/** @import { StudioHost } from "./host.js" */

/** The module of Python, its other files by name, and what the module was made of. @typedef {{module: WebAssembly.Module, files: Record<string, Uint8Array<ArrayBuffer>>, source: Map<string, Blob>}} Parts */

/** Milliseconds after which a call is given up. Calls that end by themselves do so earlier. */
const DEADLINE = 20_000;

/** @implements {StudioHost} */
export class WorkerHost {
  /** Starts Python. @param {string} code the program of the worker @param {Parts} parts the files of Python @returns {Promise<WorkerHost>} */
  static async begin(code, parts) {
    const host = new WorkerHost(code, parts);
    await host.ready;
    return host;
  }

  /** @param {string} code @param {Parts} parts */
  constructor(code, parts) {
    this.code = code;
    this.parts = parts;
    this.deadline = DEADLINE;
    this.next = 0;
    this.begun = 0;
    /** @type {Map<number, {resolve: (answer: string) => void, reject: (error: Error) => void, timer: number}>} */
    this.waiting = new Map();
    this.ready = this.start();
  }

  /** @returns {Promise<void>} */
  start() {
    const worker = begin(this.code);
    this.worker = worker;
    const begun = performance.now();
    return new Promise((resolve, reject) => {
      worker.addEventListener("error", (event) => reject(new Refused(`Python does not start: ${event.message}`)));
      worker.addEventListener("message", ({ data }) => {
        if (data.ready) {
          for (const [name, at] of data.ready) performance.measure(name, { start: begun, duration: at });
          return resolve();
        }
        const call = this.waiting.get(data.id);
        if (!call) return data.failed === undefined ? undefined : reject(new Refused(`Python does not start: ${data.failed}`));
        this.waiting.delete(data.id);
        clearTimeout(call.timer);
        if (data.failed === undefined) call.resolve(data.answer);
        else call.reject(new Refused(data.failed));
      });
      const { module, files } = this.parts;
      worker.postMessage({ parts: { module, files } });
    });
  }

  /** Asks for the answer to a call. @param {string} call @param {Record<string, any>} fields @returns {Promise<any>} */
  async ask(call, fields = {}) {
    await this.ready;
    return this.post(call, fields);
  }

  /** Asks a worker that may not know the files yet. @param {string} call @param {Record<string, any>} fields @returns {Promise<any>} */
  async post(call, fields) {
    const id = this.next++;
    /** @type {string} */
    const answer = await new Promise((resolve, reject) => {
      const timer = Number(setTimeout(() => this.stop(), this.deadline));
      this.waiting.set(id, { resolve, reject, timer });
      this.worker?.postMessage({ id, text: JSON.stringify({ call, ...fields }) });
    });
    return result(JSON.parse(answer));
  }

  /** Ends Python and starts it anew; all calls fail. */
  stop() {
    this.begun++;
    this.worker?.terminate();
    const calls = [...this.waiting.values()];
    this.waiting.clear();
    this.ready = this.start().then(() => this.post("load", { files: this.files() }));
    this.ready.catch(() => {});
    for (const { reject, timer } of calls) {
      clearTimeout(timer);
      reject(new Refused("the rules did not end in time: they were stopped"));
    }
  }

  /** @returns {Record<string, string>} */
  files() {
    return {};
  }

  /** Returns the studio as one file. @param {import("./main.js").Boot} boot */
  alone(boot) {
    return alone(boot, this.parts);
  }
}
