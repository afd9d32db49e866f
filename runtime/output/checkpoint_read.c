/* Reading a checkpoint: the members of a ZIP archive by its central directory, each a .npy file.
 * The file may be hostile. SPDX-License-Identifier: Apache-2.0 */
#include "output/checkpoint.h"
#include "output/little_endian.h"
#include <zlib.h>

typedef struct archive {
  basin_context *context;
  const char *path; /* for messages */
  const unsigned char *data;
  size_t size;
  basin_checkpoint *checkpoint;
} archive;

/* A member: its name without ".npy", and its bytes. */
typedef struct member {
  char name[BASIN_CHECKPOINT_MAX_NAME + 1];
  const unsigned char *data;
  size_t size;
} member;

#define FAIL(from, ...) BASIN_FAIL((from)->context, BASIN_ERROR_FORMAT, __VA_ARGS__)

/* ---- the archive ---- */

/* The end record: the last 22 bytes, or before a comment. */
static const unsigned char *find_end(const archive *from)
{
  for (size_t back = BASIN_ZIP_END_SIZE; back <= from->size && back <= BASIN_ZIP_END_SIZE + 65535;
       ++back) {
    const unsigned char *end = from->data + from->size - back;
    if (basin__get_little(end, 4) == BASIN_ZIP_END &&
        basin__get_little(end + 20, 2) == back - BASIN_ZIP_END_SIZE)
      return end;
  }
  return NULL;
}

static basin_status
read_name(const archive *from, const unsigned char *text, size_t length, member *out)
{
  if (length < 5 || length - 4 > BASIN_CHECKPOINT_MAX_NAME ||
      memcmp(text + length - 4, ".npy", 4) != 0 || memchr(text, 0, length))
    return FAIL(from, "%s: expected members named NAME.npy in the archive", from->path);
  memcpy(out->name, text, length - 4);
  out->name[length - 4] = '\0';
  return BASIN_OK;
}

/* Checks the local header of a member and its checksum. */
static basin_status
find_data(const archive *from, size_t offset, size_t size, uint32_t sum, member *out)
{
  if (offset > from->size || from->size - offset < BASIN_ZIP_LOCAL_SIZE ||
      basin__get_little(from->data + offset, 4) != BASIN_ZIP_LOCAL)
    return FAIL(from, "%s: byte %zu: expected the header of '%s'", from->path, offset, out->name);
  const size_t skip = BASIN_ZIP_LOCAL_SIZE +
                      (size_t)basin__get_little(from->data + offset + 26, 2) +
                      (size_t)basin__get_little(from->data + offset + 28, 2);
  if (skip > from->size - offset || size > from->size - offset - skip)
    return FAIL(from,
                "%s: byte %zu: expected %zu bytes of '%s' before the end of the file",
                from->path,
                offset,
                size,
                out->name);
  out->data = from->data + offset + skip;
  out->size = size;
  uLong actual = crc32(0, NULL, 0);
  for (size_t done = 0; done < size;) {
    const size_t part = size - done < 1u << 30 ? size - done : 1u << 30;
    actual = crc32(actual, out->data + done, (uInt)part);
    done += part;
  }
  if ((uint32_t)actual != sum)
    return FAIL(
        from, "%s: the checksum of '%s' is wrong: the file is damaged", from->path, out->name);
  return BASIN_OK;
}

/* Takes the entry of the central directory at *offset, which then moves behind it. */
static basin_status read_entry(const archive *from, size_t *offset, member *out)
{
  const unsigned char *entry = from->data + *offset;
  if (*offset > from->size || from->size - *offset < BASIN_ZIP_CENTRAL_SIZE ||
      basin__get_little(entry, 4) != BASIN_ZIP_CENTRAL)
    return FAIL(from, "%s: byte %zu: expected an entry of the directory", from->path, *offset);
  const size_t name = (size_t)basin__get_little(entry + 28, 2);
  const size_t whole = BASIN_ZIP_CENTRAL_SIZE + name + (size_t)basin__get_little(entry + 30, 2) +
                       (size_t)basin__get_little(entry + 32, 2);
  if (whole > from->size - *offset)
    return FAIL(from, "%s: byte %zu: expected a whole entry of the directory", from->path, *offset);
  BASIN_TRY(read_name(from, entry + BASIN_ZIP_CENTRAL_SIZE, name, out));
  if (basin__get_little(entry + 8, 2) & 1)
    return BASIN_FAIL(
        from->context, BASIN_ERROR_UNSUPPORTED, "%s: '%s' is encrypted", from->path, out->name);
  if (basin__get_little(entry + 10, 2) != 0)
    return BASIN_FAIL(
        from->context,
        BASIN_ERROR_UNSUPPORTED,
        "%s: '%s' is compressed; save it with numpy.savez, not numpy.savez_compressed",
        from->path,
        out->name);
  const uint64_t size = basin__get_little(entry + 24, 4), place = basin__get_little(entry + 42, 4);
  if (size == UINT32_MAX || place == UINT32_MAX)
    return BASIN_FAIL(from->context,
                      BASIN_ERROR_UNSUPPORTED,
                      "%s: '%s' is larger than 4 GiB",
                      from->path,
                      out->name);
  *offset += whole;
  return find_data(
      from, (size_t)place, (size_t)size, (uint32_t)basin__get_little(entry + 16, 4), out);
}

/* ---- .npy ---- */

typedef struct npy_type {
  const char *description;
  size_t size;
  char kind; /* f, i, u, b */
  basin_checkpoint_type becomes;
} npy_type;

static const npy_type npy_types[] = {
    {"<f8", 8, 'f', BASIN_CHECKPOINT_DOUBLE},
    {"<f4", 4, 'f', BASIN_CHECKPOINT_DOUBLE},
    {"<i8", 8, 'i', BASIN_CHECKPOINT_INT64},
    {"<i4", 4, 'i', BASIN_CHECKPOINT_INT64},
    {"<i2", 2, 'i', BASIN_CHECKPOINT_INT64},
    {"|i1", 1, 'i', BASIN_CHECKPOINT_INT64},
    {"<u8", 8, 'u', BASIN_CHECKPOINT_INT64},
    {"<u4", 4, 'u', BASIN_CHECKPOINT_INT64},
    {"<u2", 2, 'u', BASIN_CHECKPOINT_INT64},
    {"|u1", 1, 'u', BASIN_CHECKPOINT_UINT8},
    {"|b1", 1, 'b', BASIN_CHECKPOINT_UINT8},
};

typedef struct npy_header {
  const npy_type *type;
  bool fortran;
  unsigned dims;
  size_t shape[BASIN_CHECKPOINT_MAX_DIMS];
} npy_header;

/* A cursor in the dictionary of the header. */
typedef struct npy_text {
  const char *cursor, *end;
} npy_text;

static bool take(npy_text *text, char c)
{
  while (text->cursor < text->end && strchr(" \n", *text->cursor) && *text->cursor) ++text->cursor;
  if (text->cursor == text->end || *text->cursor != c) return false;
  ++text->cursor;
  return true;
}

static bool take_string(npy_text *text, char value[24])
{
  if (!take(text, '\'')) return false;
  size_t length = 0;
  while (text->cursor < text->end && *text->cursor != '\'' && length < 23)
    value[length++] = *text->cursor++;
  value[length] = '\0';
  return take(text, '\'');
}

static bool take_shape(npy_text *text, npy_header *header)
{
  if (!take(text, '(')) return false;
  while (!take(text, ')')) {
    if (header->dims == BASIN_CHECKPOINT_MAX_DIMS || text->cursor == text->end) return false;
    size_t value = 0;
    const char *start = text->cursor;
    for (; text->cursor < text->end && *text->cursor >= '0' && *text->cursor <= '9';
         ++text->cursor) {
      if (value > SIZE_MAX / 16) return false;
      value = value * 10 + (size_t)(*text->cursor - '0');
    }
    if (text->cursor == start) return false;
    header->shape[header->dims++] = value;
    if (!take(text, ',')) return take(text, ')');
  }
  return true;
}

static bool take_word(npy_text *text, const char *word)
{
  const size_t length = strlen(word);
  if (!take(text, word[0]) || (size_t)(text->end - text->cursor) < length - 1 ||
      memcmp(text->cursor, word + 1, length - 1) != 0)
    return false;
  text->cursor += length - 1;
  return true;
}

static bool take_flag(npy_text *text, bool *flag)
{
  const npy_text before = *text;
  *flag = take_word(text, "True");
  if (*flag) return true;
  *text = before;
  return take_word(text, "False");
}

/* "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }" with the keys in any order;
 * description receives the type as it stands. */
static bool parse_dictionary(npy_text text, npy_header *header, char description[24])
{
  int seen = 0;
  if (!take(&text, '{')) return false;
  while (!take(&text, '}')) {
    char key[24];
    if (!take_string(&text, key) || !take(&text, ':')) return false;
    if (strcmp(key, "descr") == 0 && !(seen & 1)) {
      if (!take_string(&text, description)) return false;
      seen |= 1;
    } else if (strcmp(key, "fortran_order") == 0 && !(seen & 2)) {
      if (!take_flag(&text, &header->fortran)) return false;
      seen |= 2;
    } else if (strcmp(key, "shape") == 0 && !(seen & 4)) {
      if (!take_shape(&text, header)) return false;
      seen |= 4;
    } else {
      return false;
    }
    take(&text, ',');
  }
  return seen == 7;
}

/* Parses the header; *offset is where the data begins. */
static basin_status
read_header(const archive *from, const member *in, npy_header *header, size_t *offset)
{
  if (in->size < 12 || memcmp(in->data, "\x93NUMPY", 6) != 0)
    return FAIL(from, "%s: expected '%s' to be an array in .npy format", from->path, in->name);
  const bool wide = in->data[6] > 1;
  const size_t length = (size_t)basin__get_little(in->data + 8, wide ? 4 : 2);
  *offset = (wide ? 12u : 10u) + length;
  if (in->data[6] < 1 || in->data[6] > 3 || length > in->size - (wide ? 12 : 10))
    return FAIL(from, "%s: expected the header of '%s'", from->path, in->name);
  const char *text = (const char *)in->data + (wide ? 12 : 10);
  char description[24] = "";
  if (!parse_dictionary((npy_text){text, text + length}, header, description))
    return FAIL(from,
                "%s: expected a header with a simple descr, fortran_order and a shape of up to %d "
                "numbers in '%s'",
                from->path,
                BASIN_CHECKPOINT_MAX_DIMS,
                in->name);
  for (size_t t = 0; t < BASIN_COUNT(npy_types); ++t)
    if (strcmp(npy_types[t].description, description) == 0) header->type = &npy_types[t];
  if (!header->type)
    return BASIN_FAIL(from->context,
                      BASIN_ERROR_UNSUPPORTED,
                      "%s: numbers of the kind '%s' in '%s' are not supported",
                      from->path,
                      description,
                      in->name);
  if (header->fortran && header->dims > 1)
    return BASIN_FAIL(from->context,
                      BASIN_ERROR_UNSUPPORTED,
                      "%s: '%s' is in Fortran order; save numpy.ascontiguousarray of it",
                      from->path,
                      in->name);
  return BASIN_OK;
}

/* One number, widened; false if it does not fit. */
static bool convert(const npy_type *type, const unsigned char *bytes, void *place)
{
  uint64_t bits = basin__get_little(bytes, type->size);
  if (type->kind == 'f' && type->size == 4) {
    const uint32_t half = (uint32_t)bits;
    float value;
    memcpy(&value, &half, sizeof value);
    const double wide = (double)value;
    memcpy(place, &wide, sizeof wide);
    return true;
  }
  if (type->kind == 'u' && type->size == 8 && bits > INT64_MAX) return false;
  if (type->kind == 'i' && type->size < 8 && bits >> (8 * type->size - 1))
    bits |= UINT64_MAX << (8 * type->size);
  memcpy(place, &bits, sizeof bits);
  return true;
}

static basin_status read_array(const archive *from, const member *in)
{
  npy_header header = {0};
  size_t offset, count;
  void *place;
  BASIN_TRY(read_header(from, in, &header, &offset));
  if (!basin__shape_count(header.dims, header.shape, &count) ||
      count > (in->size - offset) / header.type->size ||
      count * header.type->size != in->size - offset)
    return FAIL(from,
                "%s: '%s' holds %zu bytes of data, which do not fit its shape",
                from->path,
                in->name,
                in->size - offset);
  BASIN_TRY(basin__checkpoint_reserve(
      from->checkpoint, in->name, header.type->becomes, header.dims, header.shape, &place));
  const unsigned char *bytes = in->data + offset;
  if (header.type->becomes == BASIN_CHECKPOINT_UINT8) {
    if (count) memcpy(place, bytes, count);
    return BASIN_OK;
  }
  for (size_t i = 0; i < count; ++i)
    if (!convert(header.type, bytes + i * header.type->size, (char *)place + 8 * i))
      return BASIN_FAIL(from->context,
                        BASIN_ERROR_RANGE,
                        "%s: number %zu of '%s' does not fit into 64 bits with sign",
                        from->path,
                        i,
                        in->name);
  return BASIN_OK;
}

/* ---- all of it ---- */

static basin_status read_archive(archive *from)
{
  const unsigned char *end = find_end(from);
  if (!end) return FAIL(from, "%s: expected a .npz archive; its end is missing", from->path);
  const size_t count = (size_t)basin__get_little(end + 10, 2);
  size_t offset = (size_t)basin__get_little(end + 16, 4), taken = 0;
  for (size_t e = 0; e < count; ++e) {
    member m;
    BASIN_TRY(read_entry(from, &offset, &m));
    taken += m.size;
    if (taken > from->size)
      return FAIL(from, "%s: the arrays overlap: the file is damaged", from->path);
    BASIN_TRY(read_array(from, &m));
  }
  return BASIN_OK;
}

basin_status basin_checkpoint_read_memory(basin_context *context,
                                          const char *name,
                                          const void *data,
                                          size_t size,
                                          basin_checkpoint **checkpoint)
{
  *checkpoint = NULL;
  archive from = {.context = context, .path = name, .data = data, .size = size};
  BASIN_TRY(basin_checkpoint_create(context, &from.checkpoint));
  const basin_status status = read_archive(&from);
  if (status == BASIN_OK)
    *checkpoint = from.checkpoint;
  else
    basin_checkpoint_destroy(from.checkpoint);
  return status;
}

basin_status
basin_checkpoint_read(basin_context *context, const char *path, basin_checkpoint **checkpoint)
{
  *checkpoint = NULL;
  char *data;
  size_t size;
  BASIN_TRY(basin__read_file(context, path, &data, &size));
  const basin_status status = basin_checkpoint_read_memory(context, path, data, size, checkpoint);
  basin__free(context, data, size + 1);
  return status;
}
