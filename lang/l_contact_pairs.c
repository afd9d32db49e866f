/* Fills the primitives of close pairs and of friction from a detector, without a detour over Lua.
 * SPDX-License-Identifier: Apache-2.0 */
#include "contact.h"
#include "system.h"

#include <math.h>
#include <string.h>

/* Vertices of the first side of a stencil; 0 where the other is a plane. */
static const unsigned other_side[BASIN_CONTACT_KIND_COUNT] = {1, 1, 1, 2, 2, 2, 2, 0};

const double *basin__contact_table_field(lua_State *L, int index, const char *name, size_t bodies)
{
  if (lua_getfield(L, index, name) == LUA_TNIL) return NULL;
  const basin_l_array *array = basin__array_to(L, lua_gettop(L));
  if (array->count * array->size != bodies * (bodies + 1)) {
    basin__throw(L,
                 BASIN_ERROR_LENGTH,
                 NULL,
                 "table '%s' needs %zu numbers: a row a body, a column a body and one for planes",
                 name,
                 bodies * (bodies + 1));
  }
  return array->data;
}

/* The mean of the table's numbers over the vertex pairs across: exactly one of them if all are
 * equal. */
static double
look_up(const basin_l_contact *box, const double *table, basin_contact_kind kind, const uint32_t *v)
{
  if (!table) return 1;
  const bool plane = kind == BASIN_CONTACT_POINT_PLANE;
  const size_t columns = box->body_count + 1, first = plane ? 1 : other_side[kind];
  const size_t second = plane ? 1 : basin_contact_arity(kind) - first;
  double start = 0, sum = 0;
  for (size_t i = 0; i < first; ++i) {
    for (size_t k = 0; k < second; ++k) {
      const size_t other = plane ? box->body_count : box->bodies[v[first + k]];
      const double value = table[box->bodies[v[i]] * columns + other];
      if (i == 0 && k == 0) start = value;
      sum += value - start;
    }
  }
  return start + sum / (double)(first * second);
}

basin_array_id basin__contact_id_field(
    lua_State *L, int index, const char *name, basin_l_system *self, size_t size)
{
  basin_array_id id = BASIN_NONE;
  if (lua_getfield(L, index, name) != LUA_TNIL) {
    basin_space_id space;
    unsigned rows, cols;
    id = (basin_array_id)luaL_checkinteger(L, -1);
    basin_system_array_shape(self->system, id, &space, &rows, &cols);
    if ((size_t)rows * cols != size) {
      basin__throw(L,
                   BASIN_ERROR_SHAPE,
                   NULL,
                   "constant '%s' of a pair needs %zu numbers, it is %ux%u",
                   name,
                   size,
                   rows,
                   cols);
    }
  }
  lua_pop(L, 1);
  return id;
}

static void
set_array(lua_State *L, basin_l_system *self, basin_array_id id, const double *data, size_t count)
{
  if (id == BASIN_NONE || count == 0) return;
  basin__check(L, self->context, basin_system_set_array(self->system, id, data, count));
}

/* Changes the pairs of a primitive; nothing happens if they are the same. */
static void set_stencils(lua_State *L,
                         basin_l_system *self,
                         basin_space_id space,
                         basin_connectivity_id connectivity,
                         const uint32_t *vertices,
                         size_t count,
                         size_t arity)
{
  size_t present;
  const uint32_t *offsets;
  const uint32_t *old = basin_system_connectivity(self->system, connectivity, &present, &offsets);
  if (basin_system_space_count(self->system, space) == count && present == count * arity &&
      (present == 0 || memcmp(old, vertices, present * sizeof *old) == 0))
    return;
  basin__check(L, self->context, basin_system_resize(self->system, space, count));
  basin__check(L,
               self->context,
               basin_system_set_connectivity(self->system, connectivity, vertices, count * arity));
}

/* ---- pairs of one kind ---- */

/* Every stencil as often as its multiplicity says, in a fresh userdata. */
static const uint32_t *
repeat(lua_State *L, const basin_contact_pairs *pairs, const double *numbers[4], size_t *count)
{
  size_t total = 0, next = 0, arity = pairs->arity;
  for (size_t i = 0; i < pairs->count; ++i) total += (size_t)pairs->multiplicity[i];
  uint32_t *vertices = lua_newuserdatauv(L, (total * arity + 1) * sizeof *vertices, 0);
  double *copies = lua_newuserdatauv(L, (4 * total + 1) * sizeof *copies, 0);
  for (size_t i = 0; i < pairs->count; ++i) {
    for (size_t k = 0; k < (size_t)pairs->multiplicity[i]; ++k, ++next) {
      memcpy(vertices + next * arity, pairs->vertices + i * arity, arity * sizeof *vertices);
      for (int n = 0; n < 4; ++n) copies[(size_t)n * total + next] = numbers[n] ? numbers[n][i] : 1;
    }
  }
  for (size_t n = 0; n < 4; ++n) numbers[n] = copies + n * total;
  *count = total;
  return vertices;
}

/* Multiplicity times what the table says, in a fresh userdata. */
static const double *weights(lua_State *L,
                             const basin_l_contact *box,
                             basin_contact_kind kind,
                             const basin_contact_pairs *pairs,
                             const double *table)
{
  double *result = lua_newuserdatauv(L, (pairs->count + 1) * sizeof *result, 0);
  for (size_t i = 0; i < pairs->count; ++i)
    result[i] =
        pairs->multiplicity[i] * look_up(box, table, kind, pairs->vertices + i * pairs->arity);
  return result;
}

/* Normal and offset of each pair's plane, in a fresh userdata. */
static const double *
planes_of(lua_State *L, const basin_l_contact *box, const basin_contact_pairs *pairs)
{
  double *result = lua_newuserdatauv(L, (4 * pairs->count + 1) * sizeof *result, 0);
  for (size_t i = 0; i < pairs->count; ++i) {
    const basin_contact_plane *plane = &box->planes[pairs->planes[i]];
    memcpy(result + 4 * i, plane->normal, sizeof plane->normal);
    result[4 * i + 3] = plane->offset;
  }
  return result;
}

/* contact:fill(kind, system, space, connectivity, {multiplicity=, weight=, separation=, threshold=,
 * plane=}, {weight = table}) -> pairs. The third table names constants of the pair primitive.
 * `weight` is the multiplicity times the table's number for the two bodies. A primitive with
 * neither gets every stencil as often as its multiplicity says. */
static int contact_fill(lua_State *L)
{
  const basin_l_contact *box = basin__check_contact(L, 1);
  if (box->device) return basin__contact_fill_on_device(L);
  basin_contact_kind kind = basin__check_contact_kind(L, 2);
  basin_l_system *self = basin__check_system(L, 3);
  basin_space_id space = (basin_space_id)luaL_checkinteger(L, 4);
  basin_connectivity_id connectivity = (basin_connectivity_id)luaL_checkinteger(L, 5);
  luaL_checktype(L, 6, LUA_TTABLE);
  luaL_checktype(L, 7, LUA_TTABLE);
  basin_contact_pairs pairs = basin_contact_pairs_get(box->contact, kind);
  pairs.arity = basin_contact_arity(kind);
  basin_array_id multiplicity = basin__contact_id_field(L, 6, "multiplicity", self, 1);
  basin_array_id weight = basin__contact_id_field(L, 6, "weight", self, 1);
  const double *table = basin__contact_table_field(L, 7, "weight", box->body_count);
  const double *numbers[4] = {
      pairs.multiplicity, weights(L, box, kind, &pairs, table), pairs.separation, pairs.threshold};
  const uint32_t *vertices = pairs.vertices;
  size_t count = pairs.count;
  if (multiplicity == BASIN_NONE && weight == BASIN_NONE && kind != BASIN_CONTACT_POINT_PLANE)
    vertices = repeat(L, &pairs, numbers, &count);
  set_stencils(L, self, space, connectivity, vertices, count, pairs.arity);
  set_array(L, self, multiplicity, numbers[0], count);
  set_array(L, self, weight, numbers[1], count);
  set_array(L, self, basin__contact_id_field(L, 6, "separation", self, 1), numbers[2], count);
  if (pairs.threshold)
    set_array(L, self, basin__contact_id_field(L, 6, "threshold", self, 1), numbers[3], count);
  if (kind == BASIN_CONTACT_POINT_PLANE && count > 0)
    set_array(L,
              self,
              basin__contact_id_field(L, 6, "plane", self, 4),
              planes_of(L, box, &pairs),
              4 * count);
  lua_pushinteger(L, (lua_Integer)count);
  return 1;
}

/* ---- friction ---- */

/* One list for the pairs of all kinds, with four vertices each; vertices that a kind lacks have
 * coefficient 0. */
typedef struct friction_lists {
  size_t count;
  uint32_t *vertices; /* 4 a pair */
  double *coefficients, *tangents, *start, *weight, *squared, *separation, *fixed, *moving;
} friction_lists;

static friction_lists make_lists(lua_State *L, const basin_l_contact *box, size_t *most)
{
  friction_lists lists = {0};
  size_t total = 0;
  *most = 0;
  for (int k = 0; k < BASIN_CONTACT_KIND_COUNT; ++k) {
    size_t count = basin_contact_pairs_get(box->contact, (basin_contact_kind)k).count;
    total += count;
    *most = count > *most ? count : *most;
  }
  lists.vertices = lua_newuserdatauv(L, (4 * total + 1) * sizeof *lists.vertices, 0);
  double *block = lua_newuserdatauv(L, (17 * total + 1) * sizeof *block, 0);
  lists.coefficients = block;
  lists.tangents = block + 4 * total;
  lists.start = block + 10 * total;
  lists.weight = block + 12 * total;
  lists.squared = block + 13 * total;
  lists.separation = block + 14 * total;
  lists.fixed = block + 15 * total;
  lists.moving = block + 16 * total;
  return lists;
}

/* The mollifier of a pair at the lagged positions: friction fades with the force of the pair. */
static double mollifier(const double *positions, const uint32_t *v, double threshold)
{
  double a[3], b[3];
  for (int i = 0; i < 3; ++i) {
    a[i] = positions[3 * v[1] + (size_t)i] - positions[3 * v[0] + (size_t)i];
    b[i] = positions[3 * v[3] + (size_t)i] - positions[3 * v[2] + (size_t)i];
  }
  double c0 = a[1] * b[2] - a[2] * b[1], c1 = a[2] * b[0] - a[0] * b[2],
         c2 = a[0] * b[1] - a[1] * b[0];
  double s = (c0 * c0 + c1 * c1 + c2 * c2) / threshold;
  return s < 1 ? s * (2 - s) : 1;
}

/* Where the slip of the pair is counted from: T sum c_i x_i at the start of the step. */
static void start_of(const double *positions,
                     const uint32_t *v,
                     const double *coefficients,
                     const double *tangents,
                     double start[2])
{
  start[0] = start[1] = 0;
  for (int i = 0; i < 4; ++i) {
    const double *x = positions + 3 * (size_t)v[i];
    for (int k = 0; k < 3; ++k) {
      start[0] += coefficients[i] * tangents[k] * x[k];
      start[1] += coefficients[i] * tangents[3 + k] * x[k];
    }
  }
}

typedef struct friction_input {
  const double *lagged, *start;          /* positions */
  const double *weight, *fixed, *moving; /* tables, or NULL */
} friction_input;

/* Appends the pairs of one kind that have friction; `frames` holds their coefficients, then their
 * tangents. */
static void add_pairs(const basin_l_contact *box,
                      basin_contact_kind kind,
                      const basin_contact_pairs *pairs,
                      const friction_input *input,
                      const double *frames,
                      friction_lists *lists)
{
  const double *tangents = frames + pairs->count * pairs->arity;
  for (size_t i = 0; i < pairs->count; ++i) {
    const uint32_t *v = pairs->vertices + i * pairs->arity;
    size_t n = lists->count;
    double fixed = look_up(box, input->fixed, kind, v);
    double moving = look_up(box, input->moving, kind, v);
    double weight = pairs->multiplicity[i] * look_up(box, input->weight, kind, v);
    if (pairs->threshold) weight *= mollifier(input->lagged, v, pairs->threshold[i]);
    if (weight == 0 || (fixed == 0 && moving == 0)) continue;
    for (size_t k = 0; k < 4; ++k) {
      bool used = k < pairs->arity;
      lists->vertices[4 * n + k] = used ? v[k] : v[0];
      lists->coefficients[4 * n + k] = used ? frames[i * pairs->arity + k] : 0;
    }
    memcpy(lists->tangents + 6 * n, tangents + 6 * i, 6 * sizeof *tangents);
    start_of(input->start,
             lists->vertices + 4 * n,
             lists->coefficients + 4 * n,
             lists->tangents + 6 * n,
             lists->start + 2 * n);
    lists->weight[n] = weight;
    lists->squared[n] = pairs->squared_distance[i];
    lists->separation[n] = pairs->separation[i];
    lists->fixed[n] = fixed;
    lists->moving[n] = moving;
    ++lists->count;
  }
}

/* contact:fill_friction(system, space, connectivity, {coefficients=, tangents=, start=, weight=,
 * squared_distance=, separation=, fixed=, moving=}, lagged positions, start positions, {weight=,
 * fixed=, moving=}) -> pairs. The fourth table names constants of the primitive, the last holds the
 * tables of bodies. The pairs are those of the last detect, which must have been at the lagged
 * positions. */
static int contact_fill_friction(lua_State *L)
{
  const basin_l_contact *box = basin__check_contact(L, 1);
  if (box->device) return basin__contact_fill_friction_on_device(L);
  basin_l_system *self = basin__check_system(L, 2);
  basin_space_id space = (basin_space_id)luaL_checkinteger(L, 3);
  basin_connectivity_id connectivity = (basin_connectivity_id)luaL_checkinteger(L, 4);
  luaL_checktype(L, 5, LUA_TTABLE);
  luaL_checktype(L, 8, LUA_TTABLE);
  friction_input input = {.lagged = basin__check_positions(L, 6, box),
                          .start = basin__check_positions(L, 7, box),
                          .weight = basin__contact_table_field(L, 8, "weight", box->body_count),
                          .fixed = basin__contact_table_field(L, 8, "fixed", box->body_count),
                          .moving = basin__contact_table_field(L, 8, "moving", box->body_count)};
  size_t most;
  friction_lists lists = make_lists(L, box, &most);
  double *frames = lua_newuserdatauv(L, (10 * most + 1) * sizeof *frames, 0);
  for (int k = 0; k < BASIN_CONTACT_KIND_COUNT; ++k) {
    basin_contact_kind kind = (basin_contact_kind)k;
    basin_contact_pairs pairs = basin_contact_pairs_get(box->contact, kind);
    if (pairs.count == 0) continue;
    double *tangents = frames + pairs.count * pairs.arity;
    basin__check(L,
                 box->context,
                 basin_contact_friction_frames(box->contact, kind, input.lagged, frames, tangents));
    add_pairs(box, kind, &pairs, &input, frames, &lists);
  }
  size_t count = lists.count;
  set_stencils(L, self, space, connectivity, lists.vertices, count, 4);
  set_array(L,
            self,
            basin__contact_id_field(L, 5, "coefficients", self, 4),
            lists.coefficients,
            4 * count);
  set_array(L, self, basin__contact_id_field(L, 5, "tangents", self, 6), lists.tangents, 6 * count);
  set_array(L, self, basin__contact_id_field(L, 5, "start", self, 2), lists.start, 2 * count);
  set_array(L, self, basin__contact_id_field(L, 5, "weight", self, 1), lists.weight, count);
  set_array(
      L, self, basin__contact_id_field(L, 5, "squared_distance", self, 1), lists.squared, count);
  set_array(L, self, basin__contact_id_field(L, 5, "separation", self, 1), lists.separation, count);
  set_array(L, self, basin__contact_id_field(L, 5, "fixed", self, 1), lists.fixed, count);
  set_array(L, self, basin__contact_id_field(L, 5, "moving", self, 1), lists.moving, count);
  lua_pushinteger(L, (lua_Integer)count);
  return 1;
}

static const luaL_Reg methods[] = {
    {"fill", contact_fill}, {"fill_friction", contact_fill_friction}, {NULL, NULL}};

void basin__open_contact_pairs(lua_State *L)
{
  luaL_getmetatable(L, BASIN_CLASS_CONTACT);
  lua_getfield(L, -1, "methods");
  basin__functions(L, methods);
  lua_pop(L, 2);
  basin__open_contact_device(L);
}
