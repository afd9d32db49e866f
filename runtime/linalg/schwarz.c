/* Multilevel additive Schwarz. The unknowns of a level are those of its nodes; its matrix is the
 * sum of the blocks between the pieces that the nodes stand for (piecewise constant interpolation),
 * and M^-1 adds the inverses of the diagonal blocks of all clusters on all levels:
 *   M^-1 = sum over levels l of P_l D_l^-1 P_l^T.
 * The scheme is that of Wu, Wang and Wang, "A GPU-based multilevel additive Schwarz preconditioner
 * for cloth and deformable body simulation", ACM Trans. Graph. 41 (2022). SPDX-License-Identifier:
 * Apache-2.0 */
#include "schwarz.h"

#include "base/base.h"
#include "bsr.h"
#include "large.h"
#include "preconditioner.h"
#include <string.h>

/* Unknowns of a cluster, about, and its nodes. */
enum { UNKNOWNS = 24, FEWEST = 4, MOST = 32, LARGEST = 64, TASK_CLUSTERS = 32 };

/* How the matrix of a level is made of that of the level before, and its own inverses. */
typedef struct level {
  basin_bsr *matrix;     /* of levels above the first */
  size_t *gather_starts; /* per block of `matrix`, places in `gather` */
  uint32_t *gather;      /* blocks of the matrix below, with BASIN_SLOT_TRANSPOSED */
  size_t gather_count, gather_room;
  size_t *inverse_starts; /* cluster_count + 1 */
  double *inverses;
  double *r, *z; /* node_count * block_size each */
} level;

struct basin__schwarz {
  basin_context *context;
  uint32_t node_count;
  unsigned block_size;
  bool made;        /* the clusters */
  uint64_t pattern; /* the one that the levels' matrices were made for */
  bool patterned;
  basin__clusters clusters;
  level levels[BASIN__CLUSTER_LEVELS];
  const basin__vector_kernels *kernels;
  const uint32_t *held; /* see basin_preconditioner_hold */
};

uint32_t basin__schwarz_limit(unsigned block_size)
{
  uint32_t limit = UNKNOWNS / block_size;
  return limit < FEWEST ? FEWEST : limit > MOST ? MOST : limit;
}

/* ---- memory ---- */

static size_t vector_bytes(const basin__schwarz *s, unsigned l)
{
  return ((size_t)s->clusters.levels[l].node_count * s->block_size + 1) * sizeof(double);
}

static void release_matrix(basin__schwarz *s, level *own)
{
  size_t blocks = own->matrix != NULL ? own->matrix->block_count : 0;
  basin__free(s->context, own->gather_starts, (blocks + 1) * sizeof *own->gather_starts);
  basin__free(s->context, own->gather, own->gather_room * sizeof *own->gather);
  basin_bsr_destroy(own->matrix);
  own->matrix = NULL;
  own->gather_starts = NULL;
  own->gather = NULL;
  own->gather_count = own->gather_room = 0;
}

static size_t inverse_bytes(const level *own, uint32_t clusters)
{
  return (own->inverse_starts[clusters] + BASIN__BSR_PADDING) * sizeof(double);
}

static void release(basin__schwarz *s)
{
  for (unsigned l = 0; l < s->clusters.level_count; l++) {
    level *own = &s->levels[l];
    uint32_t clusters = s->clusters.levels[l].cluster_count;
    release_matrix(s, own);
    if (own->inverses != NULL)
      basin__free_aligned(s->context, own->inverses, inverse_bytes(own, clusters));
    basin__free(
        s->context, own->inverse_starts, ((size_t)clusters + 1) * sizeof *own->inverse_starts);
    basin__free(s->context, own->r, vector_bytes(s, l));
    basin__free(s->context, own->z, vector_bytes(s, l));
    *own = (level){.matrix = NULL};
  }
  basin__clusters_release(&s->clusters);
  s->made = s->patterned = false;
}

basin_status basin__schwarz_create(basin_context *context,
                                   uint32_t node_count,
                                   unsigned block_size,
                                   basin__schwarz **result)
{
  basin__schwarz *s = *result = basin__calloc(context, 1, sizeof *s);
  if (s == NULL) return BASIN_ERROR_MEMORY;
  s->context = s->clusters.context = context;
  s->node_count = node_count;
  s->block_size = block_size;
  s->kernels = basin__vector_kernels_select();
  return BASIN_OK;
}

void basin__schwarz_destroy(basin__schwarz *s)
{
  if (s == NULL) return;
  release(s);
  basin__free(s->context, s, sizeof *s);
}

/* ---- clusters ---- */

/* Both triangles of the pattern. */
static basin_status
make_graph(basin_context *context, const basin_bsr *matrix, uint32_t **memory, size_t *bytes)
{
  size_t nodes = matrix->node_count, edges = 2 * (matrix->block_count - nodes);
  *bytes = (nodes + 2 + edges) * sizeof(uint32_t);
  uint32_t *starts = *memory = basin__alloc(context, *bytes), *neighbours;
  if (starts == NULL) return BASIN_ERROR_MEMORY;
  neighbours = starts + nodes + 2;
  memset(starts, 0, (nodes + 2) * sizeof *starts);
  for (uint32_t row = 0; row < nodes; row++) {
    for (size_t slot = matrix->row_starts[row] + 1; slot < matrix->row_starts[row + 1]; slot++) {
      starts[row + 2]++;
      starts[matrix->columns[slot] + 2]++;
    }
  }
  for (size_t row = 2; row <= nodes; row++) starts[row] += starts[row - 1];
  for (uint32_t row = 0; row < nodes; row++) {
    for (size_t slot = matrix->row_starts[row] + 1; slot < matrix->row_starts[row + 1]; slot++) {
      uint32_t column = matrix->columns[slot];
      neighbours[starts[row + 1]++] = column;
      neighbours[starts[column + 1]++] = row;
    }
  }
  return BASIN_OK;
}

static basin_status reserve_level(basin__schwarz *s, unsigned l)
{
  const basin__cluster_level *shape = &s->clusters.levels[l];
  level *own = &s->levels[l];
  own->inverse_starts =
      basin__calloc(s->context, (size_t)shape->cluster_count + 1, sizeof *own->inverse_starts);
  if (own->inverse_starts == NULL) return BASIN_ERROR_MEMORY;
  for (uint32_t c = 0; c < shape->cluster_count; c++) {
    size_t n = (size_t)(shape->starts[c + 1] - shape->starts[c]) * s->block_size;
    own->inverse_starts[c + 1] = own->inverse_starts[c] + n * n;
  }
  own->inverses = basin__alloc_large(s->context, inverse_bytes(own, shape->cluster_count));
  own->r = basin__calloc(s->context, 1, vector_bytes(s, l));
  own->z = basin__calloc(s->context, 1, vector_bytes(s, l));
  bool good = own->inverses != NULL && own->r != NULL && own->z != NULL;
  return good ? BASIN_OK : BASIN_ERROR_MEMORY;
}

static basin_status make_clusters(basin__schwarz *s, const basin_bsr *matrix)
{
  uint32_t *memory;
  size_t bytes;
  BASIN_TRY(make_graph(s->context, matrix, &memory, &bytes));
  basin__graph graph = {matrix->node_count, memory, memory + matrix->node_count + 2};
  basin_status status =
      basin__clusters_make(s->context, &graph, basin__schwarz_limit(s->block_size), &s->clusters);
  basin__free(s->context, memory, bytes);
  for (unsigned l = 0; status == BASIN_OK && l < s->clusters.level_count; l++)
    status = reserve_level(s, l);
  if (status != BASIN_OK) release(s);
  s->made = status == BASIN_OK;
  return status;
}

/* ---- the matrices of the levels ---- */

/* The pairs of pieces of all blocks. A block inside a piece counts twice, once transposed, unless
 * it is on the diagonal. */
static void pair_pieces(const basin_bsr *below, const uint32_t *pieces, basin_node_pair *pairs)
{
  for (uint32_t row = 0; row < below->node_count; row++) {
    for (size_t slot = below->row_starts[row]; slot < below->row_starts[row + 1]; slot++)
      pairs[slot] = (basin_node_pair){pieces[row], pieces[below->columns[slot]]};
  }
}

/* Lists the blocks below by the block that they are added to, in their order. */
static basin_status make_gather(basin__schwarz *s,
                                level *own,
                                const basin_bsr *below,
                                const basin_node_pair *pairs,
                                const uint32_t *slots)
{
  size_t blocks = own->matrix->block_count, count = 0;
  own->gather_starts = basin__calloc(s->context, blocks + 1, sizeof *own->gather_starts);
  if (own->gather_starts == NULL) return BASIN_ERROR_MEMORY;
  for (uint32_t row = 0; row < below->node_count; row++) {
    for (size_t k = below->row_starts[row]; k < below->row_starts[row + 1]; k++) {
      size_t times = pairs[k].row == pairs[k].column && below->columns[k] != row ? 2 : 1;
      own->gather_starts[slots[k] & BASIN_SLOT_INDEX] += times;
      count += times;
    }
  }
  own->gather = basin__alloc(s->context, (count + 1) * sizeof *own->gather);
  if (own->gather == NULL) return BASIN_ERROR_MEMORY;
  own->gather_count = count;
  own->gather_room = count + 1;
  for (size_t k = blocks, end = count; k-- > 0;) /* starts of the lists, from their lengths */
    end = own->gather_starts[k] = end - own->gather_starts[k];
  for (uint32_t row = 0; row < below->node_count; row++) {
    for (size_t k = below->row_starts[row]; k < below->row_starts[row + 1]; k++) {
      size_t *place = &own->gather_starts[slots[k] & BASIN_SLOT_INDEX];
      own->gather[(*place)++] = (uint32_t)k | (slots[k] & BASIN_SLOT_TRANSPOSED);
      if (pairs[k].row == pairs[k].column && below->columns[k] != row)
        own->gather[(*place)++] = (uint32_t)k | BASIN_SLOT_TRANSPOSED;
    }
  }
  for (size_t k = blocks; k > 0; k--) own->gather_starts[k] = own->gather_starts[k - 1];
  own->gather_starts[0] = 0;
  return BASIN_OK;
}

static basin_status make_matrix(basin__schwarz *s, unsigned l, const basin_bsr *below)
{
  const basin__cluster_level *shape = &s->clusters.levels[l - 1];
  level *own = &s->levels[l];
  size_t count = below->block_count, pair_bytes = (count + 1) * sizeof(basin_node_pair),
         slot_bytes = (count + 1) * sizeof(uint32_t);
  release_matrix(s, own);
  basin_node_pair *pairs = basin__alloc(s->context, pair_bytes);
  uint32_t *slots = basin__alloc(s->context, slot_bytes);
  basin_status status = pairs != NULL && slots != NULL ? BASIN_OK : BASIN_ERROR_MEMORY;
  if (status == BASIN_OK) {
    pair_pieces(below, shape->pieces, pairs);
    status = basin_bsr_create(
        s->context, shape->piece_count, s->block_size, count, pairs, slots, &own->matrix);
  }
  if (status == BASIN_OK) status = make_gather(s, own, below, pairs, slots);
  if (status != BASIN_OK) release_matrix(s, own);
  basin__free(s->context, pairs, pair_bytes);
  basin__free(s->context, slots, slot_bytes);
  return status;
}

static basin_status make_matrices(basin__schwarz *s, const basin_bsr *matrix)
{
  if (s->patterned && s->pattern == matrix->pattern) return BASIN_OK;
  s->patterned = false;
  const basin_bsr *below = matrix;
  for (unsigned l = 1; l < s->clusters.level_count; l++) {
    BASIN_TRY(make_matrix(s, l, below));
    below = s->levels[l].matrix;
  }
  s->pattern = matrix->pattern;
  s->patterned = true;
  return BASIN_OK;
}

/* ---- values ---- */

typedef struct gather_job {
  const level *own;
  const basin_bsr *below;
  size_t blocks_a_task;
} gather_job;

static void gather_task(void *user, size_t task, unsigned worker)
{
  const gather_job *job = user;
  const level *own = job->own;
  size_t b = own->matrix->block_size, entries = b * b, last = (task + 1) * job->blocks_a_task;
  (void)worker;
  if (last > own->matrix->block_count) last = own->matrix->block_count;
  for (size_t slot = task * job->blocks_a_task; slot < last; slot++) {
    double *to = own->matrix->values + slot * entries;
    memset(to, 0, entries * sizeof *to);
    for (size_t g = own->gather_starts[slot]; g < own->gather_starts[slot + 1]; g++) {
      uint32_t code = own->gather[g];
      const double *from = job->below->values + (size_t)(code & BASIN_SLOT_INDEX) * entries;
      bool transposed = (code & BASIN_SLOT_TRANSPOSED) != 0;
      for (size_t k = 0; k < b; k++) {
        for (size_t i = 0; i < b; i++) to[k * b + i] += from[transposed ? i * b + k : k * b + i];
      }
    }
  }
}

typedef struct invert_job {
  const basin__schwarz *s;
  const basin__cluster_level *shape;
  const level *own;
  const basin_bsr *matrix;
  double *work;      /* LARGEST^2 a worker */
  size_t work_size;  /* of a worker */
  uint32_t *bad;     /* a task: a node whose block is not finite, or UINT32_MAX */
  size_t *fallbacks; /* a task */
} invert_job;

/* The cluster's block of the level's matrix, in full. */
static size_t gather_cluster(const invert_job *job, uint32_t cluster, double *block)
{
  const basin__cluster_level *shape = job->shape;
  const basin_bsr *matrix = job->matrix;
  uint32_t first = shape->starts[cluster], count = shape->starts[cluster + 1] - first;
  size_t b = matrix->block_size, n = count * b;
  memset(block, 0, n * n * sizeof *block);
  for (uint32_t i = 0; i < count; i++) {
    uint32_t node = shape->nodes[first + i];
    for (size_t slot = matrix->row_starts[node]; slot < matrix->row_starts[node + 1]; slot++) {
      uint32_t column = matrix->columns[slot];
      if (shape->clusters[column] != cluster) continue;
      size_t row = i * b, at = (shape->places[column] - first) * b;
      const double *from = matrix->values + slot * b * b;
      for (size_t k = 0; k < b; k++) {
        for (size_t l = 0; l < b; l++) {
          block[(row + k) * n + at + l] = from[k * b + l];
          block[(at + l) * n + row + k] = from[k * b + l];
        }
      }
    }
  }
  return n;
}

static void invert_task(void *user, size_t task, unsigned worker)
{
  invert_job *job = user;
  uint32_t first = (uint32_t)task * TASK_CLUSTERS, last = first + TASK_CLUSTERS;
  double *work = job->work + worker * job->work_size;
  if (last > job->shape->cluster_count) last = job->shape->cluster_count;
  for (uint32_t c = first; c < last; c++) {
    size_t n = gather_cluster(job, c, work);
    if (!basin__all_finite(n * n, work)) {
      job->bad[task] = job->shape->nodes[job->shape->starts[c]];
      return;
    }
    double *inverse = job->own->inverses + job->own->inverse_starts[c];
    if (!basin__invert_block(n, work, inverse)) job->fallbacks[task]++;
  }
}

static basin_status
invert_level(basin__schwarz *s, unsigned l, const basin_bsr *matrix, size_t *fallbacks)
{
  const basin__cluster_level *shape = &s->clusters.levels[l];
  size_t tasks = ((size_t)shape->cluster_count + TASK_CLUSTERS - 1) / TASK_CLUSTERS;
  size_t most = (size_t)basin__schwarz_limit(s->block_size) * s->block_size;
  size_t work_bytes = (basin__worker_count(s->context) * most * most + 1) * sizeof(double);
  size_t task_bytes = (tasks + 1) * (sizeof(size_t) + sizeof(uint32_t));
  invert_job job = {.s = s,
                    .shape = shape,
                    .own = &s->levels[l],
                    .matrix = matrix,
                    .work = basin__alloc(s->context, work_bytes),
                    .work_size = most * most,
                    .fallbacks = basin__calloc(s->context, 1, task_bytes)};
  basin_status status = job.work != NULL && job.fallbacks != NULL ? BASIN_OK : BASIN_ERROR_MEMORY;
  if (status == BASIN_OK) {
    job.bad = (uint32_t *)(job.fallbacks + tasks + 1);
    memset(job.bad, 0xff, tasks * sizeof *job.bad);
    double operations = (double)s->levels[l].inverse_starts[shape->cluster_count] * (double)most;
    basin__parallel_work(s->context, tasks, operations, invert_task, &job);
    for (size_t t = 0; t < tasks && status == BASIN_OK; t++) {
      if (job.bad[t] != UINT32_MAX)
        status = BASIN_FAIL(s->context,
                            BASIN_ERROR_NOT_FINITE,
                            "the block of the matrix of the cluster of node %u of level %u is "
                            "not finite",
                            (unsigned)job.bad[t],
                            l);
      *fallbacks += job.fallbacks[t];
    }
  }
  basin__free(s->context, job.work, work_bytes);
  basin__free(s->context, job.fallbacks, task_bytes);
  return status;
}

basin_status basin__schwarz_update(basin__schwarz *s, const basin_bsr *matrix, size_t *fallbacks)
{
  size_t count = 0;
  if (!s->made) BASIN_TRY(make_clusters(s, matrix));
  BASIN_TRY(make_matrices(s, matrix));
  const basin_bsr *below = matrix;
  for (unsigned l = 0; l < s->clusters.level_count; l++) {
    if (l > 0) {
      gather_job job = {&s->levels[l], below, 4096};
      below = s->levels[l].matrix;
      basin__parallel_work(s->context,
                           (below->block_count + job.blocks_a_task - 1) / job.blocks_a_task,
                           (double)s->levels[l].gather_count * s->block_size * s->block_size,
                           gather_task,
                           &job);
    }
    BASIN_TRY(invert_level(s, l, below, &count));
  }
  if (fallbacks != NULL) *fallbacks = count;
  return BASIN_OK;
}

/* ---- application ---- */

void basin__schwarz_hold(basin__schwarz *s, const uint32_t *bits)
{
  s->held = bits;
}

typedef struct apply_job {
  const basin__schwarz *s;
  unsigned l;
  const double *r;
  double *z;
} apply_job;

/* z of one level's clusters, and the sums of r over its pieces for the next. */
static void down_task(void *user, size_t task, unsigned worker)
{
  const apply_job *job = user;
  const basin__schwarz *s = job->s;
  const basin__cluster_level *shape = &s->clusters.levels[job->l];
  const level *own = &s->levels[job->l];
  bool last_level = job->l + 1 == s->clusters.level_count;
  size_t b = s->block_size;
  uint32_t first = (uint32_t)task * TASK_CLUSTERS, last = first + TASK_CLUSTERS;
  double here[LARGEST];
  (void)worker;
  if (last > shape->cluster_count) last = shape->cluster_count;
  for (uint32_t c = first; c < last; c++) {
    uint32_t start = shape->starts[c], count = shape->starts[c + 1] - start;
    const double *inverse = own->inverses + own->inverse_starts[c];
    size_t n = count * b;
    for (uint32_t i = 0; i < count; i++)
      memcpy(here + i * b, job->r + shape->nodes[start + i] * b, b * sizeof *here);
    for (size_t k = 0; k < n; k++)
      job->z[shape->nodes[start + k / b] * b + k % b] = s->kernels->dot(n, inverse + k * n, here);
    if (last_level) continue;
    double *coarse = s->levels[job->l + 1].r;
    for (uint32_t i = 0; i < count; i++) {
      uint32_t piece = shape->pieces[shape->nodes[start + i]];
      bool begins = start + i == shape->piece_starts[piece];
      for (size_t k = 0; k < b; k++)
        coarse[piece * b + k] = (begins ? 0 : coarse[piece * b + k]) + here[i * b + k];
    }
  }
}

/* Adds what the next level found, but not to held unknowns. */
static void up_task(void *user, size_t task, unsigned worker)
{
  const apply_job *job = user;
  const basin__cluster_level *shape = &job->s->clusters.levels[job->l];
  const double *coarse = job->s->levels[job->l + 1].z;
  size_t b = job->s->block_size, first = task * 1024, last = first + 1024;
  (void)worker;
  if (last > shape->node_count) last = shape->node_count;
  const uint32_t *held = job->l == 0 ? job->s->held : NULL;
  for (size_t node = first; node < last; node++) {
    for (size_t k = 0; k < b; k++) {
      if (held != NULL && (held[node] >> k & 1)) continue;
      job->z[node * b + k] += coarse[shape->pieces[node] * b + k];
    }
  }
}

void basin__schwarz_apply(const basin__schwarz *s, const double *r, double *z)
{
  unsigned count = s->clusters.level_count;
  for (unsigned l = 0; l < count; l++) {
    const basin__cluster_level *shape = &s->clusters.levels[l];
    apply_job job = {s, l, l == 0 ? r : s->levels[l].r, l == 0 ? z : s->levels[l].z};
    basin__parallel_work(s->context,
                         ((size_t)shape->cluster_count + TASK_CLUSTERS - 1) / TASK_CLUSTERS,
                         2.0 * (double)s->levels[l].inverse_starts[shape->cluster_count],
                         down_task,
                         &job);
  }
  for (unsigned l = count - 1; l-- > 0;) {
    const basin__cluster_level *shape = &s->clusters.levels[l];
    apply_job job = {s, l, NULL, l == 0 ? z : s->levels[l].z};
    basin__parallel_work(s->context,
                         ((size_t)shape->node_count + 1023) / 1024,
                         (double)shape->node_count * s->block_size,
                         up_task,
                         &job);
  }
}
