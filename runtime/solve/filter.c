/* Step filters: simplices keep their orientation, points their side of a plane.
 * SPDX-License-Identifier: Apache-2.0 */
#include "assembly/engine.h"
#include "solve/engine.h"
#include <math.h>

static basin_status update_maps(basin_minimizer *minimizer)
{
  basin_kernel_list list = {0};
  basin_status status = basin__dof_maps_refresh(&minimizer->maps);
  if (status == BASIN_OK) status = basin__dof_maps_kernels(&minimizer->maps, &list);
  if (status == BASIN_OK) status = basin__kernel_list_request(minimizer->system, &list);
  basin__kernel_list_release(minimizer->system, &list);
  return status == BASIN_OK ? minimizer->engine->maps(minimizer) : status;
}

static basin_status prepare(basin_filter_task *task,
                            basin_minimizer *minimizer,
                            basin_array_id positions,
                            double keep,
                            const double *direction)
{
  basin_context *context = minimizer->context;
  basin_array *array;
  if (!(keep > 0 && keep < 1))
    return BASIN_FAIL(
        context, BASIN_ERROR_ARGUMENT, "a step filter keeps a part between 0 and 1, not %g", keep);
  BASIN_TRY(basin__dof_maps_get(&minimizer->maps, positions, &task->map));
  BASIN_TRY(update_maps(minimizer));
  BASIN_TRY(basin__system_array(minimizer->system, positions, &array));
  if (array->size < 2 || array->size > 3)
    return BASIN_FAIL(context,
                      BASIN_ERROR_SHAPE,
                      "a step filter needs positions of 2 or 3 numbers, %s has %zu",
                      array->name,
                      array->size);
  if (!minimizer->maps.maps[task->map]->affine)
    return BASIN_FAIL(
        context,
        BASIN_ERROR_UNSUPPORTED,
        "%s is not affine in the unknowns: a step does not move it along a straight line",
        array->name);
  task->positions = positions;
  task->size = array->size;
  task->block = minimizer->layout.block;
  task->count = minimizer->system->spaces[array->space].count;
  task->keep = keep;
  return basin__solve_engine(minimizer)->accept(minimizer, direction, &task->direction);
}

/* ---- inversion and plane ---- */

basin_status basin_filter_inversion(basin_minimizer *minimizer,
                                    basin_array_id positions,
                                    basin_connectivity_id simplices,
                                    double keep,
                                    const double *direction,
                                    double *alpha)
{
  basin_filter_task task = {0};
  basin_connectivity *connectivity;
  BASIN_TRY(prepare(&task, minimizer, positions, keep, direction));
  BASIN_TRY(basin__system_connectivity(minimizer->system, simplices, &connectivity));
  BASIN_TRY(basin__connectivity_range(minimizer->system, connectivity));
  if (connectivity->arity != task.size + 1 ||
      connectivity->to != minimizer->system->arrays[positions]->space)
    return BASIN_FAIL(minimizer->context,
                      BASIN_ERROR_SHAPE,
                      "the inversion filter needs %zu corners a simplex, %s leads with %u to %s",
                      task.size + 1,
                      connectivity->name,
                      connectivity->arity,
                      minimizer->system->spaces[connectivity->to].name);
  task.simplices = connectivity;
  task.simplices_id = simplices;
  task.count = connectivity->count / connectivity->arity;
  return basin__solve_engine(minimizer)->inversion(minimizer, &task, alpha);
}

basin_status basin_filter_plane(basin_minimizer *minimizer,
                                basin_array_id positions,
                                const double normal[3],
                                double offset,
                                double keep,
                                const double *direction,
                                double *alpha)
{
  basin_filter_task task = {0};
  double length = 0, given = *alpha;
  size_t behind;
  BASIN_TRY(prepare(&task, minimizer, positions, keep, direction));
  for (size_t i = 0; i < task.size; ++i) length += normal[i] * normal[i];
  if (!(length > 0) || !isfinite(length))
    return BASIN_FAIL(minimizer->context, BASIN_ERROR_ARGUMENT, "a plane needs a normal");
  for (size_t i = 0; i < task.size; ++i) task.normal[i] = normal[i];
  task.offset = offset;
  BASIN_TRY(basin__solve_engine(minimizer)->plane(minimizer, &task, alpha, &behind));
  if (behind == SIZE_MAX) return BASIN_OK;
  *alpha = given;
  return BASIN_FAIL(minimizer->context,
                    BASIN_ERROR_STATE,
                    "instance %zu of %s lies on or behind the plane",
                    behind,
                    basin_system_array_name(minimizer->system, positions));
}

/* ---- motion ---- */

basin_status basin_filter_motion(basin_minimizer *minimizer,
                                 basin_array_id positions,
                                 const double *direction,
                                 double *motion)
{
  basin_filter_task task = {0};
  BASIN_TRY(prepare(&task, minimizer, positions, 0.5, direction));
  return basin__solve_engine(minimizer)->device_motion(minimizer, &task, motion);
}

basin_status basin_filter_motion_copy(basin_minimizer *minimizer,
                                      basin_array_id positions,
                                      const double *direction,
                                      double *motion)
{
  basin_filter_task task = {0};
  BASIN_TRY(prepare(&task, minimizer, positions, 0.5, direction));
  return basin__solve_engine(minimizer)->motion(minimizer, &task, motion);
}
