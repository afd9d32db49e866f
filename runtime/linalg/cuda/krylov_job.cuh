/* What the jobs of the iterative solvers share: their types on both sides, the matrix, why they
 * stop. A job is read by a text of the device and by a file of the host: the same layout in both.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_KRYLOV_JOB_CUH
#define BASIN_KRYLOV_JOB_CUH

#ifdef __cplusplus
#define DEVICE_POINTER(type) type *
typedef unsigned krylov_word;
typedef unsigned long long krylov_size;
#else
#include <stdint.h>
#define DEVICE_POINTER(type) basin_address
typedef uint32_t krylov_word;
typedef uint64_t krylov_size;
#endif

/* Why iterations stopped: 0, or 1 + a basin_linear_status; what a solver asks the host comes from
 * KRYLOV_QUESTIONS on. */
enum {
  KRYLOV_RUNNING,
  KRYLOV_CONVERGED,
  KRYLOV_ALREADY_CONVERGED,
  KRYLOV_ITERATION_LIMIT,
  KRYLOV_INDEFINITE,
  KRYLOV_NOT_FINITE,
  KRYLOV_STAGNATED,
  KRYLOV_DIVERGED,
  KRYLOV_SINGULAR,
  KRYLOV_QUESTIONS = 100
};

typedef struct krylov_part {
  DEVICE_POINTER(const krylov_word) row_starts;
  DEVICE_POINTER(const krylov_word) columns;
  DEVICE_POINTER(const NUMBER) values;
} krylov_part;

/* Where a job begins: the argument `matrix` of the kernels. */
typedef struct krylov_matrix {
  krylov_word node_count, part_count;
  krylov_part parts[4];
} krylov_matrix;

#endif
