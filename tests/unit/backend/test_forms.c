/* Random kernels of every stage in every form of output: compiled against the interpreter, and
 * against themselves. SPDX-License-Identifier: Apache-2.0 */
#include "random_kernel.h"

#include <math.h>
#include <stdio.h>

enum { ELEMENTS = 301, GLOBAL_NODES = 12, SLOTS = 40 };

/* Everything a kernel can write. */
typedef struct results {
  double *output, *energy, *gradient, *values, *local_gradient, *local_hessian;
  double sum;
  size_t sizes[6];
} results;

static double **result_array(results *r, int i)
{
  double **arrays[] = {
      &r->output, &r->energy, &r->gradient, &r->values, &r->local_gradient, &r->local_hessian};
  return arrays[i];
}

static results results_create(const basin_kernel_info *info, size_t elements)
{
  size_t size = info->local_size, block = info->block;
  results r = {.sizes = {elements * info->output_size,
                         elements,
                         GLOBAL_NODES * block,
                         SLOTS * block * block,
                         elements * size,
                         elements * (size * (size + 1) / 2)}};
  for (int i = 0; i < 6; i++) *result_array(&r, i) = calloc(r.sizes[i] + 1, sizeof(double));
  return r;
}

static void results_destroy(results *r)
{
  for (int i = 0; i < 6; i++) free(*result_array(r, i));
}

static void expect_close(results *x, results *y, double tolerance, const char *what)
{
  for (int a = 0; a < 6; a++)
    for (size_t i = 0; i < x->sizes[a]; i++) {
      double have = (*result_array(x, a))[i], want = (*result_array(y, a))[i];
      if (tolerance == 0 ? memcmp(&have, &want, sizeof have) != 0
                         : !is_close(have, want, tolerance))
        fail_msg("%s: array %d entry %zu is %.17g, not %.17g", what, a, i, have, want);
    }
  if (tolerance == 0 ? x->sum != y->sum : !is_close(x->sum, y->sum, tolerance * 10))
    fail_msg("%s: sum %.17g, not %.17g", what, x->sum, y->sum);
}

/* Node and slot tables with skipped entries, shared slots and both flags. */
typedef struct tables {
  uint32_t *nodes, *slots;
} tables;

static tables tables_create(random_stream *random, const basin_kernel_info *info, size_t elements)
{
  size_t nodes = info->block ? info->local_size / info->block : 0, pairs = nodes * (nodes + 1) / 2;
  tables t = {malloc((elements * nodes + 1) * sizeof(uint32_t)),
              malloc((elements * pairs + 1) * sizeof(uint32_t))};
  for (size_t i = 0; i < elements * nodes; i++)
    t.nodes[i] = random_below(random, 6) ? random_below(random, GLOBAL_NODES) : BASIN_NONE;
  for (size_t i = 0; i < elements * pairs; i++) {
    static const uint32_t flags[] = {0, BASIN_SLOT_TRANSPOSED, BASIN_SLOT_TWICE, 0};
    t.slots[i] = random_below(random, 6)
                     ? random_below(random, SLOTS) | flags[random_below(random, 4)]
                     : BASIN_NONE;
  }
  return t;
}

static void tables_destroy(tables *t)
{
  free(t->nodes);
  free(t->slots);
}

/* Runs [begin, end) in pieces of `step`, directly or stored. */
static void run(const basin_kernel *kernel,
                const basin_kernel_info *info,
                const sample_data *data,
                const tables *t,
                bool direct,
                basin_projection projection,
                size_t begin,
                size_t end,
                size_t step,
                results *r)
{
  size_t size = info->local_size, packed = size * (size + 1) / 2;
  for (size_t at = begin; at < end; at += step) {
    basin_kernel_args args = {
        .begin = at, .end = at + step < end ? at + step : end, .projection = (uint32_t)projection};
    args.output = r->output;
    args.energy_sum = info->stage == BASIN_STAGE_COMPUTE ? NULL : &r->sum;
    args.energy = r->energy + at;
    if (direct) {
      args.nodes = t->nodes;
      args.slots = t->slots;
      args.gradient = r->gradient;
      args.values = r->values;
    } else {
      args.local_gradient = r->local_gradient + at * size;
      args.local_hessian = r->local_hessian + at * packed;
    }
    run_kernel(kernel, data, args);
  }
}

static const kernel_shape shapes[] = {
    {BASIN_STAGE_COMPUTE, 0, 0, 0, 0, 1, false},
    {BASIN_STAGE_COMPUTE, 0, 0, 0, 0, 9, false},
    {BASIN_STAGE_COMPUTE, 0, 0, 0, 0, 23, false},
    {BASIN_STAGE_VALUE, 0, 0, 0, 0, 0, false},
    {BASIN_STAGE_GRADIENT, 3, 1, 2, 3, 0, false},
    {BASIN_STAGE_GRADIENT, 5, 1, 5, 1, 0, false},
    {BASIN_STAGE_HESSIAN, 1, 1, 1, 1, 0, false},
    {BASIN_STAGE_HESSIAN, 2, 1, 3, 1, 0, false},
    {BASIN_STAGE_HESSIAN, 3, 1, 2, 3, 0, false},
    {BASIN_STAGE_HESSIAN, 4, 1, 3, 2, 0, false},
    {BASIN_STAGE_HESSIAN, 6, 3, 4, 3, 0, false},
    {BASIN_STAGE_HESSIAN, 9, 1, 4, 3, 0, false},
    {BASIN_STAGE_HESSIAN, 7, 2, 2, 4, 0, false},
};

static const basin_projection modes[] = {
    BASIN_PROJECTION_NONE, BASIN_PROJECTION_CLAMP, BASIN_PROJECTION_ABS};

static void compare_shape(basin_backend *compiled,
                          basin_backend *interp,
                          kernel_shape shape,
                          uint64_t seed,
                          double tolerance)
{
  static random_kernel k;
  random_stream random = {seed};
  char what[96];
  random_kernel_fill(&k, &random, shape);
  sample_data data = sample_data_create(&random, ELEMENTS);
  const basin_kernel_info *info = &k.program.info;
  tables t = tables_create(&random, info, ELEMENTS);
  basin_kernel fast = compile_one(compiled, &k.program), plain = compile_one(interp, &k.program);
  for (size_t m = 0; m < (shape.stage == BASIN_STAGE_HESSIAN ? BASIN_COUNT(modes) : 1); m++)
    for (int direct = 0; direct < 2; direct++) {
      results x = results_create(info, ELEMENTS), y = results_create(info, ELEMENTS);
      run(&fast, info, &data, &t, direct, modes[m], 5, ELEMENTS, ELEMENTS, &x);
      run(&plain, info, &data, &t, direct, modes[m], 5, ELEMENTS, ELEMENTS, &y);
      snprintf(what,
               sizeof what,
               "stage %d inner %u block %u mode %zu %s",
               (int)shape.stage,
               shape.inner_size,
               shape.block,
               m,
               direct ? "direct" : "stored");
      expect_close(&x, &y, tolerance, what);
      results_destroy(&x);
      results_destroy(&y);
    }
  tables_destroy(&t);
  sample_data_destroy(&data);
}

static void compare_all(const char *precision, const char *width, double tolerance)
{
  basin_context *context = test_context(NULL);
  basin_backend *compiled = open_backend(context, "clang", precision, width);
  basin_backend *interp = open_backend(context, "interp", "double", "");
  for (size_t s = 0; s < BASIN_COUNT(shapes); s++)
    compare_shape(compiled, interp, shapes[s], 100 + s, tolerance);
  basin_backend_destroy(compiled);
  basin_backend_destroy(interp);
  basin_context_destroy(context);
}

static void test_double_2(void **state)
{
  (void)state;
  compare_all("double", "2", 1e-9);
}
static void test_double_4(void **state)
{
  (void)state;
  compare_all("double", "4", 1e-9);
}
static void test_double_8(void **state)
{
  (void)state;
  compare_all("double", "8", 1e-9);
}
static void test_float_8(void **state)
{
  (void)state;
  compare_all("float", "8", 2e-2);
}
static void test_float_16(void **state)
{
  (void)state;
  compare_all("float", "16", 2e-2);
}

/* Nothing is contracted by default: programs of exact operators give the interpreter's bits. */
static void test_exact(void **state)
{
  (void)state;
  static const basin_stage stages[] = {BASIN_STAGE_COMPUTE, BASIN_STAGE_GRADIENT};
  basin_context *context = test_context(NULL);
  basin_backend *compiled = open_backend(context, "clang", "double", "");
  basin_backend *interp = open_backend(context, "interp", "double", "");
  for (uint64_t seed = 1; seed < 4; seed++)
    for (size_t s = 0; s < BASIN_COUNT(stages); s++)
      compare_shape(compiled, interp, (kernel_shape){stages[s], 4, 1, 3, 3, 31, true}, seed, 0);
  basin_backend_destroy(compiled);
  basin_backend_destroy(interp);
  basin_context_destroy(context);
}

/* One request of many kernels, compiled at the same time on several threads. */
static void test_request(void **state)
{
  (void)state;
  enum { COUNT = 6 };
  static random_kernel kernels[COUNT];
  random_stream random = {64};
  basin_backend_job jobs[COUNT];
  basin_options options = basin_options_defaults();
  options.threads = 3;
  options.cache_folder = "";
  options.log_level = BASIN_LOG_ERROR;
  basin_context *context = basin_context_create(&options);
  basin_backend *compiled = open_backend(context, "clang", "double", "");
  basin_backend *interp = open_backend(context, "interp", "double", "");
  for (int i = 0; i < COUNT; i++) {
    random_kernel_fill(&kernels[i], &random, (kernel_shape){.stage = BASIN_STAGE_VALUE});
    jobs[i] = (basin_backend_job){.program = &kernels[i].program};
  }
  assert_int_equal(basin__backend_compile(compiled, jobs, COUNT), BASIN_OK);
  assert_int_equal(basin_backend_get_statistics(compiled).compiled, COUNT);
  sample_data data = sample_data_create(&random, ELEMENTS);
  for (int i = 0; i < COUNT; i++) {
    double have = 0, want = 0;
    basin_kernel plain = compile_one(interp, &kernels[i].program);
    run_kernel(&jobs[i].kernel, &data, (basin_kernel_args){.end = ELEMENTS, .energy_sum = &have});
    run_kernel(&plain, &data, (basin_kernel_args){.end = ELEMENTS, .energy_sum = &want});
    assert_true(is_close(have, want, 1e-10));
  }
  sample_data_destroy(&data);
  basin_backend_destroy(compiled);
  basin_backend_destroy(interp);
  basin_context_destroy(context);
}

/* A kernel with its data, for runs of all elements in pieces. */
typedef struct ranged {
  random_kernel *kernel;
  sample_data data;
  tables tables;
} ranged;

static ranged ranged_create(bool exact)
{
  static random_kernel k;
  random_stream random = {42};
  random_kernel_fill(&k, &random, (kernel_shape){BASIN_STAGE_HESSIAN, 5, 1, 3, 3, 0, exact});
  ranged r = {.kernel = &k, .data = sample_data_create(&random, ELEMENTS)};
  r.tables = tables_create(&random, &k.program.info, ELEMENTS);
  return r;
}

static void ranged_destroy(ranged *r)
{
  tables_destroy(&r->tables);
  sample_data_destroy(&r->data);
}

static results run_pieces(
    const ranged *r, const basin_kernel *kernel, int direct, basin_projection mode, size_t step)
{
  const basin_kernel_info *info = &r->kernel->program.info;
  results x = results_create(info, ELEMENTS);
  run(kernel, info, &r->data, &r->tables, direct, mode, 0, ELEMENTS, step, &x);
  return x;
}

/* The same bits however the range is cut. */
static void check_cuts(const char *width)
{
  static const size_t steps[] = {1, 3, 8, 17, 128, 131};
  ranged r = ranged_create(false);
  basin_context *context = test_context(NULL);
  basin_backend *backend = open_backend(context, "clang", "double", width);
  basin_kernel kernel = compile_one(backend, &r.kernel->program);
  for (int direct = 0; direct < 2; direct++) {
    results whole = run_pieces(&r, &kernel, direct, BASIN_PROJECTION_ABS, ELEMENTS);
    for (size_t s = 0; s < BASIN_COUNT(steps); s++) {
      results pieces = run_pieces(&r, &kernel, direct, BASIN_PROJECTION_ABS, steps[s]);
      assert_true(is_close(pieces.sum, whole.sum, 1e-12)); /* partial sums are grouped by range */
      pieces.sum = whole.sum;
      expect_close(&pieces, &whole, 0, "pieces");
      results_destroy(&pieces);
    }
    results_destroy(&whole);
  }
  basin_backend_destroy(backend);
  basin_context_destroy(context);
  ranged_destroy(&r);
}

static void test_ranges(void **state)
{
  (void)state;
  check_cuts("2");
  check_cuts("4");
  check_cuts("8");
}

/* The same bits whatever the width, as long as the operators themselves are exact. */
static void test_widths(void **state)
{
  (void)state;
  static const char *const widths[] = {"2", "4", "8"};
  ranged r = ranged_create(true);
  results first[2] = {{0}};
  for (size_t w = 0; w < BASIN_COUNT(widths); w++) {
    basin_context *context = test_context(NULL);
    basin_backend *backend = open_backend(context, "clang", "double", widths[w]);
    basin_kernel kernel = compile_one(backend, &r.kernel->program);
    for (int direct = 0; direct < 2; direct++) {
      results x = run_pieces(&r, &kernel, direct, BASIN_PROJECTION_NONE, ELEMENTS);
      if (w == 0) {
        first[direct] = x;
        continue;
      }
      expect_close(&x, &first[direct], 0, "widths");
      results_destroy(&x);
    }
    basin_backend_destroy(backend);
    basin_context_destroy(context);
  }
  results_destroy(&first[0]);
  results_destroy(&first[1]);
  ranged_destroy(&r);
}

/* Empty ranges and absent outputs change nothing; single elements read nothing beyond their data.
 */
static void test_empty(void **state)
{
  (void)state;
  static random_kernel k;
  random_stream random = {3};
  basin_context *context = test_context(NULL);
  basin_backend *backend = open_backend(context, "clang", "double", "");
  for (size_t s = 0; s < BASIN_COUNT(shapes); s++) {
    random_kernel_fill(&k, &random, shapes[s]);
    sample_data data = sample_data_create(&random, 1);
    tables t = tables_create(&random, &k.program.info, 1);
    basin_kernel kernel = compile_one(backend, &k.program);
    results r = results_create(&k.program.info, 1), untouched = results_create(&k.program.info, 1);
    run(&kernel, &k.program.info, &data, &t, true, BASIN_PROJECTION_CLAMP, 1, 1, 1, &r);
    run_kernel(&kernel,
               &data,
               (basin_kernel_args){.begin = 1, .end = 1, .output = r.output, .energy_sum = &r.sum});
    expect_close(&r, &untouched, 0, "empty range");
    run_kernel(
        &kernel, &data, (basin_kernel_args){.begin = 0, .end = 1, .output = untouched.output});
    run(&kernel, &k.program.info, &data, &t, true, BASIN_PROJECTION_CLAMP, 0, 1, 1, &r);
    results_destroy(&r);
    results_destroy(&untouched);
    tables_destroy(&t);
    sample_data_destroy(&data);
  }
  basin_backend_destroy(backend);
  basin_context_destroy(context);
}

int main(void)
{
  if (!have_backend("clang")) return 77;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_double_2),
      cmocka_unit_test(test_double_4),
      cmocka_unit_test(test_double_8),
      cmocka_unit_test(test_float_8),
      cmocka_unit_test(test_float_16),
      cmocka_unit_test(test_exact),
      cmocka_unit_test(test_request),
      cmocka_unit_test(test_ranges),
      cmocka_unit_test(test_widths),
      cmocka_unit_test(test_empty),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
