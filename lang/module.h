/* The C half of `require "basin"`.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_LANG_MODULE_H
#define BASIN_LANG_MODULE_H

#include <basin/base.h>
#include <lua.h>

/* Pushes the table of basin.core. Called by require, the `basin` command and the host library. */
BASIN_API int luaopen_basin_core(lua_State *L);

/* Puts the folders of Basin's Lua files (beside this library: an installed or a build tree, or
 * $BASIN_LUA_PATH) in front of package.path, and basin.core into package.preload. */
BASIN_API void basin__module_paths(lua_State *L);

#endif
