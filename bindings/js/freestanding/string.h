/* What foldcover.c uses of <string.h>, where there is no C library. WebAssembly has an instruction for each. */
#ifndef FREESTANDING_STRING_H
#define FREESTANDING_STRING_H

#define memcpy __builtin_memcpy
#define memmove __builtin_memmove

#endif
