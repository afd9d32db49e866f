/* Content hashes: XXH3 in 64 and 128 bits.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/base.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

void basin__hash_hex(const void *data, size_t size, char hex[33])
{
  static const char digits[] = "0123456789abcdef";
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, XXH3_128bits(size ? data : "", size));
  for (size_t i = 0; i < 16; ++i) {
    hex[2 * i] = digits[canonical.digest[i] >> 4];
    hex[2 * i + 1] = digits[canonical.digest[i] & 15];
  }
  hex[32] = '\0';
}

uint64_t basin__hash64(const void *data, size_t size, uint64_t seed)
{
  return XXH3_64bits_withSeed(size ? data : "", size, seed);
}
