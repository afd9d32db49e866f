/* The functions of cuSPARSE that Basin calls, by simple loops, with their arguments checked.
 * SPDX-License-Identifier: Apache-2.0 */
#include "vendor.h"

SOFTCUDA_API int cusparseCreate(void **handle);
SOFTCUDA_API int cusparseDestroy(void *handle);
SOFTCUDA_API int cusparseGetVersion(void *handle, int *version);
SOFTCUDA_API int cusparseSetStream(void *handle, void *stream);
SOFTCUDA_API int cusparseCreateMatDescr(void **description);
SOFTCUDA_API int cusparseDestroyMatDescr(void *description);
SOFTCUDA_API int cusparseCreateCsr(void **matrix,
                                   int64_t rows,
                                   int64_t columns,
                                   int64_t count,
                                   int *starts,
                                   int *indices,
                                   double *values,
                                   int start_type,
                                   int index_type,
                                   int base,
                                   int value_type);
SOFTCUDA_API int cusparseCsrSetPointers(void *matrix, int *starts, int *indices, double *values);
SOFTCUDA_API int cusparseDestroySpMat(void *matrix);
SOFTCUDA_API int
cusparseSpMatGetSize(void *matrix, int64_t *rows, int64_t *columns, int64_t *count);
SOFTCUDA_API int cusparseCreateDnVec(void **vector, int64_t size, double *values, int value_type);
SOFTCUDA_API int cusparseDestroyDnVec(void *vector);
SOFTCUDA_API int cusparseSpMV_bufferSize(void *handle,
                                         int operation,
                                         const double *alpha,
                                         void *a,
                                         void *x,
                                         const double *beta,
                                         void *y,
                                         int type,
                                         int algorithm,
                                         size_t *size);
SOFTCUDA_API int cusparseSpMV(void *handle,
                              int operation,
                              const double *alpha,
                              void *a,
                              void *x,
                              const double *beta,
                              void *y,
                              int type,
                              int algorithm,
                              void *work);
SOFTCUDA_API int cusparseSpGEMM_createDescr(void **description);
SOFTCUDA_API int cusparseSpGEMM_destroyDescr(void *description);
#define SPGEMM_ARGUMENTS                                                                       \
  void *handle, int of_a, int of_b, const double *alpha, void *a, void *b, const double *beta, \
      void *c, int type, int algorithm, void *description
SOFTCUDA_API int cusparseSpGEMM_workEstimation(SPGEMM_ARGUMENTS, size_t *size, void *work);
SOFTCUDA_API int cusparseSpGEMM_compute(SPGEMM_ARGUMENTS, size_t *size, void *work);
SOFTCUDA_API int cusparseSpGEMM_copy(SPGEMM_ARGUMENTS);

enum { HANDLE = 0x6601, DESCRIPTION, MATRIX, VECTOR, PRODUCT, WORK = 128 };

typedef struct object {
  vendor_object base;
  int stage;      /* of a product: what was done */
  vendor_csr csr; /* a vector has rows and values */
} object;

static int create(void **place, int kind)
{
  return vendor_create(place, sizeof(object), kind);
}

int cusparseCreate(void **handle)
{
  SOFTCUDA_CALL("cusparseCreate");
  return create(handle, HANDLE);
}

int cusparseDestroy(void *handle)
{
  SOFTCUDA_CALL("cusparseDestroy");
  return vendor_destroy("cusparseDestroy", handle, HANDLE);
}

int cusparseGetVersion(void *handle, int *version)
{
  *version = 12600;
  return vendor_is("cusparseGetVersion", handle, HANDLE) ? VENDOR_OK : VENDOR_INVALID;
}

int cusparseSetStream(void *handle, void *stream)
{
  (void)stream;
  return vendor_is("cusparseSetStream", handle, HANDLE) ? VENDOR_OK : VENDOR_INVALID;
}

int cusparseCreateMatDescr(void **description)
{
  SOFTCUDA_CALL("cusparseCreateMatDescr");
  return create(description, DESCRIPTION);
}

int cusparseDestroyMatDescr(void *description)
{
  SOFTCUDA_CALL("cusparseDestroyMatDescr");
  return vendor_destroy("cusparseDestroyMatDescr", description, DESCRIPTION);
}

int cusparseCreateCsr(void **matrix,
                      int64_t rows,
                      int64_t columns,
                      int64_t count,
                      int *starts,
                      int *indices,
                      double *values,
                      int start_type,
                      int index_type,
                      int base,
                      int value_type)
{
  SOFTCUDA_CALL("cusparseCreateCsr");
  if (rows < 0 || columns < 0 || count < 0 || start_type != 2 || index_type != 2 || base != 0 ||
      value_type != 1)
    return VENDOR_INVALID;
  if (create(matrix, MATRIX) != VENDOR_OK) return VENDOR_ALLOCATION;
  ((object *)*matrix)->csr = (vendor_csr){rows, columns, count, starts, indices, values};
  return VENDOR_OK;
}

int cusparseCsrSetPointers(void *matrix, int *starts, int *indices, double *values)
{
  SOFTCUDA_CALL("cusparseCsrSetPointers");
  if (!vendor_is("cusparseCsrSetPointers", matrix, MATRIX)) return VENDOR_INVALID;
  vendor_csr *m = &((object *)matrix)->csr;
  m->starts = starts;
  m->indices = indices;
  m->values = values;
  return VENDOR_OK;
}

int cusparseDestroySpMat(void *matrix)
{
  SOFTCUDA_CALL("cusparseDestroySpMat");
  return vendor_destroy("cusparseDestroySpMat", matrix, MATRIX);
}

int cusparseSpMatGetSize(void *matrix, int64_t *rows, int64_t *columns, int64_t *count)
{
  SOFTCUDA_CALL("cusparseSpMatGetSize");
  if (!vendor_is("cusparseSpMatGetSize", matrix, MATRIX)) return VENDOR_INVALID;
  const vendor_csr *m = &((object *)matrix)->csr;
  *rows = m->rows;
  *columns = m->columns;
  *count = m->count;
  return VENDOR_OK;
}

int cusparseCreateDnVec(void **vector, int64_t size, double *values, int value_type)
{
  SOFTCUDA_CALL("cusparseCreateDnVec");
  if (size < 0 || value_type != 1) return VENDOR_INVALID;
  if (create(vector, VECTOR) != VENDOR_OK) return VENDOR_ALLOCATION;
  ((object *)*vector)->csr = (vendor_csr){.rows = size, .values = values};
  return VENDOR_OK;
}

int cusparseDestroyDnVec(void *vector)
{
  SOFTCUDA_CALL("cusparseDestroyDnVec");
  return vendor_destroy("cusparseDestroyDnVec", vector, VECTOR);
}

/* ---- matrix times vector ---- */

static bool product_fits(const char *call, const object *a, const object *x, const object *y)
{
  return vendor_is(call, a, MATRIX) && vendor_is(call, x, VECTOR) && vendor_is(call, y, VECTOR) &&
         x->csr.rows == a->csr.columns && y->csr.rows == a->csr.rows &&
         vendor_on_device(call, x->csr.values, (size_t)x->csr.rows * sizeof(double)) &&
         vendor_on_device(call, y->csr.values, (size_t)y->csr.rows * sizeof(double));
}

int cusparseSpMV_bufferSize(void *handle,
                            int operation,
                            const double *alpha,
                            void *a,
                            void *x,
                            const double *beta,
                            void *y,
                            int type,
                            int algorithm,
                            size_t *size)
{
  static const char call[] = "cusparseSpMV_bufferSize";
  SOFTCUDA_CALL(call);
  if (!vendor_is(call, handle, HANDLE) || operation != 0 || !alpha || !beta || type != 1 ||
      algorithm != 0 || !product_fits(call, a, x, y))
    return VENDOR_INVALID;
  *size = WORK;
  return VENDOR_OK;
}

int cusparseSpMV(void *handle,
                 int operation,
                 const double *alpha,
                 void *a,
                 void *x,
                 const double *beta,
                 void *y,
                 int type,
                 int algorithm,
                 void *work)
{
  static const char call[] = "cusparseSpMV";
  SOFTCUDA_CALL(call);
  if (!vendor_is(call, handle, HANDLE) || operation != 0 || type != 1 || algorithm != 0 ||
      !product_fits(call, a, x, y) || !vendor_on_device(call, work, WORK))
    return VENDOR_INVALID;
  if (vendor_begin(call) != VENDOR_OK) return VENDOR_FAILED;
  const vendor_csr *m = &((object *)a)->csr;
  const double *from = ((object *)x)->csr.values;
  double *to = ((object *)y)->csr.values;
  bool good = vendor_csr_good(call, m);
  for (int64_t i = 0; i < m->rows && good; i++) {
    double sum = 0;
    for (int k = m->starts[i]; k < m->starts[i + 1]; k++) sum += m->values[k] * from[m->indices[k]];
    to[i] = *alpha * sum + (*beta == 0 ? 0 : *beta * to[i]);
  }
  vendor_end();
  return good ? VENDOR_OK : VENDOR_INVALID;
}

/* ---- matrix times matrix ---- */

int cusparseSpGEMM_createDescr(void **description)
{
  SOFTCUDA_CALL("cusparseSpGEMM_createDescr");
  return create(description, PRODUCT);
}

int cusparseSpGEMM_destroyDescr(void *description)
{
  SOFTCUDA_CALL("cusparseSpGEMM_destroyDescr");
  return vendor_destroy("cusparseSpGEMM_destroyDescr", description, PRODUCT);
}

static bool matrices_fit(const char *call, SPGEMM_ARGUMENTS, int stage)
{
  if (!vendor_is(call, handle, HANDLE) || !vendor_is(call, a, MATRIX) ||
      !vendor_is(call, b, MATRIX) || !vendor_is(call, c, MATRIX) ||
      !vendor_is(call, description, PRODUCT))
    return false;
  const vendor_csr *x = &((object *)a)->csr, *y = &((object *)b)->csr, *z = &((object *)c)->csr;
  return of_a == 0 && of_b == 0 && *alpha == 1 && *beta == 0 && type == 1 && algorithm == 0 &&
         x->columns == y->rows && x->rows == z->rows && y->columns == z->columns &&
         ((object *)description)->stage >= stage;
}
#define PASS handle, of_a, of_b, alpha, a, b, beta, c, type, algorithm, description

int cusparseSpGEMM_workEstimation(SPGEMM_ARGUMENTS, size_t *size, void *work)
{
  static const char call[] = "cusparseSpGEMM_workEstimation";
  SOFTCUDA_CALL(call);
  if (!matrices_fit(call, PASS, 0) || (work && !vendor_on_device(call, work, WORK)))
    return VENDOR_INVALID;
  *size = WORK;
  if (work) ((object *)description)->stage = 1;
  return VENDOR_OK;
}

/* The product into c, or with `fill` false its count alone. Memory is open. */
static int64_t multiply(const vendor_csr *a, const vendor_csr *b, vendor_csr *c, bool fill)
{
  int64_t count = 0;
  double *sums = calloc((size_t)b->columns + 1, sizeof *sums);
  char *here = calloc((size_t)b->columns + 1, 1);
  for (int64_t i = 0; sums && here && i < a->rows; i++) {
    if (fill) c->starts[i] = (int)count;
    memset(here, 0, (size_t)b->columns);
    for (int k = a->starts[i]; k < a->starts[i + 1]; k++) {
      int row = a->indices[k];
      for (int l = b->starts[row]; l < b->starts[row + 1]; l++) {
        int column = b->indices[l];
        sums[column] = (here[column] ? sums[column] : 0) + a->values[k] * b->values[l];
        here[column] = 1;
      }
    }
    for (int64_t j = 0; j < b->columns; j++) {
      if (!here[j]) continue;
      if (fill) {
        c->indices[count] = (int)j;
        c->values[count] = sums[j];
      }
      count++;
    }
  }
  if (fill) c->starts[a->rows] = (int)count;
  free(sums);
  free(here);
  return count;
}

int cusparseSpGEMM_compute(SPGEMM_ARGUMENTS, size_t *size, void *work)
{
  static const char call[] = "cusparseSpGEMM_compute";
  SOFTCUDA_CALL(call);
  if (!matrices_fit(call, PASS, 1) || (work && !vendor_on_device(call, work, WORK)))
    return VENDOR_INVALID;
  *size = WORK;
  if (!work) return VENDOR_OK;
  if (vendor_begin(call) != VENDOR_OK) return VENDOR_FAILED;
  const vendor_csr *x = &((object *)a)->csr, *y = &((object *)b)->csr;
  bool good = vendor_csr_good(call, x) && vendor_csr_good(call, y);
  if (good) ((object *)c)->csr.count = multiply(x, y, NULL, false);
  vendor_end();
  ((object *)description)->stage = 2;
  return good ? VENDOR_OK : VENDOR_INVALID;
}

int cusparseSpGEMM_copy(SPGEMM_ARGUMENTS)
{
  static const char call[] = "cusparseSpGEMM_copy";
  SOFTCUDA_CALL(call);
  if (!matrices_fit(call, PASS, 2)) return VENDOR_INVALID;
  vendor_csr *z = &((object *)c)->csr;
  if (!vendor_on_device(call, z->starts, (size_t)(z->rows + 1) * sizeof(int)) ||
      !vendor_on_device(call, z->indices, (size_t)z->count * sizeof(int)) ||
      !vendor_on_device(call, z->values, (size_t)z->count * sizeof(double)))
    return VENDOR_INVALID;
  if (vendor_begin(call) != VENDOR_OK) return VENDOR_FAILED;
  multiply(&((object *)a)->csr, &((object *)b)->csr, z, true);
  vendor_end();
  return VENDOR_OK;
}
