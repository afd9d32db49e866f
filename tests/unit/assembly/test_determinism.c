/* The same bits for any number of threads, with colours and with partitions.
 * SPDX-License-Identifier: Apache-2.0 */
#include "../support.h"
#include "assembly/minimizer.h"
#include "polynomial.h"
#include <math.h>

#define ok(call) assert_int_equal((call), BASIN_OK)

enum { VERTICES = 4000, ELEMENTS = 6000, FEW = 300, BODIES = 2 };

typedef enum topology { CHAIN, SHUFFLED, NEIGHBOURS, RANDOM, SHARED, MAPPED } topology;

/* One large term over 3-number nodes. */
typedef struct large {
  basin_context *context;
  basin_system *system;
  basin_minimizer *minimizer;
  polynomial *energy, *map;
} large;

static basin_array_id
stored(basin_system *system, basin_space_id space, unsigned rows, unsigned cols, uint64_t seed)
{
  basin_array_id id = BASIN_NONE;
  ok(basin_system_add_array(system, "array", space, rows, cols, &id));
  double *data = basin_system_array_data(system, id);
  for (size_t k = 0; k < basin_system_space_count(system, space) * rows * cols; ++k)
    data[k] = random_number(&seed);
  basin_system_touch(system, id);
  return id;
}

static void shuffle(uint32_t *rows, size_t count, unsigned arity)
{
  uint64_t seed = 9;
  for (size_t k = count - 1; k > 0; --k) {
    size_t other = random_below(&seed, (uint32_t)k);
    for (unsigned i = 0; i < arity; ++i) {
      uint32_t index = rows[k * arity + i];
      rows[k * arity + i] = rows[other * arity + i];
      rows[other * arity + i] = index;
    }
  }
}

static basin_connectivity_id
connect(basin_system *system, basin_space_id from, basin_space_id to, unsigned arity, topology kind)
{
  basin_connectivity_id id;
  size_t count = basin_system_space_count(system, from),
         limit = basin_system_space_count(system, to);
  uint32_t *indices = malloc(count * arity * sizeof *indices);
  uint64_t seed = 5;
  for (size_t k = 0; k < count * arity; ++k)
    indices[k] = kind <= NEIGHBOURS ? (uint32_t)((k / arity * 2 / 3 + k % arity) % limit)
                                    : random_below(&seed, (uint32_t)limit);
  if (kind == SHUFFLED || kind == NEIGHBOURS) shuffle(indices, count, arity);
  ok(basin_system_add_connectivity(system, "to", from, to, arity, &id));
  ok(basin_system_set_connectivity(system, id, indices, count * arity));
  free(indices);
  return id;
}

/* Vertices that follow bodies, as a computed array with an affine map. */
static basin_array_id follow(large *l, basin_space_id vertices, basin_array_id A, basin_array_id t)
{
  basin_space_id bodies;
  basin_system_array_shape(l->system, A, &bodies, NULL, NULL);
  basin_connectivity_id body = connect(l->system, vertices, bodies, 1, RANDOM);
  basin_path_step step = {body, 0};
  polynomial *p = l->map = polynomial_new(l->system, 3);
  polynomial_access(p, A, true, &step, 1);
  polynomial_access(p, t, true, &step, 1);
  polynomial_random_map(p, 3, 3, 1, false);
  polynomial_finish(p);
  basin_computed_description computed = {
      "computed", vertices, 3, 1, &p->plans[POLYNOMIAL_COMPUTE], &p->compute};
  basin_array_id id = BASIN_NONE;
  ok(basin_system_add_computed(l->system, &computed, &id));
  basin_map_description map = {.plan = &p->plans[POLYNOMIAL_JACOBIAN],
                               .info = &p->jacobian,
                               .unknown_count = 2,
                               .unknowns = p->accesses,
                               .affine = true};
  ok(basin_system_set_map(l->system, id, &map));
  return id;
}

static void large_init(large *l, topology kind, size_t elements, unsigned threads)
{
  basin_options options = basin_options_defaults();
  options.log_level = BASIN_LOG_ERROR;
  options.threads = threads;
  *l = (large){.context = basin_context_create(&options)};
  ok(basin_system_create(l->context, polynomial_provider, NULL, &l->system));
  basin_space_description spaces[] = {{"scene", BASIN_NONE, true, false, 1},
                                      {"vertices", BASIN_NONE, false, false, VERTICES},
                                      {"elements", BASIN_NONE, false, false, elements},
                                      {"bodies", BASIN_NONE, false, false, BODIES}};
  basin_space_id ids[4];
  for (int k = 0; k < 4; ++k) ok(basin_system_add_space(l->system, &spaces[k], &ids[k]));
  basin_array_id s = stored(l->system, ids[0], 3, 1, 1), x = stored(l->system, ids[1], 3, 1, 2);
  basin_array_id A = stored(l->system, ids[3], 3, 3, 3), t = stored(l->system, ids[3], 3, 1, 4);
  basin_array_id targets[] = {s, x, A, t}, read = kind == MAPPED ? follow(l, ids[1], A, t) : x;
  basin_connectivity_id to = connect(l->system, ids[2], ids[1], 3, kind);
  polynomial *p = l->energy = polynomial_new(l->system, 3);
  for (uint32_t k = 0; k < 3; ++k) {
    basin_path_step step = {to, k};
    polynomial_access(p, read, true, &step, 1);
  }
  if (kind == SHARED) polynomial_access(p, s, true, NULL, 0);
  p->scale = stored(l->system, ids[2], 1, 1, 6); /* data of the elements themselves */
  if (kind == NEIGHBOURS) { /* what another element has: elements must stay where they are */
    basin_path_step step = {connect(l->system, ids[2], ids[2], 1, RANDOM), 0};
    polynomial_access(p, p->scale, false, &step, 1);
  }
  polynomial_random_energy(p, 17, true);
  polynomial_finish(p);
  ok(basin_minimizer_create(l->system, targets, 4, 3, &l->minimizer));
  basin_term_description description = {.name = "term",
                                        .space = ids[2],
                                        .plan = &p->plans[POLYNOMIAL_ENERGY],
                                        .value = &p->value,
                                        .gradient = &p->gradient,
                                        .hessian = &p->hessian,
                                        .unknown_count = p->access_count,
                                        .unknowns = p->accesses};
  basin_term_id id;
  ok(basin_minimizer_add_term(l->minimizer, &description, &id));
  ok(basin_minimizer_assemble(l->minimizer, true, BASIN_PROJECTION_ADAPTIVE));
}

static void large_fini(large *l)
{
  basin_minimizer_destroy(l->minimizer);
  basin_system_destroy(l->system);
  basin_context_destroy(l->context);
  free(l->energy);
  free(l->map);
}

/* All results in one block of memory. */
static double *results(large *l, size_t *count)
{
  size_t n, values = basin_bsr_block_count(basin_minimizer_matrix(l->minimizer)) * 9;
  const double *gradient = basin_minimizer_gradient(l->minimizer, &n);
  double *all = malloc((n + values + 1) * sizeof *all);
  memcpy(all, gradient, n * sizeof *all);
  memcpy(
      all + n, basin_bsr_values_const(basin_minimizer_matrix(l->minimizer)), values * sizeof *all);
  ok(basin_minimizer_energy(l->minimizer, &all[n + values], NULL));
  *count = n + values + 1;
  return all;
}

static void same_bits(topology kind, size_t elements, bool partitioned)
{
  double *first = NULL;
  size_t first_count = 0;
  for (unsigned threads = 1; threads <= 8; ++threads) {
    large l;
    large_init(&l, kind, elements, threads);
    assert_int_equal(l.minimizer->terms[0]->schedule.partitioned, partitioned);
    size_t count;
    double *all = results(&l, &count);
    if (!first) {
      first = all;
      first_count = count;
    } else {
      assert_int_equal(count, first_count);
      assert_memory_equal(all, first, count * sizeof *all);
      free(all);
    }
    large_fini(&l);
  }
  free(first);
}

static void test_colours(void **state)
{
  (void)state;
  same_bits(CHAIN, ELEMENTS, false);
}
static void test_permuted(void **state)
{
  (void)state;
  same_bits(SHUFFLED, ELEMENTS, false);
}
static void test_partitions(void **state)
{
  (void)state;
  same_bits(RANDOM, ELEMENTS, true);
}
static void test_shared_unknown(void **state)
{
  (void)state;
  same_bits(SHARED, ELEMENTS, true);
}
static void test_few_bodies(void **state)
{
  (void)state;
  same_bits(MAPPED, ELEMENTS, true);
}

/* Few elements, shared among workers, have the sums of one chunk. */
static void as_one_chunk(topology kind)
{
  same_bits(kind, FEW, true);
  large l;
  size_t count;
  large_init(&l, kind, FEW, 2);
  double *shared = results(&l, &count), *whole;
  basin_schedule *schedule = &l.minimizer->terms[0]->schedule;
  assert_true(schedule->chunk_count > 1);
  ok(basin__grow(l.context, &schedule->order, &schedule->order_capacity, 1, sizeof(uint32_t)));
  schedule->partitioned = false;
  schedule->chunk = FEW;
  schedule->chunk_count = schedule->colour_count = schedule->colour_starts[1] = 1;
  schedule->order[0] = 0;
  schedule->colour_starts[0] = 0;
  ok(basin_minimizer_assemble(l.minimizer, true, BASIN_PROJECTION_ADAPTIVE));
  whole = results(&l, &count);
  assert_memory_equal(shared, whole, count * sizeof *whole);
  free(shared), free(whole);
  large_fini(&l);
}
static void test_few_elements(void **state)
{
  (void)state;
  as_one_chunk(RANDOM);
  as_one_chunk(MAPPED);
}

/* Chunks of one colour share no node. */
static void test_colours_are_proper(void **state)
{
  large l;
  (void)state;
  large_init(&l, CHAIN, ELEMENTS, 2);
  const basin_term *term = l.minimizer->terms[0];
  const basin_schedule *schedule = &term->schedule;
  size_t nodes = l.minimizer->layout.node_count, seen = 0;
  struct {
    size_t colour, chunk;
  } *last = calloc(nodes, sizeof *last); /* of the last visit, from 1 */
  for (size_t k = 0; k < schedule->colour_count; ++k)
    for (size_t c = schedule->colour_starts[k]; c < schedule->colour_starts[k + 1]; ++c, ++seen) {
      size_t chunk = schedule->order[c], begin = chunk * schedule->chunk;
      for (size_t i = 0; i < schedule->chunk * term->local_nodes &&
                         begin * term->local_nodes + i < term->elements * term->local_nodes;
           ++i) {
        uint32_t node = term->rows[begin * term->local_nodes + i];
        assert_true(last[node].colour != k + 1 || last[node].chunk == chunk + 1);
        last[node].colour = k + 1;
        last[node].chunk = chunk + 1;
      }
    }
  assert_int_equal(seen, schedule->chunk_count);
  free(last);
  large_fini(&l);
}

/* Against a sum over elements in order: another order of the same sum, so equal to rounding. */
static void compare_serial(large *l)
{
  const polynomial *p = l->energy;
  const basin_term *term = l->minimizer->terms[0];
  size_t n, local = p->hessian.local_size;
  const double *gradient = basin_minimizer_gradient(l->minimizer, &n);
  double *sum = calloc(n, sizeof *sum), u[POLYNOMIAL_LOCAL], g[POLYNOMIAL_LOCAL], scale = 0;
  basin_binding binding = {0};
  ok(basin__binding_fill(l->system, &p->value, &binding));
  for (size_t place = 0; place < ELEMENTS; ++place) {
    size_t e = term->permutation.active ? term->permutation.order[place] : place;
    polynomial_gather(p, binding.arrays, binding.indices, e, u);
    (void)polynomial_energy(p, binding.arrays[p->scale_place][e], u, g, NULL);
    for (size_t i = 0; i < local; ++i)
      sum[term->rows[place * (local / 3) + i / 3] * 3 + i % 3] += g[i];
  }
  for (size_t k = 0; k < n; ++k) scale = fmax(scale, fabs(sum[k]));
  for (size_t k = 0; k < n; ++k) assert_true(fabs(sum[k] - gradient[k]) <= 1e-12 * scale);
  basin__binding_release(l->system, &binding);
  free(sum);
}

/* Also after the elements' own data have changed, of which permuted terms keep copies. */
static void against_serial(topology kind)
{
  large l;
  large_init(&l, kind, ELEMENTS, 3);
  assert_int_equal(l.minimizer->terms[0]->permutation.active, kind == SHUFFLED);
  compare_serial(&l);
  double *scale = basin_system_array_data(l.system, l.energy->scale);
  for (size_t k = 0; k < ELEMENTS; ++k) scale[k] += 0.1 * (double)(k % 7);
  basin_system_touch(l.system, l.energy->scale);
  ok(basin_minimizer_assemble(l.minimizer, true, BASIN_PROJECTION_ADAPTIVE));
  compare_serial(&l);
  large_fini(&l);
}

static void test_serial(void **state)
{
  (void)state;
  against_serial(CHAIN);
  against_serial(SHUFFLED);
  against_serial(NEIGHBOURS);
  against_serial(RANDOM);
  against_serial(SHARED);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_colours),
      cmocka_unit_test(test_permuted),
      cmocka_unit_test(test_partitions),
      cmocka_unit_test(test_shared_unknown),
      cmocka_unit_test(test_few_bodies),
      cmocka_unit_test(test_few_elements),
      cmocka_unit_test(test_colours_are_proper),
      cmocka_unit_test(test_serial),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
