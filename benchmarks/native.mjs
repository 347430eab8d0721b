// The same life as `native life` of native.c, on the WebAssembly core: node native.mjs CLOSES BUDGET
import { Cover, load } from "../bindings/js/foldcover.mjs";

const [closes, budget] = process.argv.slice(2).map(Number);
const cover = new Cover(await load());
let host = 0;
const start = process.hrtime.bigint();
for (let unit = 0; unit < closes; unit++) {
  cover.close(1);
  if (cover.weight > budget) {
    const since = process.hrtime.bigint();
    for (let asked = cover.wanted(budget); asked.length > 0; asked = cover.wanted(budget))
      for (const block of asked) cover.write(block, 1);
    host += Number(process.hrtime.bigint() - since);
  }
  cover.settle(budget);
}
const all = Number(process.hrtime.bigint() - start);
console.log(JSON.stringify({ ns: (all - host) / closes, host_ns: host / closes, lines: cover.lines }));
