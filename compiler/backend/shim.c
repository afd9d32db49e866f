/* Finds and opens Basin's Clang module.
 * SPDX-License-Identifier: Apache-2.0 */
#include "backend/shim.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define SHIM_FILE     "basin-clang.so"
#define SHIM_PACKAGES "libclang-cpp19 and libllvm19 (Debian, with Basin built with BASIN_LLVM=ON)"

enum { PATH_SIZE = 4096 };

typedef struct places {
  char beside[PATH_SIZE], build[PATH_SIZE];
  const char *names[3];
} places;

/* The folder of the library, or program, that contains this very function. */
static bool own_folder(char *folder)
{
  Dl_info info;
  basin_status (*function)(basin_context *) = basin__shim_find;
  void *address;
  memcpy(&address, &function, sizeof address);
  if (!dladdr(address, &info) || !info.dli_fname) return false;
  char path[PATH_SIZE];
  int length = snprintf(path, sizeof path, "%s", info.dli_fname);
  if (length <= 0 || length >= PATH_SIZE) return false;
  if (!strchr(path, '/')) { /* the program itself, found through $PATH */
    ssize_t size = readlink("/proc/self/exe", path, sizeof path - 1);
    if (size <= 0) return false;
    path[size] = 0;
  }
  char *slash = strrchr(path, '/');
  if (!slash) return false;
  *slash = 0;
  memcpy(folder, path, strlen(path) + 1);
  return true;
}

static void find_places(places *p)
{
  char folder[PATH_SIZE - 32];
  size_t count = 0;
  if (own_folder(folder)) {
    snprintf(p->beside, sizeof p->beside, "%s/" SHIM_FILE, folder);
    snprintf(p->build, sizeof p->build, "%s/../lib/" SHIM_FILE, folder);
    p->names[count++] = p->beside;
    p->names[count++] = p->build;
  }
  p->names[count] = NULL;
}

basin_status basin__shim_find(basin_context *context)
{
  const char *given = basin__env("LIB_CLANG");
  places p;
  find_places(&p);
  if (given && *given) {
    p.names[0] = given;
    p.names[1] = NULL;
  }
  for (size_t i = 0; p.names[i]; i++)
    if (access(p.names[i], R_OK) == 0) return BASIN_OK;
  return BASIN_FAIL(context,
                    BASIN_ERROR_MISSING_LIBRARY,
                    "the Clang back end is missing: no %s; it needs " SHIM_PACKAGES
                    ", or use device \"cpu:interp\"",
                    p.names[0] ? p.names[0] : SHIM_FILE);
}

static basin_status resolve(basin_context *context, basin_shim *shim)
{
  const char *path = basin__dl_path(shim->library);
  void *address;
#define X(type, name, parameters)                                                               \
  address = basin__dl_symbol(shim->library, #name);                                             \
  if (!address)                                                                                 \
    return BASIN_FAIL(context, BASIN_ERROR_MISSING_LIBRARY, "%s has no function " #name, path); \
  memcpy(&shim->name, &address, sizeof address);
  BASIN_SHIM_FUNCTIONS(X)
#undef X
  if (shim->basin_shim_abi() != BASIN_SHIM_ABI)
    return BASIN_FAIL(
        context, BASIN_ERROR_MISSING_LIBRARY, "%s belongs to another version of Basin", path);
  return BASIN_OK;
}

basin_status basin__shim_open(basin_context *context, basin_shim *shim)
{
  if (shim->library) return BASIN_OK;
  places p;
  basin_strbuf reason;
  find_places(&p);
  basin__strbuf_init(&reason, context);
  shim->library = basin__dl_open(context, "CLANG", p.names, &reason);
  basin_status status = BASIN_OK;
  if (!shim->library)
    status = BASIN_FAIL(context,
                        BASIN_ERROR_MISSING_LIBRARY,
                        "the Clang back end cannot be opened (%s); it needs " SHIM_PACKAGES
                        ", or use device \"cpu:interp\"",
                        basin__strbuf_text(&reason));
  if (status == BASIN_OK) status = resolve(context, shim);
  if (status != BASIN_OK) basin__shim_close(shim);
  basin__strbuf_fini(&reason);
  return status;
}

void basin__shim_close(basin_shim *shim)
{
  if (shim->library) basin__dl_close(shim->library);
  *shim = (basin_shim){0};
}
