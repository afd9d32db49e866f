/* Checks of the numbers that detectors are given, on the CPU and on devices.
 * SPDX-License-Identifier: Apache-2.0 */
#include "contact/contact.h"
#include "contact/device/contact_box.h"

basin_status basin__contact_check_activation(basin_context *context, double activation)
{
  if (activation > 0 && activation < HUGE_VAL) return BASIN_OK;
  return BASIN_FAIL(context,
                    BASIN_ERROR_ARGUMENT,
                    "contact: the activation distance must be a number > 0, it is %g",
                    activation);
}

basin_status basin__contact_check_limit(basin_context *context, double limit)
{
  if (limit > 0 && limit < HUGE_VAL) return BASIN_OK;
  return BASIN_FAIL(context,
                    BASIN_ERROR_ARGUMENT,
                    "contact: the limit of a step must be a number > 0, it is %g",
                    limit);
}

basin_status basin__contact_check_slackness(basin_context *context, double slackness)
{
  if (slackness > 0 && slackness < 1) return BASIN_OK;
  return BASIN_FAIL(context,
                    BASIN_ERROR_ARGUMENT,
                    "contact: the slackness must be between 0 and 1, it is %g",
                    slackness);
}

basin_status
basin__contact_fail_position(basin_context *context, size_t vertex, const double position[3])
{
  double largest = 0;
  bool finite = true;
  for (int k = 0; k < 3; ++k) {
    finite = finite && isfinite(position[k]);
    largest = fmax(largest, fabs(position[k]));
  }
  if (finite && largest >= BASIN__LARGEST_POSITION)
    return BASIN_FAIL(context,
                      BASIN_ERROR_ARGUMENT,
                      "contact: vertex %zu is at %g, coordinates must stay below %g",
                      vertex,
                      largest,
                      BASIN__LARGEST_POSITION);
  return BASIN_FAIL(context,
                    BASIN_ERROR_NOT_FINITE,
                    "contact: the %s of vertex %zu is not finite",
                    finite ? "motion" : "position",
                    vertex);
}
