/* What friction keeps of a pair: coefficients of the closest points and two tangents.
 * SPDX-License-Identifier: Apache-2.0 */
#include "contact/contact.h"

#include "contact/device/contact_frame.h"
#include <string.h>

basin_status basin_contact_friction_frames(const basin_contact *contact,
                                           basin_contact_kind kind,
                                           const double *positions,
                                           double *coefficients,
                                           double *tangents)
{
  const basin_contact_pairs pairs = basin_contact_pairs_get(contact, kind);
  if (pairs.arity == 0)
    return BASIN_FAIL(contact->context, BASIN_ERROR_ARGUMENT, "contact: unknown kind of pair");
  for (size_t i = 0; i < pairs.count; ++i) {
    basin__vector3 x[4] = {{0, 0, 0}}, n;
    double c[4] = {1, 0, 0, 0};
    for (unsigned k = 0; k < pairs.arity; ++k)
      x[k] = basin__v3(positions + 3 * (size_t)pairs.vertices[i * pairs.arity + k]);
    if (kind == BASIN_CONTACT_POINT_PLANE)
      n = basin__v3(contact->planes[pairs.planes[i]].normal);
    else
      n = basin__frame_coefficients(kind, x, c);
    if (coefficients) memcpy(coefficients + i * pairs.arity, c, pairs.arity * sizeof *c);
    if (tangents) basin__frame_tangents(n, tangents + 6 * i);
  }
  return BASIN_OK;
}
