/* Device code for a host to launch: compiled once, kept in memory and on disk by all that it
 * depends on; architectures and their fallbacks. Over the real NVRTC; no device is needed.
 * SPDX-License-Identifier: Apache-2.0 */
#include "backend/nvrtc.h"
#include "random_kernel.h"

#include <stdio.h>
#include <unistd.h>

static char folder[512];
static random_kernel kernel_a, kernel_b;

static basin_context *open_context(void)
{
  basin_options options = basin_options_defaults();
  options.cache_folder = folder;
  options.log_level = BASIN_LOG_ERROR;
  basin_context *context = basin_context_create(&options);
  assert_non_null(context);
  return context;
}

static void
open_kind(basin_context *context, const char *name, const char *precision, basin_backend **backend)
{
  if (basin_backend_create(context, name, precision, backend) != BASIN_OK)
    fail_msg("%s", basin_error_text(context));
}

/* Compiles both kernels, the first of them twice, in one request. */
static void compile_all(basin_backend *backend, basin_backend_job jobs[3])
{
  const basin_kernel_program *programs[] = {
      &kernel_a.program, &kernel_b.program, &kernel_a.program};
  for (int i = 0; i < 3; ++i) jobs[i] = (basin_backend_job){.program = programs[i]};
  if (basin__backend_compile(backend, jobs, 3) != BASIN_OK)
    fail_msg("%s", basin_error_text(backend->context));
}

static void expect_counts(const basin_backend *backend, size_t compiled, size_t disk, size_t memory)
{
  basin_backend_statistics s = basin_backend_get_statistics(backend);
  assert_int_equal(s.compiled, compiled);
  assert_int_equal(s.from_disk, disk);
  assert_int_equal(s.from_memory, memory);
  assert_true(s.seconds > 0);
}

static void test_compile(void **state)
{
  (void)state;
  basin_context *context = open_context();
  basin_backend *first, *second;
  basin_backend_job jobs[3], again[3];
  open_kind(context, "nvrtc:sm_90", "double", &first);
  compile_all(first, jobs);
  expect_counts(first, 2, 0, 1);
  assert_ptr_equal(jobs[0].kernel.image, jobs[2].kernel.image);
  assert_true(jobs[0].kernel.image != jobs[1].kernel.image);
  for (int i = 0; i < 3; ++i) {
    assert_null(jobs[i].kernel.function);
    assert_int_equal(strlen(jobs[i].kernel.hash), 32);
    assert_memory_equal(jobs[i].kernel.image, "\177ELF", 4);
  }
  open_kind(context, "nvrtc:sm_90", "double", &second);
  compile_all(second, again);
  expect_counts(second, 0, 2, 1);
  for (int i = 0; i < 3; ++i) {
    assert_string_equal(jobs[i].kernel.hash, again[i].kernel.hash);
    assert_int_equal(jobs[i].kernel.image_size, again[i].kernel.image_size);
    assert_memory_equal(jobs[i].kernel.image, again[i].kernel.image, jobs[i].kernel.image_size);
  }
  compile_all(second, again);
  expect_counts(second, 0, 2, 4);
  basin_backend_destroy(first);
  basin_backend_destroy(second);
  basin_context_destroy(context);
}

/* Precision, architecture and form are part of the key. */
static void test_keys(void **state)
{
  (void)state;
  static const char *const kinds[][2] = {{"nvrtc:sm_90", "double"},
                                         {"nvrtc:sm_90", "float"},
                                         {"nvrtc:sm_80", "double"},
                                         {"nvrtc:compute_90", "double"}};
  char hashes[BASIN_COUNT(kinds)][33];
  basin_context *context = open_context();
  for (size_t k = 0; k < BASIN_COUNT(kinds); ++k) {
    basin_backend *backend;
    open_kind(context, kinds[k][0], kinds[k][1], &backend);
    basin_backend_job job = {.program = &kernel_a.program};
    if (basin__backend_compile(backend, &job, 1) != BASIN_OK)
      fail_msg("%s", basin_error_text(context));
    strcpy(hashes[k], job.kernel.hash);
    for (size_t i = 0; i < k; ++i) assert_string_not_equal(hashes[i], hashes[k]);
    if (strstr(kinds[k][0], "compute")) {
      const char *ptx = job.kernel.image;
      assert_non_null(strstr(ptx, ".target sm_90"));
      assert_int_equal(ptx[job.kernel.image_size - 1], 0);
    }
    basin_backend_destroy(backend);
  }
  basin_context_destroy(context);
}

static void test_names(void **state)
{
  (void)state;
  basin_context *context = open_context();
  basin_backend *backend;
  assert_int_equal(basin_backend_create(context, "nvrtc:90", "double", &backend), BASIN_ERROR_NAME);
  assert_non_null(strstr(basin_error_last(context)->message, "'90' is no architecture"));
  assert_int_equal(basin_backend_create(context, "nvrtc:", "double", &backend), BASIN_ERROR_NAME);
  assert_int_equal(basin_backend_create(context, "nvrtc9", "double", &backend), BASIN_ERROR_NAME);
  assert_int_equal(basin_backend_create(context, "interp:sm_90", "double", &backend),
                   BASIN_ERROR_NAME);
  open_kind(context, "nvrtc:sm_90:11", "double", &backend); /* the newest there is, if none suits */
  assert_non_null(strstr(basin_backend_describe(backend), "sm_90"));
  assert_non_null(strstr(basin_backend_library(backend), "nvrtc"));
  basin_backend_destroy(backend);
  open_kind(context, "nvrtc:sm_1", "double", &backend);
  basin_backend_job job = {.program = &kernel_a.program};
  assert_int_equal(basin__backend_compile(backend, &job, 1), BASIN_ERROR_COMPILE);
  assert_non_null(strstr(basin_error_last(context)->message, "sm_1"));
  basin_backend_destroy(backend);
  basin_context_destroy(context);
}

/* The device's own architecture; PTX for the newest before it where NVRTC does not know it. */
static void test_architectures(void **state)
{
  (void)state;
  basin_context *context = open_context();
  basin_nvrtc *nvrtc;
  char architecture[16];
  assert_int_equal(basin__nvrtc_open(context, 0, &nvrtc), BASIN_OK);
  assert_int_equal(basin__nvrtc_architecture(nvrtc, 9, 0, false, architecture), BASIN_OK);
  assert_string_equal(architecture, "sm_90");
  assert_int_equal(basin__nvrtc_architecture(nvrtc, 9, 0, true, architecture), BASIN_OK);
  assert_string_equal(architecture, "compute_90");
  assert_int_equal(basin__nvrtc_architecture(nvrtc, 9, 9, false, architecture), BASIN_OK);
  assert_string_equal(architecture, "compute_90");
  assert_int_equal(basin__nvrtc_architecture(nvrtc, 99, 9, false, architecture), BASIN_OK);
  assert_int_equal(strncmp(architecture, "compute_", 8), 0);
  assert_int_equal(basin__nvrtc_architecture(nvrtc, 1, 3, false, architecture),
                   BASIN_ERROR_UNSUPPORTED);
  assert_non_null(strstr(basin_error_last(context)->message, "compute capability 1.3"));
  basin__nvrtc_close(nvrtc);
  basin__nvrtc_close(NULL);
  basin_context_destroy(context);
}

int main(void)
{
  if (!have_backend("nvrtc")) return 77;
  random_stream random = {17};
  random_kernel_fill(&kernel_a, &random, (kernel_shape){BASIN_STAGE_COMPUTE, 0, 0, 0, 0, 5, false});
  random_kernel_fill(&kernel_b, &random, (kernel_shape){BASIN_STAGE_HESSIAN, 4, 1, 3, 1, 0, false});
  snprintf(folder, sizeof folder, "%s/cache-%ld", BASIN_TEST_OUTPUT_DIR, (long)getpid());
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_compile),
      cmocka_unit_test(test_keys),
      cmocka_unit_test(test_names),
      cmocka_unit_test(test_architectures),
  };
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  char command[600];
  snprintf(command, sizeof command, "rm -rf '%s'", folder);
  return system(command) != 0 ? 1 : failed;
}
