/* Turns what Clang says into NVRTC's form.
 * SPDX-License-Identifier: Apache-2.0 */
#include "nvrtc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "kernel.cu:3:5: error: text" is "kernel.cu(3): error: text"; other lines stay. */
static void put_line(FILE *out, const char *line, int length, int *errors)
{
  char file[256], kind[16];
  int number, column, rest = 0;
  if (sscanf(line, "%255[^:\n]:%d:%d: %15[^:\n]: %n", file, &number, &column, kind, &rest) < 4 ||
      !rest || rest > length) {
    fprintf(out, "%.*s\n", length, line);
    return;
  }
  if (strstr(kind, "error")) ++*errors;
  fprintf(out, "%s(%d): %s: %.*s\n", file, number, kind, length - rest, line + rest);
}

char *softcuda_diagnostics(const char *clang, const char *name)
{
  char *text = NULL;
  size_t size = 0;
  int errors = 0;
  FILE *out = open_memstream(&text, &size);
  if (!out) return NULL;
  while (*clang) {
    size_t length = strcspn(clang, "\n");
    put_line(out, clang, (int)length, &errors);
    clang += length + (clang[length] == '\n');
  }
  if (errors)
    fprintf(out,
            "%d error%s detected in the compilation of \"%s\".\n",
            errors,
            errors == 1 ? "" : "s",
            name);
  return fclose(out) == 0 ? text : NULL;
}
