/* The emitted text of a small kernel, letter by letter, and what every text must be.
 * SPDX-License-Identifier: Apache-2.0 */
#include "../backend/spring.h"
#include "emit/emit.h"

#include <stdio.h>

static char *emit_text(basin_context *context, const basin_kernel_program *program)
{
  basin_strbuf text;
  basin__strbuf_init(&text, context);
  assert_int_equal(basin__emit(context, program, &text), BASIN_OK);
  char *copy = strdup(basin__strbuf_text(&text));
  basin__strbuf_fini(&text);
  return copy;
}

/* The version in the first line is no part of what is compared. */
static void blank_version(char *text)
{
  char *version = strstr(text, BASIN_VERSION_STRING);
  assert_non_null(version);
  memmove(version,
          version + strlen(BASIN_VERSION_STRING),
          strlen(version + strlen(BASIN_VERSION_STRING)) + 1);
}

/* Compares with a file of tests/data; BASIN_UPDATE_GOLDEN=1 writes it instead. */
static void expect_golden(const char *text, const char *name)
{
  char path[600], *data;
  size_t size;
  basin_context *context = test_context(NULL);
  snprintf(path, sizeof path, "%s/emit/%s", BASIN_TEST_DATA_DIR, name);
  const char *update = basin__env("UPDATE_GOLDEN");
  if (update && *update == '1')
    assert_int_equal(basin__write_file(context, path, text, strlen(text)), BASIN_OK);
  if (basin__read_file(context, path, &data, &size) != BASIN_OK)
    fail_msg("%s", basin_error_text(context));
  assert_string_equal(text, data);
  basin__free(context, data, size + 1);
  basin_context_destroy(context);
}

static void test_golden(void **state)
{
  (void)state;
  static spring_kernel spring;
  static const char *const names[] = {[BASIN_STAGE_VALUE] = "spring_value.txt",
                                      [BASIN_STAGE_GRADIENT] = "spring_gradient.txt",
                                      [BASIN_STAGE_HESSIAN] = "spring_hessian.txt"};
  basin_context *context = test_context(NULL);
  for (int stage = BASIN_STAGE_VALUE; stage <= BASIN_STAGE_HESSIAN; stage++) {
    spring_kernel_fill(&spring, (basin_stage)stage);
    char *text = emit_text(context, &spring.program);
    blank_version(text);
    expect_golden(text, names[stage]);
    free(text);
  }
  basin_context_destroy(context);
}

/* The same program gives the same text; comments cannot be ended by a name. */
static void test_stable(void **state)
{
  (void)state;
  static random_kernel k;
  basin_context *context = test_context(NULL);
  for (uint64_t seed = 1; seed < 20; seed++) {
    random_stream random = {seed}, again = {seed};
    kernel_shape shape = {BASIN_STAGE_HESSIAN, 4, 2, 2, 3, 0, false};
    random_kernel_fill(&k, &random, shape);
    k.program.comment = "tricky */ name /* with \n marks";
    char *first = emit_text(context, &k.program);
    random_kernel_fill(&k, &again, shape);
    k.program.comment = "tricky */ name /* with \n marks";
    char *second = emit_text(context, &k.program);
    assert_string_equal(first, second);
    size_t opened = 0, closed = 0;
    for (const char *c = first; *c; c++) {
      opened += c[0] == '/' && c[1] == '*';
      closed += c[0] == '*' && c[1] == '/';
    }
    assert_int_equal(opened, closed);
    free(first);
    free(second);
  }
  basin_context_destroy(context);
}

/* A shared array's arithmetic is done once a call, a path prefix is followed once, neighbours are
 * read in pairs. */
static void test_structure(void **state)
{
  (void)state;
  static program_builder b;
  static const basin_array_id arrays[] = {0, 2};
  static const basin_connectivity_id connectivities[] = {0};
  memset(&b, 0, sizeof b);
  add_accesses(&b);
  uint32_t mu = add_code(&b, BASIN_OP_LOAD, 6, 0, 0),
           twice = add_code(&b, BASIN_OP_MUL, mu, add_constant(&b, 2.0), 0);
  uint32_t sum = twice;
  for (uint32_t c = 0; c < 3; c++)
    sum = add_code(&b, BASIN_OP_ADD, sum, add_code(&b, BASIN_OP_LOAD, 1, c, 0), 0);
  add_output(&b, sum);
  basin_kernel_program program = {.info = {.name = "structure",
                                           .stage = BASIN_STAGE_COMPUTE,
                                           .array_count = 2,
                                           .arrays = arrays,
                                           .connectivity_count = 1,
                                           .connectivities = connectivities,
                                           .output_size = 1}};
  b.access_count = 2; /* only those that are read */
  b.accesses[0] = b.accesses[6];
  b.layouts[0] = b.layouts[6];
  b.code[mu].a = 0;
  program.inner = finish_program(&b);
  basin_context *context = test_context(NULL);
  char *text = emit_text(context, &program);
  assert_non_null(strstr(text, "BASIN_UNIFORM(0) = v2;"));
  assert_non_null(strstr(text, "= BASIN_UNIFORM(0) + a1_0;"));
  const char *step = strstr(text, "BASIN_STEP(0, i0, 4, 1)");
  assert_non_null(step);
  assert_null(strstr(step + 1, "BASIN_STEP"));
  assert_non_null(strstr(text, "BASIN_LOAD_2(a1_0, a1_1, 0, i1, 3, 0);"));
  assert_non_null(strstr(text, "BASIN_LOAD_1(a1_2, 0, i1, 3, 2);"));
  free(text);
  basin_context_destroy(context);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_golden),
      cmocka_unit_test(test_stable),
      cmocka_unit_test(test_structure),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
