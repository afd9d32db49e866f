/* What every exported function does first: the lock, counts, failures on demand, the log.
 * SPDX-License-Identifier: Apache-2.0 */
#include "state.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_MAX_LENGTH = 64, NAMES = 256, FAILURES = 64, MESSAGE = 1024 };

typedef struct failure {
  char name[NAME_MAX_LENGTH];
  long call, every; /* the n-th call fails; or each n-th */
  int result;
} failure;

typedef struct counter {
  char name[NAME_MAX_LENGTH];
  long calls, total; /* since the last configuration, since the start */
} counter;

static struct {
  pthread_mutex_t lock;
  bool configured;
  failure failures[FAILURES];
  size_t failure_count;
  counter counters[NAMES];
  size_t counter_count;
  char message[MESSAGE];
} calls = {.lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP};

long long softcuda_setting(const char *name, long long otherwise)
{
  const char *text = getenv(name);
  if (!text || !*text) return otherwise;
  char *end;
  long long value = strtoll(text, &end, 0);
  switch (*end) {
  case 'k':
    return value << 10;
  case 'M':
    return value << 20;
  case 'G':
    return value << 30;
  default:
    return value;
  }
}

/* ---- log ---- */

void softcuda_log(const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(calls.message, sizeof calls.message, format, arguments);
  va_end(arguments);
  const char *where = getenv("SOFTCUDA_LOG");
  if (!where || !*where) return;
  bool to_error = strcmp(where, "-") == 0;
  FILE *file = to_error ? stderr : fopen(where, "a");
  if (!file) return;
  fprintf(file, "software CUDA: %s\n", calls.message);
  if (!to_error) fclose(file);
}

const char *softcuda_last_message(void)
{
  return calls.message;
}

/* ---- failures on demand ---- */

/* "cuMemAlloc:5=2" is one; with `every`, each fifth call. */
static void read_failures(const char *variable, bool every)
{
  const char *text = getenv(variable);
  while (text && *text && calls.failure_count < FAILURES) {
    failure *f = &calls.failures[calls.failure_count];
    long number = 0;
    *f = (failure){0};
    if (sscanf(text, "%63[^:,]:%ld=%d", f->name, &number, &f->result) == 3 && number > 0) {
      *(every ? &f->every : &f->call) = number;
      calls.failure_count++;
    } else {
      softcuda_log("%s: '%s' is not NAME:NUMBER=RESULT", variable, text);
    }
    text = strchr(text, ',');
    if (text) text++;
  }
}

static void write_counts(void)
{
  const char *path = getenv("SOFTCUDA_COUNT");
  if (!path || !*path) return;
  FILE *file = fopen(path, "w");
  if (!file) return;
  for (size_t i = 0; i < calls.counter_count; i++)
    fprintf(file, "%s %ld\n", calls.counters[i].name, calls.counters[i].total);
  fclose(file);
}

void softcuda_configure(void)
{
  static bool registered;
  if (!registered) registered = atexit(write_counts) == 0;
  calls.configured = true;
  calls.failure_count = 0;
  for (size_t i = 0; i < calls.counter_count; i++) calls.counters[i].calls = 0;
  read_failures("SOFTCUDA_FAIL", false);
  read_failures("SOFTCUDA_FAIL_EVERY", true);
}

static long count_call(const char *name)
{
  for (size_t i = 0; i < calls.counter_count; i++)
    if (strcmp(calls.counters[i].name, name) == 0) {
      calls.counters[i].total++;
      return ++calls.counters[i].calls;
    }
  if (calls.counter_count == NAMES) return 0;
  counter *c = &calls.counters[calls.counter_count++];
  snprintf(c->name, sizeof c->name, "%s", name);
  c->calls = c->total = 1;
  return 1;
}

/* Errors that a device gives from then on. */
static bool is_lasting(int result)
{
  switch (result) {
  case BASIN_CU_ILLEGAL_ADDRESS:
  case BASIN_CU_LAUNCH_TIMEOUT:
  case BASIN_CU_CONTEXT_IS_DESTROYED:
  case BASIN_CU_ASSERT:
  case BASIN_CU_HARDWARE_STACK_ERROR:
  case BASIN_CU_ILLEGAL_INSTRUCTION:
  case BASIN_CU_MISALIGNED_ADDRESS:
  case BASIN_CU_INVALID_ADDRESS_SPACE:
  case BASIN_CU_INVALID_PC:
  case BASIN_CU_LAUNCH_FAILED:
    return true;
  default:
    return false;
  }
}

int softcuda_enter(const char *name)
{
  pthread_mutex_lock(&calls.lock);
  if (!calls.configured) softcuda_configure();
  long number = count_call(name);
  for (size_t i = 0; i < calls.failure_count; i++) {
    const failure *f = &calls.failures[i];
    if (strcmp(f->name, name) != 0) continue;
    if (number == f->call || (f->every && number % f->every == 0)) {
      softcuda_log("call %ld of %s fails with %d as asked", number, name, f->result);
      softcuda_context *context;
      if (is_lasting(f->result) && softcuda_context_get(&context) == BASIN_CU_SUCCESS)
        softcuda_context_lose(context, f->result);
      pthread_mutex_unlock(&calls.lock);
      return f->result;
    }
  }
  return 0;
}

void softcuda_leave(int *held)
{
  (void)held;
  pthread_mutex_unlock(&calls.lock);
}
