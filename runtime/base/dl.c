/* Libraries opened at run time.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/context.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

struct basin_dl {
  basin_context *context;
  void *handle;
  char *path; /* the file, as the loader found it */
};

static void add_reason(basin_strbuf *reason)
{
  const char *message = dlerror();
  if (!reason) return;
  if (reason->length) basin__strbuf_puts(reason, "; ");
  basin__strbuf_puts(reason, message ? message : "unknown reason");
}

static basin_dl *wrap(basin_context *context, void *handle, const char *name)
{
  struct link_map *map = NULL;
  if (dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0 && map->l_name && map->l_name[0])
    name = map->l_name;
  basin_dl *library = basin__alloc(context, sizeof *library);
  char *path = library ? basin__strdup(context, name) : NULL;
  if (!path) {
    basin__free(context, library, sizeof *library);
    dlclose(handle);
    return NULL;
  }
  *library = (basin_dl){.context = context, .handle = handle, .path = path};
  basin__log(context, BASIN_LOG_DEBUG, "opened %s", path);
  return library;
}

basin_dl *basin__dl_open(basin_context *context,
                         const char *variable,
                         const char *const *names,
                         basin_strbuf *reason)
{
  /* A library named by the user is used or reported, never replaced by another. */
  const char *only[] = {NULL, NULL};
  if (variable) {
    char name[64];
    int length = snprintf(name, sizeof name, "LIB_%s", variable);
    BASIN_ASSERT(length > 0 && (size_t)length < sizeof name);
    only[0] = length > 0 ? basin__env(name) : NULL;
    if (only[0] && only[0][0]) names = only;
  }
  for (; *names; ++names) {
    /* Never unmapped: CHOLMOD, for one, brings OpenMP threads that outlive the last call. */
    void *handle = dlopen(*names, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (handle) return wrap(context, handle, *names);
    add_reason(reason);
  }
  return NULL;
}

void *basin__dl_symbol(basin_dl *library, const char *symbol)
{
  return dlsym(library->handle, symbol);
}

const char *basin__dl_path(const basin_dl *library)
{
  return library->path;
}

void basin__dl_close(basin_dl *library)
{
  if (!library) return;
  dlclose(library->handle);
  basin__strfree(library->context, library->path);
  basin__free(library->context, library, sizeof *library);
}
