/* A helper of exchange.py: reads a mesh or a checkpoint and writes it again; groups of a mesh go to
 * standard output. SPDX-License-Identifier: Apache-2.0 */
#include <basin/output.h>
#include <stdio.h>
#include <string.h>

static basin_status convert_checkpoint(basin_context *context, const char *from, const char *to)
{
  basin_checkpoint *checkpoint;
  basin_status status = basin_checkpoint_read(context, from, &checkpoint);
  if (status == BASIN_OK) status = basin_checkpoint_write(checkpoint, to);
  basin_checkpoint_destroy(checkpoint);
  return status;
}

static basin_status convert_mesh(basin_context *context, const char *from, const char *to)
{
  basin_mesh_read_options options = basin_mesh_read_defaults();
  options.keep_quads = options.keep_orientation = true;
  basin_mesh *mesh;
  basin_status status = basin_mesh_read(context, from, &options, &mesh);
  if (status != BASIN_OK) return status;
  basin_mesh_group group;
  for (size_t g = 0; basin_mesh_group_at(mesh, g, &group); ++g)
    printf("%s %zu %s\n", basin_mesh_kind_name(group.kind), group.count, group.name);
  /* One array of each sort, so that readers meet them: x, position. */
  const unsigned dim = basin_mesh_dim(mesh);
  const basin_output_array array = {"position", basin_mesh_points(mesh), dim, false};
  status = basin_output_write_mesh(mesh, to, NULL, 1, &array);
  basin_mesh_destroy(mesh);
  return status;
}

int main(int count, char **words)
{
  if (count != 3) return 2;
  basin_options options = basin_options_defaults();
  basin_context *context = basin_context_create(&options);
  if (!context) return 2;
  const size_t length = strlen(words[1]);
  const bool checkpoint = length > 4 && strcmp(words[1] + length - 4, ".npz") == 0;
  const basin_status status =
      (checkpoint ? convert_checkpoint : convert_mesh)(context, words[1], words[2]);
  if (status != BASIN_OK) fprintf(stderr, "%s\n", basin_error_text(context));
  basin_context_destroy(context);
  return status != BASIN_OK;
}
