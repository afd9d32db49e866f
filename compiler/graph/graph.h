/* The inside of a graph: node array, hash-consing table, list pool, declarations, origins. Only
 * files of compiler/graph and lower.c see it.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_GRAPH_GRAPH_H
#define BASIN_GRAPH_GRAPH_H

#include "graph/ir.h"
#include "graph/ops.h"
#include <basin/compiler.h>

/* Declared things under the ids of the runtime's system, found by a search in an array sorted by
 * id. */
typedef struct basin_graph_space {
  uint32_t id, parent;
  bool shared;
  char *name;
} basin_graph_space;

typedef struct basin_graph_array {
  uint32_t id, space;
  uint8_t rows, cols;
  basin_array_role role;
  char *name;
} basin_graph_array;

typedef struct basin_graph_connectivity {
  uint32_t id, from, to, arity;
  char *name;
} basin_graph_connectivity;

/* What is known of a node besides its structure. */
typedef struct basin_node_side {
  uint32_t owner;  /* space id; literals and scalars: BASIN_SPACE_LITERAL */
  uint32_t origin; /* number in `origins`, 0 = unknown */
} basin_node_side;

typedef struct basin_origin {
  const char *script; /* in the arena */
  int line;
} basin_origin;

struct basin_graph {
  basin_context *context;
  bool failed;         /* an allocation failed: every builder function gives 0 from now on */
  unsigned rule_depth; /* nesting of builder calls from rules */

  basin_node *nodes; /* [0] is no node */
  basin_node_side *side;
  uint8_t *joins; /* deepest nesting of JOINs below the node */
  size_t count, node_capacity, side_capacity, join_capacity;
  uint32_t *lists;
  size_t list_count, list_capacity;
  uint32_t *table; /* open addressing by structure; 0 = empty */
  size_t table_size;
  size_t verified; /* nodes up to here passed basin__graph_verify */

  basin_access *accesses;
  size_t access_count, access_capacity;
  uint32_t *access_table; /* number + 1; 0 = empty */
  size_t access_table_size;

  basin_graph_space *spaces;
  size_t space_count, space_capacity;
  basin_graph_array *arrays;
  size_t array_count, array_capacity;
  basin_graph_connectivity *connectivities;
  size_t connectivity_count, connectivity_capacity;

  basin_arena arena;
  basin_origin *origins; /* [0] is unknown */
  size_t origin_count, origin_capacity;
  uint32_t origin;                 /* given to nodes made from now on */
  struct basin_lowering *lowering; /* memo of lower.c, made on first use */

  basin_strbuf text; /* of basin_expression_text */
  uint32_t *ids;     /* of basin_expression_arrays and _connectivities */
  size_t id_capacity;
};

const basin_graph_space *basin__graph_space(const basin_graph *graph, uint32_t id);
const basin_graph_array *basin__graph_array(const basin_graph *graph, uint32_t id);
const basin_graph_connectivity *basin__graph_connectivity(const basin_graph *graph, uint32_t id);

/* Hash-conses a node exactly as given (no simplification): the node with this structure, made if
 * there is none. `list` is NULL for nodes without one. 0 if memory is out. `owner` is used for a
 * new node only: structure determines it. */
basin_ref
basin__intern(basin_graph *graph, const basin_node *node, const uint32_t *list, uint32_t owner);

/* The node with this structure, 0 if there is none. */
basin_ref basin__lookup(const basin_graph *graph, const basin_node *node, const uint32_t *list);

/* Scalar operator node as given: no simplification, operands of commuting operators ordered. */
basin_ref basin__raw(basin_graph *graph, basin_op op, basin_ref a, basin_ref b, basin_ref c);

/* a b op c d, made in that order: C leaves the order of arguments open, and with it the numbers of
 * the nodes. */
basin_ref basin__two_products(
    basin_graph *graph, basin_op op, basin_ref a, basin_ref b, basin_ref c, basin_ref d);

/* True if the value of a scalar node is a truth value. */
bool basin__is_boolean(const basin_graph *graph, basin_ref ref);
/* A number from a truth value (1 or 0) and a truth value from a number (not zero); others pass
 * unchanged. */
basin_ref basin__to_number(basin_graph *graph, basin_ref ref);
basin_ref basin__to_boolean(basin_graph *graph, basin_ref ref);

/* Frees the memo of lower.c. */
void basin__lowering_destroy(basin_graph *graph);

#endif
