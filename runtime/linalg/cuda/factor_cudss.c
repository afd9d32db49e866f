/* cuDSS as a direct solver. SPDX-License-Identifier: Apache-2.0 */
#include "factor.h"
#include "vendor.h"

#include "base/base.h"
#include <string.h>

typedef struct state {
  basin_cuda *cuda;
  basin_context *context;
  basin__cudss *l;
  bool definite;
  void *handle, *config, *data, *matrix;
} state;

#define CALL(expression) BASIN__VENDOR(s->context, BASIN__CUDSS_ALLOCATION, expression)

static void forget(state *s)
{
  if (s->matrix != NULL) (void)s->l->cudssMatrixDestroy(s->matrix);
  if (s->data != NULL) (void)s->l->cudssDataDestroy(s->handle, s->data);
  s->matrix = s->data = NULL;
}

static void destroy(void *self)
{
  state *s = self;
  if (s->l != NULL && basin__cuda_enter(s->cuda) == BASIN_OK) {
    forget(s);
    if (s->config != NULL) (void)s->l->cudssConfigDestroy(s->config);
    if (s->handle != NULL) (void)s->l->cudssDestroy(s->handle);
    basin__cuda_leave(s->cuda);
  }
  basin__cudss_close(s->l);
  basin__free(s->context, s, sizeof *s);
}

/* One right-hand side, or several, column after column. */
static basin_status
make_vectors(state *s, size_t size, size_t columns, basin_address values, void **vectors)
{
  CALL(s->l->cudssMatrixCreateDn(
      vectors, (int64_t)size, (int64_t)columns, (int64_t)size, values, BASIN__CUDA_REAL_64, 0));
  return BASIN_OK;
}

/* x and b are not touched by the phases before the last. */
static basin_status
execute(state *s, int phase, size_t size, size_t columns, basin_address b, basin_address x)
{
  void *of_b = NULL, *of_x = NULL;
  basin_status status = make_vectors(s, size, columns, b, &of_b);
  if (status == BASIN_OK) status = make_vectors(s, size, columns, x, &of_x);
  if (status == BASIN_OK) {
    int result = s->l->cudssExecute(s->handle, phase, s->config, s->data, s->matrix, of_x, of_b);
    if (result != 0)
      status = basin__vendor_failed(s->context, "cudssExecute(", result, BASIN__CUDSS_ALLOCATION);
  }
  if (of_b != NULL) (void)s->l->cudssMatrixDestroy(of_b);
  if (of_x != NULL) (void)s->l->cudssMatrixDestroy(of_x);
  return status;
}

typedef int (*create_csr_of_0_7)(void **matrix,
                                 int64_t rows,
                                 int64_t columns,
                                 int64_t count,
                                 basin_address starts,
                                 basin_address ends,
                                 basin_address indices,
                                 basin_address values,
                                 int index_type,
                                 int value_type,
                                 int kind,
                                 int view,
                                 int base);

static int create_csr(const basin__cudss *l, const basin__cuda_csr *csr, int kind, void **matrix)
{
  enum { INDEX = BASIN__CUDA_INTEGER_32, VALUE = BASIN__CUDA_REAL_64, WHOLE = BASIN__CUDSS_FULL };
  const int64_t size = (int64_t)csr->size, count = (int64_t)csr->count;
  const basin_address starts = csr->starts, indices = csr->indices, values = csr->values;
  if (l->minor > 7)
    return l->cudssMatrixCreateCsr(
        matrix, size, size, count, starts, 0, indices, values, INDEX, INDEX, VALUE, kind, WHOLE, 0);
  create_csr_of_0_7 create;
  memcpy(&create, &l->cudssMatrixCreateCsr, sizeof create);
  return create(
      matrix, size, size, count, starts, 0, indices, values, INDEX, VALUE, kind, WHOLE, 0);
}

static basin_status make_matrix(state *s, const basin__cuda_csr *m)
{
  if (s->matrix != NULL) (void)s->l->cudssMatrixDestroy(s->matrix);
  s->matrix = NULL;
  const int kind = s->definite ? BASIN__CUDSS_DEFINITE : BASIN__CUDSS_SYMMETRIC;
  const int result = create_csr(s->l, m, kind, &s->matrix);
  if (result == 0) return BASIN_OK;
  return basin__vendor_failed(s->context, "cudssMatrixCreateCsr(", result, BASIN__CUDSS_ALLOCATION);
}

static basin_status analyze(void *self, const basin__cuda_csr *m)
{
  state *s = self;
  forget(s);
  CALL(s->l->cudssDataCreate(s->handle, &s->data));
  BASIN_TRY(make_matrix(s, m));
  return execute(s, BASIN__CUDSS_ANALYSIS, m->size, 1, m->values, m->values);
}

static basin_status factorize(void *self, const basin__cuda_csr *m, size_t *bad)
{
  state *s = self;
  int info = 0;
  size_t written;
  *bad = SIZE_MAX;
  BASIN_TRY(make_matrix(s, m));
  BASIN_TRY(execute(s, BASIN__CUDSS_FACTORIZATION, m->size, 1, m->values, m->values));
  CALL(
      s->l->cudssDataGet(s->handle, s->data, BASIN__CUDSS_DATA_INFO, &info, sizeof info, &written));
  if (info == 0) return BASIN_OK;
  return s->definite ? BASIN_ERROR_INDEFINITE : BASIN_ERROR_SINGULAR;
}

static basin_status
solve(void *self, const basin__cuda_csr *m, size_t columns, basin_address b, basin_address x)
{
  return execute(self, BASIN__CUDSS_SOLVE, m->size, columns, b, x);
}

static void describe(const void *self, basin_factor_info *info)
{
  const state *s = self;
  int inertia[2] = {0, 0};
  int64_t entries = 0;
  size_t written;
  info->library = "cuDSS";
  info->algorithm = "supernodal";
  info->ordering = "nested dissection";
  if (s->l->cudssDataGet(
          s->handle, s->data, BASIN__CUDSS_DATA_ENTRIES, &entries, sizeof entries, &written) == 0)
    info->entries = (double)entries;
  if (!s->definite &&
      s->l->cudssDataGet(
          s->handle, s->data, BASIN__CUDSS_DATA_INERTIA, inertia, sizeof inertia, &written) == 0)
    info->negative_pivots = (size_t)inertia[1];
}

static basin_status start(state *s)
{
  BASIN_TRY(basin__cudss_open(s->context, &s->l));
  BASIN_TRY(basin__cuda_enter(s->cuda));
  int result = s->l->cudssCreate(&s->handle);
  if (result == 0) result = s->l->cudssSetStream(s->handle, basin__cuda_stream(s->cuda));
  if (result == 0) result = s->l->cudssConfigCreate(&s->config);
  basin__cuda_leave(s->cuda);
  if (result == 0) return BASIN_OK;
  return basin__vendor_failed(s->context, "cudssCreate(", result, BASIN__CUDSS_ALLOCATION);
}

basin_status basin__cuda_direct_cudss(basin_cuda *cuda, bool definite, basin__cuda_direct *direct)
{
  basin_context *context = basin__cuda_context(cuda);
  state *s = basin__calloc(context, 1, sizeof *s);
  if (s == NULL) return BASIN_ERROR_MEMORY;
  *s = (state){.cuda = cuda, .context = context, .definite = definite};
  basin_status status = start(s);
  if (status != BASIN_OK) {
    destroy(s);
    return status;
  }
  *direct = (basin__cuda_direct){s, NULL, analyze, factorize, solve, describe, destroy};
  return BASIN_OK;
}
