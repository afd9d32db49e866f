/* The functions of cuDSS that Basin calls, by simple dense algorithms, with their arguments
 * checked: those of version 0.CUDSS_MINOR. SPDX-License-Identifier: Apache-2.0 */
#include "vendor.h"

#if CUDSS_MINOR < 8
#define INDEX_TYPES      int index_type
#define INDEX_TYPES_GOOD (index_type == 10)
#else
#define INDEX_TYPES      int offset_type, int index_type
#define INDEX_TYPES_GOOD (offset_type == 10 && index_type == 10)
#endif

SOFTCUDA_API int cudssGetProperty(int property, int *value);
SOFTCUDA_API int cudssCreate(void **handle);
SOFTCUDA_API int cudssDestroy(void *handle);
SOFTCUDA_API int cudssSetStream(void *handle, void *stream);
SOFTCUDA_API int cudssConfigCreate(void **config);
SOFTCUDA_API int cudssConfigDestroy(void *config);
SOFTCUDA_API int cudssDataCreate(void *handle, void **data);
SOFTCUDA_API int cudssDataDestroy(void *handle, void *data);
SOFTCUDA_API int
cudssDataGet(void *handle, void *data, int which, void *value, size_t size, size_t *written);
SOFTCUDA_API int cudssMatrixCreateCsr(void **matrix,
                                      int64_t rows,
                                      int64_t columns,
                                      int64_t count,
                                      int *starts,
                                      int *ends,
                                      int *indices,
                                      double *values,
                                      INDEX_TYPES,
                                      int value_type,
                                      int kind,
                                      int view,
                                      int base);
SOFTCUDA_API int cudssMatrixCreateDn(void **matrix,
                                     int64_t rows,
                                     int64_t columns,
                                     int64_t leading,
                                     double *values,
                                     int value_type,
                                     int layout);
SOFTCUDA_API int cudssMatrixDestroy(void *matrix);
SOFTCUDA_API int
cudssExecute(void *handle, int phase, void *config, void *data, void *matrix, void *x, void *b);

enum { HANDLE = 0x7701, CONFIG, DATA, MATRIX, VECTORS };
enum { ANALYSIS = 3, FACTORIZATION = 4, SOLVE = 1008, SYMMETRIC = 1, DEFINITE = 3 };

typedef struct object {
  vendor_object base;
  int matrix_kind, info;
  vendor_csr csr; /* of a matrix; of vectors rows, columns and values */
  int64_t leading, analyzed_rows, analyzed_count;
  int inertia[2];
} object;

static int create(void **place, int kind)
{
  return vendor_create(place, sizeof(object), kind);
}

int cudssGetProperty(int property, int *value)
{
  *value = property == 1 ? (int)softcuda_setting("SOFTCUDA_CUDSS_MINOR", CUDSS_MINOR) : 0;
  return VENDOR_OK;
}

int cudssCreate(void **handle)
{
  SOFTCUDA_CALL("cudssCreate");
  return create(handle, HANDLE);
}

int cudssDestroy(void *handle)
{
  SOFTCUDA_CALL("cudssDestroy");
  return vendor_destroy("cudssDestroy", handle, HANDLE);
}

int cudssSetStream(void *handle, void *stream)
{
  (void)stream;
  return vendor_is("cudssSetStream", handle, HANDLE) ? VENDOR_OK : VENDOR_INVALID;
}

int cudssConfigCreate(void **config)
{
  SOFTCUDA_CALL("cudssConfigCreate");
  return create(config, CONFIG);
}

int cudssConfigDestroy(void *config)
{
  SOFTCUDA_CALL("cudssConfigDestroy");
  return vendor_destroy("cudssConfigDestroy", config, CONFIG);
}

int cudssDataCreate(void *handle, void **data)
{
  SOFTCUDA_CALL("cudssDataCreate");
  return vendor_is("cudssDataCreate", handle, HANDLE) ? create(data, DATA) : VENDOR_INVALID;
}

int cudssDataDestroy(void *handle, void *data)
{
  SOFTCUDA_CALL("cudssDataDestroy");
  if (!vendor_is("cudssDataDestroy", handle, HANDLE)) return VENDOR_INVALID;
  return vendor_destroy("cudssDataDestroy", data, DATA);
}

int cudssDataGet(void *handle, void *data, int which, void *value, size_t size, size_t *written)
{
  static const char call[] = "cudssDataGet";
  SOFTCUDA_CALL(call);
  const object *o = data;
  if (!vendor_is(call, handle, HANDLE) || !vendor_is(call, data, DATA)) return VENDOR_INVALID;
  int64_t entries = o->analyzed_rows * o->analyzed_rows;
  const void *from = which == 0   ? (const void *)&o->info
                     : which == 1 ? (const void *)&entries
                     : which == 3 ? (const void *)o->inertia
                                  : NULL;
  size_t bytes = which == 0 ? sizeof(int) : which == 1 ? sizeof entries : sizeof o->inertia;
  if (!from || size < bytes) return VENDOR_INVALID;
  memcpy(value, from, bytes);
  *written = bytes;
  return VENDOR_OK;
}

int cudssMatrixCreateCsr(void **matrix,
                         int64_t rows,
                         int64_t columns,
                         int64_t count,
                         int *starts,
                         int *ends,
                         int *indices,
                         double *values,
                         INDEX_TYPES,
                         int value_type,
                         int kind,
                         int view,
                         int base)
{
  SOFTCUDA_CALL("cudssMatrixCreateCsr");
  bool known = ends == NULL && INDEX_TYPES_GOOD && value_type == 1 && view == 0 && base == 0 &&
               (kind == SYMMETRIC || kind == DEFINITE) && rows == columns && rows > 0;
  if (!known) return VENDOR_INVALID;
  if (create(matrix, MATRIX) != VENDOR_OK) return VENDOR_ALLOCATION;
  object *o = *matrix;
  o->matrix_kind = kind;
  o->csr = (vendor_csr){rows, columns, count, starts, indices, values};
  return VENDOR_OK;
}

int cudssMatrixCreateDn(void **matrix,
                        int64_t rows,
                        int64_t columns,
                        int64_t leading,
                        double *values,
                        int value_type,
                        int layout)
{
  SOFTCUDA_CALL("cudssMatrixCreateDn");
  if (rows < 1 || columns < 1 || leading < rows || value_type != 1 || layout != 0)
    return VENDOR_INVALID;
  if (create(matrix, VECTORS) != VENDOR_OK) return VENDOR_ALLOCATION;
  object *o = *matrix;
  o->leading = leading;
  o->csr = (vendor_csr){.rows = rows, .columns = columns, .values = values};
  return VENDOR_OK;
}

int cudssMatrixDestroy(void *matrix)
{
  SOFTCUDA_CALL("cudssMatrixDestroy");
  const object *o = matrix;
  return vendor_destroy(
      "cudssMatrixDestroy", matrix, o && o->base.kind == VECTORS ? VECTORS : MATRIX);
}

static int factorize(object *data, const object *matrix)
{
  size_t n = (size_t)matrix->csr.rows;
  if (matrix->csr.rows != data->analyzed_rows || matrix->csr.count != data->analyzed_count)
    return VENDOR_INVALID;
  free(data->base.factor);
  data->base.factor = vendor_dense(&matrix->csr);
  if (!data->base.factor) return VENDOR_ALLOCATION;
  int stopped = vendor_factorize(n, data->base.factor, matrix->matrix_kind != DEFINITE);
  data->info = stopped + 1;
  data->inertia[0] = data->inertia[1] = 0;
  for (size_t i = 0; i < n; i++) data->inertia[data->base.factor[i * n + i] < 0]++;
  return VENDOR_OK;
}

static int solve(const char *call, object *data, const object *matrix, object *x, object *b)
{
  size_t n = (size_t)data->analyzed_rows;
  if (!data->base.factor || data->info != 0 || !vendor_is(call, x, VECTORS) ||
      !vendor_is(call, b, VECTORS))
    return VENDOR_INVALID;
  size_t bytes = (size_t)(x->leading * x->csr.columns) * sizeof(double);
  if (!vendor_on_device(call, x->csr.values, bytes) ||
      !vendor_on_device(call, b->csr.values, bytes) || x->csr.columns != b->csr.columns)
    return VENDOR_INVALID;
  for (int64_t j = 0; j < x->csr.columns; j++)
    vendor_solve(n,
                 data->base.factor,
                 matrix->matrix_kind != DEFINITE,
                 b->csr.values + j * b->leading,
                 x->csr.values + j * x->leading);
  return VENDOR_OK;
}

int cudssExecute(void *handle, int phase, void *config, void *data, void *matrix, void *x, void *b)
{
  static const char call[] = "cudssExecute";
  SOFTCUDA_CALL(call);
  object *d = data, *m = matrix;
  if (!vendor_is(call, handle, HANDLE) || !vendor_is(call, config, CONFIG) ||
      !vendor_is(call, data, DATA) || !vendor_is(call, matrix, MATRIX))
    return VENDOR_INVALID;
  if (vendor_begin(call) != VENDOR_OK) return VENDOR_FAILED;
  int result = vendor_csr_good(call, &m->csr) ? VENDOR_OK : VENDOR_INVALID;
  if (result == VENDOR_OK && phase == ANALYSIS) {
    d->analyzed_rows = m->csr.rows;
    d->analyzed_count = m->csr.count;
  } else if (result == VENDOR_OK && phase == FACTORIZATION) {
    result = factorize(d, m);
  } else if (result == VENDOR_OK && phase == SOLVE) {
    result = solve(call, d, m, x, b);
  } else {
    result = VENDOR_INVALID;
  }
  vendor_end();
  return result;
}
