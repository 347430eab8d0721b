/* What settle and wanted answer. Rule: blocks become objects only where somebody reads them. */

import { NUMBERS_A_RUN } from "./core.mjs";

const OUTCOMES = ["fits", "settled", "stuck"];
export const NONE = Object.freeze([]);

/** What settle answers when it merges nothing, by the number of the outcome. */
export const IDLE = OUTCOMES.map((outcome) => Object.freeze({ merged: NONE, outcome }));

/** The blocks of some runs. */
export function listed(runs) {
  let count = 0;
  for (let index = 2; index < runs.length; index += NUMBERS_A_RUN) count += runs[index];
  const blocks = new Array(count);
  for (let index = 0, at = 0; index < runs.length; index += NUMBERS_A_RUN) {
    const size = runs[index + 1];
    let start = runs[index];
    for (const stop = at + runs[index + 2]; at < stop; at++, start += size) blocks[at] = { start, size };
  }
  return blocks;
}

/** Its objects are plain ones, in which a class that extends it can keep something private. */
class Plain {
  constructor() {
    return {};
  }
}

/** What settle answers where it merged. Most hosts pass the blocks over, so they are made when first read: by one getter
 * for all answers, which takes a third of the time that one for each would. */
export class Merges extends Plain {
  #runs;
  #merged = null;

  static #MERGED = {
    enumerable: true,
    configurable: true,
    get() {
      this.#merged ??= listed(this.#runs);
      return this.#merged;
    },
  };

  constructor(runs, outcome) {
    super();
    this.#runs = runs;
    Object.defineProperty(this, "merged", Merges.#MERGED);
    this.outcome = OUTCOMES[outcome];
  }
}
