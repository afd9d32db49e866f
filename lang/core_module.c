/* The entry point of basin/core.so.
 * SPDX-License-Identifier: Apache-2.0 */
#include "module.h"

int luaopen_basin_core(lua_State *L)
{
  return basin__open_core(L);
}
