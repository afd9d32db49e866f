/* Surfaces, lines and dots of the items of a picture.
 * SPDX-License-Identifier: Apache-2.0 */
#include "output/picture.h"
#include <math.h>
#include <string.h>

/* sRGB; neighbours differ in hue and lightness. */
static const double palette[BASIN_PALETTE_SIZE][3] = {
    {0.33, 0.52, 0.76},
    {0.89, 0.53, 0.27},
    {0.42, 0.67, 0.42},
    {0.78, 0.38, 0.40},
    {0.56, 0.46, 0.71},
    {0.87, 0.73, 0.35},
    {0.36, 0.68, 0.70},
    {0.82, 0.52, 0.70},
    {0.55, 0.57, 0.60},
    {0.62, 0.50, 0.40},
};

static void item_colour(const basin_rendering *s,
                        const basin_picture_item *item,
                        uint32_t point,
                        double linear[3])
{
  const uint32_t label = item->labels ? item->labels[point] : item->label;
  if (item->colour)
    basin__linear_colour(item->colour, linear);
  else
    memcpy(linear, s->palette[label % BASIN_PALETTE_SIZE], 3 * sizeof(double));
}

static bool is_see_through(const basin_picture_item *item)
{
  return item->opacity > 0.0 && item->opacity < 1.0;
}

/* ---- surfaces ---- */

typedef struct surface_paint {
  basin_rendering *s;
  double colour[3];
  double opacity;
  uint64_t triangle; /* counts the triangles of the band */
} surface_paint;

/* Light varies little within a pixel: it is found where a triangle is first seen in it, while
 * coverage and depth are found for every sample. */
static void shade_surface(void *user, const basin_hit *hit)
{
  const surface_paint *paint = user;
  basin_rendering *s = paint->s;
  const uint32_t samples = s->options->samples;
  const uint32_t row = (uint32_t)hit->y / samples;
  basin_shade_cell *cell = s->canvas.cells + (uint32_t)hit->x / samples;
  if (cell->triangle != paint->triangle || cell->row != row) {
    basin_corner here;
    basin__hit_corner(hit, &here);
    basin__shade(&s->lighting, &here, paint->colour, cell->light);
    cell->triangle = paint->triangle;
    cell->row = row;
  }
  float *colour = s->canvas.colours + 3 * hit->sample;
  const float part = (float)paint->opacity;
  for (int i = 0; i < 3; ++i) colour[i] = part * cell->light[i] + (1.0f - part) * colour[i];
  if (paint->opacity >= 1.0) s->canvas.depths[hit->sample] = hit->depth;
}

static void item_corners(const basin_picture_item *item,
                         const double *normals,
                         size_t t,
                         basin_corner corners[3])
{
  for (size_t k = 0; k < 3; ++k) {
    basin__item_point(item, item->triangles[3 * t + k], corners[k].position);
    memcpy(corners[k].normal, normals + 9 * t + 3 * k, 3 * sizeof(double));
  }
}

static void
draw_surface(basin_rendering *s, const basin_picture_item *item, const basin_surface *surface)
{
  surface_paint paint = {.s = s, .opacity = item->opacity > 0.0 ? item->opacity : 1.0};
  for (size_t k = 0; k < item->triangle_count; ++k) {
    const size_t t = surface->order ? surface->order[k] : k;
    basin_corner corners[3];
    if (surface->rows[t][0] >= s->canvas.end || surface->rows[t][1] <= s->canvas.first) continue;
    item_corners(item, surface->normals, t, corners);
    item_colour(s, item, item->triangles[3 * t], paint.colour);
    paint.triangle = ++s->canvas.triangle;
    basin__draw_triangle(&s->canvas, &s->view, corners, shade_surface, &paint);
  }
}

/* Distance of the middle of a triangle along the view, as a sorting key that is larger for what is
 * nearer. */
static uint32_t nearness(const basin_rendering *s, const basin_picture_item *item, size_t t)
{
  double along = 0.0;
  for (size_t k = 0; k < 3; ++k) {
    double x[3];
    basin__item_point(item, item->triangles[3 * t + k], x);
    for (int i = 0; i < 3; ++i) along += s->view.back[i] * (x[i] - s->centre[i]) / 3.0;
  }
  const double unit = 0.5 + 0.25 * along / s->radius; /* items lie within a radius of the centre */
  return (uint32_t)(fmin(1.0, fmax(0.0, unit)) * 2.0e9);
}

/* Farthest first: a merge of runs, stable. `keys` and `order` are permuted together. */
static void sort_by_key(uint64_t *rows, uint64_t *other, size_t count)
{
  for (size_t width = 1; width < count; width *= 2) {
    for (size_t start = 0; start < count; start += 2 * width) {
      size_t a = start, b = start + width < count ? start + width : count, to = start;
      const size_t middle = b, end = start + 2 * width < count ? start + 2 * width : count;
      while (a < middle || b < end)
        other[to++] = b >= end || (a < middle && rows[a] <= rows[b]) ? rows[a++] : rows[b++];
    }
    memcpy(rows, other, count * sizeof *rows);
  }
}

static basin_status
sort_surface(basin_rendering *s, const basin_picture_item *item, uint32_t *order)
{
  const size_t count = item->triangle_count;
  uint64_t *rows = basin__calloc(s->context, 2 * count, sizeof *rows);
  if (!rows) return BASIN_ERROR_MEMORY;
  for (size_t t = 0; t < count; ++t) rows[t] = (uint64_t)nearness(s, item, t) << 32 | (uint64_t)t;
  sort_by_key(rows, rows + count, count);
  for (size_t k = 0; k < count; ++k) order[k] = (uint32_t)(rows[k] & 0xffffffffu);
  basin__free(s->context, rows, 2 * count * sizeof *rows);
  return BASIN_OK;
}

static basin_status
prepare_surface(basin_rendering *s, const basin_picture_item *item, basin_surface *surface)
{
  const size_t count = item->triangle_count;
  if (count == 0) return BASIN_OK;
  surface->normals = basin__calloc(s->context, count, 9 * sizeof *surface->normals);
  surface->rows = basin__calloc(s->context, count, sizeof *surface->rows);
  if (is_see_through(item))
    surface->order = basin__calloc(s->context, count, sizeof *surface->order);
  if (!surface->normals || !surface->rows || (is_see_through(item) && !surface->order))
    return BASIN_ERROR_MEMORY;
  BASIN_TRY(basin__item_normals(s->context, item, surface->normals));
  for (size_t t = 0; t < count; ++t) {
    basin_corner corners[3];
    item_corners(item, surface->normals, t, corners);
    basin__triangle_rows(&s->canvas, &s->view, corners, surface->rows[t]);
  }
  return surface->order ? sort_surface(s, item, surface->order) : BASIN_OK;
}

basin_status basin__prepare_items(basin_rendering *s)
{
  for (size_t k = 0; k < BASIN_PALETTE_SIZE; ++k) basin__linear_colour(palette[k], s->palette[k]);
  if (s->item_count == 0) return BASIN_OK;
  s->surfaces = basin__calloc(s->context, s->item_count, sizeof *s->surfaces);
  if (!s->surfaces) return BASIN_ERROR_MEMORY;
  for (size_t k = 0; k < s->item_count; ++k)
    BASIN_TRY(prepare_surface(s, &s->items[k], &s->surfaces[k]));
  return BASIN_OK;
}

void basin__release_items(basin_rendering *s)
{
  for (size_t k = 0; s->surfaces && k < s->item_count; ++k) {
    const basin_surface *surface = &s->surfaces[k];
    const size_t count = s->items[k].triangle_count;
    basin__free(s->context, surface->normals, 9 * count * sizeof *surface->normals);
    basin__free(s->context, surface->rows, count * sizeof *surface->rows);
    basin__free(s->context, surface->order, surface->order ? count * sizeof *surface->order : 0);
  }
  basin__free(s->context, s->surfaces, s->item_count * sizeof *s->surfaces);
  s->surfaces = NULL;
}

/* ---- lines and dots ---- */

static void draw_segment(basin_rendering *s,
                         const basin_picture_item *item,
                         uint32_t a,
                         uint32_t b,
                         double width,
                         double bias,
                         double darkness)
{
  double p[3], q[3], colour[3];
  basin__item_point(item, a, p);
  basin__item_point(item, b, q);
  item_colour(s, item, a, colour);
  const float paint[3] = {
      (float)(colour[0] * darkness), (float)(colour[1] * darkness), (float)(colour[2] * darkness)};
  basin__draw_line(&s->canvas, &s->view, p, q, width * s->options->samples, bias, paint);
}

static void draw_lines(basin_rendering *s, const basin_picture_item *item)
{
  const double width = s->options->line_width;
  for (size_t t = 0; item->wireframe && t < item->triangle_count; ++t)
    for (size_t k = 0; k < 3; ++k)
      draw_segment(s,
                   item,
                   item->triangles[3 * t + k],
                   item->triangles[3 * t + (k + 1) % 3],
                   0.5 * width,
                   2e-3,
                   0.35);
  for (size_t e = 0; e < item->edge_count; ++e)
    draw_segment(s, item, item->edges[2 * e], item->edges[2 * e + 1], 2.0 * width, 1e-3, 0.8);
  for (size_t d = 0; d < item->dot_count; ++d)
    draw_segment(s, item, item->points[d], item->points[d], 4.0 * width, 1e-3, 0.8);
}

void basin__draw_items(basin_rendering *s)
{
  for (int pass = 0; pass < 2; ++pass) /* what is see-through comes last */
    for (size_t k = 0; k < s->item_count; ++k) {
      if (is_see_through(&s->items[k]) != (pass == 1)) continue;
      draw_surface(s, &s->items[k], &s->surfaces[k]);
      draw_lines(s, &s->items[k]);
    }
}
