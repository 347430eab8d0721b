/* The memory of the WebAssembly module, as foldcover.c asks for it. */
#ifndef MEMORY_H
#define MEMORY_H

#include <stddef.h>

void *memory_allocate(void *context, size_t bytes);
void memory_release(void *context, void *memory, size_t bytes);

#endif
