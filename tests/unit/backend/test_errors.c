/* What goes wrong in back ends gives a clear error, leaks nothing and leaves the context usable.
 * SPDX-License-Identifier: Apache-2.0 */
#include "backend/clang.h"
#include "random_kernel.h"

#include <stdio.h>

static void
expect_no_backend(const char *kind, const char *precision, basin_status status, const char *words)
{
  basin_context *context = test_context(NULL);
  basin_backend *backend;
  assert_int_equal(basin_backend_create(context, kind, precision, &backend), status);
  assert_null(backend);
  if (!strstr(basin_error_last(context)->message, words))
    fail_msg("'%s' is not in '%s'", words, basin_error_last(context)->message);
  basin_context_destroy(context);
}

static void test_names(void **state)
{
  (void)state;
  expect_no_backend("clan", "double", BASIN_ERROR_NAME, "interp, clang, cached and nvrtc");
  expect_no_backend("interp", "half", BASIN_ERROR_NAME, "double and float");
}

static void test_missing_library(void **state)
{
  (void)state;
  setenv("BASIN_LIB_CLANG", "/nonexistent/basin-clang.so", 1);
  expect_no_backend("clang", "double", BASIN_ERROR_MISSING_LIBRARY, "libclang-cpp19");
  expect_no_backend("clang", "double", BASIN_ERROR_MISSING_LIBRARY, "cpu:interp");
  unsetenv("BASIN_LIB_CLANG");
  setenv("BASIN_LIB_NVRTC", "/nonexistent/libnvrtc.so", 1);
  expect_no_backend("nvrtc", "double", BASIN_ERROR_MISSING_LIBRARY, "CUDA toolkit");
  unsetenv("BASIN_LIB_NVRTC");
}

/* A file that is there but is no module is found out when the first kernel is compiled. */
static void test_wrong_module(void **state)
{
  (void)state;
  static random_kernel k;
  random_stream random = {1};
  char path[600];
  snprintf(path, sizeof path, "%s/not-a-module.so", BASIN_TEST_OUTPUT_DIR);
  FILE *file = fopen(path, "wb");
  fputs("nothing", file);
  fclose(file);
  setenv("BASIN_LIB_CLANG", path, 1);
  setenv("BASIN_CACHE", "off", 1);
  basin_context *context = test_context(NULL);
  basin_backend *backend = open_backend(context, "clang", "double", "");
  random_kernel_fill(&k, &random, (kernel_shape){.stage = BASIN_STAGE_VALUE});
  basin_backend_job job = {.program = &k.program};
  assert_int_equal(basin__backend_compile(backend, &job, 1), BASIN_ERROR_MISSING_LIBRARY);
  assert_non_null(strstr(basin_error_last(context)->message, "not-a-module.so"));
  assert_non_null(strstr(basin_backend_describe(backend), "no LLVM"));
  basin_backend_destroy(backend);
  basin_context_destroy(context);
  unsetenv("BASIN_LIB_CLANG");
  unsetenv("BASIN_CACHE");
  remove(path);
}

static void test_width(void **state)
{
  (void)state;
  setenv("BASIN_WIDTH", "3", 1);
  basin_context *context = test_context(NULL);
  basin_backend *backend;
  basin_status status = basin_backend_create(context, "clang", "double", &backend);
  if (status != BASIN_ERROR_MISSING_LIBRARY) {
    assert_int_equal(status, BASIN_ERROR_ARGUMENT);
    assert_non_null(strstr(basin_error_last(context)->message, "BASIN_WIDTH is '3'"));
  }
  basin_context_destroy(context);
  setenv("BASIN_WIDTH", "", 1);
}

/* Broken programs are refused by every back end, and the next good one compiles. */
static void expect_refused(const char *kind, void (*damage)(random_kernel *), basin_status status)
{
  static random_kernel k;
  random_stream random = {1};
  kernel_shape shape = {BASIN_STAGE_GRADIENT, 3, 1, 2, 3, 0, false};
  basin_context *context = test_context(NULL);
  basin_backend *backend = open_backend(context, kind, "double", "");
  random_kernel_fill(&k, &random, shape);
  damage(&k);
  basin_backend_job job = {.program = &k.program};
  assert_int_equal(basin__backend_compile(backend, &job, 1), status);
  random_kernel_fill(&k, &random, shape);
  assert_int_equal(basin__backend_compile(backend, &job, 1), BASIN_OK);
  basin_backend_destroy(backend);
  basin_context_destroy(context);
}

static void unknown_operator(random_kernel *k)
{
  k->inner.code[20].op = 9999;
}
static void matrix_operator(random_kernel *k)
{
  k->inner.code[20].op = BASIN_OP_M_ADD;
}
static void far_component(random_kernel *k)
{
  basin_instruction *code = k->outer.code;
  while (code->op != BASIN_OP_LOAD) code++;
  code->b = 100;
}
static void variable_arity(random_kernel *k)
{
  k->outer.layouts[1].arities[0] = 0;
}
static void unlisted_array(random_kernel *k)
{
  k->inner.accesses[5].array = 77;
}

static void test_refused(void **state)
{
  (void)state;
  static const char *const kinds[] = {"interp", "clang"};
  for (size_t i = 0; i < BASIN_COUNT(kinds); i++) {
    expect_refused(kinds[i], unknown_operator, BASIN_ERROR_INTERNAL);
    expect_refused(kinds[i], matrix_operator, BASIN_ERROR_INTERNAL);
    expect_refused(kinds[i], far_component, BASIN_ERROR_INTERNAL);
    expect_refused(kinds[i], variable_arity, BASIN_ERROR_UNSUPPORTED);
    expect_refused(kinds[i], unlisted_array, BASIN_ERROR_INTERNAL);
  }
}

/* Text that does not compile: the message has the place and the compiler's words. */
static void test_diagnostics(void **state)
{
  (void)state;
  basin_context *context = test_context(NULL);
  basin_backend *backend = open_backend(context, "clang", "double", "");
  basin_clang *clang = backend->state;
  basin_shim_result result;
  assert_int_equal(basin__shim_open(context, &clang->shim), BASIN_OK);
  basin__clang_run(backend, "int good;\nint bad = missing_name;\n", BASIN_SHIM_OBJECT, &result);
  assert_null(result.data);
  assert_int_equal(basin__clang_error(backend, "spring", result.diagnostics), BASIN_ERROR_COMPILE);
  clang->shim.basin_shim_release(&result);
  const char *message = basin_error_last(context)->message;
  assert_non_null(strstr(message, "kernel spring does not compile: kernel.c:2:11: error:"));
  assert_non_null(strstr(message, "missing_name"));
  basin_backend_destroy(backend);
  basin_context_destroy(context);
}

static void expect_text(basin_backend *backend,
                        const basin_kernel_program *program,
                        const char *form,
                        const char *words)
{
  char *text;
  assert_int_equal(basin__backend_text(backend, program, form, &text), BASIN_OK);
  assert_non_null(strstr(text, words));
  basin_text_free(backend->context, text);
}

static void test_texts(void **state)
{
  (void)state;
  static random_kernel k;
  random_stream random = {1};
  char *text;
  basin_context *context = test_context(NULL);
  basin_backend *backend = open_backend(context, "clang", "double", "");
  random_kernel_fill(&k, &random, (kernel_shape){.stage = BASIN_STAGE_VALUE});
  expect_text(backend, &k.program, "kernel", "BASIN_INNER");
  expect_text(backend, &k.program, "llvm", "@basin_kernel(");
  expect_text(backend, &k.program, "asm", "basin_kernel:");
  assert_int_equal(basin__backend_text(backend, &k.program, "ptx", &text), BASIN_ERROR_NAME);
  assert_null(text);
  assert_non_null(strstr(basin_backend_describe(backend), "LLVM 19"));
  basin_backend_destroy(backend);
  basin_context_destroy(context);
}

/* Equal programs share code; a request that names one twice compiles it once. */
static void test_shared(void **state)
{
  (void)state;
  static random_kernel k;
  random_stream random = {9};
  setenv("BASIN_CACHE", "off", 1);
  basin_context *context = test_context(NULL);
  basin_backend *backend = open_backend(context, "clang", "double", "");
  random_kernel_fill(&k, &random, (kernel_shape){.stage = BASIN_STAGE_VALUE});
  basin_kernel_program other = k.program;
  other.comment = "the same energy under another name";
  other.info.name = "other";
  basin_backend_job jobs[2] = {{.program = &k.program}, {.program = &other}};
  assert_int_equal(basin__backend_compile(backend, jobs, 2), BASIN_OK);
  assert_int_equal(basin__backend_compile(backend, jobs, 1), BASIN_OK);
  basin_backend_statistics s = basin_backend_get_statistics(backend);
  assert_int_equal(s.compiled, 1);
  assert_int_equal(s.from_memory, 2);
  assert_true(jobs[0].kernel.function == jobs[1].kernel.function);
  assert_int_equal(strlen(jobs[0].kernel.hash), 32);
  basin_backend_destroy(backend);
  basin_context_destroy(context);
  unsetenv("BASIN_CACHE");
}

/* Every allocation on the way may fail: MEMORY is reported, nothing leaks, the last run succeeds.
 */
static void exhaust(const char *kind)
{
  static random_kernel k;
  random_stream random = {2};
  random_kernel_fill(&k, &random, (kernel_shape){BASIN_STAGE_HESSIAN, 4, 2, 2, 3, 0, false});
  setenv("BASIN_WIDTH", "", 1);
  for (size_t fail_at = 1, done = 0; !done; fail_at++) {
    failing_allocator allocator = {.fail_at = fail_at};
    basin_options options = basin_options_defaults();
    options.log_level = BASIN_LOG_ERROR;
    options.threads = 1;
    options.allocate = failing_allocate;
    options.allocate_user = &allocator;
    basin_context *context = basin_context_create(&options);
    if (!context) continue;
    basin_backend *backend;
    basin_backend_job job = {.program = &k.program};
    basin_status status = basin_backend_create(context, kind, "double", &backend);
    if (status == BASIN_ERROR_MISSING_LIBRARY) skip();
    if (status == BASIN_OK) status = basin__backend_compile(backend, &job, 1);
    done = status == BASIN_OK && atomic_load(&allocator.calls) < fail_at;
    if (status != BASIN_OK) assert_int_equal(status, BASIN_ERROR_MEMORY);
    basin_backend_destroy(backend);
    basin_context_destroy(context);
    assert_int_equal(atomic_load(&allocator.blocks), 0);
  }
}

static void test_memory_interp(void **state)
{
  (void)state;
  exhaust("interp");
}
static void test_memory_clang(void **state)
{
  (void)state;
  exhaust("clang");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_names),
      cmocka_unit_test(test_missing_library),
      cmocka_unit_test(test_wrong_module),
      cmocka_unit_test(test_width),
      cmocka_unit_test(test_refused),
      cmocka_unit_test(test_diagnostics),
      cmocka_unit_test(test_texts),
      cmocka_unit_test(test_shared),
      cmocka_unit_test(test_memory_interp),
      cmocka_unit_test(test_memory_clang),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
