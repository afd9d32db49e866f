/* How every iterative solver begins: its options, and the power of two by which it scales.
 * SPDX-License-Identifier: Apache-2.0 */
#include "iterative.h"

#include "base/base.h"
#include "bsr.h"
#include "norm.h"
#include "preconditioner.h"
#include <math.h>

basin_status basin__iterative_options(basin_context *context,
                                      const basin_linear_options **options,
                                      basin_linear_options *room)
{
  if (*options == NULL) {
    *room = basin_linear_options_defaults();
    *options = room;
  }
  if ((*options)->size != sizeof **options) {
    return BASIN_FAIL(
        context,
        BASIN_ERROR_ARGUMENT,
        "linear solver options of an unknown size: use basin_linear_options_defaults");
  }
  if (!((*options)->tolerance >= 0)) {
    return BASIN_FAIL(context,
                      BASIN_ERROR_ARGUMENT,
                      "the tolerance of a linear solve must not be negative or NaN");
  }
  return BASIN_OK;
}

basin_status basin__iterative_shapes(basin_context *context,
                                     uint32_t node_count,
                                     unsigned block,
                                     uint32_t preconditioner_nodes,
                                     unsigned preconditioner_block)
{
  if (node_count == preconditioner_nodes && block == preconditioner_block) return BASIN_OK;
  return BASIN_FAIL(context,
                    BASIN_ERROR_SHAPE,
                    "the matrix has %u nodes of %u, its preconditioner %u nodes of %u",
                    (unsigned)node_count,
                    block,
                    (unsigned)preconditioner_nodes,
                    preconditioner_block);
}

basin_status basin__iterative_begin(basin_context *context,
                                    const basin_bsr *matrix,
                                    const basin_preconditioner *p,
                                    const basin_linear_options **options,
                                    basin_linear_options *room,
                                    basin_linear_result *result)
{
  *result = (basin_linear_result){.status = BASIN_LINEAR_NOT_RUN};
  BASIN_TRY(basin__iterative_options(context, options, room));
  if (p == NULL) return BASIN_OK;
  return basin__iterative_shapes(
      context, matrix->node_count, matrix->block_size, p->node_count, p->block_size);
}

basin__scale basin__scale_of(size_t size, const double *b)
{
  int exponent = 0;
  double largest = basin__norm_max(size, b);
  if (largest > 0 && isfinite(largest)) frexp(largest, &exponent);
  exponent = exponent > 1000 ? 1000 : exponent < -1000 ? -1000 : exponent;
  return (basin__scale){ldexp(1, -exponent), ldexp(1, exponent)};
}

void basin__scale_in(
    const basin__scale *scale, size_t size, const double *b, double *to, double *x, bool guess)
{
  for (size_t i = 0; i < size; i++) {
    to[i] = b[i] * scale->to;
    x[i] = guess ? x[i] * scale->to : 0;
  }
}

void basin__scale_out(const basin__scale *scale, size_t size, double *x)
{
  for (size_t i = 0; i < size; i++) x[i] *= scale->back;
}
