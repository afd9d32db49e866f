/* Tests of runtime/base/file.c in a folder of the build tree.
 * SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

#include <dirent.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define OUT BASIN_TEST_OUTPUT_DIR

static void expect_content(basin_context *context, const char *path, const char *expected)
{
  char *data;
  size_t size;
  assert_int_equal(basin__read_file(context, path, &data, &size), BASIN_OK);
  assert_int_equal(size, strlen(expected));
  assert_string_equal(data, expected); /* terminated */
  basin__free(context, data, size + 1);
}

static void expect_error(basin_context *context, basin_status status, const char *part)
{
  assert_int_equal(status, BASIN_ERROR_IO);
  assert_int_equal(basin_error_last(context)->code, BASIN_ERROR_IO);
  assert_non_null(strstr(basin_error_last(context)->message, part));
}

/* No temporary file stays behind. */
static void expect_no_leftovers(const char *folder)
{
  DIR *dir = opendir(folder);
  assert_non_null(dir);
  for (struct dirent *entry; (entry = readdir(dir));) assert_null(strstr(entry->d_name, ".tmp"));
  closedir(dir);
}

static void write_and_read(void **state)
{
  (void)state;
  failing_allocator allocator = {0};
  basin_context *context = test_context(&allocator);
  assert_int_equal(basin__write_file(context, OUT "/a.txt", "first", 5), BASIN_OK);
  expect_content(context, OUT "/a.txt", "first");
  assert_int_equal(basin__write_file(context, OUT "/a.txt", "", 0), BASIN_OK);
  expect_content(context, OUT "/a.txt", "");
  assert_int_equal(basin__write_file(context, OUT "/a.txt", "second", 6), BASIN_OK);
  expect_content(context, OUT "/a.txt", "second");

  size_t size = 1000003;
  char *big = malloc(size);
  for (size_t i = 0; i < size; ++i) big[i] = (char)(i * 31 % 251);
  assert_int_equal(basin__write_file(context, OUT "/big", big, size), BASIN_OK);
  char *back;
  size_t back_size;
  assert_int_equal(basin__read_file(context, OUT "/big", &back, &back_size), BASIN_OK);
  assert_int_equal(back_size, size);
  assert_memory_equal(back, big, size);
  basin__free(context, back, back_size + 1);
  free(big);
  unlink(OUT "/big");

  /* A symbolic link stays one. */
  unlink(OUT "/link");
  assert_int_equal(symlink("a.txt", OUT "/link"), 0);
  assert_int_equal(basin__write_file(context, OUT "/link", "third", 5), BASIN_OK);
  expect_content(context, OUT "/a.txt", "third");
  struct stat info;
  assert_int_equal(lstat(OUT "/link", &info), 0);
  assert_true(S_ISLNK(info.st_mode));
  expect_no_leftovers(OUT);
  basin_context_destroy(context);
  assert_int_equal(allocator.blocks, 0);
}

static void files_without_a_size_are_read(void **state)
{
  (void)state;
  basin_context *context = test_context(NULL);
  char *data;
  size_t size;
  assert_int_equal(basin__read_file(context, "/proc/self/status", &data, &size), BASIN_OK);
  assert_true(size > 100);
  assert_int_equal(strncmp(data, "Name:", 5), 0);
  basin__free(context, data, size + 1);
  basin_context_destroy(context);
}

static void errors_name_the_file(void **state)
{
  (void)state;
  basin_context *context = test_context(NULL);
  char *data;
  size_t size;
  expect_error(
      context, basin__read_file(context, OUT "/none", &data, &size), "/none': No such file");
  assert_null(data);
  expect_error(context, basin__read_file(context, OUT, &data, &size), "s a directory");
  expect_error(
      context, basin__write_file(context, OUT "/none/x", "x", 1), "/none/x': No such file");
  expect_error(context, basin__write_file(context, OUT, "x", 1), "s a directory");
  expect_error(context, basin__write_file(context, "/proc/none", "x", 1), "/proc/none");
  char full[4096];
  memset(full, 'x', sizeof full);
  expect_error(
      context, basin__write_file(context, "/dev/full", full, sizeof full), "No space left");
  struct stat info;
  assert_int_equal(stat("/dev/full", &info), 0);
  assert_true(S_ISCHR(info.st_mode)); /* still the device */
  basin_context_destroy(context);
}

static void folders(void **state)
{
  (void)state;
  basin_context *context = test_context(NULL);
  rmdir(OUT "/one/two/three");
  rmdir(OUT "/one/two");
  rmdir(OUT "/one");
  assert_int_equal(basin__make_folders(context, OUT "/one//two/three/"), BASIN_OK);
  assert_int_equal(basin__make_folders(context, OUT "/one/two/three"), BASIN_OK);
  struct stat info;
  assert_int_equal(stat(OUT "/one/two/three", &info), 0);
  assert_true(S_ISDIR(info.st_mode));
  assert_int_equal(basin__make_folders(context, "/"), BASIN_OK);
  assert_int_equal(basin__make_folders(context, ""), BASIN_OK);
  assert_int_equal(basin__write_file(context, OUT "/file", "x", 1), BASIN_OK);
  expect_error(context, basin__make_folders(context, OUT "/file"), "file': Not a directory");
  expect_error(context, basin__make_folders(context, OUT "/file/sub"), "Not a directory");
  expect_error(context, basin__make_folders(context, "/proc/none/sub"), "/proc/none");
  basin_context_destroy(context);
}

static void failure_of_every_allocation(void **state)
{
  (void)state;
  for (size_t fail_at = 1;; ++fail_at) {
    assert_true(fail_at < 40);
    failing_allocator allocator = {0};
    basin_context *context = test_context(&allocator);
    allocator.fail_at = allocator.calls + fail_at;
    basin_status status = basin__make_folders(context, OUT "/deep/er");
    if (status == BASIN_OK) status = basin__write_file(context, OUT "/deep/er/f", "text", 4);
    char *data = NULL;
    size_t size = 0;
    if (status == BASIN_OK) status = basin__read_file(context, OUT "/deep/er/f", &data, &size);
    if (status != BASIN_OK) assert_null(data);
    if (data) basin__free(context, data, size + 1);
    assert_int_equal(basin_error_last(context)->code, status);
    basin_context_destroy(context);
    assert_int_equal(allocator.blocks, 0);
    if (status == BASIN_OK) break;
    assert_int_equal(status, BASIN_ERROR_MEMORY);
  }
  expect_no_leftovers(OUT "/deep/er");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(write_and_read),
      cmocka_unit_test(files_without_a_size_are_read),
      cmocka_unit_test(errors_name_the_file),
      cmocka_unit_test(folders),
      cmocka_unit_test(failure_of_every_allocation),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
