/* Questions to a surface of triangles: how often it winds around points, where rays meet it.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/base.h"
#include <basin/contact.h>

#include <math.h>

enum { LANES = 64 }; /* triangles whose solid angles are prepared together */
#define PI 3.14159265358979323846

/* Corner k's coordinate i of all triangles: corners[3 * k + i]. */
typedef struct surface_task {
  size_t count;
  double *corners[9];
  const double *points, *directions;
  double *results;
} surface_task;

static basin_status check(basin_context *context, const basin_surface *surface)
{
  for (size_t k = 0; k < 3 * surface->vertex_count; ++k)
    if (!isfinite(surface->positions[k]))
      return BASIN_FAIL(
          context, BASIN_ERROR_NOT_FINITE, "the position of vertex %zu is not finite", k / 3);
  for (size_t k = 0; k < 3 * surface->triangle_count; ++k)
    if (surface->triangles[k] >= surface->vertex_count)
      return BASIN_FAIL(context,
                        BASIN_ERROR_RANGE,
                        "triangle %zu names vertex %u of %zu",
                        k / 3,
                        (unsigned)surface->triangles[k],
                        surface->vertex_count);
  return BASIN_OK;
}

static basin_status ask(basin_context *context,
                        const basin_surface *surface,
                        size_t count,
                        basin_task_function body,
                        surface_task *task)
{
  size_t n = surface->triangle_count, bytes = (9 * n + 1) * sizeof(double);
  BASIN_TRY(check(context, surface));
  double *room = basin__alloc_aligned(context, bytes);
  if (!room) return BASIN_ERROR_MEMORY;
  task->count = n;
  for (size_t k = 0; k < 9; ++k) {
    task->corners[k] = room + k * n;
    for (size_t t = 0; t < n; ++t)
      task->corners[k][t] =
          surface->positions[3 * (size_t)surface->triangles[3 * t + k / 3] + k % 3];
  }
  basin__parallel_work(context, count, 40.0 * (double)count * (double)n, body, task);
  basin__free_aligned(context, room, bytes);
  return BASIN_OK;
}

/* ---- winding numbers ---- */

static double norm(double x, double y, double z)
{
  return sqrt(x * x + y * y + z * z);
}

/* Sine and cosine, times one length, of half the solid angle of each triangle (A. van Oosterom,
 * J. Strackee, IEEE Trans. Biomed. Eng. 30, 1983). */
static void half_angles(const surface_task *task,
                        const double *p,
                        size_t begin,
                        size_t end,
                        double *restrict sines,
                        double *restrict cosines)
{
  double *const *c = task->corners;
  for (size_t t = begin; t < end; ++t) {
    double ax = c[0][t] - p[0], ay = c[1][t] - p[1], az = c[2][t] - p[2];
    double bx = c[3][t] - p[0], by = c[4][t] - p[1], bz = c[5][t] - p[2];
    double cx = c[6][t] - p[0], cy = c[7][t] - p[1], cz = c[8][t] - p[2];
    double la = norm(ax, ay, az), lb = norm(bx, by, bz), lc = norm(cx, cy, cz);
    sines[t - begin] =
        ax * (by * cz - bz * cy) + ay * (bz * cx - bx * cz) + az * (bx * cy - by * cx);
    cosines[t - begin] = la * lb * lc + (ax * bx + ay * by + az * bz) * lc +
                         (bx * cx + by * cy + bz * cz) * la + (cx * ax + cy * ay + cz * az) * lb;
  }
}

static void wind(void *user, size_t index, unsigned worker)
{
  const surface_task *task = user;
  double sines[LANES], cosines[LANES], sum = 0;
  (void)worker;
  for (size_t begin = 0; begin < task->count; begin += LANES) {
    size_t end = begin + LANES < task->count ? begin + LANES : task->count;
    half_angles(task, task->points + 3 * index, begin, end, sines, cosines);
    for (size_t k = 0; k < end - begin; ++k) /* from within a triangle: the mean of its sides */
      sum += sines[k] == 0 ? 0 : atan2(sines[k], cosines[k]);
  }
  task->results[index] = sum / (2 * PI);
}

basin_status basin_surface_winding(basin_context *context,
                                   const basin_surface *surface,
                                   size_t count,
                                   const double *points,
                                   double *winding)
{
  surface_task task = {.points = points, .results = winding};
  return ask(context, surface, count, wind, &task);
}

/* ---- rays ---- */

/* Where the ray meets a triangle, in lengths of its direction; infinite if it does not (T. Möller,
 * B. Trumbore, J. Graphics Tools 2, 1997). */
static double meet(const surface_task *task, const double *o, const double *d, size_t t)
{
  double *const *c = task->corners;
  double a[3], e[3], f[3], p[3], q[3], s[3];
  for (int i = 0; i < 3; ++i) {
    a[i] = c[i][t];
    e[i] = c[3 + i][t] - a[i];
    f[i] = c[6 + i][t] - a[i];
    s[i] = o[i] - a[i];
  }
  for (int i = 0; i < 3; ++i) {
    int j = (i + 1) % 3, k = (i + 2) % 3;
    p[i] = d[j] * f[k] - d[k] * f[j];
    q[i] = s[j] * e[k] - s[k] * e[j];
  }
  double det = e[0] * p[0] + e[1] * p[1] + e[2] * p[2];
  double u = (s[0] * p[0] + s[1] * p[1] + s[2] * p[2]) / det;
  double v = (d[0] * q[0] + d[1] * q[1] + d[2] * q[2]) / det;
  double length = (f[0] * q[0] + f[1] * q[1] + f[2] * q[2]) / det;
  return u >= 0 && v >= 0 && u + v <= 1 && length >= 0 ? length : HUGE_VAL;
}

static void shoot(void *user, size_t index, unsigned worker)
{
  const surface_task *task = user;
  double first = HUGE_VAL;
  (void)worker;
  for (size_t t = 0; t < task->count; ++t)
    first = fmin(first, meet(task, task->points + 3 * index, task->directions + 3 * index, t));
  task->results[index] = first;
}

basin_status basin_surface_rays(basin_context *context,
                                const basin_surface *surface,
                                size_t count,
                                const double *origins,
                                const double *directions,
                                double *lengths)
{
  surface_task task = {.points = origins, .directions = directions, .results = lengths};
  return ask(context, surface, count, shoot, &task);
}
