/* Step filters on the CPU. SPDX-License-Identifier: Apache-2.0 */
#include "solve/device/filter_simplex.h"
#include "solve/engine.h"

enum { CHUNKS = 128 };

/* What every chunk needs; one minimum a chunk. */
typedef struct cpu_task {
  const basin_filter_task *filter;
  const basin_dof_map *map;
  const double *positions;
  double alpha, least[CHUNKS];
  size_t behind[CHUNKS]; /* an instance on the wrong side, or SIZE_MAX */
} cpu_task;

/* Change of one position along the direction: rows of the map times the direction. */
static void displacement(const cpu_task *task, size_t instance, double *d)
{
  size_t b = task->filter->block;
  for (size_t n = 0; n < task->map->nodes; ++n) {
    const basin_dof_entry *entries;
    size_t count = basin__dof_row(task->map, instance * task->map->nodes + n, &entries);
    for (size_t i = 0; i < b; ++i) d[n * b + i] = 0;
    for (size_t k = 0; k < count; ++k) {
      const double *from = task->filter->direction + (size_t)entries[k].node * b;
      const double *weight =
          task->map->plain ? NULL : task->map->values + (entries[k].value & BASIN_DOF_VALUE);
      bool full = weight && (entries[k].value & BASIN_DOF_BLOCK);
      for (size_t i = 0; i < b; ++i) {
        if (!full) {
          d[n * b + i] += (weight ? *weight : 1) * from[i];
          continue;
        }
        for (size_t j = 0; j < b; ++j) d[n * b + i] += weight[i * b + j] * from[j];
      }
    }
  }
}

static void chunk_range(const cpu_task *task, size_t index, size_t *begin, size_t *end)
{
  size_t count = task->filter->count, chunk = (count + CHUNKS - 1) / CHUNKS;
  *begin = index * chunk < count ? index * chunk : count;
  *end = *begin + chunk < count ? *begin + chunk : count;
}

/* ---- inversion ---- */

static double simplex_limit(const cpu_task *task, size_t simplex, double limit)
{
  size_t size = task->filter->size;
  const uint32_t *corners = task->filter->simplices->indices + simplex * (size + 1);
  double first[12] = {0}, other[12] = {0}, e[3][3] = {{0}}, d[3][3] = {{0}};
  displacement(task, corners[0], first);
  for (size_t k = 0; k < size; ++k) {
    displacement(task, corners[k + 1], other);
    for (size_t i = 0; i < size; ++i) {
      e[k][i] = task->positions[corners[k + 1] * size + i] - task->positions[corners[0] * size + i];
      d[k][i] = other[i] - first[i];
    }
  }
  return basin__simplex_step((unsigned)size, e, d, task->filter->keep, limit);
}

static void simplex_chunk(void *user, size_t index, unsigned worker)
{
  cpu_task *task = user;
  double limit = task->alpha;
  size_t begin, end;
  (void)worker;
  chunk_range(task, index, &begin, &end);
  for (size_t k = begin; k < end; ++k) limit = simplex_limit(task, k, limit);
  task->least[index] = limit;
}

/* ---- plane ---- */

static void plane_chunk(void *user, size_t index, unsigned worker)
{
  cpu_task *task = user;
  const basin_filter_task *filter = task->filter;
  double limit = task->alpha, d[12] = {0};
  size_t begin, end;
  (void)worker;
  chunk_range(task, index, &begin, &end);
  task->behind[index] = SIZE_MAX;
  for (size_t k = begin; k < end; ++k) {
    double distance = -filter->offset, approach = 0;
    displacement(task, k, d);
    for (size_t i = 0; i < filter->size; ++i) {
      distance += filter->normal[i] * task->positions[k * filter->size + i];
      approach += filter->normal[i] * d[i];
    }
    if (!(distance > 0) && task->behind[index] == SIZE_MAX) task->behind[index] = k;
    if (approach * limit > filter->keep * distance) limit = filter->keep * distance / approach;
  }
  task->least[index] = limit;
}

/* ---- the functions of the engine ---- */

static basin_status
prepare(basin_minimizer *minimizer, const basin_filter_task *filter, double alpha, cpu_task *task)
{
  basin_span view;
  BASIN_TRY(basin_system_array(minimizer->system, filter->positions, &view));
  task->filter = filter;
  task->map = minimizer->maps.maps[filter->map];
  task->positions = view.data;
  task->alpha = alpha;
  return BASIN_OK;
}

static double least(const cpu_task *task)
{
  double alpha = task->alpha;
  for (int k = 0; k < CHUNKS; ++k) alpha = fmin(alpha, task->least[k]);
  return alpha;
}

basin_status
basin__inversion_cpu(basin_minimizer *minimizer, const basin_filter_task *filter, double *alpha)
{
  cpu_task task;
  BASIN_TRY(prepare(minimizer, filter, *alpha, &task));
  basin__parallel(minimizer->context, CHUNKS, simplex_chunk, &task);
  *alpha = least(&task);
  return BASIN_OK;
}

basin_status basin__plane_cpu(basin_minimizer *minimizer,
                              const basin_filter_task *filter,
                              double *alpha,
                              size_t *behind)
{
  cpu_task task;
  BASIN_TRY(prepare(minimizer, filter, *alpha, &task));
  basin__parallel(minimizer->context, CHUNKS, plane_chunk, &task);
  *behind = SIZE_MAX;
  for (int k = CHUNKS - 1; k >= 0; --k)
    if (task.behind[k] != SIZE_MAX) *behind = task.behind[k];
  *alpha = least(&task);
  return BASIN_OK;
}

basin_status
basin__motion_cpu(basin_minimizer *minimizer, const basin_filter_task *filter, double *motion)
{
  cpu_task task;
  BASIN_TRY(prepare(minimizer, filter, 1, &task));
  for (size_t k = 0; k < filter->count; ++k) {
    double d[12] = {0};
    displacement(&task, k, d);
    for (size_t i = 0; i < filter->size; ++i) motion[k * filter->size + i] = -d[i];
  }
  return BASIN_OK;
}
