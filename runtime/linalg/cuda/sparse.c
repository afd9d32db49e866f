/* Products of general sparse matrices by cuSPARSE. SPDX-License-Identifier: Apache-2.0 */
#include "linear.h"
#include "vendor.h"

#include "base/base.h"
#include <limits.h>

struct basin_cuda_sparse {
  basin_cuda *cuda;
  basin_context *context;
  basin__cusparse *l;
  void *handle;
};

/* A matrix on the device with the library's description of it. */
typedef struct matrix {
  basin_buffer starts, indices, values;
  void *description;
} matrix;

static const double one = 1, zero = 0;

#define CALL(expression) BASIN__VENDOR(s->context, BASIN__CUSPARSE_ALLOCATION, expression)

/* ---- creation ---- */

void basin__cuda_sparse_destroy(basin_cuda_sparse *s)
{
  if (s == NULL) return;
  if (s->handle != NULL && basin__cuda_enter(s->cuda) == BASIN_OK) {
    (void)s->l->cusparseDestroy(s->handle);
    basin__cuda_leave(s->cuda);
  }
  basin__cusparse_close(s->l);
  basin__free(s->context, s, sizeof *s);
}

static basin_status start(basin_cuda_sparse *s)
{
  BASIN_TRY(basin__cusparse_open(s->context, &s->l));
  BASIN_TRY(basin__cuda_enter(s->cuda));
  int result = s->l->cusparseCreate(&s->handle);
  if (result == 0) result = s->l->cusparseSetStream(s->handle, basin__cuda_stream(s->cuda));
  basin__cuda_leave(s->cuda);
  if (result == 0) return BASIN_OK;
  return basin__vendor_failed(s->context, "cusparseCreate(", result, BASIN__CUSPARSE_ALLOCATION);
}

basin_status basin__cuda_sparse_create(basin_cuda *cuda, basin_cuda_sparse **result)
{
  basin_context *context = basin__cuda_context(cuda);
  basin_cuda_sparse *s = *result = basin__calloc(context, 1, sizeof *s);
  if (s == NULL) return BASIN_ERROR_MEMORY;
  s->cuda = cuda;
  s->context = context;
  basin_status status = start(s);
  if (status != BASIN_OK) {
    basin__cuda_sparse_destroy(s);
    *result = NULL;
  }
  return status;
}

/* ---- copies ---- */

static void release(basin_cuda_sparse *s, matrix *m)
{
  if (m->description != NULL) (void)s->l->cusparseDestroySpMat(m->description);
  basin__buffer_release(s->cuda, &m->starts);
  basin__buffer_release(s->cuda, &m->indices);
  basin__buffer_release(s->cuda, &m->values);
}

static basin_status reserve(basin_cuda_sparse *s, matrix *m, size_t rows, size_t count)
{
  BASIN_TRY(basin__buffer_reserve(s->cuda, &m->starts, (rows + 1) * sizeof(int32_t)));
  BASIN_TRY(basin__buffer_reserve(s->cuda, &m->indices, (count + 1) * sizeof(int32_t)));
  return basin__buffer_reserve(s->cuda, &m->values, (count + 1) * sizeof(double));
}

static basin_status
describe(basin_cuda_sparse *s, matrix *m, size_t rows, size_t columns, size_t count)
{
  CALL(s->l->cusparseCreateCsr(&m->description,
                               (int64_t)rows,
                               (int64_t)columns,
                               (int64_t)count,
                               m->starts.address,
                               m->indices.address,
                               m->values.address,
                               BASIN__CUSPARSE_INDEX_32,
                               BASIN__CUSPARSE_INDEX_32,
                               BASIN__CUSPARSE_DEFAULT,
                               BASIN__CUDA_REAL_64));
  return BASIN_OK;
}

static basin_status check_size(basin_cuda_sparse *s, const basin_csr *a)
{
  if (basin_csr_rows(a) < INT_MAX && basin_csr_columns(a) < INT_MAX && basin_csr_count(a) < INT_MAX)
    return BASIN_OK;
  return BASIN_FAIL(s->context,
                    BASIN_ERROR_UNSUPPORTED,
                    "a product on the device takes fewer than 2^31 rows and entries");
}

static basin_status upload(basin_cuda_sparse *s, const basin_csr *a, matrix *m)
{
  size_t rows = basin_csr_rows(a), count = basin_csr_count(a);
  BASIN_TRY(check_size(s, a));
  BASIN_TRY(reserve(s, m, rows, count));
  int32_t *starts = basin__alloc(s->context, (rows + 1) * sizeof *starts);
  if (starts == NULL) return BASIN_ERROR_MEMORY;
  for (size_t i = 0; i <= rows; i++) starts[i] = (int32_t)basin_csr_starts(a)[i];
  basin_status status =
      basin__cuda_upload(s->cuda, m->starts.address, starts, (rows + 1) * sizeof *starts);
  basin__free(s->context, starts, (rows + 1) * sizeof *starts);
  BASIN_TRY(status);
  if (count > 0) {
    BASIN_TRY(basin__cuda_upload(
        s->cuda, m->indices.address, basin_csr_column_indices(a), count * sizeof(int32_t)));
    BASIN_TRY(basin__cuda_upload(
        s->cuda, m->values.address, basin_csr_values_const(a), count * sizeof(double)));
  }
  return describe(s, m, rows, basin_csr_columns(a), count);
}

/* A matrix of the host from one on the device. */
static basin_status download(basin_cuda_sparse *s,
                             const matrix *m,
                             size_t rows,
                             size_t columns,
                             size_t count,
                             basin_csr **result)
{
  size_t start_bytes = (rows + 1) * sizeof(size_t), small_bytes = (rows + 1) * sizeof(uint32_t),
         index_bytes = (count + 1) * sizeof(uint32_t), value_bytes = (count + 1) * sizeof(double);
  size_t *starts = basin__alloc(s->context, start_bytes);
  uint32_t *small = basin__alloc(s->context, small_bytes),
           *indices = basin__alloc(s->context, index_bytes);
  double *values = basin__alloc(s->context, value_bytes);
  basin_status status = starts && small && indices && values ? BASIN_OK : BASIN_ERROR_MEMORY;
  if (status == BASIN_OK)
    status = basin__cuda_download(s->cuda, small, m->starts.address, small_bytes);
  if (status == BASIN_OK && count > 0)
    status = basin__cuda_download(s->cuda, indices, m->indices.address, count * sizeof *indices);
  if (status == BASIN_OK && count > 0)
    status = basin__cuda_download(s->cuda, values, m->values.address, count * sizeof *values);
  if (status == BASIN_OK) {
    for (size_t i = 0; i <= rows; i++) starts[i] = small[i];
    status =
        basin_csr_create_compressed(s->context, rows, columns, starts, indices, values, result);
  }
  basin__free(s->context, starts, start_bytes);
  basin__free(s->context, small, small_bytes);
  basin__free(s->context, indices, index_bytes);
  basin__free(s->context, values, value_bytes);
  return status;
}

/* ---- matrix times matrix ---- */

typedef struct product {
  matrix a, b, c;
  basin_buffer first, second;
  void *work;
} product;

/* The three steps of the library: its estimate, the product, and the copy to where it belongs. */
static basin_status
run(basin_cuda_sparse *s, product *p, size_t rows, size_t columns, int64_t *count)
{
  const int none = BASIN__CUSPARSE_DEFAULT, type = BASIN__CUDA_REAL_64;
  void *a = p->a.description, *b = p->b.description, *c = p->c.description;
  size_t size = 0;
  int64_t found_rows, found_columns;
  CALL(s->l->cusparseSpGEMM_createDescr(&p->work));
  CALL(s->l->cusparseSpGEMM_workEstimation(
      s->handle, none, none, &one, a, b, &zero, c, type, none, p->work, &size, 0));
  BASIN_TRY(basin__buffer_reserve(s->cuda, &p->first, size + 1));
  CALL(s->l->cusparseSpGEMM_workEstimation(
      s->handle, none, none, &one, a, b, &zero, c, type, none, p->work, &size, p->first.address));
  CALL(s->l->cusparseSpGEMM_compute(
      s->handle, none, none, &one, a, b, &zero, c, type, none, p->work, &size, 0));
  BASIN_TRY(basin__buffer_reserve(s->cuda, &p->second, size + 1));
  CALL(s->l->cusparseSpGEMM_compute(
      s->handle, none, none, &one, a, b, &zero, c, type, none, p->work, &size, p->second.address));
  CALL(s->l->cusparseSpMatGetSize(c, &found_rows, &found_columns, count));
  if ((size_t)found_rows != rows || (size_t)found_columns != columns)
    return BASIN_FAIL(
        s->context,
        BASIN_ERROR_INTERNAL,
        "cuSPARSE made a product of %lld rows and %lld columns instead of %zu and %zu",
        (long long)found_rows,
        (long long)found_columns,
        rows,
        columns);
  BASIN_TRY(reserve(s, &p->c, rows, (size_t)*count));
  CALL(s->l->cusparseCsrSetPointers(
      c, p->c.starts.address, p->c.indices.address, p->c.values.address));
  CALL(s->l->cusparseSpGEMM_copy(s->handle, none, none, &one, a, b, &zero, c, type, none, p->work));
  return BASIN_OK;
}

static basin_status multiply(
    basin_cuda_sparse *s, product *p, const basin_csr *a, const basin_csr *b, basin_csr **result)
{
  size_t rows = basin_csr_rows(a), columns = basin_csr_columns(b);
  int64_t count = 0;
  BASIN_TRY(upload(s, a, &p->a));
  BASIN_TRY(upload(s, b, &p->b));
  BASIN_TRY(reserve(s, &p->c, rows, 0));
  BASIN_TRY(describe(s, &p->c, rows, columns, 0));
  BASIN_TRY(run(s, p, rows, columns, &count));
  return download(s, &p->c, rows, columns, (size_t)count, result);
}

basin_status basin__cuda_sparse_multiply(basin_cuda_sparse *s,
                                         const basin_csr *a,
                                         const basin_csr *b,
                                         basin_csr **result)
{
  product p = {.work = NULL};
  *result = NULL;
  if (basin_csr_columns(a) != basin_csr_rows(b))
    return BASIN_FAIL(s->context,
                      BASIN_ERROR_SHAPE,
                      "a matrix of %zu columns cannot be multiplied by one of %zu rows",
                      basin_csr_columns(a),
                      basin_csr_rows(b));
  if (basin_csr_count(a) == 0 || basin_csr_count(b) == 0)
    return basin_csr_create_zero(s->context, basin_csr_rows(a), basin_csr_columns(b), result);
  BASIN_TRY(basin__cuda_enter(s->cuda));
  basin_status status = multiply(s, &p, a, b, result);
  if (p.work != NULL) (void)s->l->cusparseSpGEMM_destroyDescr(p.work);
  release(s, &p.a);
  release(s, &p.b);
  release(s, &p.c);
  basin__buffer_release(s->cuda, &p.first);
  basin__buffer_release(s->cuda, &p.second);
  basin__cuda_leave(s->cuda);
  return status;
}

/* ---- matrix times vector ---- */

typedef struct application {
  matrix a;
  basin_buffer x, y, work;
  void *of_x, *of_y;
} application;

static basin_status
apply(basin_cuda_sparse *s, application *p, const basin_csr *a, const double *x, double *y)
{
  const int none = BASIN__CUSPARSE_DEFAULT, type = BASIN__CUDA_REAL_64;
  size_t rows = basin_csr_rows(a), columns = basin_csr_columns(a), size = 0;
  BASIN_TRY(upload(s, a, &p->a));
  BASIN_TRY(basin__buffer_reserve(s->cuda, &p->x, columns * sizeof *x));
  BASIN_TRY(basin__buffer_reserve(s->cuda, &p->y, rows * sizeof *y));
  BASIN_TRY(basin__cuda_upload(s->cuda, p->x.address, x, columns * sizeof *x));
  CALL(s->l->cusparseCreateDnVec(&p->of_x, (int64_t)columns, p->x.address, type));
  CALL(s->l->cusparseCreateDnVec(&p->of_y, (int64_t)rows, p->y.address, type));
  CALL(s->l->cusparseSpMV_bufferSize(
      s->handle, none, &one, p->a.description, p->of_x, &zero, p->of_y, type, none, &size));
  BASIN_TRY(basin__buffer_reserve(s->cuda, &p->work, size + 1));
  CALL(s->l->cusparseSpMV(s->handle,
                          none,
                          &one,
                          p->a.description,
                          p->of_x,
                          &zero,
                          p->of_y,
                          type,
                          none,
                          p->work.address));
  return basin__cuda_download(s->cuda, y, p->y.address, rows * sizeof *y);
}

basin_status
basin__cuda_sparse_apply(basin_cuda_sparse *s, const basin_csr *a, const double *x, double *y)
{
  application p = {.of_x = NULL};
  if (basin_csr_count(a) == 0) {
    for (size_t i = 0; i < basin_csr_rows(a); i++) y[i] = 0;
    return BASIN_OK;
  }
  BASIN_TRY(basin__cuda_enter(s->cuda));
  basin_status status = apply(s, &p, a, x, y);
  if (p.of_x != NULL) (void)s->l->cusparseDestroyDnVec(p.of_x);
  if (p.of_y != NULL) (void)s->l->cusparseDestroyDnVec(p.of_y);
  release(s, &p.a);
  basin__buffer_release(s->cuda, &p.x);
  basin__buffer_release(s->cuda, &p.y);
  basin__buffer_release(s->cuda, &p.work);
  basin__cuda_leave(s->cuda);
  return status;
}
