/* Contact detectors in Lua: creation, detection, steps, intersections.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/base.h"
#include "contact.h"

#include <math.h>
#include <string.h>

static const char *const kind_words[] = {"point_point",
                                         "point_edge",
                                         "point_triangle",
                                         "edge_edge",
                                         "mollified_edge_edge",
                                         "mollified_point_edge",
                                         "mollified_point_point",
                                         "point_plane",
                                         NULL};
_Static_assert(sizeof kind_words / sizeof *kind_words == BASIN_CONTACT_KIND_COUNT + 1,
               "a word for each kind");

basin_l_contact *basin__check_contact(lua_State *L, int index)
{
  return luaL_checkudata(L, index, BASIN_CLASS_CONTACT);
}

basin_contact_kind basin__check_contact_kind(lua_State *L, int index)
{
  return (basin_contact_kind)basin__check_word(L, index, "kind of contact", kind_words);
}

const char *basin__contact_kind_word(basin_contact_kind kind)
{
  return (unsigned)kind < BASIN_CONTACT_KIND_COUNT ? kind_words[kind] : NULL;
}

const double *basin__check_positions(lua_State *L, int index, const basin_l_contact *box)
{
  const basin_l_array *array = basin__array_to(L, index);
  if (array->count != box->vertex_count || (array->count > 0 && array->size != 3)) {
    basin__throw(L,
                 BASIN_ERROR_LENGTH,
                 NULL,
                 "the detector has %zu vertices, so it needs %zu positions of 3 numbers, not %zu "
                 "of %zu",
                 box->vertex_count,
                 box->vertex_count,
                 array->count,
                 array->size);
  }
  return array->data;
}

/* ---- creation ---- */

/* The array in field `name` of the table at 2, or NULL; it stays on the stack. */
static const basin_l_array *array_field(lua_State *L, const char *name)
{
  if (lua_getfield(L, 2, name) == LUA_TNIL) return NULL;
  return basin__array_to(L, lua_gettop(L));
}

/* Indices in field `name`, `arity` an item; stays on the stack. */
static const uint32_t *index_field(lua_State *L, const char *name, size_t arity, size_t *count)
{
  const basin_l_array *array = array_field(L, name);
  *count = 0;
  if (!array || array->count * array->size == 0) return NULL;
  if (array->size != arity && !(array->size == 1 && array->count % arity == 0)) {
    basin__throw(L,
                 BASIN_ERROR_SHAPE,
                 NULL,
                 "'%s' needs %zu vertices an item, got %zu",
                 name,
                 arity,
                 array->size);
  }
  *count = array->count * array->size / arity;
  return basin__array_to_indices(L, array, name);
}

/* Numbers in field `name` that must be `expected` many; NULL if absent. */
static const double *number_field(lua_State *L, const char *name, size_t expected)
{
  const basin_l_array *array = array_field(L, name);
  if (!array) return NULL;
  if (array->count * array->size != expected) {
    basin__throw(L,
                 BASIN_ERROR_LENGTH,
                 NULL,
                 "'%s' needs %zu numbers, got %zu",
                 name,
                 expected,
                 array->count * array->size);
  }
  return array->data;
}

/* Numbers as flags 0 or 1, in a fresh userdata. */
static const uint8_t *flag_field(lua_State *L, const char *name, size_t expected)
{
  const double *numbers = number_field(L, name, expected);
  if (!numbers) return NULL;
  uint8_t *flags = lua_newuserdatauv(L, expected + 1, 0);
  for (size_t i = 0; i < expected; ++i) flags[i] = numbers[i] != 0;
  return flags;
}

static basin_contact_description check_description(lua_State *L)
{
  basin_contact_description d = basin_contact_description_defaults();
  size_t count;
  d.vertex_count = basin__opt_size_field(L, 2, "vertex_count", 0);
  d.points = index_field(L, "points", 1, &d.point_count);
  d.edges = index_field(L, "edges", 2, &d.edge_count);
  d.triangles = index_field(L, "triangles", 3, &d.triangle_count);
  d.bodies = index_field(L, "bodies", 1, &count);
  if (d.bodies && count != d.vertex_count) {
    basin__throw(L,
                 BASIN_ERROR_LENGTH,
                 NULL,
                 "'body' needs one number a vertex, that is %zu, got %zu",
                 d.vertex_count,
                 count);
  }
  d.body_count = basin__opt_size_field(L, 2, "body_count", 0);
  d.body_pairs = flag_field(L, "body_pairs", d.body_count * d.body_count);
  d.offsets = number_field(L, "offsets", d.body_count);
  d.plane_bodies = flag_field(L, "plane_bodies", d.body_count);
  d.separation = basin__opt_number_field(L, 2, "separation", 0);
  d.plane_count = basin__opt_size_field(L, 2, "plane_count", 0);
  const double *planes = number_field(L, "planes", 4 * d.plane_count);
  if (planes) {
    basin_contact_plane *copy = lua_newuserdatauv(L, (d.plane_count + 1) * sizeof *copy, 0);
    for (size_t i = 0; i < d.plane_count; ++i) {
      memcpy(copy[i].normal, planes + 4 * i, sizeof copy[i].normal);
      copy[i].offset = planes[4 * i + 3];
    }
    d.planes = copy;
  }
  d.rest_positions = number_field(L, "rest_positions", 3 * d.vertex_count);
  d.pair_limit = basin__opt_size_field(L, 2, "pair_limit", 0);
  return d;
}

/* core.contact(context, {vertex_count=, points=, edges=, triangles=, bodies=, body_count=,
 * body_pairs=, offsets=, plane_bodies=, separation=, plane_count=, planes=, rest_positions=,
 * pair_limit=}) */
static int core_contact(lua_State *L)
{
  basin_context *context = basin__check_context(L, 1);
  luaL_checktype(L, 2, LUA_TTABLE);
  lua_settop(L, 2);
  luaL_checkstack(L, 40, "a contact description");
  basin_contact_description d = check_description(L);
  size_t bytes = d.plane_count * sizeof *d.planes + d.vertex_count * sizeof *d.bodies;
  basin_l_contact *box = lua_newuserdatauv(L, sizeof *box + bytes, 2);
  memset(box, 0, sizeof *box + bytes);
  box->context = context;
  box->vertex_count = d.vertex_count;
  box->body_count = d.body_count > 0 ? d.body_count : 1;
  box->plane_count = d.plane_count;
  box->planes = (basin_contact_plane *)(void *)(box + 1);
  box->bodies = (uint32_t *)(void *)(box->planes + d.plane_count);
  if (d.plane_count > 0) memcpy(box->planes, d.planes, d.plane_count * sizeof *d.planes);
  if (d.bodies) memcpy(box->bodies, d.bodies, d.vertex_count * sizeof *d.bodies);
  luaL_setmetatable(L, BASIN_CLASS_CONTACT);
  lua_pushvalue(L, 1);
  lua_setiuservalue(L, -2, 1);
  basin__check(L, context, basin_contact_create(context, &d, &box->contact));
  return 1;
}

static int contact_gc(lua_State *L)
{
  basin_l_contact *box = basin__check_contact(L, 1);
  basin_device_contact_destroy(box->device);
  basin_contact_destroy(box->contact);
  box->contact = NULL;
  box->device = NULL;
  return 0;
}

/* ---- pairs ---- */

/* Whether the argument at `index` is the id of an array on the detector's device. */
static bool is_array_id(lua_State *L, int index, const basin_l_contact *box)
{
  return box->device && lua_isinteger(L, index);
}

static uint64_t version_of(const basin_l_contact *box)
{
  return box->device ? basin_device_contact_version(box->device)
                     : basin_contact_version(box->contact);
}

basin_contact_pairs
basin__contact_pairs_of(lua_State *L, const basin_l_contact *box, basin_contact_kind kind)
{
  if (!box->device) return basin_contact_pairs_get(box->contact, kind);
  basin_contact_pairs pairs;
  basin__check(L, box->context, basin_device_contact_pairs(box->device, kind, &pairs));
  return pairs;
}

/* contact:detect(positions or array id, activation) -> version */
static int contact_detect(lua_State *L)
{
  basin_l_contact *box = basin__check_contact(L, 1);
  const double activation = luaL_checknumber(L, 3);
  basin_status status;
  if (is_array_id(L, 2, box)) {
    const basin_array_id positions = (basin_array_id)lua_tointeger(L, 2);
    status = basin_device_contact_detect(box->device, positions, activation);
  } else {
    const double *positions = basin__check_positions(L, 2, box);
    status = box->device ? basin_device_contact_detect_at(box->device, positions, activation)
                         : basin_contact_detect(box->contact, positions, activation);
  }
  basin__check(L, box->context, status);
  lua_pushinteger(L, (lua_Integer)version_of(box));
  return 1;
}

/* contact:counts() -> {kind = number of pairs}, pairs in all, the smallest squared distance of a
 * pair or infinity */
static int contact_counts(lua_State *L)
{
  const basin_l_contact *box = basin__check_contact(L, 1);
  size_t total = 0;
  double least = HUGE_VAL;
  lua_createtable(L, 0, BASIN_CONTACT_KIND_COUNT);
  if (box->device) least = basin_device_contact_least_squared(box->device);
  for (int k = 0; k < BASIN_CONTACT_KIND_COUNT; ++k) {
    const basin_contact_kind kind = (basin_contact_kind)k;
    size_t count;
    if (box->device) {
      count = basin_device_contact_count(box->device, kind);
    } else {
      basin_contact_pairs pairs = basin_contact_pairs_get(box->contact, kind);
      for (size_t i = 0; i < pairs.count; ++i) least = fmin(least, pairs.squared_distance[i]);
      count = pairs.count;
    }
    lua_pushinteger(L, (lua_Integer)count);
    lua_setfield(L, -2, kind_words[k]);
    total += count;
  }
  lua_pushinteger(L, (lua_Integer)total);
  lua_pushnumber(L, least);
  return 3;
}

static void set_numbers(lua_State *L, const char *name, size_t count, const double *numbers)
{
  if (count > 0 && !numbers) return;
  basin__array_copy(L, count, 1, 1, numbers);
  lua_setfield(L, -2, name);
}

/* contact:pairs(kind) -> {vertices=, multiplicity=, squared_distance=, separation=, threshold=,
 * planes=} */
static int contact_pairs(lua_State *L)
{
  const basin_l_contact *box = basin__check_contact(L, 1);
  basin_contact_kind kind = basin__check_contact_kind(L, 2);
  basin_contact_pairs pairs = basin__contact_pairs_of(L, box, kind);
  lua_createtable(L, 0, 6);
  basin__array_indices(L, pairs.count, basin_contact_arity(kind), pairs.vertices);
  lua_setfield(L, -2, "vertices");
  set_numbers(L, "multiplicity", pairs.count, pairs.multiplicity);
  set_numbers(L, "squared_distance", pairs.count, pairs.squared_distance);
  set_numbers(L, "separation", pairs.count, pairs.separation);
  set_numbers(L, "threshold", pairs.count, pairs.threshold);
  if (pairs.planes) {
    basin__array_indices(L, pairs.count, 1, pairs.planes);
    lua_setfield(L, -2, "planes");
  }
  return 1;
}

/* ---- steps and distances ---- */

static void push_vertices(lua_State *L, basin_contact_kind kind, const uint32_t *vertices)
{
  unsigned arity = basin_contact_arity(kind);
  lua_createtable(L, (int)arity, 0);
  for (unsigned i = 0; i < arity; ++i) {
    lua_pushinteger(L, vertices[i]);
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
}

/* contact:largest_step(from, motion, limit, slackness) -> step, kind or nil, {vertices} of the pair
 * that limits it */
static int contact_largest_step(lua_State *L)
{
  basin_l_contact *box = basin__check_contact(L, 1);
  const double *from = basin__check_positions(L, 2, box);
  const double *motion = basin__check_positions(L, 3, box);
  double limit = luaL_checknumber(L, 4), slackness = luaL_checknumber(L, 5), step = 0;
  basin_contact_impact first;
  basin__check(
      L,
      box->context,
      basin_contact_largest_step(box->contact, from, motion, limit, slackness, &step, &first));
  lua_pushnumber(L, step);
  if (first.kind == BASIN_CONTACT_KIND_COUNT) return 1;
  lua_pushstring(L, kind_words[first.kind]);
  push_vertices(L, first.kind, first.vertices);
  return 3;
}

/* contact:sweep(from, motion, limit) -> {kind = candidates} */
static int contact_sweep(lua_State *L)
{
  basin_l_contact *box = basin__check_contact(L, 1);
  const double *from = basin__check_positions(L, 2, box);
  const double *motion = basin__check_positions(L, 3, box);
  basin__check(
      L, box->context, basin_contact_sweep(box->contact, from, motion, luaL_checknumber(L, 4)));
  lua_createtable(L, 0, 4);
  for (int k = 0; k <= BASIN_CONTACT_EDGE_EDGE; ++k) {
    size_t count = basin_contact_candidate_count(box->contact, (basin_contact_kind)k);
    lua_pushinteger(L, (lua_Integer)count);
    lua_setfield(L, -2, kind_words[k]);
  }
  return 1;
}

/* contact:smallest_distance(positions or array id) -> distance, gap, kind or nil, {vertices} */
static int contact_smallest_distance(lua_State *L)
{
  basin_l_contact *box = basin__check_contact(L, 1);
  basin_contact_closest closest;
  basin_status status;
  if (is_array_id(L, 2, box)) {
    const basin_array_id positions = (basin_array_id)lua_tointeger(L, 2);
    status = basin_device_contact_smallest_distance(box->device, positions, &closest);
  } else {
    const double *positions = basin__check_positions(L, 2, box);
    status = basin_contact_smallest_distance(box->contact, positions, &closest);
  }
  basin__check(L, box->context, status);
  lua_pushnumber(L, sqrt(closest.squared_distance));
  lua_pushnumber(L, closest.gap);
  if (closest.kind == BASIN_CONTACT_KIND_COUNT) return 2;
  lua_pushstring(L, kind_words[closest.kind]);
  push_vertices(L, closest.kind, closest.vertices);
  return 4;
}

/* contact:intersections(positions, most rows) -> rows of five vertices, their number */
static int contact_intersections(lua_State *L)
{
  basin_l_contact *box = basin__check_contact(L, 1);
  const double *positions = basin__check_positions(L, 2, box);
  size_t room = basin__check_size(L, 3), count = 0;
  luaL_argcheck(L, room < (size_t)1 << 28, 3, "too many rows");
  uint32_t *rows = lua_newuserdatauv(L, (5 * room + 1) * sizeof *rows, 0);
  basin__check(
      L, box->context, basin_contact_intersections(box->contact, positions, room, rows, &count));
  basin__array_indices(L, count < room ? count : room, 5, rows);
  lua_pushinteger(L, (lua_Integer)count);
  return 2;
}

/* contact:check(positions): raises an error that lists what is wrong with a start */
static int contact_check(lua_State *L)
{
  basin_l_contact *box = basin__check_contact(L, 1);
  const double *positions = basin__check_positions(L, 2, box);
  basin__check(L, box->context, basin_contact_check(box->contact, positions));
  return 0;
}

static int contact_memory(lua_State *L)
{
  const basin_l_contact *box = basin__check_contact(L, 1);
  size_t bytes = basin_contact_memory(box->contact);
  if (box->device) bytes += basin_device_contact_memory(box->device);
  lua_pushinteger(L, (lua_Integer)bytes);
  return 1;
}

/* contact:statistics() -> {detections=, steps=, collections=, seconds_broad=, seconds_narrow=,
 * seconds_step=} */
static int contact_statistics(lua_State *L)
{
  const basin_l_contact *box = basin__check_contact(L, 1);
  basin_contact_statistics s = box->device ? basin_device_contact_statistics(box->device)
                                           : basin_contact_statistics_get(box->contact);
  const struct {
    const char *name;
    double value;
  } fields[] = {{"detections", (double)s.detections},
                {"steps", (double)s.steps},
                {"collections", (double)s.collections},
                {"seconds_broad", s.seconds_broad},
                {"seconds_narrow", s.seconds_narrow},
                {"seconds_step", s.seconds_step}};
  lua_createtable(L, 0, BASIN_COUNT(fields));
  for (size_t i = 0; i < BASIN_COUNT(fields); ++i) {
    lua_pushnumber(L, fields[i].value);
    lua_setfield(L, -2, fields[i].name);
  }
  return 1;
}

static int contact_version(lua_State *L)
{
  lua_pushinteger(L, (lua_Integer)version_of(basin__check_contact(L, 1)));
  return 1;
}

static const luaL_Reg contact_meta[] = {{"__gc", contact_gc}, {NULL, NULL}};
static const luaL_Reg contact_methods[] = {{"detect", contact_detect},
                                           {"counts", contact_counts},
                                           {"pairs", contact_pairs},
                                           {"largest_step", contact_largest_step},
                                           {"sweep", contact_sweep},
                                           {"smallest_distance", contact_smallest_distance},
                                           {"intersections", contact_intersections},
                                           {"check", contact_check},
                                           {"memory", contact_memory},
                                           {"version", contact_version},
                                           {"statistics", contact_statistics},
                                           {NULL, NULL}};
static const luaL_Reg contact_functions[] = {{"contact", core_contact}, {NULL, NULL}};

void basin__open_contact(lua_State *L)
{
  basin__class(L, BASIN_CLASS_CONTACT, contact_meta, contact_methods, NULL, NULL);
  lua_pop(L, 1);
  basin__functions(L, contact_functions);
}
