/* Around the iterations of a minimization.
 * SPDX-License-Identifier: Apache-2.0 */
#include "solve/course.h"

bool basin__course_goes_on(basin_context *context, const char *name, unsigned done, unsigned most)
{
  if (basin__interrupted(context)) return false;
  if (basin__progress(context, name, (double)done / most)) return true;
  basin__interrupt_clear(context);
  return false;
}

basin_status basin__course_end(basin_minimizer *minimizer,
                               basin_status status,
                               const double *x,
                               unsigned iterations,
                               basin_stop_reason *reason)
{
  basin_context *context = minimizer->context;
  if (status != BASIN_OK) {
    *reason = status == BASIN_ERROR_NOT_FINITE ? BASIN_STOP_NOT_FINITE : BASIN_STOP_ERROR;
    basin__error_hold(context);
    (void)basin__solve_engine(minimizer)->targets_write(minimizer, x);
    basin__error_release(context);
    return status;
  }
  if (*reason != BASIN_STOP_INTERRUPTED) return BASIN_OK;
  return BASIN_FAIL(
      context, BASIN_ERROR_INTERRUPTED, "interrupted after %u iterations", iterations);
}
