#pragma once
#include <stddef.h>

/* What the stand-in libcuda.so.1 adds to the driver's interface. Find these with dlsym: a real driver has none. */
#ifdef __cplusplus
extern "C" {
#endif

/* Writes all counters as JSON and returns the bytes that takes, the end mark included. */
size_t cudasimCounters(char *buffer, size_t size);
void cudasimResetCounters(void);

#ifdef __cplusplus
}
#endif
