/* The Lua state inside a host's scene.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_LANG_HOST_H
#define BASIN_LANG_HOST_H

#include <basin/basin.h>
#include <lua.h>

struct basin_scene {
  basin_context *context;
  lua_State *L;
};

/* Opens a state whose shared context is `context` and leaves the module basin.host on its stack;
 * NULL + error. */
lua_State *basin__host_open(basin_context *context);
/* Calls function `name` of basin.host, with the `arguments` values on top of the stack. False: the
 * error is in the context, the stack as it was without the arguments. */
bool basin__host_call(basin_scene *scene, const char *name, int arguments, int results);

#endif
