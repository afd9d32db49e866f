/* The simplification rules by family; each gives the simplified node, or 0 to say that no rule
 * applies.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_GRAPH_BUILD_H
#define BASIN_GRAPH_BUILD_H

#include "graph/graph.h"

basin_ref basin__rule_add(basin_graph *graph, basin_ref a, basin_ref b);
basin_ref basin__rule_sub(basin_graph *graph, basin_ref a, basin_ref b);
basin_ref basin__rule_mul(basin_graph *graph, basin_ref a, basin_ref b);
basin_ref basin__rule_div(basin_graph *graph, basin_ref a, basin_ref b);
basin_ref basin__rule_neg(basin_graph *graph, basin_ref a);
basin_ref basin__rule_power(basin_graph *graph, basin_ref a, basin_ref b);
basin_ref basin__rule_xlogy(basin_graph *graph, basin_ref a, basin_ref b);

/* Rules that keep the branch of a select that is not taken out of sums, products and quotients. */
basin_ref
basin__rule_select_sum(basin_graph *graph, basin_op op, basin_ref a, basin_ref b); /* ADD, SUB */
basin_ref basin__rule_select_mul(basin_graph *graph, basin_ref a, basin_ref b);
basin_ref basin__rule_select_div(basin_graph *graph, basin_ref a, basin_ref b);

/* A copy of the node, for rules that build while they look at it. */
basin_node basin__peek(const basin_graph *graph, basin_ref ref);

#endif
