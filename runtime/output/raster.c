/* The software rasterizer: clipping, perspective-correct triangles, thick lines.
 * SPDX-License-Identifier: Apache-2.0 */
#include "output/picture.h"
#include <math.h>
#include <string.h>

static double dot(const double a[3], const double b[3])
{
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const double a[3], const double b[3], double c[3])
{
  c[0] = a[1] * b[2] - a[2] * b[1];
  c[1] = a[2] * b[0] - a[0] * b[2];
  c[2] = a[0] * b[1] - a[1] * b[0];
}

static bool normalize(double v[3])
{
  const double length = sqrt(dot(v, v));
  for (int i = 0; i < 3; ++i) v[i] = length > 0.0 ? v[i] / length : 0.0;
  return length > 0.0;
}

void basin__view_of_camera(
    const basin_camera *camera, size_t width, size_t height, double near_distance, basin_view *view)
{
  memset(view, 0, sizeof *view);
  for (int i = 0; i < 3; ++i) {
    view->eye[i] = camera->eye[i];
    view->back[i] = camera->eye[i] - camera->target[i];
  }
  if (!normalize(view->back)) view->back[2] = 1.0;
  cross(camera->up, view->back, view->right);
  if (!normalize(view->right)) { /* looking along `up`: any direction across will do */
    const double other[3] = {
        0.0, fabs(view->back[1]) < 0.9 ? 1.0 : 0.0, fabs(view->back[1]) < 0.9 ? 0.0 : 1.0};
    cross(other, view->back, view->right);
    normalize(view->right);
  }
  cross(view->back, view->right, view->up);
  view->focal =
      0.5 * (double)height / tan(camera->field_of_view * 0.5 * 3.14159265358979323846 / 180.0);
  view->centre_x = 0.5 * (double)width;
  view->centre_y = 0.5 * (double)height;
  view->near_distance = near_distance;
}

/* Distance in front of the eye along the view. */
static double depth_of(const basin_view *view, const double position[3])
{
  const double d[3] = {
      position[0] - view->eye[0], position[1] - view->eye[1], position[2] - view->eye[2]};
  return -dot(d, view->back);
}

typedef struct screen_point {
  double x, y, inverse; /* samples; 1 / distance */
} screen_point;

static screen_point project(const basin_view *view, const double position[3])
{
  const double d[3] = {
      position[0] - view->eye[0], position[1] - view->eye[1], position[2] - view->eye[2]};
  const double inverse = 1.0 / -dot(d, view->back);
  return (screen_point){view->centre_x + view->focal * dot(d, view->right) * inverse,
                        view->centre_y - view->focal * dot(d, view->up) * inverse,
                        inverse};
}

/* ---- triangles ---- */

static double edge(const screen_point *a, const screen_point *b, double x, double y)
{
  return (b->x - a->x) * (y - a->y) - (b->y - a->y) * (x - a->x);
}

/* With y down and positive area: samples exactly on a top or left side belong to the triangle. */
static bool owns_edge(const screen_point *a, const screen_point *b)
{
  return b->y < a->y || (b->y == a->y && b->x > a->x);
}

static size_t clamp_between(double value, size_t least, size_t most)
{
  if (!(value > (double)least)) return least;
  return value < (double)most ? (size_t)value : most;
}

static size_t first_row(const basin_canvas *canvas, double y)
{
  return clamp_between(y - 0.5, canvas->first, canvas->end);
}

static size_t end_row(const basin_canvas *canvas, double y)
{
  return clamp_between(y + 1.0, canvas->first, canvas->end);
}

void basin__hit_corner(const basin_hit *hit, basin_corner *result)
{
  const basin_corner *c = hit->corners;
  const double u = hit->parts[0] * hit->scale, v = hit->parts[1] * hit->scale,
               w = hit->parts[2] * hit->scale;
  for (int i = 0; i < 3; ++i) {
    result->position[i] = u * c[0].position[i] + v * c[1].position[i] + w * c[2].position[i];
    result->normal[i] = u * c[0].normal[i] + v * c[1].normal[i] + w * c[2].normal[i];
  }
}

/* Narrows [*left, *right) to the samples of a row that may lie on the inner side of an edge; the
 * rounding of the division is covered by a sample at each end. */
static void
narrow(const screen_point *a, const screen_point *b, double y, size_t *left, size_t *right)
{
  const double slope = -(b->y - a->y),
               start = edge(a, b, 0.5, y); /* of the edge function along x */
  if (slope == 0.0) {
    if (start < 0.0) *right = *left;
    return;
  }
  const double crossing = -start / slope;
  if (slope > 0.0)
    *left = clamp_between(crossing - 1.0, *left, *right);
  else
    *right = clamp_between(crossing + 2.0, *left, *right);
}

/* The triangle being filled. */
typedef struct filling {
  const basin_canvas *canvas;
  const screen_point *p;
  const basin_corner *corners;
  double area;
  bool owns[3];
  basin_shader shader;
  void *user;
} filling;

static void fill_row(const filling *f, size_t y, size_t left, size_t right)
{
  const screen_point *p = f->p;
  const double sy = (double)y + 0.5;
  narrow(&p[1], &p[2], sy, &left, &right);
  narrow(&p[2], &p[0], sy, &left, &right);
  narrow(&p[0], &p[1], sy, &left, &right);
  for (size_t x = left; x < right; ++x) {
    const double sx = (double)x + 0.5;
    const double w[3] = {
        edge(&p[1], &p[2], sx, sy), edge(&p[2], &p[0], sx, sy), edge(&p[0], &p[1], sx, sy)};
    bool inside = true;
    for (int k = 0; k < 3; ++k) inside = inside && (w[k] > 0.0 || (w[k] == 0.0 && f->owns[k]));
    if (!inside) continue;
    const double parts[3] = {w[0] * p[0].inverse, w[1] * p[1].inverse, w[2] * p[2].inverse},
                 sum = parts[0] + parts[1] + parts[2], inverse = sum / f->area;
    const size_t sample = (y - f->canvas->first) * f->canvas->width + x;
    if ((float)inverse <= f->canvas->depths[sample]) continue;
    const basin_hit hit = {.corners = f->corners,
                           .parts = {parts[0], parts[1], parts[2]},
                           .scale = 1.0 / sum,
                           .x = x,
                           .y = y,
                           .sample = sample,
                           .depth = (float)inverse};
    f->shader(f->user, &hit);
  }
}

static void fill(const basin_canvas *canvas,
                 const screen_point p[3],
                 const basin_corner corners[3],
                 basin_shader shader,
                 void *user)
{
  const filling f = {
      .canvas = canvas,
      .p = p,
      .corners = corners,
      .area = edge(&p[0], &p[1], p[2].x, p[2].y),
      .owns = {owns_edge(&p[1], &p[2]), owns_edge(&p[2], &p[0]), owns_edge(&p[0], &p[1])},
      .shader = shader,
      .user = user};
  const size_t bottom = end_row(canvas, fmax(fmax(p[0].y, p[1].y), p[2].y));
  size_t y = first_row(canvas, fmin(fmin(p[0].y, p[1].y), p[2].y));
  if (y >= bottom) return;
  const size_t left = clamp_between(fmin(fmin(p[0].x, p[1].x), p[2].x) - 0.5, 0, canvas->width),
               right = clamp_between(fmax(fmax(p[0].x, p[1].x), p[2].x) + 1.0, 0, canvas->width);
  for (; y < bottom; ++y) fill_row(&f, y, left, right);
}

static void draw_front(const basin_canvas *canvas,
                       const basin_view *view,
                       const basin_corner corners[3],
                       basin_shader shader,
                       void *user)
{
  basin_corner ordered[3] = {corners[0], corners[1], corners[2]};
  screen_point p[3];
  for (int k = 0; k < 3; ++k) p[k] = project(view, corners[k].position);
  const double area = edge(&p[0], &p[1], p[2].x, p[2].y);
  if (area == 0.0 || !isfinite(area)) return;
  if (area < 0.0) {
    const screen_point swap = p[1];
    p[1] = p[2];
    p[2] = swap;
    ordered[1] = corners[2];
    ordered[2] = corners[1];
  }
  fill(canvas, p, ordered, shader, user);
}

static void between(const basin_corner *a, const basin_corner *b, double t, basin_corner *result)
{
  for (int i = 0; i < 3; ++i) {
    result->position[i] = a->position[i] + t * (b->position[i] - a->position[i]);
    result->normal[i] = a->normal[i] + t * (b->normal[i] - a->normal[i]);
  }
}

void basin__draw_triangle(const basin_canvas *canvas,
                          const basin_view *view,
                          const basin_corner corners[3],
                          basin_shader shader,
                          void *user)
{
  basin_corner kept[4];
  int count = 0;
  for (int k = 0; k < 3; ++k) {
    const basin_corner *a = &corners[k], *b = &corners[(k + 1) % 3];
    const double da = depth_of(view, a->position) - view->near_distance,
                 db = depth_of(view, b->position) - view->near_distance;
    if (da >= 0.0) kept[count++] = *a;
    if ((da < 0.0) != (db < 0.0)) between(a, b, da / (da - db), &kept[count++]);
  }
  if (count >= 3) draw_front(canvas, view, kept, shader, user);
  if (count == 4)
    draw_front(canvas, view, (const basin_corner[3]){kept[0], kept[2], kept[3]}, shader, user);
}

void basin__triangle_rows(const basin_canvas *canvas,
                          const basin_view *view,
                          const basin_corner corners[3],
                          uint32_t rows[2])
{
  double top = HUGE_VAL, bottom = -HUGE_VAL;
  rows[0] = 0;
  rows[1] = (uint32_t)canvas->height;
  for (int k = 0; k < 3; ++k) {
    if (depth_of(view, corners[k].position) < view->near_distance) return;
    const double y = project(view, corners[k].position).y;
    top = fmin(top, y);
    bottom = fmax(bottom, y);
  }
  rows[0] = (uint32_t)clamp_between(top - 0.5, 0, canvas->height);
  rows[1] = (uint32_t)clamp_between(bottom + 1.0, 0, canvas->height);
}

/* ---- lines ---- */

/* Moves the end that is behind the near plane onto it; false when both are behind. */
static bool clip_line(const basin_view *view, double a[3], double b[3])
{
  const double da = depth_of(view, a) - view->near_distance,
               db = depth_of(view, b) - view->near_distance;
  if (da < 0.0 && db < 0.0) return false;
  if ((da < 0.0) == (db < 0.0)) return true;
  const double t = da / (da - db);
  for (int i = 0; i < 3; ++i) {
    const double middle = a[i] + t * (b[i] - a[i]);
    if (da < 0.0)
      a[i] = middle;
    else
      b[i] = middle;
  }
  return true;
}

void basin__draw_line(basin_canvas *canvas,
                      const basin_view *view,
                      const double from[3],
                      const double to[3],
                      double width,
                      double bias,
                      const float colour[3])
{
  double a[3] = {from[0], from[1], from[2]}, b[3] = {to[0], to[1], to[2]};
  if (!clip_line(view, a, b)) return;
  const screen_point p = project(view, a), q = project(view, b);
  const double dx = q.x - p.x, dy = q.y - p.y, length2 = dx * dx + dy * dy, half = 0.5 * width;
  const size_t left = clamp_between(fmin(p.x, q.x) - half - 0.5, 0, canvas->width),
               right = clamp_between(fmax(p.x, q.x) + half + 1.0, 0, canvas->width);
  const size_t bottom = end_row(canvas, fmax(p.y, q.y) + half);
  for (size_t y = first_row(canvas, fmin(p.y, q.y) - half); y < bottom; ++y)
    for (size_t x = left; x < right; ++x) {
      const double sx = (double)x + 0.5 - p.x, sy = (double)y + 0.5 - p.y;
      const double t = length2 > 0.0 ? fmin(1.0, fmax(0.0, (sx * dx + sy * dy) / length2)) : 0.0;
      const double rx = sx - t * dx, ry = sy - t * dy;
      if (rx * rx + ry * ry > half * half) continue;
      const float depth = (float)((p.inverse + t * (q.inverse - p.inverse)) * (1.0 + bias));
      const size_t sample = (y - canvas->first) * canvas->width + x;
      if (depth <= canvas->depths[sample]) continue;
      canvas->depths[sample] = depth;
      memcpy(canvas->colours + 3 * sample, colour, 3 * sizeof(float));
    }
}
