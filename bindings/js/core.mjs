/* The WebAssembly module: how it is found, and how its memory is read and written.
 *
 * Rule: whatever knows an address or a layout is here. Addresses are 32 bits without a sign. The memory may grow in any
 * call, which leaves every DataView on it dead; so each reader asks for one and keeps it for no longer than one answer.
 */

const ABI = 2;
const BLOCK_BYTES = 16; // struct fc_block: start, size
const NODE_BYTES = 24; // struct fc_node: size, weight, kind, span
// The lengths of two arrays in exports.c.
export const MOST_TOGETHER = 512; // units to be closed together
const MOST_NUMBERS = 192; // of runs

export const NUMBERS_A_NODE = 4;
export const NUMBERS_A_RUN = 3;

const UPPER = 2 ** 32;

const OVERFLOW = "more than 2^48 units, or weights that add up to more than 64 bits hold";
const STRANGE = `this is not foldcover.wasm with ABI ${ABI}, or not the one of this module`;
const UNALIGNED =
  "view must be aligned: sizes are powers of two up to 2^48, halves are equal, and trees shrink from the oldest on";
const STATUSES = {
  1: () => new Error("no memory for the view"),
  2: () => new RangeError(OVERFLOW),
  3: () => new RangeError(UNALIGNED),
};

/** The error for a status, which is a negative number. */
export function failure(status) {
  const made = STATUSES[-status];
  return made ? made() : new Error(`the view is damaged (status ${-status})`);
}

/** The bytes of foldcover.wasm, which lies beside this file. */
async function found() {
  const place = new URL("./foldcover.wasm", import.meta.url);
  if (place.protocol === "file:") {
    const { readFile } = await import(/* webpackIgnore: true */ /* @vite-ignore */ "node:fs/promises");
    return readFile(place);
  }
  const response = await fetch(place);
  if (!response.ok) throw new Error(`${place.href}: ${response.status} ${response.statusText}`);
  return response.arrayBuffer();
}

/** The C core, compiled and with a memory of its own. Made by `load`. */
export class Core {
  /** The exported functions. */
  call;
  /** The rank that is being asked, and what it threw: {rank, failed, error}; null at other times. */
  asked = null;
  #memory;
  #bytes;
  #weights = new Int32Array(0); // of units that C is to close together
  #numbers; // of runs that C found

  constructor(module) {
    const before = (...numbers) => this.#before(...numbers);
    this.call = new WebAssembly.Instance(module, { foldcover: { before } }).exports;
    if (this.call.abi?.() !== ABI || !this.call.runs) throw new Error(STRANGE);
    this.#memory = this.call.memory;
    this.#refresh();
  }

  /** Close `count` units together, as many as `call.ready` promised at most; their weights are the first of
   * MOST_TOGETHER. How many were closed. */
  closeTogether(view, weights, count) {
    this.#refresh();
    this.#weights.set(weights);
    return this.call.close_all(view, count);
  }

  /** The `count` blocks that a view answered last, as runs: of each the first start, the size, how many in a row.
   * `ordered`: they come by size, then start. */
  runs(view, count, ordered) {
    const runs = [];
    this.#refresh();
    for (let from = 0; from < count; ) {
      const put = this.call.runs(view, from, ordered);
      for (let index = 0; index < put; index++) runs.push(this.#numbers[index]);
      for (let index = runs.length - put + 2; index < runs.length; index += NUMBERS_A_RUN) from += runs[index];
    }
    return runs;
  }

  /** The cover of a view. */
  cover(view) {
    const count = this.call.lines(view);
    return this.#lent(count * BLOCK_BYTES, (address) => {
      const status = this.call.cover(view, address, count);
      if (status < 0) throw failure(status);
      const bytes = this.#view();
      const blocks = new Array(count);
      for (let index = 0, at = address; index < count; index++, at += BLOCK_BYTES) {
        blocks[index] = { start: integer(bytes, at), size: integer(bytes, at + 8) };
      }
      return blocks;
    });
  }

  /** Call `use` with each node of a view, as size, weight, kind and span. */
  eachNode(view, use) {
    this.kept(view, (address, count) => {
      const bytes = this.#view();
      for (let index = 0, at = address; index < count; index++, at += NODE_BYTES) {
        const kind = bytes.getUint32(at + 16, true);
        use(integer(bytes, at), integer(bytes, at + 8), kind, bytes.getUint32(at + 20, true));
      }
    });
  }

  /** Call `use` with the address of nodes, four of the `numbers` for each, and how many they are. */
  given(numbers, use) {
    const count = numbers.length / NUMBERS_A_NODE;
    return this.#lent(count * NODE_BYTES, (address) => {
      const bytes = this.#view();
      for (let index = 0, at = address; index < numbers.length; index += NUMBERS_A_NODE, at += NODE_BYTES) {
        setInteger(bytes, at, numbers[index]);
        setInteger(bytes, at + 8, numbers[index + 1]);
        bytes.setUint32(at + 16, numbers[index + 2], true);
        bytes.setUint32(at + 20, numbers[index + 3], true);
      }
      return use(address, count);
    });
  }

  /** Call `use` with the address of a copy of a view's nodes, and how many they are. */
  kept(view, use) {
    const count = this.call.nodes(view) >>> 0;
    return this.#lent(count * NODE_BYTES, (address) => {
      const status = this.call.save(view, address, count);
      if (status < 0) throw failure(status);
      return use(address, count);
    });
  }

  #lent(bytes, use) {
    const address = bytes < UPPER ? this.call.take(bytes) >>> 0 : 0;
    if (address === 0) throw failure(-1);
    try {
      return use(address);
    } finally {
      this.call.give(address, bytes);
    }
  }

  #view() {
    this.#refresh();
    return this.#bytes;
  }

  /** Look at the memory anew if it has grown: it has another buffer then, and what looked at the old one no length. */
  #refresh() {
    if (this.#weights.length > 0) return;
    const { buffer } = this.#memory;
    this.#bytes = new DataView(buffer);
    this.#weights = new Int32Array(buffer, this.call.weights() >>> 0, MOST_TOGETHER);
    this.#numbers = new Float64Array(buffer, this.call.numbers() >>> 0, MOST_NUMBERS);
  }

  /** What C asks a rank: whether one block goes before another. No exception may pass through C. */
  #before(start, size, otherStart, otherSize, units) {
    const { asked } = this;
    if (asked.failed) return 0;
    try {
      const answer = asked.rank({ start, size }, { start: otherStart, size: otherSize }, units);
      if (typeof answer !== "boolean") throw new TypeError(`a rank must answer true or false, not ${String(answer)}`);
      return answer ? 1 : 0;
    } catch (error) {
      asked.failed = true;
      asked.error = error;
      return 0;
    }
  }
}

function integer(bytes, at) {
  return bytes.getInt32(at + 4, true) * UPPER + bytes.getUint32(at, true);
}

function setInteger(bytes, at, value) {
  bytes.setUint32(at, value, true);
  bytes.setInt32(at + 4, Math.floor(value / UPPER), true);
}

/**
 * Compile the C core. Without a source the file beside this module is read (file:) or fetched.
 * A source is the bytes of foldcover.wasm or a WebAssembly.Module.
 */
export async function load(source) {
  if (source instanceof WebAssembly.Module) return new Core(source);
  return new Core(await WebAssembly.compile(bytesOf(source === undefined ? await found() : source)));
}

function bytesOf(source) {
  if (source instanceof ArrayBuffer) return source;
  if (ArrayBuffer.isView(source)) return new Uint8Array(source.buffer, source.byteOffset, source.byteLength);
  throw new TypeError("source must be the bytes of foldcover.wasm or a WebAssembly.Module");
}
