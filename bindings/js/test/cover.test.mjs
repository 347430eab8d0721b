/* What a Cover does where it is used as it should be. */

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";

import { Cover, load } from "../foldcover.mjs";

const core = await load();
const WASM = new URL("../foldcover.wasm", import.meta.url);

/** Close a unit and settle, every wanted line written; what was written, and what settle did. */
function keep(cover, budget, weight = 1) {
  const written = [];
  cover.close(weight);
  for (let asked; (asked = cover.wanted(budget)).length > 0;) {
    for (const block of asked) {
      assert.equal(cover.write(block), true);
      written.push(block);
    }
  }
  return { written, ...cover.settle(budget) };
}

const kept = (cover, closes, budget) => Array.from({ length: closes }, () => keep(cover, budget));
const sorted = (blocks) => [...blocks].sort((one, other) => one.size - other.size || one.start - other.start);
const pairs = (blocks) => blocks.map(({ start, size }) => [start, size]);

test("budget 8, nine closes: four lines, five written, one edit", () => {
  const cover = new Cover(core);
  const steps = kept(cover, 9, 8);
  assert.deepEqual(pairs(cover.cover()), [
    [0, 4],
    [4, 2],
    [6, 2],
    [8, 1],
  ]);
  assert.deepEqual(pairs(steps.flatMap(({ written }) => written)), [
    [0, 2],
    [2, 2],
    [4, 2],
    [6, 2],
    [0, 4],
  ]);
  assert.deepEqual(steps.filter(({ merged }) => merged.length > 0).length, 1);
  assert.deepEqual(
    steps.map(({ outcome }) => outcome),
    [...Array(8).fill("fits"), "settled"],
  );
  assert.deepEqual([cover.units, cover.lines, cover.weight], [9, 4, 4]);
});

test("budget 3, seven closes: stuck", () => {
  const cover = new Cover(core);
  const last = kept(cover, 7, 3).at(-1);
  assert.deepEqual(pairs(cover.cover()), [
    [0, 4],
    [4, 2],
    [6, 1],
  ]);
  assert.equal(last.outcome, "stuck");
});

test("fifteen closes: the coarsest view has four lines", () => {
  const cover = new Cover(core);
  kept(cover, 15, 0);
  assert.deepEqual(pairs(cover.cover()), [
    [0, 8],
    [8, 4],
    [12, 2],
    [14, 1],
  ]);
});

test("a block is written once, and only where it is a Split", () => {
  const cover = new Cover(core);
  for (let unit = 0; unit < 3; unit++) cover.close();
  assert.equal(cover.write({ start: 0, size: 2 }, 5), true);
  assert.equal(cover.write({ start: 0, size: 2 }, 6), false);
  for (const [start, size] of [
    [0, 1],
    [1, 2],
    [0, 4],
    [-2, 2],
    [0, 0],
    [0, -2],
    [2 ** 52, 2 ** 52],
  ]) {
    assert.equal(cover.write({ start, size }), false);
  }
  assert.deepEqual(cover.save(), [{ leaf: 1 }, { split: [{ leaf: 1 }, { leaf: 1 }, 5] }]);
});

test("zoom reads the units of a range inside the view", () => {
  const cover = new Cover(core);
  for (let unit = 0; unit < 5; unit++) cover.close();
  assert.deepEqual(pairs(cover.zoom({ start: 2, size: 3 })), [
    [2, 1],
    [3, 1],
    [4, 1],
  ]);
  for (const [start, size] of [
    [2, 4],
    [-1, 2],
    [0, 0],
    [0, -1],
    [6, 1],
    [2 ** 53 - 1, 2 ** 53 - 1],
  ]) {
    assert.deepEqual(cover.zoom({ start, size }), []);
  }
});

test("what was saved can be loaded, in another core too", async () => {
  const view = [
    { leaf: -3 },
    { split: [{ split: [{ leaf: 1 }, { leaf: 2 }, 7] }, { merged: [2, 2 ** 52] }, null] },
    { merged: [2 ** 40, 2 ** 40 + 1] },
  ];
  const cover = new Cover(await load());
  cover.close();
  cover.load(view);
  assert.deepEqual(cover.save(), view);
  assert.equal(cover.units, 2 ** 40 + 5);
  assert.equal(cover.weight, 2 ** 52 + 2 ** 40 + 1);
  assert.deepEqual(pairs(cover.cover()), [
    [0, 2 ** 40],
    [2 ** 40, 1],
    [2 ** 40 + 1, 1],
    [2 ** 40 + 2, 2],
    [2 ** 40 + 4, 1],
  ]);
  cover.reset();
  assert.deepEqual(cover.save(), []);
});

test("a rank can be a function", () => {
  const [named, own] = [new Cover(core), new Cover(core)];
  const smallest = (one, other) => (one.size !== other.size ? one.size < other.size : one.start < other.start);
  for (let unit = 0; unit < 300; unit++) {
    for (const cover of [named, own]) cover.close((unit % 5) + 1);
    assert.deepEqual(own.wanted(40, smallest), named.wanted(40));
    for (const block of named.wanted(40)) for (const cover of [named, own]) cover.write(block, 2);
    assert.deepEqual(own.settle(40, smallest), named.settle(40));
    assert.deepEqual(own.save(), named.save());
  }
  const pair = { split: [{ leaf: 1 }, { leaf: 1 }, 1] };
  own.load([{ split: [pair, pair, null] }]);
  const heard = [];
  own.settle(3, (one, other, units) => {
    heard.push(units);
    return one.start > other.start;
  });
  assert.deepEqual(pairs(own.cover()), [
    [0, 2],
    [2, 2],
  ]);
  assert.ok(heard.every((units) => units === 4) && heard.length > 0);
});

test("what settle answers is plain data, whenever it is read", () => {
  const cover = new Cover(core);
  kept(cover, 8, 8);
  const settled = keep(cover, 8);
  const early = cover.settle(0, "age_over_size");
  const merged = [
    { start: 0, size: 2 },
    { start: 2, size: 2 },
    { start: 4, size: 2 },
    { start: 6, size: 2 },
    { start: 0, size: 4 },
  ];
  cover.close();
  cover.write({ start: 8, size: 2 });
  const late = cover.settle(4);
  kept(cover, 2000, 50);
  assert.deepEqual([settled.merged, early.merged, late.merged], [merged, [], [{ start: 8, size: 2 }]]);
  assert.deepEqual({ ...late }, { merged: [{ start: 8, size: 2 }], outcome: "stuck" });
  assert.equal(JSON.stringify(late), '{"merged":[{"start":8,"size":2}],"outcome":"stuck"}');
  assert.equal(late.merged, late.merged);
  assert.throws(() => {
    late.merged = [];
  }, TypeError);
  const again = [new Proxy(late, {}), Object.create(late), structuredClone(late), Object.freeze(late)];
  for (const { merged: seen, outcome } of again) assert.deepEqual([seen, outcome], [late.merged, "stuck"]);
});

test("blocks far apart, of any size, come out as they are", () => {
  const cover = new Cover(core);
  const bit = (power) => ({ merged: [2 ** power, 1] });
  const pairAt = (power) => ({ split: [bit(power), bit(power), 1] });
  cover.load([pairAt(3), pairAt(30), pairAt(31), { split: [pairAt(39), pairAt(39), null] }]);
  const expected = [
    [2 ** 41 + 2 ** 32 + 2 ** 31, 2 ** 4],
    [2 ** 41 + 2 ** 32, 2 ** 31],
    [2 ** 41, 2 ** 32],
    [0, 2 ** 40],
    [2 ** 40, 2 ** 40],
  ];
  assert.deepEqual(pairs(cover.settle(0).merged), expected);
});

test("the weight is what the shown lines weigh, small or large", () => {
  const cover = new Cover(core);
  let [weight, dice] = [0, 1];
  const roll = () => (dice = (dice * 48271) % 2147483647);
  const weigh = (view) => view.reduce((sum, tree) => sum + ofTree(tree), 0);
  const ofTree = ({ leaf, merged, split }) => leaf ?? (merged ? merged[1] : weigh(split.slice(0, 2)));
  for (let unit = 0; unit < 1500; unit++) {
    const title = (roll() - 2 ** 30) * (unit % 3 === 0 ? 1 : 2 ** 9);
    cover.close(title);
    weight += title;
    assert.equal(cover.weight, weight);
    if (unit % 50 !== 49) continue;
    const budget = roll() * (unit % 100 === 49 ? 1 : 100);
    for (const block of cover.wanted(budget)) cover.write(block, roll() * 2);
    const fits = weight <= budget;
    assert.equal(cover.settle(budget).outcome === "fits", fits);
    weight = weigh(cover.save());
    assert.equal(cover.weight, weight);
  }
});

test("the memory grows past many pages, and the covers beside it live on", () => {
  const [first, large] = [new Cover(core), new Cover(core)];
  for (let unit = 0; unit < 3; unit++) first.close(7);
  const before = first.save();
  const pages = core.call.memory.buffer.byteLength / 65536;
  for (let unit = 0; unit < 300_000; unit++) large.close(unit);
  assert.ok(core.call.memory.buffer.byteLength / 65536 > pages + 100);
  assert.deepEqual(first.save(), before);
  assert.equal(large.lines, 300_000);
  assert.equal(large.weight, (300_000 * 299_999) / 2);
  const blocks = large.cover();
  assert.ok(blocks.every(({ start, size }, index) => start === index && size === 1));
  const merged = [];
  for (let asked; (asked = large.wanted(0)).length > 0;)
    for (const block of asked) merged.push(large.write(block) && block);
  const settled = large.settle(0);
  assert.deepEqual(sorted(settled.merged), sorted(merged));
  assert.equal(settled.merged.length, 300_000 - 8);
  assert.equal(settled.outcome, "stuck");
  const sizes = Array.from({ length: 19 }, (_, bit) => 2 ** (18 - bit)).filter((size) => 300_000 & size);
  assert.deepEqual(
    large.cover().map(({ size }) => size),
    sizes,
  );
});

test("addresses above 2^31 are addresses like others", async () => {
  const own = await load();
  for (let count = 0; count < 2; count++) assert.notEqual(own.call.take(2 ** 30), 0); // never touched
  const [high, low] = [new Cover(own), new Cover(core)];
  for (let unit = 0; unit < 1000; unit++) assert.deepEqual(keep(high, 300), keep(low, 300));
  assert.deepEqual(high.save(), low.save());
  assert.deepEqual(high.cover(), low.cover());
  const newest = (one, other) => one.start > other.start;
  assert.deepEqual(high.settle(10, newest), low.settle(10, newest));
  high.load(high.save());
  assert.deepEqual(high.save(), low.save());
  high.free();
  assert.equal(new Cover(own).units, 0);
});

test("memory that was freed is taken again", async () => {
  const own = await load();
  const fill = () => {
    const cover = new Cover(own);
    for (let unit = 0; unit < 20_000; unit++) keep(cover, 15_000);
    cover.free();
    return own.call.memory.buffer.byteLength;
  };
  const once = fill();
  for (let round = 0; round < 5; round++) assert.equal(fill(), once);
});

test("what is read and loaded leaves no memory behind", async () => {
  const own = await load();
  const cover = new Cover(own);
  for (let unit = 0; unit < 1000; unit++) cover.close();
  for (let start = 0; start < 1000; start += 2) cover.write({ start, size: 2 });
  const view = cover.save();
  const use = () => {
    cover.cover();
    cover.load(view);
    cover.settle(999, () => true);
    cover.load(view);
    assert.throws(() => cover.settle(0, () => 1), TypeError);
    return own.call.memory.buffer.byteLength;
  };
  const once = use();
  for (let round = 0; round < 100; round++) assert.equal(use(), once);
});

test("a source can be bytes, a view on them or a compiled module", async () => {
  const bytes = await readFile(WASM);
  const copy = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
  for (const source of [bytes, copy, new DataView(copy), new WebAssembly.Module(bytes)]) {
    const cover = new Cover(await load(source));
    cover.close();
    assert.equal(cover.units, 1);
  }
});

test("without a source it is fetched where the module itself was", async () => {
  const [text, bytes] = await Promise.all([readFile(new URL("../core.mjs", import.meta.url), "utf8"), readFile(WASM)]);
  const asked = [];
  const fetching = globalThis.fetch;
  const from = (place) =>
    text.replaceAll("import.meta.url", JSON.stringify(place)).replace(/import \{[^}]*\} from "[^"]*";/g, "");
  const elsewhere = (place) => import(`data:text/javascript,${encodeURIComponent(from(place))}`);
  try {
    globalThis.fetch = async (place) => {
      asked.push(String(place));
      return new Response(bytes, { status: asked.length === 1 ? 200 : 404 });
    };
    const own = await (await elsewhere("https://example.invalid/lib/core.mjs")).load();
    assert.equal(own.call.abi(), 2);
    await assert.rejects(
      async () => (await elsewhere("https://example.invalid/core.mjs")).load(),
      /foldcover\.wasm: 404/,
    );
  } finally {
    globalThis.fetch = fetching;
  }
  assert.deepEqual(asked, ["https://example.invalid/lib/foldcover.wasm", "https://example.invalid/foldcover.wasm"]);
});

test("a cover that was freed is not freed again", { skip: !globalThis.gc && "needs --expose-gc" }, async () => {
  const own = await load();
  const drop = () => {
    for (let count = 0; count < 50; count++) new Cover(own).free();
  };
  drop();
  for (let round = 0; round < 3; round++) {
    globalThis.gc();
    await new Promise((done) => setTimeout(done, 5));
  }
  const covers = Array.from({ length: 50 }, () => new Cover(own));
  covers.forEach((cover, index) => {
    for (let unit = 0; unit < index; unit++) cover.close();
  });
  assert.deepEqual(
    covers.map(({ units }) => units),
    [...covers.keys()],
  );
});

test(
  "a cover that is out of reach gives its memory back",
  { skip: !globalThis.gc && "needs --expose-gc" },
  async () => {
    const own = await load();
    const drop = () => {
      for (let count = 0; count < 200; count++) {
        const cover = new Cover(own);
        for (let unit = 0; unit < 1000; unit++) cover.close();
      }
    };
    drop();
    const once = own.call.memory.buffer.byteLength;
    for (let round = 0; round < 10; round++) {
      globalThis.gc();
      await new Promise((done) => setTimeout(done, 5));
      drop();
    }
    assert.ok(own.call.memory.buffer.byteLength < 4 * once);
  },
);
