/* The device texts of contact compile for every architecture with NVRTC; what the heaviest kernels
 * keep outside registers is stated. No device is needed; skipped where NVRTC is missing.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/nvrtc.h"
#include "contact_support.h"
#include "device/cuda/texts.h"

/* Bytes a thread: `stack` holds arrays with indices that only the run knows. Nothing spills. */
static const struct {
  const char *file, *entry;
  unsigned stack;
} kernels[] = {{"contact_boxes.cu", "contact_boxes", 0},
               {"contact_tree.cu", "contact_keys", 64},
               {"contact_query.cu", "contact_query", 160},
               {"contact_detect.cu", "contact_detect", 448},
               {"contact_merge.cu", "contact_merge_runs", 0},
               {"contact_step.cu", "contact_times", 1024},
               {"contact_cut.cu", "contact_cut", 1408},
               {"contact_closest.cu", "contact_nearest", 256},
               {"contact_fill.cu", "contact_fill_friction", 320}};

static basin_nvrtc *open_nvrtc(basin_context *context)
{
  basin_nvrtc *nvrtc;
  if (basin__nvrtc_open(context, 0, &nvrtc) == BASIN_OK) return nvrtc;
  print_message("no NVRTC: %s\n", basin_error_text(context));
  exit(77);
}

static void every_architecture(void **state)
{
  (void)state;
  static const char *const architectures[] = {"sm_80", "sm_90", "sm_120"};
  basin_context *context = context_with(1);
  basin_nvrtc *nvrtc = open_nvrtc(context);
  for (size_t i = 0; i < BASIN_COUNT(kernels); ++i) {
    basin_nvrtc_file files[BASIN_CUDA_TEXT_MAX];
    size_t count;
    assert_ok(basin__cuda_text_files(context, kernels[i].file, files, &count));
    const bool again = i > 0 && strcmp(kernels[i].file, kernels[i - 1].file) == 0;
    for (size_t a = again ? 1 : 0; a < (again ? 2 : BASIN_COUNT(architectures)); ++a) {
      const basin_nvrtc_request request = {.name = kernels[i].file,
                                           .entry = kernels[i].entry,
                                           .text = files[0].text,
                                           .files = files + 1,
                                           .file_count = count - 1,
                                           .architecture = architectures[a]};
      basin_nvrtc_code code;
      if (basin__nvrtc_compile(nvrtc, &request, &code) != BASIN_OK)
        fail_msg("%s for %s: %s", kernels[i].file, architectures[a], basin_error_text(context));
      print_message("%-22s %-6s %3u registers, %4u bytes of stack, spills %u + %u\n",
                    kernels[i].entry,
                    architectures[a],
                    code.registers,
                    code.stack,
                    code.spill_stores,
                    code.spill_loads);
      assert_int_equal(code.spill_stores + code.spill_loads, 0);
      if (code.stack > kernels[i].stack)
        fail_msg("%s has more than %u bytes of stack", kernels[i].entry, kernels[i].stack);
      basin__nvrtc_release(nvrtc, &code);
    }
  }
  basin__nvrtc_close(nvrtc);
  basin_context_destroy(context);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_architecture)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
