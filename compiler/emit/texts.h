/* The headers of both dialects as data, made at build time.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_EMIT_TEXTS_H
#define BASIN_EMIT_TEXTS_H

#include "emit/emit.h"

/* Names are those of the source files. */
extern const basin_dialect_file basin__dialect_texts[];
extern const size_t basin__dialect_text_count;

#endif
