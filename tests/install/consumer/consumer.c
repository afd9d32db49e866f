/* A program outside the project: makes a context, sees the installed version.
 * SPDX-License-Identifier: Apache-2.0 */
#include <basin/base.h>
#include <stdio.h>
#include <string.h>

int main(void)
{
  basin_options options = basin_options_defaults();
  options.device = "cpu";
  basin_context *context = basin_context_create(&options);
  if (!context || strcmp(basin_version(), BASIN_VERSION_STRING) != 0) return 1;
  if (basin_error_last(context)->code != BASIN_OK) return 2;
  basin_context_destroy(context);
  printf("basin %s\n", basin_version());
  return 0;
}
