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
  const unsigned *order;         /* numbers of the threads, in which they take turns */
  unsigned next;                 /* place in the order */
  bool first_round;              /* those from `next` on have not started yet */
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

/* ---- turns ---- */

static softcuda_uint3 index_of(unsigned number)
{
  unsigned row = softcuda_block_size.x, layer = row * softcuda_block_size.y;
  if (number < row) return (softcuda_uint3){number, 0, 0};
  return (softcuda_uint3){number % row, number % layer / row, number / layer};
}

/* The next thread in this round that can run, now the running one; NULL: none. */
static softcuda_thread *take_turn(void)
{
  while (block.next < block.count) {
    unsigned number = block.order[block.next++];
    softcuda_thread *t = &block.threads[number];
    if (block.first_round) {
      t->waiting = SOFTCUDA_READY;
      t->index = index_of(number);
      t->fiber = NULL;
    } else if (t->waiting != SOFTCUDA_READY) {
      continue;
    }
    softcuda_thread_index = t->index;
    block.running = t;
    return t;
  }
  return NULL;
}

static void end_thread(softcuda_thread *t)
{
  unsigned number = (unsigned)(t - block.threads);
  t->fiber = NULL;
  t->waiting = SOFTCUDA_DONE;
  block.done++;
  softcuda_warp_left(&block.warps[number / SOFTCUDA_WARP], number % SOFTCUDA_WARP);
}

/* Runs a thread on this fiber, and then those that have not started yet, until one has to wait. */
static void run_threads(void)
{
  do {
    block.call(block.parameters);
    end_thread(block.running);
  } while (block.first_round && take_turn() && (block.running->fiber = softcuda_fiber_running()));
}

/* The fiber of the next turn; NULL: this round is over. */
static softcuda_fiber *next_fiber(void)
{
  softcuda_thread *t = take_turn();
  if (t && !t->fiber) t->fiber = softcuda_fiber_take(run_threads);
  if (t && !t->fiber) fail_outside("no memory for another stack");
  return t ? t->fiber : NULL;
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
  softcuda_fiber_pause(next_fiber());
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
    softcuda_fiber_pause(next_fiber());
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

/* Lets every thread that can run do so once. */
static bool run_ready(void)
{
  bool any = false;
  block.next = 0;
  for (softcuda_fiber *fiber; !block.result && (fiber = next_fiber()) != NULL; any = true) {
    softcuda_fiber *ended = softcuda_fiber_enter(fiber);
    if (ended) softcuda_fiber_give(ended);
  }
  block.running = NULL;
  return any;
}

static void start_warps(void)
{
  for (unsigned first = 0; first < block.count; first += SOFTCUDA_WARP) {
    unsigned count = block.count - first;
    block.warps[first / SOFTCUDA_WARP] = (softcuda_warp_state){
        .threads = &block.threads[first],
        .lanes = count < SOFTCUDA_WARP ? (1u << count) - 1 : 0xffffffffu,
    };
  }
}

/* Those of threads that a failure has left in mid-body; the others have given theirs back. */
static void give_fibers(void)
{
  unsigned started = !block.result ? 0 : block.first_round ? block.next : block.count;
  for (unsigned i = 0; i < started; i++)
    if (block.threads[block.order[i]].fiber)
      softcuda_fiber_give(block.threads[block.order[i]].fiber);
}

int softcuda_block_run(void (*call)(void **), void **parameters, const unsigned *order)
{
  block.count = softcuda_block_size.x * softcuda_block_size.y * softcuda_block_size.z;
  block.done = block.waiting = 0;
  block.call = call;
  block.parameters = parameters;
  block.order = order;
  block.first_round = true;
  block.result = 0;
  softcuda_races_block();
  start_warps();
  while (!block.result && block.done < block.count) {
    bool progress = run_ready();
    if (block.result) break;
    block.first_round = false;
    if (block.waiting && block.waiting + block.done == block.count)
      release_barrier();
    else if (!progress)
      report_stuck();
  }
  give_fibers();
  return block.result;
}
