/* The kernels of primitives and linear solvers through NVRTC: they compile for each architecture,
 * and their registers and spills are printed and bounded. Needs no device; skipped without NVRTC.
 * SPDX-License-Identifier: Apache-2.0 */
#include "../support.h"
#include "base/nvrtc.h"
#include "device/cuda/texts.h"
#include <stdio.h>

static basin_context *context;
static basin_nvrtc *nvrtc;

/* A kernel, and how many bytes a thread of it may spill at sm_90: none, but for a word where the
 * limit on registers is met by one too many. */
typedef struct kernel {
  const char *file, *entry;
  bool blocks; /* wants -DBLOCK */
  unsigned spill;
} kernel;

static const kernel kernels[] = {{"scan.cu", "scan_tiles", false, 0},
                                 {"runs.cu", "run_heads", false, 0},
                                 {"reduce.cu", "dot_blocks", false, 0},
                                 {"vector.cu", "combine", false, 0},
                                 {"multiply.cu", "multiply_dot", true, 8},
                                 {"pcg.cu", "pcg_multiply", true, 8},
                                 {"pcg.cu", "pcg_update_nodes", true, 8},
                                 {"minres.cu", "minres_multiply", true, 8},
                                 {"minres.cu", "minres_lanczos_nodes", true, 8},
                                 {"minres.cu", "minres_update", true, 0},
                                 {"jacobi.cu", "invert_instances", true, 8},
                                 {"jacobi_apply.cu", "apply_instances", true, 0},
                                 {"collapse.cu", "collapse_values", true, 0},
                                 {"schwarz.cu", "schwarz_solve", true, 0},
                                 {"csr.cu", "expand_rows", true, 0}};

static basin_nvrtc_code compile(const char *file,
                                const char *entry,
                                const char *architecture,
                                const char *const *options,
                                size_t count)
{
  basin_nvrtc_file files[BASIN_CUDA_TEXT_MAX];
  size_t file_count;
  basin_nvrtc_code code;
  if (basin__cuda_text_files(context, file, files, &file_count) != BASIN_OK)
    fail_msg("%s", basin_error_text(context));
  basin_nvrtc_request request = {.name = file,
                                 .entry = entry,
                                 .text = files[0].text,
                                 .files = files + 1,
                                 .file_count = file_count - 1,
                                 .architecture = architecture,
                                 .options = options,
                                 .option_count = count};
  if (basin__nvrtc_compile(nvrtc, &request, &code) != BASIN_OK)
    fail_msg("%s", basin_error_text(context));
  printf("%-8s %-16s %-18s %-12s %-16s %3u registers, %u bytes stack, %u + %u spilled\n",
         architecture,
         file,
         entry,
         count > 0 ? options[0] : "",
         count > 1 ? options[1] : "",
         code.registers,
         code.stack,
         code.spill_stores,
         code.spill_loads);
  return code;
}

static void check(const kernel *k, const char *architecture, const char *block, const char *number)
{
  const char *options[] = {block, number};
  basin_nvrtc_code code = compile(k->file, k->entry, architecture, options, k->blocks ? 2 : 0);
  assert_true(code.size > 0);
  if (strcmp(architecture, "sm_90") == 0) {
    assert_in_range(code.registers, 1, 128);
    assert_in_range(code.spill_stores, 0, k->spill);
    assert_in_range(code.spill_loads, 0, k->spill);
  }
  basin__nvrtc_release(nvrtc, &code);
}

static void test_architectures(void **state)
{
  (void)state;
  static const char *const architectures[] = {"sm_80", "sm_90", "sm_120"};
  for (size_t a = 0; a < BASIN_COUNT(architectures); a++) {
    for (size_t k = 0; k < BASIN_COUNT(kernels); k++)
      check(&kernels[k], architectures[a], "-DBLOCK=3", "-DNUMBER=double");
  }
}

static void test_blocks(void **state)
{
  (void)state;
  static const char *const blocks[] = {"-DBLOCK=1", "-DBLOCK=6", "-DBLOCK=12"};
  for (size_t b = 0; b < BASIN_COUNT(blocks); b++) {
    for (size_t k = 0; k < BASIN_COUNT(kernels); k++) {
      if (kernels[k].blocks) check(&kernels[k], "sm_90", blocks[b], "-DNUMBER=double");
    }
  }
}

static void test_single(void **state)
{
  (void)state;
  static const kernel single[] = {{"pcg.cu", "pcg_multiply", true, 8},
                                  {"jacobi_apply.cu", "apply_instances", true, 0},
                                  {"schwarz.cu", "schwarz_solve", true, 0}};
  for (size_t k = 0; k < BASIN_COUNT(single); k++)
    check(&single[k], "sm_90", "-DBLOCK=3", "-DNUMBER=float");
}

static void test_keys(void **state)
{
  (void)state;
  static const char *const keys[] = {"-DKEY_BITS=32", "-DKEY_BITS=64"};
  for (size_t k = 0; k < BASIN_COUNT(keys); k++) {
    basin_nvrtc_code code = compile("radix.cu", "move_keys", "sm_90", &keys[k], 1);
    assert_int_equal(code.spill_stores, 0);
    assert_in_range(code.registers, 1, 96); /* two blocks of 256 threads at least */
    basin__nvrtc_release(nvrtc, &code);
  }
}

int main(void)
{
  context = test_context(NULL);
  if (basin__nvrtc_open(context, 0, &nvrtc) != BASIN_OK) {
    printf("skipped: %s\n", basin_error_text(context));
    basin_context_destroy(context);
    return 77;
  }
  if (basin__nvrtc_version(nvrtc) < 12080) { /* sm_120 */
    printf("skipped: NVRTC %d is older than 12.8\n", basin__nvrtc_version(nvrtc));
    basin__nvrtc_close(nvrtc);
    basin_context_destroy(context);
    return 77;
  }
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_architectures),
                                     cmocka_unit_test(test_blocks),
                                     cmocka_unit_test(test_single),
                                     cmocka_unit_test(test_keys)};
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  basin__nvrtc_close(nvrtc);
  basin_context_destroy(context);
  return failed;
}
