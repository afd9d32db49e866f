/* Prints JSON lines: triad bandwidth, symmetric block multiplication and PCG iterations on the
 * matrix of workload W1 (a Kuhn mesh of 26^3 cells, 3x3 blocks). Every figure is the best of many
 * runs; ratios belong to one run of the program.
 * SPDX-License-Identifier: Apache-2.0 */
#include "kuhn_matrix.h"

#include "base/base.h"
#include <string.h>

enum { CELLS = 26, ROUNDS = 300, LONG_SOLVE = 3, SHORT_SOLVE = 1 };

/* Prints what making the pattern takes. */
static basin_bsr *create_matrix(basin_context *context)
{
  size_t pairs;
  double start = basin__seconds();
  basin_bsr *matrix = kuhn_matrix(context, CELLS, &pairs);
  printf("{\"bench\": \"linalg\", \"what\": \"create\", \"pairs\": %zu, \"blocks\": %zu, "
         "\"seconds\": %.4g}\n",
         pairs,
         basin_bsr_block_count(matrix),
         basin__seconds() - start);
  return matrix;
}

typedef struct triad {
  double *a;
  const double *b, *c;
  size_t count;
  unsigned parts;
} triad;

static void triad_task(void *user, size_t part, unsigned worker)
{
  const triad *job = user;
  size_t begin = job->count / job->parts * part, end = job->count / job->parts * (part + 1);
  double *restrict a = job->a;
  (void)worker;
  for (size_t i = begin; i < end; i++) a[i] = job->b[i] + 3.0 * job->c[i];
}

/* Bytes a second of a = b + 3 c over three arrays of `total` bytes together. */
static double triad_bandwidth(basin_context *context, size_t total, unsigned threads)
{
  size_t count = total / 3 / sizeof(double) / 64 * 64, bytes = count * sizeof(double);
  double *arrays[3], best = 1e30;
  for (int i = 0; i < 3; i++) {
    arrays[i] = basin__alloc_aligned(context, bytes);
    for (size_t k = 0; k < count; k++) arrays[i][k] = 1;
  }
  triad job = {arrays[0], arrays[1], arrays[2], count, threads};
  for (int round = 0; round < ROUNDS; round++) {
    double start = basin__seconds();
    basin__parallel(context, threads, triad_task, &job);
    double seconds = basin__seconds() - start;
    if (seconds < best) best = seconds;
  }
  for (int i = 0; i < 3; i++) basin__free_aligned(context, arrays[i], bytes);
  return 3.0 * (double)bytes / best;
}

static double multiply_seconds(const basin_bsr *matrix, const double *x, double *y)
{
  double best = 1e30;
  for (int round = 0; round < ROUNDS; round++) {
    double start = basin__seconds();
    basin_bsr_multiply(matrix, x, y);
    double seconds = basin__seconds() - start;
    if (seconds < best) best = seconds;
  }
  return best;
}

/* Shortest time of a solve cut off after `iterations`. */
static double solve_seconds(basin_context *context,
                            basin_pcg *pcg,
                            const basin_bsr *matrix,
                            const basin_preconditioner *m,
                            const double *b,
                            double *x,
                            size_t iterations)
{
  basin_linear_options options = basin_linear_options_defaults();
  basin_linear_result result;
  double best = 1e30;
  options.tolerance = 0;
  options.maximum_iterations = iterations;
  for (int round = 0; round < ROUNDS; round++) {
    check(context, basin_pcg_solve(pcg, matrix, m, b, x, &options, &result));
    if (result.iterations == iterations && result.seconds < best) best = result.seconds;
  }
  return best;
}

/* By the difference of a long and a short solve: set-up does not count. The solution is updated
 * every other iteration, so the difference is an even number of them. */
static double
iteration_seconds(basin_context *context, const basin_bsr *matrix, const double *b, double *x)
{
  basin_pcg *pcg;
  basin_preconditioner *preconditioner;
  check(context, basin_pcg_create(context, &pcg));
  check(context,
        basin_preconditioner_create(
            context, basin_bsr_node_count(matrix), 3, 0, NULL, &preconditioner));
  check(context, basin_preconditioner_update(preconditioner, matrix, NULL));
  double longer = solve_seconds(context, pcg, matrix, preconditioner, b, x, LONG_SOLVE);
  double shorter = solve_seconds(context, pcg, matrix, preconditioner, b, x, SHORT_SOLVE);
  basin_preconditioner_destroy(preconditioner);
  basin_pcg_destroy(pcg);
  return (longer - shorter) / (LONG_SOLVE - SHORT_SOLVE);
}

/* One analysis, factorization and solution by the sparse library. */
static void run_direct(void)
{
  basin_context *context = basin_context_create(NULL);
  if (context == NULL) exit(1);
  basin_bsr *matrix = create_matrix(context);
  size_t size = basin_bsr_size(matrix);
  double *x = calloc(size, sizeof *x);
  basin_factor *factor;
  check(context, basin_factor_create(context, BASIN_FACTOR_CHOLESKY, NULL, &factor));
  double start = basin__seconds();
  check(context, basin_factor_update_bsr(factor, matrix));
  double first = basin__seconds();
  basin_bsr_scale(matrix, 2);
  check(context, basin_factor_update_bsr(factor, matrix));
  double second = basin__seconds();
  check(context, basin_factor_update_bsr(factor, matrix));
  double unchanged = basin__seconds();
  check(context, basin_factor_solve(factor, 1, x, x));
  double solved = basin__seconds();
  basin_factor_info info = basin_factor_information(factor);
  printf(
      "{\"bench\": \"linalg\", \"what\": \"direct\", \"library\": \"%s\", \"algorithm\": \"%s\", "
      "\"ordering\": \"%s\", \"entries\": %.4g, \"first_s\": %.4g, \"refactor_s\": %.4g, "
      "\"unchanged_s\": %.4g, \"solve_s\": %.4g}\n",
      info.library,
      info.algorithm,
      info.ordering,
      info.entries,
      first - start,
      second - first,
      unchanged - second,
      solved - unchanged);
  free(x);
  basin_factor_destroy(factor);
  basin_bsr_destroy(matrix);
  basin_context_destroy(context);
}

static void run(unsigned threads)
{
  basin_options options = basin_options_defaults();
  options.threads = threads;
  basin_context *context = basin_context_create(&options);
  if (context == NULL) exit(1);
  basin_bsr *matrix = create_matrix(context);
  size_t size = basin_bsr_size(matrix), bytes = basin_bsr_bytes(matrix);
  double *x = malloc(size * sizeof *x), *y = malloc(size * sizeof *y);
  for (size_t i = 0; i < size; i++) x[i] = random_unit();
  double same_size = triad_bandwidth(context, bytes, threads),
         memory = triad_bandwidth(context, (size_t)256 << 20, threads);
  double multiply = multiply_seconds(matrix, x, y);
  double iteration = iteration_seconds(context, matrix, x, y);
  double rate = (double)(bytes + 2 * size * sizeof(double)) / multiply;
  printf("{\"bench\": \"linalg\", \"what\": \"w1\", \"threads\": %u, \"triad_gb_s\": %.4g, "
         "\"triad_memory_gb_s\": %.4g, "
         "\"matrix_mb\": %.4g, \"multiply_ms\": %.4g, \"multiply_gb_s\": %.4g, "
         "\"multiply_over_triad\": %.3g, "
         "\"multiply_over_triad_memory\": %.3g, \"pcg_iteration_ms\": %.4g, "
         "\"iteration_over_multiply\": %.3g}\n",
         threads,
         same_size * 1e-9,
         memory * 1e-9,
         (double)bytes * 1e-6,
         multiply * 1e3,
         rate * 1e-9,
         rate / same_size,
         rate / memory,
         iteration * 1e3,
         iteration / multiply);
  free(x);
  free(y);
  basin_bsr_destroy(matrix);
  basin_context_destroy(context);
}

/* bench_linalg [threads | direct] */
int main(int argument_count, char **arguments)
{
  if (argument_count > 1 && strcmp(arguments[1], "direct") == 0) {
    run_direct();
    return 0;
  }
  unsigned most = argument_count > 1 ? (unsigned)atoi(arguments[1]) : 2;
  for (unsigned threads = 1; threads <= most; threads++) run(threads);
  return 0;
}
