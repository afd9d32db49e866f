/* zlib streams through the context's allocator.
 * SPDX-License-Identifier: Apache-2.0 */
#include "mesh/deflate.h"
#include <string.h>
#define ZLIB_CONST /* input is not written to */
#include <zlib.h>

enum {
  PREFIX = 16,
  CHUNK = 1 << 16
}; /* zlib frees without saying how much: the size stands in front */

static void *zlib_alloc(void *context, unsigned items, unsigned size)
{
  const size_t total = (size_t)items * size + PREFIX;
  char *block = basin__alloc(context, total);
  if (!block) return NULL;
  memcpy(block, &total, sizeof total);
  return block + PREFIX;
}

static void zlib_free(void *context, void *pointer)
{
  if (!pointer) return;
  char *block = (char *)pointer - PREFIX;
  size_t total;
  memcpy(&total, block, sizeof total);
  basin__free(context, block, total);
}

static unsigned limit(size_t size)
{
  return size < 1u << 30 ? (unsigned)size : 1u << 30;
}

basin_status basin__inflate(basin_context *context,
                            const void *data,
                            size_t size,
                            void *out,
                            size_t out_size,
                            bool *complete)
{
  *complete = false;
  z_stream stream = {.zalloc = zlib_alloc, .zfree = zlib_free, .opaque = context};
  if (inflateInit(&stream) != Z_OK)
    return BASIN_FAIL(context, BASIN_ERROR_MEMORY, "out of memory while inflating");
  unsigned char none = 0; /* zlib wants a place even for no output */
  const unsigned char *from = data;
  unsigned char *to = out_size ? out : &none;
  int code = Z_OK;
  while (code == Z_OK) {
    const unsigned in = limit(size), room = limit(out_size);
    stream.next_in = from;
    stream.avail_in = in;
    stream.next_out = to;
    stream.avail_out = room;
    code = inflate(&stream, Z_NO_FLUSH);
    const size_t used = in - stream.avail_in, made = room - stream.avail_out;
    if (code == Z_OK && used == 0 && made == 0) break;
    from += used;
    size -= used;
    to += made;
    out_size -= made;
  }
  inflateEnd(&stream);
  if (code == Z_MEM_ERROR)
    return BASIN_FAIL(context, BASIN_ERROR_MEMORY, "out of memory while inflating");
  *complete = code == Z_STREAM_END && out_size == 0;
  return BASIN_OK;
}

basin_status basin__deflate(const void *data, size_t size, basin_strbuf *out)
{
  z_stream stream = {.zalloc = zlib_alloc, .zfree = zlib_free, .opaque = out->context};
  if (deflateInit(&stream, Z_DEFAULT_COMPRESSION) != Z_OK)
    return BASIN_FAIL(out->context, BASIN_ERROR_MEMORY, "out of memory while deflating");
  char *chunk = basin__alloc(out->context, CHUNK);
  int code = chunk ? Z_OK : Z_MEM_ERROR;
  const unsigned char *from = data;
  while (code == Z_OK) {
    const unsigned in = limit(size);
    stream.next_in = from;
    stream.avail_in = in;
    stream.next_out = (unsigned char *)chunk;
    stream.avail_out = CHUNK;
    code = deflate(&stream, in == size ? Z_FINISH : Z_NO_FLUSH);
    from += in - stream.avail_in;
    size -= in - stream.avail_in;
    basin__strbuf_append(out, chunk, CHUNK - stream.avail_out);
    if (code == Z_BUF_ERROR) code = Z_OK; /* no progress this time: the output was full */
  }
  deflateEnd(&stream);
  if (chunk) basin__free(out->context, chunk, CHUNK);
  if (code != Z_STREAM_END || out->failed)
    return BASIN_FAIL(out->context, BASIN_ERROR_MEMORY, "out of memory while deflating");
  return BASIN_OK;
}
