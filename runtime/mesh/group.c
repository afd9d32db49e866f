/* Named groups of points and cells, and the point sets made of them.
 * SPDX-License-Identifier: Apache-2.0 */
#include "mesh/mesh.h"
#include <string.h>

/* Newest first: readers mostly ask for the group they made last. */
static basin_named_set *find_group(const basin_mesh *mesh, basin_mesh_kind kind, const char *name)
{
  const uint64_t hash = basin__hash64(name, strlen(name), 0);
  for (size_t g = mesh->group_count; g-- > 0;) {
    basin_named_set *group = &mesh->groups[g];
    if (group->hash == hash && group->kind == kind && strcmp(group->name, name) == 0) return group;
  }
  return NULL;
}

basin_status
basin__mesh_group(basin_mesh *mesh, basin_mesh_kind kind, const char *name, basin_named_set **group)
{
  *group = find_group(mesh, kind, name);
  if (*group) return BASIN_OK;
  BASIN_TRY(basin__grow(mesh->context,
                        &mesh->groups,
                        &mesh->group_capacity,
                        mesh->group_count + 1,
                        sizeof *mesh->groups));
  char *copy = basin__strdup(mesh->context, name);
  if (!copy) return BASIN_ERROR_MEMORY;
  *group = &mesh->groups[mesh->group_count++];
  **group =
      (basin_named_set){.name = copy, .hash = basin__hash64(name, strlen(name), 0), .kind = kind};
  return BASIN_OK;
}

basin_status
basin__mesh_group_push(basin_mesh *mesh, basin_mesh_kind kind, const char *name, uint32_t index)
{
  basin_named_set *group;
  BASIN_TRY(basin__mesh_group(mesh, kind, name, &group));
  return basin__index_push(mesh->context, &group->indices, index);
}

basin_status basin_mesh_set_group(
    basin_mesh *mesh, basin_mesh_kind kind, const char *name, size_t count, const uint32_t *indices)
{
  basin_context *context = mesh->context;
  if ((unsigned)kind >= BASIN_MESH_KIND_COUNT)
    return BASIN_FAIL(context, BASIN_ERROR_ARGUMENT, "set_group: unknown kind %d", (int)kind);
  if (!name || !*name)
    return BASIN_FAIL(context, BASIN_ERROR_NAME, "set_group: a group needs a name");
  if (count > 0 && !indices)
    return BASIN_FAIL(context, BASIN_ERROR_ARGUMENT, "set_group: %zu members, but no data", count);
  const size_t limit = basin_mesh_count(mesh, kind);
  for (size_t i = 0; i < count; ++i)
    if (indices[i] >= limit)
      return BASIN_FAIL(context,
                        BASIN_ERROR_RANGE,
                        "set_group: member %zu of '%s' is %u, but there are %zu %s",
                        i,
                        name,
                        indices[i],
                        limit,
                        basin_mesh_kind_name(kind));
  basin_index_buffer fresh = {0};
  BASIN_TRY(basin__grow(context, &fresh.data, &fresh.capacity, count, sizeof(uint32_t)));
  if (count > 0) memcpy(fresh.data, indices, count * sizeof(uint32_t));
  fresh.count = count;
  basin_named_set *group;
  const basin_status status = basin__mesh_group(mesh, kind, name, &group);
  if (status != BASIN_OK) {
    basin__index_fini(context, &fresh);
    return status;
  }
  basin__index_fini(context, &group->indices);
  group->indices = fresh;
  return BASIN_OK;
}

void basin__mesh_drop_groups(basin_mesh *mesh, basin_mesh_kind kind)
{
  size_t kept = 0;
  for (size_t g = 0; g < mesh->group_count; ++g) {
    if (mesh->groups[g].kind != kind) {
      mesh->groups[kept++] = mesh->groups[g];
      continue;
    }
    basin__strfree(mesh->context, mesh->groups[g].name);
    basin__index_fini(mesh->context, &mesh->groups[g].indices);
  }
  mesh->group_count = kept;
}

void basin__mesh_remap_groups(basin_mesh *mesh, basin_mesh_kind kind, const uint32_t *map)
{
  for (size_t g = 0; g < mesh->group_count; ++g) {
    if (mesh->groups[g].kind != kind) continue;
    basin_index_buffer *members = &mesh->groups[g].indices;
    size_t kept = 0;
    for (size_t i = 0; i < members->count; ++i)
      if (map[members->data[i]] != BASIN_MESH_NONE) members->data[kept++] = map[members->data[i]];
    members->count = kept;
  }
}

basin_status basin__mesh_copy_groups(const basin_mesh *from,
                                     basin_mesh *to,
                                     const size_t shift[BASIN_MESH_KIND_COUNT])
{
  for (size_t g = 0; g < from->group_count; ++g) {
    const basin_named_set *source = &from->groups[g];
    basin_named_set *group;
    BASIN_TRY(basin__mesh_group(to, source->kind, source->name, &group));
    basin_index_buffer *members = &group->indices;
    BASIN_TRY(basin__grow(to->context,
                          &members->data,
                          &members->capacity,
                          members->count + source->indices.count,
                          sizeof(uint32_t)));
    for (size_t i = 0; i < source->indices.count; ++i)
      members->data[members->count++] = source->indices.data[i] + (uint32_t)shift[source->kind];
  }
  return BASIN_OK;
}

/* ---- looking ---- */

size_t basin_mesh_group_count(const basin_mesh *mesh)
{
  return mesh->group_count;
}

static bool view_group(const basin_named_set *set, basin_mesh_group *group)
{
  if (!set) return false;
  *group = (basin_mesh_group){set->name, set->kind, set->indices.count, set->indices.data};
  return true;
}

bool basin_mesh_group_at(const basin_mesh *mesh, size_t index, basin_mesh_group *group)
{
  return view_group(index < mesh->group_count ? &mesh->groups[index] : NULL, group);
}

bool basin_mesh_group_find(const basin_mesh *mesh,
                           basin_mesh_kind kind,
                           const char *name,
                           basin_mesh_group *group)
{
  return name && view_group(find_group(mesh, kind, name), group);
}

/* ---- point sets ---- */

static basin_status fail_unknown_name(const basin_mesh *mesh, const char *name)
{
  basin_strbuf list;
  basin__strbuf_init(&list, mesh->context);
  for (size_t g = 0; g < mesh->group_count && list.length < 200; ++g) {
    bool seen = false;
    for (size_t h = 0; h < g; ++h)
      seen = seen || strcmp(mesh->groups[h].name, mesh->groups[g].name) == 0;
    if (!seen) basin__strbuf_printf(&list, ", %s", mesh->groups[g].name);
  }
  const basin_status status = BASIN_FAIL(mesh->context,
                                         BASIN_ERROR_NAME,
                                         "the mesh has no group '%s'; it has boundary%s",
                                         name,
                                         basin__strbuf_text(&list));
  basin__strbuf_fini(&list);
  return status;
}

/* Sets mask[p] for the points of one named set. */
static basin_status mark_name(const basin_mesh *mesh, const char *name, unsigned char *mask)
{
  bool found = false;
  for (size_t g = 0; g < mesh->group_count; ++g) {
    const basin_named_set *group = &mesh->groups[g];
    if (strcmp(group->name, name) != 0) continue;
    found = true;
    const unsigned arity = basin_mesh_arity(group->kind);
    for (size_t i = 0; i < group->indices.count; ++i) {
      const size_t member = group->indices.data[i];
      if (group->kind == BASIN_MESH_POINT)
        mask[member] = 1;
      else
        for (unsigned k = 0; k < arity; ++k)
          mask[mesh->cells[group->kind].data[member * arity + k]] = 1;
    }
  }
  if (found) return BASIN_OK;
  if (strcmp(name, "boundary") != 0) return fail_unknown_name(mesh, name);
  basin_mesh_indices points = {0};
  BASIN_TRY(basin_mesh_boundary_points(mesh, &points));
  for (size_t i = 0; i < points.count; ++i) mask[points.data[i]] = 1;
  basin_mesh_indices_fini(&points);
  return BASIN_OK;
}

/* Makes the byte mask of the union, one byte longer than there are points. */
static basin_status
make_mask(const basin_mesh *mesh, size_t name_count, const char *const *names, unsigned char **mask)
{
  BASIN_TRY(basin__array_alloc(mesh->context, mesh->point_count + 1, 1, mask));
  memset(*mask, 0, mesh->point_count + 1);
  for (size_t n = 0; n < name_count; ++n) {
    const basin_status status = mark_name(mesh, names[n], *mask);
    if (status != BASIN_OK) {
      basin__array_free(mesh->context, *mask, mesh->point_count + 1, 1);
      return status;
    }
  }
  return BASIN_OK;
}

basin_status basin_mesh_select_points(const basin_mesh *mesh,
                                      size_t name_count,
                                      const char *const *names,
                                      basin_mesh_indices *points)
{
  *points = (basin_mesh_indices){0};
  unsigned char *mask;
  BASIN_TRY(make_mask(mesh, name_count, names, &mask));
  basin_index_buffer found = {0};
  basin_status status = BASIN_OK;
  for (size_t p = 0; p < mesh->point_count && status == BASIN_OK; ++p)
    if (mask[p]) status = basin__index_push(mesh->context, &found, (uint32_t)p);
  basin__array_free(mesh->context, mask, mesh->point_count + 1, 1);
  if (status != BASIN_OK) {
    basin__index_fini(mesh->context, &found);
    return status;
  }
  return basin__index_release(mesh->context, &found, 1, points);
}

basin_status
basin_mesh_mask(const basin_mesh *mesh, size_t name_count, const char *const *names, double *mask)
{
  unsigned char *bytes;
  BASIN_TRY(make_mask(mesh, name_count, names, &bytes));
  for (size_t p = 0; p < mesh->point_count; ++p) mask[p] = bytes[p];
  basin__array_free(mesh->context, bytes, mesh->point_count + 1, 1);
  return BASIN_OK;
}
