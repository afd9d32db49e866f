/* Rendering a picture: checks, background, averaging of samples.
 * SPDX-License-Identifier: Apache-2.0 */
#include "output/picture.h"
#include <math.h>
#include <string.h>

enum { MAX_PLANES = 64, BAND = 32 /* rows of pixels drawn at a time */ };

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

static void fill_background(const basin_rendering *s)
{
  double top[3], bottom[3];
  basin__linear_colour(s->options->background_top, top);
  basin__linear_colour(s->options->background_bottom, bottom);
  for (size_t y = s->canvas.first; y < s->canvas.end; ++y) {
    const double t = ((double)y + 0.5) / (double)s->canvas.height;
    float *row = s->canvas.colours + 3 * (y - s->canvas.first) * s->canvas.width, colour[3];
    for (size_t k = 0; k < 3; ++k) colour[k] = (float)((1.0 - t) * top[k] + t * bottom[k]);
    for (size_t x = 0; x < s->canvas.width; ++x) memcpy(row + 3 * x, colour, sizeof colour);
  }
}

/* The mean of the samples of a pixel of the band. */
static void average_pixel(const basin_rendering *s, size_t x, size_t y, uint8_t pixel[3])
{
  const size_t n = s->options->samples;
  const float *corner = s->canvas.colours + 3 * (y * n * s->canvas.width + x * n);
  float sum[3] = {0, 0, 0};
  for (size_t j = 0; j < n; ++j)
    for (size_t i = 0; i < n; ++i)
      for (size_t k = 0; k < 3; ++k) {
        const float light = corner[3 * (j * s->canvas.width + i) + k];
        sum[k] += light < 1.0f ? light : 1.0f;
      }
  for (size_t k = 0; k < 3; ++k) pixel[k] = basin__to_byte(&s->levels, sum[k] / (float)(n * n));
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

/* Canvases of one band, one a worker. */
typedef struct band_state {
  const basin_rendering *rendering;
  basin_picture *picture;
  basin_canvas *canvases;
} band_state;

static void render_band(void *user, size_t index, unsigned worker)
{
  const band_state *state = user;
  const basin_picture *picture = state->picture;
  const size_t top = index * BAND, samples = state->rendering->options->samples,
               bottom = top + BAND < picture->height ? top + BAND : picture->height;
  basin_rendering s = *state->rendering;
  s.canvas = state->canvases[worker];
  s.canvas.first = top * samples;
  s.canvas.end = bottom * samples;
  const size_t size = (s.canvas.end - s.canvas.first) * s.canvas.width;
  memset(s.canvas.depths, 0, size * sizeof *s.canvas.depths);
  memset(s.canvas.planes, 0, size);
  memset(s.canvas.cells, 0, picture->width * sizeof *s.canvas.cells);
  fill_background(&s);
  basin__draw_planes(&s);
  basin__draw_items(&s);
  for (size_t y = top; y < bottom; ++y)
    for (size_t x = 0; x < picture->width; ++x)
      average_pixel(&s, x, y - top, picture->pixels + 3 * (y * picture->width + x));
}

static basin_status render_bands(const basin_rendering *s, basin_picture *picture)
{
  const size_t bands = ((size_t)picture->height + BAND - 1) / BAND,
               samples = BAND * s->options->samples * s->canvas.width;
  size_t workers = basin__worker_count(s->context);
  basin_canvas *canvases = basin__calloc(s->context, workers, sizeof *canvases);
  bool ready = canvases;
  for (size_t k = 0; ready && k < workers; ++k) {
    canvases[k] = s->canvas;
    canvases[k].colours = basin__alloc(s->context, 3 * samples * sizeof(float));
    canvases[k].depths = basin__alloc(s->context, samples * sizeof(float));
    canvases[k].planes = basin__alloc(s->context, samples);
    canvases[k].cells = basin__alloc(s->context, picture->width * sizeof *canvases[k].cells);
    ready = canvases[k].colours && canvases[k].depths && canvases[k].planes && canvases[k].cells;
  }
  band_state state = {s, picture, canvases};
  if (ready) basin__parallel(s->context, bands, render_band, &state);
  for (size_t k = 0; canvases && k < workers; ++k) {
    basin__free(s->context, canvases[k].colours, 3 * samples * sizeof(float));
    basin__free(s->context, canvases[k].depths, samples * sizeof(float));
    basin__free(s->context, canvases[k].planes, samples);
    basin__free(s->context, canvases[k].cells, picture->width * sizeof *canvases[k].cells);
  }
  basin__free(s->context, canvases, workers * sizeof *canvases);
  return ready ? BASIN_OK : BASIN_ERROR_MEMORY;
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
  basin__levels_init(&s->levels);
  basin_status status = basin__prepare_items(s);
  if (status == BASIN_OK) status = render_bands(s, picture);
  basin__release_items(s);
  return status;
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
  const size_t bytes = (size_t)chosen.width * chosen.height * 3;
  basin_picture *made = basin__calloc(context, 1, sizeof *made);
  if (!made) return BASIN_ERROR_MEMORY;
  *made = (basin_picture){context, chosen.width, chosen.height, basin__alloc(context, bytes)};
  const basin_status status =
      made->pixels ? render(&s, chosen.camera ? chosen.camera : &camera, made) : BASIN_ERROR_MEMORY;
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
