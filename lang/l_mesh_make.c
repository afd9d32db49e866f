/* Meshes in Lua: reading, generating, moving and combining.
 * SPDX-License-Identifier: Apache-2.0 */
#include "mesh_box.h"

#include <string.h>

/* core.mesh_read(path, {keep_quads=, keep_orientation=, weld=}) */
static int core_mesh_read(lua_State *L)
{
  const char *path = luaL_checkstring(L, 1);
  luaL_checktype(L, 2, LUA_TTABLE);
  basin_mesh_read_options options = basin_mesh_read_defaults();
  options.keep_quads = basin__opt_boolean_field(L, 2, "keep_quads", options.keep_quads);
  options.keep_orientation =
      basin__opt_boolean_field(L, 2, "keep_orientation", options.keep_orientation);
  options.weld = basin__opt_boolean_field(L, 2, "weld", options.weld);
  options.weld_tolerance = basin__opt_number_field(L, 2, "weld_tolerance", options.weld_tolerance);
  basin_context *context = basin__context(L);
  basin_l_mesh *box = basin__mesh_new(L);
  basin__check(L, context, basin_mesh_read(context, path, &options, &box->mesh));
  return 1;
}

/* core.mesh_new(dim, points, {kind = indices}) */
static int core_mesh_new(lua_State *L)
{
  basin_context *context = basin__context(L);
  unsigned dim = basin__check_unsigned(L, 1);
  const basin_l_array *points = basin__array_to(L, 2);
  luaL_checktype(L, 3, LUA_TTABLE);
  if (points->count && (points->size != dim)) {
    return basin__throw(L,
                        BASIN_ERROR_SHAPE,
                        NULL,
                        "points have %zu numbers each, the mesh has dim %u",
                        points->size,
                        dim);
  }
  basin_l_mesh *box = basin__mesh_new(L);
  basin__check(L, context, basin_mesh_create(context, dim, &box->mesh));
  basin__check(L, context, basin_mesh_set_points(box->mesh, points->count, points->data));
  for (int kind = BASIN_MESH_VERTEX; kind < BASIN_MESH_KIND_COUNT; ++kind) {
    if (lua_getfield(L, 3, basin__mesh_kind_words[kind]) != LUA_TNIL) {
      const basin_l_array *cells = basin__array_to(L, -1);
      unsigned arity = basin_mesh_arity((basin_mesh_kind)kind);
      size_t total = cells->count * cells->size;
      if (total % arity || (cells->count && cells->size != arity && cells->size != 1)) {
        return basin__throw(L,
                            BASIN_ERROR_SHAPE,
                            NULL,
                            "%s have %u indices each, got %zu",
                            basin__mesh_kind_words[kind],
                            arity,
                            cells->size);
      }
      const uint32_t *indices = basin__array_to_indices(L, cells, basin__mesh_kind_words[kind]);
      basin__check(L,
                   context,
                   basin_mesh_set_cells(box->mesh, (basin_mesh_kind)kind, total / arity, indices));
      lua_pop(L, 1);
    }
    lua_pop(L, 1);
  }
  return 1;
}

/* core.mesh_grid{nx=, ny=, width=, height=, dim=} */
static int core_mesh_grid(lua_State *L)
{
  luaL_checktype(L, 1, LUA_TTABLE);
  basin_mesh_grid_options options = basin_mesh_grid_defaults();
  options.nx = basin__opt_size_field(L, 1, "nx", options.nx);
  options.ny = basin__opt_size_field(L, 1, "ny", options.ny);
  options.width = basin__opt_number_field(L, 1, "width", options.width);
  options.height = basin__opt_number_field(L, 1, "height", options.height);
  options.dim = (unsigned)basin__opt_size_field(L, 1, "dim", options.dim);
  basin_context *context = basin__context(L);
  basin_l_mesh *box = basin__mesh_new(L);
  basin__check(L, context, basin_mesh_grid(context, &options, &box->mesh));
  return 1;
}

/* core.mesh_box{nx=, ny=, nz=, width=, height=, depth=}, solid */
static int core_mesh_box(lua_State *L)
{
  luaL_checktype(L, 1, LUA_TTABLE);
  basin_mesh_box_options options = basin_mesh_box_defaults();
  options.nx = basin__opt_size_field(L, 1, "nx", options.nx);
  options.ny = basin__opt_size_field(L, 1, "ny", options.ny);
  options.nz = basin__opt_size_field(L, 1, "nz", options.nz);
  options.width = basin__opt_number_field(L, 1, "width", options.width);
  options.height = basin__opt_number_field(L, 1, "height", options.height);
  options.depth = basin__opt_number_field(L, 1, "depth", options.depth);
  bool solid = lua_toboolean(L, 2);
  basin_context *context = basin__context(L);
  basin_l_mesh *box = basin__mesh_new(L);
  basin__check(L,
               context,
               solid ? basin_mesh_tet_box(context, &options, &box->mesh)
                     : basin_mesh_triangle_box(context, &options, &box->mesh));
  return 1;
}

/* core.mesh_sphere(level, radius, layers): layers 0 is the surface alone */
static int core_mesh_sphere(lua_State *L)
{
  unsigned level = basin__check_unsigned(L, 1), layers = basin__check_unsigned(L, 3);
  double radius = luaL_checknumber(L, 2);
  basin_context *context = basin__context(L);
  basin_l_mesh *box = basin__mesh_new(L);
  basin__check(L,
               context,
               layers > 0 ? basin_mesh_tet_sphere(context, level, layers, radius, &box->mesh)
                          : basin_mesh_icosphere(context, level, radius, &box->mesh));
  return 1;
}

/* core.mesh_globe(segments, rings, radius) */
static int core_mesh_globe(lua_State *L)
{
  unsigned segments = basin__check_unsigned(L, 1), rings = basin__check_unsigned(L, 2);
  double radius = luaL_checknumber(L, 3);
  basin_context *context = basin__context(L);
  basin_l_mesh *box = basin__mesh_new(L);
  basin__check(L, context, basin_mesh_uv_sphere(context, segments, rings, radius, &box->mesh));
  return 1;
}

/* core.mesh_line(from, to, count) */
static int core_mesh_line(lua_State *L)
{
  const basin_l_array *from = basin__array_to(L, 1), *to = basin__array_to(L, 2);
  size_t dim = from->count * from->size, count = basin__check_size(L, 3);
  if (to->count * to->size != dim) {
    return basin__throw(L,
                        BASIN_ERROR_SHAPE,
                        NULL,
                        "the ends of a line have %zu and %zu numbers",
                        dim,
                        to->count * to->size);
  }
  basin_context *context = basin__context(L);
  basin_l_mesh *box = basin__mesh_new(L);
  basin__check(
      L, context, basin_mesh_line(context, (unsigned)dim, from->data, to->data, count, &box->mesh));
  return 1;
}

/* core.mesh_joined(list) */
static int core_mesh_joined(lua_State *L)
{
  luaL_checktype(L, 1, LUA_TTABLE);
  size_t count = lua_rawlen(L, 1);
  const basin_mesh **meshes = lua_newuserdatauv(L, (count + 1) * sizeof *meshes, 0);
  for (size_t i = 0; i < count; ++i) {
    lua_rawgeti(L, 1, (lua_Integer)i + 1);
    meshes[i] = basin__mesh_check(L, -1);
    lua_pop(L, 1);
  }
  basin_context *context = basin__context(L);
  basin_l_mesh *box = basin__mesh_new(L);
  basin__check(L, context, basin_mesh_join(context, count, meshes, &box->mesh));
  return 1;
}

/* mesh:_moved_copies(offsets array) */
static int mesh_copies(lua_State *L)
{
  basin_mesh *mesh = basin__mesh_check(L, 1);
  const basin_l_array *offsets = basin__array_to(L, 2);
  unsigned dim = basin_mesh_dim(mesh);
  if (offsets->size != dim) {
    return basin__throw(L,
                        BASIN_ERROR_SHAPE,
                        "copies { { 0, 0, 0 }, { 0, 1, 0 } }",
                        "an offset needs %u numbers, got %zu",
                        dim,
                        offsets->size);
  }
  basin_l_mesh *box = basin__mesh_new(L);
  basin__check(L,
               basin_mesh_context(mesh),
               basin_mesh_copies(mesh, offsets->count, offsets->data, &box->mesh));
  return 1;
}

static int mesh_surface(lua_State *L)
{
  basin_mesh *mesh = basin__mesh_check(L, 1);
  basin_l_mesh *box = basin__mesh_new(L);
  basin__check(L, basin_mesh_context(mesh), basin_mesh_surface(mesh, &box->mesh));
  return 1;
}

static int mesh_copy(lua_State *L)
{
  basin__mesh_copy(L, 1);
  return 1;
}

/* The numbers of the argument, exactly `count` of them. */
static const double *check_numbers(lua_State *L, int index, size_t count, const char *what)
{
  const basin_l_array *array = basin__array_to(L, index);
  if (array->count * array->size != count) {
    basin__throw(L,
                 BASIN_ERROR_LENGTH,
                 NULL,
                 "%s needs %zu numbers, got %zu",
                 what,
                 count,
                 array->count * array->size);
  }
  return array->data;
}

/* mesh:scaled(factor or {x, y, z}) */
static int mesh_scaled(lua_State *L)
{
  double factors[3] = {1, 1, 1};
  unsigned dim = basin_mesh_dim(basin__mesh_check(L, 1));
  if (lua_type(L, 2) == LUA_TNUMBER) {
    factors[0] = factors[1] = factors[2] = lua_tonumber(L, 2);
  } else {
    memcpy(factors, check_numbers(L, 2, dim, "scaled"), dim * sizeof *factors);
  }
  basin_mesh *mesh = basin__mesh_copy(L, 1);
  basin__check(L, basin_mesh_context(mesh), basin_mesh_scale(mesh, factors));
  return 1;
}

/* mesh:translated{x, y, z} */
static int mesh_translated(lua_State *L)
{
  double offset[3] = {0, 0, 0};
  unsigned dim = basin_mesh_dim(basin__mesh_check(L, 1));
  memcpy(offset, check_numbers(L, 2, dim, "translated"), dim * sizeof *offset);
  basin_mesh *mesh = basin__mesh_copy(L, 1);
  basin__check(L, basin_mesh_context(mesh), basin_mesh_translate(mesh, offset));
  return 1;
}

/* mesh:_turned(axis, angle) */
static int mesh_turned(lua_State *L)
{
  basin__mesh_check(L, 1);
  double axis[3], angle = luaL_checknumber(L, 3);
  memcpy(axis, check_numbers(L, 2, 3, "axis"), sizeof axis);
  basin_mesh *mesh = basin__mesh_copy(L, 1);
  basin__check(L, basin_mesh_context(mesh), basin_mesh_rotate(mesh, axis, angle));
  return 1;
}

/* mesh:transformed(12 numbers, [A | b] row by row) */
static int mesh_transformed(lua_State *L)
{
  basin__mesh_check(L, 1);
  double matrix[12];
  memcpy(matrix, check_numbers(L, 2, 12, "transformed"), sizeof matrix);
  basin_mesh *mesh = basin__mesh_copy(L, 1);
  basin__check(L, basin_mesh_context(mesh), basin_mesh_transform(mesh, matrix));
  return 1;
}

/* mesh:_at_height(height) */
static int mesh_at_height(lua_State *L)
{
  basin__mesh_check(L, 1);
  double height = luaL_checknumber(L, 2);
  basin_mesh *mesh = basin__mesh_copy(L, 1);
  basin__check(L, basin_mesh_context(mesh), basin_mesh_scale_to_height(mesh, height));
  return 1;
}

/* mesh:welded(tolerance) */
static int mesh_welded(lua_State *L)
{
  basin__mesh_check(L, 1);
  double tolerance = luaL_optnumber(L, 2, 0);
  basin_mesh *mesh = basin__mesh_copy(L, 1);
  basin__check(L, basin_mesh_context(mesh), basin_mesh_weld(mesh, tolerance, NULL));
  return 1;
}

/* mesh:compacted() -> mesh without unused points, new -> old point numbers */
static int mesh_compacted(lua_State *L)
{
  basin__mesh_check(L, 1);
  basin_mesh *mesh = basin__mesh_copy(L, 1);
  basin_mesh_indices map = {0};
  basin__check(L, basin_mesh_context(mesh), basin_mesh_compact(mesh, &map));
  basin__array_indices(L, map.count, 1, map.data);
  basin_mesh_indices_fini(&map);
  return 2;
}

static int mesh_triangulated(lua_State *L)
{
  basin_mesh *mesh = basin__mesh_copy(L, 1);
  basin__check(L, basin_mesh_context(mesh), basin_mesh_triangulate(mesh));
  return 1;
}

/* mesh:oriented() -> mesh, number of cells turned */
static int mesh_oriented(lua_State *L)
{
  basin_mesh *mesh = basin__mesh_copy(L, 1);
  size_t flipped = 0;
  basin__check(L, basin_mesh_context(mesh), basin_mesh_orient(mesh, &flipped));
  lua_pushinteger(L, (lua_Integer)flipped);
  return 2;
}

/* mesh:with_group(name, indices[, kind]): 0-based indices into that kind, "points" unless said
 * otherwise */
static int mesh_with_group(lua_State *L)
{
  basin__mesh_check(L, 1);
  const char *name = luaL_checkstring(L, 2);
  const basin_l_array *array = basin__array_to(L, 3);
  int kind =
      lua_isnoneornil(L, 4) ? 0 : basin__check_word(L, 4, "kind of cell", basin__mesh_kind_words);
  const uint32_t *indices = basin__array_to_indices(L, array, "group");
  basin_mesh *mesh = basin__mesh_copy(L, 1);
  basin__check(
      L,
      basin_mesh_context(mesh),
      basin_mesh_set_group(mesh, (basin_mesh_kind)kind, name, array->count * array->size, indices));
  return 1;
}

static const luaL_Reg make_methods[] = {{"_moved_copies", mesh_copies},
                                        {"surface", mesh_surface},
                                        {"copy", mesh_copy},
                                        {"scaled", mesh_scaled},
                                        {"translated", mesh_translated},
                                        {"_turned", mesh_turned},
                                        {"transformed", mesh_transformed},
                                        {"_at_height", mesh_at_height},
                                        {"welded", mesh_welded},
                                        {"compacted", mesh_compacted},
                                        {"triangulated", mesh_triangulated},
                                        {"oriented", mesh_oriented},
                                        {"with_group", mesh_with_group},
                                        {NULL, NULL}};
static const luaL_Reg make_functions[] = {{"mesh_read", core_mesh_read},
                                          {"mesh_new", core_mesh_new},
                                          {"mesh_grid", core_mesh_grid},
                                          {"mesh_box", core_mesh_box},
                                          {"mesh_sphere", core_mesh_sphere},
                                          {"mesh_globe", core_mesh_globe},
                                          {"mesh_line", core_mesh_line},
                                          {"mesh_joined", core_mesh_joined},
                                          {NULL, NULL}};

void basin__open_mesh_make(lua_State *L)
{
  luaL_getmetatable(L, BASIN_CLASS_MESH);
  lua_getfield(L, -1, "methods");
  basin__functions(L, make_methods);
  lua_pop(L, 2);
  basin__functions(L, make_functions);
}
