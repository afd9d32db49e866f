/* Meshes in Lua: points, cells, groups, geometry and topology.
 * SPDX-License-Identifier: Apache-2.0 */
#include "mesh_box.h"

#include <basin/output.h>

#include <string.h>

const char *const basin__mesh_kind_words[] = {
    "points", "vertices", "edges", "triangles", "quads", "tets", NULL};

basin_l_mesh *basin__mesh_new(lua_State *L)
{
  basin__context(L);
  basin_l_mesh *box = lua_newuserdatauv(L, sizeof *box, 1);
  box->mesh = NULL;
  luaL_setmetatable(L, BASIN_CLASS_MESH);
  basin__push_context(L);
  lua_setiuservalue(L, -2, 1);
  return box;
}

basin_mesh *basin__mesh_check(lua_State *L, int index)
{
  basin_l_mesh *box = luaL_testudata(L, index, BASIN_CLASS_MESH);
  if (box && box->mesh) return box->mesh;
  basin__throw(L,
               BASIN_ERROR_ARGUMENT,
               "basin.mesh.read and basin.mesh.grid make meshes",
               "a mesh is needed here, got %s",
               luaL_tolstring(L, index, NULL));
  return NULL;
}

basin_mesh *basin__mesh_copy(lua_State *L, int index)
{
  basin_mesh *source = basin__mesh_check(L, index);
  basin_l_mesh *box = basin__mesh_new(L);
  basin__check(L, basin_mesh_context(source), basin_mesh_copy(source, &box->mesh));
  return box->mesh;
}

static int mesh_gc(lua_State *L)
{
  basin_l_mesh *box = luaL_checkudata(L, 1, BASIN_CLASS_MESH);
  basin_mesh_destroy(box->mesh);
  box->mesh = NULL;
  return 0;
}

static int mesh_tostring(lua_State *L)
{
  basin_l_mesh *box = basin__check_object(L, 1, BASIN_CLASS_MESH);
  luaL_Buffer buffer;
  luaL_buffinit(L, &buffer);
  luaL_addstring(&buffer, "mesh:");
  for (int kind = 0; box->mesh && kind < BASIN_MESH_KIND_COUNT; ++kind) {
    size_t count = basin_mesh_count(box->mesh, (basin_mesh_kind)kind);
    if (count == 0) continue;
    lua_pushfstring(L, " %I %s", (LUAI_UACINT)count, basin__mesh_kind_words[kind]);
    luaL_addvalue(&buffer);
  }
  luaL_pushresult(&buffer);
  return 1;
}

/* ---- data ---- */

/* Pushes indices and releases them; an out-of-memory error between the two would leak, so the array
 * comes first. */
static int push_indices(lua_State *L, basin_mesh_indices *indices)
{
  size_t count = indices->count, arity = indices->arity;
  basin__array_indices(L, count, arity, indices->data);
  basin_mesh_indices_fini(indices);
  return 1;
}

static int mesh_points(lua_State *L)
{
  const basin_mesh *mesh = basin__mesh_check(L, 1);
  basin__array_copy(L,
                    basin_mesh_count(mesh, BASIN_MESH_POINT),
                    basin_mesh_dim(mesh),
                    1,
                    basin_mesh_points(mesh));
  return 1;
}

static int push_cells(lua_State *L, basin_mesh_kind kind)
{
  const basin_mesh *mesh = basin__mesh_check(L, 1);
  basin__array_indices(
      L, basin_mesh_count(mesh, kind), basin_mesh_arity(kind), basin_mesh_cells(mesh, kind));
  return 1;
}

static int mesh_vertices(lua_State *L)
{
  return push_cells(L, BASIN_MESH_VERTEX);
}
static int mesh_triangles(lua_State *L)
{
  return push_cells(L, BASIN_MESH_TRIANGLE);
}
static int mesh_quads(lua_State *L)
{
  return push_cells(L, BASIN_MESH_QUAD);
}
static int mesh_tets(lua_State *L)
{
  return push_cells(L, BASIN_MESH_TET);
}

static int unique_edges(lua_State *L, unsigned kinds)
{
  const basin_mesh *mesh = basin__mesh_check(L, 1);
  basin_mesh_indices edges = {0};
  basin__check(L, basin_mesh_context(mesh), basin_mesh_unique_edges(mesh, kinds, &edges));
  return push_indices(L, &edges);
}

/* mesh.edges: its edge cells, or the edges of all other cells, each once, where it has none. */
static int mesh_edges(lua_State *L)
{
  if (basin_mesh_count(basin__mesh_check(L, 1), BASIN_MESH_EDGE) > 0)
    return push_cells(L, BASIN_MESH_EDGE);
  return unique_edges(L, 0);
}

static int mesh_edge_cells(lua_State *L)
{
  return push_cells(L, BASIN_MESH_EDGE);
}

static int mesh_unique_edges(lua_State *L)
{
  return unique_edges(L, 0);
}

static int mesh_dim(lua_State *L)
{
  lua_pushinteger(L, basin_mesh_dim(basin__mesh_check(L, 1)));
  return 1;
}

/* mesh.groups: {name = {kind = indices}} */
static int mesh_groups(lua_State *L)
{
  const basin_mesh *mesh = basin__mesh_check(L, 1);
  lua_newtable(L);
  basin_mesh_group group;
  for (size_t i = 0; basin_mesh_group_at(mesh, i, &group); ++i) {
    if (lua_getfield(L, -1, group.name) == LUA_TNIL) {
      lua_pop(L, 1);
      lua_newtable(L);
      lua_pushvalue(L, -1);
      lua_setfield(L, -3, group.name);
    }
    basin__array_indices(L, group.count, 1, group.indices);
    lua_setfield(L, -2, basin__mesh_kind_words[group.kind]);
    lua_pop(L, 1);
  }
  return 1;
}

/* ---- queries ---- */

static const char **check_names(lua_State *L, int index, size_t *count)
{
  if (!lua_istable(L, index)) {
    basin__throw(L,
                 BASIN_ERROR_ARGUMENT,
                 "write mesh:select { \"top\" }",
                 "a list of names of groups is needed, got a %s",
                 luaL_typename(L, index));
  }
  *count = lua_rawlen(L, index);
  const char **names = lua_newuserdatauv(L, (*count + 1) * sizeof *names, 0);
  for (size_t i = 0; i < *count; ++i) {
    if (lua_rawgeti(L, index, (lua_Integer)i + 1) != LUA_TSTRING) {
      basin__throw(L,
                   BASIN_ERROR_ARGUMENT,
                   NULL,
                   "group %zu of the list is a %s, not a name",
                   i + 1,
                   luaL_typename(L, -1));
    }
    names[i] = lua_tostring(L, -1); /* the list keeps it alive */
    lua_pop(L, 1);
  }
  return names;
}

/* mesh:select{names}: 0-based indices of the points in any of the groups */
static int mesh_select(lua_State *L)
{
  const basin_mesh *mesh = basin__mesh_check(L, 1);
  size_t count;
  const char **names = check_names(L, 2, &count);
  basin_mesh_indices points = {0};
  basin__check(L, basin_mesh_context(mesh), basin_mesh_select_points(mesh, count, names, &points));
  return push_indices(L, &points);
}

/* mesh:mask{names}: 1 for the points in any of the groups, else 0 */
static int mesh_mask(lua_State *L)
{
  const basin_mesh *mesh = basin__mesh_check(L, 1);
  size_t count;
  const char **names = check_names(L, 2, &count);
  basin_l_array *mask = basin__array_new(L, basin_mesh_count(mesh, BASIN_MESH_POINT), 1, 1);
  basin__check(L, basin_mesh_context(mesh), basin_mesh_mask(mesh, count, names, mask->data));
  return 1;
}

typedef basin_status (*index_query)(const basin_mesh *mesh, basin_mesh_indices *indices);

static int query(lua_State *L, index_query function)
{
  const basin_mesh *mesh = basin__mesh_check(L, 1);
  basin_mesh_indices indices = {0};
  basin__check(L, basin_mesh_context(mesh), function(mesh, &indices));
  return push_indices(L, &indices);
}

static int mesh_surface_points(lua_State *L)
{
  return query(L, basin_mesh_surface_points);
}
static int mesh_boundary_points(lua_State *L)
{
  return query(L, basin_mesh_boundary_points);
}
static int mesh_boundary_edges(lua_State *L)
{
  return query(L, basin_mesh_boundary_edges);
}

/* mesh:hinges() -> rows p0 p1 p2 p3 (edge p0 p1), number of edges skipped */
static int mesh_hinges(lua_State *L)
{
  const basin_mesh *mesh = basin__mesh_check(L, 1);
  basin_mesh_indices hinges = {0};
  size_t skipped = 0;
  basin__check(L, basin_mesh_context(mesh), basin_mesh_hinges(mesh, &hinges, &skipped));
  push_indices(L, &hinges);
  lua_pushinteger(L, (lua_Integer)skipped);
  return 2;
}

/* mesh:bounds() -> {lower}, {upper} */
static int mesh_bounds(lua_State *L)
{
  const basin_mesh *mesh = basin__mesh_check(L, 1);
  double bounds[2][3];
  basin__check(L, basin_mesh_context(mesh), basin_mesh_bounds(mesh, bounds[0], bounds[1]));
  for (int side = 0; side < 2; ++side) {
    lua_createtable(L, 3, 0);
    for (unsigned k = 0; k < basin_mesh_dim(mesh); ++k) {
      lua_pushnumber(L, bounds[side][k]);
      lua_rawseti(L, -2, (lua_Integer)k + 1);
    }
  }
  return 2;
}

/* mesh:measure(kind): lengths, areas or volumes */
static int mesh_measure(lua_State *L)
{
  const basin_mesh *mesh = basin__mesh_check(L, 1);
  basin_mesh_kind kind =
      (basin_mesh_kind)basin__check_word(L, 2, "kind of cell", basin__mesh_kind_words);
  basin_l_array *measures = basin__array_new(L, basin_mesh_count(mesh, kind), 1, 1);
  basin__check(L, basin_mesh_context(mesh), basin_mesh_measure(mesh, kind, measures->data));
  return 1;
}

static int mesh_triangle_normals(lua_State *L)
{
  const basin_mesh *mesh = basin__mesh_check(L, 1);
  basin_l_array *normals = basin__array_new(L, basin_mesh_count(mesh, BASIN_MESH_TRIANGLE), 3, 1);
  basin__check(L, basin_mesh_context(mesh), basin_mesh_triangle_normals(mesh, normals->data));
  return 1;
}

static int mesh_point_normals(lua_State *L)
{
  const basin_mesh *mesh = basin__mesh_check(L, 1);
  basin_l_array *normals = basin__array_new(L, basin_mesh_count(mesh, BASIN_MESH_POINT), 3, 1);
  basin__check(L, basin_mesh_context(mesh), basin_mesh_point_normals(mesh, normals->data));
  return 1;
}

static basin_mesh_mass_options check_mass_options(lua_State *L, int table)
{
  static const char *const matters[] = {"auto", "solid", "shell", "rod", NULL};
  basin_mesh_mass_options options = basin_mesh_mass_defaults();
  luaL_checktype(L, table, LUA_TTABLE);
  if (lua_getfield(L, table, "matter") != LUA_TNIL) {
    options.matter = (basin_mesh_matter)basin__check_word(L, lua_gettop(L), "matter", matters);
  }
  lua_pop(L, 1);
  options.density = basin__opt_number_field(L, table, "density", options.density);
  options.thickness = basin__opt_number_field(L, table, "thickness", options.thickness);
  options.radius = basin__opt_number_field(L, table, "radius", options.radius);
  return options;
}

/* mesh:_mass_of_points(options): what mesh:lumped_mass calls once the options are checked */
static int mesh_mass(lua_State *L)
{
  const basin_mesh *mesh = basin__mesh_check(L, 1);
  basin_mesh_mass_options options = check_mass_options(L, 2);
  basin_l_array *masses = basin__array_new(L, basin_mesh_count(mesh, BASIN_MESH_POINT), 1, 1);
  basin__check(L, basin_mesh_context(mesh), basin_mesh_lumped_mass(mesh, &options, masses->data));
  return 1;
}

/* mesh:_moments_of_matter(options) -> volume, mass, first moments, second moments */
static int mesh_moments(lua_State *L)
{
  const basin_mesh *mesh = basin__mesh_check(L, 1);
  basin_mesh_mass_options options = check_mass_options(L, 2);
  basin_mesh_moments moments;
  basin__check(L, basin_mesh_context(mesh), basin_mesh_affine_moments(mesh, &options, &moments));
  lua_pushnumber(L, moments.volume);
  lua_pushnumber(L, moments.mass);
  basin__array_copy(L, 1, 3, 1, moments.first);
  basin__array_copy(L, 1, 3, 3, moments.second);
  return 4;
}

/* mesh:write(path[, positions]): the format follows from the extension */
static int mesh_write(lua_State *L)
{
  const basin_mesh *mesh = basin__mesh_check(L, 1);
  const char *path = luaL_checkstring(L, 2);
  const double *positions = NULL;
  if (!lua_isnoneornil(L, 3)) {
    const basin_l_array *array = basin__array_to(L, 3);
    size_t needed = basin_mesh_count(mesh, BASIN_MESH_POINT) * basin_mesh_dim(mesh);
    if (array->count * array->size != needed) {
      return basin__throw(L,
                          BASIN_ERROR_LENGTH,
                          NULL,
                          "positions have %zu numbers, the mesh needs %zu",
                          array->count * array->size,
                          needed);
    }
    positions = array->data;
  }
  basin__check(
      L, basin_mesh_context(mesh), basin_output_write_mesh(mesh, path, positions, 0, NULL));
  return 0;
}

static const luaL_Reg mesh_meta[] = {
    {"__gc", mesh_gc}, {"__tostring", mesh_tostring}, {NULL, NULL}};
static const luaL_Reg mesh_methods[] = {{"select", mesh_select},
                                        {"corners", mesh_select},
                                        {"mask", mesh_mask},
                                        {"unique_edges", mesh_unique_edges},
                                        {"boundary_edges", mesh_boundary_edges},
                                        {"boundary_points", mesh_boundary_points},
                                        {"hinges", mesh_hinges},
                                        {"bounds", mesh_bounds},
                                        {"measure", mesh_measure},
                                        {"triangle_normals", mesh_triangle_normals},
                                        {"point_normals", mesh_point_normals},
                                        {"_edge_cells", mesh_edge_cells},
                                        {"_mass_of_points", mesh_mass},
                                        {"_moments_of_matter", mesh_moments},
                                        {"write", mesh_write},
                                        {NULL, NULL}};
static const luaL_Reg mesh_getters[] = {{"points", mesh_points},
                                        {"vertices", mesh_vertices},
                                        {"edges", mesh_edges},
                                        {"triangles", mesh_triangles},
                                        {"quads", mesh_quads},
                                        {"tets", mesh_tets},
                                        {"surface_points", mesh_surface_points},
                                        {"dim", mesh_dim},
                                        {"groups", mesh_groups},
                                        {NULL, NULL}};

void basin__open_mesh(lua_State *L)
{
  basin__class(L, BASIN_CLASS_MESH, mesh_meta, mesh_methods, mesh_getters, NULL);
  lua_pop(L, 1);
}
