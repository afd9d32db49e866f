/* PNG: 8-bit RGB, no filter choice beyond "sub", one zlib stream.
 * Format: W3C, "Portable Network Graphics (PNG) Specification", second edition.
 * SPDX-License-Identifier: Apache-2.0 */
#include "mesh/deflate.h"
#include "output/picture.h"
#include "output/writers.h"
#include <zlib.h>

static void put_big(basin_strbuf *out, uint32_t value)
{
  const char bytes[4] = {(char)(value >> 24),
                         (char)(value >> 16 & 0xff),
                         (char)(value >> 8 & 0xff),
                         (char)(value & 0xff)};
  basin__strbuf_append(out, bytes, 4);
}

/* Length, type, data, checksum of type and data. */
static void put_chunk(basin_strbuf *out, const char *type, const char *data, size_t size)
{
  put_big(out, (uint32_t)size);
  basin__strbuf_append(out, type, 4);
  if (size) basin__strbuf_append(out, data, size);
  uLong sum = crc32(0, (const unsigned char *)type, 4);
  if (size) sum = crc32(sum, (const unsigned char *)data, (uInt)size);
  put_big(out, (uint32_t)sum);
}

/* Each row begins with the number of its filter: 1, every byte minus the one of the pixel before.
 */
static void put_rows(const basin_picture *picture, basin_strbuf *rows)
{
  const size_t stride = (size_t)picture->width * 3;
  char filtered[1536];
  for (size_t y = 0; y < picture->height && !rows->failed; ++y) {
    const uint8_t *row = picture->pixels + y * stride;
    basin__strbuf_append(rows, "\1", 1);
    basin__strbuf_append(rows, (const char *)row, 3);
    for (size_t i = 3; i < stride; i += sizeof filtered) {
      const size_t count = stride - i < sizeof filtered ? stride - i : sizeof filtered;
      for (size_t k = 0; k < count; ++k) filtered[k] = (char)(uint8_t)(row[i + k] - row[i + k - 3]);
      basin__strbuf_append(rows, filtered, count);
    }
  }
}

basin_status basin_picture_write_png(const basin_picture *picture, const char *path)
{
  basin_context *context = picture->context;
  basin_strbuf rows, packed, header, out;
  basin__strbuf_init(&rows, context);
  basin__strbuf_init(&packed, context);
  basin__strbuf_init(&header, context);
  basin__strbuf_init(&out, context);
  put_rows(picture, &rows);
  basin_status status =
      rows.failed
          ? BASIN_FAIL(context, BASIN_ERROR_MEMORY, "out of memory while writing '%s'", path)
          : basin__deflate(rows.data, rows.length, &packed);
  basin__strbuf_fini(&rows);
  if (status == BASIN_OK) {
    basin__strbuf_append(&out, "\x89PNG\r\n\x1a\n", 8);
    put_big(&header, picture->width);
    put_big(&header, picture->height);
    basin__strbuf_append(
        &header, "\10\2\0\0\0", 5); /* 8 bits, RGB, deflate, filters, not interlaced */
    put_chunk(&out, "IHDR", basin__strbuf_text(&header), header.length);
    put_chunk(&out, "IDAT", basin__strbuf_text(&packed), packed.length);
    put_chunk(&out, "IEND", "", 0);
    out.failed = out.failed || header.failed;
  }
  basin__strbuf_fini(&header);
  basin__strbuf_fini(&packed);
  if (status == BASIN_OK) return basin__write_buffer(context, path, &out);
  basin__strbuf_fini(&out);
  return status;
}
