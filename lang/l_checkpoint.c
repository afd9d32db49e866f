/* Checkpoints in Lua: named arrays and texts in one .npz file.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bind.h"

#include <basin/output.h>

#include <string.h>

typedef struct checkpoint_box {
  basin_checkpoint *checkpoint;
  basin_context *context;
} checkpoint_box;

static checkpoint_box *check_checkpoint(lua_State *L, int index)
{
  return basin__check_object(L, index, BASIN_CLASS_CHECKPOINT);
}

static int checkpoint_gc(lua_State *L)
{
  checkpoint_box *box = luaL_checkudata(L, 1, BASIN_CLASS_CHECKPOINT);
  basin_checkpoint_destroy(box->checkpoint);
  box->checkpoint = NULL;
  return 0;
}

static checkpoint_box *push_checkpoint(lua_State *L)
{
  basin__context(L);
  checkpoint_box *box = lua_newuserdatauv(L, sizeof *box, 1);
  memset(box, 0, sizeof *box);
  luaL_setmetatable(L, BASIN_CLASS_CHECKPOINT);
  box->context = basin__push_context(L);
  lua_setiuservalue(L, -2, 1);
  return box;
}

/* core.checkpoint() */
static int core_checkpoint(lua_State *L)
{
  checkpoint_box *box = push_checkpoint(L);
  basin__check(L, box->context, basin_checkpoint_create(box->context, &box->checkpoint));
  return 1;
}

/* core.checkpoint_read(path) */
static int core_checkpoint_read(lua_State *L)
{
  const char *path = luaL_checkstring(L, 1);
  checkpoint_box *box = push_checkpoint(L);
  basin__check(L, box->context, basin_checkpoint_read(box->context, path, &box->checkpoint));
  return 1;
}

/* checkpoint:add(name, array or string) */
static int checkpoint_add(lua_State *L)
{
  checkpoint_box *box = check_checkpoint(L, 1);
  const char *name = luaL_checkstring(L, 2);
  if (lua_type(L, 3) == LUA_TSTRING) {
    size_t length;
    const char *text = lua_tolstring(L, 3, &length);
    basin__check(
        L,
        box->context,
        basin_checkpoint_add(box->checkpoint, name, BASIN_CHECKPOINT_UINT8, 1, &length, text));
    return 0;
  }
  const basin_l_array *array = basin__array_to(L, 3);
  size_t shape[3] = {array->count, array->rows, array->cols};
  basin__check(
      L,
      box->context,
      basin_checkpoint_add(box->checkpoint, name, BASIN_CHECKPOINT_DOUBLE, 3, shape, array->data));
  return 0;
}

static int checkpoint_write(lua_State *L)
{
  checkpoint_box *box = check_checkpoint(L, 1);
  basin__check(L, box->context, basin_checkpoint_write(box->checkpoint, luaL_checkstring(L, 2)));
  return 0;
}

/* checkpoint:names() -> list */
static int checkpoint_names(lua_State *L)
{
  checkpoint_box *box = check_checkpoint(L, 1);
  size_t count = basin_checkpoint_count(box->checkpoint);
  lua_createtable(L, (int)count, 0);
  basin_checkpoint_array view;
  for (size_t i = 0; basin_checkpoint_at(box->checkpoint, i, &view); ++i) {
    lua_pushstring(L, view.name);
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
  return 1;
}

/* checkpoint:get(name) -> array, string for bytes, or nil */
static int checkpoint_get(lua_State *L)
{
  checkpoint_box *box = check_checkpoint(L, 1);
  basin_checkpoint_array view;
  if (!basin_checkpoint_find(box->checkpoint, luaL_checkstring(L, 2), &view)) return 0;
  if (view.type == BASIN_CHECKPOINT_UINT8) {
    lua_pushlstring(L, view.data, view.count);
    return 1;
  }
  size_t count = view.dims > 0 ? view.shape[0] : 1, rows = view.dims > 1 ? view.shape[1] : 1,
         cols = 1;
  for (unsigned i = 2; i < view.dims; ++i) cols *= view.shape[i];
  basin_l_array *array = basin__array_new(L, count, rows, cols);
  for (size_t i = 0; i < view.count; ++i) {
    array->data[i] = view.type == BASIN_CHECKPOINT_DOUBLE ? ((const double *)view.data)[i]
                                                          : (double)((const int64_t *)view.data)[i];
  }
  return 1;
}

static const luaL_Reg checkpoint_meta[] = {{"__gc", checkpoint_gc}, {NULL, NULL}};
static const luaL_Reg checkpoint_methods[] = {{"add", checkpoint_add},
                                              {"write", checkpoint_write},
                                              {"names", checkpoint_names},
                                              {"get", checkpoint_get},
                                              {NULL, NULL}};
static const luaL_Reg checkpoint_functions[] = {
    {"checkpoint", core_checkpoint}, {"checkpoint_read", core_checkpoint_read}, {NULL, NULL}};

void basin__open_checkpoint(lua_State *L)
{
  basin__class(L, BASIN_CLASS_CHECKPOINT, checkpoint_meta, checkpoint_methods, NULL, NULL);
  lua_pop(L, 1);
  basin__functions(L, checkpoint_functions);
}
