/* Step filters on a CUDA device: a bound for each simplex or instance, and the smallest of them.
 * SPDX-License-Identifier: Apache-2.0 */
#include "solve/cuda/cuda_solve.h"
#include <math.h>

/* The struct that filter.cu gets. */
typedef struct filter_kernel_task {
  uint64_t count;
  uint32_t dimension, block, nodes, pad;
  basin_dof_table map;
  basin_address positions, direction, corners;
  double normal[3], offset, keep, alpha;
  basin_address result, behind;
} filter_kernel_task;

static basin_status prepare(basin_minimizer *minimizer,
                            const basin_filter_task *filter,
                            basin_cuda_solver **solver,
                            filter_kernel_task *task)
{
  BASIN_TRY(basin__cuda_solver(minimizer, solver));
  *task = (filter_kernel_task){.count = filter->count,
                               .dimension = (uint32_t)filter->size,
                               .block = (uint32_t)filter->block,
                               .nodes = minimizer->maps.maps[filter->map]->nodes,
                               .map = basin__cuda_map_table(minimizer, filter->map),
                               .direction = basin__address_of(filter->direction),
                               .normal = {filter->normal[0], filter->normal[1], filter->normal[2]},
                               .offset = filter->offset,
                               .keep = filter->keep};
  return basin__array_on_device(minimizer->system, filter->positions, &task->positions);
}

/* Runs the kernel and brings the smallest bound, and in *behind (if not NULL) an instance. */
static basin_status least(basin_minimizer *minimizer,
                          basin_cuda_solver *solver,
                          filter_kernel_task *task,
                          const char *entry,
                          double *alpha,
                          uint64_t *behind)
{
  basin_cuda *cuda = minimizer->device->cuda;
  basin_address at = solver->results.address;
  struct {
    double least;
    uint64_t behind;
  } found;
  BASIN_TRY(
      basin__buffer_reserve(cuda, &solver->items, ((size_t)task->count + 1) * sizeof(double)));
  task->alpha = *alpha;
  task->result = solver->items.address;
  task->behind = at + sizeof(double);
  BASIN_TRY(basin__cuda_fill(cuda, task->behind, UINT32_MAX, 2));
  BASIN_TRY(basin__cuda_simple(minimizer, "filter.cu", entry, "", task->count, (void *[]){task}));
  BASIN_TRY(basin__cuda_smallest(cuda, &minimizer->device->scratch, task->result, task->count, at));
  BASIN_TRY(basin__cuda_download(cuda, &found, at, sizeof found));
  *alpha = fmin(*alpha, found.least);
  if (behind) *behind = found.behind;
  return BASIN_OK;
}

basin_status
basin__cuda_inversion(basin_minimizer *minimizer, const basin_filter_task *filter, double *alpha)
{
  basin_cuda_solver *solver;
  filter_kernel_task task;
  BASIN_TRY(prepare(minimizer, filter, &solver, &task));
  BASIN_TRY(
      basin__connectivity_on_device(minimizer->system, filter->simplices_id, &task.corners, NULL));
  return least(minimizer, solver, &task, "simplex_steps", alpha, NULL);
}

basin_status basin__cuda_plane(basin_minimizer *minimizer,
                               const basin_filter_task *filter,
                               double *alpha,
                               size_t *behind)
{
  basin_cuda_solver *solver;
  filter_kernel_task task;
  uint64_t found;
  BASIN_TRY(prepare(minimizer, filter, &solver, &task));
  BASIN_TRY(least(minimizer, solver, &task, "plane_steps", alpha, &found));
  *behind = found == UINT64_MAX ? SIZE_MAX : (size_t)found;
  return BASIN_OK;
}

basin_status basin__cuda_device_motion(basin_minimizer *minimizer,
                                       const basin_filter_task *filter,
                                       double *motion)
{
  basin_cuda_solver *solver;
  filter_kernel_task task;
  BASIN_TRY(prepare(minimizer, filter, &solver, &task));
  task.result = basin__address_of(motion);
  return basin__cuda_simple(minimizer, "filter.cu", "motions", "", task.count, (void *[]){&task});
}

basin_status
basin__cuda_motion(basin_minimizer *minimizer, const basin_filter_task *filter, double *motion)
{
  basin_cuda *cuda = minimizer->device->cuda;
  basin_cuda_solver *solver;
  size_t bytes = filter->count * filter->size * sizeof(double);
  if (bytes == 0) return BASIN_OK;
  BASIN_TRY(basin__cuda_solver(minimizer, &solver));
  BASIN_TRY(basin__buffer_reserve(cuda, &solver->items, bytes));
  BASIN_TRY(basin__cuda_device_motion(minimizer, filter, basin__vector_at(solver->items.address)));
  return basin__cuda_download(cuda, motion, solver->items.address, bytes);
}
