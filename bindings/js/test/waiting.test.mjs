/* Closes wait, and are handed over to C together: nobody can tell, but by an error that comes late. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { Cover, load } from "../foldcover.mjs";

const core = await load();
const SAFE = Number.MAX_SAFE_INTEGER;
const NO_MEMORY = { name: "Error", message: "no memory for the view" };
const NOWHERE = { start: 0, size: 0 };
const COUNTS = [0, 1, 2, 100, 255, 256, 257, 258, 600];

/** Close units of these weights; one by one if nothing is to wait. */
function closed(weights, oneByOne = false, cover = new Cover(core)) {
  for (const weight of weights) {
    cover.close(weight);
    if (oneByOne) assert.equal(cover.write(NOWHERE), false);
  }
  return cover;
}

const uneven = (count) => Array.from({ length: count }, (_, unit) => ((unit * 7919) % 23) - 3);
const same = (cover, twin) => {
  assert.deepEqual([cover.units, cover.lines, cover.weight], [twin.units, twin.lines, twin.weight]);
  assert.deepEqual(cover.save(), twin.save());
};

const OPERATIONS = {
  units: (cover) => cover.units,
  lines: (cover) => cover.lines,
  weight: (cover) => cover.weight,
  write: (cover) => cover.write({ start: 0, size: 2 }, 4),
  wanted: (cover) => cover.wanted(9),
  "wanted by a function": (cover) => cover.wanted(9, (one, other) => one.start < other.start),
  settle: (cover) => cover.settle(9).outcome,
  "settle by a function": (cover) => cover.settle(9, (one, other) => one.start < other.start).outcome,
  "settle within the budget": (cover) => cover.settle(SAFE),
  "settle where a rank throws": (cover) => {
    for (const start of [0, 2]) cover.write({ start, size: 2 });
    try {
      return cover.settle(-1, () => 1).outcome;
    } catch (error) {
      return error.message;
    }
  },
  zoom: (cover) => cover.zoom({ start: 0, size: Math.max(1, cover.units - 1) }),
  cover: (cover) => cover.cover(),
  save: (cover) => cover.save(),
  reset: (cover) => cover.reset(),
  load: (cover) => cover.load([{ leaf: 5 }, { merged: [4, 3] }]),
  "load of no view": (cover) => assert.throws(() => cover.load([{ leaf: 1 }, { leaf: 1 }]), RangeError),
  "close of what is no number": (cover) => assert.throws(() => cover.close(1n), TypeError),
  "close of a large weight": (cover) => cover.close(2 ** 40),
};

for (const [name, operation] of Object.entries(OPERATIONS)) {
  test(`after closes that wait: ${name}`, () => {
    for (const count of COUNTS) {
      const [cover, twin] = [closed(uneven(count)), closed(uneven(count), true)];
      assert.deepEqual(operation(cover), operation(twin));
      same(cover, twin);
      for (const each of [cover, twin]) closed(uneven(300), each === twin, each);
      same(cover, twin);
    }
  });
}

test("weights of any size keep their order", () => {
  const weights = [0, -0, -5, 2 ** 31 - 1, 2 ** 31, -(2 ** 31), -(2 ** 31) - 1, 3, SAFE - 2 ** 33, 1, -SAFE, 7];
  const cover = closed(weights);
  cover.load(cover.save());
  const leaves = (tree) => (tree.split ? tree.split.slice(0, 2).flatMap(leaves) : [tree.leaf]);
  assert.deepEqual(
    cover.save().reverse().flatMap(leaves),
    weights.map((weight) => weight + 0),
  );
});

test("covers beside each other, while the memory grows", async () => {
  const own = await load();
  const covers = Array.from({ length: 5 }, () => new Cover(own));
  const pages = own.call.memory.buffer.byteLength;
  for (let unit = 0; unit < 40_000; unit++) covers.forEach((cover, index) => cover.close((unit % 11) + index));
  assert.ok(own.call.memory.buffer.byteLength > pages);
  covers.forEach((cover, index) => {
    same(
      cover,
      closed(Array.from({ length: 40_000 }, (_, unit) => (unit % 11) + index)),
    );
    cover.free();
    assert.throws(() => cover.close(), /this Cover was freed/);
  });
  assert.equal(new Cover(own).units, 0);
});

test("what C may refuse does not wait", () => {
  const full = new Cover(core);
  full.load(Array.from({ length: 46 }, (_, bit) => ({ merged: [2 ** (bit + 2), 1] })));
  closed([1, 1, 1], false, full);
  assert.equal(full.units, 2 ** 48 - 1);
  full.close();
  assert.throws(() => full.close(), { name: "RangeError", message: /2\^48 units/ });
  assert.equal(full.units, 2 ** 48);
  const heavy = closed(Array.from({ length: 1024 }, () => SAFE));
  heavy.close(1000);
  assert.throws(() => heavy.close(24), { name: "RangeError", message: /more than 64 bits/ });
  heavy.close(-23);
  assert.throws(() => heavy.close(-1), { name: "RangeError", message: /more than 64 bits/ });
  assert.deepEqual([heavy.units, heavy.save()[0].split[1].leaf], [1026, -23]);
  const written = closed([1, 1]);
  written.load([{ split: [{ leaf: SAFE }, { leaf: -SAFE }, SAFE] }]);
  for (let unit = 0; unit < 1021; unit++) written.close(SAFE);
  assert.throws(() => closed([1024], false, written), { name: "RangeError", message: /more than 64 bits/ });
});

test("closes for which there is no memory are not lost", async () => {
  const own = await load();
  const cover = new Cover(own);
  cover.close();
  const spare = [];
  for (let bytes = 2 ** 10; bytes <= 2 ** 18; bytes *= 2) {
    for (const size of [bytes, bytes * 1.5]) for (let twice = 0; twice < 2; twice++) spare.push([own.call.take(size), size]);
  }
  for (let bytes = 2 ** 28; bytes >= 16; bytes /= 2) while (own.call.take(bytes) !== 0);
  const weights = [1];
  const fill = () => {
    for (let weight = 2; ; weight = (weight % 9) + 1) {
      cover.close(weight);
      weights.push(weight);
    }
  };
  for (let round = 0; round < 3; round++) assert.throws(fill, NO_MEMORY);
  const weight = weights.reduce((sum, each) => sum + each);
  const measures = () => [cover.units, cover.lines, cover.weight];
  const needing = [
    () => cover.close(),
    () => cover.close(2 ** 40),
    () => cover.write({ start: 0, size: 2 }),
    () => cover.wanted(0),
    () => cover.settle(0),
    () => cover.settle(0, () => true),
    () => cover.zoom({ start: 0, size: 1 }),
    () => cover.cover(),
    () => cover.save(),
  ];
  for (const operation of needing) {
    assert.throws(operation, NO_MEMORY);
    assert.deepEqual(measures(), [weights.length, weights.length, weight]);
  }
  assert.equal(cover.settle(weight).outcome, "fits");
  for (const [address, bytes] of spare) own.call.give(address, bytes);
  same(cover, closed(weights));
});
