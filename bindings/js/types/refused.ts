/* What must not compile: an error is expected in each line below such a comment, and its absence is one. */

import { Core, Cover, load } from "foldcover-native";

const core = await load();
const cover = new Cover(core);

// @ts-expect-error A core is made by load.
new Core();
// @ts-expect-error A cover needs a core.
new Cover();
// @ts-expect-error It must be one.
new Cover({});
// @ts-expect-error A path is no source.
await load("foldcover.wasm");
// @ts-expect-error Numbers, not BigInts.
cover.close(1n);
// @ts-expect-error Numbers, not strings.
cover.close("1");
// @ts-expect-error A block has a size.
cover.write({ start: 0 });
// @ts-expect-error A block is no pair.
cover.zoom([0, 2]);
// @ts-expect-error A budget must be given.
cover.settle();
// @ts-expect-error No such rank.
cover.settle(8, "largest_first");
// @ts-expect-error A rank says true or false.
cover.wanted(8, (one, other) => one.size - other.size);
// @ts-expect-error A rank cannot wait.
cover.wanted(8, async () => true);
// @ts-expect-error A line that is not written is null.
cover.load([{ split: [{ leaf: 1 }, { leaf: 1 }, undefined] }]);
// @ts-expect-error No such tree.
cover.load([{ line: 1 }]);
// @ts-expect-error Measures are read only.
cover.units = 3;
// @ts-expect-error What is answered is read only.
cover.settle(8).merged.push({ start: 0, size: 2 });
// @ts-expect-error An outcome is a word.
cover.settle(8).outcome === 1;
// @ts-expect-error Not a method.
cover.merge();
