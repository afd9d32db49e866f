/* A hierarchy of clusters of a graph, grown greedily. SPDX-License-Identifier: Apache-2.0 */
#include "clusters.h"

#include "base/base.h"
#include <string.h>

#define NONE UINT32_MAX

void basin__clusters_release(basin__clusters *clusters)
{
  for (unsigned l = 0; l < clusters->level_count; l++) {
    basin__cluster_level *level = &clusters->levels[l];
    size_t bytes = ((size_t)level->node_count + 1) * sizeof(uint32_t);
    uint32_t *arrays[] = {level->starts,
                          level->nodes,
                          level->places,
                          level->clusters,
                          level->pieces,
                          level->piece_starts};
    for (size_t i = 0; i < BASIN_COUNT(arrays); i++)
      basin__free(clusters->context, arrays[i], bytes);
  }
  *clusters = (basin__clusters){.context = clusters->context};
}

/* All arrays of a level have room for node_count + 1 words. */
static basin_status reserve_level(basin__clusters *clusters, uint32_t node_count)
{
  basin__cluster_level *level = &clusters->levels[clusters->level_count++];
  *level = (basin__cluster_level){.node_count = node_count};
  uint32_t **arrays[] = {&level->starts,
                         &level->nodes,
                         &level->places,
                         &level->clusters,
                         &level->pieces,
                         &level->piece_starts};
  for (size_t i = 0; i < BASIN_COUNT(arrays); i++) {
    *arrays[i] = basin__calloc(clusters->context, (size_t)node_count + 1, sizeof(uint32_t));
    if (*arrays[i] == NULL) return BASIN_ERROR_MEMORY;
  }
  return BASIN_OK;
}

/* ---- pieces ---- */

/* Grows pieces one after the other: from a seed, always the node with most neighbours in the piece
 * is added, the one found first of several. Seeds are nodes that finished pieces touch, in the
 * order in which they were found, so that no gaps stay between pieces. */
typedef struct growth {
  const basin__graph *graph;
  basin__cluster_level *level;
  uint32_t limit;
  uint32_t *links; /* of a node to the piece that grows */
  uint32_t *found; /* candidates for the piece */
  uint32_t found_count;
  uint32_t *seeds; /* each node is put there at most once */
  uint32_t seed_count, next_seed, next_node;
  bool *queued;
} growth;

static void take(growth *g, uint32_t node, uint32_t piece)
{
  basin__cluster_level *level = g->level;
  uint32_t place = level->piece_starts[piece + 1]++;
  level->nodes[place] = node;
  level->pieces[node] = piece;
  for (uint32_t k = g->graph->starts[node]; k < g->graph->starts[node + 1]; k++) {
    uint32_t other = g->graph->neighbours[k];
    if (level->pieces[other] != NONE) continue;
    if (g->links[other]++ == 0) g->found[g->found_count++] = other;
  }
}

/* The best candidate, taken out of the list; NONE if there is none. */
static uint32_t best_candidate(growth *g)
{
  uint32_t best = NONE;
  for (uint32_t k = 0; k < g->found_count; k++) {
    if (best == NONE || g->links[g->found[k]] > g->links[g->found[best]]) best = k;
  }
  if (best == NONE) return NONE;
  uint32_t node = g->found[best];
  memmove(g->found + best, g->found + best + 1, (g->found_count - best - 1) * sizeof *g->found);
  g->found_count--;
  return node;
}

static uint32_t next_seed(growth *g)
{
  while (g->next_seed < g->seed_count) {
    uint32_t node = g->seeds[g->next_seed++];
    if (g->level->pieces[node] == NONE) return node;
  }
  while (g->next_node < g->graph->node_count) {
    if (g->level->pieces[g->next_node] == NONE) return g->next_node;
    g->next_node++;
  }
  return NONE;
}

static void grow_piece(growth *g, uint32_t seed, uint32_t piece)
{
  g->level->piece_starts[piece + 1] = g->level->piece_starts[piece];
  g->found_count = 0;
  for (uint32_t node = seed, size = 0; node != NONE; node = best_candidate(g)) {
    take(g, node, piece);
    if (++size == g->limit) break;
  }
  for (uint32_t k = 0; k < g->found_count; k++) {
    uint32_t node = g->found[k];
    g->links[node] = 0;
    if (!g->queued[node]) g->seeds[g->seed_count++] = node;
    g->queued[node] = true;
  }
}

static basin_status grow_pieces(basin_context *context,
                                const basin__graph *graph,
                                uint32_t limit,
                                basin__cluster_level *level)
{
  size_t words = (size_t)graph->node_count + 1, bytes = words * (3 * sizeof(uint32_t) + 1);
  uint32_t *memory = basin__calloc(context, 1, bytes);
  if (memory == NULL) return BASIN_ERROR_MEMORY;
  growth g = {.graph = graph,
              .level = level,
              .limit = limit,
              .links = memory,
              .found = memory + words,
              .seeds = memory + 2 * words,
              .queued = (bool *)(memory + 3 * words)};
  memset(level->pieces, 0xff, graph->node_count * sizeof *level->pieces);
  for (uint32_t seed = next_seed(&g); seed != NONE; seed = next_seed(&g))
    grow_piece(&g, seed, level->piece_count++);
  basin__free(context, memory, bytes);
  return BASIN_OK;
}

/* Neighbouring small pieces share a cluster. */
static void pack_pieces(uint32_t limit, basin__cluster_level *level)
{
  uint32_t size = 0;
  for (uint32_t piece = 0; piece < level->piece_count; piece++) {
    uint32_t own = level->piece_starts[piece + 1] - level->piece_starts[piece];
    if (level->cluster_count == 0 || size + own > limit) {
      level->cluster_count++;
      size = 0;
    }
    size += own;
    level->starts[level->cluster_count] = level->piece_starts[piece + 1];
    for (uint32_t k = level->piece_starts[piece]; k < level->piece_starts[piece + 1]; k++) {
      level->clusters[level->nodes[k]] = level->cluster_count - 1;
      level->places[level->nodes[k]] = k;
    }
  }
}

/* ---- the graph of the pieces ---- */

/* The neighbours of each piece, each once; counts without `neighbours`. `seen`: a word a piece. */
static void link_pieces(const basin__graph *graph,
                        const basin__cluster_level *level,
                        uint32_t *seen,
                        uint32_t *starts,
                        uint32_t *neighbours)
{
  uint32_t count = 0;
  memset(seen, 0xff, level->piece_count * sizeof *seen);
  for (uint32_t piece = 0; piece < level->piece_count; piece++) {
    starts[piece] = count;
    for (uint32_t p = level->piece_starts[piece]; p < level->piece_starts[piece + 1]; p++) {
      uint32_t node = level->nodes[p];
      for (uint32_t k = graph->starts[node]; k < graph->starts[node + 1]; k++) {
        uint32_t other = level->pieces[graph->neighbours[k]];
        if (other == piece || seen[other] == piece) continue;
        seen[other] = piece;
        if (neighbours != NULL) neighbours[count] = other;
        count++;
      }
    }
  }
  starts[level->piece_count] = count;
}

/* A graph with its memory. */
typedef struct owned {
  basin__graph graph;
  uint32_t *memory;
  size_t bytes;
} owned;

static basin_status coarsen(basin_context *context,
                            const basin__graph *graph,
                            const basin__cluster_level *level,
                            owned *coarse)
{
  size_t pieces = (size_t)level->piece_count + 1;
  size_t work_bytes = 2 * pieces * sizeof(uint32_t);
  uint32_t *work = basin__alloc(context, work_bytes);
  if (work == NULL) return BASIN_ERROR_MEMORY;
  link_pieces(graph, level, work, work + pieces, NULL);
  size_t edges = work[2 * pieces - 1];
  coarse->bytes = (pieces + edges) * sizeof(uint32_t);
  coarse->memory = basin__alloc(context, coarse->bytes);
  if (coarse->memory != NULL) {
    link_pieces(graph, level, work, coarse->memory, coarse->memory + pieces);
    coarse->graph = (basin__graph){level->piece_count, coarse->memory, coarse->memory + pieces};
  }
  basin__free(context, work, work_bytes);
  return coarse->memory != NULL ? BASIN_OK : BASIN_ERROR_MEMORY;
}

/* A level that halves the nodes at least is worth having. */
static bool wants_another(const basin__clusters *clusters, const basin__cluster_level *level)
{
  return level->cluster_count > 1 && level->piece_count <= level->node_count / 2 &&
         clusters->level_count < BASIN__CLUSTER_LEVELS;
}

basin_status basin__clusters_make(basin_context *context,
                                  const basin__graph *graph,
                                  uint32_t limit,
                                  basin__clusters *clusters)
{
  *clusters = (basin__clusters){.context = context};
  owned here = {.graph = *graph};
  basin_status status;
  for (;;) {
    basin__cluster_level *level = &clusters->levels[clusters->level_count];
    owned next = {.memory = NULL};
    status = reserve_level(clusters, here.graph.node_count);
    if (status == BASIN_OK) status = grow_pieces(context, &here.graph, limit, level);
    if (status == BASIN_OK) pack_pieces(limit, level);
    bool more = status == BASIN_OK && wants_another(clusters, level);
    if (more) status = coarsen(context, &here.graph, level, &next);
    basin__free(context, here.memory, here.bytes);
    here = next;
    if (!more || status != BASIN_OK) break;
  }
  basin__free(context, here.memory, here.bytes);
  if (status != BASIN_OK) basin__clusters_release(clusters);
  return status;
}
