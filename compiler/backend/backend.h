/* Back ends: each turns kernel programs into callable kernels. A struct of functions, chosen by
 * name. SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_BACKEND_BACKEND_H
#define BASIN_BACKEND_BACKEND_H

#include "backend/target.h"
#include "plan/program.h"
#include <basin/compiler.h>

/* One kernel to compile. */
typedef struct basin_backend_job {
  const basin_kernel_program *program;
  basin_kernel kernel; /* result; lives as long as the back end */
} basin_backend_job;

typedef struct basin_backend_kind {
  const char *name;
  bool has_variants; /* what follows a ':' in the name is handed to `open`, else "" */
  /* Fills in backend->state. */
  basin_status (*open)(basin_backend *backend, const char *variant);
  void (*close)(basin_backend *backend);
  basin_status (*compile)(basin_backend *backend, basin_backend_job *jobs, size_t count);
  /* Appends the text of `form` other than "kernel", which all kinds share; NULL if there are no
   * others. */
  basin_status (*text)(basin_backend *backend,
                       const basin_kernel_program *program,
                       const char *form,
                       basin_strbuf *text);
  void (*describe)(basin_backend *backend, basin_strbuf *text);
  /* File of the compiler's library; NULL if there is none, or the kind has none. */
  const char *(*library)(basin_backend *backend);
} basin_backend_kind;

struct basin_backend {
  basin_context *context;
  const basin_backend_kind *kind;
  basin_precision precision;
  basin_backend_statistics statistics;
  void *state;
  basin_strbuf description; /* made when first asked for */
};

extern const basin_backend_kind basin__backend_interp, basin__backend_clang, basin__backend_cached,
    basin__backend_nvrtc_kind;

/* What basin_backend_compile and basin_backend_text do, on programs instead of plans. */
basin_status basin__backend_compile(basin_backend *backend, basin_backend_job *jobs, size_t count);
basin_status basin__backend_text(basin_backend *backend,
                                 const basin_kernel_program *program,
                                 const char *form,
                                 char **text);

#endif
