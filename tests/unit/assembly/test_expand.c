/* Terms over maps: the nodes of every element, and local results spread through them, against the
 * plain sum over all pairs of entries.
 * SPDX-License-Identifier: Apache-2.0 */
#include "../support.h"
#include "assembly/spread.h"
#include "linalg/bsr.h"
#include "scene.h"

enum { LOCAL_MAX = 64, ENTRY_MAX = 512 };

static double random_value(uint64_t *seed)
{
  return (double)random_below(seed, 2000001) * 1e-6 - 1;
}

/* ---- lists ---- */

static void check_lists(const basin_minimizer *minimizer, const basin_term *term)
{
  basin_virtual_node entries[ENTRY_MAX];
  size_t most = 0;
  for (size_t e = 0; e < term->elements; ++e) {
    size_t count, length = basin__term_expand(minimizer, term, e, entries), named = 0;
    const uint32_t *nodes = basin__element_nodes(term, e, &count);
    assert_true(length <= term->expansion);
    most = length > most ? length : most;
    for (size_t k = 0; k < length; ++k) {
      assert_int_equal(nodes[entries[k].place], entries[k].node);
      assert_true(entries[k].place <= named); /* in the order of their first entries */
      named += entries[k].place == named;
    }
    assert_int_equal(named, count);
    for (size_t v = 0; v < count; ++v)
      for (size_t w = 0; w < v; ++w) assert_int_not_equal(nodes[v], nodes[w]);
    assert_int_equal(term->starts[e + 1].slot - term->starts[e].slot, count * (count + 1) / 2);
  }
  assert_int_equal(most, term->expansion);
  assert_int_equal(term->starts[term->elements].slot, term->slot_count);
}

/* ---- sums ---- */

typedef struct sums {
  size_t b, nodes;
  double *gradient, *values; /* values: b x b blocks, dense, those of the upper triangle */
} sums;

static void full_weight(const basin_virtual_node *entry, size_t b, double *weight)
{
  double factor = entry->weight ? *entry->weight : 1;
  for (size_t i = 0; i < b * b; ++i)
    weight[i] = entry->full ? entry->weight[i] : i % (b + 1) == 0 ? factor : 0;
}

/* W_v^T H W_w by full matrices; zeros and ones of a weight's multiple of the identity change no
 * bit. */
static void product(const double *v, const double *H, const double *w, size_t b, double *out)
{
  double left[9];
  for (size_t i = 0; i < b; ++i)
    for (size_t j = 0; j < b; ++j) {
      left[i * b + j] = 0;
      for (size_t k = 0; k < b; ++k) left[i * b + j] += v[k * b + i] * H[k * b + j];
    }
  for (size_t i = 0; i < b; ++i)
    for (size_t j = 0; j < b; ++j) {
      out[i * b + j] = 0;
      for (size_t k = 0; k < b; ++k) out[i * b + j] += left[i * b + k] * w[k * b + j];
    }
}

static double packed(const double *hessian, size_t size, size_t i, size_t j)
{
  size_t row = i < j ? i : j, column = i < j ? j : i;
  return hessian[row * size - row * (row + 1) / 2 + column];
}

static void add_pair(sums *s,
                     const basin_virtual_node *v,
                     const basin_virtual_node *w,
                     const double *hessian,
                     size_t size)
{
  size_t b = s->b;
  double H[9], V[9], W[9], both[9];
  for (size_t i = 0; i < b * b; ++i)
    H[i] = packed(hessian, size, v->local * b + i / b, w->local * b + i % b);
  full_weight(v, b, V);
  full_weight(w, b, W);
  product(V, H, W, b, both);
  bool swap = v->node > w->node, twice = v != w && v->node == w->node;
  size_t row = swap ? w->node : v->node, column = swap ? v->node : w->node;
  double *out = s->values + (row * s->nodes + column) * b * b;
  for (size_t i = 0; i < b; ++i)
    for (size_t j = 0; j < b; ++j)
      out[i * b + j] +=
          twice ? both[i * b + j] + both[j * b + i] : both[swap ? j * b + i : i * b + j];
}

static void add_gradient(sums *s, const basin_virtual_node *v, const double *gradient)
{
  size_t b = s->b;
  double V[9];
  full_weight(v, b, V);
  for (size_t i = 0; i < b; ++i) {
    double sum = 0;
    for (size_t k = 0; k < b; ++k) sum += V[k * b + i] * gradient[v->local * b + k];
    s->gradient[v->node * b + i] += sum;
  }
}

/* What a run over all elements with random local results adds, by both ways. */
static void compare_sums(basin_minimizer *minimizer, const basin_term *term, uint64_t seed)
{
  size_t b = minimizer->layout.block, nodes = minimizer->layout.node_count,
         size = term->local_nodes * b;
  basin_bsr *matrix = basin__term_part(minimizer, term)->matrix;
  sums s = {b, nodes, calloc(nodes * b, sizeof(double)), calloc(nodes * nodes * b * b, 8)};
  basin_bsr_zero(matrix);
  memset(minimizer->gradient, 0, nodes * b * sizeof(double));
  basin_spread spread = {
      minimizer, term, minimizer->gradient, basin_bsr_values(matrix), 0, SIZE_MAX, 0, SIZE_MAX};
  for (size_t e = 0; e < term->elements; ++e) {
    double gradient[LOCAL_MAX], hessian[LOCAL_MAX * (LOCAL_MAX + 1) / 2];
    basin_virtual_node entries[ENTRY_MAX];
    for (size_t k = 0; k < size; ++k) gradient[k] = random_value(&seed);
    for (size_t k = 0; k < size * (size + 1) / 2; ++k) hessian[k] = random_value(&seed);
    size_t count = basin__term_expand(minimizer, term, e, entries);
    for (size_t v = 0; v < count; ++v) {
      add_gradient(&s, &entries[v], gradient);
      for (size_t w = v; w < count; ++w) add_pair(&s, &entries[v], &entries[w], hessian, size);
    }
    basin__spread_mapped(&spread, e, gradient, hessian, entries);
  }
  for (size_t k = 0; k < nodes * b; ++k) assert_true(s.gradient[k] == minimizer->gradient[k]);
  for (uint32_t row = 0; row < nodes; ++row)
    for (uint32_t column = row; column < nodes; ++column) {
      uint32_t slot = basin_bsr_slot(matrix, row, column);
      for (size_t i = 0; i < b * b; ++i)
        assert_true(s.values[(row * nodes + column) * b * b + i] ==
                    (slot == BASIN_SLOT_NONE ? 0 : basin_bsr_values(matrix)[slot * b * b + i]));
    }
  free(s.gradient), free(s.values);
}

static void run_scene(unsigned block, unsigned features)
{
  for (uint64_t seed = 1; seed <= 4; ++seed) {
    scene s;
    size_t mapped = 0, shared = 0;
    scene_init(&s, NULL, 1, block, features, seed);
    assert_int_equal(basin_minimizer_assemble(s.minimizer, true, BASIN_PROJECTION_NONE), BASIN_OK);
    for (size_t k = 0; k < basin__minimizer_term_total(s.minimizer); ++k) {
      const basin_term *term = basin__minimizer_term(s.minimizer, k);
      if (term->direct || term->elements == 0) continue;
      ++mapped;
      check_lists(s.minimizer, term);
      compare_sums(s.minimizer, term, seed);
      shared += term->starts[term->elements].entry > term->starts[term->elements].node;
    }
    assert_true(mapped > 0 && shared > 0);
    scene_fini(&s);
  }
}

static void test_unions(void **state)
{
  (void)state;
  for (unsigned block = 1; block <= 3; ++block) run_scene(block, SCENE_UNION | SCENE_DYNAMIC);
}

static void test_reductions(void **state)
{
  (void)state;
  for (unsigned block = 1; block <= 3; ++block)
    run_scene(block, SCENE_PLAIN | SCENE_UNION | SCENE_REDUCTION);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_unions),
      cmocka_unit_test(test_reductions),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
