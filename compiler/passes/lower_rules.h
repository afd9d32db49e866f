/* Lowering of one matrix operator whose children are lowered.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_PASSES_LOWER_RULES_H
#define BASIN_PASSES_LOWER_RULES_H

#include "graph/expression.h"

/* Entries of the node (rows * cols, row-major) into `out`; parts[i] are the entries of child i.
 * Out of memory shows in basin__graph_failed and as a status. */
basin_status basin__lower_rule(basin_graph *graph,
                               basin_ref node,
                               const basin_ref *const *parts,
                               basin_ref *out);

#endif
