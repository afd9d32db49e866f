/* Numbers as little-endian bytes, appended to a buffer or put in place.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_OUTPUT_LITTLE_ENDIAN_H
#define BASIN_OUTPUT_LITTLE_ENDIAN_H

#include "base/base.h"
#include <string.h>

static inline void basin__put_little(basin_strbuf *out, uint64_t value, size_t bytes)
{
  char text[8];
  for (size_t i = 0; i < bytes; ++i) text[i] = (char)(value >> (8 * i) & 0xff);
  basin__strbuf_append(out, text, bytes);
}

static inline void basin__put_double(basin_strbuf *out, double value)
{
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  basin__put_little(out, bits, 8);
}

static inline uint64_t basin__get_little(const unsigned char *data, size_t bytes)
{
  uint64_t value = 0;
  for (size_t i = bytes; i-- > 0;) value = value << 8 | data[i];
  return value;
}

#endif
