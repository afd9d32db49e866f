/* Compiled kernels on disk, one file a key: atomic, checked, bounded in size, never a reason to
 * fail. SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_BASE_CACHE_H
#define BASIN_BASE_CACHE_H

#include "base/key.h"

/* In the folder of the context's options; off if that is "" or $BASIN_CACHE is "off". May be used
 * from several threads. */
typedef struct basin_cache basin_cache;

basin_status basin__cache_create(basin_context *context, basin_cache **cache);
void basin__cache_destroy(basin_cache *cache);

/* Whether kernels are kept at all. */
bool basin__cache_enabled(const basin_cache *cache);

/* The bytes stored under `key`, to be released with basin__cache_release; NULL if there are none. A
 * damaged file is removed and reported once in the log. */
void *basin__cache_get(basin_cache *cache, const basin_key *key, size_t *size);
void basin__cache_release(basin_cache *cache, void *data, size_t size);

/* Keeps bytes under `key`. A folder that cannot be written to is a warning, once; the oldest files
 * make room. */
void basin__cache_put(basin_cache *cache, const basin_key *key, const void *data, size_t size);

#endif
