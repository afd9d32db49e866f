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

uint8_t basin__to_byte(double linear)
{
  if (!(linear > 0.0)) return 0;
  if (linear >= 1.0) return 255;
  const double value =
      linear <= 0.0031308 ? 12.92 * linear : 1.055 * pow(linear, 1.0 / 2.4) - 0.055;
  return (uint8_t)(value * 255.0 + 0.5);
}

/* A key light, a sky that is brighter above than below, and a soft highlight (Blinn, "Models of
 * light reflection for computer synthesized pictures", SIGGRAPH 1977). The side of the surface that
 * is seen is the lit one. */
void basin__shade(const basin_lighting *lighting,
                  const basin_corner *corner,
                  const double colour[3],
                  float result[3])
{
  double n[3], v[3], h[3], n2 = 0.0, v2 = 0.0, h2 = 0.0, facing = 0.0;
  for (int i = 0; i < 3; ++i) {
    n[i] = corner->normal[i];
    v[i] = lighting->eye[i] - corner->position[i];
    n2 += n[i] * n[i];
    v2 += v[i] * v[i];
    facing += n[i] * v[i];
  }
  const double turn = (facing < 0.0 ? -1.0 : 1.0) / (n2 > 0.0 ? sqrt(n2) : 1.0);
  double diffuse = 0.0, highlight = 0.0;
  for (int i = 0; i < 3; ++i) {
    n[i] *= turn;
    v[i] /= v2 > 0.0 ? sqrt(v2) : 1.0;
    h[i] = v[i] + lighting->direction[i];
    h2 += h[i] * h[i];
    diffuse += n[i] * lighting->direction[i];
    highlight += n[i] * h[i];
  }
  diffuse = fmax(0.0, diffuse);
  highlight = diffuse > 0.0 && h2 > 0.0 ? pow(fmax(0.0, highlight / sqrt(h2)), 40.0) : 0.0;
  const double sky = 0.22 + 0.13 * n[1];
  for (int i = 0; i < 3; ++i)
    result[i] = (float)(colour[i] * (sky + 0.8 * diffuse) + 0.10 * highlight);
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
