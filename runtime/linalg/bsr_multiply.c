/* y = A x for symmetric block matrices, chunk by chunk.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bsr.h"

#include "base/base.h"

/* First entry of [begin, end) whose node is not below `node`. */
static size_t lower_bound(const uint32_t *nodes, size_t begin, size_t end, uint32_t node)
{
  while (begin < end) {
    size_t middle = begin + (end - begin) / 2;
    if (nodes[middle] < node) {
      begin = middle + 1;
    } else {
      end = middle;
    }
  }
  return begin;
}

static void add_halo(const basin_bsr *matrix, size_t begin, size_t end, double *restrict y)
{
  const basin__bsr_plan *plan = &matrix->plan;
  unsigned b = matrix->block_size, stride = plan->stride;
  for (size_t entry = begin; entry < end; entry++) {
    const double *value = plan->halo_values + entry * stride;
    double *out = y + (size_t)plan->halo_nodes[entry] * b;
    if (b == 3) {
      out[0] += value[0], out[1] += value[1], out[2] += value[2];
    } else if (b == 2) {
      out[0] += value[0] + value[2], out[1] += value[1] + value[3];
    } else {
      for (unsigned k = 0; k < b; k++) out[k] += value[k];
    }
  }
}

/* The chunk that holds row `row`. */
static size_t find_chunk(const basin__bsr_plan *plan, uint32_t row)
{
  size_t low = 0, high = plan->chunk_count;
  while (high - low > 1) {
    size_t middle = low + (high - low) / 2;
    if (plan->chunk_rows[middle] <= row) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return low;
}

void basin__bsr_reduce(const basin_bsr *matrix, uint32_t first, uint32_t last, double *y)
{
  const basin__bsr_plan *plan = &matrix->plan;
  if (first >= last) return;
  for (size_t chunk = find_chunk(plan, first);
       chunk < plan->chunk_count && plan->chunk_rows[chunk] < last;
       chunk++) {
    for (size_t i = plan->segment_starts[chunk]; i < plan->segment_starts[chunk + 1]; i++) {
      size_t begin = plan->segments[i].begin, end = plan->segments[i].end;
      if (plan->chunk_rows[chunk] < first) begin = lower_bound(plan->halo_nodes, begin, end, first);
      if (plan->chunk_rows[chunk + 1] > last) end = lower_bound(plan->halo_nodes, begin, end, last);
      add_halo(matrix, begin, end, y);
    }
  }
}

typedef struct multiply_job {
  const basin_bsr *matrix;
  basin__bsr_kernel kernel;
  basin__bsr_input input;
  double *y;
} multiply_job;

static void multiply_task(void *user, size_t chunk, unsigned worker)
{
  const multiply_job *job = user;
  job->kernel(job->matrix, chunk, worker, &job->input, job->y);
}

static void reduce_task(void *user, size_t chunk, unsigned worker)
{
  const multiply_job *job = user;
  const uint32_t *rows = job->matrix->plan.chunk_rows;
  (void)worker;
  basin__bsr_reduce(job->matrix, rows[chunk], rows[chunk + 1], job->y);
}

void basin_bsr_multiply(const basin_bsr *matrix, const double *x, double *y)
{
  multiply_job job = {matrix, basin__bsr_kernel_select(matrix->block_size), {.x = x}, y};
  size_t chunks = matrix->plan.chunk_count;
  basin__parallel_work(matrix->context, chunks, basin__bsr_work(matrix), multiply_task, &job);
  if (matrix->plan.halo_count > 0)
    basin__parallel_work(matrix->context,
                         chunks,
                         (double)matrix->plan.halo_count * matrix->block_size,
                         reduce_task,
                         &job);
}
