// The same life as `native life` of native.c, on the WebAssembly core: node native.mjs CLOSES BUDGET
import { Cover, load } from "../bindings/js/foldcover.mjs";

let wroteFor = 0; // milliseconds

/** Write what is wanted, round by round, on the clock; settle. What that left. */
function edit(cover, budget) {
  const since = performance.now();
  for (let asked = cover.wanted(budget); asked.length > 0; asked = cover.wanted(budget))
    for (const block of asked) cover.write(block, 1);
  wroteFor += performance.now() - since;
  cover.settle(budget);
  return cover.weight;
}

function live(cover, closes, budget) {
  let shown = 0; // what the lines weigh
  for (let unit = 0; unit < closes; unit++) {
    cover.close(1);
    shown += 1;
    if (shown > budget) shown = edit(cover, budget);
    else cover.settle(budget);
  }
}

const [closes, budget] = process.argv.slice(2).map(Number);
const core = await load();
// The engine compiles what is called often, while it is called, and more than once: that is not measured.
for (let early = 0; early < 10; early++) live(new Cover(core), closes / 50, budget);
wroteFor = 0;
const cover = new Cover(core);
const start = performance.now();
live(cover, closes, budget);
const all = performance.now() - start;
const each = 1e6 / closes; // nanoseconds a close
console.log(JSON.stringify({ ns: (all - wroteFor) * each, host_ns: wroteFor * each, lines: cover.lines }));
