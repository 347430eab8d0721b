/* The rule of foldcover for JavaScript: the C core as WebAssembly.
 *
 *     const cover = new Cover(await load());
 *
 * A Cover is one view, changed in place. The operations are those of the Python core, with the same answers. Numbers
 * are safe integers; whatever else is given is an error that names it, and after any error the view is as it was.
 * Read in this order: this file, answers, core, trees.
 */

import { IDLE, listed, merges, NONE } from "./answers.mjs";
import { Core, failure, load, MOST_TOGETHER } from "./core.mjs";
import { ends, shown, unsafe } from "./numbers.mjs";
import { toNodes, TreeBuilder } from "./trees.mjs";

export { Core, load };

const FITS = IDLE[0];
const SMALLEST = 0; // the numbers of ranks
const OWN = 2; // that of a function
const DAMAGED = 5; // FC_DAMAGED
const LONGEST_ZOOM = 2 ** 24;
const CALM = 2 ** 52; // a weight that stays safe whatever waits
const FEW = 3; // so many closes in a row go one by one before others wait

const BROKEN = "a call broke off half-way: this Cover can no longer be used";
const ASKING = "a rank must not use the Cover that it is asked for";
const FREED = "this Cover was freed";

/** Frees what belonged to a Cover that nobody can reach any more. */
const forgotten = new FinalizationRegistry(({ core, view }) => core.call.free(view));

/** A view, empty at first.
 *
 * A call into WebAssembly takes longer than a close. So units of which C has promised that their closes will not fail
 * wait, and are closed together as soon as anything is asked that depends on them. */
export class Cover {
  #core;
  #call;
  #view; // its address; 0 while a call is under way
  #why = BROKEN; // it cannot be used where that is 0
  #weight = 0; // of the shown lines, and of what waits; NaN where a number cannot say it
  #weights = new Int32Array(MOST_TOGETHER); // of the units that wait
  #waiting = 0; // how many these are
  #ready = 0; // how many they may be
  #single = 0; // how many closes in a row did not wait

  constructor(core) {
    if (!(core instanceof Core)) throw new TypeError("new Cover(core): core is what `await load()` gives");
    this.#core = core;
    this.#call = core.call;
    this.#view = core.call.open() >>> 0;
    if (this.#view === 0) throw failure(-1);
    forgotten.register(this, { core, view: this.#view }, this);
  }

  /** How many units the view covers. */
  get units() {
    return this.#call.units(this.#address());
  }

  /** How many lines it shows. */
  get lines() {
    return this.#call.lines(this.#address());
  }

  /** What the shown lines weigh together. */
  get weight() {
    this.#check();
    if (Number.isNaN(this.#weight)) throw new RangeError("weight is beyond 2^53 - 1: a number cannot say it");
    return this.#weight;
  }

  /** Append a unit whose title weighs `weight`. Amortised constant. */
  close(weight = 1) {
    const waiting = this.#waiting;
    if (waiting < this.#ready && typeof weight === "number" && (weight | 0) === weight) {
      this.#weights[waiting] = weight;
      this.#waiting = waiting + 1;
      this.#weight += weight;
    } else {
      this.#closeNow(weight);
    }
  }

  /** Note that the line of `block` exists; whether it is a Split that had none. */
  write(block, weight = 1) {
    const [start, size] = ends(block);
    if (!Number.isSafeInteger(weight)) throw unsafe(weight, "weight");
    const wrote = this.#call.write(this.#address(), start, size, weight);
    if (wrote < 0) throw failure(wrote);
    return wrote === 1;
  }

  /** The lines that settle will certainly need, in the order of merging. */
  wanted(budget, rank = "smallest_first") {
    if (!Number.isSafeInteger(budget)) throw unsafe(budget, "budget");
    const number = numbered(rank);
    this.#check();
    if (this.#weight <= budget) return NONE;
    const count =
      number === OWN
        ? this.#asking(rank, (view) => this.#call.wanted_by(view, budget))
        : this.#calling((view) => this.#call.wanted(view, budget, number));
    if (count < 0) throw failure(count);
    return count === 0 ? NONE : listed(this.#core.runs(this.#view, count, number === SMALLEST));
  }

  /** Merge ready pairs, top-ranked first, until the view weighs at most budget / 2, once it is above the budget. */
  settle(budget, rank = "smallest_first") {
    if (!Number.isSafeInteger(budget)) throw unsafe(budget, "budget");
    const number = numbered(rank);
    this.#check();
    return this.#weight <= budget ? FITS : this.#settleAbove(budget, rank, number);
  }

  /** The units of the range, oldest first, as blocks of size 1; [] where it is empty or leaves the view. */
  zoom(block) {
    const [start, size] = ends(block);
    if (this.#call.zoom(this.#address(), start, size) === 0) return NONE;
    if (size > LONGEST_ZOOM) throw new RangeError(`block.size: zoom lists at most 2^24 units, not ${size}`);
    return Array.from({ length: size }, (_, index) => ({ start: start + index, size: 1 }));
  }

  /** The shown blocks, oldest first. */
  cover() {
    return this.#core.cover(this.#address());
  }

  /** The view as trees, newest first. */
  save() {
    const trees = new TreeBuilder();
    this.#core.eachNode(this.#address(), (size, weight, kind) => trees.add(size, weight, kind));
    return trees.done();
  }

  /** Take over a view. */
  load(view) {
    const nodes = toNodes(view);
    this.#address();
    const status = this.#core.given(nodes, (address, count) => this.#load(address, count));
    if (status < 0) throw failure(status);
  }

  /** Make it empty again; its memory is kept. */
  reset() {
    this.#call.reset(this.#address());
    this.#weight = 0;
  }

  /** Give its memory back. Every later use but free is an error. */
  free() {
    if (this.#why === FREED) return;
    const view = this.#taken();
    this.#why = FREED;
    forgotten.unregister(this);
    this.#call.free(view);
  }

  #check() {
    if (this.#view === 0) throw new Error(this.#why);
  }

  /** The address, for any call. */
  #address() {
    this.#check();
    this.#ready = 0;
    this.#single = 0;
    if (this.#waiting > 0) this.#closeWaiting();
    return this.#view;
  }

  /** Where that breaks off, for no stack is left, they wait on: C closes all of them or none. */
  #closeWaiting() {
    const count = this.#waiting;
    const closed = this.#core.closeTogether(this.#view, this.#weights, count);
    this.#waiting = 0;
    if (closed !== count) throw failure(-DAMAGED);
  }

  /** Close one unit; after a few of these in a row, the next may wait. */
  #closeNow(weight) {
    if (!Number.isSafeInteger(weight)) throw unsafe(weight, "weight");
    const single = this.#single + 1;
    const view = this.#taken();
    const status = this.#call.close(view, weight);
    if (status === 0) {
      const sum = this.#weight + weight;
      this.#weight = Number.isSafeInteger(sum) ? sum : this.#weighed(view);
      this.#single = single;
    }
    this.#view = view;
    if (status < 0) throw failure(status);
    if (single >= FEW && Math.abs(this.#weight) <= CALM) this.#ready = this.#call.ready(view);
  }

  /** The address, for a call that changes the view. The caller puts it back, unless the call broke off. */
  #taken() {
    const view = this.#address();
    this.#view = 0;
    return view;
  }

  /** What C says of the weight. */
  #weighed(view) {
    const weight = this.#call.weight(view);
    const small = weight | 0; // the engine adds up small integers faster than doubles that are small
    if (small === weight) return small;
    return Number.isSafeInteger(weight) ? weight : NaN;
  }

  /** Make a call that changes the view. */
  #calling(call) {
    const view = this.#taken();
    const answer = call(view);
    this.#weight = this.#weighed(view);
    this.#view = view;
    return answer;
  }

  #load(address, count) {
    return this.#calling((view) => this.#call.load(view, address, count));
  }

  #settleAbove(budget, rank, number) {
    const answer =
      number === OWN
        ? this.#settleBy(budget, rank)
        : this.#calling((view) => this.#call.settle(view, budget, number));
    if (answer < 0) throw failure(answer);
    if (answer < 4) return IDLE[answer];
    return merges(this.#core.runs(this.#view, answer >> 2, number === SMALLEST), answer & 3);
  }

  /** Settle by a function; if that throws, the nodes are put back. */
  #settleBy(budget, rank) {
    return this.#core.kept(this.#address(), (address, count) => {
      try {
        return this.#asking(rank, (view) => this.#call.settle_by(view, budget));
      } catch (error) {
        if (this.#view !== 0) this.#load(address, count);
        throw error;
      }
    });
  }

  /** Make a call in which C asks `rank`. What that throws is thrown here, after C has come to its end. */
  #asking(rank, call) {
    const core = this.#core;
    if (core.asked !== null) throw new Error("a rank must not have another rank asked");
    const asked = { rank, failed: false, error: undefined };
    const view = this.#taken();
    core.asked = asked;
    this.#why = ASKING;
    try {
      const answer = call(view);
      this.#weight = this.#weighed(view);
      this.#view = view;
      if (asked.failed) throw asked.error;
      return answer;
    } finally {
      core.asked = null;
      this.#why = BROKEN;
    }
  }
}

if (Symbol.dispose) {
  Object.defineProperty(Cover.prototype, Symbol.dispose, {
    value: Cover.prototype.free,
    writable: true,
    configurable: true,
  });
}

function numbered(rank) {
  if (rank === "smallest_first") return SMALLEST;
  if (rank === "age_over_size") return 1;
  if (typeof rank === "function") return OWN;
  throw new TypeError(`rank must be "smallest_first", "age_over_size" or a function, not ${shown(rank)}`);
}
