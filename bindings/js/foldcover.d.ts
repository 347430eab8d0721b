/* The types of foldcover.mjs. Every number is an integer from -(2^53 - 1) to 2^53 - 1. */

/// <reference lib="esnext.disposable" />

/** The units start .. start + size - 1. */
export interface Block {
  readonly start: number;
  readonly size: number;
}

/** A unit, shown with its title; a block shown as one line; a block shown as its two halves. */
export type Tree =
  | { readonly leaf: number }
  | { readonly merged: readonly [size: number, weight: number] }
  | { readonly split: readonly [older: Tree, newer: Tree, line: number | null] };

/** Trees, newest first. */
export type View = readonly Tree[];

/**
 * The order in which ready pairs are merged: by size; by (units - start) / size, the largest first; or by a function
 * that says whether one block goes before another. A function must be pure and a strict weak order.
 */
export type Rank = "smallest_first" | "age_over_size" | ((one: Block, other: Block, units: number) => boolean);

/**
 * fits: the view was within the budget. settled: it was above, and weighs at most half of it now. stuck: no pair is
 * ready, and it weighs more than that.
 */
export type Outcome = "fits" | "settled" | "stuck";

/** What settle did: the blocks that it merged, in order, made when they are first read; and how it ended. */
export interface Settled {
  readonly merged: readonly Block[];
  readonly outcome: Outcome;
}

/** The C core, compiled and with a memory of its own, at most 4 GiB for all its covers. `load` makes it. */
export class Core {
  private constructor();
  private readonly call: unknown;
}

/**
 * Compile the C core. Without a source the file foldcover.wasm beside the module is read (file:) or fetched.
 * @param source the bytes of foldcover.wasm, or a WebAssembly.Module (whose type is not known everywhere)
 */
export function load(source?: ArrayBuffer | ArrayBufferView | object): Promise<Core>;

/**
 * A view, empty at first, changed in place. After any error it is as it was.
 *
 * Throws a TypeError for what has the wrong type, a RangeError for a number that is no safe integer, for more than 2^48
 * units, for weights that add up to more than 64 bits hold, and for a view that is not aligned; an Error where there is
 * no memory, and after `free`.
 */
export class Cover {
  constructor(core: Core);

  /** How many units the view covers. */
  get units(): number;
  /** How many lines it shows. */
  get lines(): number;
  /** What the shown lines weigh together. A RangeError where that is no safe integer. */
  get weight(): number;

  /** Append a unit whose title weighs `weight`, 1 by default. Amortised constant. */
  close(weight?: number): void;
  /** Note that the line of `block` exists, weight 1 by default; whether it is a Split that had none. */
  write(block: Block, weight?: number): boolean;
  /** The lines that settle will certainly need, in the order of merging. */
  wanted(budget: number, rank?: Rank): readonly Block[];
  /** Merge ready pairs, top-ranked first, until the view weighs at most budget / 2, once it is above the budget. */
  settle(budget: number, rank?: Rank): Settled;
  /** The units of the range, oldest first, as blocks of size 1; [] where it is empty or leaves the view. */
  zoom(block: Block): readonly Block[];
  /** The shown blocks, oldest first. */
  cover(): Block[];
  /** The view as trees, newest first. */
  save(): Tree[];
  /** Take over a view, of 2^22 nodes at most. It must be aligned, as all are to which these operations lead. */
  load(view: View): void;
  /** Make it empty again; its memory is kept. */
  reset(): void;
  /** Give its memory back. Every later use but free is an error. A cover that is out of reach is freed as well. */
  free(): void;
  /** The same as free, for `using`; where the engine knows Symbol.dispose. */
  [Symbol.dispose](): void;
}
