/* Where the time goes: launches, threads and seconds of each kernel, written at exit.
 * SPDX-License-Identifier: Apache-2.0 */
#include "profile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { KERNELS_MAX = 512, NAME_LENGTH = 64 };

typedef struct kernel_time {
  char name[NAME_LENGTH];
  double seconds;
  size_t launches, threads;
} kernel_time;

static struct {
  kernel_time kernels[KERNELS_MAX];
  size_t count;
} profile;

double softcuda_profile_clock(void)
{
  struct timespec now;
  if (!getenv("SOFTCUDA_PROFILE")) return -1;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int slower_first(const void *a, const void *b)
{
  double x = ((const kernel_time *)a)->seconds, y = ((const kernel_time *)b)->seconds;
  return (x < y) - (x > y);
}

static void write_profile(void)
{
  const char *path = getenv("SOFTCUDA_PROFILE");
  FILE *file = path && *path ? fopen(path, "w") : NULL;
  if (!file) return;
  qsort(profile.kernels, profile.count, sizeof *profile.kernels, slower_first);
  for (size_t i = 0; i < profile.count; i++) {
    const kernel_time *k = &profile.kernels[i];
    fprintf(file, "%s %zu %zu %.6f\n", k->name, k->launches, k->threads, k->seconds);
  }
  fclose(file);
}

void softcuda_profile_add(const char *name, size_t threads, double start)
{
  if (start < 0) return;
  if (profile.count == 0) atexit(write_profile);
  size_t i = 0;
  while (i < profile.count && strncmp(profile.kernels[i].name, name, NAME_LENGTH - 1) != 0) i++;
  if (i == KERNELS_MAX) return;
  kernel_time *k = &profile.kernels[i];
  if (i == profile.count) {
    profile.count++;
    snprintf(k->name, sizeof k->name, "%s", name);
  }
  k->seconds += softcuda_profile_clock() - start;
  k->launches++;
  k->threads += threads;
}
