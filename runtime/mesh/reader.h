/* What the mesh readers share: a cursor over bytes that may be hostile, messages with positions,
 * checked numbers. SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_MESH_READER_H
#define BASIN_MESH_READER_H

#include "mesh/mesh.h"

typedef struct basin_reader {
  basin_context *context;
  const char *name; /* the file, for messages */
  const char *begin, *cursor, *end;
  bool binary; /* messages give the byte instead of the line */
  bool swap;   /* binary numbers are in the other byte order than this machine's */
  bool keep_quads;
  basin_mesh *mesh; /* receives the result */
} basin_reader;

/* A piece of the file; not terminated. */
typedef struct basin_word {
  const char *text;
  size_t length;
} basin_word;

/* ERROR_FORMAT with "FILE:LINE: " or "FILE: byte N: " of the cursor in front. */
#define BASIN_READER_FAIL(reader, ...) \
  basin__reader_fail((reader), BASIN_ERROR_FORMAT, BASIN_SITE, __VA_ARGS__)
basin_status basin__reader_fail(basin_reader *reader,
                                basin_status status,
                                const char *site,
                                const char *format,
                                ...) BASIN_PRINTF(4, 5);
/* "expected WHAT, found 'WORD'" or "... found the end of the file" at the cursor. */
basin_status basin__reader_expected(basin_reader *reader, const char *what);

/* ---- text ---- */

/* Takes one line without its end (\n, \r\n); false at the end of the file. To read inside it, give
 * a copy of the reader the line's bounds. */
bool basin__reader_line(basin_reader *reader, basin_word *line);
/* Skips white space and, where `comment` is not 0, from that character to the end of the line;
 * crosses lines. */
void basin__reader_skip(basin_reader *reader, char comment);
/* The next run of non-space characters, crossing lines; length 0 at the end of the file. `peek`
 * leaves the cursor in front of it. */
basin_word basin__reader_word(basin_reader *reader);
basin_word basin__reader_peek(basin_reader *reader);
bool basin__word_is(basin_word word, const char *text);
bool basin__word_starts(basin_word word, const char *text);
/* Numbers as whole words; `what` says what was expected. An index is a whole number from 0 to
 * `largest`. */
basin_status basin__reader_real(basin_reader *reader, const char *what, double *value);
basin_status basin__reader_integer(basin_reader *reader, const char *what, int64_t *value);
basin_status
basin__reader_index(basin_reader *reader, const char *what, uint64_t largest, uint64_t *value);
/* A count of things that take at least `bytes` bytes each of what is left. */
basin_status
basin__reader_count(basin_reader *reader, const char *what, size_t bytes, size_t *count);
basin_status
basin__reader_check_count(basin_reader *reader, const char *what, uint64_t count, size_t bytes);

/* ---- binary ---- */

/* Takes `count` bytes; fails at the end of the file naming what was being read. */
basin_status
basin__reader_bytes(basin_reader *reader, const char *what, size_t count, const char **bytes);
/* Value of an unaligned number at `bytes`, in the reader's byte order. */
uint32_t basin__reader_u32(const basin_reader *reader, const char *bytes);
uint64_t basin__reader_u64(const basin_reader *reader, const char *bytes);
double basin__reader_f32(const basin_reader *reader, const char *bytes);
double basin__reader_f64(const basin_reader *reader, const char *bytes);

/* The kinds of numbers that binary files are made of; whole numbers come first. */
typedef enum basin_number {
  BASIN_NUMBER_INT8,
  BASIN_NUMBER_UINT8,
  BASIN_NUMBER_INT16,
  BASIN_NUMBER_UINT16,
  BASIN_NUMBER_INT32,
  BASIN_NUMBER_UINT32,
  BASIN_NUMBER_INT64,
  BASIN_NUMBER_UINT64,
  BASIN_NUMBER_FLOAT32,
  BASIN_NUMBER_FLOAT64,
  BASIN_NUMBER_COUNT
} basin_number;
size_t basin__number_size(basin_number type); /* bytes */
/* Value of an unaligned number of that kind, in the reader's byte order. */
double basin__reader_number(const basin_reader *reader, basin_number type, const char *bytes);
bool basin__host_is_big_endian(void);

/* ---- meshes ---- */

/* Adds a point after checking that it is finite: the message names the vertex. */
basin_status basin__reader_add_point(basin_reader *reader, const double point[3]);
/* Adds a polygon of `count` >= 3 corners: a triangle, a quad if those are kept, else a fan. */
basin_status basin__reader_add_polygon(basin_reader *reader,
                                       const uint32_t *corners,
                                       size_t count,
                                       const char *group);

/* One format a file. Each fills reader->mesh; the caller checks corners against the points
 * afterwards. */
basin_status basin__read_obj(basin_reader *reader);
basin_status basin__read_ply(basin_reader *reader);
basin_status basin__read_stl(basin_reader *reader);
basin_status basin__read_msh(basin_reader *reader);
basin_status basin__read_medit(basin_reader *reader);
basin_status basin__read_vtk(basin_reader *reader);
basin_status basin__read_vtu(basin_reader *reader);

#endif
