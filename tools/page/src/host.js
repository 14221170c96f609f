/** The page's side of the worker: calls with answers, and a deadline that starts a new worker. */

import { lacking } from "./dom.js";
import { worker } from "./studio/trusted.js";

/** Milliseconds after which a call is given up. */
const DEADLINE = 20_000;

export class Host {
  /** @param {string} code the program of the worker @param {any} loaded what a new worker is given */
  constructor(code, loaded) {
    this.code = code;
    this.loaded = loaded;
    /** @type {Map<number, {resolve: (result: any) => void, reject: (error: Error) => void, timer: number}>} */
    this.waiting = new Map();
    this.next = 0;
    this.begin();
  }

  begin() {
    this.worker = worker(this.code, "worker");
    this.worker.addEventListener("message", (event) => this.answered(event.data));
    this.worker.addEventListener("error", (event) => lacking(event.message || "Worker"));
    void this.call("load", this.loaded);
  }

  /** @param {{id: number, result: any, error?: string}} answer */
  answered({ id, result, error }) {
    const call = this.waiting.get(id);
    if (!call) return;
    this.waiting.delete(id);
    clearTimeout(call.timer);
    if (error === undefined) call.resolve(result);
    else call.reject(new Error(error));
  }

  /** Calls the worker; rejects with the message of a fault. @param {string} call @param {any} given @returns {Promise<any>} */
  call(call, given = {}) {
    const id = this.next++;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => this.stop(), DEADLINE);
      this.waiting.set(id, { resolve, reject, timer: Number(timer) });
      this.worker?.postMessage({ id, call, given });
    });
  }

  /** Ends the worker and starts a new one; all calls fail. */
  stop() {
    this.worker?.terminate();
    const calls = [...this.waiting.values()];
    this.waiting.clear();
    this.begin();
    for (const { reject, timer } of calls) {
      clearTimeout(timer);
      reject(new Error("timeout"));
    }
  }
}
