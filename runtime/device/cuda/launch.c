/* Launches on a CUDA device, launches recorded as graphs, and the time they take.
 * SPDX-License-Identifier: Apache-2.0 */
#include "device/cuda/state.h"

#include <stdio.h>
#include <string.h>

struct basin_cuda_graph {
  basin_cu_graph_exec exec;
  const char *last_kernel; /* for errors */
};

/* ---- launches ---- */

static basin_status check_launch(basin_cuda *cuda, const basin_cuda_launch *launch)
{
  const basin_cuda_kernel *kernel = launch->kernel;
  if (launch->threads == 0 || launch->threads > kernel->info.threads_limit ||
      launch->blocks > INT32_MAX)
    return BASIN_FAIL(cuda->context,
                      BASIN_ERROR_RANGE,
                      "kernel %s%s%s: %u blocks of %u threads asked; it runs with at most %u",
                      kernel->name,
                      launch->subject ? " for " : "",
                      launch->subject ? launch->subject : "",
                      launch->blocks,
                      launch->threads,
                      kernel->info.threads_limit);
  return BASIN_OK;
}

/* Consent to more dynamic shared memory than every kernel may have. */
static basin_status allow_shared(basin_cuda *cuda, const basin_cuda_kernel *kernel, size_t size)
{
  if (size <= kernel->dynamic_limit) return BASIN_OK;
  if (size + kernel->info.shared > cuda->info.shared_per_block)
    return BASIN_FAIL(cuda->context,
                      BASIN_ERROR_RANGE,
                      "kernel %s: %zu bytes of shared memory a block asked, cuda:%d has %zu",
                      kernel->name,
                      size + kernel->info.shared,
                      cuda->ordinal,
                      cuda->info.shared_per_block);
  BASIN_TRY(BASIN_CU(cuda,
                     kernel->name,
                     cuFuncSetAttribute,
                     kernel->function,
                     BASIN_CU_FUNCTION_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                     (int)size));
  basin_cuda_kernel *own = cuda->kernels;
  while (own != kernel) own = own->next;
  own->dynamic_limit = size;
  return BASIN_OK;
}

static basin_status
launch_kernel(basin_cuda *cuda, const basin_cuda_launch *launch, void **parameters)
{
  char about[256];
  const basin_cuda_kernel *kernel = launch->kernel;
  BASIN_TRY(allow_shared(cuda, kernel, launch->shared));
  int result = cuda->driver.cuLaunchKernel(kernel->function,
                                           launch->blocks,
                                           1,
                                           1,
                                           launch->threads,
                                           1,
                                           1,
                                           (unsigned)launch->shared,
                                           cuda->stream,
                                           parameters,
                                           NULL);
  if (result == BASIN_CU_SUCCESS) return BASIN_OK;
  snprintf(about,
           sizeof about,
           "kernel %s%s%s (%u blocks of %u threads)",
           kernel->name,
           launch->subject ? " for " : "",
           launch->subject ? launch->subject : "",
           launch->blocks,
           launch->threads);
  return basin__cuda_result(cuda, result, "cuLaunchKernel", about);
}

basin_status
basin__cuda_launch(basin_cuda *cuda, const basin_cuda_launch *launch, void **parameters)
{
  if (launch->blocks == 0) return BASIN_OK;
  BASIN_TRY(check_launch(cuda, launch));
  BASIN_TRY(basin__cuda_enter(cuda));
  basin_status status = launch_kernel(cuda, launch, parameters);
  basin__cuda_leave(cuda);
  if (status != BASIN_OK) return status;
  cuda->statistics.launches++;
  cuda->pending++;
  cuda->last_kernel = launch->kernel->name;
  snprintf(
      cuda->last_subject, sizeof cuda->last_subject, "%s", launch->subject ? launch->subject : "");
  return BASIN_OK;
}

/* ---- graphs ---- */

basin_status basin__cuda_graph_begin(basin_cuda *cuda)
{
  BASIN_TRY(basin__cuda_not_recording(cuda, "a graph"));
  BASIN_TRY(basin__cuda_enter(cuda));
  basin_status status = BASIN_CU(
      cuda, NULL, cuStreamBeginCapture, cuda->stream, BASIN_CU_STREAM_CAPTURE_MODE_RELAXED);
  cuda->recording = status == BASIN_OK;
  basin__cuda_leave(cuda);
  return status;
}

static basin_status finish_graph(basin_cuda *cuda, basin_cuda_graph *graph)
{
  basin_cu_graph recorded = NULL;
  BASIN_TRY(BASIN_CU(cuda, NULL, cuStreamEndCapture, cuda->stream, &recorded));
  basin_status status =
      BASIN_CU(cuda, cuda->last_kernel, cuGraphInstantiate, &graph->exec, recorded, 0);
  if (recorded) (void)cuda->driver.cuGraphDestroy(recorded);
  return status;
}

basin_status basin__cuda_graph_end(basin_cuda *cuda, basin_cuda_graph **graph)
{
  *graph = NULL;
  if (!cuda->recording)
    return BASIN_FAIL(
        cuda->context, BASIN_ERROR_STATE, "cuda:%d: no graph was begun", cuda->ordinal);
  cuda->recording = false;
  basin_cuda_graph *made = basin__calloc(cuda->context, 1, sizeof *made);
  basin_status status = basin__cuda_enter(cuda);
  if (status == BASIN_OK) {
    /* Recording ends even without memory for the graph. */
    basin_cuda_graph none = {0};
    status = finish_graph(cuda, made ? made : &none);
    if (!made && none.exec) (void)cuda->driver.cuGraphExecDestroy(none.exec);
    basin__cuda_leave(cuda);
  }
  if (!made) return BASIN_ERROR_MEMORY;
  if (status != BASIN_OK) {
    basin__free(cuda->context, made, sizeof *made);
    return status;
  }
  made->last_kernel = cuda->last_kernel;
  *graph = made;
  return BASIN_OK;
}

void basin__cuda_graph_abandon(basin_cuda *cuda)
{
  basin_cu_graph recorded = NULL;
  if (!cuda->recording) return;
  cuda->recording = false;
  if (cuda->driver.cuCtxPushCurrent(cuda->primary) != BASIN_CU_SUCCESS) return;
  (void)cuda->driver.cuStreamEndCapture(cuda->stream, &recorded);
  if (recorded) (void)cuda->driver.cuGraphDestroy(recorded);
  basin__cuda_leave(cuda);
}

basin_status basin__cuda_graph_launch(basin_cuda *cuda, const basin_cuda_graph *graph)
{
  BASIN_TRY(basin__cuda_not_recording(cuda, "another graph"));
  BASIN_TRY(basin__cuda_enter(cuda));
  basin_status status =
      BASIN_CU(cuda, graph->last_kernel, cuGraphLaunch, graph->exec, cuda->stream);
  basin__cuda_leave(cuda);
  if (status != BASIN_OK) return status;
  cuda->statistics.graph_launches++;
  cuda->pending += 2; /* a graph has several kernels */
  cuda->last_kernel = graph->last_kernel;
  *cuda->last_subject = 0;
  return BASIN_OK;
}

void basin__cuda_graph_destroy(basin_cuda *cuda, basin_cuda_graph *graph)
{
  if (!graph) return;
  bool current = cuda->driver.cuCtxPushCurrent(cuda->primary) == BASIN_CU_SUCCESS;
  (void)cuda->driver.cuGraphExecDestroy(graph->exec);
  if (current) basin__cuda_leave(cuda);
  basin__free(cuda->context, graph, sizeof *graph);
}

/* ---- time ---- */

basin_status basin__cuda_timer_start(basin_cuda *cuda)
{
  BASIN_TRY(basin__cuda_not_recording(cuda, "a timer"));
  BASIN_TRY(basin__cuda_enter(cuda));
  basin_status status = BASIN_CU(cuda, NULL, cuEventRecord, cuda->start, cuda->stream);
  basin__cuda_leave(cuda);
  return status;
}

static basin_status stop_timer(basin_cuda *cuda, double *seconds)
{
  float milliseconds = 0;
  BASIN_TRY(BASIN_CU(cuda, NULL, cuEventRecord, cuda->stop, cuda->stream));
  BASIN_TRY(BASIN_CU(cuda, NULL, cuEventSynchronize, cuda->stop));
  BASIN_TRY(BASIN_CU(cuda, NULL, cuEventElapsedTime, &milliseconds, cuda->start, cuda->stop));
  *seconds = (double)milliseconds * 1e-3;
  return BASIN_OK;
}

basin_status basin__cuda_timer_stop(basin_cuda *cuda, double *seconds)
{
  *seconds = 0;
  BASIN_TRY(basin__cuda_not_recording(cuda, "a timer"));
  BASIN_TRY(basin__cuda_enter(cuda));
  basin_status status = stop_timer(cuda, seconds);
  cuda->statistics.waits++;
  basin__cuda_leave(cuda);
  return status;
}
