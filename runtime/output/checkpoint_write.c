/* Writing a checkpoint: a ZIP archive of stored .npy files.
 * Format of the members: NumPy Enhancement Proposal 1, "A Simple File Format for NumPy Arrays",
 * version 1.0. SPDX-License-Identifier: Apache-2.0 */
#include "output/checkpoint.h"
#include "output/little_endian.h"
#include "output/writers.h"
#include <zlib.h>

static const char *const descriptions[BASIN_CHECKPOINT_TYPE_COUNT] = {"<f8", "<i8", "|u1"};

/* "(3, 4)", "(3,)", "()". */
static void put_shape(const basin_checkpoint_entry *entry, basin_strbuf *out)
{
  basin__strbuf_puts(out, "(");
  for (unsigned d = 0; d < entry->dims; ++d)
    basin__strbuf_printf(out, d ? ", %zu" : "%zu", entry->shape[d]);
  basin__strbuf_puts(out, entry->dims == 1 ? ",)" : ")");
}

/* The header ends so that the data is aligned to 64 bytes inside the member. */
static void put_npy(const basin_checkpoint_entry *entry, basin_strbuf *out)
{
  const size_t start = out->length;
  basin__strbuf_append(out, "\x93NUMPY\1\0\0\0", 10);
  basin__strbuf_printf(
      out, "{'descr': '%s', 'fortran_order': False, 'shape': ", descriptions[entry->type]);
  put_shape(entry, out);
  basin__strbuf_puts(out, ", }");
  while ((out->length - start + 1) % 64 != 0 && !out->failed) basin__strbuf_puts(out, " ");
  basin__strbuf_puts(out, "\n");
  if (out->failed) return;
  const size_t length = out->length - start - 10;
  out->data[start + 8] = (char)(length & 0xff);
  out->data[start + 9] = (char)(length >> 8);
  if (entry->type == BASIN_CHECKPOINT_UINT8) {
    if (entry->count) basin__strbuf_append(out, entry->data, entry->count);
    return;
  }
  for (size_t i = 0; i < entry->count; ++i) {
    uint64_t bits;
    memcpy(&bits, (const char *)entry->data + 8 * i, sizeof bits);
    basin__put_little(out, bits, 8);
  }
}

/* What the local header and the central directory both say: version, flags, method (0: stored),
 * time and date (1980-01-01, so that equal states give equal files), checksum, sizes, length of the
 * name, length of extra fields. */
static void put_facts(const char *name, uint32_t sum, size_t size, basin_strbuf *out)
{
  basin__put_little(out, 20, 2);
  basin__put_little(out, 0x800, 2); /* names are UTF-8 */
  basin__put_little(out, 0, 2);
  basin__put_little(out, 0, 2);
  basin__put_little(out, 0x21, 2);
  basin__put_little(out, sum, 4);
  basin__put_little(out, size, 4);
  basin__put_little(out, size, 4);
  basin__put_little(out, strlen(name) + 4, 2);
  basin__put_little(out, 0, 2);
}

static void put_member(const basin_checkpoint_entry *entry,
                       const basin_strbuf *npy,
                       uint32_t sum,
                       basin_strbuf *out,
                       basin_strbuf *directory)
{
  const size_t offset = out->length;
  basin__put_little(out, BASIN_ZIP_LOCAL, 4);
  put_facts(entry->name, sum, npy->length, out);
  basin__strbuf_printf(out, "%s.npy", entry->name);
  basin__strbuf_append(out, npy->data, npy->length);
  basin__put_little(directory, BASIN_ZIP_CENTRAL, 4);
  basin__put_little(directory, 20, 2); /* made by */
  put_facts(entry->name, sum, npy->length, directory);
  basin__put_little(directory, 0, 2); /* comment, disk, attributes */
  basin__put_little(directory, 0, 2);
  basin__put_little(directory, 0, 2);
  basin__put_little(directory, 0, 4);
  basin__put_little(directory, offset, 4);
  basin__strbuf_printf(directory, "%s.npy", entry->name);
}

static void put_end(size_t count, size_t directory_size, basin_strbuf *out)
{
  const size_t directory_offset = out->length - directory_size;
  basin__put_little(out, BASIN_ZIP_END, 4);
  basin__put_little(out, 0, 4);
  basin__put_little(out, count, 2);
  basin__put_little(out, count, 2);
  basin__put_little(out, directory_size, 4);
  basin__put_little(out, directory_offset, 4);
  basin__put_little(out, 0, 2);
}

/* Sizes and offsets of the archive are 32-bit numbers. */
static basin_status check_size(const basin_checkpoint *checkpoint, const char *path)
{
  uint64_t total = 0;
  for (size_t e = 0; e < checkpoint->count; ++e) {
    const basin_checkpoint_entry *entry = &checkpoint->entries[e];
    total += entry->count * basin__checkpoint_item(entry->type) + 2048;
    if (total > UINT32_MAX || checkpoint->count > 65534)
      return BASIN_FAIL(checkpoint->context,
                        BASIN_ERROR_UNSUPPORTED,
                        "cannot write '%s': a checkpoint holds at most 4 GiB in 65534 arrays",
                        path);
  }
  return BASIN_OK;
}

static uint32_t checksum(const basin_strbuf *data)
{
  uLong sum = crc32(0, NULL, 0);
  for (size_t done = 0; done < data->length;) {
    const size_t part = data->length - done < 1u << 30 ? data->length - done : 1u << 30;
    sum = crc32(sum, (const unsigned char *)data->data + done, (uInt)part);
    done += part;
  }
  return (uint32_t)sum;
}

basin_status basin_checkpoint_write(const basin_checkpoint *checkpoint, const char *path)
{
  basin_context *context = checkpoint->context;
  BASIN_TRY(check_size(checkpoint, path));
  basin_strbuf out, directory;
  basin__strbuf_init(&out, context);
  basin__strbuf_init(&directory, context);
  for (size_t e = 0; e < checkpoint->count && !out.failed; ++e) {
    basin_strbuf npy;
    basin__strbuf_init(&npy, context);
    put_npy(&checkpoint->entries[e], &npy);
    if (npy.failed)
      out.failed = true;
    else
      put_member(&checkpoint->entries[e], &npy, checksum(&npy), &out, &directory);
    basin__strbuf_fini(&npy);
  }
  basin__strbuf_append(&out, basin__strbuf_text(&directory), directory.length);
  put_end(checkpoint->count, directory.length, &out);
  out.failed = out.failed || directory.failed;
  basin__strbuf_fini(&directory);
  return basin__write_buffer(context, path, &out);
}
