/* Nodes: storage, hash-consing by structure, children, constants, loads, accesses.
 * SPDX-License-Identifier: Apache-2.0 */
#include "graph/ir.h"
#include "graph/graph.h"
#include <string.h>

basin_context *basin__graph_context(const basin_graph *graph)
{
  return graph->context;
}

const basin_node *basin__node(const basin_graph *graph, basin_ref ref)
{
  BASIN_ASSERT(ref > 0 && ref < graph->count);
  return &graph->nodes[ref];
}

uint32_t basin__graph_count(const basin_graph *graph)
{
  return graph->count ? (uint32_t)graph->count - 1 : 0;
}

bool basin__graph_failed(const basin_graph *graph)
{
  return graph->failed;
}

static bool is_list(unsigned op)
{
  return (basin__op_info(op)->flags & BASIN_OP_LIST) != 0;
}

const uint32_t *basin__node_list(const basin_graph *graph, basin_ref ref, uint32_t *length)
{
  const basin_node *node = basin__node(graph, ref);
  BASIN_ASSERT(is_list(node->op));
  *length = node->b;
  return graph->lists + node->a;
}

uint32_t basin__child_count(const basin_graph *graph, basin_ref ref)
{
  const basin_node *node = basin__node(graph, ref);
  int arity = basin__op_info(node->op)->arity;
  return arity < 0 ? node->b : (uint32_t)arity;
}

basin_ref basin__child(const basin_graph *graph, basin_ref ref, uint32_t i)
{
  const basin_node *node = basin__node(graph, ref);
  BASIN_ASSERT(i < basin__child_count(graph, ref));
  if (is_list(node->op)) return graph->lists[node->a + i];
  return i == 0 ? node->a : i == 1 ? node->b : node->c;
}

/* ---- hash-consing ---- */

static uint64_t mix(uint64_t hash, uint64_t word)
{
  hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
  return hash ^ (hash >> 29);
}

static uint64_t node_hash(const basin_node *node, const uint32_t *list)
{
  uint64_t hash = mix(0x51ed270b0a1f39c1u,
                      ((uint64_t)node->op << 16) | ((uint64_t)node->rows << 8) | node->cols);
  if (list) {
    hash = mix(hash, ((uint64_t)node->b << 32) | node->c);
    for (uint32_t i = 0; i < node->b; i++) hash = mix(hash, list[i]);
  } else {
    hash = mix(hash, ((uint64_t)node->a << 32) | node->b);
    hash = mix(hash, node->c);
  }
  return mix(hash, hash >> 32);
}

static bool
same_node(const basin_graph *graph, basin_ref ref, const basin_node *node, const uint32_t *list)
{
  const basin_node *other = &graph->nodes[ref];
  if (other->op != node->op || other->rows != node->rows || other->cols != node->cols) return false;
  if (other->b != node->b || other->c != node->c) return false;
  if (!list) return other->a == node->a;
  return node->b == 0 || memcmp(graph->lists + other->a, list, node->b * sizeof *list) == 0;
}

static basin_status grow_table(basin_graph *graph)
{
  size_t size = graph->table_size ? 2 * graph->table_size : 256;
  uint32_t *table = basin__calloc(graph->context, size, sizeof *table);
  if (!table) return BASIN_ERROR_MEMORY;
  for (size_t i = 0; i < graph->table_size; i++) {
    uint32_t ref = graph->table[i];
    if (!ref) continue;
    const basin_node *node = &graph->nodes[ref];
    size_t slot =
        (size_t)node_hash(node, is_list(node->op) ? graph->lists + node->a : NULL) & (size - 1);
    while (table[slot]) slot = (slot + 1) & (size - 1);
    table[slot] = ref;
  }
  basin__free(graph->context, graph->table, graph->table_size * sizeof *table);
  graph->table = table;
  graph->table_size = size;
  return BASIN_OK;
}

/* Room for one more node and `length` more list entries. */
static basin_status reserve(basin_graph *graph, size_t length)
{
  basin_context *context = graph->context;
  size_t need = graph->count ? graph->count + 1 : 2;
  if (need >= UINT32_MAX || graph->list_count + length >= UINT32_MAX)
    return BASIN_FAIL(context, BASIN_ERROR_MEMORY, "the expression graph has more than 2^32 nodes");
  if (2 * need > graph->table_size) BASIN_TRY(grow_table(graph));
  BASIN_TRY(basin__grow(context, &graph->nodes, &graph->node_capacity, need, sizeof *graph->nodes));
  BASIN_TRY(basin__grow(context, &graph->side, &graph->side_capacity, need, sizeof *graph->side));
  BASIN_TRY(basin__grow(context, &graph->joins, &graph->join_capacity, need, sizeof *graph->joins));
  if (length)
    BASIN_TRY(basin__grow(context,
                          &graph->lists,
                          &graph->list_capacity,
                          graph->list_count + length,
                          sizeof *graph->lists));
  if (!graph->count) {
    memset(graph->nodes, 0, sizeof *graph->nodes);
    graph->side[0] = (basin_node_side){BASIN_SPACE_LITERAL, 0};
    graph->joins[0] = 0;
    graph->count = 1;
  }
  return BASIN_OK;
}

/* Only matrix nodes can contain JOINs. */
static uint8_t join_depth(const basin_graph *graph, basin_ref ref)
{
  const basin_node *node = &graph->nodes[ref];
  if (!(basin__op_info(node->op)->flags & BASIN_OP_MATRIX)) return 0;
  unsigned depth = 0;
  for (uint32_t i = 0, n = basin__child_count(graph, ref); i < n; i++) {
    unsigned child = graph->joins[basin__child(graph, ref, i)];
    if (child > depth) depth = child;
  }
  depth += node->op == BASIN_OP_M_JOIN;
  return depth < 255 ? (uint8_t)depth : 255;
}

/* The slot of the node with this structure, or the empty slot where it belongs. */
static size_t find_slot(const basin_graph *graph, const basin_node *node, const uint32_t *list)
{
  size_t slot = (size_t)node_hash(node, list) & (graph->table_size - 1);
  while (graph->table[slot] && !same_node(graph, graph->table[slot], node, list))
    slot = (slot + 1) & (graph->table_size - 1);
  return slot;
}

basin_ref basin__lookup(const basin_graph *graph, const basin_node *node, const uint32_t *list)
{
  return graph->table_size ? graph->table[find_slot(graph, node, list)] : 0;
}

basin_ref
basin__intern(basin_graph *graph, const basin_node *node, const uint32_t *list, uint32_t owner)
{
  if (graph->failed) return 0;
  size_t length = list ? node->b : 0;
  bool inside =
      list && graph->lists && list >= graph->lists && list < graph->lists + graph->list_count;
  size_t offset = inside ? (size_t)(list - graph->lists) : 0;
  if (reserve(graph, length)) {
    graph->failed = true;
    return 0;
  }
  if (inside) list = graph->lists + offset; /* the pool may have moved */
  size_t slot = find_slot(graph, node, list);
  if (graph->table[slot]) return graph->table[slot];
  basin_ref ref = (basin_ref)graph->count++;
  graph->table[slot] = ref;
  graph->nodes[ref] = *node;
  graph->side[ref] = (basin_node_side){owner, graph->origin};
  if (list) {
    if (length) memcpy(graph->lists + graph->list_count, list, length * sizeof *list);
    graph->nodes[ref].a = (uint32_t)graph->list_count;
    graph->list_count += length;
  }
  graph->joins[ref] = join_depth(graph, ref);
  return ref;
}

basin_ref basin__list_node(basin_graph *graph,
                           basin_op op,
                           const basin_ref *list,
                           uint32_t length,
                           uint32_t extra,
                           unsigned rows,
                           unsigned cols)
{
  static const basin_ref none = 0;
  BASIN_ASSERT(is_list(op));
  for (uint32_t i = 0; i < length; i++)
    if (!list[i]) return 0;
  basin_node node = {(uint16_t)op, (uint8_t)rows, (uint8_t)cols, 0, length, extra};
  return basin__intern(graph, &node, length ? list : &none, BASIN_SPACE_LITERAL);
}

basin_ref basin__raw(basin_graph *graph, basin_op op, basin_ref a, basin_ref b, basin_ref c)
{
  if ((basin__op_info(op)->flags & BASIN_OP_COMMUTES) && a > b) {
    basin_ref swap = a;
    a = b;
    b = swap;
  }
  basin_node node = {(uint16_t)op, 1, 1, a, b, c};
  return basin__intern(graph, &node, NULL, BASIN_SPACE_LITERAL);
}

/* ---- leaves ---- */

basin_ref basin__const(basin_graph *graph, double value)
{
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  basin_node node = {BASIN_OP_CONST, 1, 1, (uint32_t)bits, (uint32_t)(bits >> 32), 0};
  return basin__intern(graph, &node, NULL, BASIN_SPACE_LITERAL);
}

bool basin__is_const(const basin_graph *graph, basin_ref ref, double *value)
{
  if (!ref || graph->nodes[ref].op != BASIN_OP_CONST) return false;
  uint64_t bits = graph->nodes[ref].a | ((uint64_t)graph->nodes[ref].b << 32);
  if (value) memcpy(value, &bits, sizeof bits);
  return true;
}

bool basin__is_zero(const basin_graph *graph, basin_ref ref)
{
  double value;
  return basin__is_const(graph, ref, &value) && value == 0;
}

basin_ref basin__load(basin_graph *graph, uint32_t access, uint32_t component)
{
  basin_node node = {BASIN_OP_LOAD, 1, 1, access, component, 0};
  return basin__intern(graph, &node, NULL, BASIN_SPACE_LITERAL);
}

/* ---- accesses ---- */

static uint64_t access_hash(const basin_access *access)
{
  uint64_t hash = mix(access->step_count, access->array);
  for (uint32_t i = 0; i < access->step_count; i++)
    hash = mix(hash, ((uint64_t)access->steps[i].connectivity << 32) | access->steps[i].slot);
  return hash;
}

static bool same_access(const basin_access *a, const basin_access *b)
{
  if (a->array != b->array || a->step_count != b->step_count) return false;
  for (uint32_t i = 0; i < a->step_count; i++)
    if (a->steps[i].connectivity != b->steps[i].connectivity ||
        a->steps[i].slot != b->steps[i].slot)
      return false;
  return true;
}

static basin_status grow_access_table(basin_graph *graph)
{
  size_t size = graph->access_table_size ? 2 * graph->access_table_size : 64;
  uint32_t *table = basin__calloc(graph->context, size, sizeof *table);
  if (!table) return BASIN_ERROR_MEMORY;
  for (size_t i = 0; i < graph->access_count; i++) {
    size_t slot = (size_t)access_hash(&graph->accesses[i]) & (size - 1);
    while (table[slot]) slot = (slot + 1) & (size - 1);
    table[slot] = (uint32_t)i + 1;
  }
  basin__free(graph->context, graph->access_table, graph->access_table_size * sizeof *table);
  graph->access_table = table;
  graph->access_table_size = size;
  return BASIN_OK;
}

uint32_t basin__access_intern(basin_graph *graph, const basin_access *access)
{
  BASIN_ASSERT(access->step_count <= BASIN_PATH_MAX);
  size_t need = graph->access_count + 1;
  if (graph->failed) return 0;
  if ((2 * need > graph->access_table_size && grow_access_table(graph)) ||
      basin__grow(graph->context,
                  &graph->accesses,
                  &graph->access_capacity,
                  need,
                  sizeof *graph->accesses)) {
    graph->failed = true;
    return 0;
  }
  size_t slot = (size_t)access_hash(access) & (graph->access_table_size - 1);
  for (; graph->access_table[slot]; slot = (slot + 1) & (graph->access_table_size - 1)) {
    uint32_t number = graph->access_table[slot] - 1;
    if (same_access(&graph->accesses[number], access)) return number;
  }
  basin_access *copy = &graph->accesses[graph->access_count];
  memset(copy, 0, sizeof *copy);
  copy->array = access->array;
  copy->step_count = access->step_count;
  for (uint32_t i = 0; i < access->step_count; i++) copy->steps[i] = access->steps[i];
  graph->access_table[slot] = (uint32_t)need;
  return (uint32_t)graph->access_count++;
}

const basin_access *basin__access(const basin_graph *graph, uint32_t number)
{
  BASIN_ASSERT(number < graph->access_count);
  return &graph->accesses[number];
}

/* ---- origins ---- */

const char *basin__origin_script(const basin_graph *graph, basin_ref ref)
{
  uint32_t origin = ref ? graph->side[ref].origin : 0;
  return origin ? graph->origins[origin].script : NULL;
}

int basin__origin_line(const basin_graph *graph, basin_ref ref)
{
  uint32_t origin = ref ? graph->side[ref].origin : 0;
  return origin ? graph->origins[origin].line : 0;
}
