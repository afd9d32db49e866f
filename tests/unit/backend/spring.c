/* A hand-written kernel with known derivatives.
 * SPDX-License-Identifier: Apache-2.0 */
#include "spring.h"

#include <math.h>

static void add_spring_accesses(program_builder *b)
{
  for (uint32_t end = 0; end < 2; end++) {
    b->accesses[end] = (basin_access){.array = 4, .step_count = 1, .steps = {{8, end}}};
    b->layouts[end] = (basin_access_layout){.stride = 3, .arities = {2}, .name = "position"};
  }
  b->accesses[2] = (basin_access){.array = 6};
  b->layouts[2] = (basin_access_layout){.stride = 1, .name = "weight"};
  b->access_count = 3;
}

static void fill_inner(program_builder *b, basin_stage stage)
{
  uint32_t d[3], square[3], gradient[3];
  add_spring_accesses(b);
  for (uint32_t i = 0; i < 3; i++) {
    uint32_t x = add_code(b, BASIN_OP_LOAD, 0, i, 0), y = add_code(b, BASIN_OP_LOAD, 1, i, 0);
    d[i] = add_code(b, BASIN_OP_SUB, x, y, 0);
    square[i] = add_code(b, BASIN_OP_MUL, d[i], d[i], 0);
  }
  uint32_t q =
      add_code(b, BASIN_OP_ADD, add_code(b, BASIN_OP_ADD, square[0], square[1], 0), square[2], 0);
  uint32_t w = add_code(b, BASIN_OP_LOAD, 2, 0, 0), half = add_constant(b, 0.5);
  uint32_t sum = add_code(b, BASIN_OP_ADD, add_code(b, BASIN_OP_MUL, half, q, 0), w, 0);
  add_output(b, add_code(b, BASIN_OP_MUL, add_code(b, BASIN_OP_MUL, half, q, 0), sum, 0));
  if (stage == BASIN_STAGE_VALUE) return;
  uint32_t factor = add_code(b, BASIN_OP_ADD, q, w, 0), two = add_constant(b, 2.0);
  for (uint32_t i = 0; i < 3; i++) gradient[i] = add_code(b, BASIN_OP_MUL, factor, d[i], 0);
  for (uint32_t i = 0; i < 3; i++) add_output(b, gradient[i]);
  if (stage == BASIN_STAGE_GRADIENT) return;
  for (uint32_t i = 0; i < 3; i++)
    for (uint32_t j = i; j < 3; j++) {
      uint32_t product =
          add_code(b, BASIN_OP_MUL, two, add_code(b, BASIN_OP_MUL, d[i], d[j], 0), 0);
      add_output(b, i == j ? add_code(b, BASIN_OP_ADD, factor, product, 0) : product);
    }
}

static uint32_t packed_number(uint32_t i, uint32_t j)
{
  uint32_t r = i < j ? i : j, c = i < j ? j : i;
  return 3 + r * 3 - (r ? r * (r - 1) / 2 : 0) + c - r;
}

static void fill_outer(program_builder *b, basin_stage stage)
{
  for (uint32_t i = 0; i < 6; i++) {
    uint32_t g = add_code(b, BASIN_OP_INNER, i % 3, 0, 0);
    add_output(b, i < 3 ? g : add_code(b, BASIN_OP_NEG, g, 0, 0));
  }
  if (stage == BASIN_STAGE_GRADIENT) return;
  for (uint32_t i = 0; i < 6; i++)
    for (uint32_t j = i; j < 6; j++) {
      uint32_t h = add_code(b, BASIN_OP_INNER, packed_number(i % 3, j % 3), 0, 0);
      add_output(b, (i < 3) == (j < 3) ? h : add_code(b, BASIN_OP_NEG, h, 0, 0));
    }
}

void spring_kernel_fill(spring_kernel *k, basin_stage stage)
{
  static const basin_array_id arrays[] = {6, 4};
  static const basin_connectivity_id connectivities[] = {8};
  static const uint32_t block_of[] = {0, 0, 0};
  bool outer = stage != BASIN_STAGE_VALUE;
  memset(k, 0, sizeof *k);
  fill_inner(&k->inner, stage);
  if (outer) fill_outer(&k->outer, stage);
  k->program = (basin_kernel_program){.info = {.name = "spring",
                                               .stage = stage,
                                               .array_count = 2,
                                               .arrays = arrays,
                                               .connectivity_count = 1,
                                               .connectivities = connectivities,
                                               .local_size = outer ? 6 : 0,
                                               .block = outer ? 3 : 0,
                                               .inner_size = outer ? 3 : 0,
                                               .operations = k->inner.count + k->outer.count},
                                      .inner = finish_program(&k->inner),
                                      .outer = finish_program(&k->outer),
                                      .block_count = 1,
                                      .block_of = block_of,
                                      .comment = "spring (spring.lua:3)"};
}

spring_data spring_data_make(void)
{
  spring_data data;
  random_stream random = {17};
  for (int i = 0; i < SPRING_NODES * 3; i++) data.x[i] = random_real(&random);
  for (uint32_t e = 0; e < SPRING_ELEMENTS; e++) {
    data.weight[e] = 2 * random_real(&random);
    data.ends[2 * e] = e % SPRING_NODES;
    data.ends[2 * e + 1] = (e * 3 + 2) % SPRING_NODES;
    if (data.ends[2 * e] == data.ends[2 * e + 1])
      data.ends[2 * e + 1] = (data.ends[2 * e] + 1) % SPRING_NODES;
  }
  return data;
}

void spring_difference(const spring_data *data, size_t element, double d[3])
{
  for (size_t i = 0; i < 3; i++)
    d[i] = data->x[data->ends[2 * element] * 3 + i] - data->x[data->ends[2 * element + 1] * 3 + i];
}

void spring_run(const basin_kernel *kernel, const spring_data *data, basin_kernel_args args)
{
  const double *arrays[] = {data->weight, data->x};
  const uint32_t *indices[] = {data->ends};
  size_t size = (kernel->scratch_size + 63) / 64 * 64;
  args.arrays = arrays;
  args.indices = indices;
  args.scratch = size ? aligned_alloc(64, size) : NULL;
  kernel->function(&args, kernel->self);
  free(args.scratch);
}
