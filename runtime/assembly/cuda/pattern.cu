/* The pattern of one part of the matrix: the blocks that its terms' runs mention, once each, and
 * both triangles of them. SPDX-License-Identifier: Apache-2.0 */
#include "assembly.cuh"

/* Every row has a diagonal block. */
extern "C" __global__ void emit_diagonal(word nodes, word bits, key *keys)
{
  const size n = thread_number();
  if (n < nodes) keys[n] = (key)n << bits | (key)n;
  if (n == nodes) keys[n] = ((key)1 << 2 * bits) - 1; /* so that the last run is that of no block */
}

extern "C" __global__ void
unique_keys(const key *keys, const word *heads, size count, key *unique)
{
  const size r = thread_number();
  if (r < count) unique[r] = keys[heads[r]];
}

/* The slot of each run of a term: its place among the part's blocks; `count` for no block. */
extern "C" __global__ void
find_slots(const key *places, size runs, const key *unique, size count, word *slots)
{
  const size r = thread_number();
  if (r >= runs) return;
  const key place = places[r];
  size low = 0, high = count;
  while (low < high) {
    const size middle = (low + high) / 2;
    if (unique[middle] < place)
      low = middle + 1;
    else
      high = middle;
  }
  slots[r] = (word)low;
}

/* Both triangles: two keys a block, the second of a diagonal block is none. */
extern "C" __global__ void
mirror_keys(const key *unique, size count, word bits, key *keys, word *sources)
{
  const size r = thread_number();
  if (r >= count) return;
  const key all = ((key)1 << 2 * bits) - 1, mask = ((key)1 << bits) - 1;
  const key row = unique[r] >> bits, column = unique[r] & mask;
  keys[2 * r] = unique[r];
  keys[2 * r + 1] = row == column ? all : column << bits | row;
  sources[2 * r] = (word)r;
  sources[2 * r + 1] = (word)r | TRANSPOSED;
}

extern "C" __global__ void
finish_rows(const key *keys, size count, word nodes, word bits, word *columns, word *row_starts)
{
  const size k = thread_number();
  if (k >= count) return;
  const key mask = ((key)1 << bits) - 1;
  const word row = (word)(keys[k] >> bits);
  columns[k] = (word)(keys[k] & mask);
  if (k == 0 || (word)(keys[k - 1] >> bits) != row) row_starts[row] = (word)k;
  if (k == count - 1) row_starts[nodes] = (word)count;
}

/* Values of both triangles from those of the upper one. */
extern "C" __global__ void
mirror_values(const word *sources, size count, word block, const double *upper, double *values)
{
  const size t = thread_number();
  const word entries = block * block;
  if (t >= count * entries) return;
  const size k = quotient(t, entries);
  const word entry = (word)(t - k * entries), i = entry / block, j = entry % block;
  const word source = sources[k];
  values[t] = upper[(size)(source & WORD_MASK) * entries +
                    (source & TRANSPOSED ? j * block + i : entry)];
}
