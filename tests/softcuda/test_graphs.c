/* Streams, captures, graphs and events behave as a driver's.
 * SPDX-License-Identifier: Apache-2.0 */
#include "test_support.h"

static const char text[] =
    "extern \"C\" __global__ void add(double *x, double a)\n{ x[threadIdx.x] += a; }\n"
    "extern \"C\" __global__ void scale(double *x, double a)\n{ x[threadIdx.x] *= a; }\n";

typedef struct scene {
  device d;
  basin_cu_function add, scale;
  basin_address x;
} scene;

static scene open_scene(void)
{
  scene s = {.d = open_device()};
  const double start[4] = {1, 2, 3, 4};
  s.add = load_kernel(text, "add");
  s.scale = load_kernel(text, "scale");
  s.x = upload(s.d, start, sizeof start);
  return s;
}

static void begin(const scene *s)
{
  OK(cuStreamBeginCapture_v2(s->d.stream, BASIN_CU_STREAM_CAPTURE_MODE_RELAXED));
}

static void expect_first(const scene *s, double expected)
{
  double x[4];
  OK(cuMemcpyDtoHAsync_v2(x, s->x, sizeof x, s->d.stream));
  assert_true(x[0] == expected);
}

/* Parameters are those of the capture; nothing runs before the graph is launched. */
static void replays_a_capture(void **state)
{
  (void)state;
  scene s = open_scene();
  double a = 2;
  void *p[] = {&s.x, &a};
  basin_cu_graph graph;
  basin_cu_graph_exec exec;
  begin(&s);
  OK(launch(s.d, s.scale, 1, 4, 0, p));
  a = 1;
  OK(launch(s.d, s.add, 1, 4, 0, p));
  a = 1000;
  OK(cuStreamEndCapture(s.d.stream, &graph));
  OK(cuGraphInstantiateWithFlags(&exec, graph, 0));
  OK(cuGraphDestroy(graph));
  expect_first(&s, 1);
  OK(cuGraphLaunch(exec, s.d.stream));
  OK(cuGraphLaunch(exec, s.d.stream));
  OK(cuGraphLaunch(exec, s.d.stream));
  expect_first(&s, 15); /* x -> 2 x + 1, three times from 1 */
  OK(cuGraphExecDestroy(exec));
  assert_int_equal(cuGraphLaunch(exec, s.d.stream), BASIN_CU_INVALID_VALUE);
  close_device();
}

/* Fills, copies, and a graph inside of another one. */
static void records_all_operations(void **state)
{
  (void)state;
  scene s = open_scene();
  basin_address y = upload(s.d, NULL, 32);
  double a = 5, from[4] = {7, 7, 7, 7};
  void *p[] = {&s.x, &a};
  basin_cu_graph graph;
  basin_cu_graph_exec inner, outer;
  begin(&s);
  OK(cuMemsetD32Async(y, 0, 8, s.d.stream));
  OK(cuMemcpyDtoDAsync_v2(s.x, y, 32, s.d.stream));
  OK(cuStreamEndCapture(s.d.stream, &graph));
  OK(cuGraphInstantiateWithFlags(&inner, graph, 0));
  begin(&s);
  OK(cuGraphLaunch(inner, s.d.stream));
  OK(launch(s.d, s.add, 1, 4, 0, p));
  OK(cuStreamEndCapture(s.d.stream, &graph));
  OK(cuGraphInstantiateWithFlags(&outer, graph, 0));
  OK(cuGraphLaunch(outer, s.d.stream));
  expect_first(&s, 5);
  begin(&s);
  OK(cuMemcpyHtoDAsync_v2(s.x, from, sizeof from, s.d.stream));
  OK(cuStreamEndCapture(s.d.stream, &graph));
  OK(cuGraphInstantiateWithFlags(&outer, graph, 0));
  from[0] = 9; /* read when the graph runs */
  OK(cuGraphLaunch(outer, s.d.stream));
  expect_first(&s, 9);
  close_device();
}

static void refuses_what_captures_do_not_allow(void **state)
{
  (void)state;
  scene s = open_scene();
  basin_cu_graph graph;
  assert_int_equal(cuStreamBeginCapture_v2(NULL, 2), BASIN_CU_STREAM_CAPTURE_UNSUPPORTED);
  assert_int_equal(cuStreamEndCapture(s.d.stream, &graph), SOFTCUDA_ILLEGAL_STATE);
  begin(&s);
  assert_int_equal(cuStreamBeginCapture_v2(s.d.stream, 2), SOFTCUDA_ILLEGAL_STATE);
  assert_int_equal(cuStreamSynchronize(s.d.stream), BASIN_CU_STREAM_CAPTURE_UNSUPPORTED);
  assert_int_equal(cuStreamEndCapture(s.d.stream, &graph), BASIN_CU_STREAM_CAPTURE_INVALIDATED);
  assert_null(graph);
  /* memory may be allocated in a relaxed capture, not in a global one */
  basin_address y;
  begin(&s);
  OK(cuMemAlloc_v2(&y, 8));
  OK(cuStreamEndCapture(s.d.stream, &graph));
  OK(cuStreamBeginCapture_v2(s.d.stream, 0));
  assert_int_equal(cuMemAlloc_v2(&y, 8), BASIN_CU_STREAM_CAPTURE_UNSUPPORTED);
  assert_int_equal(cuStreamEndCapture(s.d.stream, &graph), BASIN_CU_STREAM_CAPTURE_INVALIDATED);
  expect_first(&s, 1);
  close_device();
}

/* A graph keeps addresses: what is freed must not be used by it. */
static void finds_graphs_on_freed_memory(void **state)
{
  (void)state;
  scene s = open_scene();
  basin_cu_graph graph;
  basin_cu_graph_exec exec;
  begin(&s);
  OK(cuMemsetD8Async(s.x, 0, 32, s.d.stream));
  OK(cuStreamEndCapture(s.d.stream, &graph));
  OK(cuGraphInstantiateWithFlags(&exec, graph, 0));
  OK(cuMemFree_v2(s.x));
  OK(cuGraphLaunch(exec, s.d.stream));
  assert_int_equal(cuStreamSynchronize(s.d.stream), BASIN_CU_ILLEGAL_ADDRESS);
  close_device();
}

/* Page-locked memory is read when the stream gets there, ordinary memory at once. */
static void reads_pinned_memory_late(void **state)
{
  (void)state;
  scene s = open_scene();
  double ordinary[4] = {10, 10, 10, 10};
  void *pinned;
  OK(cuMemHostAlloc(&pinned, 32, 0));
  memcpy(pinned, ordinary, 32);
  OK(cuMemcpyHtoDAsync_v2(s.x, ordinary, 32, s.d.stream));
  ordinary[0] = 20;
  expect_first(&s, 10);
  OK(cuMemcpyHtoDAsync_v2(s.x, pinned, 32, s.d.stream));
  memset(pinned, 0, 32);
  expect_first(&s, 0);
  OK(cuMemFreeHost(pinned));
  assert_int_equal(cuMemFreeHost(pinned), BASIN_CU_INVALID_VALUE);
  close_device();
}

/* Work on the default stream has no order with a stream that is not kept in step, and ends the
 * capture of one that is. */
static void finds_streams_without_order(void **state)
{
  (void)state;
  scene s = open_scene();
  basin_cu_stream kept;
  basin_cu_graph graph;
  OK(cuMemsetD32Async(s.x, 0, 8, s.d.stream));
  assert_int_equal(cuMemsetD32Async(s.x, 1, 8, NULL), SOFTCUDA_ILLEGAL_STATE);
  OK(cuStreamSynchronize(s.d.stream));
  OK(cuMemsetD32Async(s.x, 1, 8, NULL));
  assert_int_equal(cuMemsetD32Async(s.x, 0, 8, s.d.stream), SOFTCUDA_ILLEGAL_STATE);
  OK(cuStreamCreate(&kept, BASIN_CU_STREAM_DEFAULT));
  OK(cuMemsetD32Async(s.x, 2, 8, kept));
  OK(cuMemsetD32Async(s.x, 3, 8, NULL));
  OK(cuStreamBeginCapture_v2(kept, BASIN_CU_STREAM_CAPTURE_MODE_RELAXED));
  OK(cuMemsetD32Async(s.x, 4, 8, kept));
  assert_int_equal(cuMemsetD32Async(s.x, 5, 8, NULL), BASIN_CU_STREAM_CAPTURE_IMPLICIT);
  assert_int_equal(cuStreamEndCapture(kept, &graph), BASIN_CU_STREAM_CAPTURE_INVALIDATED);
  close_device();
}

/* The module of a graph's kernel must outlive the graph. */
static void finds_unloaded_kernels(void **state)
{
  (void)state;
  scene s = open_scene();
  double a = 1;
  void *p[] = {&s.x, &a};
  basin_cu_graph graph;
  basin_cu_graph_exec exec;
  begin(&s);
  OK(launch(s.d, s.add, 1, 4, 0, p));
  OK(cuStreamEndCapture(s.d.stream, &graph));
  OK(cuGraphInstantiateWithFlags(&exec, graph, 0));
  OK(cuGraphLaunch(exec, s.d.stream));
  OK(cuModuleUnload(s.add->module));
  assert_int_equal(cuGraphLaunch(exec, s.d.stream), SOFTCUDA_INVALID_HANDLE);
  close_device();
}

static void measures_time(void **state)
{
  (void)state;
  scene s = open_scene();
  basin_cu_event start, end, untimed;
  float time = -1;
  double a = 1;
  void *p[] = {&s.x, &a};
  OK(cuEventCreate(&start, 0));
  OK(cuEventCreate(&end, 0));
  OK(cuEventCreate(&untimed, 2));
  assert_int_equal(cuEventElapsedTime(&time, start, end), SOFTCUDA_INVALID_HANDLE);
  OK(cuEventRecord(start, s.d.stream));
  OK(launch(s.d, s.add, 1000, 4, 0, p));
  OK(cuEventRecord(end, s.d.stream));
  OK(cuEventRecord(untimed, s.d.stream));
  assert_int_equal(cuEventElapsedTime(&time, start, end), SOFTCUDA_NOT_READY);
  OK(cuEventSynchronize(end));
  OK(cuEventElapsedTime(&time, start, end));
  assert_true(time > 0 && time < 60e3f);
  assert_int_equal(cuEventElapsedTime(&time, start, untimed), SOFTCUDA_INVALID_HANDLE);
  OK(cuEventDestroy_v2(start));
  assert_int_equal(cuEventRecord(start, s.d.stream), SOFTCUDA_INVALID_HANDLE);
  close_device();
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(replays_a_capture),
      cmocka_unit_test(records_all_operations),
      cmocka_unit_test(refuses_what_captures_do_not_allow),
      cmocka_unit_test(finds_graphs_on_freed_memory),
      cmocka_unit_test(reads_pinned_memory_late),
      cmocka_unit_test(finds_streams_without_order),
      cmocka_unit_test(finds_unloaded_kernels),
      cmocka_unit_test(measures_time),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
