/* What the iterative solvers of a device share on the host: checks, the matrix in a job, graphs of
 * iterations. SPDX-License-Identifier: Apache-2.0 */
#include "krylov.h"

#include "base/base.h"
#include "linalg/iterative.h"
#include <stddef.h>

static_assert(sizeof(krylov_matrix) == sizeof(basin__cuda_rows) &&
                  offsetof(krylov_matrix, parts) == offsetof(basin__cuda_rows, parts) &&
                  sizeof(krylov_part) == sizeof(basin__cuda_part),
              "a job begins with the argument of the other kernels");
static_assert(KRYLOV_SINGULAR == 1 + (int)BASIN_LINEAR_SINGULAR &&
                  KRYLOV_NOT_FINITE == 1 + (int)BASIN_LINEAR_NOT_FINITE,
              "status numbers as in krylov_job.cuh");

enum { THREADS = BASIN__CUDA_LINEAR_THREADS, VECTOR_BLOCKS = 1024, ENTRIES_A_THREAD = 2 };
enum { FEW = 8, MANY = 64 }; /* iterations of a graph: at first, and when it takes long */

basin_status basin__krylov_begin(basin_cuda *cuda,
                                 const basin_cuda_matrix *matrix,
                                 const basin_cuda_preconditioner *m,
                                 const basin_linear_options **options,
                                 basin_linear_options *room,
                                 basin_linear_result *result)
{
  basin_context *context = basin__cuda_context(cuda);
  const basin_cuda_bsr *first = &matrix->parts[0];
  *result = (basin_linear_result){.status = BASIN_LINEAR_NOT_RUN};
  BASIN_TRY(basin__cuda_matrix_check(cuda, matrix));
  BASIN_TRY(basin__iterative_options(context, options, room));
  if (m == NULL) return BASIN_OK;
  return basin__iterative_shapes(context, first->node_count, first->block, m->node_count, m->block);
}

unsigned basin__krylov_blocks(size_t size)
{
  unsigned blocks = basin__cuda_blocks(size, THREADS * ENTRIES_A_THREAD);
  return blocks < VECTOR_BLOCKS ? blocks : VECTOR_BLOCKS;
}

krylov_matrix basin__krylov_matrix(const basin_cuda_matrix *matrix)
{
  krylov_matrix result = {matrix->parts[0].node_count, matrix->part_count, {{0, 0, 0}}};
  for (unsigned p = 0; p < matrix->part_count; p++) {
    const basin_cuda_bsr *part = &matrix->parts[p];
    result.parts[p] = (krylov_part){part->row_starts, part->columns, part->values};
  }
  return result;
}

bool basin__krylov_fused(const basin_cuda_preconditioner *m)
{
  return m != NULL && m->schwarz == NULL && m->nodes;
}

/* ---- graphs ---- */

void basin__krylov_forget(basin_cuda *cuda, basin__krylov_graphs *graphs)
{
  basin__cuda_graph_destroy(cuda, graphs->few);
  basin__cuda_graph_destroy(cuda, graphs->many);
  *graphs = (basin__krylov_graphs){NULL, NULL};
}

/* Kernels are compiled and loaded before a recording, which takes launches alone. */
static basin_status load_kernels(basin_cuda *cuda, const basin__krylov_iteration *of)
{
  const basin_cuda_kernel *kernel;
  for (size_t i = 0; i < of->entry_count; i++)
    BASIN_TRY(basin__cuda_kernel(cuda, of->file, of->entries[i], of->definitions, &kernel));
  return BASIN_OK;
}

static basin_status record(basin_cuda *cuda,
                           basin_cuda_graph **graph,
                           const basin__krylov_iteration *of,
                           unsigned count)
{
  if (*graph != NULL) return BASIN_OK;
  BASIN_TRY(load_kernels(cuda, of));
  BASIN_TRY(basin__cuda_graph_begin(cuda));
  basin_status status = BASIN_OK;
  for (unsigned k = 0; k < count && status == BASIN_OK; k++) status = of->launch(of->user);
  if (status == BASIN_OK) return basin__cuda_graph_end(cuda, graph);
  basin__cuda_graph_abandon(cuda);
  return status;
}

basin_status basin__krylov_iterate(basin_cuda *cuda,
                                   basin__krylov_graphs *graphs,
                                   const basin__krylov_iteration *iteration,
                                   unsigned chosen,
                                   uint64_t done)
{
  bool many = chosen == 0 && done >= MANY;
  basin_cuda_graph **graph = many ? &graphs->many : &graphs->few;
  BASIN_TRY(record(cuda, graph, iteration, chosen > 0 ? chosen : many ? MANY : FEW));
  return basin__cuda_graph_launch(cuda, *graph);
}
