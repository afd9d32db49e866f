/* The Clang back end's state, shared by its files.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_BACKEND_CLANG_H
#define BASIN_BACKEND_CLANG_H

#include "backend/backend.h"
#include "backend/object.h"
#include "backend/shim.h"
#include "base/cache.h"
#include "emit/emit.h"

/* Compiled code in memory: a kernel, or a projection that kernels call. */
typedef struct basin_clang_unit {
  basin_key key;
  basin_object *object;
  struct basin_clang_unit *next;
} basin_clang_unit;

typedef struct basin_clang {
  basin_target target;
  basin_shim shim;
  basin_cache *cache;
  bool cache_only; /* never compiles */
  bool contract;   /* a * b + c may be fused */
  basin_dialect_file files[BASIN_DIALECT_FILES];
  size_t file_count;
  char configuration[33]; /* hash of all that code depends on besides its text */
  basin_clang_unit *units;
} basin_clang;

/* Runs Clang on a text. result->data is NULL on failure; released by the shim's function. */
void basin__clang_run(const basin_backend *backend,
                      const char *text,
                      basin_shim_form form,
                      basin_shim_result *result);

/* The error that the diagnostics of a failed run make. */
basin_status
basin__clang_error(const basin_backend *backend, const char *name, const char *diagnostics);

/* clang_compile.c: the back end's `compile`. */
basin_status basin__clang_compile(basin_backend *backend, basin_backend_job *jobs, size_t count);

#endif
