/* The texts that the CPU runs pass NVRTC for three generations of devices; no device is needed.
 * SPDX-License-Identifier: Apache-2.0 */
#include "backend/nvrtc.h"
#include "emit/emit.h"
#include "graph/small_matrix.h"
#include "random_kernel.h"
#include "spring.h"

static const char *const architectures[] = {"sm_80", "sm_90", "sm_120"};

/* Compiles for each architecture and records what the kernel takes. */
static void compile_everywhere(basin_backend *backend, const basin_kernel_program *program)
{
  basin_strbuf text;
  basin__strbuf_init(&text, backend->context);
  assert_int_equal(basin__emit(backend->context, program, &text), BASIN_OK);
  basin_strbuf source; /* the same kernel as a file of its own, for the last architecture */
  basin_nvrtc_code alone;
  basin__strbuf_init(&source, backend->context);
  assert_int_equal(basin__emit_source(backend->context, program, BASIN_DIALECT_CUDA, &source),
                   BASIN_OK);
  assert_null(strstr(basin__strbuf_text(&source), "#include \""));
  if (basin__backend_nvrtc(backend,
                           program->info.name,
                           basin__strbuf_text(&source),
                           architectures[BASIN_COUNT(architectures) - 1],
                           &alone) != BASIN_OK)
    fail_msg("%s", basin_error_text(backend->context));
  basin__backend_nvrtc_release(backend, &alone);
  basin__strbuf_fini(&source);
  for (size_t a = 0; a < BASIN_COUNT(architectures); a++) {
    basin_nvrtc_code code;
    if (basin__backend_nvrtc(
            backend, program->info.name, basin__strbuf_text(&text), architectures[a], &code) !=
        BASIN_OK)
      fail_msg("%s", basin_error_text(backend->context));
    print_message(
        "%s stage %d inner %u on %s: %u registers, %u bytes of stack, spills %u + %u bytes\n",
        program->info.name,
        (int)program->info.stage,
        program->info.inner_size,
        architectures[a],
        code.registers,
        code.stack,
        code.spill_stores,
        code.spill_loads);
    assert_true(code.size > 1000 && memcmp(code.image, "\177ELF", 4) == 0);
    assert_in_range(code.registers, 8, 255);
    basin__backend_nvrtc_release(backend, &code);
  }
  basin__strbuf_fini(&text);
}

static void check_precision(const char *precision)
{
  static random_kernel k;
  static spring_kernel spring;
  static const kernel_shape shapes[] = {{BASIN_STAGE_COMPUTE, 0, 0, 0, 0, 5, false},
                                        {BASIN_STAGE_VALUE, 0, 0, 0, 0, 0, false},
                                        {BASIN_STAGE_GRADIENT, 4, 1, 3, 2, 0, false},
                                        {BASIN_STAGE_HESSIAN, 5, 2, 2, 3, 0, false},
                                        {BASIN_STAGE_HESSIAN, 4, 1, 3, 1, 0, false}};
  basin_context *context = test_context(NULL);
  basin_backend *backend = open_backend(context, "nvrtc", precision, "");
  random_stream random = {31};
  for (size_t s = 0; s < BASIN_COUNT(shapes); s++) {
    random_kernel_fill(&k, &random, shapes[s]);
    compile_everywhere(backend, &k.program);
  }
  spring_kernel_fill(&spring, BASIN_STAGE_HESSIAN);
  compile_everywhere(backend, &spring.program);
  basin_backend_destroy(backend);
  basin_context_destroy(context);
}

static void test_double(void **state)
{
  (void)state;
  check_precision("double");
}
static void test_float(void **state)
{
  (void)state;
  check_precision("float");
}

/* One kernel that uses every operator. */
static void test_operators(void **state)
{
  (void)state;
  static program_builder b;
  static const basin_array_id arrays[] = {1};
  memset(&b, 0, sizeof b);
  b.accesses[0] = (basin_access){.array = 1};
  b.layouts[0] = (basin_access_layout){.stride = 3};
  b.access_count = 1;
  uint32_t x = add_code(&b, BASIN_OP_LOAD, 0, 0, 0), y = add_code(&b, BASIN_OP_LOAD, 0, 1, 0);
  uint32_t w = add_code(&b, BASIN_OP_LOAD, 0, 2, 0);
  for (unsigned op = 0; op < BASIN_OP_COUNT; op++) {
    const basin_op_info *info = basin__op_info(op);
    if (info->flags & (BASIN_OP_LEAF | BASIN_OP_LIST | BASIN_OP_MATRIX)) continue;
    add_output(&b, add_code(&b, (basin_op)op, x, info->arity > 1 ? y : 0, info->arity > 2 ? w : 0));
  }
  for (uint32_t i = 0; i < 9; i++) b.lists[b.list_length++] = i % 3;
  for (int op = BASIN_OP_POLAR2; op <= BASIN_OP_EIG3; op++)
    add_output(&b, add_code(&b, (basin_op)op, 0, basin__small_matrix_inputs((basin_op)op), 1));
  basin_kernel_program program = {.info = {.name = "operators",
                                           .stage = BASIN_STAGE_COMPUTE,
                                           .array_count = 1,
                                           .arrays = arrays,
                                           .output_size = b.output_count},
                                  .inner = finish_program(&b)};
  basin_context *context = test_context(NULL);
  basin_backend *backend = open_backend(context, "nvrtc", "double", "");
  compile_everywhere(backend, &program);
  basin_backend_destroy(backend);
  basin_context_destroy(context);
}

static void test_errors(void **state)
{
  (void)state;
  basin_context *context = test_context(NULL);
  basin_backend *backend = open_backend(context, "nvrtc", "double", "");
  basin_nvrtc_code code;
  assert_int_equal(
      basin__backend_nvrtc(backend, "bad", "int good;\nint bad = missing_name;\n", "sm_90", &code),
      BASIN_ERROR_COMPILE);
  assert_non_null(strstr(basin_error_last(context)->message, "missing_name"));
  assert_int_equal(basin__backend_nvrtc(backend, "good", "int good;\n", "sm_1", &code),
                   BASIN_ERROR_COMPILE);
  basin_backend_job job = {0};
  assert_int_equal(basin__backend_compile(backend, &job, 1), BASIN_ERROR_UNSUPPORTED);
  assert_non_null(strstr(basin_backend_describe(backend), "NVRTC"));
  basin_backend_destroy(backend);
  basin_context_destroy(context);
}

int main(void)
{
  if (!have_backend("nvrtc")) return 77;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_double),
      cmocka_unit_test(test_float),
      cmocka_unit_test(test_operators),
      cmocka_unit_test(test_errors),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
