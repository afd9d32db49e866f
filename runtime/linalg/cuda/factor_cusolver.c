/* The sparse Cholesky factorization of cuSOLVER as a direct solver: deprecated since CUDA 12.8 and
 * present up to 13, for machines without cuDSS. SPDX-License-Identifier: Apache-2.0 */
#include "factor.h"
#include "vendor.h"

#include "base/base.h"
#include <limits.h>

typedef struct state {
  basin_cuda *cuda;
  basin_context *context;
  basin__cusolver *l;
  basin__cusparse *sparse; /* for the description of a matrix */
  void *handle, *description, *info;
  basin_buffer work, diagonal;
  basin_cuda_scratch scratch;
  size_t internal; /* bytes of the factor */
} state;

#define CALL(expression) BASIN__VENDOR(s->context, BASIN__CUSOLVER_ALLOCATION, expression)

static void destroy(void *self)
{
  state *s = self;
  if (s->l != NULL && basin__cuda_enter(s->cuda) == BASIN_OK) {
    if (s->info != NULL) (void)s->l->cusolverSpDestroyCsrcholInfo(s->info);
    if (s->handle != NULL) (void)s->l->cusolverSpDestroy(s->handle);
    if (s->description != NULL) (void)s->sparse->cusparseDestroyMatDescr(s->description);
    basin__cuda_leave(s->cuda);
  }
  basin__buffer_release(s->cuda, &s->work);
  basin__buffer_release(s->cuda, &s->diagonal);
  basin__buffer_release(s->cuda, &s->scratch.memory);
  basin__cusolver_close(s->l);
  basin__cusparse_close(s->sparse);
  basin__free(s->context, s, sizeof *s);
}

static basin_status order_nodes(
    void *self, uint32_t nodes, const uint32_t *starts, const uint32_t *neighbours, uint32_t *order)
{
  state *s = self;
  CALL(s->l->cusolverSpXcsrsymamdHost(s->handle,
                                      (int)nodes,
                                      (int)starts[nodes],
                                      s->description,
                                      (const int *)starts,
                                      (const int *)neighbours,
                                      (int *)order));
  return BASIN_OK;
}

static basin_status analyze(void *self, const basin__cuda_csr *m)
{
  state *s = self;
  if (s->info != NULL) (void)s->l->cusolverSpDestroyCsrcholInfo(s->info);
  s->info = NULL;
  CALL(s->l->cusolverSpCreateCsrcholInfo(&s->info));
  CALL(s->l->cusolverSpXcsrcholAnalysis(
      s->handle, (int)m->size, (int)m->count, s->description, m->starts, m->indices, s->info));
  return BASIN_OK;
}

/* The first entry of the factor's diagonal that is not positive, from a copy of it. */
static basin_status find_bad(state *s, size_t n, size_t *bad)
{
  double *diagonal = basin__alloc(s->context, n * sizeof *diagonal);
  if (diagonal == NULL) return BASIN_ERROR_MEMORY;
  basin_status status =
      basin__cuda_download(s->cuda, diagonal, s->diagonal.address, n * sizeof *diagonal);
  for (*bad = 0; status == BASIN_OK && *bad < n && diagonal[*bad] > 0;) ++*bad;
  basin__free(s->context, diagonal, n * sizeof *diagonal);
  return status == BASIN_OK ? BASIN_ERROR_INDEFINITE : status;
}

/* The root of a negative pivot is no number, which the search for zero pivots may pass over. */
static basin_status check_diagonal(state *s, size_t n, size_t *bad)
{
  double least = 0;
  BASIN_TRY(basin__buffer_reserve(s->cuda, &s->diagonal, (n + 1) * sizeof(double)));
  basin_address result = s->diagonal.address + n * sizeof(double);
  CALL(s->l->cusolverSpDcsrcholDiag(s->handle, s->info, s->diagonal.address));
  BASIN_TRY(basin__cuda_smallest(s->cuda, &s->scratch, s->diagonal.address, n, result));
  BASIN_TRY(basin__cuda_download(s->cuda, &least, result, sizeof least));
  return least > 0 ? BASIN_OK : find_bad(s, n, bad);
}

static basin_status factorize(void *self, const basin__cuda_csr *m, size_t *bad)
{
  state *s = self;
  int n = (int)m->size, count = (int)m->count, position = -1;
  size_t work = 0;
  *bad = SIZE_MAX;
  CALL(s->l->cusolverSpDcsrcholBufferInfo(s->handle,
                                          n,
                                          count,
                                          s->description,
                                          m->values,
                                          m->starts,
                                          m->indices,
                                          s->info,
                                          &s->internal,
                                          &work));
  BASIN_TRY(basin__buffer_reserve(s->cuda, &s->work, work + 1));
  CALL(s->l->cusolverSpDcsrcholFactor(s->handle,
                                      n,
                                      count,
                                      s->description,
                                      m->values,
                                      m->starts,
                                      m->indices,
                                      s->info,
                                      s->work.address));
  CALL(s->l->cusolverSpDcsrcholZeroPivot(s->handle, s->info, 0, &position));
  if (position < 0) return check_diagonal(s, m->size, bad);
  *bad = (size_t)position;
  return BASIN_ERROR_INDEFINITE;
}

static basin_status
solve(void *self, const basin__cuda_csr *m, size_t columns, basin_address b, basin_address x)
{
  state *s = self;
  for (size_t j = 0; j < columns; j++) {
    size_t offset = j * m->size * sizeof(double);
    CALL(s->l->cusolverSpDcsrcholSolve(
        s->handle, (int)m->size, b + offset, x + offset, s->info, s->work.address));
  }
  return BASIN_OK;
}

static void describe(const void *self, basin_factor_info *info)
{
  const state *s = self;
  info->library = "cuSOLVER";
  info->algorithm = "simplicial";
  info->ordering = "AMD";
  info->entries = (double)s->internal / (double)sizeof(double);
}

/* The sparse functions may be gone from a later version. */
static bool has_cholesky(const basin__cusolver *l)
{
  return l->cusolverSpCreate && l->cusolverSpDestroy && l->cusolverSpSetStream &&
         l->cusolverSpXcsrsymamdHost && l->cusolverSpCreateCsrcholInfo &&
         l->cusolverSpDestroyCsrcholInfo && l->cusolverSpXcsrcholAnalysis &&
         l->cusolverSpDcsrcholBufferInfo && l->cusolverSpDcsrcholFactor &&
         l->cusolverSpDcsrcholZeroPivot && l->cusolverSpDcsrcholDiag && l->cusolverSpDcsrcholSolve;
}

static basin_status start(state *s)
{
  BASIN_TRY(basin__cusolver_open(s->context, &s->l));
  if (!has_cholesky(s->l))
    return BASIN_FAIL(s->context,
                      BASIN_ERROR_MISSING_LIBRARY,
                      "%s has no sparse Cholesky factorization any more; install cuDSS",
                      basin__dl_path(s->l->library));
  BASIN_TRY(basin__cusparse_open(s->context, &s->sparse));
  BASIN_TRY(basin__cuda_enter(s->cuda));
  int result = s->l->cusolverSpCreate(&s->handle);
  if (result == 0) result = s->l->cusolverSpSetStream(s->handle, basin__cuda_stream(s->cuda));
  if (result == 0) result = s->sparse->cusparseCreateMatDescr(&s->description);
  basin__cuda_leave(s->cuda);
  if (result == 0) return BASIN_OK;
  return basin__vendor_failed(s->context, "cusolverSpCreate(", result, BASIN__CUSOLVER_ALLOCATION);
}

basin_status basin__cuda_direct_cusolver(basin_cuda *cuda, basin__cuda_direct *direct)
{
  basin_context *context = basin__cuda_context(cuda);
  state *s = basin__calloc(context, 1, sizeof *s);
  if (s == NULL) return BASIN_ERROR_MEMORY;
  *s = (state){.cuda = cuda, .context = context};
  basin_status status = start(s);
  if (status != BASIN_OK) {
    destroy(s);
    return status;
  }
  *direct = (basin__cuda_direct){s, order_nodes, analyze, factorize, solve, describe, destroy};
  return BASIN_OK;
}
