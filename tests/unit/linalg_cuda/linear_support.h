/* What the tests of the CUDA linear solvers share: a device, arrays on it, matrices in parts.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_TESTS_LINEAR_SUPPORT_H
#define BASIN_TESTS_LINEAR_SUPPORT_H

#include "../device/cuda_support.h"
#include "../linalg/linalg_support.h"
#include "linalg/cuda/linear.h"

static basin_context *test_context_of;
static basin_cuda *cuda;

static inline int open_device(void **state)
{
  (void)state;
  test_context_of = test_context(NULL);
  OK(basin__cuda_open(test_context_of, 0, &cuda));
  return 0;
}

static inline int close_device(void **state)
{
  (void)state;
  basin__cuda_close(cuda);
  basin_context_destroy(test_context_of);
  return 0;
}

static inline basin_buffer numbers_on_device(const double *from, size_t count)
{
  basin_buffer buffer = {0};
  OK(basin__buffer_reserve(cuda, &buffer, (count + 1) * sizeof *from));
  if (from != NULL) OK(basin__cuda_upload(cuda, buffer.address, from, count * sizeof *from));
  return buffer;
}

static inline void numbers_from_device(const basin_buffer *buffer, double *to, size_t count)
{
  if (count > 0) OK(basin__cuda_download(cuda, to, buffer->address, count * sizeof *to));
}

/* A matrix of the CPU on the device, in one part or as the sum of two: the second part holds a
 * third of every block's value and only every other block off the diagonal. */
typedef struct device_matrix {
  basin_cuda_bsr_memory memory[2];
  basin_cuda_matrix matrix;
} device_matrix;

static inline device_matrix matrix_on_device(const basin_bsr *from, unsigned parts)
{
  device_matrix result = {.matrix = {.part_count = parts}};
  if (parts == 1) {
    OK(basin__cuda_bsr_upload(cuda, from, &result.memory[0], &result.matrix.parts[0]));
    return result;
  }
  size_t entries = (size_t)basin_bsr_block_size(from) * basin_bsr_block_size(from), count = 0;
  basin_node_pair *pairs = calloc(basin_bsr_block_count(from) + 1, sizeof *pairs);
  for (uint32_t row = 0; row < basin_bsr_node_count(from); row++) {
    for (size_t s = basin_bsr_row_starts(from)[row]; s < basin_bsr_row_starts(from)[row + 1]; s++)
      if (s % 2 == 0) pairs[count++] = (basin_node_pair){row, basin_bsr_columns(from)[s]};
  }
  basin_bsr *first, *second;
  OK(basin_bsr_copy(from, &first));
  OK(basin_bsr_create(test_context_of,
                      basin_bsr_node_count(from),
                      basin_bsr_block_size(from),
                      count,
                      pairs,
                      NULL,
                      &second));
  for (uint32_t row = 0; row < basin_bsr_node_count(second); row++) {
    for (size_t s = basin_bsr_row_starts(second)[row]; s < basin_bsr_row_starts(second)[row + 1];
         s++) {
      uint32_t slot = basin_bsr_slot(first, row, basin_bsr_columns(second)[s]);
      for (size_t k = 0; k < entries; k++) {
        double share = basin_bsr_values(first)[slot * entries + k] / 3;
        basin_bsr_values(second)[s * entries + k] = share;
        basin_bsr_values(first)[slot * entries + k] -= share;
      }
    }
  }
  OK(basin__cuda_bsr_upload(cuda, first, &result.memory[0], &result.matrix.parts[0]));
  OK(basin__cuda_bsr_upload(cuda, second, &result.memory[1], &result.matrix.parts[1]));
  basin_bsr_destroy(first);
  basin_bsr_destroy(second);
  free(pairs);
  return result;
}

static inline void release_matrix(device_matrix *matrix)
{
  for (int p = 0; p < 2; p++) basin__cuda_bsr_release(cuda, &matrix->memory[p]);
}

#endif
