/* Whether positions are a legal start, and a message that names what is not.
 * SPDX-License-Identifier: Apache-2.0 */
#include "contact/contact.h"

enum { LISTED = 4 };

static void list_vertices(const basin_contact *contact,
                          basin_strbuf *text,
                          const char *what,
                          const uint32_t *v,
                          unsigned count)
{
  basin__strbuf_printf(text, "%s (%u", what, v[0]);
  for (unsigned i = 1; i < count; ++i) basin__strbuf_printf(text, ", %u", v[i]);
  basin__strbuf_puts(text, ")");
  if (contact->bodies) basin__strbuf_printf(text, " of body %u", basin__body(contact, v[0]));
}

static void
list_crossings(const basin_contact *contact, basin_strbuf *text, size_t count, const uint32_t *rows)
{
  basin__strbuf_printf(text, "%zu edge%s through triangles: ", count, count == 1 ? "" : "s");
  for (size_t i = 0; i < count && i < LISTED; ++i) {
    if (i > 0) basin__strbuf_puts(text, "; ");
    list_vertices(contact, text, "edge", rows + 5 * i, 2);
    list_vertices(contact, text, " meets triangle", rows + 5 * i + 2, 3);
  }
  if (count > LISTED) basin__strbuf_puts(text, "; ...");
}

static void
list_closest(const basin_contact *contact, basin_strbuf *text, const basin_contact_closest *pair)
{
  static const char *const first[] = {"point", "point", "point", "edge"};
  static const char *const second[] = {" and point", " and edge", " and triangle", " and edge"};
  if (pair->kind == BASIN_CONTACT_POINT_PLANE) {
    list_vertices(contact, text, "point", pair->vertices, 1);
    basin__strbuf_printf(text, " and plane %u", pair->vertices[1]);
  } else {
    const unsigned split = pair->kind == BASIN_CONTACT_EDGE_EDGE ? 2 : 1;
    list_vertices(contact, text, first[pair->kind], pair->vertices, split);
    list_vertices(contact,
                  text,
                  second[pair->kind],
                  pair->vertices + split,
                  basin_contact_arity(pair->kind) - split);
  }
}

static basin_status fail(basin_contact *contact, basin_strbuf *text)
{
  const basin_status status = BASIN_FAIL(contact->context,
                                         BASIN_ERROR_ARGUMENT,
                                         "contact: the start is not legal: %s",
                                         basin__strbuf_text(text));
  basin__strbuf_fini(text);
  return status;
}

basin_status basin_contact_check(basin_contact *contact, const double *positions)
{
  uint32_t rows[5 * LISTED];
  size_t count;
  basin_strbuf text;
  BASIN_TRY(basin_contact_intersections(contact, positions, LISTED, rows, &count));
  basin__strbuf_init(&text, contact->context);
  if (count > 0) {
    list_crossings(contact, &text, count, rows);
    return fail(contact, &text);
  }
  basin_contact_closest near;
  BASIN_TRY(basin__contact_illegal(contact, positions, &near));
  if (near.kind == BASIN_CONTACT_KIND_COUNT || near.gap > 0) return BASIN_OK;
  basin__strbuf_printf(
      &text, "the smallest gap is %g (distance minus separation); closest are ", near.gap);
  list_closest(contact, &text, &near);
  basin__strbuf_printf(&text, " at distance %g", sqrt(near.squared_distance));
  return fail(contact, &text);
}
