/* Dumps of every stage of the pipeline read back as the same text.
 * SPDX-License-Identifier: Apache-2.0 */
#include "graph/print.h"
#include "passes/pipeline.h"
#include "plan/fixture.h"

static void check_round_trip(const fixture *f, const char *stage, const char *dump)
{
  basin_graph *graph;
  basin_ref *roots;
  uint32_t count;
  basin_strbuf printed;
  assert_int_equal(basin_graph_create(f->context, &graph), BASIN_OK);
  if (basin__graph_parse(graph, dump, strlen(dump), &roots, &count) != BASIN_OK)
    fail_msg("%s: %s\n%s", stage, basin_error_text(f->context), dump);
  basin__strbuf_init(&printed, f->context);
  assert_int_equal(basin__graph_print(graph, roots, count, &printed), BASIN_OK);
  assert_string_equal(basin__strbuf_text(&printed), dump);
  basin__strbuf_fini(&printed);
  basin__free(f->context, roots, count * sizeof *roots);
  basin_graph_destroy(graph);
}

static void check_stages(fixture *f, ex e, bool project_unknowns, bool hoist)
{
  basin_plan *plan = energy_plan(f, e, project_unknowns, hoist);
  uint32_t count;
  const basin_pass *passes = basin__pipeline_passes(&count);
  check_round_trip(f, "ir", basin_plan_dump(plan, "ir"));
  check_round_trip(f, "scalar", basin_plan_dump(plan, "scalar"));
  for (uint32_t i = 0; i < count; ++i) {
    const char *dump = basin_plan_dump(plan, passes[i].name);
    if (!dump) fail_msg("%s: %s", passes[i].name, basin_error_text(f->context));
    assert_true(strlen(dump) > 0);
    check_round_trip(f, passes[i].name, dump);
  }
  assert_null(basin_plan_dump(plan, "nonsense"));
  for (uint32_t i = 0; i < count; ++i)
    assert_non_null(strstr(basin_error_last(f->context)->message, passes[i].name));
  basin_plan_destroy(plan);
}

static void energies(void **state)
{
  fixture *f = *state;
  ex list[] = {neo_hookean(f), spring(f), hinge(f), point_triangle(f)};
  for (size_t i = 0; i < BASIN_COUNT(list); ++i) {
    check_stages(f, list[i], false, false);
    check_stages(f, list[i], true, false);
    check_stages(f, list[i], false, true);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(energies, fixture_setup, fixture_teardown)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
