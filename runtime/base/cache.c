/* Compiled kernels on disk. A file is a header of 32 bytes, then the object.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define CACHE_SUFFIX     ".kernel"
#define TEMPORARY_PREFIX ".new-"

typedef struct cache_header {
  char magic[8];
  uint64_t size;     /* of what follows */
  uint64_t checksum; /* of what follows */
  uint64_t reserved;
} cache_header;
_Static_assert(sizeof(cache_header) == 32, "the header of a cached kernel is 32 bytes");

static const char cache_magic[8] = {'B', 'A', 'S', 'I', 'N', 'K', '0', '1'};

struct basin_cache {
  basin_context *context;
  char *folder; /* NULL = off */
  uint64_t limit;
  pthread_mutex_t lock; /* of what follows */
  bool warned;
  uint64_t unswept; /* bytes written since the folder's size was last looked at */
};

basin_status basin__cache_create(basin_context *context, basin_cache **cache)
{
  const char *folder = basin__context_options(context)->cache_folder, *state = basin__env("CACHE");
  *cache = basin__calloc(context, 1, sizeof **cache);
  if (!*cache) return BASIN_ERROR_MEMORY;
  (*cache)->context = context;
  (*cache)->limit = basin__env_count("CACHE_MAX", 512) << 20;
  (*cache)->unswept = UINT64_MAX; /* look before the first write */
  pthread_mutex_init(&(*cache)->lock, NULL);
  if (!folder || !*folder || (state && strcmp(state, "off") == 0)) return BASIN_OK;
  (*cache)->folder = basin__strdup(context, folder);
  if ((*cache)->folder) return BASIN_OK;
  basin__cache_destroy(*cache);
  *cache = NULL;
  return BASIN_ERROR_MEMORY;
}

void basin__cache_destroy(basin_cache *cache)
{
  if (!cache) return;
  pthread_mutex_destroy(&cache->lock);
  basin__strfree(cache->context, cache->folder);
  basin__free(cache->context, cache, sizeof *cache);
}

bool basin__cache_enabled(const basin_cache *cache)
{
  return cache->folder != NULL;
}

static void warn_once(basin_cache *cache, const char *what, const char *why)
{
  pthread_mutex_lock(&cache->lock);
  bool first = !cache->warned;
  cache->warned = true;
  pthread_mutex_unlock(&cache->lock);
  if (first)
    basin__log(cache->context,
               BASIN_LOG_WARN,
               "kernel cache %s: %s (%s); going on without it",
               cache->folder,
               what,
               why);
}

static bool make_path(basin_cache *cache, const basin_key *key, char *path, size_t size)
{
  int length = snprintf(path, size, "%s/%s" CACHE_SUFFIX, cache->folder, key->hex);
  return length > 0 && (size_t)length < size;
}

/* Reads a whole file in one piece; NULL if it is not there. Missing files are the usual case and no
 * error. */
static void *read_file(basin_cache *cache, const char *path, size_t *size)
{
  struct stat info;
  if (stat(path, &info) != 0 || !S_ISREG(info.st_mode) || info.st_size < 0) return NULL;
  FILE *file = fopen(path, "rb");
  if (!file) return NULL;
  *size = (size_t)info.st_size;
  char *data = basin__alloc_aligned(cache->context, *size + 1);
  if (data && fread(data, 1, *size, file) != *size) {
    basin__free_aligned(cache->context, data, *size + 1);
    data = NULL;
  }
  fclose(file);
  return data;
}

static bool is_sound(const char *data, size_t size)
{
  cache_header header;
  if (size < sizeof header) return false;
  memcpy(&header, data, sizeof header);
  return memcmp(header.magic, cache_magic, sizeof cache_magic) == 0 &&
         header.size == size - sizeof header &&
         header.checksum == basin__hash64(data + sizeof header, (size_t)header.size, 0);
}

void *basin__cache_get(basin_cache *cache, const basin_key *key, size_t *size)
{
  char path[4096];
  size_t total = 0;
  if (!cache->folder || !make_path(cache, key, path, sizeof path)) return NULL;
  char *data = read_file(cache, path, &total);
  if (!data) return NULL;
  if (!is_sound(data, total)) {
    basin__log(
        cache->context, BASIN_LOG_WARN, "kernel cache: %s is damaged and is made again", path);
    basin__free_aligned(cache->context, data, total + 1);
    remove(path);
    return NULL;
  }
  utimensat(AT_FDCWD, path, NULL, 0); /* used now: the sweep takes it last */
  *size = total - sizeof(cache_header);
  return data + sizeof(cache_header);
}

void basin__cache_release(basin_cache *cache, void *data, size_t size)
{
  if (data)
    basin__free_aligned(
        cache->context, (char *)data - sizeof(cache_header), size + sizeof(cache_header) + 1);
}

/* ---- the size of the folder ---- */

typedef struct cached_file {
  char name[64];
  uint64_t size;
  struct timespec time;
} cached_file;

static int by_age(const void *a, const void *b)
{
  const cached_file *x = a, *y = b;
  if (x->time.tv_sec != y->time.tv_sec) return x->time.tv_sec < y->time.tv_sec ? -1 : 1;
  if (x->time.tv_nsec != y->time.tv_nsec) return x->time.tv_nsec < y->time.tv_nsec ? -1 : 1;
  return strcmp(x->name, y->name);
}

static bool is_cached_name(const char *name)
{
  size_t length = strlen(name), suffix = sizeof CACHE_SUFFIX - 1;
  return length == 32 + suffix && strcmp(name + 32, CACHE_SUFFIX) == 0;
}

/* What a process that died left behind while writing. */
static bool is_stale(const char *name, const struct stat *info)
{
  enum { STALE_SECONDS = 3600 };
  return strncmp(name, TEMPORARY_PREFIX, sizeof TEMPORARY_PREFIX - 1) == 0 &&
         time(NULL) - info->st_mtime > STALE_SECONDS;
}

static uint64_t
list_files(basin_cache *cache, DIR *folder, cached_file **files, size_t *count, size_t *capacity)
{
  uint64_t total = 0;
  for (const struct dirent *entry; (entry = readdir(folder)) != NULL;) {
    struct stat info;
    if (fstatat(dirfd(folder), entry->d_name, &info, 0) != 0) continue;
    if (is_stale(entry->d_name, &info)) unlinkat(dirfd(folder), entry->d_name, 0);
    if (!is_cached_name(entry->d_name)) continue;
    if (basin__grow(cache->context, files, capacity, *count + 1, sizeof **files) != BASIN_OK) break;
    cached_file *file = &(*files)[(*count)++];
    snprintf(file->name, sizeof file->name, "%s", entry->d_name);
    file->size = (uint64_t)info.st_size;
    file->time = info.st_mtim;
    total += file->size;
  }
  return total;
}

/* Removes the oldest files until nine tenths of the limit, less `need`, are left. Returns the bytes
 * that stay. */
static uint64_t sweep(basin_cache *cache, uint64_t need)
{
  cached_file *files = NULL;
  size_t count = 0, capacity = 0;
  DIR *folder = opendir(cache->folder);
  if (!folder) return 0;
  uint64_t total = list_files(cache, folder, &files, &count, &capacity);
  if (files && total + need > cache->limit) {
    uint64_t goal = cache->limit / 10 * 9;
    qsort(files, count, sizeof *files, by_age);
    for (size_t i = 0; i < count && total + need > goal; i++)
      if (unlinkat(dirfd(folder), files[i].name, 0) == 0) total -= files[i].size;
  }
  closedir(folder);
  basin__free(cache->context, files, capacity * sizeof *files);
  return total;
}

/* Looks at the folder before the first write and whenever a sixteenth of the limit was written
 * since. */
static void make_room(basin_cache *cache, uint64_t need)
{
  pthread_mutex_lock(&cache->lock);
  bool look = cache->unswept > cache->limit / 16 || need > cache->limit / 16;
  if (look) {
    cache->unswept = 0;
    sweep(cache, need);
  }
  cache->unswept += need;
  pthread_mutex_unlock(&cache->lock);
}

/* A temporary file beside the target, then a rename: other processes see all of it or nothing. */
static const char *
write_file(basin_cache *cache, const char *path, const cache_header *header, const void *data)
{
  char temporary[4200];
  snprintf(temporary, sizeof temporary, "%s/" TEMPORARY_PREFIX "XXXXXX", cache->folder);
  int descriptor = mkstemp(temporary);
  if (descriptor < 0) return strerror(errno);
  FILE *file = fdopen(descriptor, "wb");
  if (!file) {
    const char *why = strerror(errno);
    close(descriptor);
    remove(temporary);
    return why;
  }
  bool written = fwrite(header, sizeof *header, 1, file) == 1 &&
                 fwrite(data, 1, (size_t)header->size, file) == header->size;
  if (!written || fflush(file) != 0 || fchmod(descriptor, 0644) != 0) {
    const char *why = strerror(errno);
    fclose(file);
    remove(temporary);
    return why;
  }
  if (fclose(file) == 0 && rename(temporary, path) == 0) return NULL;
  const char *why = strerror(errno);
  remove(temporary);
  return why;
}

static bool make_folder(basin_cache *cache)
{
  if (mkdir(cache->folder, 0700) == 0 || errno == EEXIST) return true;
  char path[4096];
  int length = snprintf(path, sizeof path, "%s", cache->folder);
  if (length <= 0 || (size_t)length >= sizeof path) return false;
  for (char *c = path + 1; *c; c++) {
    if (*c != '/') continue;
    *c = 0;
    if (mkdir(path, 0700) != 0 && errno != EEXIST) return false;
    *c = '/';
  }
  return mkdir(path, 0700) == 0 || errno == EEXIST;
}

void basin__cache_put(basin_cache *cache, const basin_key *key, const void *data, size_t size)
{
  char path[4096];
  cache_header header = {.size = size, .checksum = basin__hash64(data, size, 0)};
  memcpy(header.magic, cache_magic, sizeof cache_magic);
  if (!cache->folder || !make_path(cache, key, path, sizeof path)) return;
  if (size + sizeof header > cache->limit) return;
  if (!make_folder(cache)) {
    warn_once(cache, "cannot make the folder", strerror(errno));
    return;
  }
  make_room(cache, size + sizeof header);
  const char *why = write_file(cache, path, &header, data);
  if (why) warn_once(cache, "cannot write", why);
}
