// The same life as `native life` of native.c, on the WebAssembly core: node native.mjs CLOSES BUDGET
import { Cover, load } from "../bindings/js/foldcover.mjs";

/** Write all that is wanted, round by round. */
function writeWanted(cover, budget) {
  for (let asked = cover.wanted(budget); asked.length > 0; asked = cover.wanted(budget))
    for (const block of asked) cover.write(block, 1);
}

/** Close so many units, and settle after each. How long the writing took, in milliseconds. */
function live(cover, closes, budget) {
  let [shown, wroteFor] = [0, 0];
  for (let unit = 0; unit < closes; unit++) {
    cover.close(1);
    shown += 1;
    if (shown > budget) {
      const since = performance.now();
      writeWanted(cover, budget);
      wroteFor += performance.now() - since;
      cover.settle(budget);
      shown = cover.weight;
    } else {
      cover.settle(budget);
    }
  }
  return wroteFor;
}

const [closes, budget] = process.argv.slice(2).map(Number);
const cover = new Cover(await load());
const start = performance.now();
const wroteFor = live(cover, closes, budget);
const all = performance.now() - start;
const each = 1e6 / closes;
console.log(JSON.stringify({ ns: (all - wroteFor) * each, host_ns: wroteFor * each, lines: cover.lines }));
