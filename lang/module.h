/* The C half of `require "basin"`.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_LANG_MODULE_H
#define BASIN_LANG_MODULE_H

#include <basin/base.h>
#include <lua.h>

/* Pushes the table of basin.core. */
int basin__open_core(lua_State *L);

/* The same under the name that require looks for in basin/core.so. */
BASIN_API int luaopen_basin_core(lua_State *L);

/* Puts the folder of Basin's Lua files (in an installed or a build tree beside this library or
 * program, or $BASIN_LUA_PATH) in front of package.path, and basin.core into package.preload. */
void basin__module_paths(lua_State *L);

#endif
