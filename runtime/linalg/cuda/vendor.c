/* cuSOLVER, cuSPARSE and cuDSS, opened at run time. SPDX-License-Identifier: Apache-2.0 */
#include "vendor.h"

#include "base/base.h"
#include <string.h>

static basin_status open_library(basin_context *context,
                                 const char *variable,
                                 const char *what,
                                 const char *const *names,
                                 basin_dl **library)
{
  basin_strbuf reason;
  basin__strbuf_init(&reason, context);
  *library = basin__dl_open(context, variable, names, &reason);
  basin_status status = BASIN_OK;
  if (*library == NULL)
    status = BASIN_FAIL(context,
                        BASIN_ERROR_MISSING_LIBRARY,
                        "%s cannot be opened; it comes with the CUDA toolkit, or set BASIN_LIB_%s "
                        "to its file (%s)",
                        what,
                        variable,
                        basin__strbuf_text(&reason));
  basin__strbuf_fini(&reason);
  return status;
}

static basin_status lacks(basin_context *context, const basin_dl *library, const char *name)
{
  return BASIN_FAIL(
      context, BASIN_ERROR_UNSUPPORTED, "%s has no function %s", basin__dl_path(library), name);
}

#define SYMBOL(required, name, arguments)                                      \
  symbol = basin__dl_symbol(l->library, #name);                                \
  if (symbol == NULL && required) return lacks(l->context, l->library, #name); \
  memcpy(&l->name, &symbol, sizeof symbol);

static basin_status resolve_cusolver(basin__cusolver *l)
{
  static const char *const names[] = {"libcusolver.so.12",
                                      "libcusolver.so.11",
                                      "libcusolver.so",
                                      "/usr/local/cuda/lib64/libcusolver.so",
                                      NULL};
  void *symbol;
  BASIN_TRY(open_library(l->context, "CUSOLVER", "cuSOLVER", names, &l->library));
#include "cusolver.def"
  return BASIN_OK;
}

static basin_status resolve_cusparse(basin__cusparse *l)
{
  static const char *const names[] = {
      "libcusparse.so.12", "libcusparse.so", "/usr/local/cuda/lib64/libcusparse.so", NULL};
  void *symbol;
  BASIN_TRY(open_library(l->context, "CUSPARSE", "cuSPARSE", names, &l->library));
#include "cusparse.def"
  return BASIN_OK;
}

static basin_status resolve_cudss(basin__cudss *l)
{
  static const char *const names[] = {"libcudss.so.0", "libcudss.so", NULL};
  int major = -1;
  void *symbol;
  BASIN_TRY(open_library(l->context, "CUDSS", "cuDSS", names, &l->library));
#include "cudss.def"
  l->minor = -1;
  if (l->cudssGetProperty(0, &major) == 0 && l->cudssGetProperty(1, &l->minor) == 0 && major == 0 &&
      (l->minor == 7 || l->minor == 8))
    return BASIN_OK;
  return BASIN_FAIL(l->context,
                    BASIN_ERROR_UNSUPPORTED,
                    "%s is cuDSS %d.%d; Basin knows 0.7 and 0.8",
                    basin__dl_path(l->library),
                    major,
                    l->minor);
}
#undef SYMBOL

#define DEFINE_LIBRARY(name)                                                        \
  basin_status basin__##name##_open(basin_context *context, basin__##name **result) \
  {                                                                                 \
    basin__##name *l = *result = basin__calloc(context, 1, sizeof *l);              \
    if (l == NULL) return BASIN_ERROR_MEMORY;                                       \
    l->context = context;                                                           \
    basin_status status = resolve_##name(l);                                        \
    if (status != BASIN_OK) {                                                       \
      basin__##name##_close(l);                                                     \
      *result = NULL;                                                               \
    }                                                                               \
    return status;                                                                  \
  }                                                                                 \
  void basin__##name##_close(basin__##name *l)                                      \
  {                                                                                 \
    if (l == NULL) return;                                                          \
    basin__dl_close(l->library);                                                    \
    basin__free(l->context, l, sizeof *l);                                          \
  }
DEFINE_LIBRARY(cusolver)
DEFINE_LIBRARY(cusparse)
DEFINE_LIBRARY(cudss)
#undef DEFINE_LIBRARY

basin_status
basin__vendor_failed(basin_context *context, const char *call, int result, int allocation)
{
  const char *name = strstr(call, "->"), *end = strchr(call, '(');
  name = name != NULL ? name + 2 : call;
  int length = end != NULL && end > name ? (int)(end - name) : (int)strlen(name);
  return BASIN_FAIL(context,
                    result == allocation ? BASIN_ERROR_MEMORY : BASIN_ERROR_DEVICE,
                    "%.*s returned %d",
                    length,
                    name,
                    result);
}
