/* What must compile: every part of the types, used as the README says. */

import {
  Core,
  Cover,
  load,
  type Block,
  type Outcome,
  type Rank,
  type Settled,
  type Tree,
  type View,
} from "foldcover-native";

export async function used(bytes: Uint8Array, compiled: object): Promise<Outcome> {
  const core: Core = await load();
  await load(bytes);
  await load(bytes.buffer);
  await load(compiled);

  using cover = new Cover(core);
  cover.close();
  cover.close(12);
  const asked: readonly Block[] = cover.wanted(30);
  const wrote: boolean[] = asked.map((block) => cover.write(block, 10));
  cover.write({ start: 0, size: 2 });

  const oldest: Rank = (one, other, units) => units - one.start > units - other.start;
  for (const rank of ["smallest_first", "age_over_size", oldest] as const) cover.wanted(30, rank);
  const { merged, outcome }: Settled = cover.settle(30, oldest);
  const starts: number[] = [...merged, ...cover.cover(), ...cover.zoom({ start: 0, size: 1 })].map(
    ({ start }) => start,
  );

  const written: View = [{ leaf: 1 }, { merged: [4, 2] }, { split: [{ leaf: 1 }, { leaf: 1 }, null] }];
  cover.load(written);
  const saved: Tree[] = cover.save();
  cover.load(saved);
  const sum: number = cover.units + cover.lines + cover.weight + lines(saved);
  cover.reset();
  cover.free();
  return wrote.length + starts.length + sum > 0 ? outcome : "stuck";
}

function lines(view: View): number {
  return view
    .map((tree) => ("split" in tree ? lines([tree.split[0], tree.split[1]]) : 1))
    .reduce((sum, each) => sum + each, 0);
}
