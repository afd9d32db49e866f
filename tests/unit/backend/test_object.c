/* The object loader: real code runs, damaged objects are refused without harm.
 * SPDX-License-Identifier: Apache-2.0 */
#include "backend/clang.h"
#include "backend/symbols.h"
#include "random_kernel.h"

/* Calls out of the object, constants, and a table of constants that needs relocation. */
static const char source[] =
    "extern double exp(double);\n"
    "static const double table[] = {1.5, 2.5, 4.5};\n"
    "__attribute__((visibility(\"default\"))) double entry(double x, int i)\n"
    "{ return table[i] * exp(x) + 0.125; }\n";

typedef double (*entry_function)(double, int);

static basin_context *context;
static basin_backend *backend;
static basin_shim_result object;

static int setup(void **state)
{
  (void)state;
  context = test_context(NULL);
  backend = NULL;
  if (basin_backend_create(context, "clang", "double", &backend) != BASIN_OK) return 0;
  basin_clang *clang = backend->state;
  if (basin__shim_open(context, &clang->shim) == BASIN_OK)
    basin__clang_run(backend, source, BASIN_SHIM_OBJECT, &object);
  return 0;
}

static int teardown(void **state)
{
  (void)state;
  if (backend) ((basin_clang *)backend->state)->shim.basin_shim_release(&object);
  basin_backend_destroy(backend);
  basin_context_destroy(context);
  return 0;
}

static void need_object(void)
{
  if (!object.data) skip();
}

static void test_runs(void **state)
{
  (void)state;
  need_object();
  basin_object *loaded;
  assert_int_equal(
      basin__object_load(context, object.data, object.size, basin__symbol, NULL, &loaded),
      BASIN_OK);
  entry_function entry = (entry_function)basin__object_function(loaded, "entry");
  assert_non_null(entry);
  assert_true(is_close(entry(1.0, 2), 4.5 * 2.718281828459045 + 0.125, 1e-15));
  assert_null(basin__object_function(loaded, "other"));
  assert_true(basin__object_size(loaded) > 0);
  basin__object_unload(loaded);
}

static basin_code no_symbol(void *user, const char *name)
{
  (void)user;
  (void)name;
  return NULL;
}

static void test_unknown_function(void **state)
{
  (void)state;
  need_object();
  basin_object *loaded;
  assert_int_equal(basin__object_load(context, object.data, object.size, no_symbol, NULL, &loaded),
                   BASIN_ERROR_NAME);
  assert_null(loaded);
  assert_non_null(strstr(basin_error_last(context)->message, "'exp'"));
}

/* A copy of exactly `size` bytes, so that a sanitizer sees reads beyond. */
static void try_load(const char *data, size_t size)
{
  char *copy = malloc(size ? size : 1);
  basin_object *loaded;
  memcpy(copy, data, size);
  basin_status status = basin__object_load(context, copy, size, basin__symbol, NULL, &loaded);
  free(copy);
  assert_true(status == BASIN_OK ? loaded != NULL : loaded == NULL);
  basin__object_unload(loaded);
}

static void test_truncated(void **state)
{
  (void)state;
  need_object();
  basin_object *loaded;
  for (size_t size = 0; size < object.size; size += size < 80 ? 1 : 13) {
    try_load(object.data, size);
    assert_int_not_equal(
        basin__object_load(context, object.data, size, basin__symbol, NULL, &loaded), BASIN_OK);
  }
}

static void test_mutated(void **state)
{
  (void)state;
  need_object();
  random_stream random = {77};
  char *copy = malloc(object.size);
  for (int round = 0; round < 20000; round++) {
    memcpy(copy, object.data, object.size);
    for (uint32_t k = 0; k <= random_below(&random, 4); k++)
      copy[random_below(&random, (uint32_t)object.size)] = (char)random_bits(&random);
    try_load(copy, object.size);
  }
  free(copy);
}

int main(void)
{
  if (!have_backend("clang")) return 77;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_runs),
      cmocka_unit_test(test_unknown_function),
      cmocka_unit_test(test_truncated),
      cmocka_unit_test(test_mutated),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}
