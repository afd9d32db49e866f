/* Meshes as Lua values.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_LANG_MESH_BOX_H
#define BASIN_LANG_MESH_BOX_H

#include "bind.h"

#include <basin/mesh.h>

/* Userdata of class BASIN_CLASS_MESH; user value 1 is its context. Methods that change a mesh
 * return a new one. */
typedef struct basin_l_mesh {
  basin_mesh *mesh;
} basin_l_mesh;

/* Pushes an empty box for a mesh function to fill. */
basin_l_mesh *basin__mesh_new(lua_State *L);
basin_mesh *basin__mesh_check(lua_State *L, int index);
/* Pushes a copy of the mesh at `index` and returns it. */
basin_mesh *basin__mesh_copy(lua_State *L, int index);

extern const char *const basin__mesh_kind_words[];

#endif
