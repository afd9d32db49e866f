/* Texts of linear solver outcomes, and default options.
 * SPDX-License-Identifier: Apache-2.0 */
#include <basin/linalg.h>

#include "base/base.h"

const char *basin_linear_status_text(basin_linear_status status)
{
  static const char *const texts[] = {
#define X(code, text) text,
      BASIN_LINEAR_STATUS_LIST(X)
#undef X
  };
  _Static_assert(BASIN_COUNT(texts) == BASIN_LINEAR_STATUS_COUNT, "one text for each status");
  return (unsigned)status < BASIN_COUNT(texts) ? texts[status] : "unknown status";
}

bool basin_linear_status_good(basin_linear_status status)
{
  return status == BASIN_LINEAR_CONVERGED || status == BASIN_LINEAR_ALREADY_CONVERGED;
}

basin_linear_options basin_linear_options_defaults(void)
{
  return (basin_linear_options){
      .size = sizeof(basin_linear_options),
      .stop = BASIN_STOP_PRECONDITIONED,
      .tolerance = 1e-3,
      .maximum_iterations = 20000,
      .maximum_restarts = 8,
      .stagnation_window = 1024,
      .divergence = 1e16,
  };
}

basin_factor_options basin_factor_options_defaults(void)
{
  return (basin_factor_options){.size = sizeof(basin_factor_options)};
}
