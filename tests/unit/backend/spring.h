/* A hand-written kernel with known derivatives: (d·d)²/4 + w d·d/2 of the difference d of two
 * nodes. SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_TESTS_SPRING_H
#define BASIN_TESTS_SPRING_H

#include "random_kernel.h"

enum { SPRING_NODES = 7, SPRING_ELEMENTS = 9 };

typedef struct spring_kernel {
  program_builder inner, outer;
  basin_kernel_program program;
} spring_kernel;
/* Stages VALUE, GRADIENT or HESSIAN; inner variables are the entries of d. */
void spring_kernel_fill(spring_kernel *kernel, basin_stage stage);

typedef struct spring_data {
  double x[SPRING_NODES * 3], weight[SPRING_ELEMENTS];
  uint32_t ends[SPRING_ELEMENTS * 2];
} spring_data;
spring_data spring_data_make(void); /* weights of both signs */
void spring_difference(const spring_data *data, size_t element, double d[3]);
void spring_run(const basin_kernel *kernel, const spring_data *data, basin_kernel_args args);

#endif
