/* PLY: ascii and binary of both byte orders; elements vertex, face and edge, others are passed
 * over. Format: Greg Turk, "The PLY Polygon File Format", 1994. SPDX-License-Identifier: Apache-2.0
 */
#include "mesh/reader.h"
#include <string.h>

enum { MAX_ELEMENTS = 16, MAX_PROPERTIES = 64, MAX_LIST = 1 << 16 };

static const struct {
  const char *name, *other;
  basin_number type;
} types[] = {{"char", "int8", BASIN_NUMBER_INT8},
             {"uchar", "uint8", BASIN_NUMBER_UINT8},
             {"short", "int16", BASIN_NUMBER_INT16},
             {"ushort", "uint16", BASIN_NUMBER_UINT16},
             {"int", "int32", BASIN_NUMBER_INT32},
             {"uint", "uint32", BASIN_NUMBER_UINT32},
             {"float", "float32", BASIN_NUMBER_FLOAT32},
             {"double", "float64", BASIN_NUMBER_FLOAT64}};

typedef enum ply_role { OTHER, X, Y, Z, CORNERS, FIRST_END, SECOND_END } ply_role;

typedef struct ply_property {
  basin_number type, count_type;
  bool is_list;
  ply_role role;
} ply_property;

typedef enum ply_kind { VERTEX, FACE, EDGE, UNKNOWN } ply_kind;

typedef struct ply_element {
  ply_kind kind;
  uint64_t count;
  size_t property_count;
  ply_property properties[MAX_PROPERTIES];
} ply_element;

typedef struct ply_state {
  basin_reader *reader;
  bool ascii;
  size_t element_count;
  ply_element elements[MAX_ELEMENTS];
  basin_index_buffer corners;
} ply_state;

/* ---- header ---- */

static basin_status read_type(basin_reader *line, bool whole, basin_number *type)
{
  const basin_word word = basin__reader_peek(line);
  for (size_t t = 0; t < BASIN_COUNT(types); ++t) {
    if (whole && types[t].type >= BASIN_NUMBER_FLOAT32) break;
    if (basin__word_is(word, types[t].name) || basin__word_is(word, types[t].other)) {
      *type = types[t].type;
      basin__reader_word(line);
      return BASIN_OK;
    }
  }
  return basin__reader_expected(
      line, whole ? "an integer type of a list count" : "a type (char ... double)");
}

static ply_role role_of(ply_kind kind, bool is_list, basin_word name)
{
  static const struct {
    ply_kind kind;
    bool is_list;
    const char *name;
    ply_role role;
  } roles[] = {{VERTEX, false, "x", X},
               {VERTEX, false, "y", Y},
               {VERTEX, false, "z", Z},
               {FACE, true, "vertex_indices", CORNERS},
               {FACE, true, "vertex_index", CORNERS},
               {EDGE, false, "vertex1", FIRST_END},
               {EDGE, false, "vertex2", SECOND_END}};
  for (size_t r = 0; r < BASIN_COUNT(roles); ++r)
    if (roles[r].kind == kind && roles[r].is_list == is_list && basin__word_is(name, roles[r].name))
      return roles[r].role;
  return OTHER;
}

static basin_status read_format(ply_state *state, basin_reader *line)
{
  const basin_word word = basin__reader_peek(line);
  const bool little = basin__word_is(word, "binary_little_endian"),
             big = basin__word_is(word, "binary_big_endian");
  state->ascii = basin__word_is(word, "ascii");
  if (!state->ascii && !little && !big)
    return basin__reader_expected(line, "ascii, binary_little_endian or binary_big_endian");
  state->reader->swap = !state->ascii && big != basin__host_is_big_endian();
  return BASIN_OK;
}

static basin_status read_element(ply_state *state, basin_reader *line)
{
  if (state->element_count == MAX_ELEMENTS)
    return BASIN_READER_FAIL(line, "expected at most %d elements", MAX_ELEMENTS);
  ply_element *element = &state->elements[state->element_count++];
  const basin_word name = basin__reader_word(line);
  element->kind = basin__word_is(name, "vertex") ? VERTEX
                  : basin__word_is(name, "face") ? FACE
                  : basin__word_is(name, "edge") ? EDGE
                                                 : UNKNOWN;
  if (basin__word_is(name, "tristrips"))
    return basin__reader_fail(line,
                              BASIN_ERROR_UNSUPPORTED,
                              BASIN_SITE,
                              "triangle strips are not supported; export faces");
  return basin__reader_index(line, "the number of elements", BASIN_MESH_MAX_COUNT, &element->count);
}

static basin_status read_property(ply_state *state, basin_reader *line)
{
  if (state->element_count == 0)
    return BASIN_READER_FAIL(line, "expected an element before its properties");
  ply_element *element = &state->elements[state->element_count - 1];
  if (element->property_count == MAX_PROPERTIES)
    return BASIN_READER_FAIL(line, "expected at most %d properties", MAX_PROPERTIES);
  ply_property property = {0};
  property.is_list = basin__word_is(basin__reader_peek(line), "list");
  if (property.is_list) {
    basin__reader_word(line);
    BASIN_TRY(read_type(line, true, &property.count_type));
  }
  BASIN_TRY(read_type(line, false, &property.type));
  const basin_word name = basin__reader_word(line);
  if (name.length == 0) return basin__reader_expected(line, "the name of a property");
  property.role = role_of(element->kind, property.is_list, name);
  element->properties[element->property_count++] = property;
  return BASIN_OK;
}

static basin_status read_header(ply_state *state)
{
  basin_reader *reader = state->reader;
  basin_word text;
  bool has_format = false;
  if (!basin__reader_line(reader, &text) || !basin__word_is(text, "ply")) {
    reader->cursor = reader->begin;
    return BASIN_READER_FAIL(reader, "expected 'ply' as the first line");
  }
  while (basin__reader_line(reader, &text)) {
    basin_reader line = *reader;
    line.cursor = text.text;
    line.end = text.text + text.length;
    const basin_word word = basin__reader_word(&line);
    if (basin__word_is(word, "end_header")) {
      if (!has_format) return BASIN_READER_FAIL(&line, "expected a 'format' line in the header");
      return BASIN_OK;
    }
    if (basin__word_is(word, "format")) {
      BASIN_TRY(read_format(state, &line));
      has_format = true;
    } else if (basin__word_is(word, "element")) {
      BASIN_TRY(read_element(state, &line));
    } else if (basin__word_is(word, "property")) {
      BASIN_TRY(read_property(state, &line));
    } else if (word.length && !basin__word_is(word, "comment") &&
               !basin__word_is(word, "obj_info")) {
      return BASIN_READER_FAIL(&line, "expected element, property, comment or end_header");
    }
  }
  return BASIN_READER_FAIL(reader, "expected 'end_header', found the end of the file");
}

/* ---- data ---- */

static basin_status read_value(ply_state *state, basin_number type, const char *what, double *value)
{
  if (state->ascii) return basin__reader_real(state->reader, what, value);
  const char *bytes;
  BASIN_TRY(basin__reader_bytes(state->reader, what, basin__number_size(type), &bytes));
  *value = basin__reader_number(state->reader, type, bytes);
  return BASIN_OK;
}

static basin_status check_index(ply_state *state, double value, uint32_t *index)
{
  if (!(value >= 0.0) || value > (double)BASIN_MESH_MAX_COUNT || value != (double)(uint32_t)value)
    return BASIN_READER_FAIL(state->reader, "expected a vertex number, found %g", value);
  *index = (uint32_t)value;
  return BASIN_OK;
}

/* Corners go to state->corners; other lists are passed over. */
static basin_status read_list(ply_state *state, const ply_property *property)
{
  double count, value;
  BASIN_TRY(read_value(state, property->count_type, "the length of a list", &count));
  if (!(count >= 0.0) || count > (double)MAX_LIST || count != (double)(uint32_t)count)
    return BASIN_READER_FAIL(
        state->reader, "expected the length of a list from 0 to %d, found %g", MAX_LIST, count);
  for (uint32_t i = 0; i < (uint32_t)count; ++i) {
    BASIN_TRY(read_value(state, property->type, "a list entry", &value));
    if (property->role != CORNERS) continue;
    uint32_t corner = 0;
    BASIN_TRY(check_index(state, value, &corner));
    BASIN_TRY(basin__index_push(state->reader->context, &state->corners, corner));
  }
  return BASIN_OK;
}

static basin_status read_instance(ply_state *state, const ply_element *element)
{
  basin_reader *reader = state->reader;
  double point[3] = {0.0, 0.0, 0.0}, ends[2] = {0.0, 0.0}, value;
  state->corners.count = 0;
  for (size_t p = 0; p < element->property_count; ++p) {
    const ply_property *property = &element->properties[p];
    if (property->is_list) {
      BASIN_TRY(read_list(state, property));
      continue;
    }
    BASIN_TRY(read_value(state, property->type, "a property value", &value));
    if (property->role >= X && property->role <= Z) point[property->role - X] = value;
    if (property->role == FIRST_END) ends[0] = value;
    if (property->role == SECOND_END) ends[1] = value;
  }
  if (element->kind == VERTEX) return basin__reader_add_point(reader, point);
  if (element->kind == FACE) {
    if (state->corners.count < 3)
      return BASIN_READER_FAIL(
          reader, "expected 3 or more corners of a face, found %zu", state->corners.count);
    return basin__reader_add_polygon(reader, state->corners.data, state->corners.count, NULL);
  }
  if (element->kind == UNKNOWN) return BASIN_OK;
  uint32_t edge[2];
  for (int k = 0; k < 2; ++k) BASIN_TRY(check_index(state, ends[k], &edge[k]));
  return basin__mesh_add_cell(reader->mesh, BASIN_MESH_EDGE, edge);
}

/* Fewest bytes that one instance takes. */
static size_t smallest_size(const ply_state *state, const ply_element *element)
{
  size_t size = 0;
  for (size_t p = 0; p < element->property_count; ++p) {
    const ply_property *property = &element->properties[p];
    size += state->ascii
                ? 2
                : basin__number_size(property->is_list ? property->count_type : property->type);
  }
  return size;
}

static bool has_role(const ply_element *element, ply_role role)
{
  for (size_t p = 0; p < element->property_count; ++p)
    if (element->properties[p].role == role) return true;
  return false;
}

static basin_status check_element(ply_state *state, const ply_element *element)
{
  basin_reader *reader = state->reader;
  if (element->kind == VERTEX && !(has_role(element, X) && has_role(element, Y)))
    return BASIN_READER_FAIL(reader, "expected the vertex properties x and y in the header");
  if (element->kind == FACE && !has_role(element, CORNERS))
    return BASIN_READER_FAIL(reader,
                             "expected the face property list vertex_indices in the header");
  if (element->kind == EDGE && !(has_role(element, FIRST_END) && has_role(element, SECOND_END)))
    return BASIN_READER_FAIL(reader,
                             "expected the edge properties vertex1 and vertex2 in the header");
  if (element->property_count == 0) return BASIN_OK;
  return basin__reader_check_count(
      reader, "elements", element->count, smallest_size(state, element));
}

static basin_status read_elements(ply_state *state)
{
  for (size_t e = 0; e < state->element_count; ++e) {
    const ply_element *element = &state->elements[e];
    BASIN_TRY(check_element(state, element));
    for (uint64_t i = 0; i < element->count && element->property_count > 0; ++i)
      BASIN_TRY(read_instance(state, element));
  }
  return BASIN_OK;
}

basin_status basin__read_ply(basin_reader *reader)
{
  ply_state *state = basin__calloc(reader->context, 1, sizeof *state);
  if (!state) return BASIN_ERROR_MEMORY;
  state->reader = reader;
  basin_status status = read_header(state);
  if (status == BASIN_OK) {
    reader->binary = !state->ascii;
    status = read_elements(state);
  }
  basin__index_fini(reader->context, &state->corners);
  basin__free(reader->context, state, sizeof *state);
  return status;
}
