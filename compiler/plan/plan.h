/* The inside of a plan: its kernels' programs, and the tables its description points to.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_PLAN_PLAN_H
#define BASIN_PLAN_PLAN_H

#include "passes/pipeline.h"
#include "plan/program.h"
#include <basin/compiler.h>

struct basin_plan {
  basin_context *context;
  basin_graph *graph; /* borrowed: for dumps only */
  basin_arena arena;  /* holds everything below */
  const char *name;
  const char *script; /* where the expression was built; may be NULL */
  int line;
  basin_plan_info info;
  basin_kernel_program *kernels[BASIN_STAGE_COUNT]; /* NULL where there is none */
  /* For explain and dump. */
  basin_ref expression;                /* the matrix node */
  basin_ref root;                      /* energies: after hoisting */
  basin_refs stages[BASIN_PASS_LIMIT]; /* roots after each pass, in the arena (capacity unused) */
  double seconds[BASIN_PASS_LIMIT];
  bool project_unknowns;
  basin_strbuf text; /* of the last explain or dump */
};

/* The program of a stage, or NULL. */
const basin_kernel_program *basin__plan_program(const basin_plan *plan, basin_stage stage);

/* An empty plan named `name` for an expression of the graph. */
basin_status basin__plan_create(basin_graph *graph,
                                basin_expression expression,
                                const char *name,
                                basin_plan **plan);

/* Copies `size` bytes into the plan's arena; never NULL on success, even for 0 bytes. */
basin_status basin__plan_copy(basin_plan *plan, const void *data, size_t size, void *copy_pointer);

/* ---- unknowns.c: roles of accesses and the order of local unknowns ---- */
typedef struct basin_roles {
  basin_context *context;
  uint8_t *roles; /* basin_access_role by access number of the graph */
  uint32_t count;
} basin_roles;
basin_status
basin__roles_init(basin_roles *roles, basin_graph *graph, const basin_unknowns *unknowns);
void basin__roles_fini(basin_roles *roles);

/* The unknown accesses below `roots` with role OUTPUT (then those HELD, first = BASIN_NONE, output
 * = false), outputs in the order of the list `arrays`, paths in lexicographic order. *block: the
 * requested one, or 1 if some size is not its multiple. Memory from the plan's arena. */
basin_status basin__list_unknowns(basin_plan *plan,
                                  const basin_roles *roles,
                                  const basin_ref *roots,
                                  uint32_t root_count,
                                  const basin_array_id *arrays,
                                  size_t array_count,
                                  unsigned *block,
                                  basin_unknown_access **list,
                                  size_t *count,
                                  uint32_t *local_size);
/* The loads of all output unknowns in local order. `loads` has local_size entries. */
basin_status basin__unknown_loads(basin_plan *plan,
                                  const basin_unknown_access *list,
                                  size_t count,
                                  unsigned block,
                                  basin_refs *loads);

/* ---- kernel.c: from roots to a kernel program with its description ---- */
typedef struct basin_kernel_roots {
  basin_stage stage;
  const char *suffix; /* of the kernel's name */
  const basin_ref *inner, *outer;
  uint32_t inner_count, outer_count;
  uint32_t local_size, block, inner_size;
} basin_kernel_roots;
basin_status basin__plan_add_kernel(basin_plan *plan, const basin_kernel_roots *roots);
/* The distinct arrays that the roots load, into the plan's arena. */
basin_status basin__plan_arrays(basin_plan *plan,
                                const basin_ref *roots,
                                uint32_t count,
                                const basin_array_id **arrays,
                                size_t *array_count);

#endif
