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

/* Colour and depth of every sample. Colours are linear light, 0..1; depth is 1 / distance along the
 * view, 0 = background. */
typedef struct basin_canvas {
  size_t width, height; /* in samples */
  float *colours, *depths;
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

/* Called for every sample that a triangle covers in front of what is there: the interpolated
 * corner, index of the sample, depth. */
typedef void (*basin_shader)(void *user, const basin_corner *corner, size_t sample, float depth);

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
/* sRGB to linear light and back. */
double basin__to_linear(double value);
uint8_t basin__to_byte(double linear);

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

typedef struct basin_rendering {
  basin_context *context;
  const basin_picture_options *options;
  size_t item_count;
  const basin_picture_item *items;
  basin_canvas canvas;
  basin_view view;
  basin_lighting lighting;
  double centre[3], radius; /* of the items */
} basin_rendering;

/* sRGB to linear light, three numbers. */
void basin__linear_colour(const double colour[3], double linear[3]);
/* Planes and the shadows on them; before everything else. */
void basin__draw_planes(basin_rendering *rendering);
/* Surfaces, lines and dots of all items. */
basin_status basin__draw_items(basin_rendering *rendering);

#endif
