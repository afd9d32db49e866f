/* Light and normals: what makes a surface look like one.
 * SPDX-License-Identifier: Apache-2.0 */
#include "output/picture.h"
#include <math.h>
#include <string.h>

static const double crease_cosine = 0.76604444311897804; /* 40 degrees */

double basin__to_linear(double value)
{
  return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4);
}

void basin__linear_colour(const double colour[3], double linear[3])
{
  for (int i = 0; i < 3; ++i) linear[i] = basin__to_linear(colour[i]);
}

void basin__levels_init(basin_levels *levels)
{
  levels->bounds[0] = 0.0f;
  for (int k = 1; k < 256; ++k) levels->bounds[k] = (float)basin__to_linear((k - 0.5) / 255.0);
  levels->bounds[256] = INFINITY;
  unsigned level = 0;
  for (int cell = 0; cell <= BASIN_LEVEL_CELLS; ++cell) {
    while ((float)cell / (float)BASIN_LEVEL_CELLS >= levels->bounds[level + 1]) ++level;
    levels->guess[cell] = (uint8_t)level;
  }
}

static float dot(const float a[3], const float b[3])
{
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* max(0, a / sqrt(b)) to the power of 40. */
static float highlight_of(float a, float b)
{
  if (!(a > 0.0f && b > 0.0f)) return 0.0f;
  const float x2 = a * a / b, x4 = x2 * x2, x8 = x4 * x4, x16 = x8 * x8;
  return x16 * x16 * x8;
}

/* A key light, a sky that is brighter above than below, and a soft highlight (Blinn, "Models of
 * light reflection for computer synthesized pictures", SIGGRAPH 1977). The side of the surface that
 * is seen is the lit one. */
void basin__shade(const basin_lighting *lighting,
                  const basin_corner *corner,
                  const double colour[3],
                  float result[3])
{
  const double *p = corner->position, *normal = corner->normal, *eye = lighting->eye;
  const float n[3] = {(float)normal[0], (float)normal[1], (float)normal[2]};
  const float v[3] = {(float)(eye[0] - p[0]), (float)(eye[1] - p[1]), (float)(eye[2] - p[2])};
  const float l[3] = {
      (float)lighting->direction[0], (float)lighting->direction[1], (float)lighting->direction[2]};
  const float n2 = dot(n, n), v2 = dot(v, v);
  const float turn = (dot(n, v) < 0.0f ? -1.0f : 1.0f) / (n2 > 0.0f ? sqrtf(n2) : 1.0f),
              nearer = v2 > 0.0f ? 1.0f / sqrtf(v2) : 1.0f;
  const float h[3] = {v[0] * nearer + l[0], v[1] * nearer + l[1], v[2] * nearer + l[2]};
  const float diffuse = fmaxf(0.0f, turn * dot(n, l));
  const float highlight = diffuse > 0.0f ? highlight_of(turn * dot(n, h), dot(h, h)) : 0.0f;
  const float strength = 0.22f + 0.13f * turn * n[1] + 0.8f * diffuse, shine = 0.10f * highlight;
  for (int i = 0; i < 3; ++i) result[i] = (float)colour[i] * strength + shine;
}

void basin__item_point(const basin_picture_item *item, size_t index, double point[3])
{
  for (unsigned i = 0; i < 3; ++i)
    point[i] = i < item->dim ? item->positions[index * item->dim + i] : 0.0;
}

/* ---- normals at corners ---- */

/* The triangles around each point: list[start[p]] .. list[start[p + 1]]. */
typedef struct incidence {
  size_t *start;
  uint32_t *list;
  double *faces; /* twice the area times the unit normal of each triangle */
} incidence;

static void fill_incidence(const basin_picture_item *item, incidence *around)
{
  const size_t corners = item->triangle_count * 3;
  memset(around->start, 0, (item->point_count + 2) * sizeof(size_t));
  for (size_t c = 0; c < corners; ++c) ++around->start[item->triangles[c] + 2];
  for (size_t p = 0; p <= item->point_count; ++p) around->start[p + 1] += around->start[p];
  for (size_t c = 0; c < corners; ++c)
    around->list[around->start[item->triangles[c] + 1]++] = (uint32_t)(c / 3);
  for (size_t t = 0; t < item->triangle_count; ++t) {
    double a[3], b[3], c[3], *n = around->faces + 3 * t;
    basin__item_point(item, item->triangles[3 * t], a);
    basin__item_point(item, item->triangles[3 * t + 1], b);
    basin__item_point(item, item->triangles[3 * t + 2], c);
    n[0] = (b[1] - a[1]) * (c[2] - a[2]) - (b[2] - a[2]) * (c[1] - a[1]);
    n[1] = (b[2] - a[2]) * (c[0] - a[0]) - (b[0] - a[0]) * (c[2] - a[2]);
    n[2] = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
  }
}

static void
corner_normal(const incidence *around, size_t triangle, uint32_t point, double normal[3])
{
  const double *own = around->faces + 3 * triangle;
  const double own2 = own[0] * own[0] + own[1] * own[1] + own[2] * own[2];
  memset(normal, 0, 3 * sizeof(double));
  for (size_t k = around->start[point]; k < around->start[point + 1]; ++k) {
    const double *other = around->faces + 3 * (size_t)around->list[k];
    const double other2 = other[0] * other[0] + other[1] * other[1] + other[2] * other[2];
    const double along = own[0] * other[0] + own[1] * other[1] + own[2] * other[2];
    if (along < crease_cosine * sqrt(own2 * other2)) continue;
    for (int i = 0; i < 3; ++i) normal[i] += other[i];
  }
  const double length = sqrt(normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2]);
  for (int i = 0; i < 3; ++i) normal[i] = length > 0.0 ? normal[i] / length : (i == 1 ? 1.0 : 0.0);
}

basin_status
basin__item_normals(basin_context *context, const basin_picture_item *item, double *normals)
{
  const size_t corners = item->triangle_count * 3;
  incidence around = {
      .start = basin__calloc(context, item->point_count + 2, sizeof(size_t)),
      .list = basin__calloc(context, corners, sizeof(uint32_t)),
      .faces = basin__calloc(context, corners, sizeof(double)),
  };
  const bool ready = around.start && around.list && around.faces;
  if (ready) {
    fill_incidence(item, &around);
    for (size_t c = 0; c < corners; ++c)
      corner_normal(&around, c / 3, item->triangles[c], normals + 3 * c);
  }
  basin__free(context, around.start, (item->point_count + 2) * sizeof(size_t));
  basin__free(context, around.list, corners * sizeof(uint32_t));
  basin__free(context, around.faces, corners * sizeof(double));
  return ready ? BASIN_OK : BASIN_ERROR_MEMORY;
}
