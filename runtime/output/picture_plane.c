/* Floors and walls of a picture, and the shadows that items throw on them.
 * SPDX-License-Identifier: Apache-2.0 */
#include "output/picture.h"
#include <math.h>

/* A plane in the making: two directions in it, a point near the scene, the size of a checker. */
typedef struct plane_frame {
  basin_rendering *s;
  uint8_t number;
  double normal[3], u[3], v[3], origin[3], square, reach;
} plane_frame;

/* 1, 2 or 5 times a power of ten, near `size`. */
static double round_size(double size)
{
  const double power = pow(10.0, floor(log10(size))), rest = size / power;
  return power * (rest < 1.5 ? 1.0 : rest < 3.5 ? 2.0 : rest < 7.5 ? 5.0 : 10.0);
}

static bool make_frame(basin_rendering *s, size_t index, plane_frame *frame)
{
  const basin_picture_plane *plane = &s->options->planes[index];
  const double *n = plane->normal;
  const double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
  if (!(length > 0.0) || !isfinite(length) || !isfinite(plane->offset)) return false;
  *frame = (plane_frame){.s = s,
                         .number = (uint8_t)(index + 1),
                         .square = round_size(s->radius / 2.5),
                         .reach = 4.0 * s->radius};
  double height = -plane->offset / length, above = height;
  for (int i = 0; i < 3; ++i) {
    frame->normal[i] = n[i] / length;
    height += frame->normal[i] * s->centre[i];
    above += frame->normal[i] * s->view.eye[i];
  }
  if (above <= 0.0) return false; /* seen from behind: it would hide the scene */
  const double x = fabs(frame->normal[0]);
  const double helper[3] = {x < 0.9 ? 1.0 : 0.0, x < 0.9 ? 0.0 : 1.0, 0.0};
  double along = 0.0;
  for (int i = 0; i < 3; ++i) along += helper[i] * frame->normal[i];
  double size = 0.0;
  for (int i = 0; i < 3; ++i) {
    frame->u[i] = helper[i] - along * frame->normal[i];
    size += frame->u[i] * frame->u[i];
    frame->origin[i] = s->centre[i] - height * frame->normal[i];
  }
  for (int i = 0; i < 3; ++i) frame->u[i] /= sqrt(size);
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    frame->v[i] = frame->normal[j] * frame->u[k] - frame->normal[k] * frame->u[j];
  }
  return true;
}

/* Checkers that fade into the background with the distance from the scene. */
static void shade_plane(void *user, const basin_hit *hit)
{
  const plane_frame *frame = user;
  basin_corner here;
  basin__hit_corner(hit, &here);
  double a = 0.0, b = 0.0, away = 0.0;
  for (int i = 0; i < 3; ++i) {
    a += frame->u[i] * here.position[i];
    b += frame->v[i] * here.position[i];
    away += (here.position[i] - frame->origin[i]) * (here.position[i] - frame->origin[i]);
  }
  const double fade = fmax(0.0, 1.0 - away / (frame->reach * frame->reach));
  if (fade <= 0.0) return;
  /* Not farther than `reach`: a few squares. */
  const long squares = (long)floor(a / frame->square) + (long)floor(b / frame->square);
  const bool odd = squares & 1;
  const double grey = odd ? 0.62 : 0.72;
  float *colour = frame->s->canvas.colours + 3 * hit->sample;
  for (int i = 0; i < 3; ++i) colour[i] = (float)(fade * grey + (1.0 - fade) * (double)colour[i]);
  frame->s->canvas.depths[hit->sample] = hit->depth;
  frame->s->canvas.planes[hit->sample] = frame->number;
}

static void draw_plane(basin_rendering *s, plane_frame *frame)
{
  basin_corner c[4];
  for (int k = 0; k < 4; ++k)
    for (int i = 0; i < 3; ++i) {
      const double su = k == 0 || k == 3 ? -1.0 : 1.0, sv = k < 2 ? -1.0 : 1.0;
      c[k].position[i] = frame->origin[i] + frame->reach * (su * frame->u[i] + sv * frame->v[i]);
      c[k].normal[i] = frame->normal[i];
    }
  basin__draw_triangle(
      &s->canvas, &s->view, (const basin_corner[3]){c[0], c[1], c[2]}, shade_plane, frame);
  basin__draw_triangle(
      &s->canvas, &s->view, (const basin_corner[3]){c[0], c[2], c[3]}, shade_plane, frame);
}

/* ---- shadows: triangles thrown on a plane along the light, darkening each sample of it once ----
 */

static void shade_shadow(void *user, const basin_hit *hit)
{
  const plane_frame *frame = user;
  const size_t sample = hit->sample;
  if (frame->s->canvas.planes[sample] != frame->number) return;
  frame->s->canvas.planes[sample] = 0;
  for (int i = 0; i < 3; ++i) frame->s->canvas.colours[3 * sample + (size_t)i] *= 0.55f;
}

/* The triangle on the plane, lifted by a hair so that it lies in front of it; false if a corner is
 * below. */
static bool throw_shadow(const plane_frame *frame,
                         const basin_picture_item *item,
                         const uint32_t corners[3],
                         basin_corner shadow[3])
{
  const double *light = frame->s->lighting.direction, *n = frame->normal;
  const double slope = n[0] * light[0] + n[1] * light[1] + n[2] * light[2],
               lift = 2e-3 * frame->s->radius;
  if (slope < 0.05) return false;
  for (int k = 0; k < 3; ++k) {
    double x[3], height = 0.0;
    basin__item_point(item, corners[k], x);
    for (int i = 0; i < 3; ++i) height += n[i] * (x[i] - frame->origin[i]);
    if (height < 0.0) return false;
    for (int i = 0; i < 3; ++i) {
      shadow[k].position[i] = x[i] - light[i] * height / slope + lift * n[i];
      shadow[k].normal[i] = n[i];
    }
  }
  return true;
}

void basin__draw_planes(basin_rendering *s)
{
  plane_frame frame;
  for (size_t k = 0; k < s->options->plane_count; ++k)
    if (make_frame(s, k, &frame)) draw_plane(s, &frame);
  for (size_t k = 0; k < s->options->plane_count; ++k) {
    if (!make_frame(s, k, &frame)) continue;
    for (size_t m = 0; m < s->item_count; ++m) {
      if (s->items[m].opacity > 0.0 && s->items[m].opacity < 1.0) continue;
      for (size_t t = 0; t < s->items[m].triangle_count; ++t) {
        basin_corner shadow[3];
        if (throw_shadow(&frame, &s->items[m], s->items[m].triangles + 3 * t, shadow))
          basin__draw_triangle(&s->canvas, &s->view, shadow, shade_shadow, &frame);
      }
    }
  }
}
