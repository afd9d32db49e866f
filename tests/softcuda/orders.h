/* For tests: does a thing give the same bytes whatever the order of blocks and threads?
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_SOFTCUDA_ORDERS_H
#define BASIN_SOFTCUDA_ORDERS_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Runs `run` once an order; it writes `size` bytes to `result` and returns 0. False if one run
 * fails or the bytes differ. On a real device the runs are all alike. */
static inline bool
softcuda_same_in_all_orders(int (*run)(void *user, void *result), void *user, size_t size)
{
  static const char *const orders[] = {"forward", "reverse", "random:1", "random:2"};
  unsigned char *first = calloc(size + 1, 1), *other = calloc(size + 1, 1);
  bool same = first && other;
  for (size_t i = 0; same && i < sizeof orders / sizeof *orders; i++) {
    setenv("SOFTCUDA_ORDER", orders[i], 1);
    same = run(user, i ? other : first) == 0;
    same = same && (i == 0 || memcmp(first, other, size) == 0);
  }
  unsetenv("SOFTCUDA_ORDER");
  free(first);
  free(other);
  return same;
}

#endif
