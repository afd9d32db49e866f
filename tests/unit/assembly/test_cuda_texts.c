/* The device texts of assembly and solver compile for every architecture with NVRTC, and nothing
 * spills. No device is needed; skipped where NVRTC is missing. SPDX-License-Identifier: Apache-2.0
 */
#include "../support.h"

#include "base/nvrtc.h"
#include "device/cuda/texts.h"

/* Bytes a thread: `stack` holds arrays with indices that only the run knows. */
static const struct {
  const char *file, *entry;
  const char *definitions[2];
  size_t definition_count;
  unsigned stack;
} kernels[] = {
    {"term_rows.cu", "walk_rows", {NULL}, 0, 0},
    {"term_rows.cu", "expand_nodes", {NULL}, 0, 0},
    {"term_rows.cu", "expand_pairs", {NULL}, 0, 0},
    {"contributions.cu", "emit_pairs_direct", {NULL}, 0, 0},
    {"contributions.cu", "emit_pairs_mapped", {NULL}, 0, 0},
    {"contributions.cu", "emit_rows", {NULL}, 0, 0},
    {"contributions.cu", "finish_runs", {NULL}, 0, 0},
    {"map_entries.cu", "link_rows", {NULL}, 0, 0},
    {"map_entries.cu", "link_access", {NULL}, 0, 0},
    {"map_entries.cu", "emit_mentions", {NULL}, 0, 0},
    {"map_entries.cu", "place_entries", {NULL}, 0, 0},
    {"map_entries.cu", "fill_values", {NULL}, 0, 0},
    {"adjoints.cu", "hand_down", {NULL}, 0, 0},
    {"adjoints.cu", "hand_down_long", {NULL}, 0, 0},
    {"pattern.cu", "mirror_values", {NULL}, 0, 0},
    {"gather.cu", "gather_gradient", {"-DBLOCK=3"}, 1, 0},
    {"gather.cu", "gather_hessian", {"-DBLOCK=3"}, 1, 0},
    {"gather.cu", "gather_hessian", {"-DBLOCK=1"}, 1, 0},
    {"gather.cu", "gather_hessian", {"-DBLOCK=12"}, 1, 0},
    {"gather.cu", "gather_hessian_long", {"-DBLOCK=3"}, 1, 0},
    {"gather.cu", "gather_gradient", {"-DBLOCK=3", "-DMAPPED"}, 2, 0},
    {"gather.cu", "gather_hessian", {"-DBLOCK=3", "-DMAPPED"}, 2, 128},
    {"gather.cu", "gather_hessian", {"-DBLOCK=12", "-DMAPPED"}, 2, 128},
    {"gather.cu", "gather_hessian_long", {"-DBLOCK=3", "-DMAPPED"}, 2, 128},
    {"contributions.cu", "find_words_direct", {NULL}, 0, 0},
    {"contributions.cu", "find_words_mapped", {NULL}, 0, 0},
    {"scatter.cu", "scatter_rows", {"-DBLOCK=3"}, 1, 0},
    {"scatter.cu", "scatter_pairs", {"-DBLOCK=3"}, 1, 0},
    {"scatter.cu", "scatter_pairs", {"-DBLOCK=1"}, 1, 0},
    {"scatter.cu", "scatter_pairs", {"-DBLOCK=12"}, 1, 0},
    {"scatter.cu", "scatter_nodes", {"-DBLOCK=3", "-DMAPPED"}, 2, 0},
    {"scatter.cu", "scatter_pairs", {"-DBLOCK=3", "-DMAPPED"}, 2, 128},
    {"scatter.cu", "scatter_pairs", {"-DBLOCK=12", "-DMAPPED"}, 2, 128},
    {"energies.cu", "sum_chunks", {NULL}, 0, 0},
    {"energies.cu", "sum_terms", {NULL}, 0, 0},
    {"targets.cu", "write_target", {NULL}, 0, 0},
    {"targets.cu", "mark_empty", {NULL}, 0, 0},
    {"hold.cu", "hold_vector", {NULL}, 0, 0},
    {"hold.cu", "hold_rows", {NULL}, 0, 0},
    {"filter.cu", "simplex_steps", {NULL}, 0, 320},
    {"filter.cu", "plane_steps", {NULL}, 0, 64},
    {"filter.cu", "motions", {NULL}, 0, 64},
};

static basin_nvrtc *open_nvrtc(basin_context *context)
{
  basin_nvrtc *nvrtc;
  if (basin__nvrtc_open(context, 0, &nvrtc) == BASIN_OK) return nvrtc;
  print_message("no NVRTC: %s\n", basin_error_text(context));
  exit(77);
}

static void compile(basin_context *context, basin_nvrtc *nvrtc, size_t i, const char *architecture)
{
  basin_nvrtc_file files[BASIN_CUDA_TEXT_MAX];
  basin_nvrtc_code code;
  size_t count;
  assert_int_equal(basin__cuda_text_files(context, kernels[i].file, files, &count), BASIN_OK);
  const basin_nvrtc_request request = {.name = kernels[i].file,
                                       .entry = kernels[i].entry,
                                       .text = files[0].text,
                                       .files = files + 1,
                                       .file_count = count - 1,
                                       .architecture = architecture,
                                       .options = kernels[i].definitions,
                                       .option_count = kernels[i].definition_count};
  if (basin__nvrtc_compile(nvrtc, &request, &code) != BASIN_OK)
    fail_msg("%s for %s: %s", kernels[i].file, architecture, basin_error_text(context));
  print_message("%-20s %-10s %-8s %-6s %3u registers, %4u bytes of stack, spills %u + %u\n",
                kernels[i].entry,
                kernels[i].definition_count > 0 ? kernels[i].definitions[0] : "",
                kernels[i].definition_count > 1 ? kernels[i].definitions[1] : "",
                architecture,
                code.registers,
                code.stack,
                code.spill_stores,
                code.spill_loads);
  assert_int_equal(code.spill_stores + code.spill_loads, 0);
  if (code.stack > kernels[i].stack)
    fail_msg("%s has more than %u bytes of stack", kernels[i].entry, kernels[i].stack);
  basin__nvrtc_release(nvrtc, &code);
}

static void every_architecture(void **state)
{
  static const char *const architectures[] = {"sm_80", "sm_90", "sm_120"};
  (void)state;
  basin_context *context = test_context(NULL);
  basin_nvrtc *nvrtc = open_nvrtc(context);
  for (size_t i = 0; i < BASIN_COUNT(kernels); ++i)
    for (size_t a = 0; a < BASIN_COUNT(architectures); ++a)
      compile(context, nvrtc, i, architectures[a]);
  basin__nvrtc_close(nvrtc);
  basin_context_destroy(context);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_architecture)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
