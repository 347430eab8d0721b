/* The memory of the WebAssembly module: free lists by size over an end that only grows.
 *
 * The sizes are 2^k and 3 * 2^k, for these are what the arrays of foldcover.c have, and what is released is taken again
 * by the next array of its size. So nothing is split, joined or searched. Addresses are multiples of 16.
 */
#include "memory.h"

#include <stdint.h>

#define PAGE ((uint64_t)65536)
#define SMALLEST ((uint64_t)16)
#define CLASSES 56

typedef struct unused {
    struct unused *next;
} unused;

extern unsigned char __heap_base; /* from the linker: where its own data ends */

static unused *released[CLASSES];
static uint64_t end; /* what lies below is in use or released; 0 at first */

/* Round `bytes` up to a size that is kept, and say the number of its list; CLASSES if it is too much. */
static unsigned class_of(size_t bytes, uint64_t *size) {
    uint64_t power = SMALLEST;
    unsigned number = 0;
    while (power < bytes && number < CLASSES) {
        if (power > SMALLEST && power / 2 * 3 >= bytes) {
            *size = power / 2 * 3;
            return number + 1;
        }
        power *= 2;
        number += 2;
    }
    *size = power;
    return number;
}

/* Take `size` bytes from the end, NULL if the memory does not grow so far. */
static void *extend(uint64_t size) {
    if (end == 0) end = ((uint64_t)(uintptr_t)&__heap_base + SMALLEST - 1) / SMALLEST * SMALLEST;
    uint64_t have = __builtin_wasm_memory_size(0) * PAGE;
    if (size > UINT32_MAX - end) return NULL;
    if (end + size > have) {
        uint64_t pages = (end + size - have + PAGE - 1) / PAGE;
        if (__builtin_wasm_memory_grow(0, (size_t)pages) == SIZE_MAX) return NULL;
    }
    void *memory = (void *)(uintptr_t)end;
    end += size;
    return memory;
}

void *memory_allocate(void *context, size_t bytes) {
    uint64_t size;
    unsigned number = class_of(bytes, &size);
    (void)context;
    if (number >= CLASSES) return NULL;
    unused *found = released[number];
    if (found == NULL) return extend(size);
    released[number] = found->next;
    return found;
}

void memory_release(void *context, void *memory, size_t bytes) {
    uint64_t size;
    unsigned number = class_of(bytes, &size);
    unused *found = memory;
    (void)context;
    if (memory == NULL || number >= CLASSES) return;
    found->next = released[number];
    released[number] = found;
}
