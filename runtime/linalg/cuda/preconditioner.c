/* Block Jacobi on a CUDA device: instances, inverses, application. SPDX-License-Identifier:
 * Apache-2.0 */
#include "linalg/preconditioner.h"

#include "internal.h"
#include "schwarz.h"

/* As in jacobi.cu. */
enum { SHARED_UNKNOWNS = 48, THREADS = 256 };
/* Thread blocks: each has scratch memory; most only look at flags; each inverts. */
enum { LARGE_BLOCKS = 256, FLAGGED_BLOCKS = 8192, MOST_BLOCKS = 1 << 20 };

/* ---- creation ---- */

static basin_status
upload_array(basin_cuda *cuda, basin_buffer *buffer, const void *from, size_t bytes)
{
  BASIN_TRY(basin__buffer_reserve(cuda, buffer, bytes));
  return basin__cuda_upload(cuda, buffer->address, from, bytes);
}

/* The instance of every node. */
static basin_status upload_of_node(basin_cuda_preconditioner *p, const basin_preconditioner *host)
{
  basin_context *context = basin__cuda_context(p->cuda);
  size_t bytes = ((size_t)p->node_count + 1) * sizeof(uint32_t);
  uint32_t *of_node = basin__alloc(context, bytes);
  if (of_node == NULL) return BASIN_ERROR_MEMORY;
  for (size_t i = 0; i < host->instance_count; i++) {
    for (uint32_t node = host->instance_starts[i]; node < host->instance_starts[i + 1]; node++)
      of_node[node] = (uint32_t)i;
  }
  of_node[p->node_count] = 0;
  basin_status status = upload_array(p->cuda, &p->of_node, of_node, bytes);
  basin__free(context, of_node, bytes);
  return status;
}

static basin_status upload_instances(basin_cuda_preconditioner *p, const basin_preconditioner *host)
{
  static_assert(sizeof(size_t) == 8, "places are 64-bit numbers on the device");
  size_t count = host->instance_count;
  p->instance_count = count;
  p->inverse_count = host->inverse_starts[count];
  p->largest = host->largest;
  p->nodes = count == p->node_count;
  if (p->nodes) return BASIN_OK;
  BASIN_TRY(
      upload_array(p->cuda, &p->starts, host->instance_starts, (count + 1) * sizeof(uint32_t)));
  BASIN_TRY(
      upload_array(p->cuda, &p->places, host->inverse_starts, (count + 1) * sizeof(uint64_t)));
  return upload_of_node(p, host);
}

/* Room for the inverses, for blocks beyond shared memory, and for what was found. */
static basin_status reserve(basin_cuda_preconditioner *p)
{
  basin_cuda *cuda = p->cuda;
  size_t large = p->largest > SHARED_UNKNOWNS ? p->largest * p->largest + 2 * p->largest : 0;
  BASIN_TRY(basin__buffer_reserve(cuda, &p->inverses, (p->inverse_count + 1) * sizeof(double)));
  BASIN_TRY(basin__buffer_reserve(cuda, &p->results, sizeof(basin__cuda_found)));
  if (p->nodes && p->block == 3)
    BASIN_TRY(
        basin__buffer_reserve(cuda, &p->left, ((size_t)p->node_count + 1) * sizeof(uint32_t)));
  if (large == 0) return BASIN_OK;
  return basin__buffer_reserve(cuda, &p->scratch, large * LARGE_BLOCKS * sizeof(double));
}

basin_status basin__cuda_preconditioner_create(basin_cuda *cuda,
                                               uint32_t node_count,
                                               unsigned block,
                                               size_t instance_count,
                                               const basin_node_range *instances,
                                               basin_cuda_preconditioner **preconditioner)
{
  basin_context *context = basin__cuda_context(cuda);
  basin_preconditioner *host; /* for its checks and its instances */
  *preconditioner = NULL;
  BASIN_TRY(
      basin_preconditioner_create(context, node_count, block, instance_count, instances, &host));
  basin_cuda_preconditioner *p = basin__calloc(context, 1, sizeof *p);
  basin_status status = BASIN_ERROR_MEMORY;
  if (p != NULL) {
    p->cuda = cuda;
    p->node_count = node_count;
    p->block = block;
    status = upload_instances(p, host);
    if (status == BASIN_OK) status = reserve(p);
  }
  basin_preconditioner_destroy(host);
  if (status != BASIN_OK) {
    basin__cuda_preconditioner_destroy(p);
    return status;
  }
  *preconditioner = p;
  return BASIN_OK;
}

basin_status basin__cuda_preconditioner_create_schwarz(basin_cuda *cuda,
                                                       uint32_t node_count,
                                                       unsigned block,
                                                       basin_cuda_preconditioner **preconditioner)
{
  basin_context *context = basin__cuda_context(cuda);
  *preconditioner = NULL;
  basin_cuda_preconditioner *p = basin__calloc(context, 1, sizeof *p);
  if (p == NULL) return BASIN_ERROR_MEMORY;
  p->cuda = cuda;
  p->node_count = node_count;
  p->block = block;
  basin_status status = basin__cuda_schwarz_create(cuda, node_count, block, &p->schwarz);
  if (status != BASIN_OK) {
    basin__cuda_preconditioner_destroy(p);
    return status;
  }
  *preconditioner = p;
  return BASIN_OK;
}

void basin__cuda_preconditioner_destroy(basin_cuda_preconditioner *p)
{
  if (p == NULL) return;
  basin_buffer *buffers[] = {&p->starts,
                             &p->places,
                             &p->of_node,
                             &p->inverses,
                             &p->left,
                             &p->scratch,
                             &p->results,
                             &p->single};
  for (size_t i = 0; i < BASIN_COUNT(buffers); i++) basin__buffer_release(p->cuda, buffers[i]);
  basin__cuda_schwarz_destroy(p->schwarz);
  basin__free(basin__cuda_context(p->cuda), p, sizeof *p);
}

/* ---- update ---- */

/* Definite 3 x 3 blocks; `left` flags the others. */
static basin_status
invert_nodes(basin_cuda_preconditioner *p, basin__cuda_rows *rows, const char *definitions)
{
  void *parameters[] = {rows, &p->inverses.address, &p->left.address};
  return basin__cuda_run(p->cuda,
                         "jacobi.cu",
                         "invert_nodes",
                         definitions,
                         basin__cuda_blocks(p->node_count, THREADS),
                         parameters);
}

basin_status basin__cuda_invert_blocks(basin_cuda *cuda,
                                       const basin_cuda_matrix *matrix,
                                       const basin__cuda_instances *of,
                                       basin_address inverses,
                                       basin_address results)
{
  size_t n = of->largest, small = n < SHARED_UNKNOWNS ? n : SHARED_UNKNOWNS;
  bool large = n > SHARED_UNKNOWNS;
  uint64_t room = large ? n * n + 2 * n : 0;
  uint32_t count = of->end - of->begin;
  size_t most = large ? LARGE_BLOCKS : of->left != 0 ? FLAGGED_BLOCKS : MOST_BLOCKS;
  basin__cuda_rows rows = basin__cuda_rows_of(matrix);
  basin__cuda_definitions definitions = basin__cuda_define(matrix->parts[0].block, false);
  basin__cuda_instances copy = *of;
  void *parameters[] = {&rows,
                        &copy.begin,
                        &copy.end,
                        &copy.nodes,
                        &copy.offset,
                        &copy.starts,
                        &copy.places,
                        &copy.left,
                        &copy.scratch,
                        &room,
                        &inverses,
                        &results};
  basin_cuda_launch work = {.blocks = (unsigned)(count < most ? count : most),
                            .threads = n <= 16                ? 32
                                       : n <= SHARED_UNKNOWNS ? 128
                                                              : THREADS,
                            .shared = (2 * small * small + 2 * small) * sizeof(double)};
  BASIN_TRY(
      basin__cuda_kernel(cuda, "jacobi.cu", "invert_instances", definitions.text, &work.kernel));
  return basin__cuda_launch(cuda, &work, parameters);
}

static basin_status check_shape(const basin_cuda_preconditioner *p, const basin_cuda_matrix *matrix)
{
  BASIN_TRY(basin__cuda_matrix_check(p->cuda, matrix));
  const basin_cuda_bsr *first = &matrix->parts[0];
  if (first->node_count == p->node_count && first->block == p->block) return BASIN_OK;
  return BASIN_FAIL(basin__cuda_context(p->cuda),
                    BASIN_ERROR_SHAPE,
                    "a preconditioner for %u nodes of %u was given a matrix of %u nodes of %u",
                    (unsigned)p->node_count,
                    p->block,
                    (unsigned)first->node_count,
                    first->block);
}

/* The first node of an instance. */
static basin_status
first_node(const basin_cuda_preconditioner *p, uint32_t instance, uint32_t *node)
{
  *node = instance;
  if (p->nodes) return BASIN_OK;
  return basin__cuda_download(
      p->cuda, node, p->starts.address + (size_t)instance * sizeof(uint32_t), sizeof *node);
}

basin_status basin__cuda_preconditioner_update(basin_cuda_preconditioner *p,
                                               const basin_cuda_matrix *matrix,
                                               size_t *fallbacks)
{
  basin__cuda_found result = {UINT32_MAX, 0};
  BASIN_TRY(check_shape(p, matrix));
  if (fallbacks != NULL) *fallbacks = 0;
  p->single_current = false;
  if (p->schwarz != NULL) return basin__cuda_schwarz_update(p->schwarz, matrix, fallbacks);
  basin__cuda_rows rows = basin__cuda_rows_of(matrix);
  basin__cuda_definitions definitions = basin__cuda_define(p->block, false);
  if (p->node_count == 0) return BASIN_OK;
  BASIN_TRY(basin__cuda_upload(p->cuda, p->results.address, &result, sizeof result));
  if (p->nodes && p->block == 3) BASIN_TRY(invert_nodes(p, &rows, definitions.text));
  basin__cuda_instances instances = {.end = (uint32_t)p->instance_count,
                                     .starts = p->starts.address,
                                     .places = p->places.address,
                                     .left = p->left.address,
                                     .scratch = p->scratch.address,
                                     .largest = p->largest};
  BASIN_TRY(basin__cuda_invert_blocks(
      p->cuda, matrix, &instances, p->inverses.address, p->results.address));
  BASIN_TRY(basin__cuda_download(p->cuda, &result, p->results.address, sizeof result));
  if (result.bad != UINT32_MAX) {
    uint32_t node;
    BASIN_TRY(first_node(p, result.bad, &node));
    return BASIN_FAIL(basin__cuda_context(p->cuda),
                      BASIN_ERROR_NOT_FINITE,
                      "the diagonal block of the matrix at node %u is not finite",
                      (unsigned)node);
  }
  if (fallbacks != NULL) *fallbacks = result.fallbacks;
  return BASIN_OK;
}

/* ---- application ---- */

void basin__cuda_preconditioner_hold(basin_cuda_preconditioner *p, basin_address bits)
{
  if (p->schwarz != NULL) basin__cuda_schwarz_hold(p->schwarz, bits);
}

basin_status basin__cuda_preconditioner_prepare(basin_cuda_preconditioner *p, bool single)
{
  if (p->schwarz != NULL) return basin__cuda_schwarz_prepare(p->schwarz, single);
  if (!single || p->single_current) return BASIN_OK;
  BASIN_TRY(basin__buffer_reserve(p->cuda, &p->single, (p->inverse_count + 1) * sizeof(float)));
  BASIN_TRY(
      basin__cuda_to_single(p->cuda, p->inverses.address, p->inverse_count, p->single.address));
  p->single_current = true;
  return BASIN_OK;
}

basin_status basin__cuda_preconditioner_launch(
    basin_cuda_preconditioner *p, bool single, basin_address r, basin_address z, basin_address stop)
{
  if (p->schwarz != NULL) return basin__cuda_schwarz_launch(p->schwarz, single, r, z, stop);
  basin__cuda_definitions definitions = basin__cuda_define(p->block, single);
  void *parameters[] = {&p->node_count,
                        &p->of_node.address,
                        &p->starts.address,
                        &p->places.address,
                        single ? &p->single.address : &p->inverses.address,
                        &r,
                        &z,
                        &stop};
  return basin__cuda_run(p->cuda,
                         "jacobi_apply.cu",
                         "apply_instances",
                         definitions.text,
                         basin__cuda_blocks((size_t)p->node_count * p->block, THREADS),
                         parameters);
}

uint64_t basin__cuda_preconditioner_signature(const basin_cuda_preconditioner *p, bool single)
{
  uint64_t parts[] = {p->node_count,
                      p->block,
                      p->nodes,
                      p->of_node.address,
                      p->starts.address,
                      p->places.address,
                      single ? p->single.address : p->inverses.address,
                      p->schwarz != NULL ? basin__cuda_schwarz_signature(p->schwarz, single) : 0};
  uint64_t signature = basin__hash64(parts, sizeof parts, single);
  return signature != 0 ? signature : 1;
}

basin_status
basin__cuda_preconditioner_apply(basin_cuda_preconditioner *p, basin_address r, basin_address z)
{
  BASIN_TRY(basin__cuda_preconditioner_prepare(p, false));
  return basin__cuda_preconditioner_launch(p, false, r, z, 0);
}
