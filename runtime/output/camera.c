/* Cameras that show what there is.
 * SPDX-License-Identifier: Apache-2.0 */
#include "output/picture.h"
#include <math.h>
#include <string.h>

static const double pi = 3.14159265358979323846;
static const double default_field_of_view = 35.0;
static const double margin = 1.12; /* of the distance: room around the box */

/* As near as the corners of the box allow, looking at its centre against `direction` (unit, not
 * along y). */
static basin_camera
camera_from(const double lower[3], const double upper[3], double aspect, const double direction[3])
{
  basin_camera camera = {.up = {0.0, 1.0, 0.0}, .field_of_view = default_field_of_view};
  const double tall = tan(0.5 * default_field_of_view * pi / 180.0),
               wide = tall * (aspect > 0.0 ? aspect : 1.0);
  const double level = sqrt(direction[0] * direction[0] + direction[2] * direction[2]);
  const double right[3] = {direction[2] / level, 0.0, -direction[0] / level};
  const double up[3] = {
      -direction[0] * direction[1] / level, level, -direction[2] * direction[1] / level};
  double distance = 0.0;
  for (int corner = 0; corner < 8; ++corner) {
    double across = 0.0, above = 0.0, nearer = 0.0;
    for (int i = 0; i < 3; ++i) {
      const double half = 0.5 * (upper[i] - lower[i]) * (corner >> i & 1 ? 1.0 : -1.0);
      across += half * right[i];
      above += half * up[i];
      nearer += half * direction[i];
    }
    distance = fmax(distance, nearer + fmax(fabs(across) / wide, fabs(above) / tall));
  }
  if (!(distance > 0.0)) distance = 1.0;
  for (int i = 0; i < 3; ++i) {
    camera.target[i] = 0.5 * (lower[i] + upper[i]);
    camera.eye[i] = camera.target[i] + margin * distance * direction[i];
  }
  return camera;
}

basin_camera basin_camera_around(const double lower[3], const double upper[3], double aspect)
{
  static const double friendly[3] = {0.45, 0.38, 0.80814602};
  static const double front[3] = {0.0, 0.0, 1.0};
  return camera_from(lower, upper, aspect, upper[2] - lower[2] > 0.0 ? friendly : front);
}

static void grow_box(double lower[3], double upper[3], const double x[3])
{
  for (int i = 0; i < 3; ++i) {
    lower[i] = fmin(lower[i], x[i]);
    upper[i] = fmax(upper[i], x[i]);
  }
}

/* Adds the feet of the box's corners on a plane, straight down and along its normal: whatever falls
 * on it stays in the picture. */
static void grow_to_plane(double lower[3], double upper[3], const basin_picture_plane *plane)
{
  const double *n = plane->normal;
  const double n2 = n[0] * n[0] + n[1] * n[1] + n[2] * n[2];
  if (!(n2 > 0.0) || !isfinite(n2) || !isfinite(plane->offset)) return;
  double box[2][3];
  memcpy(box[0], lower, sizeof box[0]);
  memcpy(box[1], upper, sizeof box[1]);
  for (int corner = 0; corner < 8; ++corner) {
    double x[3], height = -plane->offset;
    for (int i = 0; i < 3; ++i) {
      x[i] = box[corner >> i & 1][i];
      height += n[i] * x[i];
    }
    if (height <= 0.0) continue;
    const double below[3] = {x[0], x[1] - height / n[1], x[2]};
    if (n[1] > 0.5 * sqrt(n2)) grow_box(lower, upper, below);
    for (int i = 0; i < 3; ++i) x[i] -= height / n2 * n[i];
    grow_box(lower, upper, x);
  }
}

basin_status basin__camera_for_scene(basin_context *context,
                                     size_t item_count,
                                     const basin_picture_item *items,
                                     size_t plane_count,
                                     const basin_picture_plane *planes,
                                     double aspect,
                                     basin_camera *camera)
{
  double lower[3] = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, upper[3] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
  size_t points = 0;
  for (size_t k = 0; k < item_count; ++k)
    for (size_t p = 0; p < items[k].point_count; ++p, ++points) {
      double x[3];
      basin__item_point(&items[k], p, x);
      for (int i = 0; i < 3; ++i)
        if (!isfinite(x[i]))
          return BASIN_FAIL(context,
                            BASIN_ERROR_NOT_FINITE,
                            "picture: coordinate %d of point %zu of item %zu is %g",
                            i,
                            p,
                            k,
                            x[i]);
      grow_box(lower, upper, x);
    }
  for (int i = 0; i < 3 && points == 0; ++i) {
    lower[i] = -1.0;
    upper[i] = 1.0;
  }
  for (size_t k = 0; k < plane_count; ++k) grow_to_plane(lower, upper, &planes[k]);
  *camera = basin_camera_around(lower, upper, aspect);
  return BASIN_OK;
}

basin_status basin_camera_for_items(basin_context *context,
                                    size_t item_count,
                                    const basin_picture_item *items,
                                    double aspect,
                                    basin_camera *camera)
{
  return basin__camera_for_scene(context, item_count, items, 0, NULL, aspect, camera);
}
