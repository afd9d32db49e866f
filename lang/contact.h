/* Contact detectors in Lua.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_LANG_CONTACT_H
#define BASIN_LANG_CONTACT_H

#include "bind.h"

#include <basin/contact.h>

/* Userdata of class BASIN_CLASS_CONTACT; user value 1 is its context. */
typedef struct basin_l_contact {
  basin_contact *contact;
  basin_context *context;
  size_t vertex_count, body_count;
  uint32_t *bodies; /* one a vertex, in the same block; all 0 without bodies */
  size_t plane_count;
  basin_contact_plane *planes; /* in the same block */
} basin_l_contact;

basin_l_contact *basin__check_contact(lua_State *L, int index);
/* The array at `index` with one 3-vector a vertex. */
const double *basin__check_positions(lua_State *L, int index, const basin_l_contact *box);
/* The kind named by the word at `index`, "point_point" .. "point_plane". */
basin_contact_kind basin__check_contact_kind(lua_State *L, int index);
const char *basin__contact_kind_word(basin_contact_kind kind);

#endif
