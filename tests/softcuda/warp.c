/* Shuffles, votes, matches and reductions among the lanes of a warp. What they give: CUDA C++
 * Programming Guide, "Warp Shuffle Functions" and the sections around it.
 * SPDX-License-Identifier: Apache-2.0 */
#include "warp.h"
#include "abi.h"

#include <string.h>

/* What a lane reads from one that does not take part: undefined, so a NaN. */
#define UNDEFINED 0x7ff4dead7ff4deadull

static bool same_operation(const softcuda_thread *a, const softcuda_thread *b)
{
  return a->waiting == SOFTCUDA_AT_WARP && a->operation == b->operation && a->mask == b->mask &&
         a->line == b->line && strcmp(a->file, b->file) == 0;
}

/* The lane a shuffle reads from; the lane itself where the source is out of its segment. */
static unsigned source_lane(const softcuda_thread *t, unsigned lane)
{
  unsigned width = (unsigned)t->width, first = lane & ~(width - 1), last = first + width - 1;
  unsigned argument = (unsigned)t->argument;
  switch (t->operation) {
  case SOFTCUDA_SHUFFLE:
    return first + (argument & (width - 1));
  case SOFTCUDA_SHUFFLE_UP:
    return argument <= lane - first ? lane - argument : lane;
  case SOFTCUDA_SHUFFLE_DOWN:
    return argument <= last - lane ? lane + argument : lane;
  default:
    return (lane ^ argument) <= last ? lane ^ argument : lane;
  }
}

static unsigned long long combine(int operation, unsigned long long a, unsigned long long b)
{
  switch (operation) {
  case SOFTCUDA_REDUCE_ADD:
    return a + b;
  case SOFTCUDA_REDUCE_AND:
    return a & b;
  case SOFTCUDA_REDUCE_OR:
    return a | b;
  case SOFTCUDA_REDUCE_XOR:
    return a ^ b;
  case SOFTCUDA_REDUCE_MIN:
    return (long long)a < (long long)b ? a : b;
  default:
    return (long long)a > (long long)b ? a : b;
  }
}

static unsigned long long vote(const softcuda_thread *warp, unsigned present, unsigned lane)
{
  unsigned long long result = 0;
  for (unsigned i = 0; i < 32; i++)
    if (present >> i & 1)
      if (warp[lane].operation == SOFTCUDA_BALLOT ? warp[i].value != 0
                                                  : warp[i].value == warp[lane].value)
        result |= 1u << i;
  return result;
}

static unsigned long long reduce(const softcuda_thread *warp, unsigned present, unsigned lane)
{
  bool first = true;
  unsigned long long result = 0;
  for (unsigned i = 0; i < 32; i++) {
    if (!(present >> i & 1)) continue;
    result = first ? warp[i].value : combine(warp[lane].operation, result, warp[i].value);
    first = false;
  }
  return result;
}

static unsigned long long result_of(const softcuda_thread *warp, unsigned present, unsigned lane)
{
  switch (warp[lane].operation) {
  case SOFTCUDA_SHUFFLE:
  case SOFTCUDA_SHUFFLE_UP:
  case SOFTCUDA_SHUFFLE_DOWN:
  case SOFTCUDA_SHUFFLE_XOR: {
    unsigned source = source_lane(&warp[lane], lane);
    return source < 32 && present >> source & 1 ? warp[source].value : UNDEFINED;
  }
  case SOFTCUDA_SYNC:
    return 0;
  case SOFTCUDA_BALLOT:
  case SOFTCUDA_MATCH_ANY:
    return vote(warp, present, lane);
  default:
    return reduce(warp, present, lane);
  }
}

void softcuda_warp_complete(softcuda_thread *warp, unsigned lanes, unsigned mask)
{
  unsigned present = 0, first = 32;
  for (unsigned i = 0; i < lanes; i++) {
    if (!(mask >> i & 1) || warp[i].waiting == SOFTCUDA_DONE) continue;
    if (first == 32) first = i;
    if (!same_operation(&warp[i], &warp[first]) || warp[i].mask != mask) return;
    present |= 1u << i;
  }
  for (unsigned i = 0; i < lanes; i++)
    if (present >> i & 1) warp[i].result = result_of(warp, present, i);
  for (unsigned i = 0; i < lanes; i++)
    if (present >> i & 1) warp[i].waiting = SOFTCUDA_READY;
}

void softcuda_warp_left(softcuda_thread *warp, unsigned lanes)
{
  for (unsigned i = 0; i < lanes; i++)
    if (warp[i].waiting == SOFTCUDA_AT_WARP) softcuda_warp_complete(warp, lanes, warp[i].mask);
}
