/* Prints JSON lines about a CUDA device: copies, launches, scans, sorts, sums, products and PCG
 * iterations on a Kuhn mesh with 3 x 3 blocks. Usage: bench_cuda [CELLS [ROUNDS]] (100: a million
 * nodes; 10). Figures are the best of so many runs; `share` is the part of the copy bandwidth of
 * the same run. SPDX-License-Identifier: Apache-2.0 */
#include "kuhn_matrix.h"
#include "linalg/cuda/linear.h"

/* Iterations of solves by rounds: the difference of a long one and a short one counts. */
enum { LAUNCHES = 100, GRAPH = 64, LONG_SOLVE = 18, SHORT_SOLVE = 6 };

typedef struct bench {
  basin_context *context;
  basin_cuda *cuda;
  basin_cuda_scratch scratch;
  basin_address a, b, c, result; /* `count` 64-bit numbers each; one number */
  size_t count;
  int rounds;
  double bandwidth; /* bytes a second of a copy, read and written */
} bench;

typedef basin_status bench_body(bench *b);

/* The shortest time of a body, in seconds. */
static double best_of(bench *b, bench_body *body)
{
  double best = 1e30, seconds;
  for (int round = 0; round < b->rounds; round++) {
    check(b->context, basin__cuda_timer_start(b->cuda));
    check(b->context, body(b));
    check(b->context, basin__cuda_timer_stop(b->cuda, &seconds));
    if (seconds < best) best = seconds;
  }
  return best;
}

static void print_stream(const bench *b, const char *what, double bytes, double seconds)
{
  printf("{\"bench\": \"cuda\", \"what\": \"%s\", \"count\": %zu, \"seconds\": %.4g, "
         "\"bytes_per_s\": %.4g, \"share\": %.3g}\n",
         what,
         b->count,
         seconds,
         bytes / seconds,
         bytes / seconds / b->bandwidth);
}

static basin_status copy(bench *b)
{
  return basin__cuda_copy(b->cuda, b->b, b->a, b->count * 8);
}
static basin_status combine(bench *b)
{
  return basin__cuda_combine(b->cuda, b->count, b->a, 0.5, b->b, b->c);
}
static basin_status dot(bench *b)
{
  return basin__cuda_dot(b->cuda, &b->scratch, b->a, b->b, b->count, b->result);
}
static basin_status scan(bench *b)
{
  return basin__cuda_scan(b->cuda, &b->scratch, b->a, b->count, b->c);
}
static basin_status sort(bench *b)
{
  BASIN_TRY(basin__cuda_copy(b->cuda, b->c, b->a, b->count * 8));
  return basin__cuda_sort_64(b->cuda, &b->scratch, b->c, b->b, b->count, 64);
}
static basin_status launches(bench *b)
{
  for (int k = 0; k < LAUNCHES; k++)
    BASIN_TRY(basin__cuda_combine(b->cuda, 32, b->a, 0.5, b->b, b->c));
  return BASIN_OK;
}

/* Time of one launch inside a graph. */
static double graph_seconds(bench *b)
{
  basin_cuda_graph *graph;
  double best = 1e30, seconds;
  check(b->context, basin__cuda_graph_begin(b->cuda));
  for (int k = 0; k < GRAPH; k++)
    check(b->context, basin__cuda_combine(b->cuda, 32, b->a, 0.5, b->b, b->c));
  check(b->context, basin__cuda_graph_end(b->cuda, &graph));
  for (int round = 0; round < b->rounds; round++) {
    check(b->context, basin__cuda_timer_start(b->cuda));
    for (int k = 0; k < b->rounds; k++) check(b->context, basin__cuda_graph_launch(b->cuda, graph));
    check(b->context, basin__cuda_timer_stop(b->cuda, &seconds));
    if (seconds < best) best = seconds;
  }
  basin__cuda_graph_destroy(b->cuda, graph);
  return best / (b->rounds * (double)GRAPH);
}

static void run_streams(bench *b)
{
  double n = (double)b->count, seconds = best_of(b, copy);
  b->bandwidth = 16 * n / seconds;
  print_stream(b, "copy", 16 * n, seconds);
  print_stream(b, "combine", 24 * n, best_of(b, combine));
  print_stream(b, "dot", 16 * n, best_of(b, dot));
  print_stream(b, "scan of words", 8 * n, best_of(b, scan));
  seconds = best_of(b, sort);
  printf("{\"bench\": \"cuda\", \"what\": \"sort of 64-bit keys with values\", \"count\": %zu, "
         "\"seconds\": %.4g, \"keys_per_s\": %.4g}\n",
         b->count,
         seconds,
         n / seconds);
  printf(
      "{\"bench\": \"cuda\", \"what\": \"launch\", \"microseconds\": %.3g, \"in_graph\": %.3g}\n",
      1e6 * best_of(b, launches) / (double)LAUNCHES,
      1e6 * graph_seconds(b));
}

/* ---- linear algebra ---- */

typedef struct system_bench {
  basin_cuda_matrix matrix;
  basin_cuda_pcg *pcg;
  basin_cuda_preconditioner *preconditioner;
  basin_buffer b, x;
  bool single;
} system_bench;

static double multiply_seconds(bench *b, const system_bench *s)
{
  double best = 1e30, seconds;
  for (int round = 0; round < b->rounds; round++) {
    check(b->context, basin__cuda_timer_start(b->cuda));
    check(b->context, basin__cuda_multiply(b->cuda, &s->matrix, s->b.address, s->x.address));
    check(b->context, basin__cuda_timer_stop(b->cuda, &seconds));
    if (seconds < best) best = seconds;
  }
  return best;
}

static double solve_seconds(bench *b, const system_bench *s, size_t iterations)
{
  basin_linear_options options = basin_linear_options_defaults();
  basin_cuda_pcg_options device = {.single = s->single};
  basin_linear_result result;
  double best = 1e30, seconds;
  options.tolerance = 0;
  options.maximum_iterations = iterations;
  for (int round = 0; round < b->rounds; round++) {
    check(b->context, basin__cuda_timer_start(b->cuda));
    check(b->context,
          basin__cuda_pcg_solve(s->pcg,
                                &s->matrix,
                                s->preconditioner,
                                s->b.address,
                                s->x.address,
                                &options,
                                &device,
                                &result));
    check(b->context, basin__cuda_timer_stop(b->cuda, &seconds));
    if (result.iterations == iterations && seconds < best) best = seconds;
  }
  return best;
}

static void run_linear(bench *b, int cells)
{
  basin_bsr *host = kuhn_matrix(b->context, cells, NULL);
  size_t size = basin_bsr_size(host);
  double *ones = malloc(size * sizeof *ones);
  basin_cuda_bsr_memory memory = {0};
  system_bench s = {.matrix.part_count = 1};
  if (!ones) exit(1);
  for (size_t k = 0; k < size; k++) ones[k] = 1 + random_unit() / 2;
  check(b->context, basin__cuda_bsr_upload(b->cuda, host, &memory, &s.matrix.parts[0]));
  check(b->context, basin__buffer_reserve(b->cuda, &s.b, size * 8));
  check(b->context, basin__buffer_reserve(b->cuda, &s.x, size * 8));
  check(b->context, basin__cuda_upload(b->cuda, s.b.address, ones, size * 8));
  check(b->context, basin__cuda_pcg_create(b->cuda, &s.pcg));
  check(b->context,
        basin__cuda_preconditioner_create(
            b->cuda, s.matrix.parts[0].node_count, 3, 0, NULL, &s.preconditioner));
  check(b->context, basin__cuda_preconditioner_update(s.preconditioner, &s.matrix, NULL));
  double blocks = (double)s.matrix.parts[0].block_count, product = multiply_seconds(b, &s),
         bytes = blocks * (72 + 4) + (double)s.matrix.parts[0].node_count * 4 + 16 * (double)size;
  printf("{\"bench\": \"cuda\", \"what\": \"product\", \"nodes\": %u, \"blocks\": %.0f, "
         "\"seconds\": %.4g, \"bytes_per_s\": %.4g, \"share\": %.3g}\n",
         s.matrix.parts[0].node_count,
         blocks,
         product,
         bytes / product,
         bytes / product / b->bandwidth);
  for (int single = 0; single < 2; single++) {
    s.single = single;
    size_t more = LONG_SOLVE * (size_t)b->rounds, fewer = SHORT_SOLVE * (size_t)b->rounds;
    double iteration =
        (solve_seconds(b, &s, more) - solve_seconds(b, &s, fewer)) / (double)(more - fewer);
    printf("{\"bench\": \"cuda\", \"what\": \"PCG iteration\", \"precision\": \"%s\", "
           "\"seconds\": %.4g, \"products\": %.3g}\n",
           single ? "float" : "double",
           iteration,
           iteration / product);
  }
  basin__cuda_preconditioner_destroy(s.preconditioner);
  basin__cuda_pcg_destroy(s.pcg);
  basin__cuda_bsr_release(b->cuda, &memory);
  basin__buffer_release(b->cuda, &s.b);
  basin__buffer_release(b->cuda, &s.x);
  basin_bsr_destroy(host);
  free(ones);
}

/* Random keys in `a`, numbers near 1 in `b`. */
static void fill(bench *b)
{
  uint64_t *keys = malloc(b->count * sizeof *keys);
  double *numbers = malloc(b->count * sizeof *numbers);
  if (!keys || !numbers) exit(1);
  for (size_t k = 0; k < b->count; k++) {
    numbers[k] = 1 + random_unit() / 2;
    keys[k] = random_state;
  }
  check(b->context, basin__cuda_upload(b->cuda, b->a, keys, b->count * 8));
  check(b->context, basin__cuda_upload(b->cuda, b->b, numbers, b->count * 8));
  free(keys);
  free(numbers);
}

int main(int argc, char **argv)
{
  int cells = argc > 1 ? atoi(argv[1]) : 100;
  bench b = {.context = basin_context_create(NULL)};
  basin_buffer memory = {0};
  b.rounds = argc > 2 ? atoi(argv[2]) : 10;
  if (!b.context || cells < 1 || b.rounds < 1) return 2;
  if (basin__cuda_open(b.context, 0, &b.cuda) != BASIN_OK) {
    printf("%s\n", basin_error_text(b.context));
    basin_context_destroy(b.context);
    return 77;
  }
  b.count = (size_t)cells * (size_t)cells * (size_t)cells * 64;
  check(b.context, basin__buffer_reserve(b.cuda, &memory, 8 * (3 * b.count + 2)));
  b.a = memory.address, b.b = b.a + 8 * b.count, b.c = b.b + 8 * b.count;
  b.result = b.c + 8 * (b.count + 1);
  const basin_cuda_info *info = basin__cuda_information(b.cuda);
  printf(
      "{\"bench\": \"cuda\", \"what\": \"device\", \"name\": \"%s\", \"architecture\": \"%s\"}\n",
      info->name,
      info->architecture);
  fill(&b);
  run_streams(&b);
  run_linear(&b, cells);
  basin__buffer_release(b.cuda, &b.scratch.memory);
  basin__buffer_release(b.cuda, &memory);
  basin__cuda_close(b.cuda);
  basin_context_destroy(b.context);
  return 0;
}
