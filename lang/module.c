/* basin.core: all parts of the binding in one table.
 * SPDX-License-Identifier: Apache-2.0 */
#include "module.h"

#include "bind.h"

/* core.methods(class) -> the class's methods, getters and metatable, for additions written in Lua
 */
static int core_methods(lua_State *L)
{
  const char *name = luaL_checkstring(L, 1);
  if (luaL_getmetatable(L, name) == LUA_TNIL) return luaL_error(L, "no class '%s'", name);
  int class = lua_gettop(L);
  lua_getfield(L, class, "methods");
  lua_getfield(L, class, "getters");
  lua_pushvalue(L, class);
  return 3;
}

/* core.set_handlers{error=, unknown_field=, own_folder=}: what C calls to make an error value, to
 * refuse an unknown field, and whose files are not the user's */
static int core_set_handlers(lua_State *L)
{
  static const char *const names[][2] = {{"error", "basin.error_handler"},
                                         {"unknown_field", "basin.unknown_field"},
                                         {"own_folder", "basin.own_folder"}};
  luaL_checktype(L, 1, LUA_TTABLE);
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
    lua_getfield(L, 1, names[i][0]);
    lua_setfield(L, LUA_REGISTRYINDEX, names[i][1]);
  }
  return 0;
}

static const luaL_Reg functions[] = {
    {"methods", core_methods}, {"set_handlers", core_set_handlers}, {NULL, NULL}};

int basin__open_core(lua_State *L)
{
  luaL_checkversion(L);
  lua_newtable(L);
  basin__functions(L, functions);
  lua_pushstring(L, basin_version());
  lua_setfield(L, -2, "version");
  lua_pushinteger(L, BASIN_THREADS_MAX);
  lua_setfield(L, -2, "threads_max");
  basin__open_context(L);
  basin__open_array(L);
  basin__open_array_math(L);
  basin__open_mesh(L);
  basin__open_mesh_make(L);
  basin__open_matrix(L);
  basin__open_factor(L);
  basin__open_dense(L);
  basin__open_system(L);
  basin__open_expression(L);
  basin__open_plan(L);
  basin__open_local(L);
  basin__open_sweep(L);
  basin__open_info(L);
  basin__open_minimizer(L);
  basin__open_newton(L);
  basin__open_update(L);
  basin__open_surface(L);
  basin__open_output(L);
  basin__open_checkpoint(L);
  basin__open_contact(L);
  basin__open_contact_pairs(L);
  basin__open_contact_stencil(L);
  return 1;
}
