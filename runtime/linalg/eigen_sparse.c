/* Modes of sparse matrices, within the null space of constraints.
 * SPDX-License-Identifier: Apache-2.0 */
#include "arpack.h"
#include "csr.h"
#include "dense.h"
#include "spectral.h"

#include <math.h>
#include <string.h>

enum {
  DENSE_LARGEST = 256,   /* unknowns that dense methods take */
  DENSE_FALLBACK = 2048, /* without ARPACK */
  SCHUR_LARGEST = 200,   /* constraints that are eliminated by a dense matrix of their own */
  BASIS_LARGEST = 32768, /* its square fits into the integers of ARPACK */
  SHIFTS_TRIED = 40
};
static const double FIRST_SHIFT = 1e-6; /* of the mean eigenvalue, below zero */
static const double SHIFT_GROWTH = 8;

basin_eigen_options basin_eigen_options_defaults(void)
{
  return (basin_eigen_options){
      .size = sizeof(basin_eigen_options), .count = 6, .maximum_iterations = 1000};
}

typedef struct problem {
  basin_context *context;
  const basin_csr *a, *mass, *constraints;
  const basin_eigen_options *options;
  size_t n, held; /* unknowns, constraints */
  basin_arena arena;
  basin_factor *factor;
  bool stacked;                /* the factor is of the matrix with its constraints */
  double *inverse, *schur;     /* K^-1 C^T by columns, L of C K^-1 C^T */
  double *multipliers, *large; /* work */
  size_t solves;
  double shift;
} problem;

/* ---- checks ---- */

static basin_status check_matrix(const basin_csr *m, size_t n, const char *what)
{
  size_t row, column;
  if (m->rows != n || m->columns != n) {
    return BASIN_FAIL(m->context,
                      BASIN_ERROR_SHAPE,
                      "%s must be %zux%zu, it is %zux%zu",
                      what,
                      n,
                      n,
                      m->rows,
                      m->columns);
  }
  if (!basin_csr_finite(m, &row, &column)) {
    return BASIN_FAIL(m->context,
                      BASIN_ERROR_NOT_FINITE,
                      "entry (%zu, %zu) of %s is not finite",
                      row + 1,
                      column + 1,
                      what);
  }
  if (!basin_csr_symmetric(m, 1e-12))
    return BASIN_FAIL(m->context, BASIN_ERROR_ARGUMENT, "%s must be symmetric", what);
  return BASIN_OK;
}

static basin_status check_constraints(const problem *p)
{
  const basin_csr *c = p->constraints;
  size_t row, column;
  if (c == NULL) return BASIN_OK;
  if (c->columns != p->n) {
    return BASIN_FAIL(p->context,
                      BASIN_ERROR_SHAPE,
                      "the constraints have %zu columns, the matrix %zu unknowns",
                      c->columns,
                      p->n);
  }
  if (basin_csr_finite(c, &row, &column)) return BASIN_OK;
  return BASIN_FAIL(p->context,
                    BASIN_ERROR_NOT_FINITE,
                    "entry (%zu, %zu) of the constraints is not finite",
                    row + 1,
                    column + 1);
}

/* A definite matrix, by its Cholesky factor. INDEFINITE and SINGULAR say that it is not. */
static basin_status factorize_definite(problem *p, const basin_csr *m)
{
  basin_factor_destroy(p->factor);
  p->factor = NULL;
  basin_factor_options options = basin_factor_options_defaults();
  BASIN_TRY(basin_factor_create(p->context, BASIN_FACTOR_CHOLESKY, &options, &p->factor));
  return basin_factor_update_csr(p->factor, m);
}

static bool is_no_definite(basin_status status)
{
  return status == BASIN_ERROR_INDEFINITE || status == BASIN_ERROR_SINGULAR;
}

static basin_status check_mass(problem *p)
{
  const basin_csr *m = p->mass;
  if (m == NULL || p->n == 0) return BASIN_OK;
  bool diagonal = m->count == m->rows, definite = true;
  for (size_t i = 0; i < m->rows; i++) {
    diagonal = diagonal && m->starts[i + 1] == i + 1 && m->indices[i] == i;
    definite = definite && basin_csr_at(m, i, i) > 0;
  }
  basin_status status = BASIN_OK;
  if (definite && !diagonal) status = factorize_definite(p, m);
  if (definite && !is_no_definite(status)) return status;
  basin__error_clear(p->context);
  return BASIN_FAIL(p->context, BASIN_ERROR_INDEFINITE, "the mass is not positive definite");
}

static basin_status check(problem *p)
{
  if (p->options->size != sizeof *p->options)
    return BASIN_FAIL(p->context,
                      BASIN_ERROR_ARGUMENT,
                      "eigenvalue options of unknown size %zu",
                      p->options->size);
  BASIN_TRY(check_matrix(p->a, p->n, "the matrix"));
  if (p->mass != NULL) BASIN_TRY(check_matrix(p->mass, p->n, "the mass"));
  BASIN_TRY(check_constraints(p));
  if (p->held > p->n || p->options->count > p->n - p->held) {
    return BASIN_FAIL(p->context,
                      BASIN_ERROR_RANGE,
                      "%zu eigenvalues were asked for, the problem has %zu (%zu unknowns, %zu "
                      "constraints)",
                      p->options->count,
                      p->held > p->n ? 0 : p->n - p->held,
                      p->n,
                      p->held);
  }
  return check_mass(p);
}

/* ---- A - shift M, factorized ---- */

static basin_status shifted(const problem *p, double shift, basin_csr **result)
{
  if (p->mass != NULL) return basin_csr_add(1, p->a, -shift, p->mass, result);
  basin_csr *identity;
  BASIN_TRY(basin_csr_create_identity(p->context, p->n, 1, &identity));
  basin_status status = basin_csr_add(1, p->a, -shift, identity, result);
  basin_csr_destroy(identity);
  return status;
}

/* [K C^T; C 0]: indefinite, so by L U. */
static basin_status factorize_stacked(problem *p, const basin_csr *k)
{
  const basin_csr *whole = k;
  basin_csr *transposed = NULL, *stacked = NULL;
  basin_factor_options options = basin_factor_options_defaults();
  basin_status status = BASIN_OK;
  basin_factor_destroy(p->factor);
  p->factor = NULL;
  if (p->held > 0) {
    status = basin_csr_transpose(p->constraints, &transposed);
    const basin_csr *blocks[] = {k, transposed, p->constraints, NULL};
    if (status == BASIN_OK) status = basin_csr_create_blocks(p->context, 2, 2, blocks, &stacked);
    whole = stacked;
  }
  if (status == BASIN_OK) {
    status = basin_factor_create(
        p->context, p->held > 0 ? BASIN_FACTOR_LU : BASIN_FACTOR_LDLT, &options, &p->factor);
  }
  if (status == BASIN_OK) status = basin_factor_update_csr(p->factor, whole);
  basin_csr_destroy(transposed);
  basin_csr_destroy(stacked);
  p->stacked = p->held > 0;
  return status;
}

/* K^-1 C^T and the factor of C K^-1 C^T. */
static basin_status eliminate_constraints(problem *p)
{
  size_t n = p->n, m = p->held, bad;
  p->inverse = basin__arena_alloc(&p->arena, n * m * sizeof(double));
  p->schur = basin__arena_alloc(&p->arena, m * m * sizeof(double));
  if (p->inverse == NULL || p->schur == NULL) return BASIN_ERROR_MEMORY;
  memset(p->inverse, 0, n * m * sizeof(double));
  const basin_csr *c = p->constraints;
  for (size_t i = 0; i < m; i++) {
    for (size_t k = c->starts[i]; k < c->starts[i + 1]; k++)
      p->inverse[i * n + c->indices[k]] = c->values[k];
  }
  BASIN_TRY(basin_factor_solve(p->factor, m, p->inverse, p->inverse));
  for (size_t j = 0; j < m; j++) {
    basin_csr_apply(c, 1, p->inverse + j * n, p->multipliers);
    for (size_t i = 0; i < m; i++) p->schur[i * m + j] = p->multipliers[i];
  }
  if (basin__dense_cholesky(m, p->schur, &bad)) return BASIN_OK;
  return BASIN_FAIL(
      p->context, BASIN_ERROR_SINGULAR, "the constraints depend on each other (row %zu)", bad + 1);
}

static basin_status invert(void *user, const double *b, double *x)
{
  problem *p = user;
  size_t n = p->n, m = p->held;
  p->solves++;
  if (p->stacked) {
    memcpy(p->large, b, n * sizeof *b);
    memset(p->large + n, 0, m * sizeof *b);
    BASIN_TRY(basin_factor_solve(p->factor, 1, p->large, p->large));
    memcpy(x, p->large, n * sizeof *x);
    return BASIN_OK;
  }
  BASIN_TRY(basin_factor_solve(p->factor, 1, b, x));
  if (m == 0) return BASIN_OK;
  /* Twice: what C sees of K^-1 b can be many times what remains. */
  for (int pass = 0; pass < 2; pass++) {
    basin_csr_apply(p->constraints, 1, x, p->multipliers);
    basin__dense_cholesky_solve(m, p->schur, p->multipliers);
    for (size_t j = 0; j < m; j++) {
      for (size_t i = 0; i < n; i++) x[i] -= p->multipliers[j] * p->inverse[j * n + i];
    }
  }
  return BASIN_OK;
}

static double mean_size(const basin_csr *m)
{
  double sum = 0;
  for (size_t i = 0; i < m->rows; i++) sum += fabs(basin_csr_at(m, i, i));
  return m->rows > 0 ? sum / (double)m->rows : 0;
}

/* The first shift below all eigenvalues of a falling sequence: Cholesky's method tells. */
static basin_status factorize_below(problem *p)
{
  double mass = p->mass != NULL ? mean_size(p->mass) : 1, scale = mean_size(p->a) / mass;
  if (!(scale > 0)) scale = basin_csr_norm(p->a, BASIN_NORM_MAX) / mass;
  p->shift = -FIRST_SHIFT * (scale > 0 ? scale : 1);
  for (int k = 0;; k++) {
    basin_csr *matrix = NULL;
    BASIN_TRY(shifted(p, p->shift, &matrix));
    basin_status status = factorize_definite(p, matrix);
    if (status == BASIN_OK && p->held > SCHUR_LARGEST) status = factorize_stacked(p, matrix);
    basin_csr_destroy(matrix);
    if (!is_no_definite(status) || k == SHIFTS_TRIED) return status;
    basin__error_clear(p->context);
    p->shift *= SHIFT_GROWTH;
  }
}

static basin_status factorize_near(problem *p)
{
  basin_csr *matrix = NULL;
  p->shift = p->options->shift;
  BASIN_TRY(shifted(p, p->shift, &matrix));
  basin_status status = factorize_stacked(p, matrix);
  basin_csr_destroy(matrix);
  if (status != BASIN_ERROR_SINGULAR) return status;
  basin__error_clear(p->context);
  return BASIN_FAIL(p->context,
                    BASIN_ERROR_SINGULAR,
                    "the shift %g is an eigenvalue%s; take one beside it",
                    p->shift,
                    p->held > 0 ? ", or constraints depend on each other" : "");
}

/* ---- results ---- */

/* Ascending values; columns of `from` (column-major) into rows of `vectors`. */
static basin_status sort_pairs(problem *p, double *values, const double *from, double *vectors)
{
  size_t n = p->n, count = p->options->count;
  size_t *order = basin__arena_alloc(&p->arena, (count + 1) * sizeof *order);
  double *old = basin__arena_alloc(&p->arena, (count + 1) * sizeof *old);
  if (order == NULL || old == NULL) return BASIN_ERROR_MEMORY;
  memcpy(old, values, count * sizeof *old);
  for (size_t i = 0; i < count; i++) {
    size_t k = i;
    for (; k > 0 && old[order[k - 1]] > old[i]; k--) order[k] = order[k - 1];
    order[k] = i;
  }
  for (size_t j = 0; j < count; j++) {
    values[j] = old[order[j]];
    for (size_t i = 0; i < n; i++) vectors[i * count + j] = from[order[j] * n + i];
  }
  basin__orient_columns(n, count, vectors);
  return BASIN_OK;
}

static size_t basis_size(const problem *p)
{
  size_t wanted = p->options->basis, count = p->options->count;
  if (wanted <= count) wanted = 2 * count + 1 > 20 ? 2 * count + 1 : 20;
  return wanted;
}

static basin_status solve_sparse(problem *p, double *values, double *vectors, size_t *iterations)
{
  size_t n = p->n, count = p->options->count;
  if (basis_size(p) > BASIS_LARGEST)
    return BASIN_FAIL(p->context,
                      BASIN_ERROR_UNSUPPORTED,
                      "a basis of %zu vectors is too large; %d are the most",
                      basis_size(p),
                      BASIS_LARGEST);
  p->multipliers = basin__arena_alloc(&p->arena, (p->held + 1) * sizeof(double));
  p->large = basin__arena_alloc(&p->arena, (n + p->held) * sizeof(double));
  double *found = basin__arena_alloc(&p->arena, n * count * sizeof *found);
  if (p->multipliers == NULL || p->large == NULL || found == NULL) return BASIN_ERROR_MEMORY;
  BASIN_TRY(p->options->near ? factorize_near(p) : factorize_below(p));
  if (p->held > 0 && !p->stacked) BASIN_TRY(eliminate_constraints(p));
  basin__arpack_problem task = {.n = n,
                                .count = count,
                                .basis = basis_size(p),
                                .shift = p->shift,
                                .tolerance = p->options->tolerance,
                                .maximum_iterations = p->options->maximum_iterations,
                                .mass = p->mass,
                                .invert = invert,
                                .user = p};
  BASIN_TRY(basin__arpack_solve(p->context, &task, values, found, iterations));
  return sort_pairs(p, values, found, vectors);
}

/* ---- dense ---- */

/* Z^T A Z for Z of n x width. */
static basin_status
project(problem *p, const basin_csr *a, size_t width, const double *z, double *result)
{
  double *product = basin__arena_alloc(&p->arena, (p->n * width + 1) * sizeof *product);
  if (product == NULL) return BASIN_ERROR_MEMORY;
  basin_csr_apply(a, width, z, product);
  memset(result, 0, width * width * sizeof *result);
  for (size_t k = 0; k < p->n; k++) {
    for (size_t i = 0; i < width; i++) {
      for (size_t j = 0; j < width; j++)
        result[i * width + j] += z[k * width + i] * product[k * width + j];
    }
  }
  return BASIN_OK;
}

/* A basis of the null space of the constraints: the last columns of Q in C^T P = Q R. */
static basin_status null_space(problem *p, double *z)
{
  size_t n = p->n, m = p->held;
  if (m == 0) {
    for (size_t i = 0; i < n * n; i++) z[i] = i % (n + 1) == 0;
    return BASIN_OK;
  }
  double *c = basin__arena_alloc(&p->arena, m * n * sizeof *c);
  double *turned = basin__arena_alloc(&p->arena, m * n * sizeof *turned);
  double *q = basin__arena_alloc(&p->arena, n * n * sizeof *q);
  double *r = basin__arena_alloc(&p->arena, n * m * sizeof *r);
  size_t *order = basin__arena_alloc(&p->arena, m * sizeof *order);
  if (!c || !turned || !q || !r || !order) return BASIN_ERROR_MEMORY;
  basin_csr_to_dense(p->constraints, c);
  basin__transpose_dense(m, n, c, turned);
  BASIN_TRY(basin_dense_qr(p->context, n, m, turned, true, order, q, r));
  if (!(fabs(r[m * m - 1]) > 1e-14 * fabs(r[0]))) {
    return BASIN_FAIL(p->context,
                      BASIN_ERROR_SINGULAR,
                      "the constraints depend on each other (row %zu)",
                      order[m - 1] + 1);
  }
  for (size_t i = 0; i < n; i++) memcpy(z + i * (n - m), q + i * n + m, (n - m) * sizeof *z);
  return BASIN_OK;
}

/* The first of `count` consecutive ascending values that are nearest to the shift. */
static size_t nearest(const problem *p, size_t total, const double *values)
{
  size_t count = p->options->count, first = 0;
  if (!p->options->near) return 0;
  while (first + count < total && fabs(values[first + count] - p->options->shift) <
                                      fabs(values[first] - p->options->shift)) {
    first++;
  }
  return first;
}

static basin_status solve_dense(problem *p, double *values, double *vectors)
{
  size_t n = p->n, width = n - p->held, count = p->options->count, square = width * width + 1;
  double *z = basin__arena_alloc(&p->arena, (n * n + 1) * sizeof *z);
  double *a = basin__arena_alloc(&p->arena, square * sizeof *a);
  double *mass = basin__arena_alloc(&p->arena, square * sizeof *mass);
  double *all = basin__arena_alloc(&p->arena, (width + 1) * sizeof *all);
  double *y = basin__arena_alloc(&p->arena, square * sizeof *y);
  if (!z || !a || !mass || !all || !y) return BASIN_ERROR_MEMORY;
  BASIN_TRY(null_space(p, z));
  BASIN_TRY(project(p, p->a, width, z, a));
  if (p->mass != NULL) BASIN_TRY(project(p, p->mass, width, z, mass));
  BASIN_TRY(basin_dense_eigen(p->context, width, a, p->mass != NULL ? mass : NULL, all, y));
  size_t first = nearest(p, width, all);
  p->shift = p->options->near ? p->options->shift : 0;
  memcpy(values, all + first, count * sizeof *values);
  memset(vectors, 0, n * count * sizeof *vectors);
  for (size_t i = 0; i < n; i++) {
    for (size_t k = 0; k < width; k++) {
      for (size_t j = 0; j < count; j++)
        vectors[i * count + j] += z[i * width + k] * y[k * width + first + j];
    }
  }
  basin__orient_columns(n, count, vectors);
  return BASIN_OK;
}

static bool takes_dense(const problem *p)
{
  if (p->n <= BASIN__SPECTRAL_SMALL || basis_size(p) > p->n - p->held) return true;
  if (p->n > DENSE_FALLBACK) return false;
  if (!basin__arpack_available(p->context)) return true;
  return p->n <= DENSE_LARGEST && basin_linear_library_available(p->context, "LAPACK");
}

basin_status basin_sparse_eigen(basin_context *context,
                                const basin_csr *a,
                                const basin_csr *mass,
                                const basin_csr *constraints,
                                const basin_eigen_options *options,
                                double *values,
                                double *vectors,
                                basin_eigen_info *info)
{
  problem p = {.context = context,
               .a = a,
               .mass = mass,
               .constraints = constraints,
               .options = options,
               .n = a->rows,
               .held = constraints != NULL ? constraints->rows : 0};
  size_t iterations = 0;
  bool dense = false;
  basin__arena_init(&p.arena, context);
  basin_status status = check(&p);
  if (status == BASIN_OK && options->count > 0) {
    dense = takes_dense(&p);
    status =
        dense ? solve_dense(&p, values, vectors) : solve_sparse(&p, values, vectors, &iterations);
  }
  basin_factor_destroy(p.factor);
  basin__arena_fini(&p.arena);
  if (status == BASIN_OK && info != NULL) {
    *info = (basin_eigen_info){.method = dense ? "dense" : "ARPACK",
                               .iterations = iterations,
                               .solves = p.solves,
                               .shift = p.shift};
  }
  return status;
}
