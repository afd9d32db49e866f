/* Writing a mesh file: checks, choice of the format, surface of solids for formats without cells.
 * SPDX-License-Identifier: Apache-2.0 */
#include "output/writers.h"
#include <math.h>
#include <string.h>
#include <strings.h>

void basin__image_point(const basin_mesh_image *image, size_t index, double point[3])
{
  const unsigned dim = basin_mesh_dim(image->mesh);
  for (unsigned i = 0; i < 3; ++i) point[i] = i < dim ? image->positions[index * dim + i] : 0.0;
}

basin_status basin__write_buffer(basin_context *context, const char *path, basin_strbuf *buffer)
{
  const basin_status status =
      buffer->failed
          ? BASIN_FAIL(context, BASIN_ERROR_MEMORY, "out of memory while writing '%s'", path)
          : basin__write_file(context, path, basin__strbuf_text(buffer), buffer->length);
  basin__strbuf_fini(buffer);
  return status;
}

static basin_status
check_arrays(basin_context *context, size_t count, const basin_output_array *arrays)
{
  for (size_t a = 0; a < count; ++a) {
    if (!arrays[a].name || !*arrays[a].name)
      return BASIN_FAIL(context, BASIN_ERROR_NAME, "output array %zu has no name", a);
    if (arrays[a].components < 1 || arrays[a].components > 9)
      return BASIN_FAIL(context,
                        BASIN_ERROR_SHAPE,
                        "output array '%s' has %zu components; 1 to 9 are possible",
                        arrays[a].name,
                        arrays[a].components);
    for (size_t b = 0; b < a; ++b)
      if (strcmp(arrays[a].name, arrays[b].name) == 0 && arrays[a].of_cells == arrays[b].of_cells)
        return BASIN_FAIL(
            context, BASIN_ERROR_NAME, "two output arrays are named '%s'", arrays[a].name);
  }
  return BASIN_OK;
}

static basin_status
write_image(const basin_mesh_image *image, const char *path, basin_output_format format)
{
  basin_context *context = basin_mesh_context(image->mesh);
  const basin_mesh_writer writer = format == BASIN_OUTPUT_VTU   ? basin__write_vtu
                                   : format == BASIN_OUTPUT_PLY ? basin__write_ply
                                                                : basin__write_obj;
  basin_strbuf buffer;
  basin__strbuf_init(&buffer, context);
  writer(image, &buffer);
  return basin__write_buffer(context, path, &buffer);
}

basin_status basin__write_mesh_as(const basin_mesh *mesh,
                                  const char *path,
                                  basin_output_format format,
                                  const double *positions,
                                  size_t array_count,
                                  const basin_output_array *arrays)
{
  basin_context *context = basin_mesh_context(mesh);
  const unsigned dim = basin_mesh_dim(mesh);
  const size_t points = basin_mesh_count(mesh, BASIN_MESH_POINT);
  BASIN_TRY(check_arrays(context, array_count, arrays));
  basin_mesh_image image = {
      mesh, positions ? positions : basin_mesh_points(mesh), array_count, arrays};
  for (size_t i = 0; i < points * dim; ++i)
    if (!isfinite(image.positions[i]))
      return BASIN_FAIL(context,
                        BASIN_ERROR_NOT_FINITE,
                        "cannot write '%s': coordinate %zu of point %zu is %g",
                        path,
                        i % dim,
                        i / dim,
                        image.positions[i]);
  if (format == BASIN_OUTPUT_VTU || basin_mesh_count(mesh, BASIN_MESH_TET) == 0)
    return write_image(&image, path, format);
  basin_mesh *surface;
  BASIN_TRY(basin_mesh_surface(mesh, &surface));
  image.mesh = surface;
  const basin_status status = write_image(&image, path, format);
  basin_mesh_destroy(surface);
  return status;
}

basin_status basin_output_write_mesh(const basin_mesh *mesh,
                                     const char *path,
                                     const double *positions,
                                     size_t array_count,
                                     const basin_output_array *arrays)
{
  static const struct {
    const char *extension;
    basin_output_format format;
  } formats[] = {
      {".vtu", BASIN_OUTPUT_VTU}, {".ply", BASIN_OUTPUT_PLY}, {".obj", BASIN_OUTPUT_OBJ}};
  const size_t length = strlen(path);
  for (size_t f = 0; f < BASIN_COUNT(formats); ++f)
    if (length >= 4 && strcasecmp(path + length - 4, formats[f].extension) == 0)
      return basin__write_mesh_as(mesh, path, formats[f].format, positions, array_count, arrays);
  return BASIN_FAIL(basin_mesh_context(mesh),
                    BASIN_ERROR_UNSUPPORTED,
                    "cannot write '%s': the extension must be .vtu, .ply or .obj",
                    path);
}
