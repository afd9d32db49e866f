/* The picture object and the software rasterizer behind it.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_OUTPUT_PICTURE_H
#define BASIN_OUTPUT_PICTURE_H

#include "base/base.h"
#include <basin/output.h>

struct basin_picture {
  basin_context *context;
  unsigned width, height;
  uint8_t *pixels;
};

/* The light last found for a pixel of a row: of which triangle, in which row. */
typedef struct basin_shade_cell {
  uint64_t triangle;
  uint32_t row;
  float light[3];
} basin_shade_cell;

/* Colour and depth of the samples of one band of the picture, rows first to end - 1. Colours are
 * linear light, 0..1; depth is 1 / distance along the view, 0 = background. */
typedef struct basin_canvas {
  size_t width, height; /* of the picture, in samples */
  size_t first, end;    /* rows of the band */
  float *colours, *depths;
  basin_shade_cell *cells; /* one a pixel of a row */
  uint64_t triangle;       /* counts what was drawn in the band, from 1 */
  uint8_t *planes; /* number of the plane seen, from 1; 0 = none. Shadows fall where it fits. */
} basin_canvas;

/* World to samples: orthonormal axes of the camera, focal length in samples. */
typedef struct basin_view {
  double eye[3], right[3], up[3], back[3];
  double focal, centre_x, centre_y;
  double near_distance;
} basin_view;

typedef struct basin_corner {
  double position[3], normal[3];
} basin_corner;

/* A sample that a triangle covers in front of what is there. */
typedef struct basin_hit {
  const basin_corner *corners; /* three, of the triangle */
  double parts[3], scale;      /* the weights of the corners are parts times scale */
  size_t x, y, sample;         /* place in the picture, index in the band */
  float depth;
} basin_hit;
typedef void (*basin_shader)(void *user, const basin_hit *hit);
/* Position and normal at a hit. */
void basin__hit_corner(const basin_hit *hit, basin_corner *corner);

void basin__view_of_camera(const basin_camera *camera,
                           size_t width,
                           size_t height,
                           double near_distance,
                           basin_view *view);
/* Clips at the near plane and rasterizes; perspective-correct; a sample on a shared edge belongs to
 * one triangle. */
void basin__draw_triangle(const basin_canvas *canvas,
                          const basin_view *view,
                          const basin_corner corners[3],
                          basin_shader shader,
                          void *user);
/* Rows of samples [rows[0], rows[1]) that a triangle may cover. */
void basin__triangle_rows(const basin_canvas *canvas,
                          const basin_view *view,
                          const basin_corner corners[3],
                          uint32_t rows[2]);
/* A line of `width` samples between two points, drawn `bias` (relative) nearer than it is. A point
 * when both ends agree. */
void basin__draw_line(basin_canvas *canvas,
                      const basin_view *view,
                      const double from[3],
                      const double to[3],
                      double width,
                      double bias,
                      const float colour[3]);

/* ---- shading ---- */

typedef struct basin_lighting {
  double direction[3]; /* towards the light, unit */
  double eye[3];
} basin_lighting;
/* Light leaving a surface of a colour, two-sided. */
void basin__shade(const basin_lighting *lighting,
                  const basin_corner *corner,
                  const double colour[3],
                  float result[3]);
/* sRGB to linear light. */
double basin__to_linear(double value);
/* Linear light to the nearest of 256 levels of sRGB. */
enum { BASIN_LEVEL_CELLS = 4096 };
typedef struct basin_levels {
  float bounds[257]; /* level k is bounds[k] <= linear < bounds[k + 1] */
  uint8_t guess[BASIN_LEVEL_CELLS + 1];
} basin_levels;
void basin__levels_init(basin_levels *levels);
static inline uint8_t basin__to_byte(const basin_levels *levels, float linear)
{
  if (!(linear > 0.0f)) return 0;
  if (linear >= 1.0f) return 255;
  unsigned level = levels->guess[(unsigned)(linear * (float)BASIN_LEVEL_CELLS)];
  while (linear >= levels->bounds[level + 1]) ++level;
  return (uint8_t)level;
}

/* Three coordinates of a position; z = 0 in the plane. */
void basin__item_point(const basin_picture_item *item, size_t index, double point[3]);
/* One normal for each corner of each triangle: the mean of the faces around it that do not turn
 * more than 40 degrees away. */
basin_status
basin__item_normals(basin_context *context, const basin_picture_item *item, double *normals);

/* A camera that shows the items, and where they would touch the planes. */
basin_status basin__camera_for_scene(basin_context *context,
                                     size_t item_count,
                                     const basin_picture_item *items,
                                     size_t plane_count,
                                     const basin_picture_plane *planes,
                                     double aspect,
                                     basin_camera *camera);

/* ---- a picture in the making ---- */

enum { BASIN_PALETTE_SIZE = 10 };

/* What drawing an item's triangles needs in every band. */
typedef struct basin_surface {
  double *normals;     /* nine numbers a triangle */
  uint32_t *order;     /* farthest first, if it is see-through, else NULL */
  uint32_t (*rows)[2]; /* of the picture, in samples, that each triangle may cover */
} basin_surface;

typedef struct basin_rendering {
  basin_context *context;
  const basin_picture_options *options;
  size_t item_count;
  const basin_picture_item *items;
  basin_surface *surfaces;               /* one an item */
  double palette[BASIN_PALETTE_SIZE][3]; /* linear light */
  basin_levels levels;
  basin_canvas canvas;
  basin_view view;
  basin_lighting lighting;
  double centre[3], radius; /* of the items */
} basin_rendering;

/* sRGB to linear light, three numbers. */
void basin__linear_colour(const double colour[3], double linear[3]);
/* Colours, normals and order of the surfaces, once the view is known. */
basin_status basin__prepare_items(basin_rendering *rendering);
void basin__release_items(basin_rendering *rendering);
/* Planes and the shadows on them, in the canvas's band; before everything else. */
void basin__draw_planes(basin_rendering *rendering);
/* Surfaces, lines and dots of all items, in the canvas's band. */
void basin__draw_items(basin_rendering *rendering);

#endif
