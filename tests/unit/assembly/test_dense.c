/* Assembly against a dense reference on random topologies, unions, reductions, maps.
 * SPDX-License-Identifier: Apache-2.0 */
#include "../support.h"
#include "scene.h"
#include <math.h>

/* Dense gradient and Hessian of all energies by the chain rule, affine parts exactly; the Hessian
 * leaves out the curvature of maps. */
static void compare(scene *s, bool curved)
{
  size_t n = s->unknowns;
  double *g = calloc(n, sizeof *g), *H = calloc(n * n, sizeof *H),
         *dense = calloc(n * n, sizeof *dense);
  double *x = calloc(n, sizeof *x), *vector = calloc(n, sizeof *vector);
  scene_read(s, x);
  double energy = scene_reference(s, x, g, H);
  double total;
  assert_int_equal(basin_minimizer_energy(s->minimizer, &total, NULL), BASIN_OK);
  assert_true(fabs(total - energy) <= 1e-12 * (1 + fabs(energy)));
  assert_int_equal(basin_minimizer_assemble(s->minimizer, true, BASIN_PROJECTION_NONE), BASIN_OK);
  size_t count;
  const double *gradient = basin_minimizer_gradient(s->minimizer, &count);
  assert_int_equal(count, n);
  for (size_t k = 0; k < n; ++k) assert_true(fabs(gradient[k] - g[k]) <= 1e-11 * (1 + fabs(g[k])));
  if (curved) scene_differences(s, x, H); /* central differences of the reference gradient */
  scene_matrix(s, dense);
  double scale = 1;
  for (size_t k = 0; k < n * n; ++k) scale = fmax(scale, fabs(H[k]));
  for (size_t k = 0; k < n * n; ++k)
    assert_true(fabs(dense[k] - H[k]) <= (curved ? 1e-6 : 1e-11) * scale);
  free(g), free(H), free(dense), free(x), free(vector);
}

static void run_scenes(unsigned block, unsigned features, bool curved)
{
  for (uint64_t seed = 1; seed <= 4; ++seed) {
    scene s;
    scene_init(&s, NULL, 2, block, features, seed);
    compare(&s, curved);
    scene_move(&s, seed + 77);
    compare(&s, curved);
    scene_fini(&s);
  }
}

static void test_targets(void **state)
{
  (void)state;
  for (unsigned block = 1; block <= 3; ++block) run_scenes(block, SCENE_PLAIN, false);
}

static void test_unions(void **state)
{
  (void)state;
  for (unsigned block = 1; block <= 3; ++block) run_scenes(block, SCENE_PLAIN | SCENE_UNION, false);
}

static void test_reductions(void **state)
{
  (void)state;
  for (unsigned block = 1; block <= 3; ++block)
    run_scenes(block, SCENE_PLAIN | SCENE_UNION | SCENE_REDUCTION, false);
}

static void test_curved_maps(void **state)
{
  (void)state;
  for (unsigned block = 1; block <= 3; ++block)
    run_scenes(block, SCENE_UNION | SCENE_REDUCTION | SCENE_CURVED, true);
}

static void test_dynamic_part(void **state)
{
  (void)state;
  for (unsigned block = 1; block <= 3; ++block)
    run_scenes(block, SCENE_PLAIN | SCENE_UNION | SCENE_DYNAMIC, false);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_targets),
      cmocka_unit_test(test_unions),
      cmocka_unit_test(test_reductions),
      cmocka_unit_test(test_curved_maps),
      cmocka_unit_test(test_dynamic_part),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
