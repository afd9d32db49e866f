/* The rule for bodies: which primitives may touch, and how far apart they stay.
 * SPDX-License-Identifier: Apache-2.0 */
#include "contact/contact.h"

uint32_t basin__body(const basin_contact *contact, uint32_t vertex)
{
  return contact->bodies ? contact->bodies[vertex] : 0;
}

double basin__offset(const basin_contact *contact, unsigned count, const uint32_t *vertices)
{
  double largest = 0;
  if (!contact->offsets) return 0;
  for (unsigned i = 0; i < count; ++i) {
    const double offset = contact->offsets[basin__body(contact, vertices[i])];
    if (offset > largest) largest = offset;
  }
  return largest;
}

uint32_t basin__tag(const basin_contact *contact, unsigned count, const uint32_t *vertices)
{
  const uint32_t body = basin__body(contact, vertices[0]);
  for (unsigned i = 1; i < count; ++i)
    if (basin__body(contact, vertices[i]) != body) return BASIN__TAG_MIXED;
  return body;
}

static bool table_allows(const basin_contact *contact, uint32_t a, uint32_t b)
{
  return contact->table[(size_t)a * contact->body_count + b] != 0;
}

uint32_t basin__skipped_tag(const basin_contact *contact, uint32_t tag)
{
  if (tag == BASIN__TAG_MIXED) return BASIN__TAG_NONE;
  const bool skips = contact->table ? !table_allows(contact, tag, tag) : tag != 0;
  return skips ? tag : BASIN__TAG_NONE;
}

bool basin__meets_planes(const basin_contact *contact, uint32_t vertex)
{
  return !contact->plane_bodies || contact->plane_bodies[basin__body(contact, vertex)];
}

bool basin_contact_allows(const basin_contact *contact,
                          size_t count_a,
                          const uint32_t *vertices_a,
                          size_t count_b,
                          const uint32_t *vertices_b)
{
  if (count_a == 0 || count_b == 0) return false;
  if (!contact->table) {
    const uint32_t tag = basin__tag(contact, (unsigned)count_a, vertices_a);
    return tag == 0 || tag == BASIN__TAG_MIXED ||
           basin__tag(contact, (unsigned)count_b, vertices_b) != tag;
  }
  for (size_t i = 0; i < count_a; ++i)
    for (size_t k = 0; k < count_b; ++k)
      if (!table_allows(
              contact, basin__body(contact, vertices_a[i]), basin__body(contact, vertices_b[k])))
        return false;
  return true;
}
