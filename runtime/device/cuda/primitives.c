/* Scans, sorts and reductions on a CUDA device. Texts: scan.cu, radix.cu, runs.cu, reduce.cu,
 * vector.cu. SPDX-License-Identifier: Apache-2.0 */
#include "device/cuda/primitives.h"

/* As in the texts. */
enum { SCAN_TILE = 2048, SCAN_ITEMS = 8, SORT_TILE = 4096, DIGIT_BITS = 8, REDUCE_ITEMS = 1024 };
enum { THREADS = 256, REDUCE_BLOCKS = 1024, SORT_FEW = THREADS };

static basin_status run(basin_cuda *cuda,
                        const char *file,
                        const char *entry,
                        const char *definitions,
                        unsigned blocks,
                        unsigned threads,
                        void **parameters)
{
  const basin_cuda_kernel *kernel;
  BASIN_TRY(basin__cuda_kernel(cuda, file, entry, definitions, &kernel));
  basin_cuda_launch work = {.kernel = kernel, .blocks = blocks, .threads = threads};
  return basin__cuda_launch(cuda, &work, parameters);
}

basin_status basin__cuda_run(basin_cuda *cuda,
                             const char *file,
                             const char *entry,
                             const char *definitions,
                             unsigned blocks,
                             void **parameters)
{
  return run(cuda, file, entry, definitions, blocks, THREADS, parameters);
}

/* Places are words of 32 bits. */
static basin_status check_count(basin_cuda *cuda, size_t count)
{
  if (count < UINT32_MAX) return BASIN_OK;
  return BASIN_FAIL(basin__cuda_context(cuda),
                    BASIN_ERROR_UNSUPPORTED,
                    "%zu entries are more than 32-bit places can number",
                    count);
}

/* Rounded up to 256 bytes, as the device likes its arrays. */
static size_t room_for(size_t count, size_t item)
{
  return (count * item + 255) / 256 * 256;
}

/* ---- scan ---- */

static size_t scan_room(size_t count)
{
  size_t room = 0;
  while (count > SCAN_TILE) {
    count = (count + SCAN_TILE - 1) / SCAN_TILE;
    room += room_for(count + 1, sizeof(uint32_t));
  }
  return room;
}

/* `room`: scan_room(count) bytes. */
static basin_status
scan_in(basin_cuda *cuda, basin_address room, basin_address from, size_t count, basin_address to)
{
  if (count == 0) return basin__cuda_zero(cuda, to, sizeof(uint32_t));
  size_t tiles = (count + SCAN_TILE - 1) / SCAN_TILE;
  basin_address starts = 0;
  if (tiles > 1) {
    void *sums[] = {&from, &count, &room};
    BASIN_TRY(basin__cuda_run(cuda, "scan.cu", "tile_sums", "", (unsigned)tiles, sums));
    BASIN_TRY(scan_in(cuda, room + room_for(tiles + 1, sizeof(uint32_t)), room, tiles, room));
    starts = room;
  }
  void *parameters[] = {&from, &count, &starts, &to};
  size_t warps = tiles > 1 ? THREADS / 32 : (count + 32 * SCAN_ITEMS - 1) / (32 * SCAN_ITEMS);
  return run(
      cuda, "scan.cu", "scan_tiles", "", (unsigned)tiles, (unsigned)(32 * warps), parameters);
}

basin_status basin__cuda_scan(basin_cuda *cuda,
                              basin_cuda_scratch *scratch,
                              basin_address from,
                              size_t count,
                              basin_address to)
{
  BASIN_TRY(check_count(cuda, count));
  BASIN_TRY(basin__buffer_reserve(cuda, &scratch->memory, scan_room(count)));
  return scan_in(cuda, scratch->memory.address, from, count, to);
}

/* ---- sort ---- */

/* Where one pass reads and writes; `counts` and `sums` are room for the digits' counts. */
typedef struct sort {
  basin_cuda *cuda;
  const char *definitions;
  size_t count, tiles;
  basin_address keys, values, keys_to, values_to, counts, sums;
} sort;

static basin_status sort_pass(const sort *s, uint32_t shift, uint32_t digit_bits)
{
  sort p = *s;
  uint32_t mask = (1u << digit_bits) - 1;
  if (p.tiles > 1) {
    void *count[] = {&p.keys, &p.count, &shift, &mask, &p.counts};
    BASIN_TRY(basin__cuda_run(
        p.cuda, "radix.cu", "count_digits", p.definitions, (unsigned)p.tiles, count));
    BASIN_TRY(scan_in(p.cuda, p.sums, p.counts, p.tiles << digit_bits, p.counts));
  } else {
    p.counts = 0;
  }
  void *move[] = {&p.keys, &p.values, &p.count, &shift, &mask, &p.counts, &p.keys_to, &p.values_to};
  return basin__cuda_run(p.cuda, "radix.cu", "move_keys", p.definitions, (unsigned)p.tiles, move);
}

static void swap(basin_address *a, basin_address *b)
{
  basin_address keep = *a;
  *a = *b;
  *b = keep;
}

static basin_status sort_few(basin_cuda *cuda,
                             const char *definitions,
                             basin_address keys,
                             basin_address values,
                             size_t count,
                             unsigned bits)
{
  uint32_t number = (uint32_t)count;
  uint64_t mask = bits < 64 ? (UINT64_C(1) << bits) - 1 : UINT64_MAX; /* its low half, or all */
  unsigned threads = (unsigned)((count + 31) / 32 * 32);
  void *parameters[] = {&keys, &values, &number, &mask};
  return run(cuda, "radix.cu", "sort_few", definitions, 1, threads, parameters);
}

static basin_status sort_keys(basin_cuda *cuda,
                              basin_cuda_scratch *scratch,
                              basin_address keys,
                              basin_address values,
                              size_t count,
                              unsigned bits,
                              unsigned key_bytes)
{
  BASIN_TRY(check_count(cuda, count));
  if (bits > 8 * key_bytes) bits = 8 * key_bytes;
  if (count < 2 || bits == 0) return BASIN_OK;
  const char *definitions = key_bytes == 8 ? "-DKEY_BITS=64" : "-DKEY_BITS=32";
  if (count <= SORT_FEW) return sort_few(cuda, definitions, keys, values, count, bits);
  unsigned passes = (bits + DIGIT_BITS - 1) / DIGIT_BITS, done = 0;
  size_t tiles = (count + SORT_TILE - 1) / SORT_TILE, digits = tiles << DIGIT_BITS;
  size_t for_keys = room_for(count, key_bytes),
         for_values = values ? room_for(count, sizeof(uint32_t)) : 0,
         for_counts = room_for(digits + 1, sizeof(uint32_t));
  BASIN_TRY(basin__buffer_reserve(
      cuda, &scratch->memory, for_keys + for_values + for_counts + scan_room(digits)));
  basin_address room = scratch->memory.address;
  sort s = {cuda,
            definitions,
            count,
            tiles,
            keys,
            values,
            room,
            values ? room + for_keys : 0,
            room + for_keys + for_values,
            room + for_keys + for_values + for_counts};
  for (unsigned pass = 0; pass < passes; pass++) {
    unsigned here = (bits - done + passes - pass - 1) / (passes - pass);
    BASIN_TRY(sort_pass(&s, done, here));
    done += here;
    swap(&s.keys, &s.keys_to);
    swap(&s.values, &s.values_to);
  }
  if (s.keys == keys) return BASIN_OK;
  BASIN_TRY(basin__cuda_copy(cuda, keys, s.keys, count * key_bytes));
  if (values == 0) return BASIN_OK;
  return basin__cuda_copy(cuda, values, s.values, count * sizeof(uint32_t));
}

basin_status basin__cuda_sort_64(basin_cuda *cuda,
                                 basin_cuda_scratch *scratch,
                                 basin_address keys,
                                 basin_address values,
                                 size_t count,
                                 unsigned bits)
{
  return sort_keys(cuda, scratch, keys, values, count, bits, sizeof(uint64_t));
}

basin_status basin__cuda_sort_32(basin_cuda *cuda,
                                 basin_cuda_scratch *scratch,
                                 basin_address keys,
                                 basin_address values,
                                 size_t count,
                                 unsigned bits)
{
  return sort_keys(cuda, scratch, keys, values, count, bits, sizeof(uint32_t));
}

/* ---- runs ---- */

basin_status basin__cuda_runs_64(basin_cuda *cuda,
                                 basin_cuda_scratch *scratch,
                                 basin_address keys,
                                 size_t count,
                                 basin_address heads,
                                 basin_address numbers,
                                 basin_address runs)
{
  BASIN_TRY(check_count(cuda, count));
  size_t for_begins = room_for(count + 1, sizeof(uint32_t));
  BASIN_TRY(basin__buffer_reserve(cuda, &scratch->memory, for_begins + scan_room(count)));
  basin_address begins = scratch->memory.address;
  unsigned blocks = basin__cuda_blocks(count, THREADS);
  void *begin[] = {&keys, &count, &begins};
  BASIN_TRY(basin__cuda_run(cuda, "runs.cu", "run_begins", "", blocks, begin));
  BASIN_TRY(scan_in(cuda, begins + for_begins, begins, count, begins));
  void *head[] = {&begins, &count, &heads, &numbers, &runs};
  return basin__cuda_run(cuda, "runs.cu", "run_heads", "", blocks > 0 ? blocks : 1, head);
}

/* ---- reductions ---- */

/* Entry `first` for the numbers, `second` for what the blocks made of them. */
static basin_status reduce(basin_cuda *cuda,
                           basin_cuda_scratch *scratch,
                           const char *first,
                           const char *second,
                           basin_address a,
                           basin_address b,
                           size_t count,
                           basin_address result)
{
  size_t blocks = (count + REDUCE_ITEMS - 1) / REDUCE_ITEMS;
  if (blocks > REDUCE_BLOCKS) blocks = REDUCE_BLOCKS;
  if (blocks == 0) blocks = 1;
  BASIN_TRY(basin__buffer_reserve(cuda, &scratch->memory, REDUCE_BLOCKS * sizeof(double)));
  basin_address partial = blocks == 1 ? result : scratch->memory.address;
  void *parameters[] = {&a, &b, &count, &partial};
  BASIN_TRY(basin__cuda_run(cuda, "reduce.cu", first, "", (unsigned)blocks, parameters));
  if (blocks == 1) return BASIN_OK;
  void *last[] = {&partial, &partial, &blocks, &result};
  return basin__cuda_run(cuda, "reduce.cu", second, "", 1, last);
}

basin_status basin__cuda_sum(basin_cuda *cuda,
                             basin_cuda_scratch *scratch,
                             basin_address values,
                             size_t count,
                             basin_address result)
{
  return reduce(cuda, scratch, "sum_blocks", "sum_blocks", values, 0, count, result);
}

basin_status basin__cuda_dot(basin_cuda *cuda,
                             basin_cuda_scratch *scratch,
                             basin_address a,
                             basin_address b,
                             size_t count,
                             basin_address result)
{
  return reduce(cuda, scratch, "dot_blocks", "sum_blocks", a, b, count, result);
}

basin_status basin__cuda_largest(basin_cuda *cuda,
                                 basin_cuda_scratch *scratch,
                                 basin_address values,
                                 size_t count,
                                 basin_address result)
{
  return reduce(cuda, scratch, "largest_blocks", "largest_blocks", values, 0, count, result);
}

basin_status basin__cuda_smallest(basin_cuda *cuda,
                                  basin_cuda_scratch *scratch,
                                  basin_address values,
                                  size_t count,
                                  basin_address result)
{
  return reduce(cuda, scratch, "smallest_blocks", "smallest_blocks", values, 0, count, result);
}

/* ---- vectors ---- */

basin_status basin__cuda_combine(basin_cuda *cuda,
                                 size_t count,
                                 basin_address x,
                                 double factor,
                                 basin_address y,
                                 basin_address to)
{
  void *parameters[] = {&count, &x, &factor, &y, &to};
  return basin__cuda_run(
      cuda, "vector.cu", "combine", "", basin__cuda_blocks(count, THREADS), parameters);
}

basin_status basin__cuda_blend(basin_cuda *cuda,
                               size_t count,
                               double a,
                               basin_address x,
                               double b,
                               basin_address y,
                               basin_address to)
{
  void *parameters[] = {&count, &a, &x, &b, &y, &to};
  return basin__cuda_run(
      cuda, "vector.cu", "blend", "", basin__cuda_blocks(count, THREADS), parameters);
}
