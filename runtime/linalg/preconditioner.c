/* Block Jacobi: one inverse for the whole diagonal block of each instance. Other kinds stand behind
 * the same object.
 * SPDX-License-Identifier: Apache-2.0 */
#include "preconditioner.h"

#include "base/base.h"
#include "bsr.h"
#include "dense.h"
#include "large.h"
#include "schwarz.h"
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PART_NODES = 1024, LARGEST_INSTANCE = 256 };

static size_t inverses_bytes(const basin_preconditioner *p)
{
  size_t entries = p->packed ? 6 * p->instance_count : p->inverse_starts[p->instance_count];
  return (entries + BASIN__BSR_PADDING) * sizeof(double);
}

static int compare_ranges(const void *a, const void *b)
{
  const basin_node_range *x = a, *y = b;
  return (x->first > y->first) - (x->first < y->first);
}

/* Checks sorted ranges; returns the number of instances together with the nodes between them. */
static basin_status
count_instances(basin_preconditioner *p, size_t count, const basin_node_range *sorted)
{
  uint32_t next = 0;
  size_t instances = 0;
  for (size_t i = 0; i < count; i++) {
    if (sorted[i].count == 0) continue;
    if (sorted[i].first >= p->node_count || sorted[i].count > p->node_count - sorted[i].first) {
      return BASIN_FAIL(p->context,
                        BASIN_ERROR_RANGE,
                        "instance of %u nodes from %u, but there are %u nodes",
                        (unsigned)sorted[i].count,
                        (unsigned)sorted[i].first,
                        (unsigned)p->node_count);
    }
    if (sorted[i].first < next) {
      return BASIN_FAIL(p->context,
                        BASIN_ERROR_ARGUMENT,
                        "two instances share node %u",
                        (unsigned)sorted[i].first);
    }
    if ((size_t)sorted[i].count * p->block_size > LARGEST_INSTANCE) {
      return BASIN_FAIL(p->context,
                        BASIN_ERROR_UNSUPPORTED,
                        "an instance of %zu unknowns; at most %d can be inverted",
                        (size_t)sorted[i].count * p->block_size,
                        LARGEST_INSTANCE);
    }
    instances += sorted[i].first - next + 1;
    next = sorted[i].first + sorted[i].count;
  }
  p->instance_count = instances + (p->node_count - next);
  return BASIN_OK;
}

static void add_instance(basin_preconditioner *p, size_t *index, uint32_t first, uint32_t count)
{
  size_t unknowns = (size_t)count * p->block_size;
  p->instance_starts[*index] = first;
  p->instance_starts[*index + 1] = first + count;
  p->inverse_starts[*index + 1] = p->inverse_starts[*index] + unknowns * unknowns;
  if (unknowns > p->largest) p->largest = unknowns;
  (*index)++;
}

static void fill_instances(basin_preconditioner *p, size_t count, const basin_node_range *sorted)
{
  uint32_t next = 0;
  size_t index = 0;
  for (size_t i = 0; i < count; i++) {
    if (sorted[i].count == 0) continue;
    while (next < sorted[i].first) add_instance(p, &index, next++, 1);
    add_instance(p, &index, sorted[i].first, sorted[i].count);
    next += sorted[i].count;
  }
  while (next < p->node_count) add_instance(p, &index, next++, 1);
  p->packed = index == p->node_count && p->block_size == 3;
}

/* First instance after the part that begins at `instance`. */
static size_t part_end(const basin_preconditioner *p, size_t instance)
{
  uint32_t first = p->instance_starts[instance];
  while (instance < p->instance_count && p->instance_starts[instance] - first < PART_NODES)
    instance++;
  return instance;
}

static basin_status cut_parts(basin_preconditioner *p)
{
  size_t count = 0;
  for (size_t i = 0; i < p->instance_count; i = part_end(p, i)) count++;
  p->part_starts = basin__calloc(p->context, count + 1, sizeof *p->part_starts);
  if (p->part_starts == NULL) return BASIN_ERROR_MEMORY;
  p->part_count = count;
  for (size_t i = 0; i < count; i++) p->part_starts[i + 1] = part_end(p, p->part_starts[i]);
  return BASIN_OK;
}

static basin_status
build_instances(basin_preconditioner *p, size_t count, const basin_node_range *sorted)
{
  BASIN_TRY(count_instances(p, count, sorted));
  p->instance_starts = basin__calloc(p->context, p->instance_count + 1, sizeof *p->instance_starts);
  if (p->instance_starts == NULL) return BASIN_ERROR_MEMORY;
  p->inverse_starts = basin__calloc(p->context, p->instance_count + 1, sizeof *p->inverse_starts);
  if (p->inverse_starts == NULL) return BASIN_ERROR_MEMORY;
  fill_instances(p, count, sorted);
  p->inverses = basin__alloc_large(p->context, inverses_bytes(p));
  if (p->inverses == NULL) return BASIN_ERROR_MEMORY;
  return cut_parts(p);
}

static basin_status check_block(basin_context *context, unsigned block_size)
{
  if (block_size >= 1 && block_size <= BASIN__BSR_LARGEST_BLOCK) return BASIN_OK;
  return BASIN_FAIL(context,
                    BASIN_ERROR_UNSUPPORTED,
                    "block size %u is not in 1..%d",
                    block_size,
                    BASIN__BSR_LARGEST_BLOCK);
}

basin_status basin_preconditioner_create(basin_context *context,
                                         uint32_t node_count,
                                         unsigned block_size,
                                         size_t instance_count,
                                         const basin_node_range *instances,
                                         basin_preconditioner **result)
{
  *result = NULL;
  BASIN_TRY(check_block(context, block_size));
  basin_preconditioner *p = basin__calloc(context, 1, sizeof *p);
  if (p == NULL) return BASIN_ERROR_MEMORY;
  p->context = context;
  p->node_count = node_count;
  p->block_size = block_size;
  p->kernels = basin__vector_kernels_select();
  size_t bytes = (instance_count + 1) * sizeof(basin_node_range);
  basin_node_range *sorted = basin__alloc(context, bytes);
  basin_status status = BASIN_ERROR_MEMORY;
  if (sorted != NULL) {
    if (instance_count > 0) {
      memcpy(sorted, instances, instance_count * sizeof *sorted);
      qsort(sorted, instance_count, sizeof *sorted, compare_ranges);
    }
    status = build_instances(p, instance_count, sorted);
  }
  basin__free(context, sorted, bytes);
  if (status != BASIN_OK) {
    basin_preconditioner_destroy(p);
    return status;
  }
  *result = p;
  return BASIN_OK;
}

basin_status basin_preconditioner_create_schwarz(basin_context *context,
                                                 uint32_t node_count,
                                                 unsigned block_size,
                                                 basin_preconditioner **result)
{
  *result = NULL;
  BASIN_TRY(check_block(context, block_size));
  basin_preconditioner *p = basin__calloc(context, 1, sizeof *p);
  if (p == NULL) return BASIN_ERROR_MEMORY;
  p->context = context;
  p->node_count = node_count;
  p->block_size = block_size;
  basin_status status = basin__schwarz_create(context, node_count, block_size, &p->schwarz);
  if (status != BASIN_OK) {
    basin__free(context, p, sizeof *p);
    return status;
  }
  *result = p;
  return BASIN_OK;
}

void basin_preconditioner_destroy(basin_preconditioner *p)
{
  if (p == NULL) return;
  basin_context *context = p->context;
  basin__schwarz_destroy(p->schwarz);
  if (p->inverses != NULL) basin__free_aligned(context, p->inverses, inverses_bytes(p));
  basin__free(context, p->instance_starts, (p->instance_count + 1) * sizeof *p->instance_starts);
  basin__free(context, p->inverse_starts, (p->instance_count + 1) * sizeof *p->inverse_starts);
  basin__free(context, p->part_starts, (p->part_count + 1) * sizeof *p->part_starts);
  basin__free(context, p, sizeof *p);
}

/* The instance's block of the matrix, in full. */
static void gather_block(const basin_bsr *matrix, uint32_t first, uint32_t count, double *block)
{
  unsigned b = matrix->block_size;
  size_t n = (size_t)count * b;
  memset(block, 0, n * n * sizeof *block);
  for (uint32_t i = 0; i < count; i++) {
    for (uint32_t j = i; j < count; j++) {
      uint32_t slot = i == j ? (uint32_t)matrix->row_starts[first + i]
                             : basin_bsr_slot(matrix, first + i, first + j);
      if (slot == BASIN_SLOT_NONE) continue;
      const double *from = matrix->values + (size_t)slot * b * b;
      for (unsigned k = 0; k < b; k++) {
        for (unsigned l = 0; l < b; l++) {
          size_t row = (size_t)i * b + k, column = (size_t)j * b + l;
          block[row * n + column] = from[k * b + l];
          if (i != j) block[column * n + row] = from[k * b + l];
        }
      }
    }
  }
}

/* |A|^-1 through eigenvalues, those that are rounding errors raised to that level. */
static bool invert_absolute(size_t n, const double *block, double *inverse)
{
  double values[BASIN__EIGEN_LARGEST], vectors[BASIN__EIGEN_LARGEST * BASIN__EIGEN_LARGEST],
      largest = 0;
  if (n > BASIN__EIGEN_LARGEST || !basin__eigen_symmetric(n, block, values, vectors)) return false;
  for (size_t k = 0; k < n; k++) largest = fmax(largest, fabs(values[k]));
  for (size_t k = 0; k < n; k++)
    values[k] = fmax(fabs(values[k]), 8 * (double)n * DBL_EPSILON * largest);
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j <= i; j++) {
      double sum = 0;
      for (size_t k = 0; k < n; k++) sum += vectors[i * n + k] * vectors[j * n + k] / values[k];
      inverse[i * n + j] = inverse[j * n + i] = sum;
    }
  }
  return true;
}

bool basin__all_finite(size_t count, const double *values)
{
  double sum = 0;
  for (size_t i = 0; i < count; i++) sum += values[i] * 0.0;
  return sum == 0;
}

bool basin__invert_block(size_t n, double *block, double *inverse)
{
  double diagonal[LARGEST_INSTANCE];
  for (size_t i = 0; i < n; i++) diagonal[i] = fabs(block[i * n + i]);
  memcpy(inverse, block, n * n * sizeof *block);
  if (basin__dense_cholesky(n, inverse, NULL)) {
    memcpy(block, inverse, n * n * sizeof *block);
    basin__dense_cholesky_inverse(n, block, inverse);
    if (basin__all_finite(n * n, inverse)) return true;
  } else if (invert_absolute(n, block, inverse) && basin__all_finite(n * n, inverse)) {
    return false;
  }
  memset(inverse, 0, n * n * sizeof *inverse);
  for (size_t i = 0; i < n; i++) inverse[i * n + i] = diagonal[i] > DBL_MIN ? 1 / diagonal[i] : 1;
  return false;
}

/* The common case, a definite 3x3 block, by L D L^T written out: A^-1 = L^-T D^-1 L^-1 as six
 * numbers. False: the general way has to look at it. */
static bool invert_3(const double *a, double *out)
{
  const double least = 3 * DBL_EPSILON;
  double d0 = a[0], l10 = a[3] / d0, d1 = a[4] - l10 * a[3];
  double l20 = a[6] / d0, below = a[7] - l20 * a[3], l21 = below / d1;
  double d2 = a[8] - l20 * a[6] - l21 * below;
  if (!(d0 > 0 && d0 <= DBL_MAX && d1 > least * a[4] && d2 > least * a[8])) return false;
  double i0 = 1 / d0, i1 = 1 / d1, i2 = 1 / d2, m = l10 * l21 - l20;
  out[5] = i2;
  out[4] = -l21 * i2;
  out[3] = i1 + l21 * l21 * i2;
  out[2] = m * i2;
  out[1] = -l10 * i1 - l21 * m * i2;
  out[0] = i0 + l10 * l10 * i1 + m * m * i2;
  return basin__all_finite(6, out);
}

/* Inverts the block of an instance and stores the result; true if it was definite. */
static bool store_inverse(basin_preconditioner *p, size_t instance, size_t n, double *block)
{
  if (!p->packed) return basin__invert_block(n, block, p->inverses + p->inverse_starts[instance]);
  static const size_t places[] = {0, 1, 2, 4, 5, 8};
  double inverse[9];
  bool definite = basin__invert_block(3, block, inverse);
  for (size_t k = 0; k < 6; k++) p->inverses[6 * instance + k] = inverse[places[k]];
  return definite;
}

typedef struct update_job {
  basin_preconditioner *p;
  const basin_bsr *matrix;
  double *work;      /* largest^2 a worker */
  size_t *fallbacks; /* a part */
  size_t *bad;       /* a part: instance that is not finite, or SIZE_MAX */
} update_job;

static void update_task(void *user, size_t part, unsigned worker)
{
  update_job *job = user;
  basin_preconditioner *p = job->p;
  double *work = job->work + worker * p->largest * p->largest;
  for (size_t i = p->part_starts[part]; i < p->part_starts[part + 1]; i++) {
    uint32_t count = p->instance_starts[i + 1] - p->instance_starts[i];
    size_t n = (size_t)count * p->block_size;
    if (p->packed) {
      const double *diagonal = job->matrix->values + job->matrix->row_starts[i] * 9;
      if (invert_3(diagonal, p->inverses + 6 * i)) continue;
    }
    gather_block(job->matrix, p->instance_starts[i], count, work);
    if (!basin__all_finite(n * n, work)) {
      job->bad[part] = i;
      return;
    }
    if (!store_inverse(p, i, n, work)) job->fallbacks[part]++;
  }
}

static basin_status finish_update(const update_job *job, size_t *fallbacks)
{
  const basin_preconditioner *p = job->p;
  size_t count = 0;
  for (size_t part = 0; part < p->part_count; part++) {
    if (job->bad[part] != SIZE_MAX) {
      return BASIN_FAIL(p->context,
                        BASIN_ERROR_NOT_FINITE,
                        "the diagonal block of the matrix at node %u is not finite",
                        (unsigned)p->instance_starts[job->bad[part]]);
    }
    count += job->fallbacks[part];
  }
  if (fallbacks != NULL) *fallbacks = count;
  return BASIN_OK;
}

basin_status
basin_preconditioner_update(basin_preconditioner *p, const basin_bsr *matrix, size_t *fallbacks)
{
  basin_context *context = p->context;
  if (matrix->node_count != p->node_count || matrix->block_size != p->block_size) {
    return BASIN_FAIL(context,
                      BASIN_ERROR_SHAPE,
                      "a preconditioner for %u nodes of %u was given a matrix of %u nodes of %u",
                      (unsigned)p->node_count,
                      p->block_size,
                      (unsigned)matrix->node_count,
                      matrix->block_size);
  }
  if (p->schwarz != NULL) return basin__schwarz_update(p->schwarz, matrix, fallbacks);
  size_t work_bytes = (basin__worker_count(context) * p->largest * p->largest + 1) * sizeof(double);
  size_t part_bytes = (p->part_count + 1) * sizeof(size_t);
  update_job job = {p,
                    matrix,
                    basin__alloc(context, work_bytes),
                    basin__alloc(context, part_bytes),
                    basin__alloc(context, part_bytes)};
  basin_status status = BASIN_ERROR_MEMORY;
  if (job.work != NULL && job.fallbacks != NULL && job.bad != NULL) {
    memset(job.fallbacks, 0, part_bytes);
    memset(job.bad, 0xff, part_bytes);
    basin__parallel_work(context,
                         p->part_count,
                         basin__preconditioner_work(p) * (double)p->largest,
                         update_task,
                         &job);
    status = finish_update(&job, fallbacks);
  }
  basin__free(context, job.work, work_bytes);
  basin__free(context, job.fallbacks, part_bytes);
  basin__free(context, job.bad, part_bytes);
  return status;
}

double basin__preconditioner_apply_part(const basin_preconditioner *p,
                                        size_t part,
                                        const double *r,
                                        double *z)
{
  unsigned b = p->block_size;
  size_t first = p->part_starts[part], last = p->part_starts[part + 1];
  if (p->packed) {
    return p->kernels->apply_3(last - first, p->inverses + first * 6, r + first * 3, z + first * 3);
  }
  double sum = 0;
  for (size_t i = first; i < last; i++) {
    size_t start = (size_t)p->instance_starts[i] * b,
           n = (size_t)p->instance_starts[i + 1] * b - start;
    const double *inverse = p->inverses + p->inverse_starts[i];
    for (size_t k = 0; k < n; k++) {
      z[start + k] = p->kernels->dot(n, inverse + k * n, r + start);
      sum += z[start + k] * r[start + k];
    }
  }
  return sum;
}

typedef struct apply_job {
  const basin_preconditioner *p;
  const double *r;
  double *z;
} apply_job;

static void apply_task(void *user, size_t part, unsigned worker)
{
  const apply_job *job = user;
  (void)worker;
  basin__preconditioner_apply_part(job->p, part, job->r, job->z);
}

void basin_preconditioner_hold(basin_preconditioner *p, const uint32_t *bits)
{
  if (p->schwarz != NULL) basin__schwarz_hold(p->schwarz, bits);
}

void basin_preconditioner_apply(const basin_preconditioner *p, const double *r, double *z)
{
  if (p->schwarz != NULL) {
    basin__schwarz_apply(p->schwarz, r, z);
    return;
  }
  apply_job job = {p, r, z};
  basin__parallel_work(p->context, p->part_count, basin__preconditioner_work(p), apply_task, &job);
}
