/* Whole files: read, written atomically, folders made.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/context.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static basin_status fail_io(basin_context *context, const char *what, const char *path, int code)
{
  return BASIN_FAIL(context, BASIN_ERROR_IO, "cannot %s '%s': %s", what, path, strerror(code));
}

/* ---- reading ---- */

/* Reads to the end of `file`. On failure nothing stays allocated. */
static basin_status read_stream(basin_context *context,
                                FILE *file,
                                size_t expected,
                                const char *path,
                                char **data,
                                size_t *size)
{
  char *buffer = NULL;
  size_t capacity = 0, used = 0;
  int code = 0;
  basin_status status;
  for (size_t want = expected + 1;; want = used + 65536) { /* one byte more shows the end */
    status = basin__grow(context, &buffer, &capacity, want + 1, 1);
    if (status != BASIN_OK) break;
    size_t got = fread(buffer + used, 1, capacity - 1 - used, file);
    if (ferror(file)) code = errno;
    used += got;
    if (got == 0 || code) break;
  }
  if (status == BASIN_OK && code) status = fail_io(context, "read", path, code);
  char *exact = NULL;
  if (status == BASIN_OK) {
    exact = basin__realloc(context, buffer, capacity, used + 1);
    if (!exact) status = BASIN_ERROR_MEMORY;
  }
  if (status != BASIN_OK) {
    basin__free(context, buffer, capacity);
    return status;
  }
  exact[used] = '\0';
  *data = exact;
  *size = used;
  return BASIN_OK;
}

basin_status basin__read_file(basin_context *context, const char *path, char **data, size_t *size)
{
  *data = NULL;
  *size = 0;
  FILE *file = fopen(path, "rb");
  if (!file) return fail_io(context, "open", path, errno);
  struct stat info;
  basin_status status;
  if (fstat(fileno(file), &info) != 0)
    status = fail_io(context, "read", path, errno);
  else if (S_ISDIR(info.st_mode))
    status = fail_io(context, "read", path, EISDIR);
  else
    status = read_stream(
        context, file, S_ISREG(info.st_mode) ? (size_t)info.st_size : 0, path, data, size);
  fclose(file);
  return status;
}

/* ---- writing ---- */

/* Writes and closes; 0 or the error number. */
static int write_all(int descriptor, const char *data, size_t size)
{
  int code = 0;
  while (size > 0 && !code) {
    ssize_t written = write(descriptor, data, size < SSIZE_MAX ? size : SSIZE_MAX);
    if (written < 0) {
      if (errno != EINTR) code = errno;
    } else {
      data += written;
      size -= (size_t)written;
    }
  }
  if (close(descriptor) != 0 && !code && errno != EINTR) code = errno;
  return code;
}

/* Opens a file beside `path` that did not exist; its name goes to `name`. -1 on failure. */
static int open_temporary(basin_context *context, const char *path, basin_strbuf *name)
{
  for (int attempt = 0; attempt < 100; ++attempt) {
    unsigned number = context ? atomic_fetch_add(&context->file_counter, 1) : (unsigned)attempt;
    name->length = 0;
    basin__strbuf_printf(name, "%s.%ld.%u.tmp", path, (long)getpid(), number);
    if (name->failed) {
      errno = ENOMEM;
      return -1;
    }
    int descriptor = open(name->data, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor >= 0 || errno != EEXIST) return descriptor;
  }
  return -1;
}

static basin_status
replace_file(basin_context *context, const char *path, const void *data, size_t size)
{
  basin_strbuf name;
  basin__strbuf_init(&name, context);
  int code = 0;
  int descriptor = open_temporary(context, path, &name);
  if (descriptor < 0) {
    code = errno;
  } else {
    code = write_all(descriptor, data, size);
    if (!code && rename(name.data, path) != 0) code = errno;
    if (code) unlink(name.data);
  }
  basin_status status = name.failed ? BASIN_ERROR_MEMORY : BASIN_OK;
  basin__strbuf_fini(&name);
  if (code && status == BASIN_OK) status = fail_io(context, "write", path, code);
  return status;
}

basin_status
basin__write_file(basin_context *context, const char *path, const void *data, size_t size)
{
  struct stat info;
  if (stat(path, &info) != 0) return replace_file(context, path, data, size);
  if (S_ISREG(info.st_mode)) {
    /* Through a symbolic link, the file it names is replaced, not the link. */
    char *target = realpath(path, NULL);
    if (!target) return fail_io(context, "write", path, errno);
    basin_status status = replace_file(context, target, data, size);
    free(target);
    return status;
  }
  /* A device or a pipe cannot be replaced by a rename. */
  int descriptor = open(path, O_WRONLY | O_CLOEXEC);
  int code = descriptor < 0 ? errno : write_all(descriptor, data, size);
  return code ? fail_io(context, "write", path, code) : BASIN_OK;
}

/* ---- folders ---- */

static basin_status make_folder(basin_context *context, const char *path)
{
  if (mkdir(path, 0777) == 0) return BASIN_OK;
  int code = errno;
  struct stat info;
  if (stat(path, &info) == 0) {
    if (S_ISDIR(info.st_mode)) return BASIN_OK;
    code = ENOTDIR;
  }
  return fail_io(context, "make folder", path, code);
}

basin_status basin__make_folders(basin_context *context, const char *path)
{
  if (path[0] == '\0') return BASIN_OK;
  char *partial = basin__strdup(context, path);
  if (!partial) return BASIN_ERROR_MEMORY;
  basin_status status = BASIN_OK;
  for (char *c = partial + 1; status == BASIN_OK && *c; ++c) {
    if (*c != '/' || c[-1] == '/') continue;
    *c = '\0';
    status = make_folder(context, partial);
    *c = '/';
  }
  if (status == BASIN_OK) status = make_folder(context, partial);
  basin__strfree(context, partial);
  return status;
}
