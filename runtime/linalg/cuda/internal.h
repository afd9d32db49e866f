/* What the files of the CUDA linear solvers share. SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_LINALG_CUDA_INTERNAL_H
#define BASIN_LINALG_CUDA_INTERNAL_H

#include "linalg/cuda/linear.h"
#include "linalg/cuda/schwarz.h"

enum { BASIN__CUDA_LARGEST_BLOCK = 12, BASIN__CUDA_LINEAR_THREADS = 256 };

/* The argument `matrix` of the kernels; matrix.cuh. */
typedef struct basin__cuda_part {
  basin_address row_starts, columns, values;
} basin__cuda_part;
typedef struct basin__cuda_rows {
  uint32_t node_count, part_count;
  basin__cuda_part parts[BASIN_CUDA_PARTS];
} basin__cuda_rows;
static_assert(sizeof(basin__cuda_rows) == 8 + 24 * BASIN_CUDA_PARTS, "as in matrix.cuh");
basin__cuda_rows basin__cuda_rows_of(const basin_cuda_matrix *matrix);

/* "-DBLOCK=3 -DNUMBER=float" */
typedef struct basin__cuda_definitions {
  char text[40];
} basin__cuda_definitions;
basin__cuda_definitions basin__cuda_define(unsigned block, bool single);

/* Thread blocks of a product: one share of a dot product each. */
unsigned basin__cuda_multiply_blocks(const basin_cuda_matrix *matrix);

/* to[i] = (float)from[i] */
basin_status
basin__cuda_to_single(basin_cuda *cuda, basin_address from, size_t count, basin_address to);

/* ---- preconditioners ---- */

struct basin_cuda_preconditioner {
  basin_cuda *cuda;
  uint32_t node_count;
  unsigned block;
  basin__cuda_schwarz *schwarz; /* or NULL: block Jacobi, as follows */
  size_t instance_count, inverse_count /* numbers */, largest /* unknowns */;
  bool nodes;                           /* every instance is one node */
  basin_buffer starts, places, of_node; /* of instances, unless `nodes` */
  basin_buffer inverses, left, scratch, results;
  basin_buffer single; /* the inverses in float */
  bool single_current;
};

/* Blocks of a matrix to invert: see invert_instances in jacobi.cu. */
typedef struct basin__cuda_instances {
  uint32_t begin, end; /* instances */
  basin_address nodes; /* a list, whose entries minus `offset` are nodes; 0: nodes in order */
  uint32_t offset;
  basin_address starts; /* nodes, or places in the list, of each instance; 0: each one node */
  basin_address places; /* of the inverses; 0: one after the other */
  basin_address left;   /* not 0 for instances to invert; 0: all */
  basin_address scratch;
  size_t largest; /* unknowns */
} basin__cuda_instances;
/* On the device: the first instance with a number that is not finite, else UINT32_MAX, and how many
 * stand-ins were made. */
typedef struct basin__cuda_found {
  uint32_t bad, fallbacks;
} basin__cuda_found;
basin_status basin__cuda_invert_blocks(basin_cuda *cuda,
                                       const basin_cuda_matrix *matrix,
                                       const basin__cuda_instances *of,
                                       basin_address inverses,
                                       basin_address results);

/* z = M^-1 r in float or double, unless the word at `stop` (0: none) is not 0. May be recorded;
 * after basin__cuda_preconditioner_prepare. */
basin_status basin__cuda_preconditioner_launch(basin_cuda_preconditioner *preconditioner,
                                               bool single,
                                               basin_address r,
                                               basin_address z,
                                               basin_address stop);
/* What an application in this precision needs. */
basin_status basin__cuda_preconditioner_prepare(basin_cuda_preconditioner *preconditioner,
                                                bool single);
/* Not 0; another one where an application is launched with other addresses or sizes. */
uint64_t basin__cuda_preconditioner_signature(const basin_cuda_preconditioner *preconditioner,
                                              bool single);

#endif
