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

static bool try_folder(lua_State *L, const char *folder)
{
  lua_pushfstring(L, "%s/basin/init.lua", folder);
  bool found = access(lua_tostring(L, -1), R_OK) == 0;
  lua_pop(L, 1);
  if (found) lua_pushstring(L, folder);
  return found;
}

/* Pushes the path of the file that this code is linked into; a program found through $PATH has no
 * folder in its name. */
static bool push_own_path(lua_State *L)
{
  Dl_info info;
  if (!dladdr(&candidates, &info) || !info.dli_fname) return false;
  if (strchr(info.dli_fname, '/')) {
    lua_pushstring(L, info.dli_fname);
    return true;
  }
  char path[4096];
  ssize_t length = readlink("/proc/self/exe", path, sizeof path);
  if (length <= 0) return false;
  lua_pushlstring(L, path, (size_t)length);
  return true;
}

/* Pushes the folder that holds basin/init.lua; false (nothing pushed) if there is none. */
static bool push_folder(lua_State *L)
{
  const char *given = basin__env("LUA_PATH");
  if (given && try_folder(L, given)) return true;
  if (!push_own_path(L)) return false;
  const char *file = lua_tostring(L, -1), *slash = strrchr(file, '/');
  lua_pushlstring(L, file, slash ? (size_t)(slash - file) : 0);
  lua_remove(L, -2);
  for (size_t i = 0; i < sizeof candidates / sizeof *candidates; ++i) {
    lua_pushfstring(L, "%s%s", lua_tostring(L, -1), candidates[i]);
    if (try_folder(L, lua_tostring(L, -1))) {
      lua_replace(L, -3);
      lua_pop(L, 1);
      return true;
    }
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
  return false;
}

void basin__module_paths(lua_State *L)
{
  luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_PRELOAD_TABLE);
  lua_pushcfunction(L, basin__open_core);
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
