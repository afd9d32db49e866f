/* Rendering a picture: checks, background, averaging of samples.
 * SPDX-License-Identifier: Apache-2.0 */
#include "output/picture.h"
#include <math.h>
#include <string.h>

enum { MAX_PLANES = 64 };

basin_picture_options basin_picture_defaults(void)
{
  return (basin_picture_options){
      .size = sizeof(basin_picture_options),
      .width = 800,
      .height = 600,
      .samples = 2,
      .background_top = {0.74, 0.81, 0.89},
      .background_bottom = {0.96, 0.97, 0.98},
      .light = {0.30, 0.80, 0.60},
      .line_width = 1.5,
  };
}

/* ---- checks ---- */

static basin_status check_indices(basin_context *context,
                                  size_t item,
                                  const char *what,
                                  const uint32_t *indices,
                                  size_t count,
                                  size_t points)
{
  if (count > 0 && !indices)
    return BASIN_FAIL(
        context, BASIN_ERROR_ARGUMENT, "picture: the %s of item %zu are missing", what, item);
  for (size_t i = 0; i < count; ++i)
    if (indices[i] >= points)
      return BASIN_FAIL(context,
                        BASIN_ERROR_RANGE,
                        "picture: entry %zu of the %s of item %zu is point %u of %zu",
                        i,
                        what,
                        item,
                        indices[i],
                        points);
  return BASIN_OK;
}

static basin_status
check_items(basin_context *context, size_t count, const basin_picture_item *items)
{
  for (size_t k = 0; k < count; ++k) {
    const basin_picture_item *item = &items[k];
    if (item->dim != 2 && item->dim != 3)
      return BASIN_FAIL(context,
                        BASIN_ERROR_ARGUMENT,
                        "picture: item %zu has dim %u; 2 or 3 are possible",
                        k,
                        item->dim);
    if (item->point_count > 0 && !item->positions)
      return BASIN_FAIL(
          context, BASIN_ERROR_ARGUMENT, "picture: the positions of item %zu are missing", k);
    BASIN_TRY(check_indices(
        context, k, "triangles", item->triangles, item->triangle_count * 3, item->point_count));
    BASIN_TRY(
        check_indices(context, k, "edges", item->edges, item->edge_count * 2, item->point_count));
    BASIN_TRY(
        check_indices(context, k, "points", item->points, item->dot_count, item->point_count));
  }
  return BASIN_OK;
}

static basin_status check_options(basin_context *context, const basin_picture_options *o)
{
  if (o->size != sizeof *o)
    return BASIN_FAIL(context,
                      BASIN_ERROR_ARGUMENT,
                      "the picture options have size %zu; start from basin_picture_defaults()",
                      o->size);
  if (o->width < 1 || o->height < 1 || o->width > 8192 || o->height > 8192)
    return BASIN_FAIL(context,
                      BASIN_ERROR_ARGUMENT,
                      "picture: width and height must be 1 to 8192, not %u x %u",
                      o->width,
                      o->height);
  if (o->samples < 1 || o->samples > 4)
    return BASIN_FAIL(
        context, BASIN_ERROR_ARGUMENT, "picture: samples must be 1 to 4, not %u", o->samples);
  if (o->plane_count > MAX_PLANES)
    return BASIN_FAIL(context,
                      BASIN_ERROR_ARGUMENT,
                      "picture: %zu planes are more than %d",
                      o->plane_count,
                      MAX_PLANES);
  if (o->plane_count > 0 && !o->planes)
    return BASIN_FAIL(
        context, BASIN_ERROR_ARGUMENT, "picture: %zu planes, but no data", o->plane_count);
  const basin_camera *camera = o->camera;
  if (camera && !(camera->field_of_view > 0.0 && camera->field_of_view < 180.0))
    return BASIN_FAIL(context,
                      BASIN_ERROR_ARGUMENT,
                      "picture: the field of view must be between 0 and 180 degrees, not %g",
                      camera->field_of_view);
  return BASIN_OK;
}

/* ---- the picture ---- */

static void fill_background(basin_rendering *s)
{
  double top[3], bottom[3];
  basin__linear_colour(s->options->background_top, top);
  basin__linear_colour(s->options->background_bottom, bottom);
  for (size_t y = 0; y < s->canvas.height; ++y) {
    const double t = ((double)y + 0.5) / (double)s->canvas.height;
    float *row = s->canvas.colours + 3 * y * s->canvas.width;
    for (size_t x = 0; x < 3 * s->canvas.width; ++x)
      row[x] = (float)((1.0 - t) * top[x % 3] + t * bottom[x % 3]);
  }
}

static void average_samples(const basin_rendering *s, basin_picture *picture)
{
  const size_t n = s->options->samples;
  for (size_t y = 0; y < picture->height; ++y)
    for (size_t x = 0; x < picture->width; ++x)
      for (size_t k = 0; k < 3; ++k) {
        double sum = 0.0;
        for (size_t j = 0; j < n; ++j)
          for (size_t i = 0; i < n; ++i)
            sum += fmin(
                1.0,
                (double)s->canvas.colours[3 * ((y * n + j) * s->canvas.width + x * n + i) + k]);
        picture->pixels[3 * (y * picture->width + x) + k] = basin__to_byte(sum / (double)(n * n));
      }
}

static void measure_scene(basin_rendering *s)
{
  double lower[3] = {0, 0, 0}, upper[3] = {0, 0, 0};
  bool any = false;
  for (size_t k = 0; k < s->item_count; ++k)
    for (size_t p = 0; p < s->items[k].point_count; ++p, any = true) {
      double x[3];
      basin__item_point(&s->items[k], p, x);
      for (int i = 0; i < 3; ++i) {
        lower[i] = any ? fmin(lower[i], x[i]) : x[i];
        upper[i] = any ? fmax(upper[i], x[i]) : x[i];
      }
    }
  double size = 0.0;
  for (int i = 0; i < 3; ++i) {
    s->centre[i] = 0.5 * (lower[i] + upper[i]);
    size += 0.25 * (upper[i] - lower[i]) * (upper[i] - lower[i]);
  }
  s->radius = size > 0.0 ? sqrt(size) : 1.0;
}

static void set_light(basin_rendering *s, const basin_camera *camera)
{
  const double *light = s->options->light;
  const double length = sqrt(light[0] * light[0] + light[1] * light[1] + light[2] * light[2]);
  for (int i = 0; i < 3; ++i) {
    s->lighting.direction[i] =
        length > 0.0 && isfinite(length) ? light[i] / length : (i == 1 ? 1.0 : 0.0);
    s->lighting.eye[i] = camera->eye[i];
  }
}

static basin_status render(basin_rendering *s, const basin_camera *camera, basin_picture *picture)
{
  measure_scene(s);
  const double away = sqrt((camera->eye[0] - s->centre[0]) * (camera->eye[0] - s->centre[0]) +
                           (camera->eye[1] - s->centre[1]) * (camera->eye[1] - s->centre[1]) +
                           (camera->eye[2] - s->centre[2]) * (camera->eye[2] - s->centre[2]));
  basin__view_of_camera(
      camera, s->canvas.width, s->canvas.height, 1e-3 * (away + s->radius), &s->view);
  set_light(s, camera);
  fill_background(s);
  basin__draw_planes(s);
  BASIN_TRY(basin__draw_items(s));
  average_samples(s, picture);
  return BASIN_OK;
}

basin_status basin_picture_render(basin_context *context,
                                  size_t item_count,
                                  const basin_picture_item *items,
                                  const basin_picture_options *options,
                                  basin_picture **picture)
{
  *picture = NULL;
  const basin_picture_options chosen = options ? *options : basin_picture_defaults();
  BASIN_TRY(check_options(context, &chosen));
  BASIN_TRY(check_items(context, item_count, items));
  basin_camera camera;
  BASIN_TRY(basin__camera_for_scene(context,
                                    item_count,
                                    items,
                                    chosen.plane_count,
                                    chosen.planes,
                                    (double)chosen.width / chosen.height,
                                    &camera)); /* also checks all positions */
  basin_rendering s = {
      .context = context, .options = &chosen, .item_count = item_count, .items = items};
  s.canvas.width = (size_t)chosen.width * chosen.samples;
  s.canvas.height = (size_t)chosen.height * chosen.samples;
  const size_t samples = s.canvas.width * s.canvas.height,
               bytes = (size_t)chosen.width * chosen.height * 3;
  s.canvas.colours = basin__calloc(context, 3 * samples, sizeof(float));
  s.canvas.depths = basin__calloc(context, samples, sizeof(float));
  s.canvas.planes = basin__calloc(context, samples, 1);
  basin_picture *made = basin__calloc(context, 1, sizeof *made);
  if (made)
    *made = (basin_picture){context, chosen.width, chosen.height, basin__alloc(context, bytes)};
  const bool ready = s.canvas.colours && s.canvas.depths && s.canvas.planes && made && made->pixels;
  const basin_status status =
      ready ? render(&s, chosen.camera ? chosen.camera : &camera, made) : BASIN_ERROR_MEMORY;
  basin__free(context, s.canvas.colours, 3 * samples * sizeof(float));
  basin__free(context, s.canvas.depths, samples * sizeof(float));
  basin__free(context, s.canvas.planes, samples);
  if (status == BASIN_OK)
    *picture = made;
  else
    basin_picture_destroy(made);
  return status;
}

void basin_picture_destroy(basin_picture *picture)
{
  if (!picture) return;
  basin__free(picture->context, picture->pixels, (size_t)picture->width * picture->height * 3);
  basin__free(picture->context, picture, sizeof *picture);
}

unsigned basin_picture_width(const basin_picture *picture)
{
  return picture->width;
}

unsigned basin_picture_height(const basin_picture *picture)
{
  return picture->height;
}

const uint8_t *basin_picture_pixels(const basin_picture *picture)
{
  return picture->pixels;
}
