"""How cffi compiles the C core.

The declarations are the header itself, less its preprocessor lines: there is no second copy that could drift. What is
added is the memory (malloc and free) and the door through which C asks a rank written in Python.
"""

from pathlib import Path

from cffi import FFI

C = Path(__file__).resolve().parent / "c"

HEADER = (C / "foldcover.h").read_text(encoding="utf-8")
FOR_COMPILERS = ("#", 'extern "C" {')
DECLARATIONS = "\n".join(line for line in HEADER.splitlines() if not line.startswith(FOR_COMPILERS) and line != "}")

ADDED = """
fc_view *foldcover_native_open(void);
extern "Python" int foldcover_native_before(void *context, fc_block one, fc_block other, int64_t units);
"""

SOURCE = """
#include <stdlib.h>
#include "foldcover.h"

static void *allocate(void *context, size_t bytes) { (void)context; return malloc(bytes); }
static void release(void *context, void *memory, size_t bytes) { (void)context; (void)bytes; free(memory); }

static fc_view *foldcover_native_open(void) {
    const fc_allocator memory = {allocate, release, NULL};
    return fc_open(&memory);
}
"""

builder = FFI()
builder.cdef(DECLARATIONS + ADDED)
# setuptools wants paths relative to the folder of setup.py.
builder.set_source("foldcover_native._ffi", SOURCE, sources=["c/foldcover.c"], include_dirs=["c"])
