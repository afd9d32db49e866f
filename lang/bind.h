/* What every file of the Lua binding uses: classes, checked arguments, errors, the shared value
 * types. SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_LANG_BIND_H
#define BASIN_LANG_BIND_H

#include <basin/base.h>
#include <basin/kernel.h>
#include <lauxlib.h>
#include <lua.h>

/* A Lua error leaves C by a jump: every function here checks its arguments first, then calls C into
 * objects that Lua already owns, and raises last. */

/* ---- classes ---- */
#define BASIN_CLASS_CONTEXT    "basin.context"
#define BASIN_CLASS_ARRAY      "basin.array"
#define BASIN_CLASS_MESH       "basin.mesh"
#define BASIN_CLASS_MATRIX     "basin.matrix"
#define BASIN_CLASS_FACTOR     "basin.factor"
#define BASIN_CLASS_SYSTEM     "basin.system"
#define BASIN_CLASS_PLAN       "basin.plan"
#define BASIN_CLASS_MINIMIZER  "basin.minimizer"
#define BASIN_CLASS_FRAMES     "basin.frames"
#define BASIN_CLASS_CHECKPOINT "basin.checkpoint"
#define BASIN_CLASS_CONTACT    "basin.contact"

/* Makes the metatable of a class. Methods are found in its `methods` table, then fields by calling
 * its `getters`; `index` (may be NULL) is asked first for keys that are no strings. Other names
 * raise an error that offers the nearest one. Leaves the metatable on the stack. */
void basin__class(lua_State *L,
                  const char *name,
                  const luaL_Reg *metamethods,
                  const luaL_Reg *methods,
                  const luaL_Reg *getters,
                  lua_CFunction index);
/* Adds C functions to the table on top of the stack. */
void basin__functions(lua_State *L, const luaL_Reg *functions);

/* The userdata of a class whose first member is a pointer that __gc clears. Scripts can still hold
 * what a closing Lua state has collected, in finalizers of their own: that is an error. __gc itself
 * uses luaL_checkudata. */
void *basin__check_object(lua_State *L, int index, const char *name);

/* ---- errors ---- */
/* Raises the last error of a context as an error value. */
int basin__raise(lua_State *L, basin_context *context);
/* Returns if `status` is BASIN_OK, else raises the context's last error. */
void basin__check(lua_State *L, basin_context *context, basin_status status);
/* Raises an error value with this message; `hint` may be NULL. */
int basin__throw(lua_State *L, basin_status code, const char *hint, const char *format, ...)
    BASIN_PRINTF(4, 5);

/* ---- contexts ---- */
/* The context of meshes, matrices and files; made on first use from core.configure's options. A
 * closing Lua state collects in the reverse order of creation, so ask for the context before making
 * a userdata that needs it. */
basin_context *basin__context(lua_State *L);
/* Pushes its userdata, for user values that keep it alive. */
basin_context *basin__push_context(lua_State *L);
basin_context *basin__check_context(lua_State *L, int index);
/* Makes an existing context the shared one; it is not destroyed with the Lua state. */
void basin__adopt_context(lua_State *L, basin_context *context);

/* ---- arrays: count instances of rows x cols numbers ---- */
typedef struct basin_l_array {
  size_t count;
  unsigned rows, cols;
  size_t size;  /* rows * cols */
  double *data; /* count * size, in the same block */
} basin_l_array;

/* Pushes a new array, not cleared. */
basin_l_array *basin__array_new(lua_State *L, size_t count, size_t rows, size_t cols);
basin_l_array *
basin__array_copy(lua_State *L, size_t count, size_t rows, size_t cols, const double *data);
basin_l_array *basin__array_indices(lua_State *L, size_t count, size_t arity, const uint32_t *data);
basin_l_array *basin__array_check(lua_State *L, int index);
basin_l_array *basin__array_test(lua_State *L, int index); /* NULL if it is something else */
/* The array at `index`, or a table of numbers or tables turned into one, which replaces it. */
basin_l_array *basin__array_to(lua_State *L, int index);
/* The numbers of an array as uint32 in a fresh userdata pushed on the stack; raises for numbers
 * that are no index, naming `what`. */
uint32_t *basin__array_to_indices(lua_State *L, const basin_l_array *array, const char *what);

/* ---- arguments ---- */
size_t basin__check_size(lua_State *L, int index);
unsigned basin__check_unsigned(lua_State *L, int index); /* a size that fits into 32 bits */
double basin__opt_number_field(lua_State *L, int table, const char *name, double otherwise);
size_t basin__opt_size_field(lua_State *L, int table, const char *name, size_t otherwise);
bool basin__opt_boolean_field(lua_State *L, int table, const char *name, bool otherwise);
/* The string lives as long as the table's field. */
const char *
basin__opt_string_field(lua_State *L, int table, const char *name, const char *otherwise);
/* Number of an enum word in a NULL-terminated list; raises with the list. */
int basin__check_word(lua_State *L, int index, const char *what, const char *const *words);

/* ---- the parts of basin.core, each adding its functions to the table on top of the stack ---- */
void basin__open_context(lua_State *L);
void basin__open_array(lua_State *L);
void basin__open_array_math(lua_State *L);
void basin__open_mesh(lua_State *L);
void basin__open_mesh_make(lua_State *L);
void basin__open_matrix(lua_State *L);
void basin__open_factor(lua_State *L);
void basin__open_dense(lua_State *L);
void basin__open_system(lua_State *L);
void basin__open_expression(lua_State *L);
void basin__open_plan(lua_State *L);
void basin__open_local(lua_State *L);
void basin__open_sweep(lua_State *L);
void basin__open_info(lua_State *L);
void basin__open_minimizer(lua_State *L);
void basin__open_newton(lua_State *L);
void basin__open_update(lua_State *L);
void basin__open_surface(lua_State *L);
void basin__open_output(lua_State *L);
void basin__open_checkpoint(lua_State *L);
void basin__open_contact(lua_State *L);
void basin__open_contact_pairs(lua_State *L);
void basin__open_contact_stencil(lua_State *L);

#endif
