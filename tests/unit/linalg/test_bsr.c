/* Tests of symmetric block matrices: patterns, slots, values.
 * SPDX-License-Identifier: Apache-2.0 */
#include "linalg/bsr.h"
#include "linalg_support.h"

static void pattern_from_pairs(void **state)
{
  (void)state;
  basin_context *context = test_context(NULL);
  const basin_node_pair pairs[] = {{3, 1}, {1, 3}, {0, 2}, {2, 2}, {2, 0}, {1, 0}, {3, 1}};
  uint32_t slots[7];
  basin_bsr *m;
  check_status(context, basin_bsr_create(context, 5, 2, 7, pairs, slots, &m));
  const size_t starts[] = {0, 3, 5, 6, 7, 8};
  const uint32_t columns[] = {0, 1, 2, 1, 3, 2, 3, 4};
  assert_int_equal(basin_bsr_block_count(m), 8);
  assert_int_equal(basin_bsr_size(m), 10);
  assert_memory_equal(basin_bsr_row_starts(m), starts, sizeof starts);
  assert_memory_equal(basin_bsr_columns(m), columns, sizeof columns);
  const uint32_t t = BASIN_SLOT_TRANSPOSED;
  const uint32_t expected[] = {4 | t, 4, 2, 5, 2 | t, 1 | t, 4 | t};
  assert_memory_equal(slots, expected, sizeof expected);
  for (size_t i = 0; i < 7; i++)
    assert_int_equal(basin_bsr_slot(m, pairs[i].row, pairs[i].column), slots[i]);
  assert_int_equal(basin_bsr_slot(m, 0, 3), BASIN_SLOT_NONE);
  assert_int_equal(basin_bsr_slot(m, 0, 5), BASIN_SLOT_NONE);
  assert_int_equal(basin_bsr_slot(m, 4, 4), 7);
  assert_int_equal((uintptr_t)basin_bsr_values(m) % 64, 0);
  for (size_t i = 0; i < 8 * 4; i++) assert_true(basin_bsr_values(m)[i] == 0);
  basin_bsr_destroy(m);
  basin_context_destroy(context);
}

static void bad_patterns_are_errors(void **state)
{
  (void)state;
  basin_context *context = test_context(NULL);
  const basin_node_pair pairs[] = {{0, 1}, {2, 3}};
  basin_bsr *m;
  assert_int_equal(basin_bsr_create(context, 3, 3, 2, pairs, NULL, &m), BASIN_ERROR_RANGE);
  assert_null(m);
  assert_non_null(strstr(basin_error_last(context)->message, "pair 1 is (2, 3)"));
  assert_int_equal(basin_bsr_create(context, 4, 0, 2, pairs, NULL, &m), BASIN_ERROR_UNSUPPORTED);
  assert_int_equal(basin_bsr_create(context, 4, 13, 2, pairs, NULL, &m), BASIN_ERROR_UNSUPPORTED);
  assert_int_equal(basin_bsr_create(context, 4, 3, 1, NULL, NULL, &m), BASIN_ERROR_ARGUMENT);
  check_status(context, basin_bsr_create(context, 4, 3, 2, pairs, NULL, &m));
  basin_bsr_destroy(m);
  basin_bsr_destroy(NULL);
  basin_context_destroy(context);
}

static void empty_matrices(void **state)
{
  (void)state;
  basin_context *context = test_context(NULL);
  basin_bsr *m;
  double nothing = 1;
  check_status(context, basin_bsr_create(context, 0, 3, 0, NULL, NULL, &m));
  basin_bsr_multiply(m, &nothing, &nothing);
  basin_bsr_zero(m);
  assert_true(basin_bsr_norm(m) == 0 && nothing == 1);
  assert_true(basin_bsr_finite(m, NULL, NULL));
  assert_int_equal(basin_bsr_slot(m, 0, 0), BASIN_SLOT_NONE);
  basin_bsr_destroy(m);
  check_status(context, basin_bsr_create(context, 3, 1, 0, NULL, NULL, &m)); /* diagonal only */
  double x[3] = {1, 2, 3}, y[3] = {7, 7, 7}, zero[3] = {0, 0, 0};
  basin_bsr_multiply(m, x, y);
  assert_memory_equal(y, zero, sizeof y);
  basin_bsr_destroy(m);
  basin_context_destroy(context);
}

static void merging(void **state)
{
  (void)state;
  basin_context *context = test_context(NULL);
  basin_bsr *a = random_bsr(context, 30, 3, 60, 0, 1), *b = random_bsr(context, 30, 3, 25, 0, 2),
            *c;
  uint32_t *map_a = calloc(basin_bsr_block_count(a), sizeof *map_a);
  uint32_t *map_b = calloc(basin_bsr_block_count(b), sizeof *map_b);
  check_status(context, basin_bsr_create_merged(a, b, map_a, map_b, &c));
  check_status(context, basin_bsr_add(c, 2, a, map_a));
  check_status(context, basin_bsr_add(c, -1, b, map_b));
  double *da = dense_of_bsr(a), *db = dense_of_bsr(b), *dc = dense_of_bsr(c);
  for (size_t i = 0; i < 90 * 90; i++) da[i] = 2 * da[i] - db[i];
  assert_close(90 * 90, da, dc, 0);
  /* The plain sum, whatever was there before. */
  double *dd = dense_of_bsr(a), *sum;
  check_status(context, basin__bsr_remerge(a, b, map_a, map_b, &c));
  basin__bsr_merge(c, a, map_a, b, map_b);
  sum = dense_of_bsr(c);
  for (size_t i = 0; i < 90 * 90; i++) dd[i] += db[i];
  assert_close(90 * 90, dd, sum, 0);
  free(dd), free(sum);
  /* No block beyond the union. */
  size_t both = 0;
  for (uint32_t i = 0; i < 30; i++) {
    for (uint32_t j = i; j < 30; j++) {
      bool in_a = basin_bsr_slot(a, i, j) != BASIN_SLOT_NONE;
      bool in_b = basin_bsr_slot(b, i, j) != BASIN_SLOT_NONE;
      both += in_a || in_b;
      assert_int_equal(basin_bsr_slot(c, i, j) != BASIN_SLOT_NONE, in_a || in_b);
    }
  }
  assert_int_equal(basin_bsr_block_count(c), both);
  basin_bsr *other = random_bsr(context, 31, 3, 5, 0, 3), *none;
  assert_int_equal(basin_bsr_create_merged(a, other, NULL, NULL, &none), BASIN_ERROR_SHAPE);
  assert_int_equal(basin_bsr_add(a, 1, b, NULL), BASIN_ERROR_SHAPE);
  free(da), free(db), free(dc), free(map_a), free(map_b);
  basin_bsr_destroy(a);
  basin_bsr_destroy(b);
  basin_bsr_destroy(c);
  basin_bsr_destroy(other);
  basin_context_destroy(context);
}

/* The sparse summand of a union: the named blocks alone, in the order and with the slots of
 * basin_bsr_create. */
static void summands(void **state)
{
  (void)state;
  basin_context *context = test_context(NULL);
  const basin_node_pair pairs[] = {{3, 1}, {1, 3}, {0, 2}, {2, 2}, {2, 0}};
  uint32_t slots[5];
  basin_bsr *m;
  check_status(context, basin__bsr_create_summand(context, 5, 2, 5, pairs, slots, &m));
  const size_t starts[] = {0, 1, 2, 3, 3, 3};
  const uint32_t columns[] = {2, 3, 2}, t = BASIN_SLOT_TRANSPOSED;
  const uint32_t expected[] = {1 | t, 1, 0, 2, 0 | t};
  assert_int_equal(basin_bsr_block_count(m), 3);
  assert_memory_equal(basin_bsr_row_starts(m), starts, sizeof starts);
  assert_memory_equal(basin_bsr_columns(m), columns, sizeof columns);
  assert_memory_equal(slots, expected, sizeof expected);
  basin_bsr_destroy(m);
  check_status(context, basin__bsr_create_summand(context, 5, 2, 0, NULL, NULL, &m));
  assert_int_equal(basin_bsr_block_count(m), 0);
  basin_bsr_destroy(m);
  basin_context_destroy(context);
}

enum { UNION_NODES = 400, UNION_PAIRS = 900 };

static basin_bsr *random_summand(basin_context *context, uint32_t pairs, uint64_t seed)
{
  basin_node_pair list[UNION_PAIRS];
  basin_bsr *m;
  for (uint32_t i = 0; i < pairs; i++)
    list[i] = (basin_node_pair){random_below(&seed, UNION_NODES), random_below(&seed, UNION_NODES)};
  check_status(context, basin__bsr_create_summand(context, UNION_NODES, 3, pairs, list, NULL, &m));
  for (size_t i = 0; i < basin_bsr_block_count(m) * 9; i++)
    basin_bsr_values(m)[i] = random_number(&seed);
  return m;
}

/* A union in the memory of earlier ones is what basin_bsr_create_merged makes anew, to the last
 * bit of its products. */
static void remerging(void **state)
{
  (void)state;
  static const uint32_t sizes[] = {10, 300, 0, 310, UNION_PAIRS, 20, 880};
  basin_context *context = test_context(NULL);
  basin_bsr *a = random_bsr(context, UNION_NODES, 3, 8000, 0, 1), *again = NULL, *fresh;
  uint32_t maps[2][10000], fresh_maps[2][10000];
  for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
    basin_bsr *b = random_summand(context, sizes[k], k + 5);
    double x[3 * UNION_NODES], y[2][3 * UNION_NODES];
    uint64_t seed = k;
    for (size_t i = 0; i < 3 * UNION_NODES; i++) x[i] = random_number(&seed);
    check_status(context, basin_bsr_create_merged(a, b, fresh_maps[0], fresh_maps[1], &fresh));
    check_status(context, basin__bsr_remerge(a, b, maps[0], maps[1], &again));
    assert_true(basin_bsr_pattern(again) == basin_bsr_pattern(fresh));
    assert_int_equal(basin_bsr_block_count(again), basin_bsr_block_count(fresh));
    assert_memory_equal(basin_bsr_row_starts(again),
                        basin_bsr_row_starts(fresh),
                        (UNION_NODES + 1) * sizeof(size_t));
    assert_memory_equal(basin_bsr_columns(again),
                        basin_bsr_columns(fresh),
                        basin_bsr_block_count(fresh) * sizeof(uint32_t));
    assert_memory_equal(maps[0], fresh_maps[0], basin_bsr_block_count(a) * sizeof(uint32_t));
    for (size_t i = 0; i < basin_bsr_block_count(b); i++)
      assert_int_equal(maps[1][i] & BASIN_SLOT_INDEX, fresh_maps[1][i]);
    basin__bsr_merge(again, a, maps[0], b, maps[1]);
    check_status(context, basin_bsr_add(fresh, 1, a, fresh_maps[0]));
    check_status(context, basin_bsr_add(fresh, 1, b, fresh_maps[1]));
    basin_bsr_multiply(again, x, y[0]);
    basin_bsr_multiply(fresh, x, y[1]);
    assert_memory_equal(y[0], y[1], sizeof y[0]);
    basin_bsr_destroy(b);
    basin_bsr_destroy(fresh);
  }
  basin_bsr *other = random_bsr(context, 31, 3, 5, 0, 3);
  assert_int_equal(basin__bsr_remerge(a, other, maps[0], maps[1], &again), BASIN_ERROR_SHAPE);
  assert_null(again);
  basin_bsr_destroy(a);
  basin_bsr_destroy(other);
  basin_context_destroy(context);
}

static void values_and_norms(void **state)
{
  (void)state;
  basin_context *context = test_context(NULL);
  basin_bsr *m = random_bsr(context, 12, 2, 30, 3, 5), *copy;
  double *before = dense_of_bsr(m), blocks[48], diagonal[24], sum = 0;
  for (size_t i = 0; i < 24; i++) diagonal[i] = (double)i;
  check_status(context, basin_bsr_copy(m, &copy));
  assert_true(basin_bsr_pattern(copy) == basin_bsr_pattern(m));
  basin_bsr_scale(copy, 0.5);
  basin_bsr_add_diagonal(copy, 2, diagonal);
  double *after = dense_of_bsr(copy);
  for (size_t i = 0; i < 24; i++) {
    for (size_t j = 0; j < 24; j++) {
      double expected = 0.5 * before[i * 24 + j] + (i == j ? 2 * diagonal[i] : 0);
      assert_true(after[i * 24 + j] == expected);
      sum += before[i * 24 + j] * before[i * 24 + j];
    }
  }
  assert_true(fabs(basin_bsr_norm(m) - sqrt(sum)) < 1e-13 * sqrt(sum));
  basin_bsr_scale(m, 1e200); /* squares would overflow */
  assert_true(fabs(basin_bsr_norm(m) / (1e200 * sqrt(sum)) - 1) < 1e-13);
  basin_bsr_diagonal_blocks(copy, blocks);
  for (size_t node = 0; node < 12; node++)
    assert_true(blocks[node * 4 + 1] == after[node * 2 * 24 + node * 2 + 1]);
  uint8_t fixed[12] = {0};
  fixed[3] = fixed[7] = 1;
  basin_bsr_fix_nodes(copy, fixed, 4);
  double *masked = dense_of_bsr(copy);
  for (size_t i = 0; i < 24; i++) {
    for (size_t j = 0; j < 24; j++) {
      bool touched = fixed[i / 2] || fixed[j / 2];
      assert_true(masked[i * 24 + j] == (touched ? (i == j ? 4 : 0) : after[i * 24 + j]));
    }
  }
  free(before), free(after), free(masked);
  basin_bsr_destroy(m);
  basin_bsr_destroy(copy);
  basin_context_destroy(context);
}

static void bad_values_are_found(void **state)
{
  (void)state;
  basin_context *context = test_context(NULL);
  basin_bsr *m = random_bsr(context, 9, 3, 20, 3, 6);
  uint32_t row = 0, column = 0;
  assert_true(basin_bsr_finite(m, &row, &column));
  uint32_t slot = (uint32_t)basin_bsr_row_starts(m)[4];
  basin_bsr_values(m)[slot * 9 + 5] = (double)INFINITY;
  assert_false(basin_bsr_finite(m, &row, &column));
  assert_true(row == 4 && column == 4);
  basin_bsr_values(m)[slot * 9 + 5] = (double)NAN;
  assert_false(basin_bsr_finite(m, NULL, NULL));
  assert_true(isnan(basin_bsr_norm(m)));
  basin_bsr_destroy(m);
  basin_context_destroy(context);
}

static void allocation_failures(void **state)
{
  (void)state;
  for (size_t fail_at = 1;; fail_at++) {
    failing_allocator allocator = {0};
    basin_context *context = test_context(&allocator);
    const basin_node_pair pairs[] = {{0, 1}, {2, 1}, {3, 0}};
    basin_bsr *a = NULL, *b = NULL, *c = NULL, *d = NULL, *e = NULL;
    uint32_t maps[2][8];
    allocator.fail_at = allocator.calls + fail_at;
    basin_status status = basin_bsr_create(context, 4, 3, 3, pairs, NULL, &a);
    if (status == BASIN_OK) status = basin_bsr_copy(a, &b);
    if (status == BASIN_OK) status = basin_bsr_create_merged(a, b, NULL, NULL, &c);
    if (status == BASIN_OK) status = basin__bsr_create_summand(context, 4, 3, 1, pairs, NULL, &d);
    if (status == BASIN_OK) status = basin__bsr_remerge(a, d, maps[0], maps[1], &e);
    if (status == BASIN_OK) status = basin__bsr_remerge(c, d, maps[0], maps[1], &e);
    if (status == BASIN_OK) status = basin__bsr_remerge(c, b, maps[0], maps[1], &e);
    basin_bsr_destroy(d);
    basin_bsr_destroy(e);
    basin_bsr_destroy(a);
    basin_bsr_destroy(b);
    basin_bsr_destroy(c);
    basin_context_destroy(context);
    assert_int_equal(allocator.blocks, 0);
    if (status == BASIN_OK) break;
    assert_int_equal(status, BASIN_ERROR_MEMORY);
    assert_true(fail_at < 200);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pattern_from_pairs),
      cmocka_unit_test(bad_patterns_are_errors),
      cmocka_unit_test(empty_matrices),
      cmocka_unit_test(merging),
      cmocka_unit_test(summands),
      cmocka_unit_test(remerging),
      cmocka_unit_test(values_and_norms),
      cmocka_unit_test(bad_values_are_found),
      cmocka_unit_test(allocation_failures),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
