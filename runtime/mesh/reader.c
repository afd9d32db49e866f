/* The cursor of the mesh readers: positions in messages, words, numbers, bounded counts.
 * SPDX-License-Identifier: Apache-2.0 */
#include "mesh/reader.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

basin_status basin__reader_fail(
    basin_reader *reader, basin_status status, const char *site, const char *format, ...)
{
  char message[400];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  if (reader->binary)
    return basin__fail(reader->context,
                       status,
                       site,
                       "%s: byte %zu: %s",
                       reader->name,
                       (size_t)(reader->cursor - reader->begin),
                       message);
  size_t line = 1;
  for (const char *c = reader->begin; c < reader->cursor; ++c) line += *c == '\n';
  return basin__fail(reader->context, status, site, "%s:%zu: %s", reader->name, line, message);
}

/* A word for a message: at most 30 characters, odd ones as '?'. */
static void printable(basin_word word, char text[40])
{
  const size_t length = word.length < 30 ? word.length : 30;
  for (size_t i = 0; i < length; ++i)
    text[i] = word.text[i] >= 32 && word.text[i] < 127 ? word.text[i] : '?';
  if (word.length > 30)
    memcpy(text + length, "...", 4);
  else
    text[length] = '\0';
}

basin_status basin__reader_expected(basin_reader *reader, const char *what)
{
  const basin_word word = basin__reader_peek(reader);
  if (word.length == 0)
    return BASIN_READER_FAIL(reader, "expected %s, found the end of the file", what);
  char text[40];
  printable(word, text);
  return BASIN_READER_FAIL(reader, "expected %s, found '%s'", what, text);
}

/* ---- text ---- */

static bool is_space(char c)
{
  return c == ' ' || (c >= '\t' && c <= '\r');
}

bool basin__reader_line(basin_reader *reader, basin_word *line)
{
  if (reader->cursor == reader->end) return false;
  const size_t left = (size_t)(reader->end - reader->cursor);
  const char *stop = memchr(reader->cursor, '\n', left);
  *line = (basin_word){reader->cursor, stop ? (size_t)(stop - reader->cursor) : left};
  reader->cursor += line->length + (stop ? 1 : 0);
  while (line->length > 0 && line->text[line->length - 1] == '\r') --line->length;
  return true;
}

void basin__reader_skip(basin_reader *reader, char comment)
{
  while (reader->cursor < reader->end) {
    const char c = *reader->cursor;
    if (comment && c == comment) {
      while (reader->cursor < reader->end && *reader->cursor != '\n') ++reader->cursor;
      continue;
    }
    if (!is_space(c)) return;
    ++reader->cursor;
  }
}

basin_word basin__reader_peek(basin_reader *reader)
{
  basin__reader_skip(reader, 0);
  const char *stop = reader->cursor;
  while (stop < reader->end && !is_space(*stop)) ++stop;
  return (basin_word){reader->cursor, (size_t)(stop - reader->cursor)};
}

basin_word basin__reader_word(basin_reader *reader)
{
  const basin_word word = basin__reader_peek(reader);
  reader->cursor += word.length;
  return word;
}

bool basin__word_is(basin_word word, const char *text)
{
  return word.length == strlen(text) && memcmp(word.text, text, word.length) == 0;
}

bool basin__word_starts(basin_word word, const char *text)
{
  const size_t length = strlen(text);
  return word.length >= length && memcmp(word.text, text, length) == 0;
}

basin_status basin__reader_real(basin_reader *reader, const char *what, double *value)
{
  const basin_word word = basin__reader_peek(reader);
  const char *after = word.text;
  if (word.length == 0 || !basin__parse_double(&after, word.text + word.length, value) ||
      after != word.text + word.length)
    return basin__reader_expected(reader, what);
  reader->cursor = after;
  return BASIN_OK;
}

basin_status basin__reader_integer(basin_reader *reader, const char *what, int64_t *value)
{
  const basin_word word = basin__reader_peek(reader);
  const bool negative = word.length > 0 && word.text[0] == '-';
  size_t i = word.length > 0 && (negative || word.text[0] == '+') ? 1 : 0;
  uint64_t magnitude = 0;
  if (i == word.length) return basin__reader_expected(reader, what);
  for (; i < word.length; ++i) {
    const char c = word.text[i];
    if (c < '0' || c > '9' || magnitude > (uint64_t)INT64_MAX / 10 - 1)
      return basin__reader_expected(reader, what);
    magnitude = magnitude * 10 + (uint64_t)(c - '0');
  }
  *value = negative ? -(int64_t)magnitude : (int64_t)magnitude;
  reader->cursor += word.length;
  return BASIN_OK;
}

basin_status
basin__reader_index(basin_reader *reader, const char *what, uint64_t largest, uint64_t *value)
{
  int64_t number = 0;
  const char *start = basin__reader_peek(reader).text;
  BASIN_TRY(basin__reader_integer(reader, what, &number));
  if (number >= 0 && (uint64_t)number <= largest) {
    *value = (uint64_t)number;
    return BASIN_OK;
  }
  reader->cursor = start;
  return BASIN_READER_FAIL(reader,
                           "expected %s from 0 to %llu, found %lld",
                           what,
                           (unsigned long long)largest,
                           (long long)number);
}

basin_status
basin__reader_check_count(basin_reader *reader, const char *what, uint64_t count, size_t bytes)
{
  const size_t left = (size_t)(reader->end - reader->cursor);
  if (count <= left / bytes + 1 && count <= BASIN_MESH_MAX_COUNT) return BASIN_OK;
  return BASIN_READER_FAIL(reader,
                           "%llu %s announced, but only %zu bytes follow",
                           (unsigned long long)count,
                           what,
                           left);
}

basin_status
basin__reader_count(basin_reader *reader, const char *what, size_t bytes, size_t *count)
{
  uint64_t number = 0;
  char expected[80];
  snprintf(expected, sizeof expected, "the number of %s", what);
  BASIN_TRY(basin__reader_index(reader, expected, (uint64_t)INT64_MAX, &number));
  BASIN_TRY(basin__reader_check_count(reader, what, number, bytes));
  *count = (size_t)number;
  return BASIN_OK;
}

/* ---- binary ---- */

basin_status
basin__reader_bytes(basin_reader *reader, const char *what, size_t count, const char **bytes)
{
  const size_t left = (size_t)(reader->end - reader->cursor);
  if (count > left)
    return BASIN_READER_FAIL(reader,
                             "expected %zu bytes of %s, found %zu before the end of the file",
                             count,
                             what,
                             left);
  *bytes = reader->cursor;
  reader->cursor += count;
  return BASIN_OK;
}

bool basin__host_is_big_endian(void)
{
  const uint16_t one = 1;
  unsigned char first;
  memcpy(&first, &one, 1);
  return first == 0;
}

uint32_t basin__reader_u32(const basin_reader *reader, const char *bytes)
{
  uint32_t value;
  memcpy(&value, bytes, sizeof value);
  if (!reader->swap) return value;
  return value >> 24 | (value >> 8 & 0xff00u) | (value << 8 & 0xff0000u) | value << 24;
}

uint64_t basin__reader_u64(const basin_reader *reader, const char *bytes)
{
  const uint64_t first = basin__reader_u32(reader, bytes),
                 second = basin__reader_u32(reader, bytes + 4);
  const bool first_is_high = basin__host_is_big_endian() != reader->swap;
  return first_is_high ? first << 32 | second : second << 32 | first;
}

double basin__reader_f32(const basin_reader *reader, const char *bytes)
{
  const uint32_t bits = basin__reader_u32(reader, bytes);
  float value;
  memcpy(&value, &bits, sizeof value);
  return (double)value;
}

double basin__reader_f64(const basin_reader *reader, const char *bytes)
{
  const uint64_t bits = basin__reader_u64(reader, bytes);
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

size_t basin__number_size(basin_number type)
{
  static const size_t sizes[BASIN_NUMBER_COUNT] = {1, 1, 2, 2, 4, 4, 8, 8, 4, 8};
  return sizes[type];
}

double basin__reader_number(const basin_reader *reader, basin_number type, const char *bytes)
{
  const unsigned char *u = (const unsigned char *)bytes;
  const bool big = basin__host_is_big_endian() != reader->swap;
  const int second = basin__number_size(type) > 1 ? u[1] : 0;
  const uint16_t pair = (uint16_t)(big ? u[0] << 8 | second : second << 8 | u[0]);
  switch (type) {
  case BASIN_NUMBER_INT8:
    return (double)(int8_t)u[0];
  case BASIN_NUMBER_UINT8:
    return (double)u[0];
  case BASIN_NUMBER_INT16:
    return (double)(int16_t)pair;
  case BASIN_NUMBER_UINT16:
    return (double)pair;
  case BASIN_NUMBER_INT32:
    return (double)(int32_t)basin__reader_u32(reader, bytes);
  case BASIN_NUMBER_UINT32:
    return (double)basin__reader_u32(reader, bytes);
  case BASIN_NUMBER_INT64:
    return (double)(int64_t)basin__reader_u64(reader, bytes);
  case BASIN_NUMBER_UINT64:
    return (double)basin__reader_u64(reader, bytes);
  case BASIN_NUMBER_FLOAT32:
    return basin__reader_f32(reader, bytes);
  default:
    return basin__reader_f64(reader, bytes);
  }
}

/* ---- meshes ---- */

basin_status basin__reader_add_point(basin_reader *reader, const double point[3])
{
  for (int i = 0; i < 3; ++i)
    if (!isfinite(point[i]))
      return basin__reader_fail(reader,
                                BASIN_ERROR_NOT_FINITE,
                                BASIN_SITE,
                                "coordinate %c of vertex %zu is %g",
                                "xyz"[i],
                                reader -> mesh -> point_count,
                                point[i]);
  return basin__mesh_add_point(reader->mesh, point);
}

static basin_status
add_face(basin_reader *reader, basin_mesh_kind kind, const uint32_t *corners, const char *group)
{
  const size_t index = basin_mesh_count(reader->mesh, kind);
  BASIN_TRY(basin__mesh_add_cell(reader->mesh, kind, corners));
  return group ? basin__mesh_group_push(reader->mesh, kind, group, (uint32_t)index) : BASIN_OK;
}

basin_status basin__reader_add_polygon(basin_reader *reader,
                                       const uint32_t *corners,
                                       size_t count,
                                       const char *group)
{
  if (count == 4 && reader->keep_quads) return add_face(reader, BASIN_MESH_QUAD, corners, group);
  for (size_t k = 1; k + 1 < count; ++k)
    BASIN_TRY(add_face(reader,
                       BASIN_MESH_TRIANGLE,
                       (const uint32_t[3]){corners[0], corners[k], corners[k + 1]},
                       group));
  return BASIN_OK;
}
