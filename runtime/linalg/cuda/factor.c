/* Direct solvers on a CUDA device: the sum of a matrix's parts as compressed rows, in an order with
 * little fill, to a vendor's library. SPDX-License-Identifier: Apache-2.0 */
#include "factor.h"

#include "base/base.h"
#include "collapse.h"
#include "internal.h"
#include <limits.h>
#include <math.h>

enum { THREADS = 256 };

struct basin_cuda_factor {
  basin_cuda *cuda;
  basin_factor_kind kind;
  basin__cuda_direct direct;
  basin_factor_info info;
  basin__cuda_collapse collapse;
  basin_cuda_bsr_memory memory, before; /* the sum of all parts, and its pattern last time */
  basin_cuda_bsr sum, known;            /* `known`: analyzed, with the columns in `before` */
  basin_buffer starts, indices, values; /* compressed rows */
  basin__cuda_csr csr;
  basin_buffer map;     /* new place of each node */
  basin_buffer ordered; /* right-hand sides and solutions in that order */
  basin_buffer word;    /* a result on the device */
  uint32_t *order;      /* the node at each place, on the host */
  size_t order_bytes;
  bool analyzed, factorized;
};

/* ---- creation ---- */

/* cuDSS where it opens, else cuSOLVER; a version that is not known is logged, and passed over. */
static basin_status choose(basin_cuda_factor *f)
{
  basin_context *context = basin__cuda_context(f->cuda);
  bool definite = f->kind == BASIN_FACTOR_CHOLESKY;
  basin_status status = basin__cuda_direct_cudss(f->cuda, definite, &f->direct);
  bool next = status == BASIN_ERROR_MISSING_LIBRARY || status == BASIN_ERROR_UNSUPPORTED;
  if (!next || !definite) return status;
  basin__log(context, BASIN_LOG_INFO, "%s", basin_error_last(context)->message);
  basin__error_clear(context);
  return basin__cuda_direct_cusolver(f->cuda, &f->direct);
}

basin_status
basin__cuda_factor_create(basin_cuda *cuda, basin_factor_kind kind, basin_cuda_factor **result)
{
  basin_context *context = basin__cuda_context(cuda);
  *result = NULL;
  if (kind != BASIN_FACTOR_CHOLESKY && kind != BASIN_FACTOR_LDLT)
    return BASIN_FAIL(context,
                      BASIN_ERROR_UNSUPPORTED,
                      "symmetric matrices alone are factorized on a CUDA device");
  basin_cuda_factor *f = basin__calloc(context, 1, sizeof *f);
  if (f == NULL) return BASIN_ERROR_MEMORY;
  f->cuda = cuda;
  f->kind = kind;
  f->info.bad_unknown = SIZE_MAX;
  basin_status status = choose(f);
  if (status != BASIN_OK) {
    basin__cuda_factor_destroy(f);
    return status;
  }
  *result = f;
  return BASIN_OK;
}

void basin__cuda_factor_destroy(basin_cuda_factor *f)
{
  if (f == NULL) return;
  basin_context *context = basin__cuda_context(f->cuda);
  if (f->direct.destroy != NULL) f->direct.destroy(f->direct.self);
  basin_buffer *buffers[] = {&f->starts, &f->indices, &f->values, &f->map, &f->ordered, &f->word};
  for (size_t i = 0; i < BASIN_COUNT(buffers); i++) basin__buffer_release(f->cuda, buffers[i]);
  basin__cuda_collapse_release(f->cuda, &f->collapse);
  basin__cuda_bsr_release(f->cuda, &f->memory);
  basin__cuda_bsr_release(f->cuda, &f->before);
  basin__free(context, f->order, f->order_bytes);
  basin__free(context, f, sizeof *f);
}

basin_factor_info basin__cuda_factor_information(const basin_cuda_factor *f)
{
  return f->info;
}

/* ---- the pattern ---- */

static basin_status differ(basin_cuda_factor *f, basin_address a, basin_address b, size_t count)
{
  void *parameters[] = {&a, &b, &count, &f->word.address};
  return basin__cuda_run(f->cuda,
                         "csr.cu",
                         "compare_words",
                         "-DBLOCK=1",
                         basin__cuda_blocks(count, THREADS),
                         parameters);
}

/* Is the sum's pattern the one that was analyzed? */
static basin_status compare_pattern(basin_cuda_factor *f, bool *same)
{
  uint32_t different = 0;
  *same = f->analyzed && f->sum.node_count == f->known.node_count &&
          f->sum.block == f->known.block && f->sum.block_count == f->known.block_count;
  if (!*same) return BASIN_OK;
  BASIN_TRY(basin__cuda_zero(f->cuda, f->word.address, sizeof different));
  BASIN_TRY(
      differ(f, f->sum.row_starts, f->before.row_starts.address, (size_t)f->sum.node_count + 1));
  BASIN_TRY(differ(f, f->sum.columns, f->before.columns.address, f->sum.block_count));
  BASIN_TRY(basin__cuda_download(f->cuda, &different, f->word.address, sizeof different));
  *same = different == 0;
  return BASIN_OK;
}

static basin_status remember_pattern(basin_cuda_factor *f)
{
  size_t starts = ((size_t)f->sum.node_count + 1) * sizeof(uint32_t),
         columns = f->sum.block_count * sizeof(uint32_t);
  BASIN_TRY(basin__buffer_reserve(f->cuda, &f->before.row_starts, starts));
  BASIN_TRY(basin__buffer_reserve(f->cuda, &f->before.columns, columns + 1));
  BASIN_TRY(basin__cuda_copy(f->cuda, f->before.row_starts.address, f->sum.row_starts, starts));
  BASIN_TRY(basin__cuda_copy(f->cuda, f->before.columns.address, f->sum.columns, columns));
  f->known = f->sum;
  return BASIN_OK;
}

/* ---- the order ---- */

/* From the pattern on the host: f->order, and its inverse on the device. */
static basin_status find_order(basin_cuda_factor *f, uint32_t *work)
{
  uint32_t nodes = f->sum.node_count;
  uint32_t *starts = work, *columns = work + nodes + 1;
  BASIN_TRY(basin__cuda_download(
      f->cuda, starts, f->sum.row_starts, ((size_t)nodes + 1) * sizeof *starts));
  BASIN_TRY(
      basin__cuda_download(f->cuda, columns, f->sum.columns, f->sum.block_count * sizeof *columns));
  BASIN_TRY(f->direct.order(f->direct.self, nodes, starts, columns, f->order));
  for (uint32_t place = 0; place < nodes; place++) {
    if (f->order[place] >= nodes)
      return BASIN_FAIL(basin__cuda_context(f->cuda),
                        BASIN_ERROR_DEVICE,
                        "an order of the nodes names node %u of %u",
                        (unsigned)f->order[place],
                        (unsigned)nodes);
    work[f->order[place]] = place;
  }
  BASIN_TRY(basin__buffer_reserve(f->cuda, &f->map, ((size_t)nodes + 1) * sizeof *work));
  return basin__cuda_upload(f->cuda, f->map.address, work, nodes * sizeof *work);
}

static basin_status order_nodes(basin_cuda_factor *f)
{
  basin_context *context = basin__cuda_context(f->cuda);
  size_t bytes = ((size_t)f->sum.node_count + f->sum.block_count + 2) * sizeof(uint32_t);
  basin__free(context, f->order, f->order_bytes);
  f->order_bytes = ((size_t)f->sum.node_count + 1) * sizeof *f->order;
  f->order = basin__alloc(context, f->order_bytes);
  if (f->order == NULL) return BASIN_ERROR_MEMORY;
  uint32_t *work = basin__alloc(context, bytes);
  if (work == NULL) return BASIN_ERROR_MEMORY;
  basin_status status = find_order(f, work);
  basin__free(context, work, bytes);
  return status;
}

/* ---- compressed rows ---- */

static basin_status add_parts(basin_cuda_factor *f, const basin_cuda_matrix *matrix, bool ordered)
{
  return basin__cuda_collapse_matrix(f->cuda,
                                     &f->collapse,
                                     matrix,
                                     ordered ? f->map.address : 0,
                                     matrix->parts[0].node_count,
                                     &f->memory,
                                     &f->sum);
}

static basin_status expand(basin_cuda_factor *f)
{
  unsigned b = f->sum.block;
  size_t size = (size_t)f->sum.node_count * b, count = f->sum.block_count * b * b;
  if (count > INT_MAX)
    return BASIN_FAIL(basin__cuda_context(f->cuda),
                      BASIN_ERROR_UNSUPPORTED,
                      "a factorization on the device takes at most %d entries, not %zu",
                      INT_MAX,
                      count);
  BASIN_TRY(basin__buffer_reserve(f->cuda, &f->starts, (size + 1) * sizeof(uint32_t)));
  BASIN_TRY(basin__buffer_reserve(f->cuda, &f->indices, (count + 1) * sizeof(uint32_t)));
  BASIN_TRY(basin__buffer_reserve(f->cuda, &f->values, (count + 1) * sizeof(double)));
  basin__cuda_definitions definitions = basin__cuda_define(b, false);
  void *parameters[] = {&f->sum.node_count,
                        &f->sum.row_starts,
                        &f->sum.columns,
                        &f->sum.values,
                        &f->starts.address,
                        &f->indices.address,
                        &f->values.address};
  f->csr = (basin__cuda_csr){size, count, f->starts.address, f->indices.address, f->values.address};
  return basin__cuda_run(f->cuda,
                         "csr.cu",
                         "expand_rows",
                         definitions.text,
                         basin__cuda_blocks(size + 1, THREADS),
                         parameters);
}

static basin_status check_finite(basin_cuda_factor *f)
{
  double largest = 0;
  BASIN_TRY(basin__cuda_largest(
      f->cuda, &f->collapse.scratch, f->csr.values, f->csr.count, f->word.address));
  BASIN_TRY(basin__cuda_download(f->cuda, &largest, f->word.address, sizeof largest));
  if (isfinite(largest)) return BASIN_OK;
  return BASIN_FAIL(basin__cuda_context(f->cuda),
                    BASIN_ERROR_NOT_FINITE,
                    "an entry of the matrix to factorize is not finite");
}

/* ---- update ---- */

static basin_status report(basin_cuda_factor *f, basin_status status, size_t bad)
{
  basin_context *context = basin__cuda_context(f->cuda);
  const char *what = status == BASIN_ERROR_INDEFINITE ? "positive definite" : "invertible";
  if (bad >= f->csr.size) return BASIN_FAIL(context, status, "the matrix is not %s", what);
  unsigned b = f->sum.block;
  size_t node = f->direct.order != NULL ? f->order[bad / b] : bad / b;
  f->info.bad_unknown = node * b + bad % b;
  return BASIN_FAIL(
      context,
      status,
      "the matrix is not %s: its factorization stopped at unknown %zu (node %zu, component %zu)",
      what,
      f->info.bad_unknown,
      node,
      bad % b);
}

static basin_status call_library(basin_cuda_factor *f, bool analyze, size_t *bad)
{
  if (analyze) {
    BASIN_TRY(f->direct.analyze(f->direct.self, &f->csr));
    f->info.analyses++;
  }
  f->info.factorizations++;
  return f->direct.factorize(f->direct.self, &f->csr, bad);
}

/* Brings order, sum and rows up to date; *same: the analysis serves again. */
static basin_status prepare(basin_cuda_factor *f, const basin_cuda_matrix *matrix, bool *same)
{
  bool ordered = f->direct.order != NULL;
  BASIN_TRY(basin__buffer_reserve(f->cuda, &f->word, sizeof(double)));
  if (ordered && (!f->analyzed || f->known.node_count != matrix->parts[0].node_count))
    f->analyzed = false; /* the order is of another matrix */
  BASIN_TRY(add_parts(f, matrix, ordered && f->analyzed));
  BASIN_TRY(compare_pattern(f, same));
  if (!*same && ordered) {
    if (f->analyzed) BASIN_TRY(add_parts(f, matrix, false));
    f->analyzed = false;
    BASIN_TRY(order_nodes(f));
    BASIN_TRY(add_parts(f, matrix, true));
  }
  BASIN_TRY(expand(f));
  return check_finite(f);
}

basin_status basin__cuda_factor_update(basin_cuda_factor *f, const basin_cuda_matrix *matrix)
{
  bool same;
  size_t bad = SIZE_MAX;
  f->factorized = false;
  f->info.bad_unknown = SIZE_MAX;
  BASIN_TRY(basin__cuda_matrix_check(f->cuda, matrix));
  f->csr = (basin__cuda_csr){0, 0, 0, 0, 0};
  f->info.unknowns = (size_t)matrix->parts[0].node_count * matrix->parts[0].block;
  if (f->info.unknowns > 0) {
    BASIN_TRY(prepare(f, matrix, &same));
    f->analyzed = false;
    if (!same) BASIN_TRY(remember_pattern(f));
    BASIN_TRY(basin__cuda_enter(f->cuda));
    basin_status status = call_library(f, !same, &bad);
    if (status == BASIN_OK) f->direct.describe(f->direct.self, &f->info);
    basin__cuda_leave(f->cuda);
    bool outcome = status == BASIN_ERROR_INDEFINITE || status == BASIN_ERROR_SINGULAR;
    f->analyzed = status == BASIN_OK || outcome;
    if (outcome) return report(f, status, bad);
    BASIN_TRY(status);
  }
  f->factorized = true;
  return BASIN_OK;
}

/* ---- solution ---- */

/* `columns` vectors from one order into the other. */
static basin_status
permute(basin_cuda_factor *f, size_t columns, basin_address from, basin_address to, uint32_t back)
{
  basin__cuda_definitions definitions = basin__cuda_define(f->sum.block, false);
  for (size_t j = 0; j < columns; j++) {
    basin_address x = from + j * f->csr.size * sizeof(double),
                  y = to + j * f->csr.size * sizeof(double);
    void *parameters[] = {&f->sum.node_count, &f->map.address, &x, &y, &back};
    BASIN_TRY(basin__cuda_run(f->cuda,
                              "csr.cu",
                              "permute",
                              definitions.text,
                              basin__cuda_blocks(f->csr.size, THREADS),
                              parameters));
  }
  return BASIN_OK;
}

static basin_status
solve_ordered(basin_cuda_factor *f, size_t columns, basin_address b, basin_address x)
{
  basin_status status = basin__cuda_enter(f->cuda);
  if (status != BASIN_OK) return status;
  status = f->direct.solve(f->direct.self, &f->csr, columns, b, x);
  basin__cuda_leave(f->cuda);
  return status;
}

basin_status
basin__cuda_factor_solve(basin_cuda_factor *f, size_t columns, basin_address b, basin_address x)
{
  if (!f->factorized)
    return BASIN_FAIL(
        basin__cuda_context(f->cuda), BASIN_ERROR_STATE, "there is no factorization to solve with");
  f->info.solves++;
  if (f->csr.size == 0 || columns == 0) return BASIN_OK;
  size_t bytes = columns * f->csr.size * sizeof(double);
  BASIN_TRY(basin__buffer_reserve(f->cuda, &f->ordered, 2 * bytes));
  basin_address own = f->ordered.address, solution = own + bytes;
  if (f->direct.order != NULL) {
    BASIN_TRY(permute(f, columns, b, own, 0));
  } else {
    BASIN_TRY(basin__cuda_copy(f->cuda, own, b, bytes));
  }
  BASIN_TRY(solve_ordered(f, columns, own, solution));
  if (f->direct.order != NULL) return permute(f, columns, solution, x, 1);
  return basin__cuda_copy(f->cuda, x, solution, bytes);
}
