/* A row of a block matrix times a vector, by a group of lanes. -DBLOCK=1..12, -DNUMBER=double or
 * float; sums are in double. SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_MATRIX_CUH
#define BASIN_MATRIX_CUH

#include "blocks.cuh"

#ifndef NUMBER
#define NUMBER double
#endif

/* As basin_cuda_matrix, without what only the host wants. */
typedef struct matrix_part {
  const word *row_starts, *columns;
  const NUMBER *values;
} matrix_part;

#define PARTS 4
typedef struct matrix {
  word node_count, part_count;
  matrix_part parts[PARTS];
} matrix;

#define ENTRIES (BLOCK * BLOCK)
/* Lanes of a row: its blocks stand back to back, so that neighbouring lanes read neighbouring
 * numbers: AT_ONCE whole blocks in a step, or a block in SLOTS steps. */
#define LANES            (BLOCK == 1 ? 8 : BLOCK == 2 ? 16 : 32)
#define AT_ONCE          (ENTRIES <= LANES ? LANES / ENTRIES : 1)
#define SLOTS            (ENTRIES <= LANES ? 1 : (ENTRIES + 31) / 32)
/* Steps whose numbers are asked for before the first is used: most rows are one such batch, so that
 * a row waits three times, for its start, its columns, and the rest. */
#define AHEAD            (BLOCK == 1 ? 2 : BLOCK == 2 ? 4 : 5)
#define MULTIPLY_THREADS 256
#define GROUPS           (MULTIPLY_THREADS / LANES)

/* Registers for five blocks a multiprocessor: with fewer, the compiler puts each use before the next
 * request. */
#if BLOCK >= 3 && BLOCK <= 5
#define MULTIPLY_BOUNDS __launch_bounds__(MULTIPLY_THREADS, 5)
#else
#define MULTIPLY_BOUNDS __launch_bounds__(MULTIPLY_THREADS)
#endif

#if BLOCK <= 5

/* What one part adds to a lane's sum: its entry of blocks `first`, first + AT_ONCE, ... of the row;
 * `values` and x begin at the lane's own numbers. */
static __device__ __forceinline__ double add_part(double sum,
                                                  const matrix_part &part,
                                                  const NUMBER *values,
                                                  word row,
                                                  word first,
                                                  const NUMBER *x)
{
  const word start = __ldg(part.row_starts + row) + first;
  int left = (int)(__ldg(part.row_starts + row + 1) - start);
  const word *columns = part.columns + start;
  values += (size)start * ENTRIES;
  for (; left > 0; left -= AHEAD * AT_ONCE) {
    word column[AHEAD];
    NUMBER value[AHEAD], of_x[AHEAD];
#pragma unroll
    for (int k = 0; k < AHEAD; k++) {
      const bool here = k * AT_ONCE < left;
      column[k] = here ? __ldg(columns + k * AT_ONCE) : 0;
      value[k] = here ? __ldg(values + k * AT_ONCE * ENTRIES) : (NUMBER)0;
    }
#pragma unroll
    for (int k = 0; k < AHEAD; k++)
      of_x[k] = k * AT_ONCE < left ? __ldg(x + (size)column[k] * BLOCK) : (NUMBER)0;
#pragma unroll
    for (int k = 0; k < AHEAD; k++)
      if (k * AT_ONCE < left) sum += (double)value[k] * (double)of_x[k];
    columns += AHEAD * AT_ONCE;
    values += AHEAD * AT_ONCE * ENTRIES;
  }
  return sum;
}

/* Component `lane` of row `row` of A x in lanes 0 .. BLOCK - 1 of the group; `row` >= node_count
 * takes part in the exchange alone. */
static __device__ __forceinline__ double
row_product(const matrix &a, word row, const NUMBER *__restrict__ x, double *unused)
{
  word lane = threadIdx.x % LANES, entry = lane % ENTRIES, first = lane / ENTRIES;
  double sum = 0;
  (void)unused;
  if (row < a.node_count && first < AT_ONCE) {
#pragma unroll
    for (word p = 0; p < PARTS; p++) { /* unrolled: an argument's array has no address */
      if (p >= a.part_count) break;
      sum = add_part(
          sum, a.parts[p], a.parts[p].values + entry, row, first, x + entry % BLOCK);
    }
  }
  /* Lane r collects its row of the blocks: the steps' blocks in order, in each its columns. */
  word group = threadIdx.x % 32 - lane, mine = group + (lane < BLOCK ? lane * BLOCK : 0);
  double result = 0;
#pragma unroll
  for (int block = 0; block < AT_ONCE; block++) {
#pragma unroll
    for (int k = 0; k < BLOCK; k++)
      result += __shfl_sync(ALL_LANES, sum, (int)(mine + block * ENTRIES + k));
  }
  return result;
}

#define ROW_ROOM 1

#else

static __device__ __forceinline__ double
row_product(const matrix &a, word row, const NUMBER *__restrict__ x, double *room)
{
  word lane = threadIdx.x % 32;
  double sums[SLOTS];
#pragma unroll
  for (int s = 0; s < SLOTS; s++) sums[s] = 0;
  if (row < a.node_count) {
#pragma unroll
    for (word p = 0; p < PARTS; p++) { /* unrolled: an argument's array has no address */
      if (p >= a.part_count) break;
      const word *__restrict__ columns = a.parts[p].columns;
      const NUMBER *__restrict__ values = a.parts[p].values;
      word end = a.parts[p].row_starts[row + 1];
      for (word slot = a.parts[p].row_starts[row]; slot < end; slot++) {
        const NUMBER *block = values + (size)slot * ENTRIES;
        const NUMBER *of_x = x + (size)__ldg(columns + slot) * BLOCK;
#pragma unroll
        for (int s = 0; s < SLOTS; s++) {
          word entry = lane + 32 * s;
          if (entry < ENTRIES)
            sums[s] += (double)__ldg(block + entry) * (double)__ldg(of_x + entry % BLOCK);
        }
      }
    }
  }
  double *own = room + threadIdx.x / 32 * ENTRIES;
  __syncwarp();
#pragma unroll
  for (int s = 0; s < SLOTS; s++) {
    word entry = lane + 32 * s;
    if (entry < ENTRIES) own[entry] = sums[s];
  }
  __syncwarp();
  double result = 0;
  if (lane < BLOCK) {
    for (int k = 0; k < BLOCK; k++) result += own[lane * BLOCK + k];
  }
  return result;
}

#define ROW_ROOM (MULTIPLY_THREADS / 32 * ENTRIES)

#endif

/* y = A x on the rows of this thread block; returns this thread's share of x . y. Rows are cut by
 * their number and the grid alone. */
static __device__ __forceinline__ double
multiply_rows(const matrix &a, const NUMBER *__restrict__ x, NUMBER *__restrict__ y)
{
  __shared__ double room[ROW_ROOM];
  word lane = threadIdx.x % LANES, group = threadIdx.x / LANES;
  word rows = (a.node_count + gridDim.x - 1) / gridDim.x;
  word first = blockIdx.x * rows;
  double dot = 0;
  for (word done = 0; done < rows; done += GROUPS) {
    word row = done + group < rows ? first + done + group : a.node_count;
    double value = row_product(a, row, x, room);
    if (row < a.node_count && lane < BLOCK) {
      size i = (size)row * BLOCK + lane;
      y[i] = (NUMBER)value;
      dot += value * (double)x[i];
    }
  }
  return dot;
}

#endif
