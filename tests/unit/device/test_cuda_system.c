/* A system on a CUDA device: the same numbers as on the CPU, bit for bit, and no more transfers
 * than needed, whoever changes the data. SPDX-License-Identifier: Apache-2.0 */
#include "two_systems.h"

static basin_context *test_context_of;
static scene cpu, gpu;
static basin_cuda *cuda;

static int open_scenes(void **state)
{
  (void)state;
  test_context_of = test_context(NULL);
  OK(scene_init(&cpu, test_context_of, "cpu"));
  OK(scene_init(&gpu, test_context_of, "cuda"));
  cuda = gpu.system->cuda;
  return 0;
}

static int close_scenes(void **state)
{
  (void)state;
  scene_fini(&cpu);
  scene_fini(&gpu);
  basin_context_destroy(test_context_of);
  return 0;
}

static void expect_same(basin_array_id id)
{
  basin_span one, two;
  OK(basin_system_array(cpu.system, id, &one));
  OK(basin_system_array(gpu.system, id, &two));
  assert_int_equal(one.count, two.count);
  assert_int_equal(one.size, two.size);
  for (size_t i = 0; i < one.count * one.size; ++i)
    if (memcmp(&one.data[i], &two.data[i], sizeof(double)) != 0)
      fail_msg("%s: number %zu is %.17g on the CPU, %.17g on the device",
               basin_system_array_name(cpu.system, id),
               i,
               one.data[i],
               two.data[i]);
}

static void expect_all_same(void)
{
  basin_array_id arrays[SCENE_ARRAYS];
  scene_arrays(&cpu, arrays);
  for (size_t i = 0; i < SCENE_ARRAYS; ++i) expect_same(arrays[i]);
}

static void expect_error(basin_status status, basin_status expected, const char *words)
{
  assert_int_equal(status, expected);
  if (!strstr(basin_error_last(test_context_of)->message, words))
    fail_msg("'%s' lacks '%s'", basin_error_last(test_context_of)->message, words);
}

static void test_same_numbers(void **state)
{
  (void)state;
  char device[16];
  basin_span view;
  expect_all_same();
  OK(basin_system_array(gpu.system, gpu.averaged, &view));
  bool differs = false; /* the numbers say something */
  for (size_t i = 0; i < view.count * view.size; ++i) differs = differs || view.data[i] != 0;
  assert_true(differs);
  basin_system_device(gpu.system, device);
  assert_string_equal(device, "cuda:0");
  basin_system_device(cpu.system, device);
  assert_string_equal(device, "cpu");
  assert_null(basin_system_architecture(cpu.system));
}

/* Reading again what nobody changed moves nothing and computes nothing. */
static void test_nothing_twice(void **state)
{
  (void)state;
  expect_all_same();
  basin_cuda_statistics before = basin__cuda_get_statistics(cuda);
  expect_all_same();
  basin_cuda_statistics after = basin__cuda_get_statistics(cuda);
  assert_memory_equal(&before, &after, sizeof before);
}

static void set_both(basin_array_id id, double factor)
{
  double numbers[3 * TWO_POINTS];
  basin_span view;
  OK(basin_system_array(cpu.system, id, &view));
  for (size_t i = 0; i < view.count * view.size; ++i) numbers[i] = factor * scene_number(i + 5);
  OK(basin_system_set_array(cpu.system, id, numbers, view.count * view.size));
  OK(basin_system_set_array(gpu.system, id, numbers, view.count * view.size));
}

static void test_host_writes(void **state)
{
  (void)state;
  double all[] = {0.5, -0.25, 3};
  expect_all_same();
  set_both(cpu.x, 1.5);
  expect_all_same();
  OK(basin_system_fill_array(cpu.system, cpu.y, all, 3));
  OK(basin_system_fill_array(gpu.system, gpu.y, all, 3));
  expect_all_same();
  for (int k = 0; k < 2; ++k) {
    const scene *s = k ? &gpu : &cpu;
    double *data = basin_system_array_data(s->system, s->weight);
    assert_non_null(data);
    *data = -7.25;
    basin_system_touch(s->system, s->weight);
  }
  expect_all_same();
}

/* What the device wrote is read by kernels at once and by the host when it asks. */
static void test_device_writes(void **state)
{
  (void)state;
  basin_address address;
  double numbers[3 * TWO_POINTS];
  expect_all_same();
  for (size_t i = 0; i < 3 * TWO_POINTS; ++i) numbers[i] = scene_number(2 * i);
  OK(basin_system_set_array(cpu.system, cpu.x, numbers, 3 * TWO_POINTS));
  uint64_t version = basin_system_array_version(gpu.system, gpu.x);
  OK(basin__array_write_on_device(gpu.system, gpu.x, &address));
  OK(basin__cuda_upload(cuda, address, numbers, sizeof numbers));
  basin__array_written_on_device(gpu.system, gpu.x);
  assert_true(basin_system_array_version(gpu.system, gpu.x) > version);
  basin_cuda_statistics before = basin__cuda_get_statistics(cuda);
  expect_same(cpu.length); /* computed on the device: only the result comes back */
  basin_cuda_statistics after = basin__cuda_get_statistics(cuda);
  assert_int_equal(after.uploads, before.uploads);
  assert_int_equal(after.downloads, before.downloads + 1);
  assert_int_equal(after.downloaded_bytes, before.downloaded_bytes + TWO_EDGES * sizeof(double));
  expect_all_same();
  double *data = basin_system_array_data(gpu.system, gpu.x); /* brought back before an edit */
  assert_true(data && data[5] == numbers[5]);
  data[5] = numbers[5] = 11;
  basin_system_touch(gpu.system, gpu.x);
  OK(basin_system_set_array(cpu.system, cpu.x, numbers, 3 * TWO_POINTS));
  expect_all_same();
  expect_error(basin__array_write_on_device(gpu.system, gpu.length, &address),
               BASIN_ERROR_STATE,
               "length is computed");
}

/* A write that was begun and given up leaves what the host has. */
static void test_device_write_given_up(void **state)
{
  (void)state;
  basin_address address;
  expect_all_same();
  OK(basin__array_write_on_device(gpu.system, gpu.x, &address));
  OK(basin__cuda_zero(cuda, address, 3 * TWO_POINTS * sizeof(double)));
  expect_all_same();
  set_both(cpu.weight, 2);
  expect_all_same();
}

/* ---- resizing ---- */

static void resize_both(size_t count)
{
  OK(basin_system_resize(cpu.system, cpu.points, count));
  OK(basin_system_resize(gpu.system, gpu.points, count));
}

/* Data that only the device has survive: common instances stay, new ones are zero. */
static void test_resize(void **state)
{
  (void)state;
  static const size_t counts[] = {100, 40, 41, 200, 0, 3};
  basin_address address;
  double numbers[3 * TWO_POINTS];
  for (size_t i = 0; i < 3 * TWO_POINTS; ++i) numbers[i] = scene_number(3 * i);
  OK(basin_system_set_array(cpu.system, cpu.x, numbers, 3 * TWO_POINTS));
  OK(basin__array_write_on_device(gpu.system, gpu.x, &address));
  OK(basin__cuda_upload(cuda, address, numbers, sizeof numbers));
  basin__array_written_on_device(gpu.system, gpu.x);
  for (size_t k = 0; k < BASIN_COUNT(counts); ++k) {
    resize_both(counts[k]);
    if (k % 2 == 0) OK(basin__array_on_device(gpu.system, gpu.x, &address));
    expect_same(cpu.scaled);
    if (k % 3 == 0) {
      expect_same(cpu.x);
      expect_same(cpu.joined);
    }
  }
}

/* ---- connectivities ---- */

static void test_connectivity_writes(void **state)
{
  (void)state;
  uint32_t ends[2 * TWO_EDGES];
  basin_address address;
  size_t count;
  expect_all_same();
  for (uint32_t i = 0; i < 2 * TWO_EDGES; ++i) ends[i] = (i * 13 + 4) % TWO_POINTS;
  OK(basin_system_set_connectivity(cpu.system, cpu.ends, ends, 2 * TWO_EDGES));
  OK(basin__connectivity_write_on_device(gpu.system, gpu.ends, 2 * TWO_EDGES, &address));
  OK(basin__cuda_upload(cuda, address, ends, sizeof ends));
  basin__connectivity_written_on_device(gpu.system, gpu.ends, TWO_POINTS - 1);
  basin_cuda_statistics before = basin__cuda_get_statistics(cuda);
  expect_same(cpu.mean);
  assert_int_equal(basin__cuda_get_statistics(cuda).downloads, before.downloads + 1);
  const uint32_t *host = basin_system_connectivity(gpu.system, gpu.ends, &count, NULL);
  assert_true(host && count == 2 * TWO_EDGES);
  assert_memory_equal(host, ends, sizeof ends);
  expect_all_same();
  expect_error(basin__connectivity_write_on_device(gpu.system, gpu.ends, 3, &address),
               BASIN_ERROR_LENGTH,
               "ends");
  for (uint32_t i = 0; i < 2 * TWO_EDGES; ++i) ends[i] = (i * 29 + 1) % TWO_POINTS;
  OK(basin_system_set_connectivity(cpu.system, cpu.ends, ends, 2 * TWO_EDGES));
  OK(basin_system_set_connectivity(gpu.system, gpu.ends, ends, 2 * TWO_EDGES));
  expect_all_same();
}

/* Indices beyond a space that has shrunk, known to the device alone, are found out and named. */
static void test_connectivity_range(void **state)
{
  (void)state;
  basin_address address;
  basin_span view;
  uint32_t ends[2 * TWO_EDGES] = {0};
  ends[7] = TWO_POINTS - 1;
  OK(basin__connectivity_write_on_device(gpu.system, gpu.ends, 2 * TWO_EDGES, &address));
  OK(basin__cuda_upload(cuda, address, ends, sizeof ends));
  basin__connectivity_written_on_device(gpu.system, gpu.ends, TWO_POINTS - 1);
  OK(basin_system_resize(gpu.system, gpu.points, TWO_POINTS - 5));
  expect_error(
      basin_system_array(gpu.system, gpu.mean, &view), BASIN_ERROR_RANGE, "index 1 of edges 3");
}

/* ---- tables ---- */

static void test_binding(void **state)
{
  (void)state;
  basin_device_binding binding = {0};
  const basin_kernel_info *info = basin_plan_kernel(gpu.plans[1], BASIN_STAGE_COMPUTE);
  OK(basin__binding_on_device(gpu.system, info, &binding));
  basin_address table[8], address, indices;
  assert_in_range(info->array_count, 1, 4);
  OK(basin__cuda_download(cuda, table, binding.arrays, info->array_count * sizeof *table));
  for (uint32_t k = 0; k < info->array_count; ++k) {
    OK(basin__array_on_device(gpu.system, info->arrays[k], &address));
    assert_true(table[k] == address);
  }
  assert_int_equal(info->connectivity_count, 1);
  OK(basin__cuda_download(cuda, table, binding.indices, sizeof *table));
  OK(basin__connectivity_on_device(gpu.system, gpu.ends, &indices, &address));
  assert_true(table[0] == indices && address == 0);
  OK(basin__connectivity_on_device(gpu.system, gpu.around, &indices, &address));
  assert_true(indices && address);
  basin_cuda_statistics before = basin__cuda_get_statistics(cuda);
  OK(basin__binding_on_device(gpu.system, info, &binding)); /* the tables are sent once */
  basin_cuda_statistics after = basin__cuda_get_statistics(cuda);
  assert_int_equal(before.uploads, after.uploads);
  basin__device_binding_release(gpu.system, &binding);
}

/* A kernel that belongs to no array. */
static void test_compute(void **state)
{
  (void)state;
  double one[TWO_EDGES], two[TWO_EDGES];
  for (int k = 0; k < 2; ++k) {
    const scene *s = k ? &gpu : &cpu;
    OK(basin_system_compute(s->system,
                            s->plans[1],
                            basin_plan_kernel(s->plans[1], BASIN_STAGE_COMPUTE),
                            TWO_EDGES,
                            k ? two : one));
  }
  assert_memory_equal(one, two, sizeof one);
}

static void test_bad_device(void **state)
{
  (void)state;
  static const char *const words[] = {"gpu", "cuda:", "cuda:x", "cuda:1x", "cuda:-1", "cudaa", ""};
  basin_system *system;
  OK(basin_system_create(test_context_of, gpu.system->provider, &gpu, &system));
  for (size_t i = 0; i < BASIN_COUNT(words); ++i)
    expect_error(basin_system_set_device(system, words[i]), BASIN_ERROR_NAME, "cuda:N");
  expect_error(basin_system_set_device(system, "cuda:77"), BASIN_ERROR_DEVICE, "cuda:77");
  OK(basin_system_set_device(system, "cuda:0"));
  OK(basin_system_set_device(system, "cpu"));
  basin_system_destroy(system);
  expect_error(basin_system_set_device(gpu.system, "cpu"), BASIN_ERROR_STATE, "before arrays");
}

static basin_status provide_nothing(void *user, basin_kernel_request *requests, size_t count)
{
  (void)user;
  (void)requests;
  (void)count;
  return BASIN_OK;
}

static void test_provider_without_image(void **state)
{
  (void)state;
  basin_span view;
  gpu.system->provider = provide_nothing;
  expect_error(basin_system_array(gpu.system, gpu.scaled, &view),
               BASIN_ERROR_INTERNAL,
               "no kernel scaled_compute for the device");
}

/* Values that are kept stay where they are, and are put back there. */
static void test_kept(void **state)
{
  (void)state;
  double numbers[3 * TWO_POINTS], all[3] = {1, -2, 3};
  basin_address address;
  for (size_t i = 0; i < 3 * TWO_POINTS; ++i) numbers[i] = 0.25 * (double)i - 7;
  expect_error(basin_system_restore_array(gpu.system, gpu.x), BASIN_ERROR_STATE, "were kept");
  expect_error(basin_system_keep_array(gpu.system, gpu.sum), BASIN_ERROR_STATE, "computed");
  for (int on_device = 0; on_device < 2; ++on_device) {
    OK(basin_system_set_array(cpu.system, cpu.x, numbers, 3 * TWO_POINTS));
    OK(basin_system_set_array(gpu.system, gpu.x, numbers, 3 * TWO_POINTS));
    if (on_device) {
      OK(basin__array_write_on_device(gpu.system, gpu.x, &address));
      OK(basin__cuda_upload(cuda, address, numbers, sizeof numbers));
      basin__array_written_on_device(gpu.system, gpu.x);
    }
    size_t before = basin__cuda_get_statistics(cuda).downloads;
    OK(basin_system_keep_array(cpu.system, cpu.x));
    OK(basin_system_keep_array(gpu.system, gpu.x));
    OK(basin_system_fill_array(cpu.system, cpu.x, all, 3));
    OK(basin_system_fill_array(gpu.system, gpu.x, all, 3));
    OK(basin_system_restore_array(cpu.system, cpu.x));
    OK(basin_system_restore_array(gpu.system, gpu.x));
    assert_int_equal(basin__cuda_get_statistics(cuda).downloads, before);
    basin_span view;
    OK(basin_system_array(cpu.system, cpu.x, &view));
    assert_memory_equal(view.data, numbers, sizeof numbers);
    expect_all_same();
    numbers[0] += 1;
  }
  /* What was read since needs no device any more. */
  basin_span view;
  OK(basin__array_write_on_device(gpu.system, gpu.x, &address));
  OK(basin__cuda_upload(cuda, address, numbers, sizeof numbers));
  basin__array_written_on_device(gpu.system, gpu.x);
  OK(basin_system_keep_array(gpu.system, gpu.x));
  OK(basin_system_array(gpu.system, gpu.x, &view));
  OK(basin__array_write_on_device(gpu.system, gpu.x, &address));
  OK(basin__cuda_zero(cuda, address, sizeof numbers));
  basin__array_written_on_device(gpu.system, gpu.x);
  basin_cuda_statistics before = basin__cuda_get_statistics(cuda);
  OK(basin_system_restore_array(gpu.system, gpu.x));
  OK(basin_system_array(gpu.system, gpu.x, &view));
  assert_memory_equal(view.data, numbers, sizeof numbers);
  assert_int_equal(basin__cuda_get_statistics(cuda).downloads, before.downloads);
  OK(basin_system_resize(gpu.system, gpu.points, TWO_POINTS + 1));
  expect_error(basin_system_restore_array(gpu.system, gpu.x), BASIN_ERROR_LENGTH, "71");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_scenes, close_scenes)

int main(void)
{
  const struct CMUnitTest tests[] = {
      TEST(test_same_numbers),
      TEST(test_nothing_twice),
      TEST(test_host_writes),
      TEST(test_device_writes),
      TEST(test_device_write_given_up),
      TEST(test_kept),
      TEST(test_resize),
      TEST(test_connectivity_writes),
      TEST(test_connectivity_range),
      TEST(test_binding),
      TEST(test_compute),
      TEST(test_bad_device),
      TEST(test_provider_without_image),
  };
  skip_without_device();
  return cmocka_run_group_tests(tests, NULL, NULL);
}
