/* A series of frames: numbered mesh files, the .pvd that lists them with their times, pictures.
 * SPDX-License-Identifier: Apache-2.0 */
#include "output/picture.h"
#include "output/writers.h"
#include <math.h>
#include <string.h>

struct basin_frames {
  basin_context *context;
  char *folder, *name;
  unsigned formats;
  bool pictures, has_camera;
  basin_picture_options picture;
  basin_camera camera;
  basin_picture_plane *planes;
  bool wireframe;
  uint32_t *see_through; /* labels */
  size_t see_through_count;
  size_t next;
  double *times; /* of frame i, NaN = not written */
  size_t time_count, time_capacity;
};

basin_frames_options basin_frames_defaults(void)
{
  return (basin_frames_options){.size = sizeof(basin_frames_options),
                                .folder = "out",
                                .name = "frame",
                                .formats = BASIN_OUTPUT_VTU,
                                .picture = basin_picture_defaults()};
}

static basin_status check_options(basin_context *context, const basin_frames_options *o)
{
  if (o->size != sizeof *o)
    return BASIN_FAIL(context,
                      BASIN_ERROR_ARGUMENT,
                      "the frames options have size %zu; start from basin_frames_defaults()",
                      o->size);
  if (o->formats & ~(unsigned)(BASIN_OUTPUT_VTU | BASIN_OUTPUT_PLY | BASIN_OUTPUT_OBJ))
    return BASIN_FAIL(context, BASIN_ERROR_ARGUMENT, "frames: unknown formats 0x%x", o->formats);
  if (!o->folder || !o->name || !*o->name || strchr(o->name, '/'))
    return BASIN_FAIL(
        context, BASIN_ERROR_NAME, "frames: a folder and a name without '/' are needed");
  if (o->picture.plane_count > 0 && !o->picture.planes)
    return BASIN_FAIL(context, BASIN_ERROR_ARGUMENT, "frames: planes are missing");
  if (o->see_through_count > 0 && !o->see_through)
    return BASIN_FAIL(
        context, BASIN_ERROR_ARGUMENT, "frames: the labels of what is see-through are missing");
  return BASIN_OK;
}

static basin_status fill(basin_frames *frames, const basin_frames_options *o)
{
  basin_context *context = frames->context;
  frames->formats = o->formats;
  frames->pictures = o->pictures;
  frames->picture = o->picture;
  frames->picture.planes = NULL;
  frames->has_camera = o->picture.camera != NULL;
  if (frames->has_camera) frames->camera = *o->picture.camera;
  frames->folder = basin__strdup(context, *o->folder ? o->folder : ".");
  frames->name = basin__strdup(context, o->name);
  frames->planes = basin__calloc(context, o->picture.plane_count, sizeof *frames->planes);
  if (!frames->folder || !frames->name || !frames->planes) return BASIN_ERROR_MEMORY;
  if (o->picture.plane_count)
    memcpy(frames->planes, o->picture.planes, o->picture.plane_count * sizeof *frames->planes);
  frames->wireframe = o->wireframe;
  frames->see_through_count = o->see_through_count;
  frames->see_through = basin__calloc(context, o->see_through_count, sizeof(uint32_t));
  if (!frames->see_through) return BASIN_ERROR_MEMORY;
  if (o->see_through_count)
    memcpy(frames->see_through, o->see_through, o->see_through_count * sizeof(uint32_t));
  return basin__make_folders(context, frames->folder);
}

basin_status basin_frames_create(basin_context *context,
                                 const basin_frames_options *options,
                                 basin_frames **frames)
{
  *frames = NULL;
  const basin_frames_options chosen = options ? *options : basin_frames_defaults();
  BASIN_TRY(check_options(context, &chosen));
  basin_frames *made = basin__calloc(context, 1, sizeof *made);
  if (!made) return BASIN_ERROR_MEMORY;
  made->context = context;
  const basin_status status = fill(made, &chosen);
  if (status == BASIN_OK)
    *frames = made;
  else
    basin_frames_destroy(made);
  return status;
}

void basin_frames_destroy(basin_frames *frames)
{
  if (!frames) return;
  basin_context *context = frames->context;
  basin__strfree(context, frames->folder);
  basin__strfree(context, frames->name);
  if (frames->planes)
    basin__free(context, frames->planes, frames->picture.plane_count * sizeof *frames->planes);
  if (frames->see_through)
    basin__free(context, frames->see_through, frames->see_through_count * sizeof(uint32_t));
  if (frames->times) basin__free(context, frames->times, frames->time_capacity * sizeof(double));
  basin__free(context, frames, sizeof *frames);
}

size_t basin_frames_next(const basin_frames *frames)
{
  return frames->next;
}

/* ---- the list of frames ---- */

static basin_status set_time(basin_frames *frames, size_t frame, double time)
{
  BASIN_TRY(basin__grow(
      frames->context, &frames->times, &frames->time_capacity, frame + 1, sizeof(double)));
  while (frames->time_count <= frame) frames->times[frames->time_count++] = (double)NAN;
  frames->times[frame] = time;
  return BASIN_OK;
}

static void put_path(const basin_frames *frames, basin_strbuf *path)
{
  basin__strbuf_printf(path, "%s/%s", frames->folder, frames->name);
}

static basin_status write_list(basin_frames *frames)
{
  basin_strbuf path, text;
  basin__strbuf_init(&path, frames->context);
  basin__strbuf_init(&text, frames->context);
  put_path(frames, &path);
  basin__strbuf_puts(&path, ".pvd");
  basin__strbuf_puts(
      &text,
      "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\">\n  <Collection>\n");
  for (size_t f = 0; f < frames->time_count; ++f) {
    if (isnan(frames->times[f])) continue;
    basin__strbuf_puts(&text, "    <DataSet timestep=\"");
    basin__strbuf_double(&text, frames->times[f]);
    basin__strbuf_printf(&text, "\" file=\"%s_%05zu.vtu\"/>\n", frames->name, f);
  }
  basin__strbuf_puts(&text, "  </Collection>\n</VTKFile>\n");
  basin_status status = BASIN_ERROR_MEMORY;
  if (path.failed)
    basin__strbuf_fini(&text);
  else
    status = basin__write_buffer(frames->context, path.data, &text);
  basin__strbuf_fini(&path);
  return status;
}

/* Takes the times of the frames before `next` from the text of a .pvd that was written here;
 * anything else is left alone. */
static basin_status parse_list(basin_frames *frames, const char *text, const char *end, size_t next)
{
  static const char mark[] = "<DataSet timestep=\"";
  for (;;) {
    text = memmem(text, (size_t)(end - text), mark, sizeof mark - 1);
    if (!text) return BASIN_OK;
    text += sizeof mark - 1;
    double time;
    const char *stop = memchr(text, '\n', (size_t)(end - text));
    const char *number = memrchr(text, '_', (size_t)((stop ? stop : end) - text));
    if (!basin__parse_double(&text, end, &time) || !number || number < text) continue;
    size_t frame = 0;
    for (++number; number < end && *number >= '0' && *number <= '9' && frame < next; ++number)
      frame = frame * 10 + (size_t)(*number - '0');
    if (frame < next) BASIN_TRY(set_time(frames, frame, time));
  }
}

basin_status basin_frames_resume(basin_frames *frames, size_t next)
{
  if (next > 100000000)
    return BASIN_FAIL(
        frames->context, BASIN_ERROR_RANGE, "frames: %zu is too large a number for a frame", next);
  basin_strbuf path;
  basin__strbuf_init(&path, frames->context);
  put_path(frames, &path);
  basin__strbuf_puts(&path, ".pvd");
  char *text = NULL;
  size_t size = 0;
  basin_status status =
      path.failed ? BASIN_ERROR_MEMORY : basin__read_file(frames->context, path.data, &text, &size);
  basin__strbuf_fini(&path);
  frames->time_count = 0;
  if (status == BASIN_OK) {
    status = parse_list(frames, text, text + size, next);
    basin__free(frames->context, text, size + 1);
  } else if (status == BASIN_ERROR_IO) {
    basin__error_clear(frames->context); /* no list yet: nothing to keep */
    status = BASIN_OK;
  }
  if (status == BASIN_OK) frames->next = next;
  return status;
}

/* ---- one frame ---- */

static basin_status write_file(basin_frames *frames,
                               basin_output_format format,
                               const char *extension,
                               const basin_mesh *mesh,
                               const double *positions,
                               size_t array_count,
                               const basin_output_array *arrays)
{
  if (!(frames->formats & (unsigned)format)) return BASIN_OK;
  basin_strbuf path;
  basin__strbuf_init(&path, frames->context);
  put_path(frames, &path);
  basin__strbuf_printf(&path, "_%05zu.%s", frames->next, extension);
  const basin_status status =
      path.failed ? BASIN_ERROR_MEMORY
                  : basin__write_mesh_as(mesh, path.data, format, positions, array_count, arrays);
  basin__strbuf_fini(&path);
  return status;
}

/* The camera that shows an item, unless there is one. */
static basin_status choose_camera(basin_frames *frames, const basin_picture_item *item)
{
  if (frames->has_camera) return BASIN_OK;
  const basin_picture_options *picture = &frames->picture;
  const double aspect = (double)picture->width / (picture->height ? picture->height : 1);
  BASIN_TRY(basin__camera_for_scene(
      frames->context, 1, item, picture->plane_count, frames->planes, aspect, &frames->camera));
  frames->has_camera = true;
  return BASIN_OK;
}

basin_status basin_frames_aim(basin_frames *frames, const basin_mesh *mesh, const double *positions)
{
  const basin_picture_item item = {
      .positions = positions ? positions : basin_mesh_points(mesh),
      .point_count = basin_mesh_count(mesh, BASIN_MESH_POINT),
      .dim = basin_mesh_dim(mesh),
  };
  return choose_camera(frames, &item);
}

static basin_status
render_items(basin_frames *frames, const basin_picture_item items[2], const char *path)
{
  basin_picture_options options = frames->picture;
  options.planes = frames->planes;
  BASIN_TRY(choose_camera(frames, items));
  options.camera = &frames->camera;
  basin_picture *picture;
  BASIN_TRY(basin_picture_render(frames->context, 2, items, &options, &picture));
  const basin_status status = basin_picture_write_png(picture, path);
  basin_picture_destroy(picture);
  return status;
}

static bool is_see_through(const basin_frames *frames, uint32_t label)
{
  for (size_t k = 0; k < frames->see_through_count; ++k)
    if (frames->see_through[k] == label) return true;
  return false;
}

/* Puts the triangles of see-through labels behind the others; returns how many others there are. */
static size_t split_triangles(const basin_frames *frames,
                              const uint32_t *triangles,
                              size_t count,
                              const uint32_t *labels,
                              uint32_t *sorted)
{
  size_t solid = 0, end = count;
  for (size_t t = 0; t < count; ++t) {
    const bool through = labels && is_see_through(frames, labels[triangles[3 * t]]);
    memcpy(sorted + 3 * (through ? --end : solid++), triangles + 3 * t, 3 * sizeof(uint32_t));
  }
  return solid;
}

static basin_status write_surface_picture(basin_frames *frames,
                                          const basin_mesh *surface,
                                          const double *positions,
                                          const uint32_t *labels,
                                          const char *path)
{
  const size_t count = basin_mesh_count(surface, BASIN_MESH_TRIANGLE);
  uint32_t *triangles = basin__calloc(frames->context, count, 3 * sizeof(uint32_t));
  if (!triangles) return BASIN_ERROR_MEMORY;
  const size_t solid = split_triangles(
      frames, basin_mesh_cells(surface, BASIN_MESH_TRIANGLE), count, labels, triangles);
  basin_picture_item items[2] = {{
      .positions = positions ? positions : basin_mesh_points(surface),
      .point_count = basin_mesh_count(surface, BASIN_MESH_POINT),
      .dim = basin_mesh_dim(surface),
      .triangles = triangles,
      .triangle_count = solid,
      .edges = basin_mesh_cells(surface, BASIN_MESH_EDGE),
      .edge_count = basin_mesh_count(surface, BASIN_MESH_EDGE),
      .points = basin_mesh_cells(surface, BASIN_MESH_VERTEX),
      .dot_count = basin_mesh_count(surface, BASIN_MESH_VERTEX),
      .labels = labels,
      .wireframe = frames->wireframe,
  }};
  items[1] = items[0];
  items[1].edge_count = items[1].dot_count = 0;
  items[1].triangles = triangles + 3 * solid;
  items[1].triangle_count = count - solid;
  items[1].opacity = 0.25;
  const basin_status status = render_items(frames, items, path);
  basin__free(frames->context, triangles, count * 3 * sizeof(uint32_t));
  return status;
}

static basin_status write_picture(basin_frames *frames,
                                  const basin_mesh *mesh,
                                  const double *positions,
                                  const uint32_t *labels)
{
  if (!frames->pictures) return BASIN_OK;
  basin_strbuf path;
  basin__strbuf_init(&path, frames->context);
  put_path(frames, &path);
  basin__strbuf_printf(&path, "_%05zu.png", frames->next);
  basin_mesh *surface = NULL;
  basin_status status = path.failed ? BASIN_ERROR_MEMORY : basin_mesh_surface(mesh, &surface);
  if (status == BASIN_OK)
    status = write_surface_picture(frames, surface, positions, labels, path.data);
  basin__strbuf_fini(&path);
  basin_mesh_destroy(surface);
  return status;
}

basin_status basin_frames_write(basin_frames *frames,
                                double time,
                                const basin_mesh *mesh,
                                const double *positions,
                                const uint32_t *labels,
                                size_t array_count,
                                const basin_output_array *arrays)
{
  if (!isfinite(time))
    return BASIN_FAIL(frames->context,
                      BASIN_ERROR_NOT_FINITE,
                      "frames: the time of frame %zu is %g",
                      frames->next,
                      time);
  BASIN_TRY(write_file(frames, BASIN_OUTPUT_VTU, "vtu", mesh, positions, array_count, arrays));
  BASIN_TRY(write_file(frames, BASIN_OUTPUT_PLY, "ply", mesh, positions, array_count, arrays));
  BASIN_TRY(write_file(frames, BASIN_OUTPUT_OBJ, "obj", mesh, positions, array_count, arrays));
  BASIN_TRY(write_picture(frames, mesh, positions, labels));
  BASIN_TRY(set_time(frames, frames->next, time));
  if (frames->formats & BASIN_OUTPUT_VTU) BASIN_TRY(write_list(frames));
  ++frames->next;
  return BASIN_OK;
}
