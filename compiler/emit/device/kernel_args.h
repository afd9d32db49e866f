/* The kernel ABI of <basin/kernel.h> for emitted text, which sees no system header; tests compare
 * the two. SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_DEVICE_KERNEL_ARGS_H
#define BASIN_DEVICE_KERNEL_ARGS_H

typedef unsigned long basin_size;
typedef unsigned int basin_word;

typedef struct basin_args {
  basin_size begin, end;
  const double *const *arrays;
  const basin_word *const *indices;
  double *output;
  double *energy;
  double *energy_sum;
  const basin_word *nodes, *slots;
  double *gradient, *values;
  double *local_gradient, *local_hessian;
  void *scratch;
  basin_word projection;
} basin_args;

#define BASIN_NONE            0xffffffffu
#define BASIN_SLOT_TRANSPOSED 0x80000000u
#define BASIN_SLOT_TWICE      0x40000000u
#define BASIN_SLOT_MASK       0x3fffffffu

#define BASIN_PROJECTION_NONE 0

#define BASIN_CUDA_STAGED        12
#define BASIN_CUDA_THREADS_LOCAL 64

#define BASIN_STAGE_COMPUTE  0
#define BASIN_STAGE_VALUE    1
#define BASIN_STAGE_GRADIENT 2
#define BASIN_STAGE_HESSIAN  3

#endif
