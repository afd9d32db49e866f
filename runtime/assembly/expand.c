/* Terms over DOF maps: the nodes that every element depends on, each named once.
 * SPDX-License-Identifier: Apache-2.0 */
#include "assembly/minimizer.h"
#include <string.h>

#define NODES_MAX 65536u /* of an element: places are 16 bits wide */

static size_t element_row(const basin_minimizer *minimizer,
                          const basin_term *term,
                          size_t element,
                          uint32_t local,
                          const basin_dof_entry **entries)
{
  const basin_dof_map *map = minimizer->maps.maps[term->node_maps[local]];
  return basin__dof_row(map, term->rows[element * term->local_nodes + local], entries);
}

size_t basin__term_expand(const basin_minimizer *minimizer,
                          const basin_term *term,
                          size_t element,
                          basin_virtual_node *nodes)
{
  const uint16_t *places = term->places + term->starts[element].entry;
  size_t count = 0;
  for (uint32_t a = 0; a < term->local_nodes; ++a) {
    const basin_dof_map *map = minimizer->maps.maps[term->node_maps[a]];
    const basin_dof_entry *entries;
    size_t length = element_row(minimizer, term, element, a, &entries);
    for (size_t k = 0; k < length; ++k, ++count) {
      uint32_t value = entries[k].value;
      nodes[count] = (basin_virtual_node){
          .local = a,
          .node = entries[k].node,
          .place = places[count],
          .full = !map->plain && (value & BASIN_DOF_BLOCK),
          .weight = map->plain ? NULL : map->values + (value & BASIN_DOF_VALUE)};
    }
  }
  return count;
}

/* ---- the lists ---- */

/* What has been listed so far, up to the element at work. */
typedef struct listing {
  basin_minimizer *minimizer;
  basin_term *term;
  basin_element_start end;
} listing;

static basin_status too_many(const listing *list, size_t element, size_t nodes)
{
  return BASIN_FAIL(list->minimizer->context,
                    BASIN_ERROR_UNSUPPORTED,
                    "term %s: element %zu depends on %zu nodes, all coupled with each other: "
                    "the matrix would be too large",
                    list->term->name,
                    element,
                    nodes);
}

/* Entries of one row. A node's marker is its place in the list, if the element has named it. */
static basin_status
list_row(listing *list, size_t element, const basin_dof_entry *entries, size_t length)
{
  basin_term *term = list->term;
  basin_context *context = list->minimizer->context;
  uint32_t *marker = list->minimizer->maps.marker;
  size_t first = term->starts[element].node, end = list->end.node;
  BASIN_TRY(
      basin__grow(context, &term->nodes, &term->node_capacity, end + length, sizeof *term->nodes));
  BASIN_TRY(basin__grow(context,
                        &term->places,
                        &term->place_capacity,
                        list->end.entry + length,
                        sizeof *term->places));
  for (size_t k = 0; k < length; ++k) {
    uint32_t node = entries[k].node;
    size_t place = marker[node];
    if (place < first || place >= end || term->nodes[place] != node) {
      if (end - first == NODES_MAX - 1 || end >= BASIN_NONE)
        return too_many(list, element, end - first + 1);
      place = end++;
      term->nodes[place] = node;
      marker[node] = (uint32_t)place;
    }
    term->places[list->end.entry++] = (uint16_t)(place - first);
  }
  list->end.node = end;
  return BASIN_OK;
}

static basin_status list_element(listing *list, size_t element)
{
  basin_term *term = list->term;
  term->starts[element] = list->end;
  for (uint32_t a = 0; a < term->local_nodes; ++a) {
    const basin_dof_entry *entries;
    size_t length = element_row(list->minimizer, term, element, a, &entries);
    BASIN_TRY(list_row(list, element, entries, length));
  }
  size_t nodes = list->end.node - term->starts[element].node,
         entries = list->end.entry - term->starts[element].entry;
  list->end.slot += nodes * (nodes + 1) / 2;
  term->expansion = entries > term->expansion ? entries : term->expansion;
  return list->end.slot < (size_t)1 << 31 ? BASIN_OK : too_many(list, element, nodes);
}

basin_status basin__term_list_nodes(basin_minimizer *minimizer, basin_term *term)
{
  basin_context *context = minimizer->context;
  basin_dof_maps *maps = &minimizer->maps;
  size_t nodes = minimizer->layout.node_count;
  listing list = {.minimizer = minimizer, .term = term};
  BASIN_TRY(basin__grow(
      context, &term->starts, &term->start_capacity, term->elements + 1, sizeof *term->starts));
  BASIN_TRY(
      basin__grow(context, &maps->marker, &maps->marker_capacity, nodes, sizeof *maps->marker));
  if (nodes > 0) memset(maps->marker, 0, nodes * sizeof *maps->marker);
  term->expansion = 0;
  for (size_t e = 0; e < term->elements; ++e) BASIN_TRY(list_element(&list, e));
  term->starts[term->elements] = list.end;
  term->slot_count = list.end.slot;
  return BASIN_OK;
}
