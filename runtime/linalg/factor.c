/* Factorizations: dense ones built in, sparse ones by CHOLMOD and UMFPACK, behind one object.
 * SPDX-License-Identifier: Apache-2.0 */
#include "arpack.h"
#include "base/base.h"
#include "cholmod.h"
#include "dense.h"
#include "lapack.h"
#include "system.h"
#include "umfpack.h"
#include <string.h>

/* Unknowns up to which: a dense factor beats opening a library; pivoting is worth more than
 * sparsity; a dense one replaces a missing library; a dense one is made on request. */
enum { TINY = 48, SMALL_INDEFINITE = 256, SMALL = 600, LARGEST_DENSE = 2048 };

typedef enum method { METHOD_NONE, METHOD_DENSE, METHOD_CHOLMOD, METHOD_UMFPACK } method;

struct basin_factor {
  basin_context *context;
  basin_factor_kind kind;
  basin_factor_options options;
  basin_factor_info info;
  basin__system system;
  method method;
  bool analyzed, factorized;
  basin__cholmod *cholmod;
  basin__umfpack *umfpack;
  basin__system general; /* the whole matrix, where UMFPACK stands in for L D L^T */
  double *dense;         /* size^2 */
  double *numbers;       /* 3 size: 2x2 pivots, work, residual */
  size_t *permutation;
  size_t size;     /* of these arrays */
  double *columns; /* right-hand sides of uncoupled components, one after the other */
  size_t column_room;
};

/* ---- memory ---- */

static void release_arrays(basin_factor *f)
{
  size_t dense = f->dense != NULL ? f->size * f->size : 0;
  basin__free_aligned(f->context, f->dense, (dense + 1) * sizeof *f->dense);
  basin__free(f->context, f->numbers, (3 * f->size + 1) * sizeof *f->numbers);
  basin__free(f->context, f->permutation, (f->size + 1) * sizeof *f->permutation);
  f->dense = f->numbers = NULL;
  f->permutation = NULL;
  f->size = 0;
  basin__free(f->context, f->columns, f->column_room * sizeof *f->columns);
  f->columns = NULL;
  f->column_room = 0;
}

static basin_status reserve_arrays(basin_factor *f, size_t size, bool dense)
{
  release_arrays(f);
  f->size = size;
  f->numbers = basin__calloc(f->context, 3 * size + 1, sizeof *f->numbers);
  f->permutation = basin__calloc(f->context, size + 1, sizeof *f->permutation);
  if (dense) f->dense = basin__alloc_aligned(f->context, (size * size + 1) * sizeof *f->dense);
  if (f->numbers == NULL || f->permutation == NULL || (dense && f->dense == NULL)) {
    release_arrays(f);
    return BASIN_ERROR_MEMORY;
  }
  return BASIN_OK;
}

/* Forgets the matrix and all that was made of it. */
static void reset(basin_factor *f)
{
  basin__system_clear(&f->system);
  basin__system_clear(&f->general);
  release_arrays(f);
  f->method = METHOD_NONE;
  f->analyzed = f->factorized = false;
}

basin_status basin_factor_create(basin_context *context,
                                 basin_factor_kind kind,
                                 const basin_factor_options *options,
                                 basin_factor **result)
{
  *result = NULL;
  if ((unsigned)kind > BASIN_FACTOR_LU || (options != NULL && options->size != sizeof *options)) {
    return BASIN_FAIL(context,
                      BASIN_ERROR_ARGUMENT,
                      "unknown kind of factorization, or options of an unknown size");
  }
  basin_factor *f = basin__calloc(context, 1, sizeof *f);
  if (f == NULL) return BASIN_ERROR_MEMORY;
  f->context = f->system.context = f->general.context = context;
  f->kind = kind;
  f->options = options != NULL ? *options : basin_factor_options_defaults();
  f->info = (basin_factor_info){
      .library = "none", .algorithm = "none", .ordering = "none", .bad_unknown = SIZE_MAX};
  *result = f;
  return BASIN_OK;
}

void basin_factor_destroy(basin_factor *f)
{
  if (f == NULL) return;
  reset(f);
  basin__cholmod_destroy(f->cholmod);
  basin__umfpack_destroy(f->umfpack);
  basin__free(f->context, f, sizeof *f);
}

basin_factor_info basin_factor_information(const basin_factor *f)
{
  return f->info;
}

/* ---- choice of method ---- */

static basin_status open_cholmod(basin_factor *f)
{
  return f->cholmod != NULL ? BASIN_OK : basin__cholmod_create(f->context, &f->cholmod);
}

static basin_status open_umfpack(basin_factor *f)
{
  return f->umfpack != NULL ? BASIN_OK : basin__umfpack_create(f->context, &f->umfpack);
}

static basin_status open_sparse(basin_factor *f)
{
  bool general = f->kind == BASIN_FACTOR_LU;
  BASIN_TRY(general ? open_umfpack(f) : open_cholmod(f));
  f->method = general ? METHOD_UMFPACK : METHOD_CHOLMOD;
  return BASIN_OK;
}

static basin_status choose_method(basin_factor *f)
{
  size_t size = f->system.size;
  f->method = METHOD_DENSE;
  if (size == 0) return BASIN_OK;
  if (f->options.method == BASIN_FACTOR_METHOD_DENSE) {
    if (size <= LARGEST_DENSE) return BASIN_OK;
    return BASIN_FAIL(f->context,
                      BASIN_ERROR_UNSUPPORTED,
                      "a dense factorization takes at most %d unknowns, not %zu",
                      LARGEST_DENSE,
                      size);
  }
  if (f->options.method == BASIN_FACTOR_METHOD_AUTO &&
      size <= (f->kind == BASIN_FACTOR_LDLT ? SMALL_INDEFINITE : TINY)) {
    return BASIN_OK;
  }
  basin_status status = open_sparse(f);
  if (status == BASIN_ERROR_MISSING_LIBRARY && f->options.method == BASIN_FACTOR_METHOD_AUTO &&
      size <= SMALL) {
    basin__log(f->context,
               BASIN_LOG_INFO,
               "%s; the built-in dense factorization is used",
               basin_error_last(f->context)->message);
    basin__error_clear(f->context);
    return BASIN_OK;
  }
  return status;
}

/* ---- factorization ---- */

static basin__symmetric symmetric_view(const basin__system *s)
{
  return (basin__symmetric){
      s->size, s->starts, s->indices, s->values, s->block_size, s->node_starts, s->node_indices};
}

static basin__square square_view(const basin__system *s)
{
  return (basin__square){s->size, s->starts, s->indices, s->values};
}

/* The whole matrix from its upper triangle. */
static basin_status load_general(basin_factor *f)
{
  const basin__system *s = &f->system;
  basin_csr *upper = NULL, *lower = NULL, *whole = NULL;
  size_t bytes = (s->size + 1) * sizeof(size_t) + (s->count + 1) * sizeof(uint32_t);
  size_t *starts = basin__alloc(f->context, bytes);
  if (starts == NULL) return BASIN_ERROR_MEMORY;
  uint32_t *indices = (uint32_t *)(starts + s->size + 1);
  for (size_t i = 0; i <= s->size; i++) starts[i] = (size_t)s->starts[i];
  for (size_t k = 0; k < s->count; k++) indices[k] = (uint32_t)s->indices[k];
  basin__system_change change;
  basin_status status =
      basin_csr_create_compressed(f->context, s->size, s->size, starts, indices, s->values, &upper);
  if (status == BASIN_OK) status = basin_csr_transpose(upper, &lower);
  if (status == BASIN_OK) {
    for (size_t row = 0; row < s->size; row++) {
      for (size_t k = basin_csr_starts(lower)[row]; k < basin_csr_starts(lower)[row + 1]; k++) {
        if (basin_csr_column_indices(lower)[k] == row) basin_csr_values(lower)[k] = 0;
      }
    }
    status = basin_csr_add(1, upper, 1, lower, &whole);
  }
  if (status == BASIN_OK) status = basin__system_load_csr(&f->general, whole, false, &change);
  basin_csr_destroy(upper);
  basin_csr_destroy(lower);
  basin_csr_destroy(whole);
  basin__free(f->context, starts, bytes);
  return status;
}

static basin_status factorize_dense(basin_factor *f)
{
  size_t n = f->system.size;
  double *work = f->numbers + n;
  bool good = false;
  basin__system_to_dense(&f->system, f->dense);
  f->info.negative_pivots = 0;
  switch (f->kind) {
  case BASIN_FACTOR_CHOLESKY:
    good = basin__dense_cholesky(n, f->dense, &f->info.bad_unknown);
    break;
  case BASIN_FACTOR_LDLT:
    good = basin__dense_ldlt(n,
                             f->dense,
                             f->permutation,
                             f->numbers,
                             work,
                             &f->info.negative_pivots,
                             &f->info.bad_unknown);
    break;
  case BASIN_FACTOR_LU:
    good = basin__dense_lu(n, f->dense, f->permutation, work, &f->info.bad_unknown);
    break;
  }
  f->info.library = "built-in";
  f->info.algorithm = "dense";
  f->info.ordering = "none";
  f->info.entries = (double)n * (double)n;
  f->info.operations = f->info.entries * (double)n / 3;
  if (good) return BASIN_OK;
  return f->kind == BASIN_FACTOR_CHOLESKY ? BASIN_ERROR_INDEFINITE : BASIN_ERROR_SINGULAR;
}

static basin_status factorize_umfpack(basin_factor *f, bool analyze)
{
  basin__square view = square_view(f->system.symmetric ? &f->general : &f->system);
  if (analyze) BASIN_TRY(basin__umfpack_analyze(f->umfpack, &view));
  BASIN_TRY(basin__umfpack_factorize(f->umfpack, &view));
  basin__umfpack_describe(f->umfpack, &f->info);
  return BASIN_OK;
}

/* L D L^T without pivoting met a zero pivot, which says little about the matrix: LU with pivoting
 * decides. */
static basin_status stand_in_for_ldlt(basin_factor *f)
{
  basin__log(f->context,
             BASIN_LOG_INFO,
             "CHOLMOD's L D L^T met a zero pivot; the matrix is factorized by UMFPACK instead");
  BASIN_TRY(open_umfpack(f));
  BASIN_TRY(load_general(f));
  f->method = METHOD_UMFPACK;
  f->info.bad_unknown = SIZE_MAX;
  return factorize_umfpack(f, true);
}

static basin_status factorize_cholmod(basin_factor *f, bool analyze)
{
  basin__symmetric view = symmetric_view(&f->system);
  if (analyze)
    BASIN_TRY(basin__cholmod_analyze(
        f->cholmod, &view, f->kind == BASIN_FACTOR_CHOLESKY, f->options.ordering));
  basin_status status = basin__cholmod_factorize(f->cholmod, &view, &f->info.bad_unknown);
  if (status == BASIN_ERROR_SINGULAR && f->options.method == BASIN_FACTOR_METHOD_AUTO)
    return stand_in_for_ldlt(f);
  if (status == BASIN_OK) basin__cholmod_describe(f->cholmod, &f->info);
  return status;
}

static basin_status report(basin_factor *f, basin_status status)
{
  size_t unknown = f->info.bad_unknown, b = (size_t)f->system.block_size * f->system.copies;
  const char *what = status == BASIN_ERROR_INDEFINITE ? "positive definite" : "invertible";
  if (unknown == SIZE_MAX) return BASIN_FAIL(f->context, status, "the matrix is not %s", what);
  return BASIN_FAIL(
      f->context,
      status,
      "the matrix is not %s: its factorization stopped at unknown %zu (node %zu, component %zu)",
      what,
      unknown,
      unknown / b,
      unknown % b);
}

static basin_status factorize(basin_factor *f, bool analyze)
{
  f->info.bad_unknown = SIZE_MAX;
  f->info.factorizations++;
  f->info.analyses += analyze;
  switch (f->method) {
  case METHOD_DENSE:
    return factorize_dense(f);
  case METHOD_CHOLMOD:
    return factorize_cholmod(f, analyze);
  default:
    return factorize_umfpack(f, analyze);
  }
}

static basin_status update(basin_factor *f, const basin__system_change *change)
{
  bool analyze = change->pattern || !f->analyzed;
  f->info.unknowns = f->system.size * f->system.copies;
  if (!analyze && !change->values && f->factorized) return BASIN_OK;
  f->factorized = false;
  /* Where UMFPACK stood in, the next matrix may suit L D L^T again. */
  if (f->method == METHOD_UMFPACK && f->kind == BASIN_FACTOR_LDLT) f->method = METHOD_CHOLMOD;
  if (analyze) {
    BASIN_TRY(choose_method(f));
    BASIN_TRY(reserve_arrays(f, f->system.size, f->method == METHOD_DENSE));
  }
  f->analyzed = false;
  basin_status status = factorize(f, analyze);
  f->analyzed =
      status == BASIN_OK || status == BASIN_ERROR_INDEFINITE || status == BASIN_ERROR_SINGULAR;
  if (f->info.bad_unknown != SIZE_MAX) f->info.bad_unknown *= f->system.copies;
  f->factorized = status == BASIN_OK;
  if (status == BASIN_ERROR_INDEFINITE || status == BASIN_ERROR_SINGULAR) return report(f, status);
  return status;
}

static basin_status
finish_update(basin_factor *f, basin_status loaded, const basin__system_change *change)
{
  basin_status status = loaded;
  if (status == BASIN_OK) status = update(f, change);
  if (status != BASIN_OK && status != BASIN_ERROR_INDEFINITE && status != BASIN_ERROR_SINGULAR)
    reset(f);
  return status;
}

basin_status basin_factor_update_csr(basin_factor *f, const basin_csr *matrix)
{
  basin__system_change change = {true, true};
  basin_status status =
      basin__system_load_csr(&f->system, matrix, f->kind != BASIN_FACTOR_LU, &change);
  return finish_update(f, status, &change);
}

basin_status basin_factor_update_bsr(basin_factor *f, const basin_bsr *matrix)
{
  if (f->kind == BASIN_FACTOR_LU) {
    basin_csr *whole;
    BASIN_TRY(basin_csr_create_bsr(matrix, BASIN_TRIANGLE_FULL, &whole));
    basin_status status = basin_factor_update_csr(f, whole);
    basin_csr_destroy(whole);
    return status;
  }
  basin__system_change change = {true, true};
  basin_status status =
      basin__system_load_bsr(&f->system, matrix, f->kind == BASIN_FACTOR_CHOLESKY, &change);
  return finish_update(f, status, &change);
}

/* Columns of the factor have at least the entries of the matrix: their squares sum to no less. */
static double least_operations(const basin__system *s)
{
  return s->size > 0 ? (double)s->count * (double)s->count / (double)s->size : 0;
}

static basin_status analyze_only(basin_factor *f, const basin__system_change *change)
{
  f->info.unknowns = f->system.size * f->system.copies;
  if (f->analyzed && !change->pattern) return BASIN_OK;
  f->analyzed = f->factorized = false;
  BASIN_TRY(choose_method(f));
  BASIN_TRY(reserve_arrays(f, f->system.size, f->method == METHOD_DENSE));
  f->info.operations = (double)f->system.size * (double)f->system.size * (double)f->system.size / 3;
  if (f->method == METHOD_CHOLMOD) {
    basin__symmetric view = symmetric_view(&f->system);
    BASIN_TRY(basin__cholmod_analyze(f->cholmod, &view, true, f->options.ordering));
    basin__cholmod_describe(f->cholmod, &f->info);
  }
  f->info.analyses++;
  f->analyzed = true;
  return BASIN_OK;
}

basin_status
basin_factor_predict_bsr(basin_factor *f, const basin_bsr *matrix, double limit, double *operations)
{
  *operations = 0;
  if (f->kind != BASIN_FACTOR_CHOLESKY)
    return BASIN_FAIL(f->context,
                      BASIN_ERROR_UNSUPPORTED,
                      "the operations of a Cholesky factorization alone can be predicted");
  basin__system_change change = {true, true};
  basin_status status = basin__system_load_bsr(&f->system, matrix, true, &change);
  if (status == BASIN_OK && least_operations(&f->system) > limit) {
    *operations = least_operations(&f->system);
    reset(f);
    return BASIN_OK;
  }
  if (status == BASIN_OK) {
    if (change.values) f->factorized = false;
    status = analyze_only(f, &change);
  }
  if (status == BASIN_OK) *operations = f->info.operations;
  if (status != BASIN_OK) reset(f);
  return status;
}

/* ---- solution ---- */

static void solve_dense(basin_factor *f, size_t columns, double *x)
{
  size_t n = f->system.size;
  for (size_t j = 0; j < columns; j++, x += n) {
    switch (f->kind) {
    case BASIN_FACTOR_CHOLESKY:
      basin__dense_cholesky_solve(n, f->dense, x);
      break;
    case BASIN_FACTOR_LDLT:
      basin__dense_ldlt_solve(n, f->dense, f->permutation, f->numbers, x, f->numbers + n);
      break;
    case BASIN_FACTOR_LU:
      basin__dense_lu_solve(n, f->dense, f->permutation, x, f->numbers + n);
      break;
    }
  }
}

/* One step of iterative refinement for L D L^T, which was made without pivoting. */
static basin_status refine(basin_factor *f, size_t columns, const double *b, double *x)
{
  size_t n = f->system.size;
  double *residual = f->numbers + 2 * n;
  for (size_t j = 0; j < columns; j++) {
    basin__system_residual(&f->system, b + j * n, x + j * n, residual);
    BASIN_TRY(basin__cholmod_solve(f->cholmod, 1, 1, residual, residual));
    for (size_t i = 0; i < n; i++) x[j * n + i] += residual[i];
  }
  return BASIN_OK;
}

static basin_status solve_ldlt(basin_factor *f, size_t columns, const double *b, double *x)
{
  size_t bytes = f->system.size * columns * sizeof *b;
  double *copy = NULL;
  if (b == x) {
    copy = basin__alloc(f->context, bytes);
    if (copy == NULL) return BASIN_ERROR_MEMORY;
    memcpy(copy, b, bytes);
    b = copy;
  }
  basin_status status = basin__cholmod_solve(f->cholmod, 1, columns, b, x);
  if (status == BASIN_OK) status = refine(f, columns, b, x);
  basin__free(f->context, copy, bytes);
  return status;
}

static basin_status solve_columns(basin_factor *f, size_t columns, const double *b, double *x)
{
  size_t n = f->system.size;
  if (f->method == METHOD_CHOLMOD) return solve_ldlt(f, columns, b, x);
  if (f->method == METHOD_UMFPACK) {
    basin__square view = square_view(f->system.symmetric ? &f->general : &f->system);
    return basin__umfpack_solve(f->umfpack, &view, columns, b, x);
  }
  if (b != x) memcpy(x, b, n * columns * sizeof *x);
  solve_dense(f, columns, x);
  return BASIN_OK;
}

/* The components of the nodes are right-hand sides of their own. */
static basin_status solve_copies(basin_factor *f, size_t columns, const double *b, double *x)
{
  size_t n = f->system.size, copies = f->system.copies, total = n * copies * columns;
  BASIN_TRY(basin__grow(f->context, &f->columns, &f->column_room, total, sizeof *f->columns));
  for (size_t j = 0; j < columns; j++) {
    for (size_t k = 0; k < copies; k++) {
      double *column = f->columns + (j * copies + k) * n;
      for (size_t i = 0; i < n; i++) column[i] = b[(j * n + i) * copies + k];
    }
  }
  BASIN_TRY(solve_columns(f, columns * copies, f->columns, f->columns));
  for (size_t j = 0; j < columns; j++) {
    for (size_t k = 0; k < copies; k++) {
      const double *column = f->columns + (j * copies + k) * n;
      for (size_t i = 0; i < n; i++) x[(j * n + i) * copies + k] = column[i];
    }
  }
  return BASIN_OK;
}

basin_status basin_factor_solve(basin_factor *f, size_t columns, const double *b, double *x)
{
  if (!f->factorized)
    return BASIN_FAIL(f->context, BASIN_ERROR_STATE, "there is no factorization to solve with");
  f->info.solves++;
  if (f->system.size == 0 || columns == 0) return BASIN_OK;
  if (f->method == METHOD_CHOLMOD && f->kind == BASIN_FACTOR_CHOLESKY)
    return basin__cholmod_solve(f->cholmod, f->system.copies, columns, b, x);
  return f->system.copies > 1 ? solve_copies(f, columns, b, x) : solve_columns(f, columns, b, x);
}

bool basin_linear_library_available(basin_context *context, const char *name)
{
  basin__cholmod *cholmod = NULL;
  basin__umfpack *umfpack = NULL;
  basin__lapack lapack = {0};
  bool available = false;
  if (strcmp(name, "CHOLMOD") == 0)
    available = basin__cholmod_create(context, &cholmod) == BASIN_OK;
  if (strcmp(name, "UMFPACK") == 0)
    available = basin__umfpack_create(context, &umfpack) == BASIN_OK;
  if (strcmp(name, "ARPACK") == 0) available = basin__arpack_available(context);
  if (strcmp(name, "LAPACK") == 0) available = basin__lapack_open(context, &lapack) == BASIN_OK;
  if (!available) basin__error_clear(context);
  basin__cholmod_destroy(cholmod);
  basin__umfpack_destroy(umfpack);
  basin__lapack_close(&lapack);
  return available;
}
