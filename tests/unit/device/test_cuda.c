/* The CUDA device layer: memory, transfers, kernels, launches, graphs, counts, errors.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/nvrtc.h"
#include "cuda_support.h"

static basin_context *test_context_of;
static basin_cuda *cuda;
static failing_allocator allocator;

static int open_device(void **state)
{
  (void)state;
  allocator = (failing_allocator){0};
  test_context_of = test_context(&allocator);
  OK(basin__cuda_open(test_context_of, 0, &cuda));
  return 0;
}

static int close_device(void **state)
{
  (void)state;
  basin__cuda_close(cuda);
  basin_context_destroy(test_context_of);
  return allocator.blocks != 0; /* nothing leaks, every block is given back in its size */
}

static void expect_error(basin_status status, basin_status expected, const char *words)
{
  assert_int_equal(status, expected);
  if (!strstr(basin_error_last(test_context_of)->message, words))
    fail_msg("'%s' lacks '%s'", basin_error_last(test_context_of)->message, words);
}

static void test_information(void **state)
{
  (void)state;
  const basin_cuda_info *info = basin__cuda_information(cuda);
  assert_true(strlen(info->name) > 0 && strncmp(info->architecture, "sm_", 3) == 0);
  assert_true(info->memory > 1 << 20 && info->multiprocessors > 0);
  assert_int_equal(info->warp, 32);
  assert_in_range(info->threads_per_block, 256, 4096);
  assert_true(info->driver_version >= 11040);
  assert_non_null(basin__cuda_stream(cuda));
  assert_ptr_equal(basin__cuda_context(cuda), test_context_of);
  assert_int_equal(basin__cuda_ordinal(cuda), 0);
}

static void test_no_such_device(void **state)
{
  (void)state;
  basin_cuda *other;
  expect_error(basin__cuda_open(test_context_of, 999, &other), BASIN_ERROR_DEVICE, "cuda:999");
  assert_null(other);
}

/* ---- memory ---- */

static void test_buffers(void **state)
{
  (void)state;
  basin_buffer buffer = {0};
  size_t before = basin__cuda_get_statistics(cuda).allocated;
  uint32_t words[64], back[64];
  for (uint32_t i = 0; i < 64; ++i) words[i] = i * i + 7;
  OK(basin__buffer_reserve(cuda, &buffer, sizeof words));
  assert_true(buffer.address != 0 && buffer.size >= sizeof words);
  OK(basin__cuda_upload(cuda, buffer.address, words, sizeof words));
  size_t size = buffer.size;
  basin_address address = buffer.address;
  OK(basin__buffer_reserve(cuda, &buffer, 1)); /* large enough: nothing happens */
  assert_true(buffer.size == size && buffer.address == address);
  OK(basin__buffer_extend(cuda, &buffer, sizeof words, size + 1));
  assert_true(buffer.size >= size + size / 2);
  OK(basin__cuda_download(cuda, back, buffer.address, sizeof back));
  assert_memory_equal(words, back, sizeof words);
  assert_int_equal(basin__cuda_get_statistics(cuda).allocated, before + buffer.size);
  basin__buffer_release(cuda, &buffer);
  assert_true(buffer.address == 0 && buffer.size == 0);
  basin__buffer_release(cuda, &buffer);
  assert_int_equal(basin__cuda_get_statistics(cuda).allocated, before);
}

static void test_out_of_memory(void **state)
{
  (void)state;
  basin_buffer buffer = {0};
  OK(basin__buffer_reserve(cuda, &buffer, 256));
  basin_buffer same = buffer;
  expect_error(
      basin__buffer_reserve(cuda, &buffer, (size_t)1 << 46), BASIN_ERROR_MEMORY, "64 TiB asked");
  assert_non_null(strstr(basin_error_last(test_context_of)->message, "are free"));
  assert_true(buffer.address == same.address && buffer.size == same.size);
  OK(basin__cuda_zero(cuda, buffer.address, 256)); /* and the device goes on */
  OK(basin__cuda_wait(cuda));
  basin__buffer_release(cuda, &buffer);
}

/* Transfers of sizes around those at which the way they take changes; the source is overwritten as
 * soon as the call returns. */
static void test_transfers(void **state)
{
  (void)state;
  static const size_t sizes[] = {1, 63, 1000, 1 << 17, (1 << 17) + 1, 3 << 20};
  basin_buffer buffer = {0}, copy = {0};
  for (size_t s = 0; s < BASIN_COUNT(sizes); ++s) {
    unsigned char *from = malloc(sizes[s]), *to = malloc(sizes[s]);
    assert_true(from && to);
    OK(basin__buffer_reserve(cuda, &buffer, sizes[s]));
    OK(basin__buffer_reserve(cuda, &copy, sizes[s]));
    for (size_t i = 0; i < sizes[s]; ++i) from[i] = (unsigned char)(i * 131 + s);
    OK(basin__cuda_upload(cuda, buffer.address, from, sizes[s]));
    memset(from, 0xee, sizes[s]);
    OK(basin__cuda_copy(cuda, copy.address, buffer.address, sizes[s]));
    OK(basin__cuda_download(cuda, to, copy.address, sizes[s]));
    for (size_t i = 0; i < sizes[s]; ++i) assert_int_equal(to[i], (unsigned char)(i * 131 + s));
    OK(basin__cuda_zero(cuda, copy.address, sizes[s]));
    OK(basin__cuda_download(cuda, to, copy.address, sizes[s]));
    for (size_t i = 0; i < sizes[s]; ++i) assert_int_equal(to[i], 0);
    free(from);
    free(to);
  }
  basin__buffer_release(cuda, &buffer);
  basin__buffer_release(cuda, &copy);
}

/* More small uploads than the staging memory holds at once. */
static void test_many_uploads(void **state)
{
  (void)state;
  enum { COUNT = 64, WORDS = 8000 };
  static uint32_t words[WORDS], back[WORDS];
  basin_buffer buffer = {0};
  OK(basin__buffer_reserve(cuda, &buffer, (size_t)COUNT * sizeof words));
  for (uint32_t k = 0; k < COUNT; ++k) {
    for (uint32_t i = 0; i < WORDS; ++i) words[i] = k * 100000 + i;
    OK(basin__cuda_upload(cuda, buffer.address + k * sizeof words, words, sizeof words));
  }
  for (uint32_t k = 0; k < COUNT; ++k) {
    OK(basin__cuda_download(cuda, back, buffer.address + k * sizeof words, sizeof back));
    for (uint32_t i = 0; i < WORDS; ++i) assert_int_equal(back[i], k * 100000 + i);
  }
  basin__buffer_release(cuda, &buffer);
}

static void test_fill(void **state)
{
  (void)state;
  uint32_t back[100];
  basin_buffer buffer = {0};
  OK(basin__buffer_reserve(cuda, &buffer, sizeof back));
  OK(basin__cuda_fill(cuda, buffer.address, 0xdeadbeef, 100));
  OK(basin__cuda_download(cuda, back, buffer.address, sizeof back));
  for (size_t i = 0; i < 100; ++i) assert_int_equal(back[i], 0xdeadbeef);
  basin__buffer_release(cuda, &buffer);
}

static void test_nothing(void **state)
{
  (void)state;
  basin_cuda_statistics before = basin__cuda_get_statistics(cuda);
  OK(basin__cuda_upload(cuda, 0, NULL, 0));
  OK(basin__cuda_download(cuda, NULL, 0, 0));
  OK(basin__cuda_copy(cuda, 0, 0, 0));
  OK(basin__cuda_zero(cuda, 0, 0));
  OK(basin__cuda_fill(cuda, 0, 1, 0));
  basin_cuda_statistics after = basin__cuda_get_statistics(cuda);
  assert_memory_equal(&before, &after, sizeof before);
}

/* ---- kernels ---- */

static basin_buffer make_numbers(size_t count)
{
  basin_buffer buffer = {0};
  double *numbers = malloc(count * sizeof *numbers);
  assert_non_null(numbers);
  for (size_t i = 0; i < count; ++i) numbers[i] = (double)i + 0.5;
  OK(basin__buffer_reserve(cuda, &buffer, count * sizeof *numbers));
  OK(basin__cuda_upload(cuda, buffer.address, numbers, count * sizeof *numbers));
  free(numbers);
  return buffer;
}

/* to[i] = from[i] + from[i] through sum_rows with rows of two equal indices. */
static basin_status launch_twice(
    basin_address indices, basin_address from, basin_address to, size_t count, const char *subject)
{
  basin_cuda_launch launch = {.blocks = basin__cuda_blocks(count, 128), .threads = 128};
  launch.subject = subject;
  BASIN_TRY(basin__cuda_kernel(cuda, "rows.cu", "sum_rows", "", &launch.kernel));
  basin_address none = 0;
  unsigned arity = 2, size = 1, mean = 0;
  unsigned long long n = count;
  void *parameters[] = {&indices, &none, &arity, &from, &to, &n, &size, &mean};
  return basin__cuda_launch(cuda, &launch, parameters);
}

static basin_buffer make_pairs(uint32_t count)
{
  basin_buffer buffer = {0};
  uint32_t *words = malloc(2 * count * sizeof *words);
  assert_non_null(words);
  for (uint32_t i = 0; i < 2 * count; ++i) words[i] = i / 2;
  OK(basin__buffer_reserve(cuda, &buffer, 2 * count * sizeof *words));
  OK(basin__cuda_upload(cuda, buffer.address, words, 2 * count * sizeof *words));
  free(words);
  return buffer;
}

static void expect_numbers(basin_address address, size_t count, double factor)
{
  double *numbers = malloc(count * sizeof *numbers);
  assert_non_null(numbers);
  OK(basin__cuda_download(cuda, numbers, address, count * sizeof *numbers));
  for (size_t i = 0; i < count; ++i) assert_true(numbers[i] == factor * ((double)i + 0.5));
  free(numbers);
}

static void test_launch(void **state)
{
  (void)state;
  enum { COUNT = 1000 };
  basin_buffer pairs = make_pairs(COUNT), from = make_numbers(COUNT), to = {0};
  OK(basin__buffer_reserve(cuda, &to, COUNT * sizeof(double)));
  basin_cuda_statistics before = basin__cuda_get_statistics(cuda);
  OK(launch_twice(pairs.address, from.address, to.address, COUNT, "a test"));
  expect_numbers(to.address, COUNT, 2);
  OK(launch_twice(pairs.address, from.address, to.address, COUNT, NULL));
  OK(basin__cuda_wait(cuda));
  basin_cuda_statistics after = basin__cuda_get_statistics(cuda);
  assert_int_equal(after.launches, before.launches + 2);
  assert_int_equal(after.loaded, before.loaded + 1); /* found again the second time */
  assert_int_equal(after.downloads, before.downloads + 1);
  assert_int_equal(after.downloaded_bytes, before.downloaded_bytes + COUNT * sizeof(double));
  assert_int_equal(after.waits, before.waits + 1);
  OK(launch_twice(0, 0, 0, 0, NULL)); /* no blocks */
  assert_int_equal(basin__cuda_get_statistics(cuda).launches, after.launches);
  const basin_cuda_kernel *kernel;
  OK(basin__cuda_kernel(cuda, "rows.cu", "sum_rows", "", &kernel));
  basin_cuda_kernel_info info = basin__cuda_kernel_information(kernel);
  assert_true(info.threads_limit >= 128);
  basin__buffer_release(cuda, &pairs);
  basin__buffer_release(cuda, &from);
  basin__buffer_release(cuda, &to);
}

static void test_bad_launch(void **state)
{
  (void)state;
  basin_cuda_launch launch = {.blocks = 1, .threads = 4096, .subject = "term t"};
  OK(basin__cuda_kernel(cuda, "rows.cu", "sum_rows", "", &launch.kernel));
  expect_error(basin__cuda_launch(cuda, &launch, NULL), BASIN_ERROR_RANGE, "4096 threads");
  assert_non_null(
      strstr(basin_error_last(test_context_of)->message, "rows.cu:sum_rows for term t"));
  launch.threads = 32;
  launch.shared = 1 << 30;
  expect_error(basin__cuda_launch(cuda, &launch, NULL), BASIN_ERROR_RANGE, "shared memory");
}

static void test_bad_kernel(void **state)
{
  (void)state;
  const basin_cuda_kernel *kernel;
  expect_error(
      basin__cuda_kernel(cuda, "nowhere.cu", "x", "", &kernel), BASIN_ERROR_INTERNAL, "nowhere.cu");
  expect_error(basin__cuda_kernel(cuda, "rows.cu", "no_entry", "", &kernel),
               BASIN_ERROR_DEVICE,
               "rows.cu:no_entry");
  expect_error(basin__cuda_kernel(cuda, "rows.cu", "sum_rows", "-Dunsigned=nonsense", &kernel),
               BASIN_ERROR_COMPILE,
               "rows.cu:sum_rows");
  basin_kernel plan = {.hash = "0123456789abcdef0123456789abcdef"};
  expect_error(
      basin__cuda_kernel_of(cuda, &plan, "term t", &kernel), BASIN_ERROR_INTERNAL, "term t");
  plan.image = "no image at all";
  plan.image_size = 16;
  expect_error(
      basin__cuda_kernel_of(cuda, &plan, "term t", &kernel), BASIN_ERROR_UNSUPPORTED, "term t");
}

/* Several texts compiled at once are only loaded later; what is wrong is said then. */
static void test_prepare(void **state)
{
  (void)state;
  static const basin_cuda_wanted wanted[] = {{"rows.cu", "-DFIRST=1 -DSECOND=2"},
                                             {"reduce.cu", "-DFIRST=1"},
                                             {"rows.cu", "-DFIRST=1 -DSECOND=2"},
                                             {"rows.cu", "-Dunsigned=nonsense"}};
  const basin_cuda_kernel *kernel;
  setenv("BASIN_CACHE", "off", 1);
  basin_cuda *own;
  OK(basin__cuda_open(test_context_of, 0, &own));
  unsetenv("BASIN_CACHE");
  size_t before = basin__cuda_get_statistics(own).compiled;
  OK(basin__cuda_prepare(own, wanted, BASIN_COUNT(wanted)));
  assert_int_equal(basin__cuda_get_statistics(own).compiled, before + 2);
  OK(basin__cuda_prepare(own, wanted, 2));
  OK(basin__cuda_kernel(own, "rows.cu", "sum_rows", "-DFIRST=1 -DSECOND=2", &kernel));
  OK(basin__cuda_prepare(own, wanted, 1));
  assert_int_equal(basin__cuda_get_statistics(own).compiled, before + 2);
  expect_error(basin__cuda_kernel(own, "rows.cu", "sum_rows", wanted[3].definitions, &kernel),
               BASIN_ERROR_COMPILE,
               "rows.cu:sum_rows");
  expect_error(basin__cuda_prepare(own, &(basin_cuda_wanted){"nowhere.cu", ""}, 1),
               BASIN_ERROR_INTERNAL,
               "nowhere.cu");
  basin__cuda_close(own); /* reduce.cu was never asked for */
}

/* ---- kernels of plans: images with an entry basin_kernel ---- */

/* The image of a text; its key is made up. */
static basin_cuda_launch load_text(const char *text, const char *hash, const char *subject)
{
  basin_nvrtc *nvrtc;
  basin_nvrtc_code code;
  OK(basin__nvrtc_open(test_context_of, 0, &nvrtc));
  basin_nvrtc_request request = {
      .name = "test", .text = text, .architecture = basin__cuda_architecture(cuda)};
  OK(basin__nvrtc_compile(nvrtc, &request, &code));
  basin_kernel plan = {.image = code.image, .image_size = code.size, .hash = hash};
  basin_cuda_launch launch = {.threads = 128, .subject = subject};
  const basin_cuda_kernel *again;
  OK(basin__cuda_kernel_of(cuda, &plan, "test_kernel", &launch.kernel));
  basin__nvrtc_release(nvrtc, &code);
  OK(basin__cuda_kernel_of(cuda, &(basin_kernel){.image = text, .hash = hash}, "same", &again));
  assert_ptr_equal(again, launch.kernel); /* known by its hash alone */
  basin__nvrtc_close(nvrtc);
  return launch;
}

/* Turns the numbers of each block around through dynamic shared memory, more of it than a kernel
 * has without asking. */
static void test_shared_memory(void **state)
{
  (void)state;
  static const char text[] =
      "extern \"C\" __global__ void basin_kernel(double *a, unsigned far) {\n"
      "  extern __shared__ double room[];\n"
      "  double *own = a + blockIdx.x * blockDim.x;\n"
      "  room[far + threadIdx.x] = own[threadIdx.x];\n"
      "  __syncthreads();\n"
      "  own[threadIdx.x] = room[far + blockDim.x - 1 - threadIdx.x];\n"
      "}\n";
  enum { BLOCKS = 3, COUNT = 128 * BLOCKS, FAR = 7000 };
  double numbers[COUNT];
  basin_buffer buffer = make_numbers(COUNT);
  basin_cuda_launch launch = load_text(text, "00000000000000000000000000000001", "a test");
  launch.blocks = BLOCKS;
  launch.shared = (FAR + 128) * sizeof(double);
  assert_true(launch.shared > 48 << 10);
  unsigned far = FAR;
  OK(basin__cuda_launch(cuda, &launch, (void *[]){&buffer.address, &far}));
  OK(basin__cuda_download(cuda, numbers, buffer.address, sizeof numbers));
  for (int i = 0; i < COUNT; ++i)
    assert_true(numbers[i] == (double)(i / 128 * 128 + 127 - i % 128) + 0.5);
  basin__buffer_release(cuda, &buffer);
}

/* A kernel that writes where nothing is: the error names it and what it was for, and the device is
 * lost. Another context opens it anew if the driver allows that. */
static void test_wild_write(void **state)
{
  (void)state;
  static const char text[] = "extern \"C\" __global__ void basin_kernel(double *a) {\n"
                             "  a[1ull << 40] = 1;\n"
                             "}\n";
  if (!is_software()) skip(); /* a real device may be lost for the whole process */
  basin_buffer buffer = make_numbers(8);
  basin_cuda_launch launch = load_text(text, "00000000000000000000000000000002", "term t");
  launch.blocks = 1;
  basin_status status = basin__cuda_launch(cuda, &launch, (void *[]){&buffer.address});
  if (status == BASIN_OK) status = basin__cuda_wait(cuda);
  expect_error(status, BASIN_ERROR_DEVICE, "test_kernel for term t");
  assert_non_null(strstr(basin_error_last(test_context_of)->message, "CUDA_ERROR_"));
  expect_error(basin__cuda_wait(cuda), BASIN_ERROR_DEVICE, "was lost");
  basin__buffer_release(cuda, &buffer);
  assert_int_equal(basin__cuda_get_statistics(cuda).allocated, 0);
}

/* What the vendor's libraries need. */
static void test_enter(void **state)
{
  (void)state;
  OK(basin__cuda_enter(cuda));
  OK(basin__cuda_enter(cuda));
  OK(basin__cuda_wait(cuda));
  basin__cuda_leave(cuda);
  basin__cuda_leave(cuda);
  OK(basin__cuda_wait(cuda));
}

/* ---- graphs ---- */

static void test_graph(void **state)
{
  (void)state;
  enum { COUNT = 300 };
  basin_buffer pairs = make_pairs(COUNT), from = make_numbers(COUNT), to = {0};
  basin_cuda_graph *graph;
  OK(basin__buffer_reserve(cuda, &to, COUNT * sizeof(double)));
  OK(basin__cuda_zero(cuda, to.address, COUNT * sizeof(double)));
  OK(launch_twice(pairs.address, from.address, to.address, 1, NULL)); /* compiles and loads */
  OK(basin__cuda_graph_begin(cuda));
  OK(launch_twice(pairs.address, from.address, to.address, COUNT, NULL));
  OK(launch_twice(pairs.address, to.address, from.address, COUNT, NULL));
  expect_error(basin__cuda_wait(cuda), BASIN_ERROR_STATE, "graph");
  double number = 0;
  expect_error(
      basin__cuda_download(cuda, &number, to.address, sizeof number), BASIN_ERROR_STATE, "graph");
  expect_error(
      basin__cuda_upload(cuda, to.address, &number, sizeof number), BASIN_ERROR_STATE, "graph");
  expect_error(basin__cuda_graph_begin(cuda), BASIN_ERROR_STATE, "graph");
  OK(basin__cuda_graph_end(cuda, &graph));
  expect_numbers(from.address, COUNT, 1); /* nothing has run */
  for (int round = 1; round <= 3; ++round) OK(basin__cuda_graph_launch(cuda, graph));
  expect_numbers(from.address, COUNT, 64);
  assert_int_equal(basin__cuda_get_statistics(cuda).graph_launches, 3);
  basin__cuda_graph_destroy(cuda, graph);
  basin__cuda_graph_destroy(cuda, NULL);
  expect_error(basin__cuda_graph_end(cuda, &graph), BASIN_ERROR_STATE, "no graph");
  basin__buffer_release(cuda, &pairs);
  basin__buffer_release(cuda, &from);
  basin__buffer_release(cuda, &to);
}

static void test_timer(void **state)
{
  (void)state;
  enum { COUNT = 1000 };
  double seconds = -1;
  basin_buffer pairs = make_pairs(COUNT), from = make_numbers(COUNT), to = {0};
  OK(basin__buffer_reserve(cuda, &to, COUNT * sizeof(double)));
  OK(basin__cuda_timer_start(cuda));
  OK(launch_twice(pairs.address, from.address, to.address, COUNT, NULL));
  OK(basin__cuda_timer_stop(cuda, &seconds));
  assert_true(seconds >= 0 && seconds < 60);
  basin__buffer_release(cuda, &pairs);
  basin__buffer_release(cuda, &from);
  basin__buffer_release(cuda, &to);
}

/* ---- a device shared by the systems of a context ---- */

static void test_share(void **state)
{
  (void)state;
  basin_context *context = test_context(NULL);
  basin_cuda *first, *second;
  assert_int_equal(basin__cuda_share(context, 0, &first), BASIN_OK);
  assert_int_equal(basin__cuda_share(context, 0, &second), BASIN_OK);
  assert_ptr_equal(first, second);
  basin_context_destroy(context);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_information, open_device, close_device),
      cmocka_unit_test_setup_teardown(test_no_such_device, open_device, close_device),
      cmocka_unit_test_setup_teardown(test_buffers, open_device, close_device),
      cmocka_unit_test_setup_teardown(test_out_of_memory, open_device, close_device),
      cmocka_unit_test_setup_teardown(test_transfers, open_device, close_device),
      cmocka_unit_test_setup_teardown(test_many_uploads, open_device, close_device),
      cmocka_unit_test_setup_teardown(test_fill, open_device, close_device),
      cmocka_unit_test_setup_teardown(test_nothing, open_device, close_device),
      cmocka_unit_test_setup_teardown(test_launch, open_device, close_device),
      cmocka_unit_test_setup_teardown(test_bad_launch, open_device, close_device),
      cmocka_unit_test_setup_teardown(test_bad_kernel, open_device, close_device),
      cmocka_unit_test_setup_teardown(test_prepare, open_device, close_device),
      cmocka_unit_test_setup_teardown(test_shared_memory, open_device, close_device),
      cmocka_unit_test_setup_teardown(test_wild_write, open_device, close_device),
      cmocka_unit_test_setup_teardown(test_enter, open_device, close_device),
      cmocka_unit_test_setup_teardown(test_graph, open_device, close_device),
      cmocka_unit_test_setup_teardown(test_timer, open_device, close_device),
      cmocka_unit_test(test_share),
  };
  skip_without_device();
  return cmocka_run_group_tests(tests, NULL, NULL);
}
