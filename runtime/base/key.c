/* Keys of compiled kernels.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/key.h"

#include <string.h>

/* Emitted text has no string or character literals, so a comment is whatever stands between its
 * marks. */
static void append_without_comments(basin_strbuf *buffer, const char *text)
{
  const char *start;
  while ((start = strstr(text, "/*")) != NULL) {
    basin__strbuf_append(buffer, text, (size_t)(start - text));
    const char *end = strstr(start + 2, "*/");
    if (!end) return;
    text = end + 2;
  }
  basin__strbuf_puts(buffer, text);
}

basin_status
basin__key_make(basin_context *context, const char *text, const char *configuration, basin_key *key)
{
  basin_strbuf buffer;
  basin__strbuf_init(&buffer, context);
  append_without_comments(&buffer, text);
  basin__strbuf_append(&buffer, "\0", 1);
  basin__strbuf_puts(&buffer, configuration);
  basin_status status = buffer.failed ? BASIN_ERROR_MEMORY : BASIN_OK;
  if (status == BASIN_OK) basin__hash_hex(buffer.data, buffer.length, key->hex);
  basin__strbuf_fini(&buffer);
  return status;
}
