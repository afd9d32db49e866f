/* Sparse matrices as Lua values.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_LANG_MATRIX_H
#define BASIN_LANG_MATRIX_H

#include "bind.h"

#include <basin/linalg.h>
#include <basin/runtime.h>

/* Userdata of class BASIN_CLASS_MATRIX; user value 1 is its context. Never changes once made. */
typedef struct basin_l_matrix {
  basin_csr *matrix;
  basin_context *context;
} basin_l_matrix;

/* Pushes an empty box that a linalg function then fills; `like`: a matrix or context userdata whose
 * context it shares, or 0 for the shared context. */
basin_l_matrix *basin__matrix_new(lua_State *L, int like);
basin_l_matrix *basin__matrix_check(lua_State *L, int index);
basin_l_matrix *basin__matrix_test(lua_State *L, int index);

/* Options of one linear solve from a table {solver=, tolerance=, max_iterations=, warm_start=,
 * preconditioner=, single_precision=}. */
basin_solve_options basin__check_solve_options(lua_State *L, int table);

#endif
