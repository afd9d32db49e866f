/* Clusters of graphs and the multilevel Schwarz preconditioner.
 * SPDX-License-Identifier: Apache-2.0 */
#include "linalg_support.h"

#include "linalg/clusters.h"
#include "linalg/schwarz.h"

/* ---- clusters ---- */

/* A grid of side x side nodes and as many single nodes. */
static basin__graph grid(uint32_t side, uint32_t single)
{
  uint32_t nodes = side * side, count = 0;
  uint32_t *starts = calloc(nodes + single + 1, sizeof *starts),
           *neighbours = calloc(4 * (size_t)nodes + 1, sizeof *neighbours);
  for (uint32_t i = 0; i < nodes; i++) {
    starts[i] = count;
    if (i >= side) neighbours[count++] = i - side;
    if (i % side > 0) neighbours[count++] = i - 1;
    if (i % side + 1 < side) neighbours[count++] = i + 1;
    if (i + side < nodes) neighbours[count++] = i + side;
  }
  for (uint32_t i = nodes; i <= nodes + single; i++) starts[i] = count;
  return (basin__graph){nodes + single, starts, neighbours};
}

static void free_graph(basin__graph *graph)
{
  union {
    const uint32_t *given;
    uint32_t *mine;
  } starts = {graph->starts}, neighbours = {graph->neighbours};
  free(starts.mine);
  free(neighbours.mine);
}

/* Every node once, in one cluster and one piece; clusters within the limit. */
static void check_level(const basin__cluster_level *level, uint32_t limit)
{
  uint32_t largest = 0;
  uint8_t *seen = calloc(level->node_count + 1, 1);
  assert_int_equal(level->starts[level->cluster_count], level->node_count);
  assert_int_equal(level->piece_starts[level->piece_count], level->node_count);
  for (uint32_t c = 0; c < level->cluster_count; c++) {
    uint32_t size = level->starts[c + 1] - level->starts[c];
    if (size > largest) largest = size;
    for (uint32_t p = level->starts[c]; p < level->starts[c + 1]; p++) {
      uint32_t node = level->nodes[p];
      assert_false(seen[node]);
      seen[node] = 1;
      assert_int_equal(level->clusters[node], c);
      assert_int_equal(level->places[node], p);
      uint32_t piece = level->pieces[node];
      assert_in_range(p, level->piece_starts[piece], level->piece_starts[piece + 1] - 1);
    }
  }
  assert_in_range(largest, level->node_count > 0, limit);
  free(seen);
}

/* The nodes of a piece are connected: a flood from its first node reaches all. */
static void check_pieces(const basin__graph *graph, const basin__cluster_level *level)
{
  uint32_t stack[64], count;
  for (uint32_t piece = 0; piece < level->piece_count; piece++) {
    uint32_t first = level->piece_starts[piece], size = level->piece_starts[piece + 1] - first,
             reached = 0;
    uint8_t seen[64] = {1};
    stack[0] = level->nodes[first];
    for (count = 1; count > 0; reached++) {
      uint32_t node = stack[--count];
      for (uint32_t k = graph->starts[node]; k < graph->starts[node + 1]; k++) {
        uint32_t other = graph->neighbours[k], place = level->places[other] - first;
        if (level->pieces[other] != piece || seen[place]) continue;
        seen[place] = 1;
        stack[count++] = other;
      }
    }
    assert_int_equal(reached, size);
  }
}

static void clusters_cover_the_graph(void **state)
{
  (void)state;
  basin_context *context = context_with_threads(1);
  static const uint32_t sides[] = {0, 1, 2, 5, 20, 40}, limits[] = {1, 4, 8, 24};
  for (size_t s = 0; s < 6; s++) {
    for (size_t l = 0; l < 4; l++) {
      basin__graph graph = grid(sides[s], s % 2 ? 3 : 0);
      basin__clusters clusters;
      check_status(context, basin__clusters_make(context, &graph, limits[l], &clusters));
      assert_in_range(clusters.level_count, 1, BASIN__CLUSTER_LEVELS);
      for (unsigned k = 0; k < clusters.level_count; k++) {
        check_level(&clusters.levels[k], limits[l]);
        if (k > 0)
          assert_int_equal(clusters.levels[k].node_count, clusters.levels[k - 1].piece_count);
      }
      check_pieces(&graph, &clusters.levels[0]);
      if (limits[l] == 8 && sides[s] == 40) {
        /* Compact clusters: few are left with less than half the nodes. */
        assert_in_range(clusters.levels[0].cluster_count, 200, 300);
        assert_int_equal(clusters.levels[clusters.level_count - 1].cluster_count, 1);
      }
      basin__clusters_release(&clusters);
      free_graph(&graph);
    }
  }
  basin_context_destroy(context);
}

/* ---- the preconditioner ---- */

static basin_preconditioner *make(basin_context *context, const basin_bsr *matrix)
{
  basin_preconditioner *m;
  check_status(context,
               basin_preconditioner_create_schwarz(
                   context, basin_bsr_node_count(matrix), basin_bsr_block_size(matrix), &m));
  check_status(context, basin_preconditioner_update(m, matrix, NULL));
  return m;
}

/* Where one cluster holds all, M^-1 is A^-1. */
static void inverts_small_matrices(void **state)
{
  (void)state;
  basin_context *context = context_with_threads(1);
  for (unsigned b = 1; b <= 12; b++) {
    basin_bsr *matrix = random_bsr(context, 4, b, 8, 20, b);
    basin_preconditioner *m = make(context, matrix);
    size_t size = basin_bsr_size(matrix);
    double x[48], y[48], z[48];
    uint64_t seed = b;
    for (size_t i = 0; i < size; i++) x[i] = random_number(&seed);
    basin_bsr_multiply(matrix, x, y);
    basin_preconditioner_apply(m, y, z);
    assert_close(size, z, x, 1e-10);
    basin_preconditioner_destroy(m);
    basin_bsr_destroy(matrix);
  }
  basin_context_destroy(context);
}

/* Columns of M^-1 by units; symmetric, and definite by Cholesky's success through x . M^-1 x > 0
 * on random vectors. */
static void is_symmetric_and_definite(void **state)
{
  (void)state;
  basin_context *context = context_with_threads(2);
  basin_bsr *matrix = laplacian(context, 5, 2, 0.01);
  basin_preconditioner *m = make(context, matrix);
  size_t n = basin_bsr_size(matrix);
  double *columns = calloc(n * n, sizeof *columns), *unit = calloc(n, sizeof *unit);
  for (size_t j = 0; j < n; j++) {
    unit[j] = 1;
    basin_preconditioner_apply(m, unit, columns + j * n);
    unit[j] = 0;
  }
  double largest = 0;
  for (size_t i = 0; i < n * n; i++) largest = fmax(largest, fabs(columns[i]));
  for (size_t i = 0; i < n; i++) {
    assert_true(columns[i * n + i] > 0);
    for (size_t j = 0; j < i; j++)
      assert_true(fabs(columns[i * n + j] - columns[j * n + i]) <= 1e-14 * largest);
  }
  uint64_t seed = 4;
  for (int trial = 0; trial < 20; trial++) {
    for (size_t i = 0; i < n; i++) unit[i] = random_number(&seed);
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
      for (size_t j = 0; j < n; j++) sum += unit[i] * columns[i * n + j] * unit[j];
    }
    assert_true(sum > 0);
  }
  free(columns), free(unit);
  basin_preconditioner_destroy(m);
  basin_bsr_destroy(matrix);
  basin_context_destroy(context);
}

/* A chain: the second difference, whose solution by PCG needs as many iterations as nodes with a
 * diagonal preconditioner. */
static basin_bsr *chain(basin_context *context, uint32_t nodes)
{
  basin_node_pair *pairs = calloc(nodes, sizeof *pairs);
  for (uint32_t i = 0; i + 1 < nodes; i++) pairs[i] = (basin_node_pair){i, i + 1};
  basin_bsr *matrix;
  check_status(context, basin_bsr_create(context, nodes, 1, nodes - 1, pairs, NULL, &matrix));
  free(pairs);
  for (size_t s = 0; s < basin_bsr_block_count(matrix); s++) basin_bsr_values(matrix)[s] = -1;
  for (uint32_t i = 0; i < nodes; i++)
    basin_bsr_values(matrix)[basin_bsr_row_starts(matrix)[i]] = 2;
  return matrix;
}

static size_t
iterations(basin_context *context, const basin_bsr *matrix, basin_preconditioner *m, double *x)
{
  size_t size = basin_bsr_size(matrix);
  double *b = calloc(size, sizeof *b);
  uint64_t seed = 1;
  for (size_t i = 0; i < size; i++) b[i] = random_number(&seed);
  basin_pcg *pcg;
  basin_linear_result result;
  basin_linear_options options = basin_linear_options_defaults();
  options.tolerance = 1e-16;
  check_status(context, basin_pcg_create(context, &pcg));
  check_status(context, basin_pcg_solve(pcg, matrix, m, b, x, &options, &result));
  assert_int_equal(result.status, BASIN_LINEAR_CONVERGED);
  double *product = calloc(size, sizeof *b);
  basin_bsr_multiply(matrix, x, product);
  assert_close(size, product, b, 1e-5);
  free(product);
  free(b);
  basin_pcg_destroy(pcg);
  return result.iterations;
}

static void needs_few_iterations(void **state)
{
  (void)state;
  basin_context *context = context_with_threads(1);
  basin_bsr *matrix = chain(context, 2000);
  basin_preconditioner *m = make(context, matrix), *jacobi;
  double *x = calloc(2000, sizeof *x), *y = calloc(2000, sizeof *y);
  check_status(context, basin_preconditioner_create(context, 2000, 1, 0, NULL, &jacobi));
  check_status(context, basin_preconditioner_update(jacobi, matrix, NULL));
  size_t with = iterations(context, matrix, m, x), without = iterations(context, matrix, jacobi, y);
  assert_close(2000, x, y, 1e-2);
  assert_true(without >= 2000 && with < 120);
  free(x), free(y);
  basin_preconditioner_destroy(m);
  basin_preconditioner_destroy(jacobi);
  basin_bsr_destroy(matrix);
  basin_context_destroy(context);
}

/* Another pattern of the same nodes: the levels' matrices follow. */
static void follows_the_pattern(void **state)
{
  (void)state;
  basin_context *context = context_with_threads(2);
  basin_bsr *matrix = laplacian(context, 6, 3, 0.1);
  basin_bsr *contacts = random_bsr(context, basin_bsr_node_count(matrix), 3, 100, 30, 6), *both;
  uint32_t *of_matrix = calloc(basin_bsr_block_count(matrix), sizeof *of_matrix),
           *of_contacts = calloc(basin_bsr_block_count(contacts), sizeof *of_contacts);
  check_status(context, basin_bsr_create_merged(matrix, contacts, of_matrix, of_contacts, &both));
  check_status(context, basin_bsr_add(both, 1, matrix, of_matrix));
  check_status(context, basin_bsr_add(both, 1, contacts, of_contacts));
  basin_preconditioner *m = make(context, matrix);
  double *x = calloc(basin_bsr_size(matrix), sizeof *x);
  check_status(context, basin_preconditioner_update(m, both, NULL));
  iterations(context, both, m, x);
  check_status(context, basin_preconditioner_update(m, matrix, NULL));
  iterations(context, matrix, m, x);
  free(of_matrix), free(of_contacts), free(x);
  basin_preconditioner_destroy(m);
  basin_bsr_destroy(matrix);
  basin_bsr_destroy(contacts);
  basin_bsr_destroy(both);
  basin_context_destroy(context);
}

static void is_the_same_for_any_threads(void **state)
{
  (void)state;
  double *first = NULL;
  size_t size = 0;
  for (unsigned threads = 1; threads <= 3; threads++) {
    basin_context *context = context_with_threads(threads);
    basin_bsr *matrix = laplacian(context, 14, 3, 0.05);
    basin_preconditioner *m = make(context, matrix);
    size = basin_bsr_size(matrix);
    double *x = calloc(size, sizeof *x);
    iterations(context, matrix, m, x);
    if (first == NULL) {
      first = x;
    } else {
      assert_memory_equal(first, x, size * sizeof *x);
      free(x);
    }
    basin_preconditioner_destroy(m);
    basin_bsr_destroy(matrix);
    basin_context_destroy(context);
  }
  free(first);
}

static void reports_bad_blocks(void **state)
{
  (void)state;
  basin_context *context = context_with_threads(1);
  basin_bsr *matrix = laplacian(context, 4, 3, 0.1);
  basin_preconditioner *m = make(context, matrix), *none;
  size_t fallbacks = 1;
  check_status(context, basin_preconditioner_update(m, matrix, &fallbacks));
  assert_int_equal(fallbacks, 0);
  basin_bsr_add_diagonal(matrix, -8, NULL);
  check_status(context, basin_preconditioner_update(m, matrix, &fallbacks));
  assert_true(fallbacks > 0);
  basin_bsr_values(matrix)[3] = (double)NAN;
  assert_int_equal(basin_preconditioner_update(m, matrix, NULL), BASIN_ERROR_NOT_FINITE);
  assert_int_equal(basin_preconditioner_create_schwarz(context, 4, 13, &none),
                   BASIN_ERROR_UNSUPPORTED);
  assert_null(none);
  basin_bsr_destroy(matrix);
  matrix = laplacian(context, 3, 3, 0.1);
  assert_int_equal(basin_preconditioner_update(m, matrix, NULL), BASIN_ERROR_SHAPE);
  basin_bsr_destroy(matrix);
  basin_preconditioner_destroy(m);
  basin_context_destroy(context);
}

static void survives_failing_allocations(void **state)
{
  (void)state;
  bool done = false;
  for (size_t fail_at = 1; !done; fail_at++) {
    failing_allocator allocator = {0};
    basin_context *context = test_context(&allocator);
    basin_bsr *matrix = laplacian(context, 4, 2, 0.1);
    basin_preconditioner *m = NULL;
    size_t blocks = allocator.blocks;
    allocator.fail_at = allocator.calls + fail_at;
    basin_status status = basin_preconditioner_create_schwarz(context, 64, 2, &m);
    if (status == BASIN_OK) status = basin_preconditioner_update(m, matrix, NULL);
    assert_true(status == BASIN_OK || status == BASIN_ERROR_MEMORY);
    done = status == BASIN_OK;
    allocator.fail_at = 0;
    if (m != NULL) check_status(context, basin_preconditioner_update(m, matrix, NULL));
    basin_preconditioner_destroy(m);
    assert_int_equal(allocator.blocks, blocks);
    assert_true(fail_at < 300);
    basin_bsr_destroy(matrix);
    basin_context_destroy(context);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(clusters_cover_the_graph),
                                     cmocka_unit_test(inverts_small_matrices),
                                     cmocka_unit_test(is_symmetric_and_definite),
                                     cmocka_unit_test(needs_few_iterations),
                                     cmocka_unit_test(follows_the_pattern),
                                     cmocka_unit_test(is_the_same_for_any_threads),
                                     cmocka_unit_test(reports_bad_blocks),
                                     cmocka_unit_test(survives_failing_allocations)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
