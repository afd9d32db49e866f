/* ARPACK, opened at run time: implicitly restarted Lanczos (Lehoucq, Sorensen and Yang 1998),
 * shift-and-invert. SPDX-License-Identifier: Apache-2.0 */
#include "arpack.h"

#include "base/base.h"
#include <pthread.h>
#include <string.h>

enum { PARAMETERS = 11, MODE_PLAIN = 1, MODE_SHIFT_INVERT = 3, FIND_ONCE = 1 };
enum { STEP_FIRST = -1, STEP_INVERT = 1, STEP_MASS = 2, STEP_DONE = 99 };
enum { INFO_ITERATION_LIMIT = 1, INFO_NO_SHIFTS = 3, INFO_OWN_START = 1 };

typedef struct arpack {
  basin_context *context;
  basin_dl *library;
#define SYMBOL(required, type, name, arguments) type(*name) arguments;
#include "arpack.def"
#undef SYMBOL
} arpack;

/* Fortran's saved variables are the library's, for all contexts of a process. */
static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;

/* What one call reads and writes. */
typedef struct session {
  int32_t n, count, basis, small_size, info;
  int32_t parameters[PARAMETERS], places[PARAMETERS + 3];
  double *residual, *v, *work, *small;
  int32_t *selected;
  const char *inner;
} session;

/* A library with 64-bit integers overwrites all of a wide one, others its lower half. The size is
 * refused in either case. */
static basin_status check_integers(const arpack *a)
{
  int32_t step[2] = {0, 0}, size[2] = {0, 0}, one[2] = {1, 0}, info[2] = {0, 0x55555555};
  int32_t parameters[2 * PARAMETERS] = {1, 0, 0, 0, 10, 0, 1, 0}, places[2 * PARAMETERS] = {0};
  double zero = 0, room[16] = {0};
  parameters[6] = MODE_PLAIN;
  pthread_mutex_lock(&one_at_a_time);
  a->dsaupd_(step,
             "I",
             size,
             "LM",
             one,
             &zero,
             room,
             one,
             room,
             one,
             parameters,
             places,
             room,
             room,
             one,
             info,
             1,
             2);
  pthread_mutex_unlock(&one_at_a_time);
  if (info[1] == 0x55555555 && info[0] < 0) return BASIN_OK;
  return BASIN_FAIL(a->context,
                    BASIN_ERROR_UNSUPPORTED,
                    "%s has 64-bit integers; Basin needs ARPACK with 32-bit ones",
                    basin__dl_path(a->library));
}

static basin_status resolve(arpack *a)
{
  void *symbol;
#define SYMBOL(required, type, name, arguments)   \
  symbol = basin__dl_symbol(a->library, #name);   \
  if (symbol == NULL && required) {               \
    return BASIN_FAIL(a->context,                 \
                      BASIN_ERROR_UNSUPPORTED,    \
                      "%s has no function %s",    \
                      basin__dl_path(a->library), \
                      #name);                     \
  }                                               \
  memcpy(&a->name, &symbol, sizeof symbol);
#include "arpack.def"
#undef SYMBOL
  return check_integers(a);
}

static const char *const names[] = {"libarpack.so.2", NULL};

static basin_status open_library(basin_context *context, arpack *a)
{
  basin_strbuf reason;
  memset(a, 0, sizeof *a);
  a->context = context;
  basin__strbuf_init(&reason, context);
  a->library = basin__dl_open(context, "ARPACK", names, &reason);
  basin_status status =
      a->library != NULL
          ? resolve(a)
          : BASIN_FAIL(context,
                       BASIN_ERROR_MISSING_LIBRARY,
                       "ARPACK is needed for eigenvalues of a matrix of this size; install the "
                       "Debian package libarpack2 (%s)",
                       basin__strbuf_text(&reason));
  basin__strbuf_fini(&reason);
  return status;
}

bool basin__arpack_available(basin_context *context)
{
  basin_dl *library = basin__dl_open(context, "ARPACK", names, NULL);
  if (library == NULL) return false;
  basin__dl_close(library);
  return true;
}

/* Numbers in (-1, 1) from the index alone (a step of the splitmix64 generator, Steele, Lea and
 * Flood 2014). */
static void fill_start(size_t n, double *x)
{
  for (size_t i = 0; i < n; i++) {
    uint64_t z = (i + 1) * UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    x[i] = (double)(int64_t)(z ^ (z >> 31)) * 0x1p-63;
  }
}

static basin_status prepare(basin_arena *arena, const basin__arpack_problem *p, session *s)
{
  size_t small = p->basis * (p->basis + 8);
  memset(s, 0, sizeof *s);
  s->n = (int32_t)p->n;
  s->count = (int32_t)p->count;
  s->basis = (int32_t)p->basis;
  s->small_size = (int32_t)small;
  s->info = INFO_OWN_START;
  s->inner = p->mass != NULL ? "G" : "I";
  s->parameters[0] = FIND_ONCE;
  s->parameters[2] = p->maximum_iterations < INT32_MAX ? (int32_t)p->maximum_iterations : INT32_MAX;
  s->parameters[3] = 1;
  s->parameters[6] = MODE_SHIFT_INVERT;
  s->residual = basin__arena_alloc(arena, p->n * sizeof(double));
  s->v = basin__arena_alloc(arena, p->n * p->basis * sizeof(double));
  s->work = basin__arena_alloc(arena, 3 * p->n * sizeof(double));
  s->small = basin__arena_alloc(arena, small * sizeof(double));
  s->selected = basin__arena_alloc(arena, p->basis * sizeof(int32_t));
  if (!s->residual || !s->v || !s->work || !s->small || !s->selected) return BASIN_ERROR_MEMORY;
  memset(s->v, 0, p->n * p->basis * sizeof(double));
  memset(s->work, 0, 3 * p->n * sizeof(double));
  memset(s->small, 0, small * sizeof(double));
  memset(s->selected, 0, p->basis * sizeof(int32_t));
  fill_start(p->n, s->residual);
  return BASIN_OK;
}

static void apply_mass(const basin__arpack_problem *p, const double *x, double *y)
{
  if (p->mass != NULL) {
    basin_csr_apply(p->mass, 1, x, y);
  } else {
    memcpy(y, x, p->n * sizeof *y);
  }
}

/* Answers one request; `mass_times` is room for a vector. */
static basin_status answer(const basin__arpack_problem *p,
                           int32_t step,
                           const int32_t *places,
                           double *work,
                           double *mass_times)
{
  const double *x = work + places[0] - 1;
  double *y = work + places[1] - 1;
  switch (step) {
  case STEP_FIRST:
    apply_mass(p, x, mass_times);
    return p->invert(p->user, mass_times, y);
  case STEP_INVERT:
    return p->invert(p->user, p->mass != NULL ? work + places[2] - 1 : x, y);
  case STEP_MASS:
    apply_mass(p, x, y);
    return BASIN_OK;
  default:
    return BASIN_ERROR_INTERNAL;
  }
}

static basin_status failure(const arpack *a, const char *name, int32_t info, size_t found)
{
  if (info == INFO_ITERATION_LIMIT) {
    return BASIN_FAIL(a->context,
                      BASIN_ERROR_NOT_CONVERGED,
                      "the limit of iterations was reached with %zu eigenvalues found",
                      found);
  }
  return BASIN_FAIL(a->context,
                    info == INFO_NO_SHIFTS ? BASIN_ERROR_NOT_CONVERGED : BASIN_ERROR_INTERNAL,
                    "ARPACK's %s failed with status %d",
                    name,
                    (int)info);
}

static basin_status
iterate(const arpack *a, const basin__arpack_problem *p, session *s, double *mass_times)
{
  int32_t step = 0;
  for (;;) {
    a->dsaupd_(&step,
               s->inner,
               &s->n,
               "LM",
               &s->count,
               &p->tolerance,
               s->residual,
               &s->basis,
               s->v,
               &s->n,
               s->parameters,
               s->places,
               s->work,
               s->small,
               &s->small_size,
               &s->info,
               1,
               2);
    if (step == STEP_DONE) break;
    BASIN_TRY(answer(p, step, s->places, s->work, mass_times));
  }
  return s->info == 0 ? BASIN_OK : failure(a, "dsaupd", s->info, (size_t)s->parameters[4]);
}

static basin_status
finish(const arpack *a, const basin__arpack_problem *p, session *s, double *values, double *vectors)
{
  int32_t wanted = 1;
  a->dseupd_(&wanted,
             "A",
             s->selected,
             values,
             vectors,
             &s->n,
             &p->shift,
             s->inner,
             &s->n,
             "LM",
             &s->count,
             &p->tolerance,
             s->residual,
             &s->basis,
             s->v,
             &s->n,
             s->parameters,
             s->places,
             s->work,
             s->small,
             &s->small_size,
             &s->info,
             1,
             1,
             2);
  if (s->info == 0 && s->parameters[4] >= s->count) return BASIN_OK;
  return failure(
      a, "dseupd", s->info != 0 ? s->info : INFO_ITERATION_LIMIT, (size_t)s->parameters[4]);
}

basin_status basin__arpack_solve(basin_context *context,
                                 const basin__arpack_problem *problem,
                                 double *values,
                                 double *vectors,
                                 size_t *iterations)
{
  arpack library;
  session s;
  basin_arena arena;
  basin__arena_init(&arena, context);
  basin_status status = open_library(context, &library);
  if (status == BASIN_OK) status = prepare(&arena, problem, &s);
  double *mass_times = basin__arena_alloc(&arena, problem->n * sizeof *mass_times);
  if (status == BASIN_OK && mass_times == NULL) status = BASIN_ERROR_MEMORY;
  if (status == BASIN_OK) {
    pthread_mutex_lock(&one_at_a_time);
    status = iterate(&library, problem, &s, mass_times);
    if (status == BASIN_OK) status = finish(&library, problem, &s, values, vectors);
    pthread_mutex_unlock(&one_at_a_time);
    *iterations = (size_t)s.parameters[2];
  }
  if (library.library != NULL) basin__dl_close(library.library);
  basin__arena_fini(&arena);
  return status;
}
