/* A detector of contacts on a CUDA device: what basin_contact does, for positions on the device,
 * with pair lists that stay there. SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_CONTACT_CUDA_DETECTOR_H
#define BASIN_CONTACT_CUDA_DETECTOR_H

#include "contact/contact.h"
#include "contact/cuda/contact_data.h"
#include "device/cuda/cuda.h"

typedef struct basin_cuda_contact basin_cuda_contact;

/* A detector with the sets and rules of `contact`, which it borrows: destroy it first. Positions
 * and directions below are addresses of vertex_count x 3 doubles. Results are those of
 * basin_contact, and so are errors; a pair of two edges or two points is named with the smaller
 * number first. */
basin_status basin__cuda_contact_create(basin_cuda *cuda,
                                        const basin_contact *contact,
                                        basin_cuda_contact **made);
void basin__cuda_contact_destroy(basin_cuda_contact *contact); /* NULL is fine */
basin_cuda *basin__cuda_contact_device(const basin_cuda_contact *contact);
const basin_contact *basin__cuda_contact_host(const basin_cuda_contact *contact);
size_t basin__cuda_contact_memory(const basin_cuda_contact *contact); /* bytes on the device */
/* Seconds are the host's, waiting included. */
basin_contact_statistics basin__cuda_contact_statistics(const basin_cuda_contact *contact);

/* ---- close pairs ---- */
basin_status
basin__cuda_contact_detect(basin_cuda_contact *contact, basin_address positions, double activation);
uint64_t basin__cuda_contact_version(const basin_cuda_contact *contact);
/* Known since the last detect: pairs of a kind, the sum of their multiplicities, the smallest
 * squared distance of any (infinite without one). */
size_t basin__cuda_contact_count(const basin_cuda_contact *contact, basin_contact_kind kind);
size_t basin__cuda_contact_copies(const basin_cuda_contact *contact, basin_contact_kind kind);
double basin__cuda_contact_least_squared(const basin_cuda_contact *contact);
/* A copy of the pairs of one kind on the host, fetched when first asked for; lives until the next
 * detect. */
basin_status basin__cuda_contact_pairs(basin_cuda_contact *contact,
                                       basin_contact_kind kind,
                                       basin_contact_pairs *pairs);
/* The lists on the device. */
const basin_cuda_pairs *basin__cuda_contact_lists(const basin_cuda_contact *contact);

/* ---- distances and steps ---- */
basin_status basin__cuda_contact_smallest_distance(basin_cuda_contact *contact,
                                                   basin_address positions,
                                                   basin_contact_closest *closest);
basin_status basin__cuda_contact_sweep(basin_cuda_contact *contact,
                                       basin_address positions,
                                       basin_address direction,
                                       double limit);
size_t basin__cuda_contact_candidate_count(const basin_cuda_contact *contact,
                                           basin_contact_kind kind);
basin_status basin__cuda_contact_step(basin_cuda_contact *contact, double slackness, double *step);
basin_status basin__cuda_contact_largest_step(basin_cuda_contact *contact,
                                              basin_address positions,
                                              basin_address direction,
                                              double limit,
                                              double slackness,
                                              double *step,
                                              basin_contact_impact *first);

#endif
