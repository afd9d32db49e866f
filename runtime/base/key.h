/* The key of a compiled kernel: everything that its code depends on.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_BASE_KEY_H
#define BASIN_BASE_KEY_H

#include "base/base.h"

typedef struct basin_key {
  char hex[33];
} basin_key;

/* XXH3-128 of the text without comments and of `configuration`. Comments are left out so that an
 * edit elsewhere in a script, which moves line numbers, recompiles nothing. MEMORY is the only
 * error. */
basin_status basin__key_make(basin_context *context,
                             const char *text,
                             const char *configuration,
                             basin_key *key);

#endif
