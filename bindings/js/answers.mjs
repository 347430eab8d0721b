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

const HELD = Symbol("held");
const MERGED = {
  enumerable: true,
  configurable: true,
  get() {
    const held = this[HELD];
    held.merged ??= listed(held.runs);
    return held.merged;
  },
};

/** What settle answers where it merged, as plain data. Most hosts pass the blocks over, so they are made when first
 * read: by one getter for all answers, for one for each would take longer. */
export function merges(runs, outcome) {
  const answer = {};
  Object.defineProperty(answer, HELD, { value: { runs, merged: null } });
  Object.defineProperty(answer, "merged", MERGED);
  answer.outcome = OUTCOMES[outcome];
  return answer;
}
