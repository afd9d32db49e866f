/* The functions of cuSOLVER that Basin calls, by simple dense algorithms, with their arguments
 * checked. SPDX-License-Identifier: Apache-2.0 */
#include "vendor.h"

typedef void *stream;

SOFTCUDA_API int cusolverGetVersion(int *version);
SOFTCUDA_API int cusolverSpCreate(void **handle);
SOFTCUDA_API int cusolverSpDestroy(void *handle);
SOFTCUDA_API int cusolverSpSetStream(void *handle, stream s);
SOFTCUDA_API int cusolverSpXcsrsymamdHost(void *handle,
                                          int n,
                                          int count,
                                          void *description,
                                          const int *starts,
                                          const int *columns,
                                          int *order);
SOFTCUDA_API int cusolverSpCreateCsrcholInfo(void **info);
SOFTCUDA_API int cusolverSpDestroyCsrcholInfo(void *info);
SOFTCUDA_API int cusolverSpXcsrcholAnalysis(
    void *handle, int n, int count, void *description, int *starts, int *columns, void *info);
SOFTCUDA_API int cusolverSpDcsrcholBufferInfo(void *handle,
                                              int n,
                                              int count,
                                              void *description,
                                              double *values,
                                              int *starts,
                                              int *columns,
                                              void *info,
                                              size_t *internal,
                                              size_t *work);
SOFTCUDA_API int cusolverSpDcsrcholFactor(void *handle,
                                          int n,
                                          int count,
                                          void *description,
                                          double *values,
                                          int *starts,
                                          int *columns,
                                          void *info,
                                          void *work);
SOFTCUDA_API int
cusolverSpDcsrcholZeroPivot(void *handle, void *info, double tolerance, int *position);
SOFTCUDA_API int cusolverSpDcsrcholDiag(void *handle, void *info, double *diagonal);
SOFTCUDA_API int
cusolverSpDcsrcholSolve(void *handle, int n, const double *b, double *x, void *info, void *work);
SOFTCUDA_API int cusolverDnCreate(void **handle);
SOFTCUDA_API int cusolverDnDestroy(void *handle);
SOFTCUDA_API int cusolverDnSetStream(void *handle, stream s);
SOFTCUDA_API int cusolverDnCreateSyevjInfo(void **info);
SOFTCUDA_API int cusolverDnDestroySyevjInfo(void *info);
SOFTCUDA_API int cusolverDnDsyevjBatched_bufferSize(void *handle,
                                                    int vectors,
                                                    int triangle,
                                                    int n,
                                                    const double *a,
                                                    int leading,
                                                    const double *values,
                                                    int *count,
                                                    void *info,
                                                    int batch);
SOFTCUDA_API int cusolverDnDsyevjBatched(void *handle,
                                         int vectors,
                                         int triangle,
                                         int n,
                                         double *a,
                                         int leading,
                                         double *values,
                                         double *work,
                                         int count,
                                         int *status,
                                         void *info,
                                         int batch);

enum { SPARSE = 0x5501, DENSE = 0x5502, FACTOR = 0x5503, EIGEN = 0x5504, WORK = 64 };

typedef struct object {
  vendor_object base;
  int n, count;
  int position, stopped; /* of a zero pivot; of any that is not positive */
  bool analyzed;
} object;

static int create(void **place, int kind)
{
  int result = vendor_create(place, sizeof(object), kind);
  if (result != VENDOR_OK) return result;
  object *o = *place;
  o->position = o->stopped = -1;
  return VENDOR_OK;
}

int cusolverGetVersion(int *version)
{
  *version = 12000;
  return VENDOR_OK;
}

int cusolverSpCreate(void **handle)
{
  SOFTCUDA_CALL("cusolverSpCreate");
  return create(handle, SPARSE);
}

int cusolverSpDestroy(void *handle)
{
  SOFTCUDA_CALL("cusolverSpDestroy");
  return vendor_destroy("cusolverSpDestroy", handle, SPARSE);
}

int cusolverSpSetStream(void *handle, stream s)
{
  (void)s;
  return vendor_is("cusolverSpSetStream", handle, SPARSE) ? VENDOR_OK : VENDOR_INVALID;
}

/* Not the natural order, so that a permutation that is not applied shows. */
int cusolverSpXcsrsymamdHost(void *handle,
                             int n,
                             int count,
                             void *description,
                             const int *starts,
                             const int *columns,
                             int *order)
{
  SOFTCUDA_CALL("cusolverSpXcsrsymamdHost");
  if (!vendor_is("cusolverSpXcsrsymamdHost", handle, SPARSE) || !description || n < 1 ||
      starts[0] != 0 || starts[n] != count || (count > 0 && (columns[0] < 0 || columns[0] >= n)))
    return VENDOR_INVALID;
  for (int i = 0; i < n; i++) order[i] = i % 2 ? i / 2 : n - 1 - i / 2;
  return VENDOR_OK;
}

int cusolverSpCreateCsrcholInfo(void **info)
{
  SOFTCUDA_CALL("cusolverSpCreateCsrcholInfo");
  return create(info, FACTOR);
}

int cusolverSpDestroyCsrcholInfo(void *info)
{
  SOFTCUDA_CALL("cusolverSpDestroyCsrcholInfo");
  return vendor_destroy("cusolverSpDestroyCsrcholInfo", info, FACTOR);
}

int cusolverSpXcsrcholAnalysis(
    void *handle, int n, int count, void *description, int *starts, int *columns, void *info)
{
  static const char call[] = "cusolverSpXcsrcholAnalysis";
  SOFTCUDA_CALL(call);
  object *o = info;
  if (!vendor_is(call, handle, SPARSE) || !vendor_is(call, info, FACTOR) || !description || n < 1)
    return VENDOR_INVALID;
  if (!vendor_on_device(call, starts, ((size_t)n + 1) * sizeof(int)) ||
      !vendor_on_device(call, columns, (size_t)count * sizeof(int)))
    return VENDOR_INVALID;
  o->n = n;
  o->count = count;
  o->analyzed = true;
  return VENDOR_OK;
}

static bool analyzed(const char *call, const void *info, int n, int count)
{
  const object *o = info;
  if (!vendor_is(call, info, FACTOR)) return false;
  if (o->analyzed && o->n == n && (count < 0 || o->count == count)) return true;
  softcuda_log("%s: the matrix is not the one that was analyzed", call);
  return false;
}

int cusolverSpDcsrcholBufferInfo(void *handle,
                                 int n,
                                 int count,
                                 void *description,
                                 double *values,
                                 int *starts,
                                 int *columns,
                                 void *info,
                                 size_t *internal,
                                 size_t *work)
{
  static const char call[] = "cusolverSpDcsrcholBufferInfo";
  SOFTCUDA_CALL(call);
  (void)values;
  (void)starts;
  (void)columns;
  if (!vendor_is(call, handle, SPARSE) || !description || !analyzed(call, info, n, count))
    return VENDOR_INVALID;
  *internal = (size_t)n * (size_t)n * sizeof(double);
  *work = WORK;
  return VENDOR_OK;
}

int cusolverSpDcsrcholFactor(void *handle,
                             int n,
                             int count,
                             void *description,
                             double *values,
                             int *starts,
                             int *columns,
                             void *info,
                             void *work)
{
  static const char call[] = "cusolverSpDcsrcholFactor";
  SOFTCUDA_CALL(call);
  object *o = info;
  if (!vendor_is(call, handle, SPARSE) || !description || !analyzed(call, info, n, count) ||
      !vendor_on_device(call, work, WORK))
    return VENDOR_INVALID;
  if (vendor_begin(call) != VENDOR_OK) return VENDOR_FAILED;
  vendor_csr m = {n, n, count, starts, columns, values};
  bool good = vendor_csr_good(call, &m);
  free(o->base.factor);
  o->base.factor = good ? vendor_dense(&m) : NULL;
  vendor_end();
  if (!o->base.factor) return good ? VENDOR_ALLOCATION : VENDOR_INVALID;
  o->stopped = vendor_factorize((size_t)n, o->base.factor, false);
  o->position = -1; /* a zero pivot is found here, a negative one on the diagonal alone */
  size_t row = o->stopped < 0 ? 0 : (size_t)o->stopped;
  if (o->stopped >= 0 && o->base.factor[row * ((size_t)n + 1)] == 0) o->position = o->stopped;
  return VENDOR_OK;
}

int cusolverSpDcsrcholZeroPivot(void *handle, void *info, double tolerance, int *position)
{
  static const char call[] = "cusolverSpDcsrcholZeroPivot";
  SOFTCUDA_CALL(call);
  if (!vendor_is(call, handle, SPARSE) || !vendor_is(call, info, FACTOR) || tolerance < 0)
    return VENDOR_INVALID;
  *position = ((object *)info)->position;
  return VENDOR_OK;
}

/* As of a root that was taken of each pivot. */
int cusolverSpDcsrcholDiag(void *handle, void *info, double *diagonal)
{
  static const char call[] = "cusolverSpDcsrcholDiag";
  SOFTCUDA_CALL(call);
  const object *o = info;
  if (!vendor_is(call, handle, SPARSE) || !vendor_is(call, info, FACTOR) || !o->base.factor ||
      !vendor_on_device(call, diagonal, (size_t)o->n * sizeof *diagonal))
    return VENDOR_INVALID;
  if (vendor_begin(call) != VENDOR_OK) return VENDOR_FAILED;
  for (int i = 0; i < o->n; i++)
    diagonal[i] = o->stopped >= 0 && i >= o->stopped
                      ? (double)NAN
                      : o->base.factor[(size_t)i * ((size_t)o->n + 1)];
  vendor_end();
  return VENDOR_OK;
}

int cusolverSpDcsrcholSolve(void *handle, int n, const double *b, double *x, void *info, void *work)
{
  static const char call[] = "cusolverSpDcsrcholSolve";
  SOFTCUDA_CALL(call);
  object *o = info;
  size_t bytes = (size_t)n * sizeof *b;
  if (!vendor_is(call, handle, SPARSE) || !analyzed(call, info, n, -1) || !o->base.factor ||
      o->position >= 0 || !vendor_on_device(call, b, bytes) || !vendor_on_device(call, x, bytes) ||
      !vendor_on_device(call, work, WORK) || b == x)
    return VENDOR_INVALID;
  if (vendor_begin(call) != VENDOR_OK) return VENDOR_FAILED;
  vendor_solve((size_t)n, o->base.factor, false, b, x);
  vendor_end();
  return VENDOR_OK;
}

/* ---- batches of small eigenproblems ---- */

int cusolverDnCreate(void **handle)
{
  SOFTCUDA_CALL("cusolverDnCreate");
  return create(handle, DENSE);
}

int cusolverDnDestroy(void *handle)
{
  SOFTCUDA_CALL("cusolverDnDestroy");
  return vendor_destroy("cusolverDnDestroy", handle, DENSE);
}

int cusolverDnSetStream(void *handle, stream s)
{
  (void)s;
  return vendor_is("cusolverDnSetStream", handle, DENSE) ? VENDOR_OK : VENDOR_INVALID;
}

int cusolverDnCreateSyevjInfo(void **info)
{
  SOFTCUDA_CALL("cusolverDnCreateSyevjInfo");
  return create(info, EIGEN);
}

int cusolverDnDestroySyevjInfo(void *info)
{
  SOFTCUDA_CALL("cusolverDnDestroySyevjInfo");
  return vendor_destroy("cusolverDnDestroySyevjInfo", info, EIGEN);
}

int cusolverDnDsyevjBatched_bufferSize(void *handle,
                                       int vectors,
                                       int triangle,
                                       int n,
                                       const double *a,
                                       int leading,
                                       const double *values,
                                       int *count,
                                       void *info,
                                       int batch)
{
  static const char call[] = "cusolverDnDsyevjBatched_bufferSize";
  SOFTCUDA_CALL(call);
  (void)a;
  (void)values;
  if (!vendor_is(call, handle, DENSE) || !vendor_is(call, info, EIGEN) || vectors != 1 ||
      triangle != 0 || n < 1 || n > 32 || leading < n || batch < 1)
    return VENDOR_INVALID;
  *count = WORK;
  return VENDOR_OK;
}

/* The rotation that makes m[p][q] zero; v gathers them. */
static void rotate(size_t n, double *m, double *v, size_t p, size_t q)
{
  double angle = 0.5 * atan2(2 * m[p * n + q], m[q * n + q] - m[p * n + p]);
  double c = cos(angle), s = sin(angle);
  for (size_t k = 0; k < n; k++) {
    double x = m[k * n + p], y = m[k * n + q];
    m[k * n + p] = c * x - s * y;
    m[k * n + q] = s * x + c * y;
  }
  for (size_t k = 0; k < n; k++) {
    double x = m[p * n + k], y = m[q * n + k];
    m[p * n + k] = c * x - s * y;
    m[q * n + k] = s * x + c * y;
    x = v[k * n + p], y = v[k * n + q];
    v[k * n + p] = c * x - s * y;
    v[k * n + q] = s * x + c * y;
  }
  m[p * n + q] = m[q * n + p] = 0;
}

/* Cyclic Jacobi on a column-major matrix; the vectors end in its place, values ascend. */
static void eigen(size_t n, size_t leading, double *a, double *values)
{
  double m[32 * 32], v[32 * 32] = {0};
  for (size_t i = 0; i < n; i++) {
    v[i * n + i] = 1;
    for (size_t j = 0; j <= i; j++) m[i * n + j] = m[j * n + i] = a[j * leading + i];
  }
  for (int sweep = 0; sweep < 60; sweep++) {
    for (size_t p = 0; p < n; p++) {
      for (size_t q = p + 1; q < n; q++)
        if (m[p * n + q] != 0) rotate(n, m, v, p, q);
    }
  }
  for (size_t j = 0; j < n; j++) { /* ascending, by selection */
    size_t least = n;
    for (size_t k = 0; k < n; k++)
      if (!isnan(m[k * n + k]) && (least == n || m[k * n + k] < m[least * n + least])) least = k;
    if (least == n) least = j;
    values[j] = m[least * n + least];
    for (size_t k = 0; k < n; k++) a[j * leading + k] = v[k * n + least];
    m[least * n + least] = (double)NAN;
  }
}

int cusolverDnDsyevjBatched(void *handle,
                            int vectors,
                            int triangle,
                            int n,
                            double *a,
                            int leading,
                            double *values,
                            double *work,
                            int count,
                            int *status,
                            void *info,
                            int batch)
{
  static const char call[] = "cusolverDnDsyevjBatched";
  SOFTCUDA_CALL(call);
  size_t size = (size_t)n * (size_t)leading;
  if (!vendor_is(call, handle, DENSE) || !vendor_is(call, info, EIGEN) || vectors != 1 ||
      triangle != 0 || n < 1 || n > 32 || leading < n || batch < 1 || count < WORK ||
      !vendor_on_device(call, a, size * (size_t)batch * sizeof *a) ||
      !vendor_on_device(call, values, (size_t)n * (size_t)batch * sizeof *values) ||
      !vendor_on_device(call, work, (size_t)count * sizeof *work) ||
      !vendor_on_device(call, status, (size_t)batch * sizeof *status))
    return VENDOR_INVALID;
  if (vendor_begin(call) != VENDOR_OK) return VENDOR_FAILED;
  for (int k = 0; k < batch; k++) {
    eigen((size_t)n, (size_t)leading, a + (size_t)k * size, values + (size_t)k * (size_t)n);
    status[k] = 0;
  }
  vendor_end();
  return VENDOR_OK;
}
