/* zlib streams through the context's allocator.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_MESH_DEFLATE_H
#define BASIN_MESH_DEFLATE_H

#include "base/base.h"

/* Inflates a zlib stream that must fill `out` exactly; *complete says whether it did (damaged
 * streams: false). */
basin_status basin__inflate(basin_context *context,
                            const void *data,
                            size_t size,
                            void *out,
                            size_t out_size,
                            bool *complete);
/* Appends the zlib stream of `data` to a buffer. */
basin_status basin__deflate(const void *data, size_t size, basin_strbuf *out);

#endif
