/* Reading a mesh: options, choice of the format, checks that all formats share.
 * SPDX-License-Identifier: Apache-2.0 */
#include "mesh/reader.h"
#include <string.h>
#include <strings.h>

static const struct {
  const char *extension, *signature; /* signature: how the contents begin, NULL = not telling */
  basin_status (*read)(basin_reader *reader);
} formats[BASIN_MESH_FORMAT_COUNT] = {
    [BASIN_MESH_FORMAT_OBJ] = {".obj", NULL, basin__read_obj},
    [BASIN_MESH_FORMAT_PLY] = {".ply", "ply", basin__read_ply},
    [BASIN_MESH_FORMAT_STL] = {".stl", NULL, basin__read_stl},
    [BASIN_MESH_FORMAT_MSH] = {".msh", "$MeshFormat", basin__read_msh},
    [BASIN_MESH_FORMAT_MEDIT] = {".mesh", "MeshVersionFormatted", basin__read_medit},
    [BASIN_MESH_FORMAT_VTK] = {".vtk", "# vtk DataFile", basin__read_vtk},
    [BASIN_MESH_FORMAT_VTU] = {".vtu", "<?xml", basin__read_vtu},
};

basin_mesh_read_options basin_mesh_read_defaults(void)
{
  return (basin_mesh_read_options){.size = sizeof(basin_mesh_read_options)};
}

static bool has_extension(const char *name, const char *extension)
{
  const size_t length = strlen(name), wanted = strlen(extension);
  return length >= wanted && strcasecmp(name + length - wanted, extension) == 0;
}

static basin_mesh_format guess_format(const char *name, const char *data, size_t size)
{
  size_t start = 0;
  while (start < size && strchr(" \t\r\n", data[start]) && data[start]) ++start;
  for (int f = BASIN_MESH_FORMAT_OBJ; f < BASIN_MESH_FORMAT_COUNT; ++f) {
    const char *signature = formats[f].signature;
    if (signature && size - start > strlen(signature) &&
        memcmp(data + start, signature, strlen(signature)) == 0)
      return (basin_mesh_format)f;
  }
  if (size - start > 8 && memcmp(data + start, "<VTKFile", 8) == 0) return BASIN_MESH_FORMAT_VTU;
  for (int f = BASIN_MESH_FORMAT_OBJ; f < BASIN_MESH_FORMAT_COUNT; ++f)
    if (has_extension(name, formats[f].extension)) return (basin_mesh_format)f;
  return BASIN_MESH_FORMAT_AUTO;
}

/* After the reader of the format: corners in range, then what the options ask for. */
static basin_status
finish(basin_reader *reader, basin_mesh_format format, const basin_mesh_read_options *options)
{
  basin_strbuf where;
  basin__strbuf_init(&where, reader->context);
  basin__strbuf_printf(&where, "%s: ", reader->name);
  basin_status status = where.failed
                            ? BASIN_ERROR_MEMORY
                            : basin__mesh_validate(reader->mesh, basin__strbuf_text(&where));
  basin__strbuf_fini(&where);
  BASIN_TRY(status);
  if (options->weld || format == BASIN_MESH_FORMAT_STL)
    BASIN_TRY(basin_mesh_weld(reader->mesh, options->weld_tolerance, NULL));
  if (!options->keep_orientation) BASIN_TRY(basin_mesh_orient(reader->mesh, NULL));
  return BASIN_OK;
}

basin_status basin_mesh_read_memory(basin_context *context,
                                    const char *name,
                                    const void *data,
                                    size_t size,
                                    const basin_mesh_read_options *options,
                                    basin_mesh **mesh)
{
  *mesh = NULL;
  const basin_mesh_read_options chosen = options ? *options : basin_mesh_read_defaults();
  if (chosen.size != sizeof chosen)
    return BASIN_FAIL(context,
                      BASIN_ERROR_ARGUMENT,
                      "the read options have size %zu; start from basin_mesh_read_defaults()",
                      chosen.size);
  if ((unsigned)chosen.format >= BASIN_MESH_FORMAT_COUNT)
    return BASIN_FAIL(context, BASIN_ERROR_ARGUMENT, "unknown mesh format %d", (int)chosen.format);
  const char *bytes = size ? data : "";
  const basin_mesh_format format = chosen.format ? chosen.format : guess_format(name, bytes, size);
  if (format == BASIN_MESH_FORMAT_AUTO)
    return BASIN_FAIL(context,
                      BASIN_ERROR_UNSUPPORTED,
                      "%s: neither contents nor extension name a known mesh format (.obj .ply .stl "
                      ".msh .mesh .vtk .vtu)",
                      name);
  basin_reader reader = {.context = context,
                         .name = name,
                         .begin = bytes,
                         .cursor = bytes,
                         .end = bytes + size,
                         .keep_quads = chosen.keep_quads};
  BASIN_TRY(basin_mesh_create(context, 3, &reader.mesh));
  basin_status status = formats[format].read(&reader);
  if (status == BASIN_OK) status = finish(&reader, format, &chosen);
  if (status == BASIN_OK)
    *mesh = reader.mesh;
  else
    basin_mesh_destroy(reader.mesh);
  return status;
}

basin_status basin_mesh_read(basin_context *context,
                             const char *path,
                             const basin_mesh_read_options *options,
                             basin_mesh **mesh)
{
  *mesh = NULL;
  char *data;
  size_t size;
  BASIN_TRY(basin__read_file(context, path, &data, &size));
  const basin_status status = basin_mesh_read_memory(context, path, data, size, options, mesh);
  basin__free(context, data, size + 1);
  return status;
}
