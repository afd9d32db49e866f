/* Lua states of host programs: opening them, calling into them, and their errors as errors of the
 * context. SPDX-License-Identifier: Apache-2.0 */
#include "host.h"

#include "base/base.h"
#include "bind.h"
#include "module.h"

#include <lualib.h>
#include <string.h>

static basin_status status_of(const char *code)
{
  static const char *const names[] = {
#define X(name, text) #name,
      BASIN_STATUS_LIST(X)
#undef X
  };
  for (int i = 0; code && i < BASIN_STATUS_COUNT; ++i) {
    const char *name = strncmp(names[i], "ERROR_", 6) == 0 ? names[i] + 6 : names[i];
    if (strcmp(name, code) == 0) return (basin_status)i;
  }
  return BASIN_ERROR_STATE;
}

/* Runs protected: 1 is the error value, 2 the context. Records it there and returns nothing. */
static int record_error(lua_State *L)
{
  basin_context *context = lua_touserdata(L, 2);
  if (!lua_istable(L, 1)) {
    BASIN_FAIL(context, BASIN_ERROR_STATE, "%s", luaL_tolstring(L, 1, NULL));
    return 0;
  }
  static const char *const fields[] = {"code", "message", "script", "expression", "line", "hint"};
  for (size_t i = 0; i < BASIN_COUNT(fields); ++i) {
    lua_pushstring(L, fields[i]);
    lua_rawget(L, 1);
  }
  const char *message = lua_tostring(L, 4), *hint = lua_tostring(L, 8);
  if (!message) message = "a script raised an error value without a message";
  BASIN_FAIL(context,
             status_of(lua_tostring(L, 3)),
             "%s%s%s%s",
             message,
             hint ? " (" : "",
             hint ? hint : "",
             hint ? ")" : "");
  basin__error_where(context, lua_tostring(L, 5), (int)lua_tointeger(L, 7), lua_tostring(L, 6));
  return 0;
}

/* Moves the error value on top of the stack into the context. */
static void take_error(lua_State *L, basin_context *context)
{
  lua_pushcfunction(L, record_error);
  lua_insert(L, -2);
  lua_pushlightuserdata(L, context);
  if (lua_pcall(L, 2, 0, 0) != LUA_OK) {
    BASIN_FAIL(context, BASIN_ERROR_MEMORY, "out of memory for an error of a script");
    lua_pop(L, 1);
  }
}

/* Keeps error values, adds a traceback to plain texts. */
static int handle_error(lua_State *L)
{
  if (lua_type(L, 1) == LUA_TSTRING) luaL_traceback(L, L, lua_tostring(L, 1), 1);
  return 1;
}

/* 1: the context. Returns basin.host. */
static int open_modules(lua_State *L)
{
  basin_context *context = lua_touserdata(L, 1);
  luaL_openlibs(L);
  basin__module_paths(L);
  lua_getglobal(L, "require");
  lua_pushliteral(L, "basin.core");
  lua_call(L, 1, 0);
  basin__adopt_context(L, context);
  lua_getglobal(L, "require");
  lua_pushliteral(L, "basin.host");
  lua_call(L, 1, 1);
  return 1;
}

lua_State *basin__host_open(basin_context *context)
{
  lua_State *L = luaL_newstate();
  if (!L) {
    BASIN_FAIL(context, BASIN_ERROR_MEMORY, "out of memory for a Lua state");
    return NULL;
  }
  lua_pushcfunction(L, handle_error);
  lua_pushcfunction(L, open_modules);
  lua_pushlightuserdata(L, context);
  if (lua_pcall(L, 1, 1, 1) != LUA_OK) {
    take_error(L, context);
    lua_close(L);
    return NULL;
  }
  return L;
}

/* The stack of a scene's state is: the error handler, basin.host, then arguments or results. */
bool basin__host_call(basin_scene *scene, const char *name, int arguments, int results)
{
  lua_State *L = scene->L;
  lua_pushstring(L, name);
  lua_rawget(L, 2);
  lua_insert(L, -1 - arguments);
  if (lua_pcall(L, arguments, results, 1) == LUA_OK) return true;
  take_error(L, scene->context);
  return false;
}
