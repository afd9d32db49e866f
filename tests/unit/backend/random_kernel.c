/* Random kernel programs and data for them.
 * SPDX-License-Identifier: Apache-2.0 */
#include "random_kernel.h"

#include <math.h>
#include <stdio.h>

uint64_t random_bits(random_stream *random)
{
  uint64_t z = random->state += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

uint32_t random_below(random_stream *random, uint32_t limit)
{
  return (uint32_t)(random_bits(random) % limit);
}

double random_real(random_stream *random)
{
  return (double)(random_bits(random) >> 11) * 0x1p-52 - 1.0;
}

/* ---- building programs ---- */

uint32_t add_code(program_builder *builder, basin_op op, uint32_t a, uint32_t b, uint32_t c)
{
  assert_true(builder->count < CODE_MAX);
  builder->code[builder->count] = (basin_instruction){.op = (uint16_t)op, .a = a, .b = b, .c = c};
  builder->lines[builder->count] = (int)builder->count / 7 + 1;
  return builder->count++;
}

uint32_t add_constant(program_builder *builder, double value)
{
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return add_code(builder, BASIN_OP_CONST, (uint32_t)bits, (uint32_t)(bits >> 32), 0);
}

void add_output(program_builder *builder, uint32_t value)
{
  assert_true(builder->output_count < OUTPUT_MAX);
  builder->outputs[builder->output_count++] = value;
}

basin_program finish_program(const program_builder *builder)
{
  return (basin_program){.code = builder->code,
                         .count = builder->count,
                         .lists = builder->lists,
                         .list_length = builder->list_length,
                         .accesses = builder->accesses,
                         .layouts = builder->layouts,
                         .access_count = builder->access_count,
                         .outputs = builder->outputs,
                         .output_count = builder->output_count,
                         .lines = builder->lines};
}

void add_accesses(program_builder *builder)
{
  for (uint32_t corner = 0; corner < CORNERS; corner++) {
    uint32_t a = builder->access_count++;
    builder->accesses[a] = (basin_access){.array = 0, .step_count = 1, .steps = {{0, corner}}};
    builder->layouts[a] = (basin_access_layout){.stride = 3, .arities = {CORNERS}, .name = "x"};
  }
  uint32_t a = builder->access_count++;
  builder->accesses[a] = (basin_access){.array = 3, .step_count = 2, .steps = {{0, 2}, {1, 1}}};
  builder->layouts[a] = (basin_access_layout){.stride = 1, .arities = {CORNERS, NEIGHBOURS}};
  a = builder->access_count++;
  builder->accesses[a] = (basin_access){.array = 1};
  builder->layouts[a] = (basin_access_layout){.stride = 5, .name = "own */ data"};
  a = builder->access_count++;
  builder->accesses[a] = (basin_access){.array = 2};
  builder->layouts[a] = (basin_access_layout){.stride = 2, .shared = true, .name = "scene"};
}

/* ---- random programs ---- */

static uint32_t random_leaf(program_builder *b, random_stream *random, uint32_t inner_count)
{
  uint32_t choice = random_below(random, 10);
  if (choice == 0) return add_constant(b, random_real(random));
  if (inner_count && choice < 5)
    return add_code(b, BASIN_OP_INNER, random_below(random, inner_count), 0, 0);
  uint32_t access = random_below(random, b->access_count);
  return add_code(b, BASIN_OP_LOAD, access, random_below(random, b->layouts[access].stride), 0);
}

static bool is_mask(const program_builder *b, uint32_t value)
{
  return basin__op_info(b->code[value].op)->flags & BASIN_OP_BOOLEAN;
}

/* Any value; numbers where a truth value is meant, and the reverse, are part of the test. */
static uint32_t pick(const program_builder *b, random_stream *random)
{
  uint32_t recent = b->count < 24 ? b->count : 24;
  return b->count - 1 - random_below(random, recent);
}

/* Operators that keep numbers of order one, so that absolute and relative accuracy agree. */
static uint32_t random_operation(program_builder *b, random_stream *random, bool exact)
{
  static const basin_op smooth[] = {
      BASIN_OP_SIN, BASIN_OP_COS, BASIN_OP_TANH, BASIN_OP_ATAN, BASIN_OP_EXP, BASIN_OP_LOG};
  uint32_t x = pick(b, random), y = pick(b, random);
  switch (random_below(random, exact ? 8 : 11)) {
  case 0:
    return add_code(b, BASIN_OP_ADD, x, y, 0);
  case 1:
    return add_code(b, BASIN_OP_SUB, x, y, 0);
  case 2:
    return add_code(b, BASIN_OP_NEG, x, 0, 0);
  case 3:
    return add_code(b, random_below(random, 2) ? BASIN_OP_MIN : BASIN_OP_MAX, x, y, 0);
  case 4: {
    uint32_t size = add_code(b, BASIN_OP_ABS, x, 0, 0);
    return add_code(
        b, BASIN_OP_SQRT, add_code(b, BASIN_OP_ADD, size, add_constant(b, 0.5), 0), 0, 0);
  }
  case 5: {
    /* A condition on data alone: rounding cannot turn it. */
    uint32_t leaf = random_leaf(b, random, 0);
    uint32_t condition = add_code(b, BASIN_OP_LT, leaf, add_constant(b, 0.25), 0);
    return add_code(b, BASIN_OP_SELECT, condition, x, y);
  }
  case 6: {
    uint32_t one = add_constant(b, 1.0), square = add_code(b, BASIN_OP_MUL, y, y, 0);
    return add_code(b, BASIN_OP_DIV, x, add_code(b, BASIN_OP_ADD, one, square, 0), 0);
  }
  case 7:
    return add_code(b, BASIN_OP_MUL, x, add_constant(b, 0.5), 0);
  default: {
    basin_op op = smooth[random_below(random, BASIN_COUNT(smooth))];
    if (op == BASIN_OP_EXP) x = add_code(b, BASIN_OP_TANH, x, 0, 0);
    if (op == BASIN_OP_LOG)
      x = add_code(b, BASIN_OP_ADD, add_constant(b, 1.5), add_code(b, BASIN_OP_SIN, x, 0, 0), 0);
    return add_code(b, op, x, 0, 0);
  }
  }
}

static uint32_t
random_number(program_builder *b, random_stream *random, bool exact, uint32_t inner_count)
{
  random_leaf(b, random, inner_count);
  uint32_t value = random_operation(b, random, exact);
  while (is_mask(b, value)) value = random_operation(b, random, exact);
  return value;
}

static void fill_inner(random_kernel *k, random_stream *random, kernel_shape shape)
{
  program_builder *b = &k->inner;
  uint32_t n = shape.inner_size, count = shape.output_size;
  add_accesses(b);
  for (int i = 0; i < 8; i++) random_leaf(b, random, 0);
  if (shape.stage != BASIN_STAGE_COMPUTE) count = 1 + (shape.stage == BASIN_STAGE_VALUE ? 0 : n);
  for (uint32_t i = 0; i < count; i++) add_output(b, random_number(b, random, shape.exact, 0));
  if (shape.stage != BASIN_STAGE_HESSIAN) return;
  uint32_t zero = add_constant(b, 0.0);
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t j = i; j < n; j++)
      add_output(
          b, k->block_of[i] == k->block_of[j] ? random_number(b, random, shape.exact, 0) : zero);
}

static void fill_outer(random_kernel *k, random_stream *random, kernel_shape shape)
{
  program_builder *b = &k->outer;
  uint32_t n = shape.inner_size, size = shape.nodes * shape.block, count = size, inner_count = n;
  if (shape.stage == BASIN_STAGE_HESSIAN) {
    count += size * (size + 1) / 2;
    inner_count += n * (n + 1) / 2;
  }
  add_accesses(b);
  for (int i = 0; i < 8; i++) random_leaf(b, random, inner_count);
  for (uint32_t i = 0; i < count; i++)
    add_output(b, random_number(b, random, shape.exact, inner_count));
}

void random_kernel_fill(random_kernel *k, random_stream *random, kernel_shape shape)
{
  static const basin_array_id arrays[] = {3, 0, 2, 1}; /* any order */
  static const basin_connectivity_id connectivities[] = {1, 0};
  bool outer = shape.stage == BASIN_STAGE_GRADIENT || shape.stage == BASIN_STAGE_HESSIAN;
  memset(k, 0, sizeof *k);
  for (uint32_t i = 0; i < shape.inner_size; i++)
    k->block_of[i] = i % (shape.blocks ? shape.blocks : 1);
  fill_inner(k, random, shape);
  if (outer) fill_outer(k, random, shape);
  k->program = (basin_kernel_program){
      .info = {.name = "random",
               .stage = shape.stage,
               .array_count = RANDOM_ARRAYS,
               .arrays = arrays,
               .connectivity_count = RANDOM_CONNECTIVITIES,
               .connectivities = connectivities,
               .output_size = shape.stage == BASIN_STAGE_COMPUTE ? shape.output_size : 0,
               .local_size = outer ? shape.nodes * shape.block : 0,
               .block = outer ? shape.block : 0,
               .inner_size = outer ? shape.inner_size : 0},
      .inner = finish_program(&k->inner),
      .outer = finish_program(&k->outer),
      .block_count = shape.blocks,
      .block_of = k->block_of,
      .comment = "random kernel",
  };
}

/* ---- data ---- */

static double *random_array(random_stream *random, size_t count)
{
  double *array = malloc((count ? count : 1) * sizeof *array);
  for (size_t i = 0; i < count; i++) array[i] = random_real(random);
  return array;
}

static uint32_t *random_indices(random_stream *random, size_t count, uint32_t limit)
{
  uint32_t *indices = malloc((count ? count : 1) * sizeof *indices);
  for (size_t i = 0; i < count; i++) indices[i] = random_below(random, limit);
  return indices;
}

sample_data sample_data_create(random_stream *random, size_t elements)
{
  sample_data data = {.elements = elements,
                      .array_sizes = {3 * RANDOM_NODES, 5 * elements, 2, RANDOM_NODES}};
  for (int a = 0; a < RANDOM_ARRAYS; a++)
    data.arrays[a] = random_array(random, data.array_sizes[a]);
  data.indices[0] = random_indices(random, elements * CORNERS, RANDOM_NODES);
  data.indices[1] = random_indices(random, RANDOM_NODES * NEIGHBOURS, RANDOM_NODES);
  return data;
}

void sample_data_destroy(sample_data *data)
{
  for (int a = 0; a < RANDOM_ARRAYS; a++) free(data->arrays[a]);
  for (int c = 0; c < RANDOM_CONNECTIVITIES; c++) free(data->indices[c]);
}

/* ---- running ---- */

basin_backend *
open_backend(basin_context *context, const char *kind, const char *precision, const char *width)
{
  basin_backend *backend;
  setenv("BASIN_WIDTH", width, 1);
  basin_status status = basin_backend_create(context, kind, precision, &backend);
  if (status == BASIN_ERROR_MISSING_LIBRARY || status == BASIN_ERROR_UNSUPPORTED) {
    print_message("%s\n", basin_error_text(context));
    skip();
  }
  if (status != BASIN_OK) fail_msg("%s", basin_error_text(context));
  return backend;
}

bool have_backend(const char *kind)
{
  basin_context *context = test_context(NULL);
  basin_backend *backend;
  bool have = basin_backend_create(context, kind, "double", &backend) == BASIN_OK;
  if (!have) print_message("skipped: %s\n", basin_error_text(context));
  basin_backend_destroy(backend);
  basin_context_destroy(context);
  return have;
}

basin_kernel compile_one(basin_backend *backend, const basin_kernel_program *program)
{
  basin_backend_job job = {.program = program};
  if (basin__backend_compile(backend, &job, 1) != BASIN_OK)
    fail_msg("%s", basin_error_text(backend->context));
  return job.kernel;
}

void run_kernel(const basin_kernel *kernel, const sample_data *data, basin_kernel_args args)
{
  const double *arrays[] = {data->arrays[3], data->arrays[0], data->arrays[2], data->arrays[1]};
  const uint32_t *indices[] = {data->indices[1], data->indices[0]};
  size_t size = (kernel->scratch_size + 63) / 64 * 64;
  args.arrays = arrays;
  args.indices = indices;
  args.scratch = size ? aligned_alloc(64, size) : NULL;
  kernel->function(&args, kernel->self);
  free(args.scratch);
}

bool is_close(double x, double y, double tolerance)
{
  if (isnan(x) || isnan(y)) return isnan(x) && isnan(y);
  if (isinf(x) || isinf(y)) return x == y;
  return fabs(x - y) <= tolerance * fmax(1.0, fabs(y));
}
