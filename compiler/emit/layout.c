/* Where the results of the inner and outer programs of a kernel are kept.
 * SPDX-License-Identifier: Apache-2.0 */
#include "emit/device/chunk.h"
#include "emit/printer.h"

/* Bytes of BASIN_STRIDE numbers, see dialect_cpu.h. */
static size_t stride_bytes(size_t scalar_size)
{
  return BASIN_CHUNK * scalar_size + 64;
}

/* Row and column of number k of a packed upper triangle of n rows, stored row after row. */
static void unpack(uint32_t k, uint32_t n, uint32_t *row, uint32_t *column)
{
  uint32_t r = 0;
  while (k >= n - r) {
    k -= n - r;
    r++;
  }
  *row = r;
  *column = r + k;
}

static bool same_block(const basin_kernel_program *kernel, uint32_t i, uint32_t j)
{
  return kernel->block_count <= 1 || kernel->block_of[i] == kernel->block_of[j];
}

uint32_t basin__emit_block_count(const basin_kernel_program *kernel)
{
  return kernel->block_count > 1 ? kernel->block_count : 1;
}

uint32_t basin__emit_block_size(const basin_kernel_program *kernel, uint32_t block)
{
  if (kernel->block_count <= 1) return kernel->info.inner_size;
  uint32_t size = 0;
  for (uint32_t i = 0; i < kernel->info.inner_size; i++) size += kernel->block_of[i] == block;
  return size;
}

uint32_t basin__inner_row(const basin_kernel_program *kernel, uint32_t k)
{
  uint32_t n = kernel->info.inner_size, row = 0, i, j;
  if (k <= n || kernel->info.stage != BASIN_STAGE_HESSIAN) return k;
  unpack(k - 1 - n, n, &i, &j);
  if (!same_block(kernel, i, j)) return BASIN_NONE;
  if (kernel->block_count <= 1) return k;
  row = 1 + n;
  for (uint32_t p = 0; p < k - 1 - n; p++) {
    unpack(p, n, &i, &j);
    row += same_block(kernel, i, j);
  }
  return row;
}

uint32_t basin__inner_rows(const basin_kernel_program *kernel)
{
  uint32_t n = kernel->info.inner_size;
  if (kernel->info.stage == BASIN_STAGE_COMPUTE) return kernel->info.output_size;
  if (kernel->info.stage == BASIN_STAGE_VALUE) return 1;
  if (kernel->info.stage == BASIN_STAGE_GRADIENT) return 1 + n;
  uint32_t rows = 1 + n;
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t j = i; j < n; j++) rows += same_block(kernel, i, j);
  return rows;
}

uint32_t basin__outer_place(const basin_kernel_program *kernel, uint32_t k)
{
  uint32_t size = kernel->info.local_size, block = kernel->info.block, nodes = size / block;
  if (k < size) return k;
  uint32_t pair = (k - size) / (block * block), entry = (k - size) % (block * block), a, b;
  unpack(pair, nodes, &a, &b);
  uint32_t i = a * block + entry / block, j = b * block + entry % block;
  uint32_t r = i < j ? i : j, c = i < j ? j : i;
  return size + r * size - (r ? r * (r - 1) / 2 : 0) + c - r;
}

uint32_t basin__outer_count(const basin_kernel_program *kernel)
{
  uint32_t size = kernel->info.local_size, block = kernel->info.block, nodes = size / block;
  if (kernel->info.stage != BASIN_STAGE_HESSIAN) return size;
  return size + nodes * (nodes + 1) / 2 * block * block;
}

size_t basin__emit_scratch_size(const basin_kernel_program *kernel, size_t scalar_size)
{
  if (kernel->info.stage != BASIN_STAGE_HESSIAN) return 0;
  return basin__inner_rows(kernel) * stride_bytes(scalar_size);
}
