/* What src/ffi.rs takes for granted about the structs of foldcover.h. Only compiled, on every build; never linked. */
#include "foldcover.h"

_Static_assert(FC_ABI == 2, "src/ffi.rs declares another ABI");

_Static_assert(sizeof(fc_block) == 16, "fc_block");
_Static_assert(offsetof(fc_block, start) == 0, "fc_block.start");
_Static_assert(offsetof(fc_block, size) == 8, "fc_block.size");

_Static_assert(sizeof(fc_node) == 24, "fc_node");
_Static_assert(offsetof(fc_node, size) == 0, "fc_node.size");
_Static_assert(offsetof(fc_node, weight) == 8, "fc_node.weight");
_Static_assert(offsetof(fc_node, kind) == 16, "fc_node.kind");
_Static_assert(offsetof(fc_node, span) == 20, "fc_node.span");

_Static_assert(sizeof(fc_allocator) == 3 * sizeof(void *), "fc_allocator");
_Static_assert(offsetof(fc_allocator, allocate) == 0, "fc_allocator.allocate");
_Static_assert(offsetof(fc_allocator, release) == sizeof(void *), "fc_allocator.release");
_Static_assert(offsetof(fc_allocator, context) == 2 * sizeof(void *), "fc_allocator.context");
