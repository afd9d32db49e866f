/* A hierarchy of clusters of a graph: small connected pieces of neighbouring nodes; the pieces are
 * the nodes of the next level. SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_LINALG_CLUSTERS_H
#define BASIN_LINALG_CLUSTERS_H

#include <basin/linalg.h>

/* Every node is in one cluster; a cluster holds one or more pieces. */
typedef struct basin__cluster_level {
  uint32_t node_count, cluster_count, piece_count;
  uint32_t *starts;   /* cluster_count + 1 places in `nodes` */
  uint32_t *nodes;    /* cluster after cluster, in each piece after piece */
  uint32_t *places;   /* of a node in `nodes` */
  uint32_t *clusters; /* of a node */
  uint32_t *pieces;   /* of a node: its node on the next level */
  uint32_t
      *piece_starts; /* piece_count + 1 places in `nodes`; pieces are in the order of `nodes` */
} basin__cluster_level;

enum { BASIN__CLUSTER_LEVELS = 16 };
typedef struct basin__clusters {
  basin_context *context;
  unsigned level_count; /* at least 1; the last level has no next one */
  basin__cluster_level levels[BASIN__CLUSTER_LEVELS];
} basin__clusters;

/* A graph without weights: neighbours of node i are neighbours[starts[i]] up to
 * neighbours[starts[i + 1] - 1]; a node may be its own neighbour. */
typedef struct basin__graph {
  uint32_t node_count;
  const uint32_t *starts, *neighbours;
} basin__graph;

/* Levels until one cluster holds all, or until pieces are too many to be worth another. Clusters
 * have at most `limit` nodes. Depends on the graph alone. After an error `clusters` is empty. */
basin_status basin__clusters_make(basin_context *context,
                                  const basin__graph *graph,
                                  uint32_t limit,
                                  basin__clusters *clusters);
void basin__clusters_release(basin__clusters *clusters); /* an empty one is fine */

#endif
