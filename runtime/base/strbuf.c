/* Growing strings.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/base.h"

#include <stdio.h>
#include <string.h>

void basin__strbuf_init(basin_strbuf *buffer, basin_context *context)
{
  *buffer = (basin_strbuf){.context = context};
}

void basin__strbuf_fini(basin_strbuf *buffer)
{
  basin__free(buffer->context, buffer->data, buffer->capacity);
  *buffer = (basin_strbuf){.context = buffer->context};
}

/* Makes room for `more` bytes and the terminator. */
static bool reserve(basin_strbuf *buffer, size_t more)
{
  if (buffer->failed) return false;
  if (more > PTRDIFF_MAX - buffer->length - 1 ||
      basin__grow(
          buffer->context, &buffer->data, &buffer->capacity, buffer->length + more + 1, 1) !=
          BASIN_OK)
    buffer->failed = true;
  return !buffer->failed;
}

void basin__strbuf_append(basin_strbuf *buffer, const char *text, size_t length)
{
  if (!reserve(buffer, length)) return;
  if (length) memcpy(buffer->data + buffer->length, text, length);
  buffer->length += length;
  buffer->data[buffer->length] = '\0';
}

void basin__strbuf_puts(basin_strbuf *buffer, const char *text)
{
  basin__strbuf_append(buffer, text, strlen(text));
}

void basin__strbuf_printf(basin_strbuf *buffer, const char *format, ...)
{
  if (!reserve(buffer, 127)) return;
  va_list arguments;
  va_start(arguments, format);
  size_t room = buffer->capacity - buffer->length;
  int length = vsnprintf(buffer->data + buffer->length, room, format, arguments);
  va_end(arguments);
  if (length >= 0 && (size_t)length >= room && reserve(buffer, (size_t)length)) {
    va_start(arguments, format);
    length = vsnprintf(
        buffer->data + buffer->length, buffer->capacity - buffer->length, format, arguments);
    va_end(arguments);
  }
  if (length < 0 || buffer->failed) {
    buffer->data[buffer->length] = '\0';
    buffer->failed = true;
    return;
  }
  buffer->length += (size_t)length;
}

const char *basin__strbuf_text(const basin_strbuf *buffer)
{
  return buffer->data ? buffer->data : "";
}
