/* Tests of runtime/base/hash.c against values of the XXH3 specification's reference implementation.
 * SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

static void known_values(void **state)
{
  (void)state;
  char hex[33];
  basin__hash_hex(NULL, 0, hex);
  assert_string_equal(hex, "99aa06d3014798d86001c324468d497f");           /* XXH3-128 of nothing */
  assert_true(basin__hash64(NULL, 0, 0) == UINT64_C(0x2d06800538d394c2)); /* XXH3-64 of nothing */
}

static void every_bit_counts(void **state)
{
  (void)state;
  unsigned char data[300];
  for (size_t i = 0; i < sizeof data; ++i) data[i] = (unsigned char)(i * 37);
  char reference[33], changed[33];
  basin__hash_hex(data, sizeof data, reference);
  uint64_t reference64 = basin__hash64(data, sizeof data, 1);
  assert_true(reference64 != basin__hash64(data, sizeof data, 2));
  for (size_t bit = 0; bit < 8 * sizeof data; ++bit) {
    data[bit / 8] ^= (unsigned char)(1u << bit % 8);
    basin__hash_hex(data, sizeof data, changed);
    assert_string_not_equal(reference, changed);
    assert_true(reference64 != basin__hash64(data, sizeof data, 1));
    data[bit / 8] ^= (unsigned char)(1u << bit % 8);
  }
  assert_int_equal(strspn(reference, "0123456789abcdef"), 32);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(known_values),
      cmocka_unit_test(every_bit_counts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
