/* Back ends by name, and what is common to all of them.
 * SPDX-License-Identifier: Apache-2.0 */
#include "backend/backend.h"
#include "emit/emit.h"

#include <string.h>

static const basin_backend_kind *const kinds[] = {&basin__backend_interp,
                                                  &basin__backend_clang,
                                                  &basin__backend_cached,
                                                  &basin__backend_nvrtc_kind};

/* The kind named by `name` up to a ':', behind which kinds that have variants name one. */
static const basin_backend_kind *find_kind(const char *name, const char **variant)
{
  for (size_t i = 0; i < BASIN_COUNT(kinds); i++) {
    size_t length = strlen(kinds[i]->name);
    if (strncmp(kinds[i]->name, name, length) != 0) continue;
    *variant = name[length] == ':' ? name + length + 1 : name + length;
    if (!name[length] || (kinds[i]->has_variants && **variant && name[length] == ':'))
      return kinds[i];
  }
  return NULL;
}

basin_status basin_backend_create(basin_context *context,
                                  const char *name,
                                  const char *precision,
                                  basin_backend **backend)
{
  *backend = NULL;
  const char *variant = "";
  const basin_backend_kind *kind = find_kind(name, &variant);
  if (!kind)
    return BASIN_FAIL(context,
                      BASIN_ERROR_NAME,
                      "unknown back end '%s'; there are interp, clang, cached and nvrtc",
                      name);
  bool is_float = strcmp(precision, "float") == 0;
  if (!is_float && strcmp(precision, "double") != 0)
    return BASIN_FAIL(
        context, BASIN_ERROR_NAME, "unknown precision '%s'; there are double and float", precision);
  basin_backend *result = basin__calloc(context, 1, sizeof *result);
  if (!result) return BASIN_ERROR_MEMORY;
  result->context = context;
  result->kind = kind;
  result->precision = is_float ? BASIN_PRECISION_FLOAT : BASIN_PRECISION_DOUBLE;
  basin__strbuf_init(&result->description, context);
  basin_status status = kind->open(result, variant);
  if (status == BASIN_OK)
    *backend = result;
  else
    basin_backend_destroy(result);
  return status;
}

void basin_backend_destroy(basin_backend *backend)
{
  if (!backend) return;
  backend->kind->close(backend);
  basin__strbuf_fini(&backend->description);
  basin__free(backend->context, backend, sizeof *backend);
}

basin_status basin__backend_compile(basin_backend *backend, basin_backend_job *jobs, size_t count)
{
  double start = basin__seconds();
  basin_status status = backend->kind->compile(backend, jobs, count);
  backend->statistics.seconds += basin__seconds() - start;
  return status;
}

basin_backend_statistics basin_backend_get_statistics(const basin_backend *backend)
{
  return backend->statistics;
}

basin_status basin__backend_text(basin_backend *backend,
                                 const basin_kernel_program *program,
                                 const char *form,
                                 char **text)
{
  basin_strbuf buffer;
  basin__strbuf_init(&buffer, backend->context);
  *text = NULL;
  basin_status status;
  if (strcmp(form, "kernel") == 0)
    status = basin__emit(backend->context, program, &buffer);
  else if (strcmp(form, "cuda") == 0)
    status = basin__emit_source(backend->context, program, BASIN_DIALECT_CUDA, &buffer);
  else if (backend->kind->text)
    status = backend->kind->text(backend, program, form, &buffer);
  else
    status = BASIN_FAIL(backend->context,
                        BASIN_ERROR_NAME,
                        "back end %s has no text '%s', only kernel and cuda",
                        backend->kind->name,
                        form);
  if (status == BASIN_OK) {
    *text = basin__strdup(backend->context, basin__strbuf_text(&buffer));
    if (!*text) status = BASIN_ERROR_MEMORY;
  }
  basin__strbuf_fini(&buffer);
  return status;
}

void basin_text_free(basin_context *context, char *text)
{
  basin__strfree(context, text);
}

const char *basin_backend_library(basin_backend *backend)
{
  return backend->kind->library ? backend->kind->library(backend) : NULL;
}

const char *basin_backend_describe(const basin_backend *backend)
{
  /* The description is a lazily made part of an otherwise unchanged object. */
  basin_backend *self;
  memcpy(&self, &backend, sizeof self);
  if (!self->description.length) self->kind->describe(self, &self->description);
  return basin__strbuf_text(&self->description);
}
