/* An independent witness for contact tests: every edge against every triangle, every pair of
 * primitives for the smallest distance. It shares no code with runtime/contact.
 * SPDX-License-Identifier: Apache-2.0 */
#include <lauxlib.h>
#include <lua.h>
#include <math.h>
#include <stddef.h>

__attribute__((visibility("default"))) int luaopen_brute(lua_State *L);

/* Numbers of an array as array:bytes() gives them. */
typedef struct numbers {
  const double *data;
  size_t count;
} numbers;

typedef struct state {
  numbers positions, edges, triangles, points, lone, labels;
} state;

static numbers check_numbers(lua_State *L, int index)
{
  size_t bytes;
  const void *data = luaL_checklstring(L, index, &bytes);
  luaL_argcheck(L, bytes % sizeof(double) == 0, index, "bytes of an array");
  double *copy = lua_newuserdatauv(L, bytes + 8, 0);
  for (size_t i = 0; i < bytes; ++i) ((char *)copy)[i] = ((const char *)data)[i];
  return (numbers){copy, bytes / sizeof(double)};
}

static const double *point(const state *s, double vertex)
{
  return s->positions.data + 3 * (size_t)vertex;
}

static void subtract(const double *a, const double *b, double *out)
{
  for (int i = 0; i < 3; ++i) out[i] = a[i] - b[i];
}

static double dot(const double *a, const double *b)
{
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Six times the volume of a tetrahedron, in extended precision. */
static long double volume(const double *a, const double *b, const double *c, const double *d)
{
  long double u[3], v[3], w[3];
  for (int i = 0; i < 3; ++i) {
    u[i] = (long double)b[i] - (long double)a[i];
    v[i] = (long double)c[i] - (long double)a[i];
    w[i] = (long double)d[i] - (long double)a[i];
  }
  return u[0] * (v[1] * w[2] - v[2] * w[1]) - u[1] * (v[0] * w[2] - v[2] * w[0]) +
         u[2] * (v[0] * w[1] - v[1] * w[0]);
}

/* Whether the segment p q passes through the inside of the triangle. */
static int
pierces(const double *p, const double *q, const double *a, const double *b, const double *c)
{
  long double from = volume(a, b, c, p), to = volume(a, b, c, q);
  if ((from > 0) == (to > 0) || from == 0 || to == 0) return 0;
  int s0 = volume(p, q, a, b) > 0, s1 = volume(p, q, b, c) > 0, s2 = volume(p, q, c, a) > 0;
  return s0 == s1 && s1 == s2;
}

typedef struct box {
  double low[3], high[3];
} box;

/* Squared distance of two boxes, to leave out what is far. */
static double box_distance(const box *a, const box *b)
{
  double sum = 0;
  for (int i = 0; i < 3; ++i) {
    double below = b->low[i] - a->high[i], above = a->low[i] - b->high[i];
    double gap = below > above ? below : above;
    if (gap > 0) sum += gap * gap;
  }
  return sum;
}

/* Boxes of primitives of `arity` vertices, in a fresh userdata. */
static const box *boxes_of(lua_State *L, const state *s, numbers items, size_t arity)
{
  size_t count = items.count / arity;
  box *boxes = lua_newuserdatauv(L, (count + 1) * sizeof *boxes, 0);
  for (size_t n = 0; n < count; ++n) {
    for (int i = 0; i < 3; ++i) {
      boxes[n].low[i] = HUGE_VAL;
      boxes[n].high[i] = -HUGE_VAL;
    }
    for (size_t k = 0; k < arity; ++k) {
      const double *x = point(s, items.data[n * arity + k]);
      for (int i = 0; i < 3; ++i) {
        boxes[n].low[i] = fmin(boxes[n].low[i], x[i]);
        boxes[n].high[i] = fmax(boxes[n].high[i], x[i]);
      }
    }
  }
  return boxes;
}

/* Squared distance of a point and a segment. */
static double point_segment(const double *p, const double *a, const double *b)
{
  double e[3], r[3];
  subtract(b, a, e);
  subtract(p, a, r);
  double length = dot(e, e), t = length > 0 ? fmin(1, fmax(0, dot(r, e) / length)) : 0;
  for (int i = 0; i < 3; ++i) r[i] -= t * e[i];
  return dot(r, r);
}

static double point_triangle(const double *p, const double *a, const double *b, const double *c)
{
  double u[3], v[3], r[3];
  double least = fmin(point_segment(p, a, b), fmin(point_segment(p, b, c), point_segment(p, c, a)));
  subtract(b, a, u);
  subtract(c, a, v);
  subtract(p, a, r);
  double uu = dot(u, u), uv = dot(u, v), vv = dot(v, v), ru = dot(r, u), rv = dot(r, v);
  double det = uu * vv - uv * uv;
  if (!(det > 0)) return least;
  double s = (vv * ru - uv * rv) / det, t = (uu * rv - uv * ru) / det;
  if (s < 0 || t < 0 || s + t > 1) return least;
  for (int i = 0; i < 3; ++i) r[i] -= s * u[i] + t * v[i];
  return fmin(least, dot(r, r));
}

static double segment_segment(const double *a, const double *b, const double *c, const double *d)
{
  double u[3], v[3], r[3];
  double least = fmin(fmin(point_segment(a, c, d), point_segment(b, c, d)),
                      fmin(point_segment(c, a, b), point_segment(d, a, b)));
  subtract(b, a, u);
  subtract(d, c, v);
  subtract(a, c, r);
  double uu = dot(u, u), uv = dot(u, v), vv = dot(v, v), ur = dot(u, r), vr = dot(v, r);
  double det = uu * vv - uv * uv;
  if (!(det > 1e-12 * uu * vv)) return least;
  double s = (uv * vr - vv * ur) / det, t = (uu * vr - uv * ur) / det;
  if (s < 0 || s > 1 || t < 0 || t > 1) return least;
  for (int i = 0; i < 3; ++i) r[i] += s * u[i] - t * v[i];
  return fmin(least, dot(r, r));
}

/* Primitives that share a vertex, or whose vertices all have one label other than 0, are left out.
 */
static int skipped(const state *s, const double *a, int na, const double *b, int nb)
{
  double label = s->labels.data[(size_t)a[0]];
  int same = label != 0;
  for (int i = 0; i < na; ++i) {
    same = same && s->labels.data[(size_t)a[i]] == label;
    for (int k = 0; k < nb; ++k)
      if (a[i] == b[k]) return 1;
  }
  for (int k = 0; k < nb; ++k) same = same && s->labels.data[(size_t)b[k]] == label;
  return same;
}

/* Points of both sides of a pair; 0 if it is left out. */
static int pair_of(const state *s,
                   const double *a,
                   int na,
                   const double *b,
                   int nb,
                   const double **p,
                   const double **q)
{
  for (int i = 0; i < na; ++i) p[i] = point(s, a[i]);
  for (int k = 0; k < nb; ++k) q[k] = point(s, b[k]);
  return !skipped(s, a, na, b, nb);
}

typedef struct boxes {
  const box *edges, *triangles, *points, *lone;
} boxes;

static lua_Integer count_edges(const state *s, const boxes *b, double *least)
{
  lua_Integer found = 0;
  const double *p[3], *q[3];
  for (size_t e = 0; e < s->edges.count / 2; ++e) {
    const double *edge = s->edges.data + 2 * e;
    for (size_t t = 0; t < s->triangles.count / 3; ++t)
      if (box_distance(&b->edges[e], &b->triangles[t]) <= 0 &&
          pair_of(s, edge, 2, s->triangles.data + 3 * t, 3, p, q))
        found += pierces(p[0], p[1], q[0], q[1], q[2]);
    for (size_t f = e + 1; f < s->edges.count / 2; ++f)
      if (box_distance(&b->edges[e], &b->edges[f]) < *least &&
          pair_of(s, edge, 2, s->edges.data + 2 * f, 2, p, q))
        *least = fmin(*least, segment_segment(p[0], p[1], q[0], q[1]));
  }
  return found;
}

static void count_points(const state *s, const boxes *b, double *least)
{
  const double *p[3], *q[3];
  for (size_t k = 0; k < s->points.count; ++k)
    for (size_t t = 0; t < s->triangles.count / 3; ++t)
      if (box_distance(&b->points[k], &b->triangles[t]) < *least &&
          pair_of(s, s->points.data + k, 1, s->triangles.data + 3 * t, 3, p, q))
        *least = fmin(*least, point_triangle(p[0], q[0], q[1], q[2]));
}

/* Points of no edge also have a distance to edges and to each other. */
static void count_lone(const state *s, const boxes *b, double *least)
{
  const double *p[3], *q[3];
  for (size_t k = 0; k < s->lone.count; ++k) {
    const double *vertex = s->lone.data + k;
    for (size_t e = 0; e < s->edges.count / 2; ++e)
      if (box_distance(&b->lone[k], &b->edges[e]) < *least &&
          pair_of(s, vertex, 1, s->edges.data + 2 * e, 2, p, q))
        *least = fmin(*least, point_segment(p[0], q[0], q[1]));
    for (size_t l = k + 1; l < s->lone.count; ++l)
      if (pair_of(s, vertex, 1, s->lone.data + l, 1, p, q))
        *least = fmin(*least, box_distance(&b->lone[k], &b->lone[l]));
  }
}

/* count(positions, edges, triangles, points, lone, labels, limit) -> intersections, smallest
 * distance of all pairs below `limit`, else `limit`. Arguments are bytes of arrays; `points` has
 * all points of surfaces, `lone` those of no edge among them. */
static int brute_count(lua_State *L)
{
  state s = {check_numbers(L, 1),
             check_numbers(L, 2),
             check_numbers(L, 3),
             check_numbers(L, 4),
             check_numbers(L, 5),
             check_numbers(L, 6)};
  double limit = luaL_checknumber(L, 7), least = limit * limit;
  boxes b = {boxes_of(L, &s, s.edges, 2),
             boxes_of(L, &s, s.triangles, 3),
             boxes_of(L, &s, s.points, 1),
             boxes_of(L, &s, s.lone, 1)};
  lua_Integer found = count_edges(&s, &b, &least);
  count_points(&s, &b, &least);
  count_lone(&s, &b, &least);
  lua_pushinteger(L, found);
  lua_pushnumber(L, sqrt(least));
  return 2;
}

int luaopen_brute(lua_State *L)
{
  static const luaL_Reg functions[] = {{"count", brute_count}, {NULL, NULL}};
  luaL_newlib(L, functions);
  return 1;
}
