/* The numbers of a DataArray of a VTK XML file.
 * Format: Kitware, "VTK File Formats" (VTK User's Guide) and "VTK XML Formats": a header number
 * gives the bytes of the data, or, when compressed, the numbers of blocks, bytes a block, bytes of
 * a last partial block, and the compressed size of each block. SPDX-License-Identifier: Apache-2.0
 */
#include "mesh/vtu_array.h"
#include "mesh/deflate.h"
#include <string.h>

static const char *const names[BASIN_NUMBER_COUNT] = {
    "Int8", "UInt8", "Int16", "UInt16", "Int32", "UInt32", "Int64", "UInt64", "Float32", "Float64"};

/* Where the encoded bytes come from: raw or base64. */
typedef struct vtu_source {
  basin_vtu_file *file;
  const char *cursor, *end;
  bool base64;
} vtu_source;

typedef struct byte_buffer {
  char *data;
  size_t size, room;
} byte_buffer;

void basin__vtu_values_fini(basin_context *context, basin_vtu_values *values)
{
  basin__array_free(context, values->data, values->room, sizeof(double));
  *values = (basin_vtu_values){0};
}

static basin_status fail_at(vtu_source *source, const char *message)
{
  source->file->reader->cursor = source->cursor;
  return BASIN_READER_FAIL(source->file->reader, "%s", message);
}

/* ---- bytes ---- */

static int base64_digit(char c)
{
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  return c == '+' ? 62 : c == '/' ? 63 : -1;
}

/* Decodes one group of four characters that stand for `count` (1 to 3) bytes. */
static basin_status decode_group(vtu_source *source, char *out, size_t count)
{
  if (source->end - source->cursor < 4) return fail_at(source, "expected more base64 data");
  uint32_t bits = 0;
  for (size_t k = 0; k < 4; ++k) {
    const int digit = base64_digit(source->cursor[k]);
    if (digit < 0 && !(k > count && source->cursor[k] == '='))
      return fail_at(source, "expected base64 data");
    bits = bits << 6 | (uint32_t)(digit < 0 ? 0 : digit);
  }
  for (size_t k = 0; k < count; ++k) out[k] = (char)(bits >> (16 - 8 * k) & 0xff);
  source->cursor += 4;
  return BASIN_OK;
}

/* Takes `count` bytes; base64 groups end with them, so what was encoded together must be taken
 * together. */
static basin_status take(vtu_source *source, char *out, size_t count)
{
  if (!source->base64) {
    if (count > (size_t)(source->end - source->cursor))
      return fail_at(source, "expected more data before the end of the file");
    if (count) memcpy(out, source->cursor, count);
    source->cursor += count;
    return BASIN_OK;
  }
  while (source->cursor < source->end && strchr(" \t\r\n", *source->cursor) && *source->cursor)
    ++source->cursor;
  for (size_t done = 0; done < count; done += 3)
    BASIN_TRY(decode_group(source, out + done, count - done < 3 ? count - done : 3));
  return BASIN_OK;
}

static size_t available(const vtu_source *source)
{
  const size_t left = (size_t)(source->end - source->cursor);
  return source->base64 ? left / 4 * 3 : left;
}

static basin_status make_room(vtu_source *source, byte_buffer *buffer, size_t size)
{
  return basin__grow(source->file->reader->context, &buffer->data, &buffer->room, size, 1);
}

static uint64_t header_number(const vtu_source *source, const char *bytes, size_t index)
{
  const basin_reader *reader = source->file->reader;
  return source->file->header_size == 8 ? basin__reader_u64(reader, bytes + index * 8)
                                        : basin__reader_u32(reader, bytes + index * 4);
}

/* ---- plain ---- */

/* The header and the data are encoded together. */
static basin_status read_plain(vtu_source *source, byte_buffer *out)
{
  const size_t header = source->file->header_size;
  const char *start = source->cursor;
  char first[8];
  BASIN_TRY(take(source, first, header));
  const uint64_t size = header_number(source, first, 0);
  source->cursor = start;
  if (size > available(source))
    return fail_at(source, "expected more data than there is: the size in the header is too large");
  BASIN_TRY(make_room(source, out, header + (size_t)size));
  BASIN_TRY(take(source, out->data, header + (size_t)size));
  memmove(out->data, out->data + header, (size_t)size);
  out->size = (size_t)size;
  return BASIN_OK;
}

/* ---- compressed ---- */

typedef struct block_list {
  uint64_t count, block, last; /* `last` 0: the last block is whole */
  byte_buffer sizes;           /* header numbers: compressed bytes of each block */
} block_list;

/* The header is encoded alone, all blocks together. */
static basin_status read_block_list(vtu_source *source, block_list *list)
{
  const size_t header = source->file->header_size;
  const char *start = source->cursor;
  char first[8];
  BASIN_TRY(take(source, first, header));
  list->count = header_number(source, first, 0);
  source->cursor = start;
  if (list->count > available(source) / header)
    return fail_at(source, "expected more data than there is: the number of blocks is too large");
  const size_t bytes = (size_t)(list->count + 3) * header;
  BASIN_TRY(make_room(source, &list->sizes, bytes));
  BASIN_TRY(take(source, list->sizes.data, bytes));
  list->block = header_number(source, list->sizes.data, 1);
  list->last = header_number(source, list->sizes.data, 2);
  if (list->count > 0 && (list->block == 0 || list->last > list->block))
    return fail_at(source, "expected a block size in the header of compressed data");
  return BASIN_OK;
}

/* A byte of a zlib stream gives at most 1032 bytes. */
static basin_status
check_total(vtu_source *source, const block_list *list, uint64_t packed, uint64_t *total)
{
  *total = 0;
  if (list->count == 0) return BASIN_OK;
  const uint64_t largest = (uint64_t)1 << 31; /* of both: the product fits */
  if (list->block > largest || list->count > largest)
    return fail_at(source, "expected smaller blocks");
  *total = (list->count - 1) * list->block + (list->last ? list->last : list->block);
  if (*total > packed * 1032 + 64)
    return fail_at(source, "expected smaller blocks: so few bytes cannot hold them");
  return BASIN_OK;
}

static basin_status
inflate_blocks(vtu_source *source, const block_list *list, const char *packed, byte_buffer *out)
{
  size_t from = 0, to = 0;
  for (uint64_t b = 0; b < list->count; ++b) {
    const size_t in = (size_t)header_number(source, list->sizes.data, 3 + (size_t)b);
    const size_t size = (size_t)(b + 1 == list->count && list->last ? list->last : list->block);
    bool complete;
    BASIN_TRY(basin__inflate(
        source->file->reader->context, packed + from, in, out->data + to, size, &complete));
    if (!complete)
      return fail_at(source, "expected a zlib stream of the announced size; the data is damaged");
    from += in;
    to += size;
  }
  out->size = to;
  return BASIN_OK;
}

static basin_status
read_packed(vtu_source *source, block_list *list, byte_buffer *packed, byte_buffer *out)
{
  BASIN_TRY(read_block_list(source, list));
  uint64_t size = 0, total;
  for (uint64_t b = 0; b < list->count; ++b) {
    const uint64_t block = header_number(source, list->sizes.data, 3 + (size_t)b);
    if (block > available(source) - size)
      return fail_at(source,
                     "expected more data than there is: the compressed sizes are too large");
    size += block;
  }
  BASIN_TRY(check_total(source, list, size, &total));
  BASIN_TRY(make_room(source, packed, (size_t)size));
  BASIN_TRY(take(source, packed->data, (size_t)size));
  BASIN_TRY(make_room(source, out, (size_t)total));
  return inflate_blocks(source, list, packed->data, out);
}

static basin_status read_compressed(vtu_source *source, byte_buffer *out)
{
  basin_context *context = source->file->reader->context;
  block_list list = {0};
  byte_buffer packed = {0};
  const basin_status status = read_packed(source, &list, &packed, out);
  basin__array_free(context, list.sizes.data, list.sizes.room, 1);
  basin__array_free(context, packed.data, packed.room, 1);
  return status;
}

/* ---- numbers ---- */

static basin_status push(basin_context *context, basin_vtu_values *values, double value)
{
  BASIN_TRY(basin__grow(context, &values->data, &values->room, values->count + 1, sizeof(double)));
  values->data[values->count++] = value;
  return BASIN_OK;
}

static basin_status read_text(basin_reader *reader, basin_vtu_values *values)
{
  const char *stop = memchr(reader->cursor, '<', (size_t)(reader->end - reader->cursor));
  basin_reader text = *reader;
  if (stop) text.end = stop;
  while (basin__reader_peek(&text).length > 0) {
    double value;
    BASIN_TRY(basin__reader_real(&text, "a number", &value));
    BASIN_TRY(push(reader->context, values, value));
  }
  reader->cursor = text.cursor;
  return BASIN_OK;
}

/* The bytes of an array in the appended data, at the offset its tag gives. */
static basin_status
find_appended(basin_vtu_file *file, const basin_xml_tag *tag, vtu_source *source)
{
  basin_reader *reader = file->reader;
  basin_word text;
  uint64_t offset;
  if (!file->appended)
    return BASIN_READER_FAIL(reader, "expected <AppendedData> in the file for an appended array");
  if (!basin__xml_attribute(tag, "offset", &text))
    return BASIN_READER_FAIL(reader, "expected the offset of an appended array");
  basin_reader number = *reader;
  number.cursor = text.text;
  number.end = text.text + text.length;
  BASIN_TRY(
      basin__reader_index(&number, "an offset", (uint64_t)(reader->end - file->appended), &offset));
  *source = (vtu_source){file, file->appended + offset, reader->end, file->appended_base64};
  return BASIN_OK;
}

static basin_status read_binary(basin_vtu_file *file,
                                const basin_xml_tag *tag,
                                bool appended,
                                basin_number type,
                                basin_vtu_values *values)
{
  basin_reader *reader = file->reader;
  const char *after = reader->cursor;
  vtu_source source = {file, reader->cursor, reader->end, true};
  if (appended) BASIN_TRY(find_appended(file, tag, &source));
  const char *start = source.cursor;
  byte_buffer bytes = {0};
  basin_status status =
      file->compressed ? read_compressed(&source, &bytes) : read_plain(&source, &bytes);
  if (status == BASIN_OK) file->taken += (size_t)(source.cursor - start);
  if (status == BASIN_OK && file->taken > (size_t)(reader->end - reader->begin))
    status = BASIN_READER_FAIL(reader,
                               "expected arrays with data of their own, found arrays that overlap");
  if (status == BASIN_OK && bytes.size % basin__number_size(type) != 0)
    status = BASIN_READER_FAIL(reader,
                               "expected a multiple of %zu bytes, found %zu",
                               basin__number_size(type),
                               bytes.size);
  for (size_t i = 0; i < bytes.size && status == BASIN_OK; i += basin__number_size(type))
    status = push(reader->context, values, basin__reader_number(reader, type, bytes.data + i));
  basin__array_free(reader->context, bytes.data, bytes.room, 1);
  if (status == BASIN_OK) reader->cursor = after;
  return status;
}

basin_status
basin__vtu_array(basin_vtu_file *file, const basin_xml_tag *tag, basin_vtu_values *values)
{
  basin_reader *reader = file->reader;
  basin_word text;
  values->count = 0;
  if (!basin__xml_attribute(tag, "type", &text))
    return BASIN_READER_FAIL(reader, "expected the type of a DataArray");
  basin_number type = BASIN_NUMBER_INT8;
  while (type < BASIN_NUMBER_COUNT && !basin__word_is(text, names[type])) ++type;
  if (type == BASIN_NUMBER_COUNT)
    return BASIN_READER_FAIL(reader,
                             "expected a type (Int8 ... UInt64, Float32, Float64) of a DataArray");
  if (!basin__xml_attribute(tag, "format", &text) || basin__word_is(text, "ascii"))
    return tag->empty ? BASIN_OK : read_text(reader, values);
  if (basin__word_is(text, "binary")) return read_binary(file, tag, false, type, values);
  if (basin__word_is(text, "appended")) return read_binary(file, tag, true, type, values);
  return BASIN_READER_FAIL(reader, "expected the format ascii, binary or appended of a DataArray");
}
