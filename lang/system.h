/* The C side of one scene: its graph, its data, its compiled kernels.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_LANG_SYSTEM_H
#define BASIN_LANG_SYSTEM_H

#include "bind.h"

#include <basin/compiler.h>
#include <basin/runtime.h>

/* Userdata of class BASIN_CLASS_SYSTEM; user value 1 is its context. Owns everything it points to.
 * Spaces, arrays and connectivities have the same ids in graph and system. */
typedef struct basin_l_system {
  basin_context *context;
  basin_graph *graph;
  basin_system *system;
  basin_backend *backend; /* made when the first kernel is needed */
  basin_plan **plans;     /* every plan made: the system borrows them */
  size_t plan_count, plan_capacity;
  char device[16], precision[8];
} basin_l_system;

basin_l_system *basin__check_system(lua_State *L, int index);
/* Makes the back end that the device names if there is none yet. */
basin_status basin__system_backend(basin_l_system *self, basin_backend **backend);
/* A basin_kernel_provider; `user` is the system. */
basin_status basin__provide_kernels(void *user, basin_kernel_request *requests, size_t count);
/* Opens the device that `device` names; for "auto" a CUDA device if one can be opened. */
basin_status basin__system_open_device(basin_l_system *self);
/* Pushes a plan; the system owns it. `owner` is the index of the system's userdata. */
void basin__push_plan(lua_State *L, int owner, basin_plan *plan);
basin_plan *basin__check_plan(lua_State *L, int index);

/* The table of numbers at `index` as ids in a fresh userdata pushed on the stack; *count of them.
 */
uint32_t *basin__check_ids(lua_State *L, int index, size_t *count);

/* Userdata of class BASIN_CLASS_MINIMIZER; user value 1 is its system. */
typedef struct basin_l_minimizer {
  basin_minimizer *minimizer;
  basin_context *context;
} basin_l_minimizer;
basin_l_minimizer *basin__check_minimizer(lua_State *L, int index);
/* Node-major vector of the list of arrays at index `list`, one a target of the minimizer at index
 * 1, in a fresh userdata on the stack. */
double *basin__check_vector(lua_State *L, basin_l_minimizer *box, int list);

#endif
