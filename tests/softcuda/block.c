/* Executes a block: each thread runs until it ends or waits; barriers and warp operations let go of
 * those who wait when all have come. SPDX-License-Identifier: Apache-2.0 */
#include "block.h"
#include "device/cuda/driver.h"
#include "races.h"
#include "warp.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { REPEATS_MAX = 256 };

softcuda_uint3 softcuda_thread_index, softcuda_block_index;
softcuda_uint3 softcuda_block_size, softcuda_grid_size;

static struct {
  softcuda_thread threads[SOFTCUDA_THREADS_MAX];
  softcuda_warp_state warps[SOFTCUDA_THREADS_MAX / SOFTCUDA_WARP];
  softcuda_thread *running;
  const unsigned *order;  /* numbers of the threads, in which they take turns */
  unsigned next, started; /* places in the order: whose turn it is; who has not started yet */
  unsigned begin, end;    /* the places that take turns now: a warp, in the usual orders */
  unsigned repeats;       /* of that stretch */
  bool released;          /* a warp operation has let lanes go since the stretch began */
  softcuda_thread *taken; /* whose turn it is, but not on this fiber */
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

static void set_stretch(unsigned begin)
{
  block.begin = block.next = begin;
  block.end = block.count - begin < SOFTCUDA_WARP ? block.count : begin + SOFTCUDA_WARP;
  block.repeats = 0;
  block.released = false;
}

/* At the end of a stretch: once more where lanes have been let go, as their stacks are at hand, but
 * not for ever, as they may wait for others. False: the round is over. */
static bool next_stretch(void)
{
  if (block.released && block.repeats < REPEATS_MAX) {
    block.repeats++;
    block.next = block.begin;
    block.released = false;
    return true;
  }
  if (block.end == block.count) return false;
  set_stretch(block.end);
  return true;
}

static void start_thread(softcuda_thread *t, unsigned number)
{
  t->waiting = SOFTCUDA_READY;
  t->index = index_of(number);
  t->fiber = NULL;
  block.started++;
}

/* The next thread in this round that can run, now the running one; NULL: none. */
static softcuda_thread *take_turn(void)
{
  while (block.next < block.end || next_stretch()) {
    unsigned place = block.next++, number = block.order[place];
    softcuda_thread *t = &block.threads[number];
    if (place >= block.started)
      start_thread(t, number);
    else if (t->waiting != SOFTCUDA_READY)
      continue;
    softcuda_thread_index = t->index;
    block.running = t;
    return t;
  }
  return NULL;
}

static void end_thread(softcuda_thread *t)
{
  unsigned number = (unsigned)(t - block.threads);
  softcuda_warp_state *warp = &block.warps[number / SOFTCUDA_WARP];
  unsigned waiting = warp->waiting;
  t->fiber = NULL;
  t->waiting = SOFTCUDA_DONE;
  block.done++;
  softcuda_warp_left(warp, number % SOFTCUDA_WARP);
  if (warp->waiting != waiting) block.released = true;
}

/* Runs a thread on this fiber, and then those that have not started yet, until one has to wait or
 * it is the turn of one that has a fiber. */
static void run_threads(void)
{
  softcuda_fiber *fiber = softcuda_fiber_running();
  for (;;) {
    block.call(block.parameters);
    end_thread(block.running);
    softcuda_thread *t = take_turn();
    if (t && t->fiber) block.taken = t;
    if (!t || t->fiber) return;
    t->fiber = fiber;
  }
}

/* The fiber of the next turn; NULL: this round is over. */
static softcuda_fiber *next_fiber(void)
{
  softcuda_thread *t = block.taken ? block.taken : take_turn();
  block.taken = NULL;
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
  softcuda_warp_state *warp = &block.warps[number];
  warp->waiting |= 1u << lane;
  if ((mask & warp->lanes & ~warp->ended & ~warp->waiting) == 0) softcuda_warp_complete(warp, mask);
  if (t->waiting == SOFTCUDA_READY) {
    block.released = true;
    if (operation == SOFTCUDA_SYNC) softcuda_races_warp(number); /* others order no memory */
  } else {
    softcuda_fiber_pause(next_fiber());
  }
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
  set_stretch(0);
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
  for (unsigned i = 0; block.result && i < block.started; i++)
    if (block.threads[block.order[i]].fiber)
      softcuda_fiber_give(block.threads[block.order[i]].fiber);
}

int softcuda_block_run(void (*call)(void **), void **parameters, const unsigned *order)
{
  block.count = softcuda_block_size.x * softcuda_block_size.y * softcuda_block_size.z;
  block.done = block.waiting = block.started = 0;
  block.taken = NULL;
  block.call = call;
  block.parameters = parameters;
  block.order = order;
  block.result = 0;
  softcuda_races_block();
  start_warps();
  while (!block.result && block.done < block.count) {
    bool progress = run_ready();
    if (block.result) break;
    if (block.waiting && block.waiting + block.done == block.count)
      release_barrier();
    else if (!progress)
      report_stuck();
  }
  give_fibers();
  return block.result;
}
