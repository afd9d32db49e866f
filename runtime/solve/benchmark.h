/* What the benchmarks of the CPU and of CUDA devices share.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_SOLVE_BENCHMARK_H
#define BASIN_SOLVE_BENCHMARK_H

#include "solve/engine.h"

/* One term's kernel with the assembly of its results, from zero. */
basin_status basin__benchmark_assembled(basin_minimizer *minimizer,
                                        basin_term *term,
                                        const basin_benchmark_options *options);
/* Of at least one value; sorts them. */
double basin__benchmark_median(double *values, unsigned count);

#endif
