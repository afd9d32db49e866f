/* LAPACK, opened at run time: symmetric eigenvalues, singular values, QR.
 * SPDX-License-Identifier: Apache-2.0 */
#include "lapack.h"

#include <string.h>

enum { LARGEST = 32768 }; /* squares of it and work of a few times that fit into 32 bits */

/* A library with 64-bit integers overwrites all of a wide one, others its lower half. */
static basin_status check_integers(const basin__lapack *l)
{
  int32_t version[3][2] = {{-1, -1}, {-1, -1}, {-1, -1}};
  l->ilaver_(version[0], version[1], version[2]);
  if (version[0][1] == -1 && version[0][0] >= 0) return BASIN_OK;
  return BASIN_FAIL(l->context,
                    BASIN_ERROR_UNSUPPORTED,
                    "%s has 64-bit integers; Basin needs LAPACK with 32-bit ones",
                    basin__dl_path(l->library));
}

static basin_status resolve(basin__lapack *l)
{
  void *symbol;
#define SYMBOL(required, type, name, arguments)   \
  symbol = basin__dl_symbol(l->library, #name);   \
  if (symbol == NULL && required) {               \
    return BASIN_FAIL(l->context,                 \
                      BASIN_ERROR_UNSUPPORTED,    \
                      "%s has no function %s",    \
                      basin__dl_path(l->library), \
                      #name);                     \
  }                                               \
  memcpy(&l->name, &symbol, sizeof symbol);
#include "lapack.def"
#undef SYMBOL
  return check_integers(l);
}

basin_status basin__lapack_open(basin_context *context, basin__lapack *lapack)
{
  static const char *const names[] = {"liblapack.so.3", NULL};
  basin_strbuf reason;
  memset(lapack, 0, sizeof *lapack);
  lapack->context = context;
  basin__strbuf_init(&reason, context);
  lapack->library = basin__dl_open(context, "LAPACK", names, &reason);
  basin_status status =
      lapack->library != NULL
          ? resolve(lapack)
          : BASIN_FAIL(
                context,
                BASIN_ERROR_MISSING_LIBRARY,
                "LAPACK is needed for this matrix; install the Debian package liblapack3 (%s)",
                basin__strbuf_text(&reason));
  basin__strbuf_fini(&reason);
  return status;
}

void basin__lapack_close(basin__lapack *lapack)
{
  if (lapack->library != NULL) basin__dl_close(lapack->library);
  lapack->library = NULL;
}

basin_status basin__lapack_check_size(basin_context *context, size_t m, size_t n)
{
  if (m <= LARGEST && n <= LARGEST) return BASIN_OK;
  return BASIN_FAIL(context,
                    BASIN_ERROR_UNSUPPORTED,
                    "a dense %zux%zu matrix is too large; %d rows and columns are the most",
                    m,
                    n,
                    LARGEST);
}

static basin_status outcome(const basin__lapack *l, const char *name, int32_t info)
{
  if (info == 0) return BASIN_OK;
  return BASIN_FAIL(l->context,
                    info > 0 ? BASIN_ERROR_NOT_CONVERGED : BASIN_ERROR_INTERNAL,
                    "LAPACK's %s failed with status %d",
                    name,
                    (int)info);
}

/* What a call with work size -1 asked for. */
static double *work_of(basin_arena *arena, double wanted, int32_t *size)
{
  *size = (int32_t)wanted;
  if (*size < 1) *size = 1;
  return basin__arena_alloc(arena, (size_t)*size * sizeof(double));
}

basin_status basin__lapack_eigen(const basin__lapack *lapack,
                                 basin_arena *arena,
                                 size_t n,
                                 double *a,
                                 double *mass,
                                 double *values,
                                 size_t *indefinite)
{
  int32_t size = (int32_t)n, info = 0, work_size = -1, integer_size = -1, wanted = 0, first = 1;
  int32_t *integers = &wanted;
  double room = 0, *work = &room;
  *indefinite = 0;
  for (int pass = 0; pass < 2; pass++) {
    if (mass == NULL) {
      lapack->dsyevd_("V",
                      "U",
                      &size,
                      a,
                      &size,
                      values,
                      work,
                      &work_size,
                      integers,
                      &integer_size,
                      &info,
                      1,
                      1);
    } else {
      lapack->dsygvd_(&first,
                      "V",
                      "U",
                      &size,
                      a,
                      &size,
                      mass,
                      &size,
                      values,
                      work,
                      &work_size,
                      integers,
                      &integer_size,
                      &info,
                      1,
                      1);
    }
    if (info != 0 || pass == 1) break;
    integer_size = wanted;
    integers = basin__arena_alloc(arena, (size_t)wanted * sizeof *integers);
    work = work_of(arena, room, &work_size);
    if (integers == NULL || work == NULL) return BASIN_ERROR_MEMORY;
  }
  if (mass != NULL && info > size) {
    *indefinite = (size_t)(info - size);
    return BASIN_OK;
  }
  return outcome(lapack, mass == NULL ? "dsyevd" : "dsygvd", info);
}

basin_status basin__lapack_svd(const basin__lapack *lapack,
                               basin_arena *arena,
                               size_t m,
                               size_t n,
                               double *a,
                               bool full,
                               double *u,
                               double *s,
                               double *vt)
{
  size_t k = m < n ? m : n;
  int32_t rows = (int32_t)m, columns = (int32_t)n, info = 0, work_size = -1;
  int32_t vt_rows = (int32_t)(full ? n : k);
  int32_t *integers = basin__arena_alloc(arena, 8 * k * sizeof *integers);
  double room = 0, *work = &room;
  if (integers == NULL) return BASIN_ERROR_MEMORY;
  for (int pass = 0; pass < 2; pass++) {
    lapack->dgesdd_(full ? "A" : "S",
                    &rows,
                    &columns,
                    a,
                    &rows,
                    s,
                    u,
                    &rows,
                    vt,
                    &vt_rows,
                    work,
                    &work_size,
                    integers,
                    &info,
                    1);
    if (info != 0 || pass == 1) break;
    work = work_of(arena, room, &work_size);
    if (work == NULL) return BASIN_ERROR_MEMORY;
  }
  return outcome(lapack, "dgesdd", info);
}

/* Reflectors below the diagonal of `a`, their factors in tau. */
static basin_status reduce(const basin__lapack *l,
                           basin_arena *arena,
                           size_t m,
                           size_t n,
                           double *a,
                           size_t *permutation,
                           double *tau)
{
  int32_t rows = (int32_t)m, columns = (int32_t)n, info = 0, work_size = -1;
  int32_t *order = basin__arena_alloc(arena, (n + 1) * sizeof *order);
  double room = 0, *work = &room;
  if (order == NULL) return BASIN_ERROR_MEMORY;
  memset(order, 0, (n + 1) * sizeof *order);
  for (int pass = 0; pass < 2; pass++) {
    if (permutation != NULL) {
      l->dgeqp3_(&rows, &columns, a, &rows, order, tau, work, &work_size, &info);
    } else {
      l->dgeqrf_(&rows, &columns, a, &rows, tau, work, &work_size, &info);
    }
    if (info != 0 || pass == 1) break;
    work = work_of(arena, room, &work_size);
    if (work == NULL) return BASIN_ERROR_MEMORY;
  }
  for (size_t j = 0; permutation != NULL && j < n; j++) permutation[j] = (size_t)order[j] - 1;
  return outcome(l, permutation != NULL ? "dgeqp3" : "dgeqrf", info);
}

basin_status basin__lapack_qr(const basin__lapack *lapack,
                              basin_arena *arena,
                              size_t m,
                              size_t n,
                              double *a,
                              size_t *permutation,
                              size_t columns,
                              double *q)
{
  size_t k = m < n ? m : n;
  double *tau = basin__arena_alloc(arena, (k + 1) * sizeof *tau);
  if (tau == NULL) return BASIN_ERROR_MEMORY;
  BASIN_TRY(reduce(lapack, arena, m, n, a, permutation, tau));
  memset(q, 0, m * columns * sizeof *q);
  memcpy(q, a, m * k * sizeof *q);
  int32_t rows = (int32_t)m, wide = (int32_t)columns, used = (int32_t)k, info = 0, work_size = -1;
  double room = 0, *work = &room;
  for (int pass = 0; pass < 2; pass++) {
    lapack->dorgqr_(&rows, &wide, &used, q, &rows, tau, work, &work_size, &info);
    if (info != 0 || pass == 1) break;
    work = work_of(arena, room, &work_size);
    if (work == NULL) return BASIN_ERROR_MEMORY;
  }
  return outcome(lapack, "dorgqr", info);
}
