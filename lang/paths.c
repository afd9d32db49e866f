/* Where Basin's own Lua files are: beside the library that this file is linked into.
 * SPDX-License-Identifier: Apache-2.0 */
#include "module.h"

#include "base/base.h"

#include <dlfcn.h>
#include <lauxlib.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Folders to try, from the folder of the library: the build tree, then installed trees. */
static const char *const candidates[] = {
    "/../lua",
    "/../share/lua/5.4",
    "/../../share/lua/5.4",
    "/../../../share/lua/5.4",
    "/../../../../share/lua/5.4",
};

static int try_folder(lua_State *L, const char *folder)
{
  lua_pushfstring(L, "%s/basin/init.lua", folder);
  int found = access(lua_tostring(L, -1), R_OK) == 0;
  lua_pop(L, 1);
  if (found) lua_pushstring(L, folder);
  return found;
}

/* Pushes the folder that holds basin/init.lua; false (nothing pushed) if there is none. */
static int push_folder(lua_State *L)
{
  const char *given = basin__env("LUA_PATH");
  if (given && try_folder(L, given)) return 1;
  Dl_info info;
  if (!dladdr(&candidates, &info) || !info.dli_fname) return 0;
  const char *slash = strrchr(info.dli_fname, '/');
  lua_pushlstring(L, info.dli_fname, slash ? (size_t)(slash - info.dli_fname) : 0);
  const char *base = slash ? lua_tostring(L, -1) : ".";
  for (size_t i = 0; i < sizeof candidates / sizeof *candidates; ++i) {
    lua_pushfstring(L, "%s%s", base, candidates[i]);
    if (try_folder(L, lua_tostring(L, -1))) {
      lua_replace(L, -3);
      lua_pop(L, 1);
      return 1;
    }
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
  return 0;
}

void basin__module_paths(lua_State *L)
{
  luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_PRELOAD_TABLE);
  lua_pushcfunction(L, luaopen_basin_core);
  lua_setfield(L, -2, "basin.core");
  lua_pop(L, 1);
  if (!push_folder(L)) return;
  const char *folder = lua_tostring(L, -1);
  lua_getglobal(L, "package");
  lua_getfield(L, -1, "path");
  lua_pushfstring(L, "%s/?.lua;%s/?/init.lua;%s", folder, folder, lua_tostring(L, -1));
  lua_setfield(L, -3, "path");
  lua_pop(L, 3);
}
