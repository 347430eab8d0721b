/* Closes that wait to be made together: nobody can tell them from others. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { Cover, load } from "../foldcover.mjs";

/** Whole numbers below what it is asked for, the same in every run. */
function dice(seed) {
  let state = seed >>> 0;
  return (most) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * most);
  };
}

const WEIGHTS = [0, 1, 7, -3, 2 ** 31 - 1, -(2 ** 31), 2 ** 31, 2 ** 40, -(2 ** 45)];

/** All that can be read of a Cover. */
const shape = (cover) => [cover.units, cover.lines, cover.save(), cover.cover()];

/** What a call returns, or the error. */
function answer(use) {
  try {
    return use();
  } catch (error) {
    return `${error.name}: ${error.message}`;
  }
}

test("a cover that is looked at after every close, and one that is not", async () => {
  const core = await load();
  for (let seed = 1; seed <= 20; seed++) {
    const roll = dice(seed);
    const together = new Cover(core);
    const single = new Cover(core);
    const both = (use) => {
      const [one, other] = [answer(() => use(together)), answer(() => use(single))];
      assert.deepEqual(one, other);
      return one;
    };
    for (let step = 0; step < 60; step++) {
      const what = roll(8);
      if (what < 4) {
        for (let more = roll(what === 0 ? 1300 : 12); more > 0; more--) {
          const weight = roll(20) === 0 ? WEIGHTS[roll(WEIGHTS.length)] : roll(9);
          both((cover) => cover.close(weight));
          single.units; // makes it close what waits
        }
      } else if (what < 6) {
        const budget = roll(600);
        const asked = both((cover) => cover.wanted(budget));
        for (const block of asked) both((cover) => cover.write(block, 2));
        both((cover) => {
          const settled = cover.settle(budget);
          return [settled.merged, settled.outcome];
        });
      } else if (what === 6) {
        const block = { start: roll(64) * 2, size: 2 };
        both((cover) => cover.write(block));
      } else if (roll(6) === 0) {
        both((cover) => cover.reset());
      }
      assert.equal(answer(() => together.weight), answer(() => single.weight));
      if (roll(3) === 0) both(shape);
    }
    both(shape);
    together.free();
    single.free();
  }
});

test("a memory that grows while closes wait", async () => {
  const core = await load();
  const cover = new Cover(core);
  const other = new Cover(core);
  for (let unit = 0; unit < 100; unit++) cover.close(unit);
  const before = core.call.memory.buffer;
  while (core.call.memory.buffer === before) other.close();
  for (let unit = 100; unit < 200; unit++) cover.close(unit);
  assert.deepEqual([cover.units, cover.lines, cover.weight], [200, 200, (199 * 200) / 2]);
  assert.deepEqual(
    cover.cover(),
    Array.from({ length: 200 }, (_, start) => ({ start, size: 1 })),
  );
});

test("what waits belongs to its cover", async () => {
  const core = await load();
  const covers = Array.from({ length: 5 }, () => new Cover(core));
  for (let unit = 0; unit < 700; unit++) covers.forEach((cover, index) => cover.close(index));
  covers.forEach((cover, index) => assert.deepEqual([cover.units, cover.weight], [700, 700 * index]));
});

test("the close that is too much is refused itself, whatever waits", async () => {
  const cover = new Cover(await load());
  const most = Number.MAX_SAFE_INTEGER;
  for (let unit = 0; unit < 1022; unit++) cover.close(unit % 2 === 0 ? most : -most);
  cover.close(most);
  cover.close(-(most - 5 * 2 ** 31)); // 5 * 2^31 + 1023 less than what 64 bits hold
  const shown = cover.weight;
  for (let unit = 0; unit < 5; unit++) cover.close(-(2 ** 31));
  for (let unit = 0; unit < 1023; unit++) cover.close(1);
  assert.throws(() => cover.close(1), RangeError);
  assert.throws(() => cover.close(-1), RangeError);
  cover.close(0);
  assert.deepEqual([cover.units, cover.weight], [1024 + 5 + 1023 + 1, shown - 5 * 2 ** 31 + 1023]);
});

test("a weight that is none is refused as it is where nothing waits", async () => {
  const cover = new Cover(await load());
  const empty = new Cover(await load());
  for (let unit = 0; unit < 10; unit++) cover.close();
  const trap = { valueOf: () => assert.fail("it was called") };
  const none = [1n, Symbol("a"), Object.create(null), trap, "1", null, 1.5, NaN];
  for (const weight of none) {
    assert.equal(
      answer(() => cover.close(weight)),
      answer(() => empty.close(weight)),
    );
    assert.throws(() => cover.close(weight), /^(Type|Range)Error: weight must be /);
  }
  assert.deepEqual([cover.units, cover.weight, empty.units], [10, 10, 0]);
});

test("a stack that overflows while they are closed loses none of them", async () => {
  const core = await load();
  const down = (cover, more) => (more > 0 ? down(cover, more - 1) : cover.units);
  const overflows = (depth) => {
    const cover = new Cover(core);
    for (let unit = 0; unit < 10; unit++) cover.close();
    const found = answer(() => down(cover, depth));
    cover.close(7);
    assert.deepEqual([cover.units, cover.weight], [11, 17]);
    cover.free();
    return found !== 10;
  };
  let [fits, over] = [1, 100_000];
  while (over - fits > 1) {
    const depth = (fits + over) >> 1;
    if (overflows(depth)) over = depth;
    else fits = depth;
  }
  assert.ok(overflows(100_000));
  for (let depth = over - 50; depth < over + 50; depth++) overflows(depth);
});

test("a cover that was freed while closes waited is freed, and its memory is taken again", async () => {
  const core = await load();
  const used = () => {
    const cover = new Cover(core);
    for (let unit = 0; unit < 100; unit++) cover.close();
    cover.free();
    assert.throws(() => cover.close(), /this Cover was freed/);
    assert.throws(() => cover.settle(1), /this Cover was freed/);
    assert.throws(() => cover.weight, /this Cover was freed/);
  };
  used();
  const pages = core.call.memory.buffer.byteLength;
  for (let again = 0; again < 2000; again++) used();
  assert.equal(core.call.memory.buffer.byteLength, pages);
});
