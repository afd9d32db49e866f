/* A block matrix from another: rows and columns that a map sends to the same number are added up.
 * Blocks are sorted by where they go, and each sum takes them in that order. -DBLOCK=1..12.
 * SPDX-License-Identifier: Apache-2.0 */
#include "matrix.cuh"

typedef unsigned long long key;

/* Where the blocks of part `p` go, and their own places, from `first` on. `map` NULL: they stay. */
extern "C" __global__ void collapse_keys(
    matrix a, word p, word first, const word *map, word column_bits, key *keys, word *order)
{
  word row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= a.node_count) return;
  const word *starts = p == 0   ? a.parts[0].row_starts
                       : p == 1 ? a.parts[1].row_starts
                       : p == 2 ? a.parts[2].row_starts
                                : a.parts[3].row_starts;
  const word *columns = p == 0   ? a.parts[0].columns
                        : p == 1 ? a.parts[1].columns
                        : p == 2 ? a.parts[2].columns
                                 : a.parts[3].columns;
  key row_key = (key)(map ? map[row] : row) << column_bits;
  for (word slot = starts[row]; slot < starts[row + 1]; slot++) {
    keys[first + slot] = row_key | (map ? map[columns[slot]] : columns[slot]);
    order[first + slot] = first + slot;
  }
}

/* The pattern from the sorted keys: one block a run. */
extern "C" __global__ void collapse_pattern(const key *keys,
                                            const word *heads,
                                            word runs,
                                            word rows,
                                            word column_bits,
                                            word *row_starts,
                                            word *columns)
{
  word run = blockIdx.x * blockDim.x + threadIdx.x;
  if (run > runs) return;
  /* The rows after that of the run before, up to its own, begin here. */
  word from = run == 0 ? 0 : (word)(keys[heads[run - 1]] >> column_bits) + 1;
  word to = run == runs ? rows : (word)(keys[heads[run]] >> column_bits);
  for (word row = from; row <= to; row++) row_starts[row] = run;
  if (run < runs) columns[run] = (word)keys[heads[run]] & (word)(((key)1 << column_bits) - 1);
}

/* firsts: the place of the first block of each part in the order; the last word is their number. */
struct part_places {
  word firsts[PARTS + 1];
};

/* One thread an entry. */
extern "C" __global__ void collapse_values(
    matrix a, part_places places, const word *heads, const word *order, word runs, double *values)
{
  size i = (size)blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= (size)runs * ENTRIES) return;
  word run = (word)(i / ENTRIES), entry = (word)(i % ENTRIES);
  double sum = 0;
  for (word h = heads[run]; h < heads[run + 1]; h++) {
    word place = order[h];
    const double *from = a.parts[0].values;
    word first = 0;
#pragma unroll
    for (word p = 1; p < PARTS; p++) {
      if (place >= places.firsts[p] && p < a.part_count) {
        from = a.parts[p].values;
        first = places.firsts[p];
      }
    }
    sum += from[(size)(place - first) * ENTRIES + entry];
  }
  values[i] = sum;
}
