/* Basin's Clang module, opened when the first kernel must be compiled.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_BACKEND_SHIM_H
#define BASIN_BACKEND_SHIM_H

#include "backend/clang_shim.h"
#include "base/base.h"

typedef struct basin_shim {
  basin_dl *library; /* NULL until opened */
#define X(type, name, parameters) type(*name) parameters;
  BASIN_SHIM_FUNCTIONS(X)
#undef X
} basin_shim;

/* Whether a module file is where one is looked for: beside the library that contains this code, in
 * ../lib of its folder, or at $BASIN_LIB_CLANG. Error: MISSING_LIBRARY with what to install. Opens
 * nothing. */
basin_status basin__shim_find(basin_context *context);

/* Opens the module, once; LLVM stays loaded until the process ends. Error: MISSING_LIBRARY with the
 * loader's reason. */
basin_status basin__shim_open(basin_context *context, basin_shim *shim);
void basin__shim_close(basin_shim *shim);

#endif
