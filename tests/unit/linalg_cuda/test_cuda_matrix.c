/* Block matrices on a CUDA device: products, diagonals and copies against the CPU's.
 * SPDX-License-Identifier: Apache-2.0 */
#include "linear_support.h"

/* y = A x and x . y for a random matrix, against basin_bsr_multiply. */
static void check_product(uint32_t nodes, unsigned b, unsigned parts, size_t pairs)
{
  basin_bsr *matrix = random_bsr(test_context_of, nodes, b, pairs, 3, nodes * 16 + b);
  size_t size = basin_bsr_size(matrix);
  double *x = calloc(size + 1, sizeof *x), *y = calloc(size + 1, sizeof *y),
         *found = calloc(size + 1, sizeof *found), dot = 0, found_dot = 0;
  uint64_t seed = 3;
  for (size_t i = 0; i < size; i++) x[i] = random_number(&seed);
  basin_bsr_multiply(matrix, x, y);
  for (size_t i = 0; i < size; i++) dot += x[i] * y[i];
  device_matrix device = matrix_on_device(matrix, parts);
  basin_buffer dx = numbers_on_device(x, size), dy = numbers_on_device(NULL, size),
               result = numbers_on_device(NULL, 1);
  basin_cuda_scratch scratch = {0};
  OK(basin__cuda_multiply(cuda, &device.matrix, dx.address, dy.address));
  numbers_from_device(&dy, found, size);
  assert_close(size, found, y, 1e-12 * (double)b * 30);
  OK(basin__cuda_zero(cuda, dy.address, size * sizeof(double)));
  OK(basin__cuda_multiply_dot(
      cuda, &scratch, &device.matrix, dx.address, dy.address, result.address));
  numbers_from_device(&dy, y, size);
  assert_memory_equal(y, found, size * sizeof *y); /* bit for bit */
  numbers_from_device(&result, &found_dot, 1);
  assert_close(1, &found_dot, &dot, 1e-11 * ((double)size + 1));
  basin__buffer_release(cuda, &dx);
  basin__buffer_release(cuda, &dy);
  basin__buffer_release(cuda, &result);
  basin__buffer_release(cuda, &scratch.memory);
  release_matrix(&device);
  basin_bsr_destroy(matrix);
  free(x), free(y), free(found);
}

static void test_products(void **state)
{
  (void)state;
  for (unsigned b = 1; b <= 12; b++) {
    check_product(b < 4 ? 333 : 70, b, 1, b < 4 ? 2000 : 300);
    check_product(40, b, 2, 160);
  }
}

static void test_sizes(void **state)
{
  (void)state;
  static const uint32_t nodes[] = {1, 7, 8, 9, 31, 32, 33, 2049};
  for (size_t i = 0; i < BASIN_COUNT(nodes); i++) {
    check_product(nodes[i], 3, 1, nodes[i]);
    check_product(nodes[i], 1, 2, nodes[i]);
  }
  check_product(20000, 3, 1, 40000);
}

static void test_no_nodes(void **state)
{
  (void)state;
  basin_cuda_scratch scratch = {0};
  basin_buffer result = numbers_on_device(NULL, 1);
  double dot = 1;
  basin_cuda_matrix empty = {1, {{0, 3, 0, 0, 0, 0}}};
  OK(basin__cuda_multiply(cuda, &empty, 0, 0));
  OK(basin__cuda_multiply_dot(cuda, &scratch, &empty, 0, 0, result.address));
  numbers_from_device(&result, &dot, 1);
  assert_true(dot == 0);
  basin__buffer_release(cuda, &result);
  basin__buffer_release(cuda, &scratch.memory);
}

/* Rows without any block, and a part whose diagonal is missing. */
static void test_holes(void **state)
{
  (void)state;
  static const uint32_t starts[] = {0, 1, 1, 2, 2}, columns[] = {3, 0};
  static const double values[] = {1, 2, 3, 4, 5, 6, 7, 8}, x[] = {1, 2, 3, 4, 5, 6, 7, 8};
  static const double expected[] = {23, 53, 0, 0, 17, 23, 0, 0};
  double y[8], diagonal[8];
  basin_buffer rows = {0}, places = {0}, numbers = numbers_on_device(values, 8),
               dx = numbers_on_device(x, 8), dy = numbers_on_device(NULL, 8);
  OK(basin__buffer_reserve(cuda, &rows, sizeof starts));
  OK(basin__buffer_reserve(cuda, &places, sizeof columns));
  OK(basin__cuda_upload(cuda, rows.address, starts, sizeof starts));
  OK(basin__cuda_upload(cuda, places.address, columns, sizeof columns));
  basin_cuda_matrix matrix = {1, {{4, 2, 2, rows.address, places.address, numbers.address}}};
  OK(basin__cuda_multiply(cuda, &matrix, dx.address, dy.address));
  numbers_from_device(&dy, y, 8);
  assert_close(8, y, expected, 0);
  OK(basin__cuda_bsr_add_diagonal(cuda, &matrix.parts[0], 9, 0)); /* there is none to add to */
  OK(basin__cuda_matrix_diagonal(cuda, &matrix, dy.address));
  numbers_from_device(&dy, diagonal, 8);
  for (int i = 0; i < 8; i++) assert_true(diagonal[i] == 0);
  basin_buffer *all[] = {&rows, &places, &numbers, &dx, &dy};
  for (size_t i = 0; i < BASIN_COUNT(all); i++) basin__buffer_release(cuda, all[i]);
}

static void test_diagonal_and_copy(void **state)
{
  (void)state;
  for (unsigned b = 1; b <= 12; b += 2) {
    for (unsigned parts = 1; parts <= 2; parts++) {
      basin_bsr *matrix = random_bsr(test_context_of, 50, b, 200, 2, 5 + b), *copy;
      size_t size = basin_bsr_size(matrix), values = basin_bsr_block_count(matrix) * b * b;
      device_matrix device = matrix_on_device(matrix, parts);
      double *found = calloc(size, sizeof *found), *expected = calloc(size, sizeof *found);
      basin_buffer diagonal = numbers_on_device(NULL, size);
      OK(basin__cuda_bsr_add_diagonal(cuda, &device.matrix.parts[0], 0.75, 0));
      basin_bsr_add_diagonal(matrix, 0.75, NULL);
      for (size_t i = 0; i < size; i++) expected[i] = (double)(i % 3);
      basin_buffer factors = numbers_on_device(expected, size);
      OK(basin__cuda_bsr_add_diagonal(cuda, &device.matrix.parts[0], 2, factors.address));
      basin_bsr_add_diagonal(matrix, 2, expected);
      basin__buffer_release(cuda, &factors);
      OK(basin__cuda_matrix_diagonal(cuda, &device.matrix, diagonal.address));
      numbers_from_device(&diagonal, found, size);
      for (size_t i = 0; i < size; i++) {
        size_t slot = basin_bsr_row_starts(matrix)[i / b];
        expected[i] = basin_bsr_values(matrix)[slot * b * b + i % b * (b + 1)];
      }
      assert_close(size, found, expected, 1e-14);
      OK(basin__cuda_matrix_download(cuda, &device.matrix, &copy));
      assert_int_equal(basin_bsr_pattern(copy), basin_bsr_pattern(matrix));
      assert_close(values, basin_bsr_values(copy), basin_bsr_values(matrix), 1e-14);
      basin_bsr_destroy(copy);
      basin_bsr_destroy(matrix);
      basin__buffer_release(cuda, &diagonal);
      release_matrix(&device);
      free(found), free(expected);
    }
  }
}

static void test_bad_matrices(void **state)
{
  (void)state;
  basin_cuda_bsr part = {4, 3, 0, 0, 0, 0}, other = {5, 3, 0, 0, 0, 0}, large = {4, 13, 0, 0, 0, 0};
  basin_cuda_matrix none = {0, {part}}, many = {5, {part}}, uneven = {2, {part, other}},
                    wide = {1, {large}};
  assert_int_equal(basin__cuda_matrix_check(cuda, &none), BASIN_ERROR_ARGUMENT);
  assert_int_equal(basin__cuda_matrix_check(cuda, &many), BASIN_ERROR_ARGUMENT);
  assert_int_equal(basin__cuda_matrix_check(cuda, &uneven), BASIN_ERROR_SHAPE);
  assert_int_equal(basin__cuda_multiply(cuda, &wide, 0, 0), BASIN_ERROR_UNSUPPORTED);
}

/* The same bits for blocks in any order. */
static void test_order(void **state)
{
  (void)state;
  static const char *const orders[] = {"reverse", "random:4"};
  enum { NODES = 300, SIZE = 3 * NODES };
  double x[SIZE], first[SIZE + 1], again[SIZE + 1];
  uint64_t seed = 1;
  for (size_t i = 0; i < SIZE; i++) x[i] = random_number(&seed);
  basin_bsr *matrix = random_bsr(test_context_of, NODES, 3, 2000, 3, 2);
  device_matrix device = matrix_on_device(matrix, 1);
  basin_buffer dx = numbers_on_device(x, SIZE), dy = numbers_on_device(NULL, SIZE + 1);
  basin_cuda_scratch scratch = {0};
  for (size_t i = 0; i <= BASIN_COUNT(orders); i++) {
    if (i > 0) setenv("SOFTCUDA_ORDER", orders[i - 1], 1);
    OK(basin__cuda_multiply_dot(cuda,
                                &scratch,
                                &device.matrix,
                                dx.address,
                                dy.address,
                                dy.address + SIZE * sizeof(double)));
    numbers_from_device(&dy, i == 0 ? first : again, SIZE + 1);
    if (i > 0) assert_memory_equal(first, again, sizeof first);
  }
  unsetenv("SOFTCUDA_ORDER");
  basin__buffer_release(cuda, &dx);
  basin__buffer_release(cuda, &dy);
  basin__buffer_release(cuda, &scratch.memory);
  release_matrix(&device);
  basin_bsr_destroy(matrix);
}

int main(int count, char **words)
{
  skip_without_device();
  if (count > 1) cmocka_set_test_filter(words[1]);
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_products),
                                     cmocka_unit_test(test_sizes),
                                     cmocka_unit_test(test_no_nodes),
                                     cmocka_unit_test(test_holes),
                                     cmocka_unit_test(test_diagonal_and_copy),
                                     cmocka_unit_test(test_bad_matrices),
                                     cmocka_unit_test(test_order)};
  return cmocka_run_group_tests(tests, open_device, close_device);
}
