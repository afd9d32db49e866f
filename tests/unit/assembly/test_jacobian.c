/* Sparse Jacobians and mixed derivatives against dense ones and differences.
 * SPDX-License-Identifier: Apache-2.0 */
#include "../support.h"
#include "scene.h"
#include <math.h>

#define ok(call) assert_int_equal((call), BASIN_OK)

/* Numbers of the entries of the listed arrays, and all their values at once. */
static size_t total(const scene *s, const basin_array_id *arrays, size_t count)
{
  size_t sum = 0;
  for (size_t k = 0; k < count; ++k)
    sum += s->system->spaces[s->system->arrays[arrays[k]]->space].count *
           s->system->arrays[arrays[k]]->size;
  return sum;
}

static double *entry(const scene *s, const basin_array_id *arrays, size_t number)
{
  for (size_t k = 0;; ++k) {
    size_t length = total(s, &arrays[k], 1);
    if (number < length) return &basin_system_array_data(s->system, arrays[k])[number];
    number -= length;
  }
}

/* The array named `name` that reads the bodies through a map. */
static basin_array_id find(const scene *s, const char *name, bool affine)
{
  for (size_t k = 0; k < s->system->array_count; ++k) {
    const basin_array *array = s->system->arrays[k];
    if (array->kind == BASIN_ARRAY_COMPUTED && !strcmp(array->name, name) &&
        array->map->affine == affine)
      return (basin_array_id)k;
  }
  return BASIN_NONE;
}

/* Central differences of a computed array by every entry of `arrays`; quadratic maps have no error
 * but rounding. */
static void check_jacobian(scene *s, basin_array_id id, const basin_array_id *arrays, size_t count)
{
  const basin_array *array = s->system->arrays[id];
  const polynomial *p = ((const polynomial_plan *)array->kernel.plan)->owner;
  basin_jacobian_description description = {.name = "Jacobian",
                                            .space = array->space,
                                            .plan = array->map->jacobian.plan,
                                            .info = array->map->jacobian.info,
                                            .expression_size = array->size,
                                            .column_unknown_count = p->access_count,
                                            .column_unknowns = p->accesses,
                                            .column_array_count = count,
                                            .column_arrays = arrays};
  basin_csr *matrix;
  ok(basin_system_jacobian_matrix(s->system, &description, &matrix));
  size_t rows = s->system->spaces[array->space].count * array->size,
         columns = total(s, arrays, count);
  assert_int_equal(basin_csr_rows(matrix), rows);
  assert_int_equal(basin_csr_columns(matrix), columns);
  double *up = calloc(rows, sizeof *up), h = 1e-3;
  for (size_t c = 0; c < columns; ++c) {
    basin_span view;
    double *x = entry(s, arrays, c), start = *x;
    for (int side = 1; side >= -1; side -= 2) {
      *x = start + side * h;
      for (size_t k = 0; k < count; ++k) basin_system_touch(s->system, arrays[k]);
      ok(basin_system_array(s->system, id, &view));
      for (size_t r = 0; r < rows; ++r)
        up[r] = side > 0 ? view.data[r] : (up[r] - view.data[r]) / (2 * h);
    }
    *x = start;
    for (size_t k = 0; k < count; ++k) basin_system_touch(s->system, arrays[k]);
    for (size_t r = 0; r < rows; ++r)
      assert_true(fabs(basin_csr_at(matrix, r, c) - up[r]) < 1e-9 * (1 + fabs(up[r])));
  }
  free(up);
  basin_csr_destroy(matrix);
}

static void test_jacobian(void **state)
{
  (void)state;
  for (unsigned block = 1; block <= 3; ++block) {
    scene s;
    scene_init(&s, NULL, 2, block, SCENE_UNION | SCENE_CURVED, block);
    basin_array_id affine = find(&s, "computed", true), curved = find(&s, "computed", false);
    check_jacobian(&s, affine, s.targets, 4);
    check_jacobian(&s, curved, s.targets, 4);
    /* Of fewer columns: what leads to no listed array is left out. */
    basin_array_id some[] = {s.targets[2]};
    check_jacobian(&s, affine, some, 1);
    scene_fini(&s);
  }
}

/* The last computed array reads a mean over a union of mapped vertices: a Jacobian through maps of
 * maps. */
static void test_through_maps(void **state)
{
  (void)state;
  for (unsigned block = 1; block <= 3; ++block) {
    scene s;
    basin_array_id last = BASIN_NONE;
    scene_init(&s, NULL, 2, block, SCENE_UNION | SCENE_CURVED, 10 + block);
    for (size_t k = 0; k < s.system->array_count; ++k)
      if (s.system->arrays[k]->kind == BASIN_ARRAY_COMPUTED) last = (basin_array_id)k;
    check_jacobian(&s, last, s.targets, 4);
    scene_fini(&s);
  }
}

/* ---- mixed derivatives: the polynomial energy's Hessian with some unknowns as rows and others as
 * columns ---- */

typedef struct mixed {
  basin_context *context;
  basin_system *system;
  basin_array_id x, c;
} mixed;

static double A[2][2] = {
    {3, -2}, {5, 7}}; /* d²E / dx_i dc_j of x . A c with x = (x_a, x_b), c = (c_e, c_shared) */

static void mixed_kernel(const basin_kernel_args *args, const void *self)
{
  (void)self;
  for (size_t e = args->begin; e < args->end; ++e)
    for (size_t i = 0; i < 2; ++i)
      for (size_t j = 0; j < 2; ++j) args->output[e * 4 + i * 2 + j] = A[i][j] * (double)(e + 1);
}

static basin_status mixed_provider(void *user, basin_kernel_request *requests, size_t count)
{
  (void)user;
  for (size_t k = 0; k < count; ++k)
    requests[k].kernel = (basin_kernel){.function = mixed_kernel, .hash = ""};
  return BASIN_OK;
}

static void test_mixed(void **state)
{
  basin_context *context = test_context(NULL);
  basin_system *system;
  basin_space_description spaces[] = {{"scene", BASIN_NONE, true, false, 1},
                                      {"v", BASIN_NONE, false, false, 3},
                                      {"e", BASIN_NONE, false, false, 2}};
  basin_space_id ids[3];
  basin_array_id x = BASIN_NONE, c = BASIN_NONE, shared = BASIN_NONE;
  basin_connectivity_id to;
  static const uint32_t ends[] = {
      0, 1, 1, 1}; /* the second element names one vertex twice: its entries are summed */
  (void)state;
  ok(basin_system_create(context, mixed_provider, NULL, &system));
  for (int k = 0; k < 3; ++k) ok(basin_system_add_space(system, &spaces[k], &ids[k]));
  ok(basin_system_add_array(system, "x", ids[1], 1, 1, &x));
  ok(basin_system_add_array(system, "c", ids[2], 1, 1, &c));
  ok(basin_system_add_array(system, "shared", ids[0], 1, 1, &shared));
  ok(basin_system_add_connectivity(system, "ends", ids[2], ids[1], 2, &to));
  ok(basin_system_set_connectivity(system, to, ends, 4));
  basin_kernel_info info = {
      .name = "mixed", .stage = BASIN_STAGE_COMPUTE, .output_size = 4, .block = 1};
  basin_unknown_access rows[] = {{{x, 1, {{to, 0}}}, 1, 0, 1, 1, true},
                                 {{x, 1, {{to, 1}}}, 1, 1, 1, 1, true}};
  basin_unknown_access columns[] = {{{c, 0, {{0, 0}}}, 1, 0, 1, 1, true},
                                    {{shared, 0, {{0, 0}}}, 1, 1, 1, 1, true}};
  basin_array_id column_arrays[] = {shared, c};
  basin_jacobian_description description = {.name = "mixed",
                                            .space = ids[2],
                                            .plan = &info,
                                            .info = &info,
                                            .row_unknown_count = 2,
                                            .row_unknowns = rows,
                                            .column_unknown_count = 2,
                                            .column_unknowns = columns,
                                            .row_array_count = 1,
                                            .row_arrays = &x,
                                            .column_array_count = 2,
                                            .column_arrays = column_arrays};
  basin_csr *matrix;
  ok(basin_system_jacobian_matrix(system, &description, &matrix));
  /* Columns: shared, c of element 0, c of element 1. */
  const double expected[3][3] = {{-2, 3, 0}, {7 + 2 * (-2 + 7), 5, 2 * (3 + 5)}, {0, 0, 0}};
  for (size_t r = 0; r < 3; ++r)
    for (size_t k = 0; k < 3; ++k) assert_true(basin_csr_at(matrix, r, k) == expected[r][k]);
  basin_csr_destroy(matrix);
  info.output_size = 3;
  assert_int_equal(basin_system_jacobian_matrix(system, &description, &matrix), BASIN_ERROR_SHAPE);
  assert_null(matrix);
  basin_system_destroy(system);
  basin_context_destroy(context);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_jacobian),
      cmocka_unit_test(test_through_maps),
      cmocka_unit_test(test_mixed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
