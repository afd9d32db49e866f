/* The interpreter's kernel: a copy of a program, and where its values stand in the scratch.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_BACKEND_INTERP_H
#define BASIN_BACKEND_INTERP_H

#include "plan/program.h"

/* In `calls`: an earlier instruction has made the call. */
#define BASIN_CALL_AGAIN 0x80000000u

/* One straight-line program with its numbers resolved for one kernel. */
typedef struct basin_interp_program {
  basin_program program;
  uint32_t *arrays;         /* by access: number among the kernel's arrays */
  uint32_t *connectivities; /* by access and step: likewise; BASIN_PATH_MAX an access */
  uint32_t *calls;    /* by instruction: for outputs of small matrix functions, where the call's
                         results start */
  uint32_t call_size; /* doubles of all calls */
} basin_interp_program;

typedef struct basin_interp_kernel {
  basin_context *context;
  basin_arena arena; /* holds everything */
  basin_kernel_info info;
  basin_interp_program inner, outer;
  uint32_t block_count;
  const uint32_t *block_of;
  size_t scratch_size;
  struct basin_interp_kernel *next;
} basin_interp_kernel;

/* Copies a kernel program: the plan may go before the kernel does. */
basin_status basin__interp_create(basin_context *context,
                                  const basin_kernel_program *program,
                                  basin_interp_kernel **kernel);
void basin__interp_destroy(basin_interp_kernel *kernel);

/* The kernel function; `self` is a basin_interp_kernel. */
void basin__interp_run(const basin_kernel_args *args, const void *self);

/* Evaluates a program for one element. values: program.count doubles and then call_size; instances:
 * one an access; inner: what INNER reads. Results are in values. */
void basin__interp_evaluate(const basin_interp_program *program,
                            const basin_kernel_args *args,
                            size_t element,
                            const double *inner,
                            double *values,
                            uint32_t *instances);

#endif
