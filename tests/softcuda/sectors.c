/* Counts sectors and wavefronts: the accesses of a block are kept, put together by warp and
 * instruction when it ends, and added up by kernel; written at exit.
 * SPDX-License-Identifier: Apache-2.0 */
#include "sectors.h"
#include "block.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KERNELS_MAX = 512, SECTOR = 32, BANKS = 32 };

/* An access of one thread. */
typedef struct record {
  const void *place;
  uintptr_t address;
  unsigned thread, turn; /* turn: first the order in the block, then the how-manieth at its place */
  unsigned size;
  softcuda_traffic kind;
} record;

/* Sectors that have been seen; those of other generations count as new. */
typedef struct sector_set {
  struct seen {
    uintptr_t sector; /* its number + 1; 0 is a free place */
    unsigned generation;
  } * places;
  size_t capacity, count;
  unsigned generation;
} sector_set;

bool softcuda_sectors_on;

static struct {
  softcuda_kernel_sectors kernels[KERNELS_MAX], *now;
  size_t count;
  record *records;
  size_t record_count, record_capacity;
  sector_set block[2], launch[2];
} sectors;

/* ---- sets ---- */

static struct seen *find_seen(struct seen *places, size_t capacity, uintptr_t sector)
{
  size_t at = (size_t)((uint64_t)sector * 0x9e3779b97f4a7c15u >> 20) & (capacity - 1);
  while (places[at].sector && places[at].sector != sector) at = (at + 1) & (capacity - 1);
  return &places[at];
}

static bool grow_set(sector_set *set)
{
  size_t capacity = set->capacity ? 2 * set->capacity : 1 << 12;
  struct seen *places = calloc(capacity, sizeof *places);
  if (!places) return false;
  for (size_t i = 0; i < set->capacity; i++)
    if (set->places[i].sector) *find_seen(places, capacity, set->places[i].sector) = set->places[i];
  free(set->places);
  set->places = places;
  set->capacity = capacity;
  return true;
}

/* Whether a sector is new to the set. */
static bool add_to_set(sector_set *set, uintptr_t sector)
{
  if (2 * set->count >= set->capacity && !grow_set(set)) return false;
  struct seen *at = find_seen(set->places, set->capacity, sector + 1);
  if (!at->sector) set->count++;
  if (at->sector && at->generation == set->generation) return false;
  *at = (struct seen){sector + 1, set->generation};
  return true;
}

/* ---- accesses ---- */

void softcuda_sectors_access(
    uintptr_t address, size_t size, softcuda_access access, bool shared, const void *place)
{
  if (sectors.record_count == sectors.record_capacity) {
    size_t capacity = sectors.record_capacity ? 2 * sectors.record_capacity : 1 << 16;
    record *records = realloc(sectors.records, capacity * sizeof *records);
    if (!records) return;
    sectors.records = records;
    sectors.record_capacity = capacity;
  }
  sectors.records[sectors.record_count] =
      (record){.place = place,
               .address = address,
               .thread = softcuda_thread_number(),
               .turn = (unsigned)sectors.record_count,
               .size = (unsigned)size,
               .kind = shared                      ? SOFTCUDA_SHARED_ACCESSES
                       : access == SOFTCUDA_WRITE  ? SOFTCUDA_WRITES
                       : access == SOFTCUDA_ATOMIC ? SOFTCUDA_ATOMICS
                                                   : SOFTCUDA_READS};
  sectors.record_count++;
}

#define ORDER(a, b) (((a) > (b)) - ((a) < (b)))

static int by_thread(const void *a, const void *b)
{
  const record *x = a, *y = b;
  int order = ORDER((uintptr_t)x->place, (uintptr_t)y->place);
  if (order == 0) order = ORDER(x->thread, y->thread);
  return order ? order : ORDER(x->turn, y->turn);
}

static int by_request(const void *a, const void *b)
{
  const record *x = a, *y = b;
  int order = ORDER(x->thread / SOFTCUDA_WARP, y->thread / SOFTCUDA_WARP);
  if (order == 0) order = ORDER((uintptr_t)x->place, (uintptr_t)y->place);
  if (order == 0) order = ORDER((int)x->kind, (int)y->kind);
  if (order == 0) order = ORDER(x->turn, y->turn);
  return order ? order : ORDER(x->address, y->address);
}

static bool same_request(const record *x, const record *y)
{
  return x->thread / SOFTCUDA_WARP == y->thread / SOFTCUDA_WARP && x->place == y->place &&
         x->kind == y->kind && x->turn == y->turn;
}

/* Numbers the accesses of each thread at each place. */
static void number_turns(void)
{
  record *records = sectors.records;
  qsort(records, sectors.record_count, sizeof *records, by_thread);
  for (size_t i = 0, first = 0; i < sectors.record_count; i++) {
    if (records[i].place != records[first].place || records[i].thread != records[first].thread)
      first = i;
    records[i].turn = (unsigned)(i - first);
  }
}

/* The records of a request ascend by address. */
static void count_sectors(const record *request, size_t count)
{
  softcuda_kernel_sectors *now = sectors.now;
  softcuda_traffic which = request->kind;
  uintptr_t next = 0;
  for (size_t i = 0; i < count; i++) {
    uintptr_t sector = request[i].address / SECTOR;
    uintptr_t last = (request[i].address + request[i].size - 1) / SECTOR;
    for (sector = sector < next ? next : sector; sector <= last; sector++) {
      now->sectors[which]++;
      if (which == SOFTCUDA_ATOMICS) continue;
      now->of_block[which] += add_to_set(&sectors.block[which], sector);
      now->of_launch[which] += add_to_set(&sectors.launch[which], sector);
    }
    if (next <= last) next = last + 1;
  }
}

static void count_wavefronts(const record *request, size_t count)
{
  unsigned of_bank[BANKS] = {0}, most = 0;
  uintptr_t next = 0;
  for (size_t i = 0; i < count; i++) {
    uintptr_t word = request[i].address / 4, last = (request[i].address + request[i].size - 1) / 4;
    for (word = word < next ? next : word; word <= last; word++) {
      unsigned words = ++of_bank[word % BANKS];
      if (words > most) most = words;
    }
    if (next <= last) next = last + 1;
  }
  sectors.now->sectors[SOFTCUDA_SHARED_ACCESSES] += most;
}

void softcuda_sectors_block(void)
{
  if (!softcuda_sectors_on) return;
  number_turns();
  record *records = sectors.records;
  qsort(records, sectors.record_count, sizeof *records, by_request);
  for (size_t first = 0, end; first < sectors.record_count; first = end) {
    for (end = first; end < sectors.record_count && same_request(&records[first], &records[end]);)
      sectors.now->bytes[records[first].kind] += records[end++].size;
    sectors.now->requests[records[first].kind]++;
    (records[first].kind == SOFTCUDA_SHARED_ACCESSES ? count_wavefronts
                                                     : count_sectors)(&records[first], end - first);
  }
  sectors.record_count = 0;
  for (int k = SOFTCUDA_READS; k <= SOFTCUDA_WRITES; k++) sectors.block[k].generation++;
}

/* ---- kernels ---- */

/* A number behind the name of kernels of the same name, such as those of terms. */
static unsigned number_of(size_t kernel)
{
  unsigned number = 0;
  for (size_t i = 0; i < kernel; i++)
    number += strcmp(sectors.kernels[i].name, sectors.kernels[kernel].name) == 0;
  return number;
}

static void write_sectors(void)
{
  static const char *const names[] = {"read", "write", "atomic", "shared"};
  const char *path = getenv("SOFTCUDA_SECTORS");
  FILE *file = path && *path ? fopen(path, "w") : NULL;
  if (!file) return;
  for (size_t i = 0; i < sectors.count; i++) {
    const softcuda_kernel_sectors *k = &sectors.kernels[i];
    fprintf(file, "{\"kernel\":\"%s\",\"number\":%u", k->name, number_of(i));
    fprintf(file, ",\"launches\":%zu,\"threads\":%zu", k->launches, k->threads);
    for (int n = 0; n < SOFTCUDA_TRAFFIC_COUNT; n++)
      fprintf(file,
              ",\"%s\":{\"requests\":%zu,\"bytes\":%zu,\"%s\":%zu}",
              names[n],
              k->requests[n],
              k->bytes[n],
              n == SOFTCUDA_SHARED_ACCESSES ? "wavefronts" : "sectors",
              k->sectors[n]);
    fprintf(
        file, ",\"of_block\":[%zu,%zu]", k->of_block[SOFTCUDA_READS], k->of_block[SOFTCUDA_WRITES]);
    fprintf(file,
            ",\"of_launch\":[%zu,%zu]}\n",
            k->of_launch[SOFTCUDA_READS],
            k->of_launch[SOFTCUDA_WRITES]);
  }
  fclose(file);
}

const softcuda_kernel_sectors *softcuda_sectors_find(const char *name)
{
  for (size_t i = sectors.count; i-- > 0;)
    if (strcmp(sectors.kernels[i].name, name) == 0) return &sectors.kernels[i];
  return NULL;
}

void softcuda_sectors_launch(const char *name, const void *image)
{
  const char *path = getenv("SOFTCUDA_SECTORS");
  softcuda_sectors_on = path && *path;
  if (!softcuda_sectors_on) return;
  if (sectors.count == 0) atexit(write_sectors);
  size_t i = 0;
  while (i < sectors.count &&
         (sectors.kernels[i].image != image ||
          strncmp(sectors.kernels[i].name, name, sizeof sectors.kernels[i].name - 1) != 0))
    i++;
  softcuda_sectors_on = i < KERNELS_MAX;
  if (i == KERNELS_MAX) return;
  sectors.now = &sectors.kernels[i];
  if (i == sectors.count) {
    sectors.count++;
    snprintf(sectors.now->name, sizeof sectors.now->name, "%s", name);
    sectors.now->image = image;
  }
  sectors.record_count = 0;
  for (int k = SOFTCUDA_READS; k <= SOFTCUDA_WRITES; k++) {
    sectors.launch[k].generation++;
    sectors.block[k].generation++;
  }
}

void softcuda_sectors_unload(const void *image)
{
  for (size_t i = 0; i < sectors.count; i++)
    if (sectors.kernels[i].image == image) sectors.kernels[i].image = NULL;
}

void softcuda_sectors_end(size_t threads)
{
  if (!softcuda_sectors_on) return;
  sectors.now->launches++;
  sectors.now->threads += threads;
}
