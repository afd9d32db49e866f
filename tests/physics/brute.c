/* An independent witness for contact tests: every edge against every triangle, every pair of
 * primitives for the smallest distance; sorting along one axis spares what is far apart on it.
 * It shares no code with runtime/contact.
 * SPDX-License-Identifier: Apache-2.0 */
#include <lauxlib.h>
#include <lua.h>
#include <math.h>
#include <stddef.h>

__attribute__((visibility("default"))) int luaopen_brute(lua_State *L);

/* Numbers of an array as array:bytes() gives them. */
typedef struct numbers {
  double *data;
  size_t count;
} numbers;

typedef struct box {
  double low[3], high[3];
} box;

/* Primitives of `arity` vertices each, sorted by the lower ends of their boxes along one axis. */
typedef struct list {
  double *items;
  box *boxes;
  size_t count, arity;
  double longest; /* of the boxes along the axis */
} list;

typedef struct state {
  numbers positions, labels;
  list edges, triangles, points, lone;
  int axis;
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

__extension__ typedef __float128 wide; /* 113 bits: differences of doubles are exact */

/* The side of the plane a b c on which d lies: the sign of a volume, 0 if only rounding tells. */
static int side(const double *a, const double *b, const double *c, const double *d)
{
  wide u[3], v[3], w[3], scale[3] = {0, 0, 0};
  for (int i = 0; i < 3; ++i) {
    u[i] = (wide)b[i] - (wide)a[i];
    v[i] = (wide)c[i] - (wide)a[i];
    w[i] = (wide)d[i] - (wide)a[i];
    scale[0] += u[i] < 0 ? -u[i] : u[i];
    scale[1] += v[i] < 0 ? -v[i] : v[i];
    scale[2] += w[i] < 0 ? -w[i] : w[i];
  }
  wide volume = u[0] * (v[1] * w[2] - v[2] * w[1]) - u[1] * (v[0] * w[2] - v[2] * w[0]) +
                u[2] * (v[0] * w[1] - v[1] * w[0]);
  wide noise = (wide)1e-30 * scale[0] * scale[1] * scale[2];
  return volume > noise ? 1 : volume < -noise ? -1 : 0;
}

/* Whether the segment p q passes through the inside of the triangle. */
static int
pierces(const double *p, const double *q, const double *a, const double *b, const double *c)
{
  if (side(a, b, c, p) * side(a, b, c, q) >= 0) return 0;
  int first = side(p, q, a, b);
  return first != 0 && side(p, q, b, c) == first && side(p, q, c, a) == first;
}

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

static void find_box(const state *s, const double *item, size_t arity, box *found)
{
  for (int i = 0; i < 3; ++i) {
    found->low[i] = HUGE_VAL;
    found->high[i] = -HUGE_VAL;
    for (size_t k = 0; k < arity; ++k) {
      found->low[i] = fmin(found->low[i], point(s, item[k])[i]);
      found->high[i] = fmax(found->high[i], point(s, item[k])[i]);
    }
  }
}

static void swap(list *l, size_t a, size_t b)
{
  box kept = l->boxes[a];
  l->boxes[a] = l->boxes[b];
  l->boxes[b] = kept;
  for (size_t k = 0; k < l->arity; ++k) {
    double *x = l->items + a * l->arity + k, *y = l->items + b * l->arity + k, item = *x;
    *x = *y;
    *y = item;
  }
}

/* Heap sort by the lower ends along an axis. */
static void sift(list *l, size_t root, size_t count, int axis)
{
  for (size_t child; (child = 2 * root + 1) < count; root = child) {
    if (child + 1 < count && l->boxes[child + 1].low[axis] > l->boxes[child].low[axis]) ++child;
    if (l->boxes[root].low[axis] >= l->boxes[child].low[axis]) return;
    swap(l, root, child);
  }
}

static void sort(list *l, int axis)
{
  for (size_t k = l->count / 2; k-- > 0;) sift(l, k, l->count, axis);
  for (size_t k = l->count; k-- > 1;) {
    swap(l, 0, k);
    sift(l, 0, k, axis);
  }
}

static list list_of(lua_State *L, const state *s, int index, size_t arity)
{
  numbers given = check_numbers(L, index);
  list l = {.items = given.data, .count = given.count / arity, .arity = arity};
  l.boxes = lua_newuserdatauv(L, (l.count + 1) * sizeof *l.boxes, 0);
  for (size_t n = 0; n < l.count; ++n) {
    find_box(s, l.items + n * arity, arity, &l.boxes[n]);
    double low = l.boxes[n].low[s->axis], high = l.boxes[n].high[s->axis];
    l.longest = fmax(l.longest, high - low + 1e-12 * (fabs(low) + fabs(high))); /* and rounding */
  }
  sort(&l, s->axis);
  return l;
}

/* The first of a list whose box may come as close as `gap` to another along the axis. */
static size_t first_near(const state *s, const list *l, const box *other, double gap)
{
  size_t low = 0, high = l->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (l->boxes[middle].low[s->axis] + l->longest + gap < other->low[s->axis])
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static int beyond(const state *s, const list *l, size_t n, const box *other, double gap)
{
  return n >= l->count || l->boxes[n].low[s->axis] > other->high[s->axis] + gap;
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

static lua_Integer count_edges(const state *s)
{
  lua_Integer found = 0;
  const double *p[3], *q[3];
  for (size_t e = 0; e < s->edges.count; ++e) {
    const box *own = &s->edges.boxes[e];
    const list *t = &s->triangles;
    for (size_t n = first_near(s, t, own, 0); !beyond(s, t, n, own, 0); ++n)
      if (box_distance(own, &t->boxes[n]) <= 0 &&
          pair_of(s, s->edges.items + 2 * e, 2, t->items + 3 * n, 3, p, q))
        found += pierces(p[0], p[1], q[0], q[1], q[2]);
  }
  return found;
}

/* Squared distance of two primitives with these points. */
static double distance(size_t na, const double *const *p, size_t nb, const double *const *q)
{
  if (na == 2) return segment_segment(p[0], p[1], q[0], q[1]);
  if (nb == 3) return point_triangle(p[0], q[0], q[1], q[2]);
  return point_segment(p[0], q[0], q[nb - 1]);
}

/* Lowers `least`, squared, to the distance of the nearest two of the lists. */
static void compare(const state *s, const list *a, const list *b, double *least)
{
  const double *p[3], *q[3];
  for (size_t n = 0; n < a->count; ++n) {
    const box *own = &a->boxes[n];
    size_t k = a == b ? n + 1 : first_near(s, b, own, sqrt(*least));
    for (; !beyond(s, b, k, own, sqrt(*least)); ++k)
      if (box_distance(own, &b->boxes[k]) < *least && pair_of(s,
                                                              a->items + n * a->arity,
                                                              (int)a->arity,
                                                              b->items + k * b->arity,
                                                              (int)b->arity,
                                                              p,
                                                              q))
        *least = fmin(*least, distance(a->arity, p, b->arity, q));
  }
}

/* The axis along which the positions reach furthest. */
static int longest_axis(const state *s)
{
  int best = 0;
  double most = -1;
  for (int i = 0; i < 3; ++i) {
    double low = HUGE_VAL, high = -HUGE_VAL;
    for (size_t k = (size_t)i; k < s->positions.count; k += 3) {
      low = fmin(low, s->positions.data[k]);
      high = fmax(high, s->positions.data[k]);
    }
    if (high - low > most) {
      most = high - low;
      best = i;
    }
  }
  return best;
}

/* count(positions, edges, triangles, points, lone, labels, limit) -> intersections, smallest
 * distance of all pairs below `limit`, else `limit`. Arguments are bytes of arrays; `points` has
 * all points of surfaces, `lone` those of no edge among them. */
static int brute_count(lua_State *L)
{
  state s = {.positions = check_numbers(L, 1), .labels = check_numbers(L, 6)};
  double limit = luaL_checknumber(L, 7), least = limit * limit;
  luaL_checkstack(L, 16, NULL);
  s.axis = longest_axis(&s);
  s.edges = list_of(L, &s, 2, 2);
  s.triangles = list_of(L, &s, 3, 3);
  s.points = list_of(L, &s, 4, 1);
  s.lone = list_of(L, &s, 5, 1);
  lua_pushinteger(L, count_edges(&s));
  compare(&s, &s.edges, &s.edges, &least);
  compare(&s, &s.points, &s.triangles, &least);
  compare(&s, &s.lone, &s.edges, &least);
  compare(&s, &s.lone, &s.lone, &least);
  lua_pushnumber(L, sqrt(least));
  return 2;
}

int luaopen_brute(lua_State *L)
{
  static const luaL_Reg functions[] = {{"count", brute_count}, {NULL, NULL}};
  luaL_newlib(L, functions);
  return 1;
}
