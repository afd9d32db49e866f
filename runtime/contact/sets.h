/* Making the sets of primitives complete.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_CONTACT_SETS_H
#define BASIN_CONTACT_SETS_H

#include "contact/contact.h"

/* Copies the listed primitives, adds missing edges and points, finds those that stand alone, tags
 * all with their bodies and makes their trees. The description has been checked. On failure the
 * sets may be partly filled; basin__sets_fini is safe. */
basin_status basin__sets_init(basin_contact *contact, const basin_contact_description *description);
void basin__sets_fini(basin_contact *contact);

#endif
