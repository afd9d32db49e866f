/* Shuffles, votes, matches and reductions among the lanes of a warp. What they give: CUDA C++
 * Programming Guide, "Warp Shuffle Functions" and the sections around it.
 * SPDX-License-Identifier: Apache-2.0 */
#include "warp.h"
#include "abi.h"

#include <string.h>

/* What a lane reads from one that does not take part: undefined, so a NaN. */
#define UNDEFINED 0x7ff4dead7ff4deadull

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

/* Whether all lanes get the same. */
static bool is_common(int operation)
{
  return operation == SOFTCUDA_SYNC || operation == SOFTCUDA_BALLOT ||
         operation >= SOFTCUDA_REDUCE_ADD;
}

void softcuda_warp_complete(softcuda_warp_state *warp, unsigned mask)
{
  unsigned present = mask & warp->lanes & ~warp->ended;
  if (!present || (warp->waiting & present) != present) return;
  const softcuda_thread *first = &warp->threads[__builtin_ctz(present)];
  for (unsigned left = present; left; left &= left - 1) {
    const softcuda_thread *t = &warp->threads[__builtin_ctz(left)];
    if (t->mask != mask || !softcuda_same_place(t, first)) return;
  }
  bool common = is_common(first->operation);
  unsigned long long result =
      common ? result_of(warp->threads, present, (unsigned)__builtin_ctz(present)) : 0;
  for (unsigned left = present; left; left &= left - 1) {
    unsigned lane = (unsigned)__builtin_ctz(left);
    warp->threads[lane].result = common ? result : result_of(warp->threads, present, lane);
    warp->threads[lane].waiting = SOFTCUDA_READY;
  }
  warp->waiting &= ~present;
}

void softcuda_warp_left(softcuda_warp_state *warp, unsigned lane)
{
  warp->ended |= 1u << lane;
  for (unsigned left = warp->waiting; left; left &= left - 1) {
    const softcuda_thread *t = &warp->threads[__builtin_ctz(left)];
    if (t->waiting == SOFTCUDA_AT_WARP) softcuda_warp_complete(warp, t->mask);
  }
}
