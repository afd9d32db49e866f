/* Contact detectors in Lua.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_LANG_CONTACT_H
#define BASIN_LANG_CONTACT_H

#include "bind.h"

#include <basin/contact_device.h>

struct basin_l_system;

/* Userdata of class BASIN_CLASS_CONTACT; user value 1 is its context, 2 the system on whose device
 * it is. */
typedef struct basin_l_contact {
  basin_contact *contact;
  basin_context *context;
  size_t vertex_count, body_count;
  uint32_t *bodies; /* one a vertex, in the same block; all 0 without bodies */
  size_t plane_count;
  basin_contact_plane *planes;  /* in the same block */
  basin_device_contact *device; /* NULL: the CPU */
} basin_l_contact;

basin_l_contact *basin__check_contact(lua_State *L, int index);
/* The array at `index` with one 3-vector a vertex. */
const double *basin__check_positions(lua_State *L, int index, const basin_l_contact *box);
/* The kind named by the word at `index`, "point_point" .. "point_plane". */
basin_contact_kind basin__check_contact_kind(lua_State *L, int index);
const char *basin__contact_kind_word(basin_contact_kind kind);
/* Pairs of the last detect, wherever they are. */
basin_contact_pairs
basin__contact_pairs_of(lua_State *L, const basin_l_contact *box, basin_contact_kind kind);

/* ---- what pair primitives need (l_contact_pairs.c) ---- */
/* A matrix of one number a pair of bodies, with one more column for planes, in field `name` of the
 * table at `index`; NULL if absent. The array stays on the stack. */
const double *basin__contact_table_field(lua_State *L, int index, const char *name, size_t bodies);
/* The array id in field `name` of the table at `index`, or BASIN_NONE; an array of `size` numbers
 * an instance. */
basin_array_id basin__contact_id_field(
    lua_State *L, int index, const char *name, struct basin_l_system *self, size_t size);
/* contact:fill and contact:fill_friction for a detector on a device (l_contact_device.c). */
int basin__contact_fill_on_device(lua_State *L);
int basin__contact_fill_friction_on_device(lua_State *L);
/* Adds the methods of detectors on devices. */
void basin__open_contact_device(lua_State *L);

#endif
