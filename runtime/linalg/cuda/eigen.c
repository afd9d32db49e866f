/* Batches of small symmetric eigenproblems by cuSOLVER. SPDX-License-Identifier: Apache-2.0 */
#include "linear.h"
#include "vendor.h"

#include "base/base.h"
#include <limits.h>

enum { LARGEST = 32 };

/* What one call takes. */
typedef struct job {
  basin_cuda *cuda;
  basin_context *context;
  basin__cusolver *l;
  void *handle, *info;
  basin_buffer work, status;
} job;

#define CALL(expression) BASIN__VENDOR(j->context, BASIN__CUSOLVER_ALLOCATION, expression)

static basin_status solve(job *j, int n, int batch, basin_address matrices, basin_address values)
{
  int count = 0;
  CALL(j->l->cusolverDnCreate(&j->handle));
  CALL(j->l->cusolverDnSetStream(j->handle, basin__cuda_stream(j->cuda)));
  CALL(j->l->cusolverDnCreateSyevjInfo(&j->info));
  CALL(j->l->cusolverDnDsyevjBatched_bufferSize(j->handle,
                                                BASIN__CUSOLVER_VECTORS,
                                                BASIN__CUSOLVER_LOWER,
                                                n,
                                                matrices,
                                                n,
                                                values,
                                                &count,
                                                j->info,
                                                batch));
  BASIN_TRY(basin__buffer_reserve(j->cuda, &j->work, ((size_t)count + 1) * sizeof(double)));
  BASIN_TRY(basin__buffer_reserve(j->cuda, &j->status, (size_t)batch * sizeof(int)));
  CALL(j->l->cusolverDnDsyevjBatched(j->handle,
                                     BASIN__CUSOLVER_VECTORS,
                                     BASIN__CUSOLVER_LOWER,
                                     n,
                                     matrices,
                                     n,
                                     values,
                                     j->work.address,
                                     count,
                                     j->status.address,
                                     j->info,
                                     batch));
  return BASIN_OK;
}

static basin_status check(job *j, int batch)
{
  size_t bytes = (size_t)batch * sizeof(int);
  int *found = basin__alloc(j->context, bytes);
  if (found == NULL) return BASIN_ERROR_MEMORY;
  basin_status status = basin__cuda_download(j->cuda, found, j->status.address, bytes);
  for (int k = 0; k < batch && status == BASIN_OK; k++) {
    if (found[k] != 0)
      status = BASIN_FAIL(j->context,
                          BASIN_ERROR_NOT_CONVERGED,
                          "the eigenvalues of matrix %d of %d were not found",
                          k,
                          batch);
  }
  basin__free(j->context, found, bytes);
  return status;
}

static void finish(job *j)
{
  if (j->info != NULL) (void)j->l->cusolverDnDestroySyevjInfo(j->info);
  if (j->handle != NULL) (void)j->l->cusolverDnDestroy(j->handle);
  basin__buffer_release(j->cuda, &j->work);
  basin__buffer_release(j->cuda, &j->status);
}

basin_status basin__cuda_eigen_batched(
    basin_cuda *cuda, unsigned n, size_t batch, basin_address matrices, basin_address values)
{
  job j = {.cuda = cuda, .context = basin__cuda_context(cuda)};
  if (n > LARGEST || batch > INT_MAX)
    return BASIN_FAIL(j.context,
                      BASIN_ERROR_UNSUPPORTED,
                      "batches of eigenproblems take matrices of at most %d rows",
                      LARGEST);
  if (n == 0 || batch == 0) return BASIN_OK;
  BASIN_TRY(basin__cusolver_open(j.context, &j.l));
  basin_status status = basin__cuda_enter(cuda);
  if (status == BASIN_OK) {
    status = solve(&j, (int)n, (int)batch, matrices, values);
    if (status == BASIN_OK) status = check(&j, (int)batch);
    finish(&j);
    basin__cuda_leave(cuda);
  }
  basin__cusolver_close(j.l);
  return status;
}
