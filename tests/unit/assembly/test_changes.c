/* What happens between assemblies: resizing, switching, statistics, bad input.
 * SPDX-License-Identifier: Apache-2.0 */
#include "../support.h"
#include "scene.h"
#include <math.h>

#define ok(call) assert_int_equal((call), BASIN_OK)

/* The assembled system equals the dense reference. */
static void compare(scene *s)
{
  size_t n = s->unknowns, count;
  double *g = calloc(n, sizeof *g), *H = calloc(n * n, sizeof *H),
         *dense = calloc(n * n, sizeof *dense), *x = calloc(n, sizeof *x);
  scene_read(s, x);
  (void)scene_reference(s, x, g, H);
  ok(basin_minimizer_assemble(s->minimizer, true, BASIN_PROJECTION_NONE));
  const double *gradient = basin_minimizer_gradient(s->minimizer, &count);
  assert_int_equal(count, n);
  scene_matrix(s, dense);
  for (size_t k = 0; k < n; ++k) assert_true(fabs(gradient[k] - g[k]) <= 1e-11 * (1 + fabs(g[k])));
  for (size_t k = 0; k < n * n; ++k) assert_true(fabs(dense[k] - H[k]) <= 1e-11 * (1 + fabs(H[k])));
  free(g), free(H), free(dense), free(x);
}

static void resize_contacts(scene *s, size_t count, uint64_t seed)
{
  uint32_t indices[256];
  uint32_t limit = (uint32_t)basin_system_space_count(
      s->system, s->system->connectivities[s->contact_vertices].to);
  for (size_t k = 0; k < count * 4; ++k) indices[k] = random_below(&seed, limit);
  ok(basin_system_resize(s->system, s->contacts, count));
  ok(basin_system_set_connectivity(s->system, s->contact_vertices, indices, count * 4));
}

static void test_dynamic_contacts(void **state)
{
  static const size_t counts[] = {3, 0, 12, 12, 0, 1};
  scene s;
  (void)state;
  scene_init(&s, NULL, 2, 3, SCENE_PLAIN | SCENE_UNION | SCENE_DYNAMIC, 5);
  compare(&s);
  for (size_t k = 0; k < 6; ++k) {
    resize_contacts(&s, counts[k], k + 1);
    compare(&s);
    compare(&s);
  }
  scene_fini(&s);
}

/* Contacts that are not set are an error for the enabled term, which names the script, and none for
 * a disabled one. */
static void test_unset_contacts(void **state)
{
  scene s;
  (void)state;
  scene_init(&s, NULL, 2, 2, SCENE_PLAIN | SCENE_UNION | SCENE_DYNAMIC, 6);
  ok(basin_system_resize(s.system, s.contacts, 4));
  assert_int_equal(basin_minimizer_assemble(s.minimizer, true, BASIN_PROJECTION_NONE),
                   BASIN_ERROR_STATE);
  assert_string_equal(basin_error_last(s.context)->script, "scene.lua");
  assert_int_equal(basin_error_last(s.context)->script_line, 3);
  double energy;
  assert_int_equal(basin_minimizer_energy(s.minimizer, &energy, NULL), BASIN_ERROR_STATE);
  ok(basin_minimizer_enable(s.minimizer, 2, false));
  ok(basin_minimizer_assemble(s.minimizer, true, BASIN_PROJECTION_NONE));
  ok(basin_minimizer_enable(s.minimizer, 2, true));
  resize_contacts(&s, 4, 9);
  compare(&s);
  scene_fini(&s);
}

static void test_switching(void **state)
{
  scene s;
  double all[8], some[8], total;
  (void)state;
  scene_init(&s, NULL, 2, 3, SCENE_PLAIN | SCENE_UNION | SCENE_REDUCTION, 7);
  ok(basin_minimizer_energy(s.minimizer, &total, all));
  ok(basin_minimizer_enable(s.minimizer, 1, false));
  ok(basin_minimizer_energy(s.minimizer, &total, some));
  assert_true(some[1] == 0 && some[0] == all[0] && some[2] == all[2]);
  ok(basin_minimizer_assemble(s.minimizer, true, BASIN_PROJECTION_NONE));
  ok(basin_minimizer_enable(s.minimizer, 1, true));
  compare(&s);
  assert_int_equal(basin_minimizer_enable(s.minimizer, 99, true), BASIN_ERROR_ARGUMENT);
  scene_fini(&s);
}

/* A projected matrix has no negative eigenvalue along any of many directions; unprojected it has.
 */
static void test_projection(void **state)
{
  scene s;
  uint64_t seed = 3;
  (void)state;
  scene_init(&s, NULL, 2, 3, SCENE_UNION | SCENE_REDUCTION | SCENE_CURVED, 3);
  size_t n = s.unknowns, negative = 0;
  double *v = calloc(n, sizeof *v), *Hv = calloc(n, sizeof *Hv);
  for (int mode = BASIN_PROJECTION_NONE; mode <= BASIN_PROJECTION_ABS; ++mode) {
    ok(basin_minimizer_assemble(s.minimizer, true, (basin_projection)mode));
    for (int trial = 0; trial < 200; ++trial) {
      double product = 0;
      for (size_t k = 0; k < n; ++k) v[k] = random_number(&seed);
      basin_bsr_multiply(basin_minimizer_matrix(s.minimizer), v, Hv);
      for (size_t k = 0; k < n; ++k) product += v[k] * Hv[k];
      if (mode == BASIN_PROJECTION_NONE)
        negative += product < 0;
      else
        assert_true(product > -1e-9);
    }
  }
  assert_true(negative > 0);
  free(v), free(Hv);
  scene_fini(&s);
}

/* Affine maps are evaluated once, curved ones after every change of the unknowns. */
static void test_map_evaluations(void **state)
{
  scene s;
  size_t affine = 0, curved = 0;
  (void)state;
  scene_init(&s, NULL, 2, 2, SCENE_UNION | SCENE_CURVED, 4);
  for (int k = 0; k < 5; ++k) {
    scene_move(&s, (uint64_t)k);
    ok(basin_minimizer_assemble(s.minimizer, true, BASIN_PROJECTION_NONE));
  }
  for (size_t k = 0; k < s.system->array_count; ++k) {
    const basin_array *array = s.system->arrays[k];
    if (array->kind != BASIN_ARRAY_COMPUTED) continue;
    const polynomial *p = ((const polynomial_plan *)array->kernel.plan)->owner;
    affine += array->map->affine ? p->jacobian_runs : 0;
    curved += array->map->affine ? 0 : p->jacobian_runs;
  }
  assert_int_equal(curved, 2 * 5);
  assert_int_equal(affine, 2); /* there are two such arrays */
  scene_fini(&s);
}

static void test_statistics(void **state)
{
  scene s;
  basin_term_statistics statistics;
  double energy;
  (void)state;
  scene_init(&s, NULL, 2, 1, SCENE_PLAIN, 8);
  ok(basin_minimizer_assemble(s.minimizer, true, BASIN_PROJECTION_NONE));
  ok(basin_minimizer_assemble(s.minimizer, false, BASIN_PROJECTION_NONE));
  ok(basin_minimizer_energy(s.minimizer, &energy, NULL));
  ok(basin_minimizer_term_statistics(s.minimizer, 0, &statistics));
  assert_int_equal(basin_minimizer_term_count(s.minimizer), 2);
  assert_true(statistics.elements == 11 && statistics.value_calls == 1 &&
              statistics.gradient_calls == 1 && statistics.hessian_calls == 1);
  assert_true(statistics.hessian_seconds > 0 && statistics.value_seconds > 0);
  assert_string_equal(statistics.name, "term");
  scene_fini(&s);
}

static void test_bad_terms(void **state)
{
  scene s;
  basin_term_id id;
  (void)state;
  scene_init(&s, NULL, 2, 3, SCENE_PLAIN, 8);
  polynomial *p = s.terms[0];
  basin_term_description good = {.name = "bad",
                                 .script = "bad.lua",
                                 .line = 4,
                                 .space = s.term_spaces[0],
                                 .plan = &p->plans[POLYNOMIAL_ENERGY],
                                 .value = &p->value,
                                 .gradient = &p->gradient,
                                 .hessian = &p->hessian,
                                 .unknown_count = p->access_count,
                                 .unknowns = p->accesses};
  basin_term_description bad = good;
  bad.gradient = NULL;
  assert_int_equal(basin_minimizer_add_term(s.minimizer, &bad, &id), BASIN_ERROR_ARGUMENT);
  bad = good;
  bad.unknown_count = 2; /* fewer local unknowns than the kernels have */
  assert_int_equal(basin_minimizer_add_term(s.minimizer, &bad, &id), BASIN_ERROR_SHAPE);
  assert_string_equal(basin_error_last(s.context)->script, "bad.lua");
  bad = good;
  bad.space = 77;
  assert_int_equal(basin_minimizer_add_term(s.minimizer, &bad, &id), BASIN_ERROR_ARGUMENT);
  bad = good;
  bad.space = s.term_spaces[1]; /* its paths start elsewhere */
  ok(basin_minimizer_add_term(s.minimizer, &bad, &id));
  assert_int_equal(basin_minimizer_assemble(s.minimizer, true, BASIN_PROJECTION_NONE),
                   BASIN_ERROR_OWNER);
  ok(basin_minimizer_enable(s.minimizer, id, false));
  basin_minimizer *other;
  basin_array_id twice[] = {s.targets[0], s.targets[0]};
  assert_int_equal(basin_minimizer_create(s.system, twice, 2, 3, &other), BASIN_ERROR_ARGUMENT);
  assert_int_equal(basin_minimizer_create(s.system, s.targets, 4, 2, &other), BASIN_ERROR_SHAPE);
  assert_int_equal(basin_minimizer_create(s.system, s.targets, 0, 3, &other), BASIN_ERROR_ARGUMENT);
  assert_null(other);
  scene_fini(&s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_dynamic_contacts),
      cmocka_unit_test(test_unset_contacts),
      cmocka_unit_test(test_switching),
      cmocka_unit_test(test_projection),
      cmocka_unit_test(test_map_evaluations),
      cmocka_unit_test(test_statistics),
      cmocka_unit_test(test_bad_terms),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
