/* Frame series and pictures in Lua.
 * SPDX-License-Identifier: Apache-2.0 */
#include "mesh_box.h"

#include <basin/output.h>

#include <string.h>

#define MAX_PLANES 16
#define MAX_ARRAYS 32

typedef struct frames_box {
  basin_frames *frames;
  basin_context *context;
} frames_box;

static frames_box *check_frames(lua_State *L, int index)
{
  return basin__check_object(L, index, BASIN_CLASS_FRAMES);
}

static int frames_gc(lua_State *L)
{
  frames_box *box = luaL_checkudata(L, 1, BASIN_CLASS_FRAMES);
  basin_frames_destroy(box->frames);
  box->frames = NULL;
  return 0;
}

static void read_vector(lua_State *L, int table, const char *name, double vector[3])
{
  if (lua_getfield(L, table, name) != LUA_TNIL) {
    const basin_l_array *array = basin__array_to(L, -1);
    if (array->count * array->size != 3) {
      basin__throw(L,
                   BASIN_ERROR_LENGTH,
                   NULL,
                   "'%s' needs 3 numbers, got %zu",
                   name,
                   array->count * array->size);
    }
    memcpy(vector, array->data, 3 * sizeof *vector);
  }
  lua_pop(L, 1);
}

/* Reads {width=, height=, camera={eye=, target=, up=, field_of_view=}, planes={{normal=,
 * offset=}…}}. */
static basin_picture_options
read_picture_options(lua_State *L, int table, basin_camera *camera, basin_picture_plane *planes)
{
  basin_picture_options options = basin_picture_defaults();
  options.width = (unsigned)basin__opt_size_field(L, table, "width", options.width);
  options.height = (unsigned)basin__opt_size_field(L, table, "height", options.height);
  if (lua_getfield(L, table, "camera") == LUA_TTABLE) {
    int at = lua_gettop(L);
    *camera = (basin_camera){.up = {0, 1, 0}, .field_of_view = 35};
    read_vector(L, at, "eye", camera->eye);
    read_vector(L, at, "target", camera->target);
    read_vector(L, at, "up", camera->up);
    camera->field_of_view = basin__opt_number_field(L, at, "field_of_view", camera->field_of_view);
    options.camera = camera;
  }
  lua_pop(L, 1);
  if (lua_getfield(L, table, "planes") == LUA_TTABLE) {
    size_t count = lua_rawlen(L, -1);
    if (count > MAX_PLANES) count = MAX_PLANES;
    for (size_t i = 0; i < count; ++i) {
      lua_rawgeti(L, -1, (lua_Integer)i + 1);
      int at = lua_gettop(L);
      memset(&planes[i], 0, sizeof planes[i]);
      read_vector(L, at, "normal", planes[i].normal);
      planes[i].offset = basin__opt_number_field(L, at, "offset", 0);
      lua_pop(L, 1);
    }
    options.plane_count = count;
    options.planes = planes;
  }
  lua_pop(L, 1);
  return options;
}

/* core.frames{folder=, name=, vtu=, ply=, obj=, pictures=, width=, height=, camera=, planes=} */
static int core_frames(lua_State *L)
{
  luaL_checktype(L, 1, LUA_TTABLE);
  basin_camera camera;
  basin_picture_plane planes[MAX_PLANES];
  basin_frames_options options = basin_frames_defaults();
  options.folder = basin__opt_string_field(L, 1, "folder", options.folder);
  options.name = basin__opt_string_field(L, 1, "name", options.name);
  options.formats = (basin__opt_boolean_field(L, 1, "vtu", false) ? BASIN_OUTPUT_VTU : 0u) |
                    (basin__opt_boolean_field(L, 1, "ply", false) ? BASIN_OUTPUT_PLY : 0u) |
                    (basin__opt_boolean_field(L, 1, "obj", false) ? BASIN_OUTPUT_OBJ : 0u);
  options.pictures = basin__opt_boolean_field(L, 1, "pictures", false);
  options.picture = read_picture_options(L, 1, &camera, planes);
  basin__context(L);
  frames_box *box = lua_newuserdatauv(L, sizeof *box, 1);
  memset(box, 0, sizeof *box);
  luaL_setmetatable(L, BASIN_CLASS_FRAMES);
  box->context = basin__push_context(L);
  lua_setiuservalue(L, -2, 1);
  basin__check(L, box->context, basin_frames_create(box->context, &options, &box->frames));
  return 1;
}

/* Fills in arrays from the list {{name=, data=, cells=}…} at `index`. */
static size_t read_arrays(lua_State *L, int index, basin_output_array *arrays)
{
  if (!lua_istable(L, index)) return 0;
  size_t count = lua_rawlen(L, index);
  if (count > MAX_ARRAYS)
    basin__throw(L, BASIN_ERROR_LENGTH, NULL, "at most %d arrays go into a frame", MAX_ARRAYS);
  for (size_t i = 0; i < count; ++i) {
    lua_rawgeti(L, index, (lua_Integer)i + 1);
    int at = lua_gettop(L);
    lua_getfield(L, at, "data");
    const basin_l_array *data = basin__array_check(L, -1);
    arrays[i] = (basin_output_array){.name = basin__opt_string_field(L, at, "name", "data"),
                                     .data = data->data,
                                     .components = data->size,
                                     .of_cells = basin__opt_boolean_field(L, at, "cells", false)};
    lua_pop(L, 2);
  }
  return count;
}

/* The positions at `index`, one a point of the mesh; NULL for nil. */
static const double *frame_positions(lua_State *L, int index, const basin_mesh *mesh)
{
  if (lua_isnil(L, index)) return NULL;
  const basin_l_array *positions = basin__array_check(L, index);
  size_t wanted = basin_mesh_count(mesh, BASIN_MESH_POINT) * basin_mesh_dim(mesh);
  if (positions->count * positions->size != wanted) {
    basin__throw(L,
                 BASIN_ERROR_LENGTH,
                 NULL,
                 "positions have %zu numbers, the mesh of the frames needs %zu",
                 positions->count * positions->size,
                 wanted);
  }
  return positions->data;
}

/* frames:write(time, mesh, positions or nil, labels or nil, arrays or nil) -> number of the frame
 */
static int frames_write(lua_State *L)
{
  frames_box *box = check_frames(L, 1);
  double time = luaL_checknumber(L, 2);
  const basin_mesh *mesh = basin__mesh_check(L, 3);
  lua_settop(L, 6);
  size_t points = basin_mesh_count(mesh, BASIN_MESH_POINT);
  const double *positions = frame_positions(L, 4, mesh);
  const uint32_t *labels = NULL;
  if (!lua_isnil(L, 5)) {
    const basin_l_array *array = basin__array_check(L, 5);
    if (array->count * array->size != points) {
      return basin__throw(L,
                          BASIN_ERROR_LENGTH,
                          NULL,
                          "%zu labels for %zu points",
                          array->count * array->size,
                          points);
    }
    labels = basin__array_to_indices(L, array, "labels");
  }
  basin_output_array arrays[MAX_ARRAYS];
  size_t count = read_arrays(L, 6, arrays);
  size_t number = basin_frames_next(box->frames);
  basin__check(L,
               box->context,
               basin_frames_write(box->frames, time, mesh, positions, labels, count, arrays));
  lua_pushinteger(L, (lua_Integer)number);
  return 1;
}

static int frames_next(lua_State *L)
{
  lua_pushinteger(L, (lua_Integer)basin_frames_next(check_frames(L, 1)->frames));
  return 1;
}

static int frames_resume(lua_State *L)
{
  frames_box *box = check_frames(L, 1);
  basin__check(L, box->context, basin_frames_resume(box->frames, basin__check_size(L, 2)));
  return 0;
}

/* frames:aim(mesh, positions or nil): chooses the camera as a first frame would */
static int frames_aim(lua_State *L)
{
  frames_box *box = check_frames(L, 1);
  const basin_mesh *mesh = basin__mesh_check(L, 2);
  lua_settop(L, 3);
  basin__check(L, box->context, basin_frames_aim(box->frames, mesh, frame_positions(L, 3, mesh)));
  return 0;
}

/* core.picture(path, mesh, positions or nil, {width=, height=, camera=, planes=}): one picture of a
 * mesh */
static int core_picture(lua_State *L)
{
  const char *path = luaL_checkstring(L, 1);
  const basin_mesh *mesh = basin__mesh_check(L, 2);
  lua_settop(L, 4);
  luaL_checktype(L, 4, LUA_TTABLE);
  basin_context *context = basin_mesh_context(mesh);
  basin_camera camera;
  basin_picture_plane planes[MAX_PLANES];
  basin_picture_options options = read_picture_options(L, 4, &camera, planes);
  size_t points = basin_mesh_count(mesh, BASIN_MESH_POINT);
  const basin_l_array *positions = lua_isnil(L, 3) ? NULL : basin__array_check(L, 3);
  if (positions && positions->count * positions->size != points * basin_mesh_dim(mesh)) {
    return basin__throw(L,
                        BASIN_ERROR_LENGTH,
                        NULL,
                        "positions have %zu numbers, the mesh needs %zu",
                        positions->count * positions->size,
                        points * basin_mesh_dim(mesh));
  }
  basin_picture_item item = {.positions = positions ? positions->data : basin_mesh_points(mesh),
                             .point_count = points,
                             .dim = basin_mesh_dim(mesh),
                             .triangles = basin_mesh_cells(mesh, BASIN_MESH_TRIANGLE),
                             .triangle_count = basin_mesh_count(mesh, BASIN_MESH_TRIANGLE),
                             .edges = basin_mesh_cells(mesh, BASIN_MESH_EDGE),
                             .edge_count = basin_mesh_count(mesh, BASIN_MESH_EDGE)};
  basin_picture *picture = NULL;
  basin__check(L, context, basin_picture_render(context, 1, &item, &options, &picture));
  basin_status status = basin_picture_write_png(picture, path);
  basin_picture_destroy(picture);
  basin__check(L, context, status);
  return 0;
}

static const luaL_Reg frames_meta[] = {{"__gc", frames_gc}, {NULL, NULL}};
static const luaL_Reg frames_methods[] = {{"write", frames_write},
                                          {"aim", frames_aim},
                                          {"next", frames_next},
                                          {"resume", frames_resume},
                                          {NULL, NULL}};
static const luaL_Reg output_functions[] = {
    {"frames", core_frames}, {"picture", core_picture}, {NULL, NULL}};

void basin__open_output(lua_State *L)
{
  basin__class(L, BASIN_CLASS_FRAMES, frames_meta, frames_methods, NULL, NULL);
  lua_pop(L, 1);
  basin__functions(L, output_functions);
}
