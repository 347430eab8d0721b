/* Views as trees, and as the nodes that the C core keeps.
 *
 * A view is an array of trees, newest first: {leaf: weight}, {merged: [size, weight]} or {split: [older, newer, line]},
 * line the weight of its own line or null. The nodes are a postfix expression, oldest first. Both say the same.
 * Whatever a stranger's view holds, each of its properties is read once.
 */

import { NUMBERS_A_NODE } from "./core.mjs";
import { safe, shown } from "./numbers.mjs";

const [LEAF, MERGED, SPLIT, WRITTEN] = [1, 2, 3, 4];
const MOST_UNITS = 2 ** 48;
const MOST_NODES = 2 ** 22;
const DEEPEST = 48; // the halves of 2^48 units, halved to the last

/** The nodes of a view, four numbers each. Throws what says where the view is none. */
export function toNodes(view) {
  if (!Array.isArray(view)) throw new TypeError(`view must be an array of trees, not ${shown(view)}`);
  const nodes = [];
  let units = 0;
  for (let index = view.length - 1; index >= 0; index--) {
    units = sized(units + append(nodes, view[index], `view[${index}]`, 0), "view");
  }
  return nodes;
}

/** Append a tree, and say how many units it covers. */
function append(nodes, tree, path, depth) {
  if (depth > DEEPEST) throw new RangeError(`view: a tree is nested more than ${DEEPEST} deep`);
  if (nodes.length >= MOST_NODES * NUMBERS_A_NODE) throw new RangeError("view: more than 2^22 nodes");
  const [kind, value] = only(tree, path);
  if (kind === "leaf") {
    nodes.push(1, safe(value, `${path}.leaf`), LEAF, 1);
    return 1;
  }
  if (kind === "merged") {
    const [size, weight] = items(value, 2, `${path}.merged`);
    nodes.push(sized(size, `${path}.merged[0]`), safe(weight, `${path}.merged[1]`), MERGED, 1);
    return size;
  }
  if (kind !== "split") throw new TypeError(`${path} must be a leaf, a merged or a split, not ${shown(kind)}`);
  const [older, newer, line] = items(value, 3, `${path}.split`);
  const first = nodes.length;
  let size = append(nodes, older, `${path}.split[0]`, depth + 1);
  size = sized(size + append(nodes, newer, `${path}.split[1]`, depth + 1), path);
  const weight = line === null ? 0 : safe(line, `${path}.split[2]`);
  nodes.push(size, weight, line === null ? SPLIT : WRITTEN, (nodes.length - first) / NUMBERS_A_NODE + 1);
  return size;
}

/** The one key of a tree, and its value. */
function only(tree, path) {
  if (typeof tree !== "object" || tree === null) throw new TypeError(`${path} must be a tree, not ${shown(tree)}`);
  const keys = Object.keys(tree);
  if (keys.length !== 1) throw new TypeError(`${path} must be a tree, an object with one key, not ${keys.length}`);
  return [keys[0], tree[keys[0]]];
}

function items(value, length, path) {
  if (Array.isArray(value) && value.length === length) return value;
  throw new TypeError(`${path} must be an array of ${length}, not ${shown(value)}`);
}

function sized(size, path) {
  if (safe(size, path) >= 1 && size <= MOST_UNITS) return size;
  throw new RangeError(`${path}: a block covers 1 to 2^48 units, not ${size}`);
}

/** Builds a view from its nodes, one by one. */
export class TreeBuilder {
  #trees = [];

  /** Take the next node. */
  add(size, weight, kind) {
    if (kind === LEAF) {
      this.#trees.push({ leaf: weight });
    } else if (kind === MERGED) {
      this.#trees.push({ merged: [size, weight] });
    } else {
      const newer = this.#trees.pop();
      const older = this.#trees.pop();
      this.#trees.push({ split: [older, newer, kind === WRITTEN ? weight : null] });
    }
  }

  /** The view. */
  done() {
    return this.#trees.reverse();
  }
}
