/* Kernels that depend on the order of their threads are found: by their results in other orders,
 * and by the accesses themselves. SPDX-License-Identifier: Apache-2.0 */
#include "orders.h"
#include "test_support.h"

enum { N = 256 };

typedef struct job {
  const char *text;
  unsigned blocks, threads;
} job;

/* Runs k(unsigned *x, unsigned *y) on numbers; y is the result. */
static int run(void *user, void *result)
{
  const job *j = user;
  unsigned x[N];
  for (unsigned i = 0; i < N; i++) x[i] = i * i;
  device d = open_device();
  basin_cu_function f = load_kernel(j->text, "k");
  basin_address px = upload(d, x, sizeof x), py = upload(d, NULL, sizeof x);
  void *p[] = {&px, &py};
  OK(cuMemsetD8Async(py, 0, sizeof x, d.stream));
  OK(launch(d, f, j->blocks, j->threads, 0, p));
  int status = cuMemcpyDtoHAsync_v2(result, py, sizeof x, d.stream);
  close_device();
  return status;
}

#define KERNEL(body) "extern \"C\" __global__ void k(unsigned *x, unsigned *y)\n{\n" body "}\n"
#define INDEX        "unsigned i = blockIdx.x * blockDim.x + threadIdx.x;\n"

static const job neighbours = {KERNEL(INDEX "x[i] = x[i] + x[(i + 1) % 256];\n__syncthreads();\n"
                                            "y[i] = x[i];\n"),
                               1,
                               N};
static const job last_block_wins = {KERNEL("y[0] = blockIdx.x;\n"), 8, 1};
static const job missing_barrier = {
    KERNEL("__shared__ unsigned s[256];\ns[threadIdx.x] = x[threadIdx.x];\n"
           "y[threadIdx.x] = s[255 - threadIdx.x];\n"),
    1,
    N};
static const job missing_warp_sync = {
    KERNEL("__shared__ unsigned s[32];\ns[threadIdx.x] = x[threadIdx.x];\n"
           "if (threadIdx.x < 16) s[threadIdx.x] += s[threadIdx.x + 16];\n"
           "y[threadIdx.x] = s[threadIdx.x];\n"),
    1,
    32};
static const job plain_counter = {KERNEL("y[0] += 1;\n"), 4, 8};

/* A vote lets lanes meet, but says nothing about memory. */
static const job vote_for_warp_sync = {
    KERNEL("__shared__ unsigned s[32];\ns[threadIdx.x] = x[threadIdx.x];\n"
           "if (__any_sync(0xffffffffu, 1)) y[threadIdx.x] = s[31 - threadIdx.x];\n"),
    1,
    32};

/* The result of the last block to end: it adds what the others have left behind a fence. `before`
 * and `behind` the atomic operation of the first thread; `read`: how the last block reads. */
#define LAST_BLOCK_ADDS(all, before, behind, read)                                           \
  {                                                                                          \
    KERNEL("__shared__ bool last;\nconst unsigned t = threadIdx.x;\n"                        \
           "if (t < 4) x[64 + 4 * blockIdx.x + t] = blockIdx.x + t;\n" all                   \
           "if (t == 0) {\n" before "last = atomicAdd(&y[1], 1u) == gridDim.x - 1;\n" behind \
           "}\n__syncthreads();\nif (!last) return;\nunsigned sum = 0;\n"                    \
           "for (unsigned b = 0; b < 4 * gridDim.x; b++) sum += " read "[64 + b];\n"         \
           "y[4 + t] = sum;\n"),                                                             \
        8, 64                                                                                \
  }
#define BARRIER "__syncthreads();\n"
#define FENCE   "__threadfence();\n"
#define LOOSE   "((volatile unsigned *)x)"
static const job last_block_fences = LAST_BLOCK_ADDS(BARRIER, FENCE, FENCE, "x");
static const job last_block_is_volatile = LAST_BLOCK_ADDS(BARRIER, FENCE, "", LOOSE);
static const job each_thread_fences = LAST_BLOCK_ADDS(FENCE BARRIER, FENCE, FENCE, "x");
static const job ticket_too_early = LAST_BLOCK_ADDS("", FENCE, FENCE, "x");
static const job no_fence_before = LAST_BLOCK_ADDS(BARRIER, "", FENCE, LOOSE);
static const job no_fence_behind = LAST_BLOCK_ADDS(BARRIER, FENCE, "", "x");
/* The last block changes what threads of others may not have read yet. */
static const job last_block_stops_others = {
    KERNEL("if (y[0]) return;\ny[2 + threadIdx.x + 64 * blockIdx.x] = 1;\n"
           "if (threadIdx.x == 0) {\n  __threadfence();\n"
           "  unsigned ticket = atomicAdd(&y[1], 1u);\n  __threadfence();\n"
           "  if (ticket == gridDim.x - 1) y[0] = 1;\n}\n"),
    3,
    64};
static const job barriers = {
    KERNEL("__shared__ unsigned s[256];\nfor (unsigned r = 0; r < 4; r++) {\n"
           "  s[threadIdx.x] = x[threadIdx.x] + r;\n  __syncthreads();\n"
           "  y[threadIdx.x] += s[255 - threadIdx.x];\n  __syncthreads();\n}\n"),
    1,
    N};
static const job warp_sync = {
    KERNEL("__shared__ unsigned s[32];\ns[threadIdx.x] = x[threadIdx.x];\n__syncwarp();\n"
           "if (threadIdx.x < 16) s[threadIdx.x] += s[threadIdx.x + 16];\n__syncwarp();\n"
           "y[threadIdx.x] = s[threadIdx.x];\n"),
    1,
    32};
static const job counter = {KERNEL("atomicAdd(&y[0], 1u);\natomicMax(&y[1], blockIdx.x);\n"), 4, 8};
static const job bytes = {
    KERNEL("((unsigned char *)y)[blockIdx.x * 4 + threadIdx.x] = (unsigned char)threadIdx.x;\n"),
    8,
    4};

static const job relaxed_reads = {KERNEL("if (__ldcg(&y[0]) + *(volatile unsigned *)&y[0] < 1000) "
                                         "atomicAdd(&y[1], 1u);\natomicAdd(&y[0], 1u);\n"),
                                  4,
                                  8};

static const job *const sound[] = {&last_block_fences,
                                   &last_block_is_volatile,
                                   &each_thread_fences,
                                   &barriers,
                                   &warp_sync,
                                   &counter,
                                   &bytes,
                                   &relaxed_reads};

static void differs_in_other_orders(void **state)
{
  static const job *const racy[] = {&neighbours, &last_block_wins, &missing_barrier};
  (void)state;
  for (int i = 0; i < 3; i++) {
    job j = *racy[i];
    assert_false(softcuda_same_in_all_orders(run, &j, N * sizeof(unsigned)));
  }
}

static void agrees_in_all_orders(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof sound / sizeof *sound; i++) {
    job j = *sound[i];
    assert_true(softcuda_same_in_all_orders(run, &j, N * sizeof(unsigned)));
  }
}

static void finds_races(void **state)
{
  static const job *const racy[] = {&neighbours,
                                    &last_block_wins,
                                    &missing_barrier,
                                    &missing_warp_sync,
                                    &vote_for_warp_sync,
                                    &plain_counter,
                                    &ticket_too_early,
                                    &no_fence_before,
                                    &no_fence_behind,
                                    &last_block_stops_others};
  (void)state;
  unsigned y[N];
  setenv("SOFTCUDA_RACES", "1", 1);
  for (size_t i = 0; i < sizeof racy / sizeof *racy; i++) {
    job j = *racy[i];
    assert_int_equal(run(&j, y), BASIN_CU_LAUNCH_FAILED);
    assert_non_null(strstr(softcuda_last_message(), "race: "));
  }
  job j = missing_barrier;
  assert_int_equal(run(&j, y), BASIN_CU_LAUNCH_FAILED);
  assert_non_null(
      strstr(softcuda_last_message(), "is written, and was read by thread 127 of block 0"));
  assert_non_null(strstr(softcuda_last_message(), "(test.cu:5) (test.cu:4)"));
  unsetenv("SOFTCUDA_RACES");
}

static void logs_races_on_demand(void **state)
{
  (void)state;
  unsigned y[N];
  job j = last_block_wins;
  setenv("SOFTCUDA_RACES", "2", 1);
  OK(run(&j, y));
  assert_int_equal(y[0], 7);
  assert_non_null(strstr(softcuda_last_message(), "race: byte 0"));
  unsetenv("SOFTCUDA_RACES");
}

static void finds_no_race_where_there_is_none(void **state)
{
  (void)state;
  unsigned y[N];
  setenv("SOFTCUDA_RACES", "1", 1);
  for (size_t i = 0; i < sizeof sound / sizeof *sound; i++) {
    job j = *sound[i];
    int status = run(&j, y);
    if (status) print_error("%s\n", softcuda_last_message());
    OK(status);
  }
  unsetenv("SOFTCUDA_RACES");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(differs_in_other_orders),
      cmocka_unit_test(agrees_in_all_orders),
      cmocka_unit_test(finds_races),
      cmocka_unit_test(logs_races_on_demand),
      cmocka_unit_test(finds_no_race_where_there_is_none),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
