/* The functions that compiled kernels call: the C library's mathematics, one number or one register
 * at a time. SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_BACKEND_SYMBOLS_H
#define BASIN_BACKEND_SYMBOLS_H

#include "backend/object.h"

/* A basin_resolve_function: names of libm and, where the system has it, of libmvec. `user` is not
 * used. */
basin_code basin__symbol(void *user, const char *name);

/* Whether every vector function that the dialect can name is there (glibc 2.35 or newer on x86-64).
 */
bool basin__symbols_have_vector_math(void);

#endif
