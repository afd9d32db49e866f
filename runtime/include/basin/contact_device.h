/* Contact in a system on a CUDA device: positions, pair lists and what pair primitives read stay on
 * the device. SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_CONTACT_DEVICE_H
#define BASIN_CONTACT_DEVICE_H

#include <basin/contact.h>
#include <basin/runtime.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A detector whose positions are an array of a system on a device: vertex_count instances of three
 * numbers, computed ones and unions included. Results are those of basin_contact on the CPU, with a
 * pair of two edges or two points named with the smaller number first. */
typedef struct basin_device_contact basin_device_contact;

/* With the primitives and rules of `contact`; borrows both, so destroy it first. STATE if the
 * system has no device. */
BASIN_API basin_status basin_device_contact_create(const basin_contact *contact,
                                                   basin_system *system,
                                                   basin_device_contact **made);
BASIN_API void basin_device_contact_destroy(basin_device_contact *contact); /* NULL is fine */

/* basin_contact_detect. */
BASIN_API basin_status basin_device_contact_detect(basin_device_contact *contact,
                                                   basin_array_id positions,
                                                   double activation);
/* The same for positions on the host, which are copied. */
BASIN_API basin_status basin_device_contact_detect_at(basin_device_contact *contact,
                                                      const double *positions,
                                                      double activation);
BASIN_API uint64_t basin_device_contact_version(const basin_device_contact *contact);
/* Pairs of one kind, and the smallest squared distance of any (infinite without one): known after a
 * detect, nothing is fetched. */
BASIN_API size_t basin_device_contact_count(const basin_device_contact *contact,
                                            basin_contact_kind kind);
BASIN_API double basin_device_contact_least_squared(const basin_device_contact *contact);
/* basin_contact_pairs_get: a copy on the host, fetched when first asked for. */
BASIN_API basin_status basin_device_contact_pairs(basin_device_contact *contact,
                                                  basin_contact_kind kind,
                                                  basin_contact_pairs *pairs);

BASIN_API basin_status basin_device_contact_smallest_distance(basin_device_contact *contact,
                                                              basin_array_id positions,
                                                              basin_contact_closest *closest);

/* Device memory for vertex_count x 3 numbers, for the motion that the next step is asked about; as
 * basin_filter_motion wants it, a pointer that the host must not read through. */
BASIN_API basin_status basin_device_contact_motion(basin_device_contact *contact, double **motion);
/* basin_contact_largest_step along that motion. */
BASIN_API basin_status basin_device_contact_largest_step(basin_device_contact *contact,
                                                         basin_array_id positions,
                                                         double limit,
                                                         double slackness,
                                                         double *step,
                                                         basin_contact_impact *first);

/* ---- filling pair primitives ---- */

/* A dynamic primitive with a connectivity to the vertices, and constants of it or BASIN_NONE.
 * weight: the multiplicity times the table's number for the bodies of the two sides (a row a body,
 * a column a body and one for planes; NULL: 1), of vertices in several bodies the mean over the
 * vertex pairs across. With neither multiplicity nor weight every stencil
 * is there as often as its multiplicity says. */
typedef struct basin_contact_target {
  size_t size; /* sizeof(basin_contact_target) of the caller: ABI growth */
  basin_space_id space;
  basin_connectivity_id connectivity;
  basin_array_id multiplicity, weight, separation, threshold, plane;
  const double *weight_table;
} basin_contact_target;
/* Puts the pairs of the last detect there; *count is their number. */
BASIN_API basin_status basin_device_contact_fill(basin_device_contact *contact,
                                                 basin_contact_kind kind,
                                                 const basin_contact_target *target,
                                                 size_t *count);

/* The list of friction: pairs of all kinds with four vertices, those that a kind lacks with
 * coefficient 0; pairs without friction are left out. start: where slip is counted from. The other
 * constants as in basin_contact_pairs; the tables as above. */
typedef struct basin_contact_friction_target {
  size_t size; /* sizeof(basin_contact_friction_target) of the caller: ABI growth */
  basin_space_id space;
  basin_connectivity_id connectivity;
  basin_array_id coefficients, tangents, start, weight, squared_distance, separation, fixed, moving;
  const double *weight_table, *fixed_table, *moving_table;
} basin_contact_friction_target;
/* Keeps a copy of the positions at the start of a step, on the device. */
BASIN_API basin_status basin_device_contact_remember(basin_device_contact *contact,
                                                     basin_array_id positions);
/* Puts the pairs of the last detect there, with frames at `positions` (those of the detect) and
 * slip counted from the remembered ones. */
BASIN_API basin_status
basin_device_contact_fill_friction(basin_device_contact *contact,
                                   basin_array_id positions,
                                   const basin_contact_friction_target *target,
                                   size_t *count);

/* basin_contact_statistics_get: seconds of the host, waiting included. */
BASIN_API basin_contact_statistics
basin_device_contact_statistics(const basin_device_contact *contact);
/* Bytes on the device. */
BASIN_API size_t basin_device_contact_memory(const basin_device_contact *contact);

#ifdef __cplusplus
}
#endif
#endif
