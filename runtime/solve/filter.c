/* Step filters: simplices keep their orientation, points their side of a plane.
 * SPDX-License-Identifier: Apache-2.0 */
#include "solve/solve.h"
#include <math.h>

enum { CHUNKS = 128 };

/* What every chunk needs; one minimum a chunk. */
typedef struct filter_task {
  const basin_dof_map *map;
  const double *positions, *direction;
  size_t size, block, count; /* numbers a position, items (simplices or instances) */
  const basin_connectivity *simplices;
  double normal[3], offset, keep, alpha;
  double least[CHUNKS];
  size_t behind[CHUNKS]; /* an instance on the wrong side, or SIZE_MAX */
} filter_task;

/* Change of one position along the direction: rows of the map times the direction. */
static void displacement(const filter_task *task, size_t instance, double *d)
{
  size_t b = task->block;
  for (size_t n = 0; n < task->map->nodes; ++n) {
    const basin_dof_entry *entries;
    size_t count = basin__dof_row(task->map, instance * task->map->nodes + n, &entries);
    for (size_t i = 0; i < b; ++i) d[n * b + i] = 0;
    for (size_t k = 0; k < count; ++k) {
      const double *from = task->direction + (size_t)entries[k].node * b;
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

/* ---- first root ---- */

static double polynomial(const double c[4], double t)
{
  return ((c[3] * t + c[2]) * t + c[1]) * t + c[0];
}

/* Roots of c1 + 2 c2 t + 3 c3 t² in ascending order, without cancellation; their number. */
static int extrema(const double c[4], double roots[2])
{
  double a = 3 * c[3], half = c[2], root;
  if (a == 0) {
    if (half == 0) return 0;
    roots[0] = -c[1] / (2 * half);
    return 1;
  }
  double discriminant = half * half - a * c[1];
  if (!(discriminant > 0)) return 0;
  root = half >= 0 ? -half - sqrt(discriminant) : -half + sqrt(discriminant);
  double first = root / a, second = root != 0 ? c[1] / root : 0;
  roots[0] = fmin(first, second);
  roots[1] = fmax(first, second);
  return 2;
}

/* Largest t <= limit with no root of the polynomial (positive at 0) in [0, t]: between extrema it
 * is monotonic, so signs at the ends decide and bisection finds the crossing, from below. */
static double first_root(const double c[4], double limit)
{
  double drop =
      fmin(c[1], 0) * limit + fmin(c[2], 0) * limit * limit + fmin(c[3], 0) * limit * limit * limit;
  double roots[2], ends[3], begin = 0;
  if (c[0] + drop > 0) return limit;
  int count = extrema(c, roots), pieces = 0;
  for (int k = 0; k < count; ++k)
    if (roots[k] > 0 && roots[k] < limit) ends[pieces++] = roots[k];
  ends[pieces++] = limit;
  for (int k = 0; k < pieces; ++k) {
    double low = begin, high = ends[k];
    if (polynomial(c, high) > 0) {
      begin = high;
      continue;
    }
    for (int i = 0; i < 100 && high - low > 1e-12 * high; ++i) {
      double middle = 0.5 * (low + high);
      if (polynomial(c, middle) > 0)
        low = middle;
      else
        high = middle;
    }
    return low;
  }
  return limit;
}

/* ---- inversion ---- */

static double det3(const double *a, const double *b, const double *c)
{
  return a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) +
         a[2] * (b[0] * c[1] - b[1] * c[0]);
}

static double det2(const double *a, const double *b)
{
  return a[0] * b[1] - a[1] * b[0];
}

/* Signed volume (times 6, or area times 2) of the simplex with edges e - t d, as a polynomial in t.
 */
static void volume(size_t size, double e[3][3], double d[3][3], double c[4])
{
  if (size == 2) {
    c[0] = det2(e[0], e[1]);
    c[1] = -(det2(d[0], e[1]) + det2(e[0], d[1]));
    c[2] = det2(d[0], d[1]);
    c[3] = 0;
    return;
  }
  c[0] = det3(e[0], e[1], e[2]);
  c[1] = -(det3(d[0], e[1], e[2]) + det3(e[0], d[1], e[2]) + det3(e[0], e[1], d[2]));
  c[2] = det3(d[0], d[1], e[2]) + det3(d[0], e[1], d[2]) + det3(e[0], d[1], d[2]);
  c[3] = -det3(d[0], d[1], d[2]);
}

static double simplex_limit(const filter_task *task, size_t simplex, double limit)
{
  const uint32_t *corners = task->simplices->indices + simplex * (task->size + 1);
  double first[12] = {0}, other[12] = {0}, e[3][3] = {{0}}, d[3][3] = {{0}}, c[4];
  displacement(task, corners[0], first);
  for (size_t k = 0; k < task->size; ++k) {
    displacement(task, corners[k + 1], other);
    for (size_t i = 0; i < task->size; ++i) {
      e[k][i] = task->positions[corners[k + 1] * task->size + i] -
                task->positions[corners[0] * task->size + i];
      d[k][i] = other[i] - first[i];
    }
  }
  volume(task->size, e, d, c);
  if (c[0] == 0 || !isfinite(c[0])) return limit; /* flat already */
  for (int k = 3; k >= 0; --k) c[k] /= c[0];
  c[0] = task->keep; /* V(t) / V(0) - (1 - keep) */
  return first_root(c, limit);
}

static void chunk_range(const filter_task *task, size_t index, size_t *begin, size_t *end)
{
  size_t chunk = (task->count + CHUNKS - 1) / CHUNKS;
  *begin = index * chunk < task->count ? index * chunk : task->count;
  *end = *begin + chunk < task->count ? *begin + chunk : task->count;
}

static void simplex_chunk(void *user, size_t index, unsigned worker)
{
  filter_task *task = user;
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
  filter_task *task = user;
  double limit = task->alpha, d[12] = {0};
  size_t begin, end;
  (void)worker;
  chunk_range(task, index, &begin, &end);
  task->behind[index] = SIZE_MAX;
  for (size_t k = begin; k < end; ++k) {
    double distance = -task->offset, approach = 0;
    displacement(task, k, d);
    for (size_t i = 0; i < task->size; ++i) {
      distance += task->normal[i] * task->positions[k * task->size + i];
      approach += task->normal[i] * d[i];
    }
    if (!(distance > 0) && task->behind[index] == SIZE_MAX) task->behind[index] = k;
    if (approach * limit > task->keep * distance) limit = task->keep * distance / approach;
  }
  task->least[index] = limit;
}

/* ---- common ---- */

static basin_status update_maps(basin_minimizer *minimizer)
{
  basin_kernel_list list = {0};
  basin_status status = basin__dof_maps_refresh(&minimizer->maps);
  if (status == BASIN_OK) status = basin__dof_maps_kernels(&minimizer->maps, &list);
  if (status == BASIN_OK) status = basin__kernel_list_request(minimizer->system, &list);
  basin__kernel_list_release(minimizer->system, &list);
  return status == BASIN_OK ? basin__dof_maps_update(&minimizer->maps) : status;
}

static basin_status prepare(filter_task *task,
                            basin_minimizer *minimizer,
                            basin_array_id positions,
                            double keep,
                            const double *direction,
                            double alpha)
{
  basin_context *context = minimizer->context;
  basin_span view;
  size_t number;
  if (!(keep > 0 && keep < 1))
    return BASIN_FAIL(
        context, BASIN_ERROR_ARGUMENT, "a step filter keeps a part between 0 and 1, not %g", keep);
  BASIN_TRY(basin__dof_maps_get(&minimizer->maps, positions, &number));
  BASIN_TRY(update_maps(minimizer));
  BASIN_TRY(basin_system_array(minimizer->system, positions, &view));
  const basin_dof_map *map = minimizer->maps.maps[number];
  const char *name = basin_system_array_name(minimizer->system, positions);
  if (view.size < 2 || view.size > 3)
    return BASIN_FAIL(context,
                      BASIN_ERROR_SHAPE,
                      "a step filter needs positions of 2 or 3 numbers, %s has %zu",
                      name,
                      view.size);
  if (!map->affine)
    return BASIN_FAIL(
        context,
        BASIN_ERROR_UNSUPPORTED,
        "%s is not affine in the unknowns: a step does not move it along a straight line",
        name);
  task->map = map;
  task->positions = view.data;
  task->direction = direction;
  task->size = view.size;
  task->block = minimizer->layout.block;
  task->count = view.count;
  task->keep = keep;
  task->alpha = alpha;
  return BASIN_OK;
}

static double least(const filter_task *task)
{
  double alpha = task->alpha;
  for (int k = 0; k < CHUNKS; ++k) alpha = fmin(alpha, task->least[k]);
  return alpha;
}

basin_status basin_filter_inversion(basin_minimizer *minimizer,
                                    basin_array_id positions,
                                    basin_connectivity_id simplices,
                                    double keep,
                                    const double *direction,
                                    double *alpha)
{
  filter_task task;
  basin_connectivity *connectivity;
  BASIN_TRY(prepare(&task, minimizer, positions, keep, direction, *alpha));
  BASIN_TRY(basin__system_connectivity(minimizer->system, simplices, &connectivity));
  BASIN_TRY(basin__connectivity_check(minimizer->system, connectivity));
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
  task.count = connectivity->count / connectivity->arity;
  basin__parallel(minimizer->context, CHUNKS, simplex_chunk, &task);
  *alpha = least(&task);
  return BASIN_OK;
}

basin_status basin_filter_plane(basin_minimizer *minimizer,
                                basin_array_id positions,
                                const double normal[3],
                                double offset,
                                double keep,
                                const double *direction,
                                double *alpha)
{
  filter_task task;
  double length = 0;
  BASIN_TRY(prepare(&task, minimizer, positions, keep, direction, *alpha));
  for (size_t i = 0; i < task.size; ++i) length += normal[i] * normal[i];
  if (!(length > 0) || !isfinite(length))
    return BASIN_FAIL(minimizer->context, BASIN_ERROR_ARGUMENT, "a plane needs a normal");
  for (size_t i = 0; i < task.size; ++i) task.normal[i] = normal[i];
  task.offset = offset;
  basin__parallel(minimizer->context, CHUNKS, plane_chunk, &task);
  for (int k = 0; k < CHUNKS; ++k)
    if (task.behind[k] != SIZE_MAX)
      return BASIN_FAIL(minimizer->context,
                        BASIN_ERROR_STATE,
                        "instance %zu of %s lies on or behind the plane",
                        task.behind[k],
                        basin_system_array_name(minimizer->system, positions));
  *alpha = least(&task);
  return BASIN_OK;
}

/* ---- motion ---- */

basin_status basin_filter_motion(basin_minimizer *minimizer,
                                 basin_array_id positions,
                                 const double *direction,
                                 double *motion)
{
  filter_task task;
  BASIN_TRY(prepare(&task, minimizer, positions, 0.5, direction, 1));
  for (size_t k = 0; k < task.count; ++k) {
    double d[12] = {0};
    displacement(&task, k, d);
    for (size_t i = 0; i < task.size; ++i) motion[k * task.size + i] = -d[i];
  }
  return BASIN_OK;
}
