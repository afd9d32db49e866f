/* The tags of an XML file, one after the other: what the VTU reader needs and no more.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_MESH_XML_H
#define BASIN_MESH_XML_H

#include "mesh/reader.h"

typedef struct basin_xml_tag {
  basin_word name;
  basin_word attributes; /* everything behind the name */
  bool closing, empty;   /* </name>, <name/> */
} basin_xml_tag;

/* The next tag behind the cursor, which ends behind it; text, comments, declarations are passed
 * over. *found is false at the end. */
basin_status basin__xml_next(basin_reader *reader, basin_xml_tag *tag, bool *found);
/* The value of an attribute, entities as they stand; false if it is not there. */
bool basin__xml_attribute(const basin_xml_tag *tag, const char *name, basin_word *value);

#endif
