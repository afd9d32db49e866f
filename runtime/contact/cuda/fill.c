/* Fills pair primitives and the list of friction on a device.
 * SPDX-License-Identifier: Apache-2.0 */
#include "contact/cuda/device_contact.h"

#include <string.h>

/* As in contact_fill.cu. */
typedef struct pair_target {
  basin_address vertices;
  basin_address multiplicity, weight, separation, threshold, plane;
  basin_address weight_table;
} pair_target;

typedef struct friction_target {
  basin_address vertices;
  basin_address coefficients, tangents, start, weight, squared, separation, fixed, moving;
  basin_address weight_table, fixed_table, moving_table;
} friction_target;

/* ---- tables and constants ---- */

/* The table on the device; sent when it differs from what is there. */
static basin_status send_table(basin_device_contact *contact,
                               unsigned number,
                               const double *values,
                               basin_address *address)
{
  basin_contact_table *table = &contact->tables[number];
  basin_cuda *cuda = basin__cuda_contact_device(contact->detector);
  const basin_contact *host = basin__cuda_contact_host(contact->detector);
  const size_t bodies = host->body_count ? host->body_count : 1;
  const size_t bytes = bodies * (bodies + 1) * sizeof(double);
  *address = 0;
  if (!values) return BASIN_OK;
  if (!table->sent || memcmp(table->sent, values, bytes) != 0) {
    BASIN_TRY(basin__buffer_reserve(cuda, &table->memory, bytes));
    if (!table->sent) table->sent = basin__alloc(contact->context, bytes);
    if (!table->sent) return BASIN_ERROR_MEMORY;
    memcpy(table->sent, values, bytes);
    BASIN_TRY(basin__cuda_upload(cuda, table->memory.address, values, bytes));
  }
  *address = table->memory.address;
  return BASIN_OK;
}

/* Where a constant of `size` numbers is to be written; 0 for none. */
static basin_status
open_constant(basin_device_contact *contact, basin_array_id id, size_t size, basin_address *address)
{
  basin_array *array;
  *address = 0;
  if (id == BASIN_NONE) return BASIN_OK;
  BASIN_TRY(basin__system_array(contact->system, id, &array));
  if (array->size != size)
    return BASIN_FAIL(contact->context,
                      BASIN_ERROR_SHAPE,
                      "constant '%s' of a pair needs %zu numbers, it has %zu",
                      array->name,
                      size,
                      array->size);
  return basin__array_write_on_device(contact->system, id, address);
}

static void close_constant(basin_device_contact *contact, basin_array_id id)
{
  if (id != BASIN_NONE) basin__array_written_on_device(contact->system, id);
}

static uint32_t largest_vertex(const basin_device_contact *contact)
{
  const size_t count = basin__cuda_contact_host(contact->detector)->vertex_count;
  return count > 0 ? (uint32_t)(count - 1) : 0;
}

/* ---- pairs of one kind ---- */

/* Sums of the multiplicities before each pair. */
static basin_status
find_places(basin_cuda_contact *detector, size_t first, size_t count, basin_address *places)
{
  basin_cuda_pairs pairs = *basin__cuda_contact_lists(detector);
  BASIN_TRY(basin__buffer_reserve(detector->cuda, &detector->work, (count + 1) * sizeof(uint32_t)));
  *places = detector->work.address;
  void *parameters[] = {&pairs, &first, &count, places};
  BASIN_TRY(basin__contact_launch(detector, BASIN_CONTACT_KERNEL_copies, count, parameters));
  return basin__cuda_scan(detector->cuda, &detector->scratch, *places, count, *places);
}

static basin_status open_pairs(basin_device_contact *contact,
                               basin_contact_kind kind,
                               const basin_contact_target *target,
                               size_t rows,
                               pair_target *to)
{
  const bool is_plane = kind == BASIN_CONTACT_POINT_PLANE;
  BASIN_TRY(basin_system_resize(contact->system, target->space, rows));
  BASIN_TRY(basin__connectivity_write_on_device(
      contact->system, target->connectivity, rows * basin_contact_arity(kind), &to->vertices));
  BASIN_TRY(open_constant(contact, target->multiplicity, 1, &to->multiplicity));
  BASIN_TRY(open_constant(contact, target->weight, 1, &to->weight));
  BASIN_TRY(open_constant(contact, target->separation, 1, &to->separation));
  BASIN_TRY(open_constant(contact, target->threshold, 1, &to->threshold));
  return open_constant(contact, is_plane ? target->plane : BASIN_NONE, 4, &to->plane);
}

static void close_pairs(basin_device_contact *contact,
                        basin_contact_kind kind,
                        const basin_contact_target *target)
{
  basin__connectivity_written_on_device(
      contact->system, target->connectivity, largest_vertex(contact));
  close_constant(contact, target->multiplicity);
  close_constant(contact, target->weight);
  close_constant(contact, target->separation);
  close_constant(contact, target->threshold);
  if (kind == BASIN_CONTACT_POINT_PLANE) close_constant(contact, target->plane);
}

basin_status basin_device_contact_fill(basin_device_contact *contact,
                                       basin_contact_kind kind,
                                       const basin_contact_target *target,
                                       size_t *count)
{
  basin_cuda_contact *detector = contact->detector;
  unsigned arity = basin_contact_arity(kind);
  *count = 0;
  if (arity == 0 || !target || target->size != sizeof *target)
    return BASIN_FAIL(contact->context, BASIN_ERROR_ARGUMENT, "contact: no target to fill");
  size_t pair_count = basin__cuda_contact_count(detector, kind), rows = pair_count, first = 0;
  basin_address places = 0;
  basin_cuda_pairs pairs = *basin__cuda_contact_lists(detector);
  pair_target to = {0};
  const bool repeats = target->multiplicity == BASIN_NONE && target->weight == BASIN_NONE &&
                       kind != BASIN_CONTACT_POINT_PLANE;
  if (pair_count > 0) first = pairs.first[kind];
  if (repeats) rows = basin__cuda_contact_copies(detector, kind);
  if (repeats && rows != pair_count) BASIN_TRY(find_places(detector, first, pair_count, &places));
  BASIN_TRY(send_table(contact, BASIN_CONTACT_TABLE_PAIRS, target->weight_table, &to.weight_table));
  BASIN_TRY(open_pairs(contact, kind, target, rows, &to));
  void *parameters[] = {&detector->rules, &pairs, &kind, &arity, &first, &pair_count, &places, &to};
  BASIN_TRY(basin__contact_launch(detector, BASIN_CONTACT_KERNEL_fill, pair_count, parameters));
  close_pairs(contact, kind, target);
  *count = rows;
  return BASIN_OK;
}

/* ---- friction ---- */

/* What is known while the list is filled. */
typedef struct friction_work {
  basin_cuda_pairs pairs;
  size_t rows, before; /* pairs of all kinds; rows of the list as it is */
  basin_address lagged, places, vertices, old;
  friction_target to;
} friction_work;

/* The connectivity as it is, to see whether it changes. */
static basin_status read_old(basin_device_contact *contact,
                             const basin_contact_friction_target *target,
                             friction_work *work)
{
  basin_connectivity *connectivity;
  basin_space *space;
  BASIN_TRY(basin__system_space(contact->system, target->space, &space));
  BASIN_TRY(basin__system_connectivity(contact->system, target->connectivity, &connectivity));
  if (connectivity->arity != 4)
    return BASIN_FAIL(contact->context,
                      BASIN_ERROR_SHAPE,
                      "contact: the list of friction needs four vertices a pair, %s has %u",
                      connectivity->name,
                      connectivity->arity);
  work->before = connectivity->set && connectivity->count == 4 * space->count ? space->count : 0;
  if (work->before == 0) return BASIN_OK;
  return basin__connectivity_on_device(contact->system, target->connectivity, &work->old, NULL);
}

/* Which rows have friction, and their vertices; fetches their number and whether they are others
 * than before. */
static basin_status choose_rows(basin_device_contact *contact, friction_work *work)
{
  basin_cuda_contact *detector = contact->detector;
  void *start[] = {&detector->device_status};
  void *flags[] = {&detector->rules, &work->pairs, &work->to, &work->lagged, &work->places};
  void *vertices[] = {&work->pairs,
                      &work->places,
                      &work->old,
                      &work->before,
                      &work->vertices,
                      &detector->device_status};
  basin_address next = 0;
  basin__carve(&next, (work->rows + 1) * sizeof(uint32_t));
  basin__carve(&next, work->rows * 4 * sizeof(uint32_t));
  BASIN_TRY(basin__buffer_reserve(detector->cuda, &detector->work, next));
  next = detector->work.address;
  work->places = basin__carve(&next, (work->rows + 1) * sizeof(uint32_t));
  work->vertices = basin__carve(&next, work->rows * 4 * sizeof(uint32_t));
  BASIN_TRY(basin__contact_launch(detector, BASIN_CONTACT_KERNEL_start, 1, start));
  BASIN_TRY(
      basin__contact_launch(detector, BASIN_CONTACT_KERNEL_friction_flags, work->rows, flags));
  BASIN_TRY(
      basin__cuda_scan(detector->cuda, &detector->scratch, work->places, work->rows, work->places));
  BASIN_TRY(basin__contact_launch(
      detector, BASIN_CONTACT_KERNEL_friction_vertices, work->rows, vertices));
  return basin__contact_fetch(detector, NULL);
}

static basin_status set_vertices(basin_device_contact *contact,
                                 const basin_contact_friction_target *target,
                                 const friction_work *work,
                                 size_t count)
{
  basin_address to;
  BASIN_TRY(basin_system_resize(contact->system, target->space, count));
  BASIN_TRY(
      basin__connectivity_write_on_device(contact->system, target->connectivity, 4 * count, &to));
  if (count > 0)
    BASIN_TRY(basin__cuda_copy(
        contact->detector->cuda, to, work->vertices, 4 * count * sizeof(uint32_t)));
  basin__connectivity_written_on_device(
      contact->system, target->connectivity, largest_vertex(contact));
  return BASIN_OK;
}

/* The constants of the list with their sizes. */
typedef struct friction_constant {
  basin_array_id id;
  size_t size;
  basin_address *to;
} friction_constant;

enum { CONSTANTS = 8 };

static basin_status set_constants(basin_device_contact *contact,
                                  const basin_contact_friction_target *target,
                                  friction_work *work)
{
  basin_cuda_contact *detector = contact->detector;
  friction_target *to = &work->to;
  const friction_constant constants[CONSTANTS] = {{target->coefficients, 4, &to->coefficients},
                                                  {target->tangents, 6, &to->tangents},
                                                  {target->start, 2, &to->start},
                                                  {target->weight, 1, &to->weight},
                                                  {target->squared_distance, 1, &to->squared},
                                                  {target->separation, 1, &to->separation},
                                                  {target->fixed, 1, &to->fixed},
                                                  {target->moving, 1, &to->moving}};
  for (int i = 0; i < CONSTANTS; ++i)
    BASIN_TRY(open_constant(contact, constants[i].id, constants[i].size, constants[i].to));
  void *parameters[] = {
      &detector->rules, &work->pairs, &work->places, &work->lagged, &contact->start.address, to};
  BASIN_TRY(
      basin__contact_launch(detector, BASIN_CONTACT_KERNEL_fill_friction, work->rows, parameters));
  for (int i = 0; i < CONSTANTS; ++i) close_constant(contact, constants[i].id);
  return BASIN_OK;
}

basin_status basin_device_contact_fill_friction(basin_device_contact *contact,
                                                basin_array_id positions,
                                                const basin_contact_friction_target *target,
                                                size_t *count)
{
  *count = 0;
  if (!target || target->size != sizeof *target)
    return BASIN_FAIL(contact->context, BASIN_ERROR_ARGUMENT, "contact: no target to fill");
  if (!contact->has_start)
    return BASIN_FAIL(
        contact->context, BASIN_ERROR_STATE, "contact: basin_device_contact_remember comes first");
  friction_work work = {.pairs = *basin__cuda_contact_lists(contact->detector)};
  for (int k = 0; k < BASIN_CONTACT_KIND_COUNT; ++k)
    work.rows += basin__cuda_contact_count(contact->detector, (basin_contact_kind)k);
  BASIN_TRY(basin__contact_positions(contact, positions, &work.lagged));
  BASIN_TRY(read_old(contact, target, &work));
  friction_target *to = &work.to;
  const double *tables[] = {target->weight_table, target->fixed_table, target->moving_table};
  basin_address *places[] = {&to->weight_table, &to->fixed_table, &to->moving_table};
  for (unsigned i = 0; i < 3; ++i)
    BASIN_TRY(send_table(contact, BASIN_CONTACT_TABLE_WEIGHT + i, tables[i], places[i]));
  bool changed = work.before > 0;
  if (work.rows > 0) {
    BASIN_TRY(choose_rows(contact, &work));
    *count = contact->detector->status.friction;
    changed = *count != work.before || contact->detector->status.changed;
  }
  if (changed) BASIN_TRY(set_vertices(contact, target, &work, *count));
  return *count > 0 ? set_constants(contact, target, &work) : BASIN_OK;
}
