/* The invariants of a graph, checked between passes.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_GRAPH_VERIFY_H
#define BASIN_GRAPH_VERIFY_H

#include "graph/ir.h"

/* BASIN_ERROR_INTERNAL naming node and invariant if one is broken. Nodes never change, so each is
 * checked once. */
basin_status basin__graph_verify(basin_graph *graph);

#endif
