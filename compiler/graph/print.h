/* Text of graphs: dumps that read back, and short infix forms.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_GRAPH_PRINT_H
#define BASIN_GRAPH_PRINT_H

#include "graph/ir.h"

/* Appends the nodes that the roots reach, one a line and children first, after the declarations
 * that they use. A graph parsed from the text prints as the same text. Grammar:
 * docs/internals/graph.md. */
basin_status basin__graph_print(const basin_graph *graph,
                                const basin_ref *roots,
                                uint32_t count,
                                basin_strbuf *text);

/* Adds declarations and nodes of the text to the graph, exactly as written (nothing is simplified).
 * *roots has *count references, to be released with basin__free(context, *roots, *count * sizeof
 * **roots). BASIN_ERROR_FORMAT names the line; the graph then keeps what came before it. Any bytes
 * are safe input. */
basin_status basin__graph_parse(
    basin_graph *graph, const char *text, size_t length, basin_ref **roots, uint32_t *count);

/* A scalar or matrix node as infix text of at most `limit` characters; numbers of slots and entries
 * count from 1. */
void basin__print_scalar(const basin_graph *graph, basin_ref ref, size_t limit, basin_strbuf *text);

#endif
