/* What is refused: with which error, and that nothing has changed. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { Cover, load } from "../foldcover.mjs";

const core = await load();
const SAFE = Number.MAX_SAFE_INTEGER;

/** A cover with something in it. */
function some() {
  const cover = new Cover(core);
  for (let unit = 0; unit < 7; unit++) cover.close(2);
  for (const start of [0, 2, 4]) cover.write({ start, size: 2 }, 3);
  return cover;
}

/** Expect an error, and the view as it was. */
function refused(cover, call, error) {
  const before = cover.save();
  assert.throws(call, error);
  assert.deepEqual(cover.save(), before);
}

const WRONG_TYPES = ["1", null, 1n, true, [], {}, { valueOf: () => 1 }, Symbol("one"), () => 1];
const UNSAFE = [0.5, NaN, Infinity, -Infinity, SAFE + 1, -SAFE - 1, 1e300, Number.MIN_VALUE];

test("numbers that are none, or not safe", () => {
  const cover = some();
  const calls = {
    weight: (value) => cover.close(value),
    "block.start": (value) => cover.write({ start: value, size: 2 }),
    "block.size": (value) => cover.zoom({ start: 0, size: value }),
    budget: (value) => cover.settle(value),
  };
  const more = [
    ["weight", (value) => cover.write({ start: 0, size: 4 }, value)],
    ["budget", (value) => cover.wanted(value)],
    ["budget", (value) => cover.settle(value, () => true)],
    ["view\\[0\\]\\.leaf", (value) => cover.load([{ leaf: value }])],
    ["view\\[0\\]\\.merged\\[0\\]", (value) => cover.load([{ merged: [value, 1] }])],
    ["view\\[0\\]\\.merged\\[1\\]", (value) => cover.load([{ merged: [2, value] }])],
  ];
  for (const [name, call] of [...Object.entries(calls), ...more]) {
    for (const value of WRONG_TYPES) {
      refused(cover, () => call(value), { name: "TypeError", message: new RegExp(`^${name} must be a number, not `) });
    }
    for (const value of UNSAFE) {
      refused(cover, () => call(value), {
        name: "RangeError",
        message: new RegExp(`^${name} must be an integer from `),
      });
    }
  }
  refused(cover, () => cover.settle(), { name: "TypeError", message: "budget must be a number, not undefined" });
});

test("blocks that are none", () => {
  const cover = some();
  for (const block of [undefined, null, 3, "0-3", [0, 2], {}, { start: 0 }]) {
    refused(cover, () => cover.write(block), TypeError);
    refused(cover, () => cover.zoom(block), TypeError);
  }
});

test("ranks that are none", () => {
  const cover = some();
  for (const rank of ["", "largest", "toString", null, 0, {}, Symbol("rank")]) {
    refused(cover, () => cover.settle(3, rank), { name: "TypeError", message: /^rank must be "smallest_first"/ });
    refused(cover, () => cover.wanted(3, rank), TypeError);
  }
});

test("views that are none", () => {
  const cover = some();
  const cyclic = { split: [{ leaf: 1 }, null, 1] };
  cyclic.split[1] = cyclic;
  const shared = (depth) => (depth === 0 ? { leaf: 1 } : { split: [shared(depth - 1), { leaf: 1 }, null] });
  let doubled = { merged: [2, 1] };
  for (let depth = 0; depth < 45; depth++) doubled = { split: [doubled, doubled, null] };
  const cases = [
    [undefined, TypeError, /^view must be an array/],
    [{ length: 1 }, TypeError, /^view must be an array/],
    [[null], TypeError, /^view\[0\] must be a tree, not null/],
    [[{ leaf: 1 }, []], TypeError, /^view\[1\] must be a tree, an object with one key, not 0/],
    [[{ leaf: 1, merged: [2, 1] }], TypeError, /one key, not 2/],
    [[{ line: 1 }], TypeError, /^view\[0\] must be a leaf, a merged or a split, not "line"/],
    [[{ merged: 2 }], TypeError, /^view\[0\]\.merged must be an array of 2/],
    [[{ split: [{ leaf: 1 }, { leaf: 1 }] }], TypeError, /^view\[0\]\.split must be an array of 3/],
    [[{ split: [{ leaf: 1 }, { leaf: "1" }, null] }], TypeError, /^view\[0\]\.split\[1\]\.leaf must be a number/],
    [[{ split: [{ leaf: 1 }, { leaf: 1 }, undefined] }], TypeError, /^view\[0\]\.split\[2\] must be a number/],
    [[{ merged: [0, 1] }], RangeError, /^view\[0\]\.merged\[0\]: a block covers 1 to 2\^48 units, not 0/],
    [[{ merged: [-2, 1] }], RangeError, /not -2/],
    [[{ merged: [2 ** 48 + 1, 1] }], RangeError, /1 to 2\^48 units/],
    [[{ leaf: 1 }, { merged: [2 ** 48, 1] }], RangeError, /2\^48/],
    [[{ split: [{ merged: [2 ** 48, 1] }, { leaf: 1 }, null] }], RangeError, /2\^48/],
    [[{ merged: [3, 1] }], RangeError, /^view must be aligned: sizes are powers of two/],
    [[{ leaf: 1 }, { leaf: 1 }], RangeError, /^view must be aligned/],
    [[{ merged: [2, 1] }, { leaf: 1 }], RangeError, /^view must be aligned/],
    [[{ split: [{ merged: [2, 1] }, { leaf: 1 }, null] }], RangeError, /^view must be aligned/],
    [[shared(48)], RangeError, /^view must be aligned/],
    [[cyclic], RangeError, /nested more than 48 deep/],
    [[shared(49)], RangeError, /nested more than 48 deep/],
    [[doubled], RangeError, /more than 2\^22 nodes/],
    [new Array(2 ** 32 - 1), TypeError, /not undefined/],
  ];
  for (const [view, error, message] of cases) refused(cover, () => cover.load(view), { name: error.name, message });
  let deepest = { split: [{ leaf: 1 }, { leaf: 1 }, 1] };
  for (let bit = 1; bit < 48; bit++) deepest = { split: [deepest, { merged: [2 ** bit, 1] }, 1] };
  cover.load([deepest]);
  assert.deepEqual(cover.save(), [deepest]);
  assert.equal(cover.settle(0).merged.length, 48);
  assert.deepEqual(cover.save(), [{ merged: [2 ** 48, 1] }]);
});

test("a view whose properties change while they are read", () => {
  const cover = some();
  let reads = 0;
  const sly = {
    get leaf() {
      return reads++ === 0 ? 5 : "five";
    },
  };
  cover.load([sly]);
  assert.deepEqual(cover.save(), [{ leaf: 5 }]);
  const freeing = some();
  assert.throws(
    () =>
      freeing.load([
        {
          get leaf() {
            freeing.free();
            return 1;
          },
        },
      ]),
    /^Error: this Cover was freed$/,
  );
  const late = some();
  assert.throws(
    () =>
      late.write({
        start: 0,
        get size() {
          late.free();
          return 4;
        },
      }),
    /this Cover was freed/,
  );
});

test("sums that a number cannot say are never rounded", () => {
  const cover = new Cover(core);
  cover.close(SAFE);
  assert.equal(cover.weight, SAFE);
  cover.close(1);
  assert.throws(() => cover.weight, { name: "RangeError", message: /^weight is beyond 2\^53 - 1/ });
  assert.equal(cover.settle(SAFE).outcome, "stuck"); // it weighs 2^53: compared exactly
  cover.close(-1);
  assert.equal(cover.weight, SAFE);
  assert.equal(cover.settle(SAFE).outcome, "fits");
  while (cover.units < 1026) cover.close(SAFE);
  const before = cover.save();
  assert.throws(() => cover.close(SAFE), { name: "RangeError", message: /more than 64 bits/ });
  assert.throws(() => cover.write({ start: 0, size: 2 }, SAFE), { name: "RangeError", message: /more than 64 bits/ });
  assert.deepEqual(cover.save(), before);
  assert.equal(cover.write({ start: 0, size: 2 }, 0), true);
});

test("2^48 units, and no more", () => {
  const cover = new Cover(core);
  cover.load([{ leaf: 1 }, ...Array.from({ length: 47 }, (_, bit) => ({ merged: [2 ** (bit + 1), 1] }))]);
  cover.close();
  assert.equal(cover.units, 2 ** 48);
  refused(cover, () => cover.close(), { name: "RangeError", message: /2\^48 units/ });
  refused(cover, () => cover.zoom({ start: 1, size: 2 ** 47 }), { name: "RangeError", message: /at most 2\^24 units/ });
});

test("what a rank throws comes out, and the view is as it was", () => {
  const cover = some();
  class Mine extends Error {}
  const raising = () => {
    throw new Mine("no");
  };
  let calls = 0;
  const later = () => {
    if (++calls === 3) throw new Mine("no");
    return false;
  };
  for (const rank of [raising, later]) {
    calls = 0;
    refused(cover, () => cover.settle(5, rank), Mine);
    calls = 0;
    refused(cover, () => cover.wanted(5, rank), Mine);
  }
  calls = 0;
  refused(
    cover,
    () =>
      cover.settle(5, () => {
        calls += 1;
        throw new Mine("no");
      }),
    Mine,
  );
  assert.equal(calls, 1); // once it has thrown it is not asked again
  for (const thrown of [undefined, null, 0]) {
    let seen = "nothing";
    try {
      cover.settle(5, () => {
        throw thrown;
      });
    } catch (error) {
      seen = error;
    }
    assert.equal(seen, thrown);
  }
  for (const answer of [undefined, 1, -1, "yes", Promise.resolve(true)]) {
    refused(cover, () => cover.settle(5, () => answer), {
      name: "TypeError",
      message: /^a rank must answer true or false/,
    });
  }
  refused(cover, () => cover.settle(5, async () => true), TypeError);
  assert.equal(cover.settle(5).merged.length, 3);
});

test("a rank without sense ends all the same", () => {
  for (const rank of [() => true, () => false, (one) => one.start % 3 === 0]) {
    const cover = some();
    assert.equal(cover.settle(0, rank).merged.length, 3);
    assert.equal(cover.wanted(0, rank).length, 1);
  }
});

test("a rank must not use its cover, nor have another rank asked; other covers it may", () => {
  const [cover, other] = [some(), some()];
  const uses = [
    () => cover.close(),
    () => cover.units,
    () => cover.weight,
    () => cover.save(),
    () => cover.free(),
    () => cover.write({ start: 0, size: 4 }),
    () => cover.settle(0),
    () => cover.reset(),
    () => cover.load([]),
  ];
  for (const use of uses) {
    refused(
      cover,
      () =>
        cover.settle(5, () => {
          use();
          return true;
        }),
      /a rank must not use the Cover that it is asked for/,
    );
  }
  refused(
    cover,
    () =>
      cover.settle(5, () => {
        other.settle(5, () => true);
        return true;
      }),
    /a rank must not have another rank asked/,
  );
  assert.equal(
    cover.settle(5, () => {
      other.close();
      return other.units > 7;
    }).merged.length,
    3,
  );
});

test("after free each use is an error, and free is none", () => {
  const cover = some();
  cover.free();
  cover.free();
  const uses = [
    () => cover.close(),
    () => cover.units,
    () => cover.lines,
    () => cover.weight,
    () => cover.cover(),
    () => cover.save(),
    () => cover.write({ start: 0, size: 4 }),
    () => cover.settle(0),
    () => cover.settle(0, () => true),
    () => cover.wanted(0),
    () => cover.wanted(0, () => true),
    () => cover.zoom({ start: 0, size: 1 }),
    () => cover.reset(),
    () => cover.load([]),
  ];
  for (const use of uses) assert.throws(use, { name: "Error", message: "this Cover was freed" });
  if (Symbol.dispose) {
    const disposed = some();
    disposed[Symbol.dispose]();
    assert.throws(() => disposed.units, /freed/);
  }
});

test("what is no core, and what is no module", async () => {
  for (const not of [undefined, null, {}, Cover, core.call]) assert.throws(() => new Cover(not), /`await load\(\)`/);
  for (const source of [null, 5, "foldcover.wasm", {}]) await assert.rejects(load(source), /source must be the bytes/);
  await assert.rejects(load(new Uint8Array(8)), WebAssembly.CompileError);
  const empty = new Uint8Array([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]);
  await assert.rejects(load(empty), /this is not foldcover\.wasm/);
});

test("no memory is an error, and the view is as it was", async () => {
  const own = await load();
  const cover = new Cover(own);
  for (let unit = 0; unit < 5; unit++) cover.close();
  let blocks = 0;
  while (own.call.take(2 ** 28) !== 0) blocks += 1; // the address space, taken but never touched
  for (let bytes = 2 ** 27; bytes >= 16; bytes /= 2) while (own.call.take(bytes) !== 0) blocks += 1;
  assert.ok(blocks > 8);
  assert.throws(() => new Cover(own), { name: "Error", message: "no memory for the view" });
  const full = () => {
    for (;;) cover.close();
  };
  assert.throws(full, { name: "Error", message: "no memory for the view" });
  const { units } = cover;
  assert.throws(() => cover.settle(0, () => true), /no memory/);
  assert.equal(cover.units, units);
  assert.equal(cover.lines, units);
});

test("a stack that overflows inside a call leaves no half-changed view in use", async () => {
  const cover = new Cover(await load());
  const deep = () => {
    cover.close();
    deep();
  };
  assert.throws(deep, RangeError);
  try {
    const { units } = cover;
    assert.deepEqual([cover.lines, cover.weight, cover.cover().length], [units, units, units]);
  } catch (error) {
    assert.match(error.message, /a call broke off half-way/);
  }
});
