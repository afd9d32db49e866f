/* A warp of 32 lanes on the CPU: each lane is a context of its own and runs until all must meet.
 * Just enough for the projection; one warp at a time. SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_TEST_PSD_WARP_H
#define BASIN_TEST_PSD_WARP_H

#include <assert.h>
#include <setjmp.h>
#include <stdbool.h>
#include <string.h>
#include <ucontext.h>

enum { warp_lanes = 32, warp_stack = 1 << 17 };

static struct {
  unsigned x;
} threadIdx;

typedef void warp_body(void *user, int lane);
static struct {
  ucontext_t start; /* contexts begin lanes; later switches are jumps, which are cheaper */
  jmp_buf lanes[warp_lanes], back;
  char stacks[warp_lanes][warp_stack];
  bool done[warp_lanes];
  warp_body *body;
  void *user;
  double values[2][warp_lanes]; /* of the last meetings, in turn */
  int turns[warp_lanes];
} warp;

static void warp_enter(void)
{
  const int lane = (int)threadIdx.x;
  warp.body(warp.user, lane);
  warp.done[lane] = true;
  _longjmp(warp.back, 1);
}

/* Lets a lane run until it meets the others or is done. */
static void warp_resume(int lane, bool first)
{
  threadIdx.x = (unsigned)lane;
  if (_setjmp(warp.back)) return;
  if (!first) _longjmp(warp.lanes[lane], 1);
  getcontext(&warp.start);
  warp.start.uc_stack.ss_sp = warp.stacks[lane];
  warp.start.uc_stack.ss_size = warp_stack;
  warp.start.uc_link = NULL;
  makecontext(&warp.start, warp_enter, 0);
  setcontext(&warp.start);
}

/* Runs the body once a lane. */
static void warp_run(warp_body *body, void *user)
{
  warp.body = body;
  warp.user = user;
  memset(warp.done, 0, sizeof warp.done);
  memset(warp.turns, 0, sizeof warp.turns);
  bool first = true;
  for (int left = warp_lanes; left > 0;) {
    left = 0;
    for (int lane = 0; lane < warp_lanes; lane++) {
      if (warp.done[lane]) continue;
      warp_resume(lane, first);
      left += !warp.done[lane];
    }
    first = false;
    assert(left == 0 || left == warp_lanes); /* all meet, or all are done */
  }
}

/* All lanes hand in a value and see those of all. */
static const double *warp_meet(double value)
{
  const int lane = (int)threadIdx.x, turn = warp.turns[lane]++ % 2;
  warp.values[turn][lane] = value;
  if (!_setjmp(warp.lanes[lane])) _longjmp(warp.back, 1);
  return warp.values[turn];
}

static inline void __syncwarp(void)
{
  (void)warp_meet(0);
}

static inline unsigned __ballot_sync(unsigned lanes, bool value)
{
  const double *values = warp_meet(value);
  unsigned result = 0;
  assert(lanes == 0xffffffffu);
  for (int lane = 0; lane < warp_lanes; lane++) result |= (unsigned)(values[lane] != 0) << lane;
  return result;
}

static inline bool __any_sync(unsigned lanes, bool value)
{
  return __ballot_sync(lanes, value) != 0;
}

static inline basin_scalar __shfl_sync(unsigned lanes, basin_scalar value, int source, int width)
{
  const int first = (int)threadIdx.x / width * width;
  assert(lanes == 0xffffffffu);
  return (basin_scalar)warp_meet(value)[first + source % width];
}

#define __popc(a) __builtin_popcount(a)

#endif
