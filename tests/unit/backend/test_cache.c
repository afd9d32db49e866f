/* Kernels on disk: kept, found, rebuilt when damaged, bounded, shared by processes, and never a
 * reason to fail. SPDX-License-Identifier: Apache-2.0 */
#include "random_kernel.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static char folder[512];
static random_kernel kernel_a, kernel_b;
static int warnings;

static void count_warnings(void *user, basin_log_level level, const char *message)
{
  (void)user;
  (void)message;
  warnings += level == BASIN_LOG_WARN;
}

static basin_context *open_context(const char *cache_folder)
{
  basin_options options = basin_options_defaults();
  options.cache_folder = cache_folder;
  options.log_level = BASIN_LOG_WARN;
  options.log = count_warnings;
  warnings = 0;
  return basin_context_create(&options);
}

/* Visits the files of the folder: how many there are; the last name with the suffix goes to `name`.
 */
static int list_folder(const char *suffix, char name[300])
{
  int count = 0;
  DIR *directory = opendir(folder);
  for (const struct dirent *entry; directory && (entry = readdir(directory)) != NULL;) {
    size_t length = strlen(entry->d_name), tail = strlen(suffix);
    if (entry->d_name[0] == '.' && length <= 2) continue;
    if (length < tail || strcmp(entry->d_name + length - tail, suffix) != 0) continue;
    count++;
    if (name) snprintf(name, 300, "%s", entry->d_name);
  }
  if (directory) closedir(directory);
  return count;
}

static void empty_folder(void)
{
  char name[300], path[900];
  while (list_folder("", name)) {
    snprintf(path, sizeof path, "%s/%s", folder, name);
    remove(path);
  }
  rmdir(folder);
}

static int setup(void **state)
{
  (void)state;
  random_stream random = {11};
  snprintf(folder, sizeof folder, "%s/cache-%d", BASIN_TEST_OUTPUT_DIR, (int)getpid());
  empty_folder();
  random_kernel_fill(&kernel_a, &random, (kernel_shape){.stage = BASIN_STAGE_VALUE});
  random_kernel_fill(
      &kernel_b, &random, (kernel_shape){.stage = BASIN_STAGE_COMPUTE, .output_size = 3});
  return 0;
}

static int teardown(void **state)
{
  (void)state;
  empty_folder();
  return 0;
}

/* Compiles and runs kernel a in a context of its own: the energy sum. */
static double
use_kernel(const char *kind, const char *cache_folder, basin_backend_statistics *statistics)
{
  random_stream random = {5};
  sample_data data = sample_data_create(&random, 50);
  basin_context *context = open_context(cache_folder);
  basin_backend *backend = open_backend(context, kind, "double", "");
  basin_kernel kernel = compile_one(backend, &kernel_a.program);
  double sum = 0;
  run_kernel(&kernel, &data, (basin_kernel_args){.end = 50, .energy_sum = &sum});
  *statistics = basin_backend_get_statistics(backend);
  basin_backend_destroy(backend);
  basin_context_destroy(context);
  sample_data_destroy(&data);
  return sum;
}

static void expect_use(size_t compiled, size_t from_disk, double expected)
{
  basin_backend_statistics s;
  double sum = use_kernel("clang", folder, &s);
  assert_int_equal(s.compiled, compiled);
  assert_int_equal(s.from_disk, from_disk);
  assert_true(sum == expected);
}

static double interpreted(void)
{
  basin_backend_statistics s;
  return use_kernel("interp", "", &s);
}

static double first_use(void)
{
  basin_backend_statistics s;
  double sum = use_kernel("clang", folder, &s);
  assert_int_equal(s.compiled, 1);
  assert_true(is_close(sum, interpreted(), 1e-9));
  assert_int_equal(list_folder(".kernel", NULL), 1);
  return sum;
}

static void test_found_again(void **state)
{
  (void)state;
  double sum = first_use();
  expect_use(0, 1, sum);
}

/* The file of the one kernel, for damage. */
static FILE *open_file(const char *mode)
{
  char name[300], path[900];
  assert_int_equal(list_folder(".kernel", name), 1);
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = fopen(path, mode);
  assert_non_null(file);
  return file;
}

static void test_truncated(void **state)
{
  (void)state;
  double sum = first_use();
  static const long lengths[] = {0, 5, 31, 32, 400};
  for (size_t i = 0; i < BASIN_COUNT(lengths); i++) {
    FILE *file = open_file("r+b");
    assert_int_equal(ftruncate(fileno(file), lengths[i]), 0);
    fclose(file);
    expect_use(1, 0, sum);
    assert_int_equal(warnings, 1);
    expect_use(0, 1, sum);
  }
}

static void test_corrupt(void **state)
{
  (void)state;
  double sum = first_use();
  static const long places[] = {0, 9, 17, 40, 200};
  for (size_t i = 0; i < BASIN_COUNT(places); i++) {
    FILE *file = open_file("r+b");
    fseek(file, places[i], SEEK_SET);
    int byte = fgetc(file);
    fseek(file, places[i], SEEK_SET);
    fputc(byte ^ 0x40, file);
    fclose(file);
    expect_use(1, 0, sum);
    expect_use(0, 1, sum);
  }
}

/* Sound by its checksum, but no object: made again, not trusted. */
static void test_foreign(void **state)
{
  (void)state;
  double sum = first_use();
  static const char text[64] = "not an object at all";
  uint64_t header[4] = {0, sizeof text, basin__hash64(text, sizeof text, 0), 0};
  memcpy(header, "BASINK01", 8);
  FILE *file = open_file("wb");
  fwrite(header, sizeof header, 1, file);
  fwrite(text, sizeof text, 1, file);
  fclose(file);
  expect_use(1, 0, sum);
  expect_use(0, 1, sum);
}

/* A folder below a plain file can be made by nobody, not even by root. */
static void test_unwritable(void **state)
{
  (void)state;
  char path[600], below[700];
  snprintf(path, sizeof path, "%s.file", folder);
  fclose(fopen(path, "wb"));
  snprintf(below, sizeof below, "%s/cache", path);
  basin_backend_statistics s;
  double sum = use_kernel("clang", below, &s);
  assert_int_equal(s.compiled, 1);
  assert_int_equal(warnings, 1);
  assert_true(is_close(sum, interpreted(), 1e-9));
  remove(path);
}

static void test_off(void **state)
{
  (void)state;
  basin_backend_statistics s;
  setenv("BASIN_CACHE", "off", 1);
  use_kernel("clang", folder, &s);
  unsetenv("BASIN_CACHE");
  assert_int_equal(s.compiled, 1);
  assert_int_equal(list_folder("", NULL), 0);
  use_kernel("clang", "", &s);
  assert_int_equal(s.compiled, 1);
}

static void make_old_file(const char *prefix, int number, size_t size)
{
  char path[900];
  snprintf(path, sizeof path, "%s/%s%032x.kernel", folder, prefix, (unsigned)number);
  FILE *file = fopen(path, "wb");
  for (size_t i = 0; i < size; i++) fputc(0, file);
  fclose(file);
  struct timespec times[2] = {{.tv_sec = 1000000 + number}, {.tv_sec = 1000000 + number}};
  assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

/* With a limit of 1 MiB and 40 files of 64 KiB, the oldest go and the newest stay. */
static void test_sweep(void **state)
{
  (void)state;
  char path[900];
  mkdir(folder, 0700);
  for (int i = 0; i < 40; i++) make_old_file("", i, 65536);
  make_old_file(".new-", 1, 10); /* left by a process that died */
  setenv("BASIN_CACHE_MAX", "1", 1);
  basin_backend_statistics s;
  use_kernel("clang", folder, &s);
  unsetenv("BASIN_CACHE_MAX");
  snprintf(path, sizeof path, "%s/.new-%032x.kernel", folder, 1u);
  assert_int_not_equal(access(path, F_OK), 0);
  int left = list_folder(".kernel", NULL);
  assert_in_range(left, 12, 15);
  snprintf(path, sizeof path, "%s/%032x.kernel", folder, 39u);
  assert_int_equal(access(path, F_OK), 0);
  snprintf(path, sizeof path, "%s/%032x.kernel", folder, 0u);
  assert_int_not_equal(access(path, F_OK), 0);
  use_kernel("clang", folder, &s);
  assert_int_equal(s.from_disk, 1);
}

static void test_processes(void **state)
{
  (void)state;
  enum { PROCESSES = 4 };
  pid_t children[PROCESSES];
  double expected = interpreted();
  for (int i = 0; i < PROCESSES; i++) {
    children[i] = fork();
    if (children[i] == 0) {
      basin_backend_statistics s;
      double sum = use_kernel("clang", folder, &s);
      _exit(is_close(sum, expected, 1e-9) && s.compiled + s.from_disk == 1 ? 0 : 1);
    }
  }
  for (int i = 0; i < PROCESSES; i++) {
    int status = -1;
    waitpid(children[i], &status, 0);
    assert_int_equal(status, 0);
  }
  assert_int_equal(list_folder(".kernel", NULL), 1);
  assert_int_equal(list_folder("", NULL), 1);
}

/* The cache alone serves a host without LLVM; what it lacks is named. */
static void test_without_compiler(void **state)
{
  (void)state;
  double sum = first_use();
  basin_backend_statistics s;
  setenv("BASIN_LIB_CLANG", "/nonexistent/basin-clang.so", 1);
  assert_true(use_kernel("cached", folder, &s) == sum);
  assert_int_equal(s.from_disk, 1);
  basin_context *context = open_context(folder);
  basin_backend *backend = open_backend(context, "cached", "double", "");
  basin_backend_job job = {.program = &kernel_b.program};
  assert_int_equal(basin__backend_compile(backend, &job, 1), BASIN_ERROR_MISSING_LIBRARY);
  assert_non_null(strstr(basin_error_last(context)->message, "is not in the cache"));
  basin_backend_destroy(backend);
  basin_context_destroy(context);
  unsetenv("BASIN_LIB_CLANG");
}

int main(void)
{
  if (!have_backend("clang")) return 77;
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
  const struct CMUnitTest tests[] = {
      TEST(test_found_again),
      TEST(test_truncated),
      TEST(test_corrupt),
      TEST(test_foreign),
      TEST(test_unwritable),
      TEST(test_off),
      TEST(test_sweep),
      TEST(test_processes),
      TEST(test_without_compiler),
  };
#undef TEST
  return cmocka_run_group_tests(tests, NULL, NULL);
}
