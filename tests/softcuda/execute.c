/* Executes a grid: blocks one after another in the order that SOFTCUDA_ORDER states.
 * SPDX-License-Identifier: Apache-2.0 */
#include "block.h"
#include "device/cuda/driver.h"
#include "image.h"
#include "memory.h"
#include "profile.h"
#include "races.h"
#include "sectors.h"
#include "source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- orders ---- */

typedef struct order {
  enum { FORWARD, REVERSE, RANDOM } kind;
  uint64_t state;
} order;

static order read_order(void)
{
  static uint64_t launches;
  const char *text = getenv("SOFTCUDA_ORDER");
  if (!text || strncmp(text, "forward", 7) == 0) return (order){FORWARD, 0};
  if (strncmp(text, "reverse", 7) == 0) return (order){REVERSE, 0};
  const char *seed = strchr(text, ':');
  return (order){RANDOM, (seed ? strtoull(seed + 1, NULL, 0) : 1) * 1000003u + ++launches};
}

/* Steele, Lea, Flood, "Fast splittable pseudorandom number generators" (2014): SplitMix64. */
static uint64_t next_random(uint64_t *state)
{
  uint64_t z = *state += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

static void arrange(order *o, unsigned *list, unsigned count)
{
  for (unsigned i = 0; i < count; i++) list[i] = o->kind == REVERSE ? count - 1 - i : i;
  if (o->kind != RANDOM) return;
  for (unsigned i = count; i > 1; i--) {
    unsigned k = (unsigned)(next_random(&o->state) % i), other = list[k];
    list[k] = list[i - 1];
    list[i - 1] = other;
  }
}

/* ---- shared memory of a block: not what the last block left ---- */

static void spoil(void *memory, size_t size)
{
  const uint32_t word = SOFTCUDA_POISON;
  unsigned char *at = memory;
  for (; size >= sizeof word; size -= sizeof word, at += sizeof word)
    memcpy(at, &word, sizeof word);
  memset(at, 0xde, size);
}

static unsigned char *dynamic_memory(size_t size)
{
  static _Alignas(256) unsigned char memory[SOFTCUDA_SHARED_MOST];
  return size <= sizeof memory ? memory : NULL;
}

static const softcuda_launch *running;

void softcuda_note(const char *what, const void *place, const void *earlier)
{
  char where[600], before[600];
  softcuda_source_line(running->image, place, where, sizeof where);
  softcuda_source_line(running->image, earlier, before, sizeof before);
  softcuda_log(
      "kernel %s, block (%u, %u, %u) of (%u, %u, %u), thread (%u, %u, %u) of (%u, %u, %u): %s%s%s",
      running->entry->name,
      softcuda_block_index.x,
      softcuda_block_index.y,
      softcuda_block_index.z,
      running->grid[0],
      running->grid[1],
      running->grid[2],
      softcuda_thread_index.x,
      softcuda_thread_index.y,
      softcuda_thread_index.z,
      running->block[0],
      running->block[1],
      running->block[2],
      what,
      before,
      where);
}

static int run_blocks(const softcuda_launch *launch, unsigned *blocks, unsigned *threads)
{
  const softcuda_linked *linked = &launch->image->linked;
  unsigned thread_count = launch->block[0] * launch->block[1] * launch->block[2];
  unsigned row = launch->grid[0], layer = row * launch->grid[1];
  unsigned block_count = layer * launch->grid[2];
  unsigned char *dynamic = dynamic_memory(launch->shared);
  order o = read_order();
  arrange(&o, blocks, block_count);
  *linked->dynamic = dynamic;
  for (unsigned i = 0; i < block_count; i++) {
    softcuda_block_index =
        (softcuda_uint3){blocks[i] % row, blocks[i] % layer / row, blocks[i] / layer};
    if (i == 0 || o.kind == RANDOM) arrange(&o, threads, thread_count);
    spoil((void *)linked->shared.start, linked->shared.size);
    spoil(dynamic, launch->shared);
    int result = softcuda_block_run(launch->entry->call, launch->parameters, threads);
    if (result) {
      softcuda_note(softcuda_stop_reason(), softcuda_stop_place(), softcuda_races_place());
      return result;
    }
    softcuda_sectors_block();
  }
  return BASIN_CU_SUCCESS;
}

int softcuda_execute(const softcuda_launch *launch)
{
  const softcuda_linked *linked = &launch->image->linked;
  size_t blocks = (size_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
  unsigned *order_of_blocks = malloc((blocks + 1) * sizeof *order_of_blocks);
  unsigned order_of_threads[SOFTCUDA_THREADS_MAX];
  if (!order_of_blocks) return BASIN_CU_OUT_OF_MEMORY;
  softcuda_grid_size = (softcuda_uint3){launch->grid[0], launch->grid[1], launch->grid[2]};
  softcuda_block_size = (softcuda_uint3){launch->block[0], launch->block[1], launch->block[2]};
  softcuda_permit(
      &(softcuda_permissions){launch->device,
                              linked->data,
                              linked->shared,
                              {(uintptr_t)dynamic_memory(launch->shared), launch->shared}});
  running = launch;
  softcuda_set_stop_place(NULL);
  softcuda_races_launch();
  softcuda_sectors_launch(launch->entry->name, launch->image);
  double start = softcuda_profile_clock();
  softcuda_faults_catch();
  int result = run_blocks(launch, order_of_blocks, order_of_threads);
  softcuda_faults_release();
  size_t threads = (size_t)launch->block[0] * launch->block[1] * launch->block[2];
  softcuda_profile_add(launch->entry->name, blocks * threads, start);
  softcuda_sectors_end(blocks * threads);
  free(order_of_blocks);
  return result;
}
