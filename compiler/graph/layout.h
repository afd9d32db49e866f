/* What passes need of a graph beyond its nodes: memory layout of accesses, inner inputs, rebuilding
 * under a substitution.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_GRAPH_LAYOUT_H
#define BASIN_GRAPH_LAYOUT_H

#include "graph/ir.h"
#include "plan/program.h"
#include <basin/compiler.h>

/* Stride, arities and name of an access; the name is copied into the arena. Arrays not declared
 * (yet): BASIN_ERROR_STATE. */
basin_status basin__access_layout(basin_graph *graph,
                                  basin_arena *arena,
                                  const basin_access *access,
                                  basin_access_layout *layout);
/* Reads the one instance of a scene's or mesh's array. */
bool basin__access_shared(const basin_graph *graph, uint32_t access);
/* Shape, owner and role of an array; false if it is not declared. */
bool basin__array_declaration(const basin_graph *graph,
                              basin_array_id array,
                              unsigned *rows,
                              unsigned *cols,
                              basin_space_id *space,
                              basin_array_role *role);
const char *basin__array_name(const basin_graph *graph, basin_array_id array); /* "?" if unknown */
const char *basin__space_name(const basin_graph *graph, basin_space_id space);
const char *basin__connectivity_name(const basin_graph *graph, basin_connectivity_id connectivity);
uint32_t basin__access_count(const basin_graph *graph);

/* The INNER leaf of that number. */
basin_ref basin__inner(basin_graph *graph, uint32_t number);
/* The scalar node with each child c replaced by replaced[c] (never 0), through the builder. */
basin_ref basin__rebuild(basin_graph *graph, basin_ref ref, const basin_ref *replaced);

#endif
