/* Which embedded header stands behind the names that emitted text includes.
 * SPDX-License-Identifier: Apache-2.0 */
#include "emit/emit.h"
#include "emit/texts.h"

#include <string.h>

static const char *text_of(const char *name)
{
  for (size_t i = 0; i < basin__dialect_text_count; i++)
    if (strcmp(basin__dialect_texts[i].name, name) == 0) return basin__dialect_texts[i].text;
  return NULL;
}

size_t basin__dialect_files(basin_dialect dialect, basin_dialect_file files[BASIN_DIALECT_FILES])
{
  bool cpu = dialect == BASIN_DIALECT_CPU;
  size_t count = 0;
  files[count++] =
      (basin_dialect_file){"dialect.h", text_of(cpu ? "dialect_cpu.h" : "dialect_cuda.h")};
  files[count++] =
      (basin_dialect_file){"driver.h", text_of(cpu ? "driver_cpu.h" : "driver_cuda.h")};
  files[count++] =
      (basin_dialect_file){"project.h", text_of(cpu ? "project_cpu.h" : "project_cuda.h")};
  for (size_t i = 0; i < basin__dialect_text_count && count < BASIN_DIALECT_FILES; i++) {
    const char *name = basin__dialect_texts[i].name;
    if (!strstr(name, cpu ? "_cuda.h" : "_cpu.h")) files[count++] = basin__dialect_texts[i];
  }
  return count;
}
