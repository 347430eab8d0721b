/* Which numbers are taken, alone or as blocks: integers that a double holds exactly. All else is an error that names
 * the argument. */

/** The value, if it is a safe integer. */
export function safe(value, name) {
  if (!Number.isSafeInteger(value)) throw unsafe(value, name);
  return value;
}

/** The start and the size of a block. */
export function ends(block) {
  if (typeof block !== "object" || block === null) {
    throw new TypeError(`block must be {start, size}, not ${shown(block)}`);
  }
  const { start, size } = block;
  return [safe(start, "block.start"), safe(size, "block.size")];
}

/** The error for a value that is no safe integer. */
export function unsafe(value, name) {
  if (typeof value !== "number") return new TypeError(`${name} must be a number, not ${shown(value)}`);
  return new RangeError(`${name} must be an integer from -(2^53 - 1) to 2^53 - 1, not ${value}`);
}

/** A stranger's value in a few words. */
export function shown(value) {
  if (typeof value === "string") return JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}...` : value);
  if (typeof value === "bigint") return "a BigInt";
  if (value === null || value === undefined || typeof value === "boolean") return String(value);
  if (typeof value === "object") return Array.isArray(value) ? "an array" : "an object";
  return `a ${typeof value}`;
}
