/* Finds races: the last accesses to each word of memory are kept, and compared with the next one.
 * SPDX-License-Identifier: Apache-2.0 */
#include "races.h"
#include "block.h"
#include "device/cuda/driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WARPS = 32, FIRST_CAPACITY = 1 << 16, PAIRS = 64 };

/* Who touched some bytes of a word, and when in terms of barriers, warp operations and time. */
typedef struct visit {
  unsigned block, thread, barrier, warp;
  unsigned char bytes; /* a bit each; 0: nobody */
  unsigned char access;
  uint64_t time;
  const void *place;
} visit;

typedef struct word {
  uintptr_t address; /* / 4; 0 is a free place */
  uint64_t generation;
  visit writer;
  visit readers[2];       /* the last ones of one block: two threads */
  visit other_readers[2]; /* those of the block before it */
} word;

/* What a thread knows of other blocks: the time of an atomic operation that comes before what it
 * does now; `acquired`: with a fence behind it. */
typedef struct view {
  uint64_t seen, acquired;
} view;

/* A fence with an atomic operation of the same thread behind it. */
typedef struct release {
  unsigned thread, barrier, warp;
  uint64_t time;
} release;

typedef struct releases {
  release *list; /* the last one of each thread that has any */
  unsigned count, capacity;
} releases;

bool softcuda_races_on;

static struct {
  word *words;
  size_t capacity, count;
  uint64_t launch, generation, time; /* numbers that only grow */
  unsigned barrier, warps[WARPS];    /* of the running block */
  /* Of its threads; of their warps and of all at the last synchronization. */
  view views[SOFTCUDA_THREADS_MAX], warp_views[WARPS], block_view;
  release fences[SOFTCUDA_THREADS_MAX]; /* the last of each thread; time 0: none */
  releases *blocks;
  size_t block_count;
  const void *place;
  bool only_log;
  const void *pairs[PAIRS][2]; /* instructions of races that have been logged */
  size_t pair_count;
} races;

static void forget_releases(void)
{
  for (size_t i = 0; i < races.block_count; i++) free(races.blocks[i].list);
  free(races.blocks);
  races.blocks = NULL;
  races.block_count = 0;
}

void softcuda_races_launch(void)
{
  long long setting = softcuda_setting("SOFTCUDA_RACES", 0);
  softcuda_races_on = setting != 0;
  races.only_log = setting == 2;
  races.place = NULL;
  forget_releases();
  if (!softcuda_races_on) return;
  races.launch = ++races.generation;
  size_t blocks = (size_t)softcuda_grid_size.x * softcuda_grid_size.y * softcuda_grid_size.z;
  races.blocks = calloc(blocks + 1, sizeof *races.blocks);
  races.block_count = races.blocks ? blocks : 0;
  /* What other launches left is known by its number, and cleared when it takes up room. */
  if (4 * races.count < races.capacity) return;
  if (races.words) memset(races.words, 0, races.capacity * sizeof *races.words);
  races.count = 0;
}

static unsigned block_number(void)
{
  return (softcuda_block_index.z * softcuda_grid_size.y + softcuda_block_index.y) *
             softcuda_grid_size.x +
         softcuda_block_index.x;
}

void softcuda_races_block(void)
{
  if (!softcuda_races_on) return;
  ++races.generation;
  races.barrier = 0;
  races.block_view = (view){0, 0};
  memset(races.warps, 0, sizeof races.warps);
  memset(races.views, 0, sizeof races.views);
  memset(races.warp_views, 0, sizeof races.warp_views);
  memset(races.fences, 0, sizeof races.fences);
}

/* ---- what puts accesses in order ---- */

static void look_at(view *to, const view *from)
{
  if (from->seen > to->seen) to->seen = from->seen;
  if (from->acquired > to->acquired) to->acquired = from->acquired;
}

static view view_of(unsigned thread)
{
  view result = races.views[thread];
  look_at(&result, &races.warp_views[thread / SOFTCUDA_WARP]);
  look_at(&result, &races.block_view);
  return result;
}

void softcuda_races_barrier(void)
{
  races.barrier++;
  if (!softcuda_races_on) return;
  for (unsigned i = 0; i < WARPS; i++) look_at(&races.block_view, &races.warp_views[i]);
  for (unsigned i = 0; i < SOFTCUDA_THREADS_MAX; i++) look_at(&races.block_view, &races.views[i]);
}

void softcuda_races_warp(unsigned warp)
{
  races.warps[warp]++;
  if (!softcuda_races_on) return;
  for (unsigned lane = 0; lane < SOFTCUDA_WARP; lane++)
    look_at(&races.warp_views[warp], &races.views[warp * SOFTCUDA_WARP + lane]);
}

void softcuda_races_fence(void)
{
  if (!softcuda_races_on) return;
  unsigned thread = softcuda_thread_number();
  view own = view_of(thread);
  races.views[thread].acquired = own.seen;
  races.fences[thread] =
      (release){thread, races.barrier, races.warps[thread / SOFTCUDA_WARP], ++races.time};
}

/* The fence of a thread that now does an atomic operation: what came before it is released. */
static void add_release(const release *fence)
{
  if (fence->time == 0 || block_number() >= races.block_count) return;
  releases *of = &races.blocks[block_number()];
  for (unsigned i = 0; i < of->count; i++)
    if (of->list[i].thread == fence->thread) {
      of->list[i] = *fence;
      return;
    }
  if (of->count == of->capacity) {
    unsigned capacity = of->capacity ? 4 * of->capacity : 1;
    release *grown = realloc(of->list, capacity * sizeof *grown);
    if (!grown) return;
    of->list = grown;
    of->capacity = capacity;
  }
  of->list[of->count++] = *fence;
}

static void note_atomic(unsigned thread)
{
  races.views[thread].seen = races.time;
  add_release(&races.fences[thread]);
}

const void *softcuda_races_place(void)
{
  return races.place;
}

/* ---- the table of words ---- */

static size_t place_of(const word *words, size_t capacity, uintptr_t address)
{
  size_t at = (size_t)((uint64_t)address * 0x9e3779b97f4a7c15u >> 20) & (capacity - 1);
  while (words[at].address && words[at].address != address) at = (at + 1) & (capacity - 1);
  return at;
}

static bool grow(void)
{
  size_t capacity = races.capacity ? 2 * races.capacity : FIRST_CAPACITY;
  word *words = calloc(capacity, sizeof *words);
  if (!words) return false;
  for (size_t i = 0; i < races.capacity; i++)
    if (races.words[i].address)
      words[place_of(words, capacity, races.words[i].address)] = races.words[i];
  free(races.words);
  races.words = words;
  races.capacity = capacity;
  return true;
}

/* What is known about a word; what is known from another launch, or block if shared, is not. */
static word *find(uintptr_t address, bool shared)
{
  if (2 * races.count >= races.capacity && !grow()) return NULL;
  word *w = &races.words[place_of(races.words, races.capacity, address)];
  uint64_t generation = shared ? races.generation : races.launch;
  if (!w->address) races.count++;
  if (!w->address || w->generation != generation)
    *w = (word){.address = address, .generation = generation};
  return w;
}

/* ---- order ---- */

static bool same_warp(unsigned thread, unsigned other)
{
  return thread / SOFTCUDA_WARP == other / SOFTCUDA_WARP;
}

/* Whether an access of another block comes before a fence that the running thread knows of. */
static bool released(const visit *before, const visit *now)
{
  if (before->block >= races.block_count) return false;
  const releases *of = &races.blocks[before->block];
  view known = view_of(now->thread);
  /* Plain accesses may be served from what a multiprocessor has kept, unless a fence forbids it. */
  uint64_t until = now->access >= SOFTCUDA_ATOMIC ? known.seen : known.acquired;
  for (unsigned i = 0; i < of->count; i++) {
    const release *fence = &of->list[i];
    bool after = fence->thread == before->thread || fence->barrier > before->barrier ||
                 (same_warp(fence->thread, before->thread) && fence->warp > before->warp);
    if (after && before->time < fence->time && fence->time < until) return true;
  }
  return false;
}

static bool ordered(const visit *before, const visit *now)
{
  if (before->block != now->block) return released(before, now);
  if (before->thread == now->thread || before->barrier < now->barrier) return true;
  return same_warp(before->thread, now->thread) && before->warp < now->warp;
}

/* Whether this pair of instructions has been reported, when races are only logged. */
static bool known(const visit *before, const visit *now)
{
  for (size_t i = 0; i < races.pair_count; i++)
    if (races.pairs[i][0] == before->place && races.pairs[i][1] == now->place) return true;
  if (races.pair_count < PAIRS) {
    races.pairs[races.pair_count][0] = before->place;
    races.pairs[races.pair_count++][1] = now->place;
  }
  return false;
}

static void report(const visit *before, const visit *now, uintptr_t address)
{
  static const char *const names[] = {"read", "written", "changed by an atomic operation", "read"};
  const softcuda_allocation *a = softcuda_find(address, 1, -1);
  char text[200];
  snprintf(text,
           sizeof text,
           "race: byte %llu of %s is %s, and was %s by thread %u of block %u",
           a ? address - a->address : (unsigned long long)address % 65536,
           a ? "an allocation" : "shared memory (modulo 64 KiB)",
           names[now->access],
           names[before->access],
           before->thread,
           before->block);
  if (races.only_log) {
    if (!known(before, now)) softcuda_note(text, now->place, before->place);
    return;
  }
  races.place = before->place;
  softcuda_stop(BASIN_CU_LAUNCH_FAILED, "%s", text);
}

static void compare(const visit *before, const visit *now, uintptr_t address)
{
  if (!(before->bytes & now->bytes) || ordered(before, now)) return;
  if (before->access >= SOFTCUDA_ATOMIC && now->access >= SOFTCUDA_ATOMIC) return;
  report(before, now, address);
}

static void add_reader(word *w, const visit *now)
{
  visit *last = &w->readers[0];
  if (last->bytes && last->block != now->block) {
    memcpy(w->other_readers, w->readers, sizeof w->readers);
    memset(w->readers, 0, sizeof w->readers);
  } else if (last->bytes && last->thread != now->thread) {
    w->readers[1] = *last;
  }
  *last = *now;
}

static void visit_word(uintptr_t address, const visit *now, bool shared)
{
  word *w = find(address / 4, shared);
  if (!w) return;
  compare(&w->writer, now, address);
  if (now->access == SOFTCUDA_READ || now->access == SOFTCUDA_RELAXED) {
    add_reader(w, now);
    return;
  }
  for (int i = 0; i < 2; i++) {
    compare(&w->readers[i], now, address);
    compare(&w->other_readers[i], now, address);
  }
  w->writer = *now;
}

void softcuda_races_access(
    uintptr_t address, size_t size, softcuda_access access, bool shared, const void *place)
{
  unsigned thread = softcuda_thread_number();
  races.time++;
  if (access == SOFTCUDA_ATOMIC) note_atomic(thread);
  visit now = {.block = block_number(),
               .thread = thread,
               .barrier = races.barrier,
               .warp = races.warps[thread / SOFTCUDA_WARP],
               .access = (unsigned char)access,
               .time = races.time,
               .place = place};
  for (uintptr_t at = address, end = address + size; at < end;) {
    uintptr_t next = at / 4 * 4 + 4 < end ? at / 4 * 4 + 4 : end;
    now.bytes = (unsigned char)(((1u << (next - at)) - 1) << at % 4);
    visit_word(at, &now, shared);
    at = next;
  }
}
