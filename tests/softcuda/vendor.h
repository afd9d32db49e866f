/* What the software cuSPARSE, cuSOLVER and cuDSS share: they work at once, on memory that must be
 * the device's. SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_SOFTCUDA_VENDOR_H
#define BASIN_SOFTCUDA_VENDOR_H

#include "softcuda.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { VENDOR_OK = 0, VENDOR_ALLOCATION = 2, VENDOR_INVALID = 3, VENDOR_FAILED = 6 };

/* ---- objects behind handles: every library's begin with this ---- */
typedef struct vendor_object {
  int kind;
  double *factor; /* freed with the object */
} vendor_object;

/* A zeroed object of `size` bytes. */
static inline int vendor_create(void **place, size_t size, int kind)
{
  vendor_object *o = calloc(1, size);
  if (!o) return VENDOR_ALLOCATION;
  o->kind = kind;
  *place = o;
  return VENDOR_OK;
}

static inline bool vendor_is(const char *call, const void *given, int kind)
{
  const vendor_object *o = given;
  if (o && o->kind == kind) return true;
  softcuda_log("%s: an argument is no object of its kind", call);
  return false;
}

static inline int vendor_destroy(const char *call, void *given, int kind)
{
  vendor_object *o = given;
  if (!vendor_is(call, given, kind)) return VENDOR_INVALID;
  free(o->factor);
  o->kind = 0;
  free(o);
  return VENDOR_OK;
}

/* ---- memory of the device ---- */

/* Whether an array is inside of a live allocation; a line in the log if not. */
static inline bool vendor_on_device(const char *call, const void *array, size_t bytes)
{
  if (bytes == 0) return true;
  if (softcuda_find((unsigned long long)(uintptr_t)array, bytes, -1)) return true;
  softcuda_log("%s: %zu bytes at %p are not device memory", call, bytes, array);
  return false;
}

/* Begins work on device memory, after all that was put into streams before. */
static inline int vendor_begin(const char *call)
{
  int result = softcuda_synchronize();
  if (result != 0) {
    softcuda_log("%s: the device is in error %d, or has no context", call, result);
    return VENDOR_FAILED;
  }
  softcuda_memory_open();
  return VENDOR_OK;
}

static inline void vendor_end(void)
{
  softcuda_memory_close();
}

/* Compressed rows with 32-bit indices from 0. */
typedef struct vendor_csr {
  int64_t rows, columns, count;
  int *starts, *indices;
  double *values;
} vendor_csr;

/* Memory is open. Starts ascend from 0 to count, indices are in range and ascend in a row. */
static inline bool vendor_csr_good(const char *call, const vendor_csr *m)
{
  if (!vendor_on_device(call, m->starts, (size_t)(m->rows + 1) * sizeof(int)) ||
      !vendor_on_device(call, m->indices, (size_t)m->count * sizeof(int)) ||
      !vendor_on_device(call, m->values, (size_t)m->count * sizeof(double)))
    return false;
  bool good = m->starts[0] == 0 && m->starts[m->rows] == m->count;
  for (int64_t i = 0; i < m->rows && good; i++) {
    good = m->starts[i] <= m->starts[i + 1];
    for (int k = m->starts[i]; k < m->starts[i + 1] && good; k++)
      good = m->indices[k] >= 0 && m->indices[k] < m->columns &&
             (k == m->starts[i] || m->indices[k - 1] < m->indices[k]);
  }
  if (!good) softcuda_log("%s: the compressed rows are malformed", call);
  return good;
}

/* The lower triangle of a dense copy; the caller frees it. */
static inline double *vendor_dense(const vendor_csr *m)
{
  size_t n = (size_t)m->rows;
  double *a = calloc(n * n + 1, sizeof *a);
  for (size_t i = 0; a && i < n; i++)
    for (int k = m->starts[i]; k < m->starts[i + 1]; k++)
      if ((size_t)m->indices[k] <= i) a[i * n + (size_t)m->indices[k]] = m->values[k];
  return a;
}

/* The first entry of each row that is not 0: the factor's rows begin there, too. NULL: no memory.
 */
static inline size_t *vendor_profile(size_t n, const double *a)
{
  size_t *first = malloc((n + 1) * sizeof *first);
  for (size_t i = 0; first && i < n; i++) {
    first[i] = 0;
    while (first[i] < i && a[i * n + first[i]] == 0) first[i]++;
  }
  return first;
}

/* A = L L^T, or L D L^T with D on the diagonal, in place, without pivoting; the row where it stops,
 * or -1: a pivot that is not positive, or 0. */
static inline int vendor_factorize(size_t n, double *a, bool ldlt)
{
  size_t *first = vendor_profile(n, a);
  int stopped = first ? -1 : 0;
  for (size_t i = 0; first && stopped < 0 && i < n; i++) {
    for (size_t j = first[i]; j <= i; j++) {
      double sum = a[i * n + j];
      for (size_t k = first[i] > first[j] ? first[i] : first[j]; k < j; k++)
        sum -= a[i * n + k] * a[j * n + k] * (ldlt ? a[k * n + k] : 1);
      if (i == j && (ldlt ? sum == 0 : !(sum > 0))) stopped = (int)i;
      if (i == j)
        a[i * n + j] = ldlt ? sum : sqrt(sum);
      else
        a[i * n + j] = sum / a[j * n + j];
    }
  }
  free(first);
  return stopped;
}

/* Solves with one of the factors. */
static inline void vendor_solve(size_t n, const double *a, bool ldlt, const double *b, double *x)
{
  for (size_t i = 0; i < n; i++) {
    double sum = b[i];
    for (size_t k = 0; k < i; k++) sum -= a[i * n + k] * x[k];
    x[i] = ldlt ? sum : sum / a[i * n + i];
  }
  for (size_t i = 0; ldlt && i < n; i++) x[i] /= a[i * n + i];
  for (size_t i = n; i-- > 0;) {
    if (!ldlt) x[i] /= a[i * n + i];
    for (size_t k = 0; k < i; k++) x[k] -= a[i * n + k] * x[i];
  }
}

#endif
