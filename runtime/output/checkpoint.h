/* The checkpoint object, shared by its writer and reader.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_OUTPUT_CHECKPOINT_H
#define BASIN_OUTPUT_CHECKPOINT_H

#include "base/base.h"
#include <basin/output.h>

enum { BASIN_CHECKPOINT_MAX_NAME = 512 };

typedef struct basin_checkpoint_entry {
  char *name;
  basin_checkpoint_type type;
  unsigned dims;
  size_t shape[BASIN_CHECKPOINT_MAX_DIMS];
  size_t count;
  void *data; /* count items of the type; NULL when count is 0 */
} basin_checkpoint_entry;

struct basin_checkpoint {
  basin_context *context;
  basin_checkpoint_entry *entries;
  size_t count, capacity;
};

size_t basin__checkpoint_item(basin_checkpoint_type type); /* bytes */
/* Adds an entry with uninitialized data; name and shape are checked. `*data` may be NULL when the
 * shape holds nothing. */
basin_status basin__checkpoint_reserve(basin_checkpoint *checkpoint,
                                       const char *name,
                                       basin_checkpoint_type type,
                                       unsigned dims,
                                       const size_t *shape,
                                       void **data);
/* Product of a shape; false if it overflows with items of 8 bytes. */
bool basin__shape_count(unsigned dims, const size_t *shape, size_t *count);

/* Signatures of the parts of a ZIP archive. Format: PKWARE, "APPNOTE.TXT - .ZIP File Format
 * Specification", 6.3. */
enum {
  BASIN_ZIP_LOCAL = 0x04034b50,
  BASIN_ZIP_CENTRAL = 0x02014b50,
  BASIN_ZIP_END = 0x06054b50,
  BASIN_ZIP_LOCAL_SIZE = 30,
  BASIN_ZIP_CENTRAL_SIZE = 46,
  BASIN_ZIP_END_SIZE = 22
};

#endif
