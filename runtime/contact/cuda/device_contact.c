/* Contact in a system on a device: positions are one of its arrays.
 * SPDX-License-Identifier: Apache-2.0 */
#include "contact/cuda/device_contact.h"

#include <string.h>

static size_t bytes_of(const basin_device_contact *contact)
{
  return 3 * basin__cuda_contact_host(contact->detector)->vertex_count * sizeof(double);
}

basin_status basin_device_contact_create(const basin_contact *contact,
                                         basin_system *system,
                                         basin_device_contact **made)
{
  *made = NULL;
  if (!system->cuda)
    return BASIN_FAIL(
        contact->context, BASIN_ERROR_STATE, "contact: the scene is not on a CUDA device");
  basin_device_contact *fresh = basin__calloc(contact->context, 1, sizeof *fresh);
  if (!fresh) return BASIN_ERROR_MEMORY;
  fresh->context = contact->context;
  fresh->system = system;
  const basin_status status = basin__cuda_contact_create(system->cuda, contact, &fresh->detector);
  if (status != BASIN_OK) {
    basin__free(contact->context, fresh, sizeof *fresh);
    return status;
  }
  *made = fresh;
  return BASIN_OK;
}

void basin_device_contact_destroy(basin_device_contact *contact)
{
  if (!contact) return;
  basin_cuda *cuda = basin__cuda_contact_device(contact->detector);
  const basin_contact *host = basin__cuda_contact_host(contact->detector);
  const size_t bodies = host->body_count ? host->body_count : 1;
  for (int i = 0; i < BASIN_CONTACT_TABLE_COUNT; ++i) {
    basin_contact_table *table = &contact->tables[i];
    basin__free(contact->context, table->sent, bodies * (bodies + 1) * sizeof(double));
    basin__buffer_release(cuda, &table->memory);
  }
  basin__buffer_release(cuda, &contact->uploaded);
  basin__buffer_release(cuda, &contact->motion);
  basin__buffer_release(cuda, &contact->start);
  basin__cuda_contact_destroy(contact->detector);
  basin__free(contact->context, contact, sizeof *contact);
}

basin_status basin__contact_positions(basin_device_contact *contact,
                                      basin_array_id positions,
                                      basin_address *address)
{
  const size_t vertices = basin__cuda_contact_host(contact->detector)->vertex_count;
  basin_array *array;
  BASIN_TRY(basin__system_array(contact->system, positions, &array));
  const size_t count = contact->system->spaces[array->space].count;
  if (count != vertices || array->size != 3)
    return BASIN_FAIL(
        contact->context,
        BASIN_ERROR_LENGTH,
        "the detector has %zu vertices, so it needs %zu positions of 3 numbers, not %zu of %zu",
        vertices,
        vertices,
        count,
        array->size);
  return basin__array_on_device(contact->system, positions, address);
}

basin_status basin_device_contact_detect(basin_device_contact *contact,
                                         basin_array_id positions,
                                         double activation)
{
  basin_address address;
  BASIN_TRY(basin__contact_positions(contact, positions, &address));
  return basin__cuda_contact_detect(contact->detector, address, activation);
}

basin_status basin_device_contact_detect_at(basin_device_contact *contact,
                                            const double *positions,
                                            double activation)
{
  basin_cuda *cuda = basin__cuda_contact_device(contact->detector);
  BASIN_TRY(basin__buffer_reserve(cuda, &contact->uploaded, bytes_of(contact)));
  if (bytes_of(contact) > 0)
    BASIN_TRY(basin__cuda_upload(cuda, contact->uploaded.address, positions, bytes_of(contact)));
  return basin__cuda_contact_detect(contact->detector, contact->uploaded.address, activation);
}

uint64_t basin_device_contact_version(const basin_device_contact *contact)
{
  return basin__cuda_contact_version(contact->detector);
}

size_t basin_device_contact_count(const basin_device_contact *contact, basin_contact_kind kind)
{
  return basin__cuda_contact_count(contact->detector, kind);
}

double basin_device_contact_least_squared(const basin_device_contact *contact)
{
  return basin__cuda_contact_least_squared(contact->detector);
}

basin_status basin_device_contact_pairs(basin_device_contact *contact,
                                        basin_contact_kind kind,
                                        basin_contact_pairs *pairs)
{
  return basin__cuda_contact_pairs(contact->detector, kind, pairs);
}

basin_status basin_device_contact_smallest_distance(basin_device_contact *contact,
                                                    basin_array_id positions,
                                                    basin_contact_closest *closest)
{
  basin_address address;
  BASIN_TRY(basin__contact_positions(contact, positions, &address));
  return basin__cuda_contact_smallest_distance(contact->detector, address, closest);
}

basin_status basin_device_contact_motion(basin_device_contact *contact, double **motion)
{
  basin_cuda *cuda = basin__cuda_contact_device(contact->detector);
  *motion = NULL;
  BASIN_TRY(basin__buffer_reserve(cuda, &contact->motion, bytes_of(contact)));
  contact->has_motion = true;
  _Static_assert(sizeof *motion == sizeof contact->motion.address, "addresses are pointers");
  memcpy(motion, &contact->motion.address, sizeof *motion);
  return BASIN_OK;
}

basin_status basin_device_contact_largest_step(basin_device_contact *contact,
                                               basin_array_id positions,
                                               double limit,
                                               double slackness,
                                               double *step,
                                               basin_contact_impact *first)
{
  basin_address address;
  *step = 0;
  if (!contact->has_motion)
    return BASIN_FAIL(
        contact->context, BASIN_ERROR_STATE, "contact: basin_device_contact_motion comes first");
  BASIN_TRY(basin__contact_positions(contact, positions, &address));
  return basin__cuda_contact_largest_step(
      contact->detector, address, contact->motion.address, limit, slackness, step, first);
}

basin_status basin_device_contact_remember(basin_device_contact *contact, basin_array_id positions)
{
  basin_cuda *cuda = basin__cuda_contact_device(contact->detector);
  basin_address address;
  BASIN_TRY(basin__contact_positions(contact, positions, &address));
  BASIN_TRY(basin__buffer_reserve(cuda, &contact->start, bytes_of(contact)));
  if (bytes_of(contact) > 0)
    BASIN_TRY(basin__cuda_copy(cuda, contact->start.address, address, bytes_of(contact)));
  contact->has_start = true;
  return BASIN_OK;
}

basin_contact_statistics basin_device_contact_statistics(const basin_device_contact *contact)
{
  return basin__cuda_contact_statistics(contact->detector);
}

size_t basin_device_contact_memory(const basin_device_contact *contact)
{
  size_t sum = basin__cuda_contact_memory(contact->detector) + contact->uploaded.size +
               contact->motion.size + contact->start.size;
  for (int i = 0; i < BASIN_CONTACT_TABLE_COUNT; ++i) sum += contact->tables[i].memory.size;
  return sum;
}
