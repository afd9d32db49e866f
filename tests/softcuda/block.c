/* Executes a block: each thread runs until it ends or waits; barriers and warp operations let go of
 * those who wait when all have come. SPDX-License-Identifier: Apache-2.0 */
#include "block.h"
#include "device/cuda/driver.h"
#include "races.h"
#include "warp.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

softcuda_uint3 softcuda_thread_index, softcuda_block_index;
softcuda_uint3 softcuda_block_size, softcuda_grid_size;

static struct {
  softcuda_thread threads[SOFTCUDA_THREADS_MAX];
  softcuda_warp_state warps[SOFTCUDA_THREADS_MAX / SOFTCUDA_WARP];
  softcuda_thread *running;
  unsigned count, done, waiting; /* threads, ended ones, ones at the barrier */
  void (*call)(void **);
  void **parameters;
  int result;
  char reason[512];
} block;

/* ---- ending early ---- */

void softcuda_stop(int result, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(block.reason, sizeof block.reason, format, arguments);
  va_end(arguments);
  block.result = result;
  softcuda_fiber_abandon();
}

static void fail_outside(const char *reason)
{
  snprintf(block.reason, sizeof block.reason, "%s", reason);
  block.result = BASIN_CU_LAUNCH_FAILED;
}

const char *softcuda_stop_reason(void)
{
  return block.reason;
}

unsigned softcuda_thread_number(void)
{
  return block.running ? (unsigned)(block.running - block.threads) : 0;
}

unsigned softcuda_lane(void)
{
  return softcuda_thread_number() % SOFTCUDA_WARP;
}

/* ---- waiting ---- */

static void wait_here(softcuda_waiting why, const char *file, int line)
{
  softcuda_thread *t = block.running;
  t->waiting = why;
  t->file = file;
  t->line = line;
}

int softcuda_barrier(int kind, int value, const char *file, int line)
{
  softcuda_thread *t = block.running;
  t->operation = kind;
  t->value = (unsigned)value;
  wait_here(SOFTCUDA_AT_BARRIER, file, line);
  block.waiting++;
  softcuda_fiber_pause();
  return (int)t->result;
}

unsigned long long softcuda_warp(int operation,
                                 unsigned mask,
                                 unsigned long long value,
                                 int argument,
                                 int width,
                                 const char *file,
                                 int line)
{
  softcuda_thread *t = block.running;
  unsigned lane = softcuda_lane();
  if (!(mask >> lane & 1))
    softcuda_stop(BASIN_CU_LAUNCH_FAILED,
                  "%s:%d: a warp operation whose mask 0x%08x lacks the lane itself, %u",
                  file,
                  line,
                  mask,
                  lane);
  if (width < 1 || width > 32 || (width & (width - 1)))
    softcuda_stop(BASIN_CU_LAUNCH_FAILED, "%s:%d: a shuffle of width %d", file, line, width);
  t->operation = operation;
  t->mask = mask;
  t->value = value;
  t->argument = argument;
  t->width = width;
  wait_here(SOFTCUDA_AT_WARP, file, line);
  unsigned number = softcuda_thread_number() / SOFTCUDA_WARP;
  block.warps[number].waiting |= 1u << lane;
  softcuda_warp_complete(&block.warps[number], mask);
  if (t->waiting == SOFTCUDA_READY)
    softcuda_races_warp(number);
  else
    softcuda_fiber_pause();
  return t->result;
}

/* ---- the barrier ---- */

static const softcuda_thread *first_at_barrier(void)
{
  for (unsigned i = 0; i < block.count; i++)
    if (block.threads[i].waiting == SOFTCUDA_AT_BARRIER) return &block.threads[i];
  return NULL;
}

/* All threads wait at a barrier, or some have ended: is it one barrier for all? */
static bool barrier_uniform(const softcuda_thread *first)
{
  for (unsigned i = 0; i < block.count; i++) {
    const softcuda_thread *t = &block.threads[i];
    if (t->waiting == SOFTCUDA_DONE) {
      char text[200];
      snprintf(text,
               sizeof text,
               "barrier in divergent control flow: thread %u waits at %s:%d, thread %u has ended",
               (unsigned)(first - block.threads),
               first->file,
               first->line,
               i);
      fail_outside(text);
      return false;
    }
    if (!softcuda_same_place(t, first)) {
      char text[200];
      snprintf(text,
               sizeof text,
               "barrier in divergent control flow: thread %u waits at %s:%d, thread %u at %s:%d",
               (unsigned)(first - block.threads),
               first->file,
               first->line,
               i,
               t->file,
               t->line);
      fail_outside(text);
      return false;
    }
  }
  return true;
}

static void release_barrier(void)
{
  const softcuda_thread *first = first_at_barrier();
  if (!first || !barrier_uniform(first)) return;
  unsigned sum = 0;
  for (unsigned i = 0; i < block.count; i++) sum += (unsigned)block.threads[i].value;
  for (unsigned i = 0; i < block.count; i++) {
    softcuda_thread *t = &block.threads[i];
    t->result = t->operation == SOFTCUDA_BARRIER_AND  ? sum == block.count
                : t->operation == SOFTCUDA_BARRIER_OR ? sum != 0
                                                      : sum;
    t->waiting = SOFTCUDA_READY;
  }
  block.waiting = 0;
  softcuda_races_barrier();
}

static void report_stuck(void)
{
  char text[300];
  for (unsigned i = 0; i < block.count; i++) {
    const softcuda_thread *t = &block.threads[i];
    if (t->waiting != SOFTCUDA_AT_WARP) continue;
    snprintf(text,
             sizeof text,
             "thread %u waits at the warp operation of %s:%d for lanes of its mask 0x%08x that do "
             "not come",
             i,
             t->file,
             t->line,
             t->mask);
    fail_outside(text);
    return;
  }
  fail_outside("threads wait for each other");
}

/* ---- running ---- */

static void run_thread(void)
{
  block.call(block.parameters);
}

static void resume(softcuda_thread *t, unsigned number)
{
  if (!t->fiber) t->fiber = softcuda_fiber_take(run_thread);
  if (!t->fiber) {
    fail_outside("no memory for another stack");
    return;
  }
  softcuda_thread_index = t->index;
  block.running = t;
  bool ended = softcuda_fiber_enter(t->fiber);
  block.running = NULL;
  if (!ended) return;
  softcuda_fiber_give(t->fiber);
  t->fiber = NULL;
  t->waiting = SOFTCUDA_DONE;
  block.done++;
  softcuda_warp_left(&block.warps[number / SOFTCUDA_WARP], number % SOFTCUDA_WARP);
}

/* Lets every thread that can run do so once. */
static bool run_ready(const unsigned *order)
{
  bool any = false;
  for (unsigned i = 0; i < block.count && !block.result; i++) {
    softcuda_thread *t = &block.threads[order[i]];
    if (t->waiting != SOFTCUDA_READY) continue;
    resume(t, order[i]);
    any = true;
  }
  return any;
}

static void start_threads(void)
{
  softcuda_uint3 index = {0, 0, 0};
  block.count = softcuda_block_size.x * softcuda_block_size.y * softcuda_block_size.z;
  memset(block.threads, 0, block.count * sizeof *block.threads);
  for (unsigned i = 0; i < block.count; i++) {
    block.threads[i].index = index;
    if (++index.x < softcuda_block_size.x) continue;
    index.x = 0;
    if (++index.y < softcuda_block_size.y) continue;
    index.y = 0;
    index.z++;
  }
  for (unsigned first = 0; first < block.count; first += SOFTCUDA_WARP) {
    unsigned count = block.count - first;
    block.warps[first / SOFTCUDA_WARP] = (softcuda_warp_state){
        .threads = &block.threads[first],
        .lanes = count < SOFTCUDA_WARP ? (1u << count) - 1 : 0xffffffffu,
    };
  }
}

int softcuda_block_run(void (*call)(void **), void **parameters, const unsigned *order)
{
  block.done = block.waiting = 0;
  block.call = call;
  block.parameters = parameters;
  block.result = 0;
  softcuda_races_block();
  start_threads();
  while (!block.result && block.done < block.count) {
    bool progress = run_ready(order);
    if (block.result) break;
    if (block.waiting && block.waiting + block.done == block.count)
      release_barrier();
    else if (!progress)
      report_stuck();
  }
  for (unsigned i = 0; i < block.count; i++)
    if (block.threads[i].fiber) softcuda_fiber_give(block.threads[i].fiber);
  return block.result;
}
