/* Multilevel additive Schwarz on a CUDA device: the hierarchy is made on the host from the pattern
 * of the first matrix, the levels' matrices and inverses on the device. SPDX-License-Identifier:
 * Apache-2.0 */
#include "schwarz.h"

#include "base/base.h"
#include "collapse.h"
#include "internal.h"
#include "linalg/clusters.h"
#include "linalg/schwarz.h"
#include <string.h>

/* Levels with at most this many nodes are restricted by one thread block. */
enum { REST_NODES = 8192, THREADS = 256, REST_THREADS = 1024 };

struct basin__cuda_schwarz {
  basin_cuda *cuda;
  uint32_t node_count;
  unsigned block, level_count;
  bool made;
  size_t largest; /* unknowns of a cluster */
  uint32_t total; /* nodes of all levels */
  /* of each level and the one after the last: its first node, its first cluster */
  uint32_t first_nodes[BASIN__CLUSTER_LEVELS + 1], first_clusters[BASIN__CLUSTER_LEVELS + 1];
  unsigned rest; /* levels from this one on are restricted together */
  size_t inverse_count;
  /* One numbering for the nodes, places and clusters of all levels, level after level. */
  basin_buffer nodes, clusters, starts, inverse_places, parents, child_starts, level_starts;
  basin_buffer inverses, inverses_single, results, other_r, other_z;
  basin_cuda_bsr_memory matrices[BASIN__CLUSTER_LEVELS]; /* of levels above the first */
  basin_buffer maps; /* pieces of the nodes of all levels, numbered from 0 on each */
  basin__cuda_collapse collapse;
  bool single_current;
  basin_address held; /* see basin__cuda_preconditioner_hold */
};

/* The texts that an update and an application come to, compiled side by side. */
static basin_status prepare_texts(basin_cuda *cuda, unsigned block)
{
  basin__cuda_definitions definitions = basin__cuda_define(block, false);
  const basin_cuda_wanted wanted[] = {{"collapse.cu", definitions.text},
                                      {"jacobi.cu", definitions.text},
                                      {"schwarz.cu", definitions.text},
                                      {"radix.cu", "-DKEY_BITS=64"},
                                      {"runs.cu", ""},
                                      {"scan.cu", ""}};
  return basin__cuda_prepare(cuda, wanted, BASIN_COUNT(wanted));
}

basin_status basin__cuda_schwarz_create(basin_cuda *cuda,
                                        uint32_t node_count,
                                        unsigned block,
                                        basin__cuda_schwarz **result)
{
  basin_context *context = basin__cuda_context(cuda);
  *result = NULL;
  if (block < 1 || block > BASIN__CUDA_LARGEST_BLOCK)
    return BASIN_FAIL(context,
                      BASIN_ERROR_UNSUPPORTED,
                      "block size %u is not in 1..%d",
                      block,
                      BASIN__CUDA_LARGEST_BLOCK);
  BASIN_TRY(prepare_texts(cuda, block));
  basin__cuda_schwarz *s = *result = basin__calloc(context, 1, sizeof *s);
  if (s == NULL) return BASIN_ERROR_MEMORY;
  s->cuda = cuda;
  s->node_count = node_count;
  s->block = block;
  return BASIN_OK;
}

void basin__cuda_schwarz_destroy(basin__cuda_schwarz *s)
{
  if (s == NULL) return;
  basin_buffer *buffers[] = {&s->nodes,
                             &s->clusters,
                             &s->starts,
                             &s->inverse_places,
                             &s->parents,
                             &s->child_starts,
                             &s->level_starts,
                             &s->inverses,
                             &s->inverses_single,
                             &s->results,
                             &s->other_r,
                             &s->other_z,
                             &s->maps};
  for (size_t i = 0; i < BASIN_COUNT(buffers); i++) basin__buffer_release(s->cuda, buffers[i]);
  for (size_t l = 0; l < BASIN__CLUSTER_LEVELS; l++)
    basin__cuda_bsr_release(s->cuda, &s->matrices[l]);
  basin__cuda_collapse_release(s->cuda, &s->collapse);
  basin__free(basin__cuda_context(s->cuda), s, sizeof *s);
}

/* ---- the pattern of the first matrix ---- */

/* The graph of all parts, an edge once for each part that has it. */
typedef struct host_graph {
  uint32_t *starts, *neighbours;
  size_t start_bytes, neighbour_bytes;
} host_graph;

static void release_graph(basin_context *context, host_graph *g)
{
  basin__free(context, g->starts, g->start_bytes);
  basin__free(context, g->neighbours, g->neighbour_bytes);
}

/* Reads the patterns of the parts: starts of part p from starts + p * (nodes + 1) on, columns one
 * part after the other. */
static basin_status read_patterns(basin_cuda *cuda,
                                  const basin_cuda_matrix *matrix,
                                  uint32_t *starts,
                                  uint32_t *columns)
{
  size_t nodes = matrix->parts[0].node_count, first = 0;
  for (unsigned p = 0; p < matrix->part_count; p++) {
    const basin_cuda_bsr *part = &matrix->parts[p];
    BASIN_TRY(basin__cuda_download(
        cuda, starts + p * (nodes + 1), part->row_starts, (nodes + 1) * sizeof *starts));
    if (part->block_count > 0)
      BASIN_TRY(basin__cuda_download(
          cuda, columns + first, part->columns, part->block_count * sizeof *columns));
    first += part->block_count;
  }
  return BASIN_OK;
}

static void join_patterns(const basin_cuda_matrix *matrix,
                          const uint32_t *starts,
                          const uint32_t *columns,
                          host_graph *g)
{
  uint32_t nodes = matrix->parts[0].node_count, count = 0;
  for (uint32_t node = 0; node < nodes; node++) {
    size_t first = 0;
    g->starts[node] = count;
    for (unsigned p = 0; p < matrix->part_count; p++) {
      const uint32_t *own = starts + p * ((size_t)nodes + 1);
      for (uint32_t k = own[node]; k < own[node + 1]; k++) {
        if (columns[first + k] != node) g->neighbours[count++] = columns[first + k];
      }
      first += matrix->parts[p].block_count;
    }
  }
  g->starts[nodes] = count;
}

static basin_status make_graph(basin_cuda *cuda, const basin_cuda_matrix *matrix, host_graph *g)
{
  basin_context *context = basin__cuda_context(cuda);
  size_t nodes = (size_t)matrix->parts[0].node_count + 1, blocks = 1;
  for (unsigned p = 0; p < matrix->part_count; p++) blocks += matrix->parts[p].block_count;
  size_t bytes = (matrix->part_count * nodes + blocks) * sizeof(uint32_t);
  *g = (host_graph){.start_bytes = nodes * sizeof(uint32_t),
                    .neighbour_bytes = blocks * sizeof(uint32_t)};
  uint32_t *patterns = basin__alloc(context, bytes);
  g->starts = basin__alloc(context, g->start_bytes);
  g->neighbours = basin__alloc(context, g->neighbour_bytes);
  basin_status status = BASIN_ERROR_MEMORY;
  if (patterns != NULL && g->starts != NULL && g->neighbours != NULL) {
    uint32_t *columns = patterns + matrix->part_count * nodes;
    status = read_patterns(cuda, matrix, patterns, columns);
    if (status == BASIN_OK) join_patterns(matrix, patterns, columns, g);
  }
  basin__free(context, patterns, bytes);
  if (status != BASIN_OK) release_graph(context, g);
  return status;
}

/* ---- the hierarchy on the device ---- */

static void number_levels(basin__cuda_schwarz *s, const basin__clusters *clusters)
{
  s->level_count = clusters->level_count;
  for (unsigned l = 0; l < s->level_count; l++) {
    s->first_nodes[l + 1] = s->first_nodes[l] + clusters->levels[l].node_count;
    s->first_clusters[l + 1] = s->first_clusters[l] + clusters->levels[l].cluster_count;
  }
  s->total = s->first_nodes[s->level_count];
  s->rest = s->level_count;
  while (s->rest > 1 && clusters->levels[s->rest - 1].node_count <= REST_NODES) s->rest--;
}

/* What one level adds to an array of all levels. */
typedef void (*fill_function)(const basin__cuda_schwarz *s,
                              const basin__cluster_level *level,
                              unsigned l,
                              uint32_t *to);

static void fill_nodes(const basin__cuda_schwarz *s,
                       const basin__cluster_level *level,
                       unsigned l,
                       uint32_t *to)
{
  uint32_t first = s->first_nodes[l];
  for (uint32_t k = 0; k < level->node_count; k++) to[first + k] = first + level->nodes[k];
}

/* The cluster of each place. */
static void fill_clusters(const basin__cuda_schwarz *s,
                          const basin__cluster_level *level,
                          unsigned l,
                          uint32_t *to)
{
  for (uint32_t k = 0; k < level->node_count; k++)
    to[s->first_nodes[l] + k] = s->first_clusters[l] + level->clusters[level->nodes[k]];
}

static void fill_starts(const basin__cuda_schwarz *s,
                        const basin__cluster_level *level,
                        unsigned l,
                        uint32_t *to)
{
  for (uint32_t c = 0; c <= level->cluster_count; c++)
    to[s->first_clusters[l] + c] = s->first_nodes[l] + level->starts[c];
}

static void fill_parents(const basin__cuda_schwarz *s,
                         const basin__cluster_level *level,
                         unsigned l,
                         uint32_t *to)
{
  bool last = l + 1 == s->level_count;
  for (uint32_t k = 0; k < level->node_count; k++)
    to[s->first_nodes[l] + k] = last ? UINT32_MAX : s->first_nodes[l + 1] + level->pieces[k];
}

static void
fill_maps(const basin__cuda_schwarz *s, const basin__cluster_level *level, unsigned l, uint32_t *to)
{
  for (uint32_t k = 0; k < level->node_count; k++) to[s->first_nodes[l] + k] = level->pieces[k];
}

/* Of the nodes of the next level, which are counted from the second level on. */
static void fill_child_starts(const basin__cuda_schwarz *s,
                              const basin__cluster_level *level,
                              unsigned l,
                              uint32_t *to)
{
  if (l + 1 == s->level_count) return;
  uint32_t first = s->first_nodes[l + 1] - s->first_nodes[1];
  for (uint32_t k = 0; k <= level->piece_count; k++)
    to[first + k] = s->first_nodes[l] + level->piece_starts[k];
}

static basin_status upload_words(basin__cuda_schwarz *s,
                                 const basin__clusters *clusters,
                                 fill_function fill,
                                 uint32_t *work,
                                 size_t words,
                                 basin_buffer *buffer)
{
  for (unsigned l = 0; l < s->level_count; l++) fill(s, &clusters->levels[l], l, work);
  BASIN_TRY(basin__buffer_reserve(s->cuda, buffer, words * sizeof *work));
  return basin__cuda_upload(s->cuda, buffer->address, work, words * sizeof *work);
}

static basin_status upload_inverse_places(basin__cuda_schwarz *s, const basin__clusters *clusters)
{
  basin_context *context = basin__cuda_context(s->cuda);
  size_t count = s->first_clusters[s->level_count], bytes = (count + 1) * sizeof(uint64_t), k = 0;
  uint64_t *places = basin__calloc(context, count + 1, sizeof *places);
  if (places == NULL) return BASIN_ERROR_MEMORY;
  s->largest = 0;
  for (unsigned l = 0; l < s->level_count; l++) {
    const basin__cluster_level *level = &clusters->levels[l];
    for (uint32_t c = 0; c < level->cluster_count; c++, k++) {
      size_t n = (size_t)(level->starts[c + 1] - level->starts[c]) * s->block;
      if (n > s->largest) s->largest = n;
      places[k + 1] = places[k] + n * n;
    }
  }
  s->inverse_count = places[count];
  basin_status status = basin__buffer_reserve(s->cuda, &s->inverse_places, bytes);
  if (status == BASIN_OK)
    status = basin__cuda_upload(s->cuda, s->inverse_places.address, places, bytes);
  basin__free(context, places, bytes);
  return status;
}

static basin_status upload_hierarchy(basin__cuda_schwarz *s, const basin__clusters *clusters)
{
  basin_context *context = basin__cuda_context(s->cuda);
  size_t words = (size_t)s->total + 2, bytes = words * sizeof(uint32_t);
  uint32_t *work = basin__calloc(context, words, sizeof *work);
  if (work == NULL) return BASIN_ERROR_MEMORY;
  basin_status status = upload_words(s, clusters, fill_nodes, work, words, &s->nodes);
  if (status == BASIN_OK)
    status = upload_words(s, clusters, fill_clusters, work, words, &s->clusters);
  if (status == BASIN_OK) status = upload_words(s, clusters, fill_starts, work, words, &s->starts);
  if (status == BASIN_OK)
    status = upload_words(s, clusters, fill_parents, work, words, &s->parents);
  if (status == BASIN_OK) status = upload_words(s, clusters, fill_maps, work, words, &s->maps);
  if (status == BASIN_OK)
    status = upload_words(s, clusters, fill_child_starts, work, words, &s->child_starts);
  basin__free(context, work, bytes);
  BASIN_TRY(status);
  uint32_t level_starts[BASIN__CLUSTER_LEVELS + 1] = {0};
  for (unsigned l = s->rest; l <= s->level_count; l++)
    level_starts[l - s->rest] = s->first_nodes[l] - s->first_nodes[1];
  BASIN_TRY(basin__buffer_reserve(s->cuda, &s->level_starts, sizeof level_starts));
  BASIN_TRY(
      basin__cuda_upload(s->cuda, s->level_starts.address, level_starts, sizeof level_starts));
  return upload_inverse_places(s, clusters);
}

static basin_status reserve(basin__cuda_schwarz *s)
{
  size_t others = ((size_t)(s->total - s->first_nodes[1]) * s->block + 1) * sizeof(double);
  BASIN_TRY(basin__buffer_reserve(s->cuda, &s->other_r, others));
  BASIN_TRY(basin__buffer_reserve(s->cuda, &s->other_z, others));
  BASIN_TRY(basin__buffer_reserve(s->cuda, &s->results, sizeof(basin__cuda_found)));
  return basin__buffer_reserve(s->cuda, &s->inverses, (s->inverse_count + 1) * sizeof(double));
}

static basin_status make_hierarchy(basin__cuda_schwarz *s, const basin_cuda_matrix *matrix)
{
  basin_context *context = basin__cuda_context(s->cuda);
  host_graph g;
  basin__clusters clusters;
  BASIN_TRY(make_graph(s->cuda, matrix, &g));
  basin__graph graph = {s->node_count, g.starts, g.neighbours};
  basin_status status =
      basin__clusters_make(context, &graph, basin__schwarz_limit(s->block), &clusters);
  release_graph(context, &g);
  BASIN_TRY(status);
  number_levels(s, &clusters);
  status = upload_hierarchy(s, &clusters);
  basin__clusters_release(&clusters);
  if (status == BASIN_OK) status = reserve(s);
  s->made = status == BASIN_OK;
  return status;
}

/* ---- update ---- */

static basin_status report_bad(basin__cuda_schwarz *s, uint32_t cluster)
{
  uint32_t place, node = 0;
  unsigned l = 0;
  BASIN_TRY(basin__cuda_download(
      s->cuda, &place, s->starts.address + (size_t)cluster * sizeof place, sizeof place));
  BASIN_TRY(basin__cuda_download(
      s->cuda, &node, s->nodes.address + (size_t)place * sizeof node, sizeof node));
  while (node >= s->first_nodes[l + 1]) l++;
  return BASIN_FAIL(basin__cuda_context(s->cuda),
                    BASIN_ERROR_NOT_FINITE,
                    "the block of the matrix of the cluster of node %u of level %u is not finite",
                    (unsigned)(node - s->first_nodes[l]),
                    l);
}

static basin_status
invert_level(basin__cuda_schwarz *s, unsigned l, const basin_cuda_matrix *matrix)
{
  basin__cuda_instances instances = {.begin = s->first_clusters[l],
                                     .end = s->first_clusters[l + 1],
                                     .nodes = s->nodes.address,
                                     .offset = s->first_nodes[l],
                                     .starts = s->starts.address,
                                     .places = s->inverse_places.address,
                                     .largest = s->largest};
  return basin__cuda_invert_blocks(
      s->cuda, matrix, &instances, s->inverses.address, s->results.address);
}

basin_status basin__cuda_schwarz_update(basin__cuda_schwarz *s,
                                        const basin_cuda_matrix *matrix,
                                        size_t *fallbacks)
{
  basin__cuda_found found = {UINT32_MAX, 0};
  basin_cuda_matrix level = *matrix;
  s->single_current = false;
  if (s->node_count == 0) return BASIN_OK;
  if (!s->made) BASIN_TRY(make_hierarchy(s, matrix));
  BASIN_TRY(basin__cuda_upload(s->cuda, s->results.address, &found, sizeof found));
  for (unsigned l = 0; l < s->level_count; l++) {
    if (l > 0) {
      basin_address map = s->maps.address + (size_t)s->first_nodes[l - 1] * sizeof(uint32_t);
      basin_cuda_matrix next = {.part_count = 1};
      BASIN_TRY(basin__cuda_collapse_matrix(s->cuda,
                                            &s->collapse,
                                            &level,
                                            map,
                                            s->first_nodes[l + 1] - s->first_nodes[l],
                                            &s->matrices[l],
                                            &next.parts[0]));
      level = next;
    }
    BASIN_TRY(invert_level(s, l, &level));
  }
  BASIN_TRY(basin__cuda_download(s->cuda, &found, s->results.address, sizeof found));
  if (found.bad != UINT32_MAX) return report_bad(s, found.bad);
  if (fallbacks != NULL) *fallbacks = found.fallbacks;
  return BASIN_OK;
}

/* ---- application ---- */

void basin__cuda_schwarz_hold(basin__cuda_schwarz *s, basin_address bits)
{
  s->held = bits;
}

basin_status basin__cuda_schwarz_prepare(basin__cuda_schwarz *s, bool single)
{
  if (!s->made && s->node_count > 0)
    return BASIN_FAIL(basin__cuda_context(s->cuda),
                      BASIN_ERROR_STATE,
                      "a preconditioner was not updated with a matrix before its use");
  if (!single || s->single_current) return BASIN_OK;
  BASIN_TRY(
      basin__buffer_reserve(s->cuda, &s->inverses_single, (s->inverse_count + 1) * sizeof(float)));
  BASIN_TRY(basin__cuda_to_single(
      s->cuda, s->inverses.address, s->inverse_count, s->inverses_single.address));
  s->single_current = true;
  return BASIN_OK;
}

static basin_status run(const basin__cuda_schwarz *s,
                        bool single,
                        const char *entry,
                        size_t unknowns,
                        void **parameters)
{
  basin__cuda_definitions definitions = basin__cuda_define(s->block, single);
  return basin__cuda_run(s->cuda,
                         "schwarz.cu",
                         entry,
                         definitions.text,
                         basin__cuda_blocks(unknowns, THREADS),
                         parameters);
}

/* Sums of r on all levels above the first. */
static basin_status
restrict_levels(basin__cuda_schwarz *s, bool single, basin_address r, basin_address stop)
{
  uint32_t fine = s->first_nodes[1];
  for (unsigned l = 1; l < s->rest; l++) {
    uint32_t first = s->first_nodes[l] - fine, last = s->first_nodes[l + 1] - fine;
    void *parameters[] = {&fine,
                          &first,
                          &last,
                          &s->child_starts.address,
                          &s->nodes.address,
                          &r,
                          &s->other_r.address,
                          &stop};
    BASIN_TRY(run(s, single, "schwarz_restrict", (size_t)(last - first) * s->block, parameters));
  }
  uint32_t count = s->level_count - s->rest;
  if (count == 0) return BASIN_OK;
  basin__cuda_definitions definitions = basin__cuda_define(s->block, single);
  void *parameters[] = {&fine,
                        &s->level_starts.address,
                        &count,
                        &s->child_starts.address,
                        &s->nodes.address,
                        &r,
                        &s->other_r.address,
                        &stop};
  basin_cuda_launch work = {.blocks = 1, .threads = REST_THREADS};
  BASIN_TRY(basin__cuda_kernel(
      s->cuda, "schwarz.cu", "schwarz_restrict_rest", definitions.text, &work.kernel));
  return basin__cuda_launch(s->cuda, &work, parameters);
}

basin_status basin__cuda_schwarz_launch(
    basin__cuda_schwarz *s, bool single, basin_address r, basin_address z, basin_address stop)
{
  if (s->node_count == 0) return BASIN_OK;
  uint32_t fine = s->first_nodes[1];
  BASIN_TRY(restrict_levels(s, single, r, stop));
  void *solve[] = {&fine,
                   &s->total,
                   &s->nodes.address,
                   &s->clusters.address,
                   &s->starts.address,
                   &s->inverse_places.address,
                   single ? &s->inverses_single.address : &s->inverses.address,
                   &r,
                   &s->other_r.address,
                   &z,
                   &s->other_z.address,
                   &stop};
  BASIN_TRY(run(s, single, "schwarz_solve", (size_t)s->total * s->block, solve));
  if (s->level_count == 1) return BASIN_OK;
  void *gather[] = {&fine, &s->parents.address, &s->other_z.address, &z, &s->held, &stop};
  return run(s, single, "schwarz_gather", (size_t)fine * s->block, gather);
}

uint64_t basin__cuda_schwarz_signature(const basin__cuda_schwarz *s, bool single)
{
  uint64_t parts[] = {s->total,
                      s->level_count,
                      s->nodes.address,
                      s->clusters.address,
                      s->starts.address,
                      s->inverse_places.address,
                      s->parents.address,
                      s->child_starts.address,
                      s->level_starts.address,
                      single ? s->inverses_single.address : s->inverses.address,
                      s->other_r.address,
                      s->other_z.address,
                      s->held};
  return basin__hash64(parts, sizeof parts, single);
}
