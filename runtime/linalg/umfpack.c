/* UMFPACK, opened at run time: analysis, factorization, solution.
 * SPDX-License-Identifier: Apache-2.0 */
#include "umfpack.h"

#include "base/base.h"
#include <float.h>
#include <string.h>

/* Constants of umfpack.h. */
enum {
  CONTROL_SIZE = 20,
  INFO_SIZE = 90,
  INFO_RCOND = 67,
  INFO_LNZ = 43,
  INFO_UNZ = 44,
  SYSTEM_TRANSPOSED = 1
};
enum { STATUS_OK = 0, STATUS_SINGULAR = 1, STATUS_OUT_OF_MEMORY = -1 };

struct basin__umfpack {
  basin_context *context;
  basin_dl *library;
#define SYMBOL(required, type, name, arguments) type(*name) arguments;
#include "umfpack.def"
#undef SYMBOL
  double control[CONTROL_SIZE], info[INFO_SIZE];
  void *symbolic, *numeric;
  double *work; /* one column */
  size_t work_size;
};

static basin_status resolve(basin__umfpack *u)
{
  void *symbol;
#define SYMBOL(required, type, name, arguments)   \
  symbol = basin__dl_symbol(u->library, #name);   \
  if (symbol == NULL && required) {               \
    return BASIN_FAIL(u->context,                 \
                      BASIN_ERROR_UNSUPPORTED,    \
                      "%s has no function %s",    \
                      basin__dl_path(u->library), \
                      #name);                     \
  }                                               \
  memcpy(&u->name, &symbol, sizeof symbol);
#include "umfpack.def"
#undef SYMBOL
  u->umfpack_dl_defaults(u->control);
  return BASIN_OK;
}

static basin_status start(basin__umfpack *u)
{
  static const char *const names[] = {"libumfpack.so.6", "libumfpack.so.5", NULL};
  basin_strbuf reason;
  basin__strbuf_init(&reason, u->context);
  u->library = basin__dl_open(u->context, "UMFPACK", names, &reason);
  basin_status status = BASIN_OK;
  if (u->library == NULL) {
    status = BASIN_FAIL(
        u->context,
        BASIN_ERROR_MISSING_LIBRARY,
        "UMFPACK is needed to factorize this matrix; install the Debian package libumfpack5 (%s)",
        basin__strbuf_text(&reason));
  }
  basin__strbuf_fini(&reason);
  BASIN_TRY(status);
  return resolve(u);
}

basin_status basin__umfpack_create(basin_context *context, basin__umfpack **result)
{
  *result = NULL;
  basin__umfpack *u = basin__calloc(context, 1, sizeof *u);
  if (u == NULL) return BASIN_ERROR_MEMORY;
  u->context = context;
  basin_status status = start(u);
  if (status != BASIN_OK) {
    basin__umfpack_destroy(u);
    return status;
  }
  *result = u;
  return BASIN_OK;
}

void basin__umfpack_destroy(basin__umfpack *u)
{
  if (u == NULL) return;
  if (u->numeric != NULL) u->umfpack_dl_free_numeric(&u->numeric);
  if (u->symbolic != NULL) u->umfpack_dl_free_symbolic(&u->symbolic);
  if (u->library != NULL) basin__dl_close(u->library);
  basin__free(u->context, u->work, u->work_size * sizeof *u->work);
  basin__free(u->context, u, sizeof *u);
}

static basin_status failure(const basin__umfpack *u, int64_t status, const char *what)
{
  if (status == STATUS_OUT_OF_MEMORY)
    return BASIN_FAIL(u->context, BASIN_ERROR_MEMORY, "UMFPACK ran out of memory in its %s", what);
  return BASIN_FAIL(
      u->context, BASIN_ERROR_INTERNAL, "UMFPACK's %s failed with status %d", what, (int)status);
}

/* UMFPACK wants columns; rows of A are columns of A^T, and the transposed system is solved. */
basin_status basin__umfpack_analyze(basin__umfpack *u, const basin__square *m)
{
  int64_t size = (int64_t)m->size;
  if (u->numeric != NULL) u->umfpack_dl_free_numeric(&u->numeric);
  if (u->symbolic != NULL) u->umfpack_dl_free_symbolic(&u->symbolic);
  int64_t status = u->umfpack_dl_symbolic(
      size, size, m->starts, m->columns, m->values, &u->symbolic, u->control, u->info);
  return status == STATUS_OK         ? BASIN_OK
         : status == STATUS_SINGULAR ? BASIN_ERROR_SINGULAR
                                     : failure(u, status, "analysis");
}

basin_status basin__umfpack_factorize(basin__umfpack *u, const basin__square *m)
{
  if (u->numeric != NULL) u->umfpack_dl_free_numeric(&u->numeric);
  int64_t status = u->umfpack_dl_numeric(
      m->starts, m->columns, m->values, u->symbolic, &u->numeric, u->control, u->info);
  if (status == STATUS_SINGULAR) return BASIN_ERROR_SINGULAR;
  if (status != STATUS_OK) return failure(u, status, "factorization");
  /* The ratio of the smallest to the largest pivot; at rounding level the matrix is singular for
   * all that can be told. */
  return u->info[INFO_RCOND] > 0.5 * DBL_EPSILON ? BASIN_OK : BASIN_ERROR_SINGULAR;
}

basin_status basin__umfpack_solve(
    basin__umfpack *u, const basin__square *m, size_t columns, const double *b, double *x)
{
  if (u->work_size != m->size) {
    double *work =
        basin__realloc(u->context, u->work, u->work_size * sizeof *work, m->size * sizeof *work);
    if (work == NULL) return BASIN_ERROR_MEMORY;
    u->work = work;
    u->work_size = m->size;
  }
  for (size_t j = 0; j < columns; j++) {
    memcpy(u->work, b + j * m->size, m->size * sizeof *b);
    int64_t status = u->umfpack_dl_solve(SYSTEM_TRANSPOSED,
                                         m->starts,
                                         m->columns,
                                         m->values,
                                         x + j * m->size,
                                         u->work,
                                         u->numeric,
                                         u->control,
                                         u->info);
    if (status != STATUS_OK && status != STATUS_SINGULAR) return failure(u, status, "solution");
  }
  return BASIN_OK;
}

void basin__umfpack_describe(const basin__umfpack *u, basin_factor_info *info)
{
  info->library = "UMFPACK";
  info->algorithm = "multifrontal";
  info->ordering = "AMD or COLAMD";
  info->entries = u->info[INFO_LNZ] + u->info[INFO_UNZ];
  info->negative_pivots = 0;
}
