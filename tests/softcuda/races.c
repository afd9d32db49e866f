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
  visit writer, reader, other_reader;
} word;

bool softcuda_races_on;

static struct {
  word *words;
  size_t capacity, count;
  uint64_t launch, generation, time; /* numbers that only grow */
  unsigned barrier, warps[WARPS];    /* of the running block */
  uint64_t atomic;                   /* time of its last atomic operation */
  uint64_t *fences;                  /* of each block */
  size_t fence_count;
  const void *place;
  bool only_log;
  const void *pairs[PAIRS][2]; /* instructions of races that have been logged */
  size_t pair_count;
} races;

void softcuda_races_launch(void)
{
  long long setting = softcuda_setting("SOFTCUDA_RACES", 0);
  softcuda_races_on = setting != 0;
  races.only_log = setting == 2;
  races.place = NULL;
  if (!softcuda_races_on) return;
  races.launch = ++races.generation;
  size_t blocks = (size_t)softcuda_grid_size.x * softcuda_grid_size.y * softcuda_grid_size.z;
  free(races.fences);
  races.fences = calloc(blocks + 1, sizeof *races.fences);
  races.fence_count = races.fences ? blocks : 0;
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
  races.atomic = 0;
  memset(races.warps, 0, sizeof races.warps);
}

void softcuda_races_barrier(void)
{
  races.barrier++;
}

void softcuda_races_warp(unsigned warp)
{
  races.warps[warp]++;
}

void softcuda_races_fence(void)
{
  if (softcuda_races_on && block_number() < races.fence_count)
    races.fences[block_number()] = ++races.time;
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

static bool ordered(const visit *before, const visit *now)
{
  if (before->block != now->block) {
    uint64_t fence = before->block < races.fence_count ? races.fences[before->block] : 0;
    return before->time < fence && fence < races.atomic;
  }
  if (before->thread == now->thread || before->barrier < now->barrier) return true;
  return before->thread / SOFTCUDA_WARP == now->thread / SOFTCUDA_WARP && before->warp < now->warp;
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

static void visit_word(uintptr_t address, const visit *now, bool shared)
{
  word *w = find(address / 4, shared);
  if (!w) return;
  compare(&w->writer, now, address);
  if (now->access == SOFTCUDA_READ || now->access == SOFTCUDA_RELAXED) {
    bool same = w->reader.block == now->block && w->reader.thread == now->thread;
    if (!same && w->reader.bytes) w->other_reader = w->reader;
    w->reader = *now;
    return;
  }
  compare(&w->reader, now, address);
  compare(&w->other_reader, now, address);
  w->writer = *now;
}

void softcuda_races_access(
    uintptr_t address, size_t size, softcuda_access access, bool shared, const void *place)
{
  unsigned thread = softcuda_thread_number();
  races.time++;
  if (access == SOFTCUDA_ATOMIC) races.atomic = races.time;
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
