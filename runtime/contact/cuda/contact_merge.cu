/* Sorted pairs of equal vertices become one with a multiplicity. SPDX-License-Identifier:
 * Apache-2.0 */
#include "contact.cuh"

/* Keys of a pass of the sort: the low parts with the numbers 0, 1, ..., or the high parts in the
 * order so far. */
extern "C" __global__ void
contact_sort_keys(const size *part, word *order, size count, word begin, size *keys)
{
  const size i = thread_number();
  if (i >= count) return;
  if (begin) order[i] = (word)i;
  keys[i] = part[begin ? i : order[i]];
}

static __device__ __forceinline__ bool
begins_run(const basin_cuda_found &found, const word *order, size i)
{
  return i == 0 || found.high[order[i]] != found.high[order[i - 1]] ||
         found.low[order[i]] != found.low[order[i - 1]];
}

/* 1 where a run of equal vertices begins. */
extern "C" __global__ void
contact_run_flags(basin_cuda_found found, const word *order, size count, word *flags)
{
  const size i = thread_number();
  if (i < count) flags[i] = begins_run(found, order, i);
}

/* places: the sums of the flags before each row; heads: first row of each run, and the end. */
extern "C" __global__ void contact_run_heads(basin_cuda_found found,
                                             const word *order,
                                             size count,
                                             const word *places,
                                             word *heads,
                                             basin_cuda_status *status)
{
  const size i = thread_number();
  if (i > count) return;
  if (i == count) {
    heads[places[count]] = (word)count;
    status->runs = places[count];
  } else if (begins_run(found, order, i)) {
    heads[places[i]] = (word)i;
  }
}

/* Merged rows of one run while it is read, ordered by separation. */
typedef struct merged {
  double *separation, *multiplicity, *squared, *threshold;
  word count;
} merged;

static __device__ __forceinline__ void move_row(const merged *list, word to, word from)
{
  list->separation[to] = list->separation[from];
  list->multiplicity[to] = list->multiplicity[from];
  list->squared[to] = list->squared[from];
  list->threshold[to] = list->threshold[from];
}

/* Adds a row to an equal one or between the others. Of equal stencils the smallest distance stays;
 * rows with a mollifier stay apart. */
static __device__ void merge_row(merged *list, double separation, double squared, double threshold)
{
  word at = 0;
  while (at < list->count &&
         (list->separation[at] < separation ||
          (list->separation[at] == separation && threshold > 0 && list->squared[at] < squared)))
    ++at;
  if (at < list->count && list->separation[at] == separation && threshold == 0) {
    list->multiplicity[at] += 1;
    if (squared < list->squared[at]) list->squared[at] = squared;
    return;
  }
  for (word k = list->count; k > at; --k) move_row(list, k, k - 1);
  list->separation[at] = separation;
  list->multiplicity[at] = 1;
  list->squared[at] = squared;
  list->threshold[at] = threshold;
  ++list->count;
}

/* A thread a run: its merged rows are written to the places of its rows in `rows`, their number to
 * counts; beyond the last run 0. */
extern "C" __global__ void contact_merge_runs(basin_cuda_found found,
                                              const word *order,
                                              size count,
                                              const word *heads,
                                              basin_cuda_pairs rows,
                                              word *counts,
                                              const basin_cuda_status *status)
{
  const size run = thread_number();
  if (run >= count) return;
  counts[run] = 0;
  if (run >= status->runs) return;
  const word begin = heads[run], end = heads[run + 1];
  merged list = {rows.separation + begin,
                 rows.multiplicity + begin,
                 rows.squared + begin,
                 rows.threshold + begin,
                 0};
  for (word i = begin; i < end; ++i) {
    const word row = order[i];
    merge_row(&list, found.separation[row], found.squared[row], found.threshold[row]);
  }
  counts[run] = list.count;
}

/* A thread a run: copies its merged rows to their final places, and counts them. */
extern "C" __global__ void contact_gather_runs(basin_cuda_found found,
                                               const word *order,
                                               size count,
                                               const word *heads,
                                               const word *places,
                                               basin_cuda_pairs rows,
                                               basin_cuda_pairs pairs,
                                               basin_cuda_status *status)
{
  const size run = thread_number();
  if (run == 0) status->rows = places[count];
  if (run >= status->runs) return;
  const word begin = heads[run], to = places[run], number = places[run + 1] - to;
  const size high = found.high[order[begin]], low = found.low[order[begin]];
  const size mask = ((size)1 << found.bits) - 1;
  const word kind = (word)(high >> 2 * found.bits);
  double copies = 0;
  for (word i = 0; i < number; ++i) {
    word *v = pairs.vertices + 4 * (size)(to + i);
    v[0] = (word)(high >> found.bits & mask);
    v[1] = (word)(high & mask);
    v[2] = (word)(low >> found.bits);
    v[3] = (word)(low & mask);
    pairs.multiplicity[to + i] = rows.multiplicity[begin + i];
    pairs.squared[to + i] = rows.squared[begin + i];
    pairs.separation[to + i] = rows.separation[begin + i];
    pairs.threshold[to + i] = rows.threshold[begin + i];
    copies += rows.multiplicity[begin + i];
    atomicMin(&status->least_squared, (size)__double_as_longlong(rows.squared[begin + i]));
  }
  atomicAdd(&status->kinds[kind], (size)number);
  atomicAdd(&status->copies[kind], (size)copies);
}

/* Whether stencils or multiplicities differ from those before; the counts of the kinds are compared
 * on the host. */
extern "C" __global__ void contact_compare(basin_cuda_pairs pairs,
                                           basin_cuda_pairs before,
                                           size count,
                                           basin_cuda_status *status)
{
  const size i = thread_number();
  if (i >= count || i >= status->rows) return;
  bool same = pairs.multiplicity[i] == before.multiplicity[i];
  for (int k = 0; k < 4; ++k)
    same = same && pairs.vertices[4 * i + k] == before.vertices[4 * i + k];
  if (!same) atomicOr(&status->changed, 1u);
}
