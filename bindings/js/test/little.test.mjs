/* An engine that lets the memory grow no further than four megabytes. A file of its own: the flag is the process's. */

import assert from "node:assert/strict";
import { test } from "node:test";
import v8 from "node:v8";

v8.setFlagsFromString("--wasm-max-mem-pages=64");
const { Cover, load } = await import("../foldcover.mjs");
const NO_MEMORY = { name: "Error", message: "no memory for the view" };

test("a memory that does not grow is an error, and what is there can be used", async () => {
  const own = await load();
  const cover = new Cover(own);
  assert.throws(() => {
    for (;;) cover.close();
  }, NO_MEMORY);
  const { units } = cover;
  assert.ok(units > 10_000 && own.call.memory.buffer.byteLength <= 64 * 65536);
  assert.throws(() => cover.close(), NO_MEMORY);
  assert.throws(() => cover.save(), NO_MEMORY);
  assert.throws(() => cover.settle(0, () => true), NO_MEMORY);
  assert.equal(cover.write({ start: 0, size: 2 }, 5), true);
  assert.deepEqual([cover.units, cover.lines, cover.weight], [units, units, units]);
  const other = new Cover(own);
  other.close(3);
  assert.deepEqual(other.save(), [{ leaf: 3 }]);
  cover.reset();
  for (let unit = 0; unit < units; unit++) cover.close();
  assert.equal(cover.weight, units);
  cover.free();
  while (other.units < units) other.close();
  assert.equal(other.lines, units);
});
