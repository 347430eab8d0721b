/* The port of this binding, for `foldcover laws --port 'node bindings/js/port.mjs'`.
 *
 * JSON lines: a request a line on stdin, its answer a line on stdout, in order. What cannot be performed is answered
 * with {"id": ..., "error": "..."} and changes nothing. It ends with exit code 0 at bye and at the end of stdin, with 2
 * and a message at a line that is no request, for that cannot be answered, and when nobody reads its answers.
 */

import { Cover, load } from "./foldcover.mjs";

const NEWLINE = 10;

/** The lines of a byte stream, without their newline. Only "\n" ends a line: a string may hold other separators. */
async function* linesOf(stream) {
  let parts = [];
  for await (const chunk of stream) {
    let from = 0;
    for (let stop; (stop = chunk.indexOf(NEWLINE, from)) >= 0; from = stop + 1) {
      parts.push(chunk.subarray(from, stop));
      yield Buffer.concat(parts).toString("utf8");
      parts = [];
    }
    if (from < chunk.length) parts.push(chunk.subarray(from));
  }
  if (parts.length > 0) yield Buffer.concat(parts).toString("utf8");
}

const pair = ({ start, size }) => [start, size];

const OPERATIONS = {
  hello: () => ({ name: "foldcover for JavaScript", load: true, wanted: true }),
  reset: (cover) => {
    cover.reset();
    return { view: cover.save() };
  },
  load: (cover, { view }) => {
    cover.load(view);
    return { view: cover.save() };
  },
  close: (cover, { weight }) => {
    cover.close(given(weight, "weight"));
    return { view: cover.save() };
  },
  write: (cover, { start, size, weight }) => {
    cover.write({ start, size }, given(weight, "weight"));
    return { view: cover.save() };
  },
  settle: (cover, { budget, rank }) => {
    const { merged, outcome } = cover.settle(budget, given(rank, "rank"));
    return { view: cover.save(), merged: merged.map(pair), outcome };
  },
  zoom: (cover, { start, size }) => ({ blocks: cover.zoom({ start, size }).map(pair) }),
  wanted: (cover, { budget, rank }) => ({ blocks: cover.wanted(budget, given(rank, "rank")).map(pair) }),
};

/** An argument for which this protocol knows no default. */
function given(value, name) {
  if (value === undefined) throw new TypeError(`${name} is missing`);
  return value;
}

/** Leave with a message. */
function leave(message) {
  process.stderr.write(`port.mjs: ${message}\n`);
  process.exit(2);
}

/** The request that a line holds. */
function requestOf(line) {
  try {
    const asked = JSON.parse(line);
    if (Number.isSafeInteger(asked?.id)) return asked;
  } catch {
    // said below
  }
  return leave(`a line is no request with an id: ${JSON.stringify(line.slice(0, 60))}`);
}

function answer(cover, { id, op, ...given }) {
  try {
    if (!Object.hasOwn(OPERATIONS, op)) throw new Error(`no operation ${JSON.stringify(op)}`);
    return { id, ...OPERATIONS[op](cover, given) };
  } catch (error) {
    return { id, error: error.message };
  }
}

process.stdout.on("error", (error) => leave(error.message));
const cover = new Cover(await load());
for await (const line of linesOf(process.stdin)) {
  const asked = requestOf(line);
  if (asked.op === "bye") break;
  process.stdout.write(`${JSON.stringify(answer(cover, asked))}\n`);
}
