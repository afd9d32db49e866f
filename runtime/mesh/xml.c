/* The tags of an XML file.
 * SPDX-License-Identifier: Apache-2.0 */
#include "mesh/xml.h"
#include <string.h>

static bool is_space(char c)
{
  return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* The closing '>' of a tag, outside quotes; NULL if there is none. */
static const char *find_close(const char *text, const char *end)
{
  char quote = 0;
  for (; text < end; ++text) {
    if (quote)
      quote = *text == quote ? 0 : quote;
    else if (*text == '"' || *text == '\'')
      quote = *text;
    else if (*text == '>')
      return text;
  }
  return NULL;
}

basin_status basin__xml_next(basin_reader *reader, basin_xml_tag *tag, bool *found)
{
  *found = false;
  for (;;) {
    const char *open = memchr(reader->cursor, '<', (size_t)(reader->end - reader->cursor));
    if (!open) return BASIN_OK;
    reader->cursor = open;
    const bool comment = reader->end - open > 4 && memcmp(open, "<!--", 4) == 0;
    const char *close = comment ? memmem(open + 4, (size_t)(reader->end - open - 4), "-->", 3)
                                : find_close(open, reader->end);
    if (!close)
      return BASIN_READER_FAIL(reader,
                               "expected the end of a tag ('>') before the end of the file");
    if (comment || open + 1 == close || open[1] == '?' || open[1] == '!') {
      reader->cursor = close + (comment ? 3 : 1);
      continue;
    }
    const char *name = open + 1 + (open[1] == '/');
    const char *stop = name;
    while (stop < close && !is_space(*stop) && *stop != '/') ++stop;
    *tag = (basin_xml_tag){.name = {name, (size_t)(stop - name)},
                           .attributes = {stop, (size_t)(close - stop)},
                           .closing = open[1] == '/',
                           .empty = close[-1] == '/'};
    reader->cursor = close + 1;
    *found = true;
    return BASIN_OK;
  }
}

bool basin__xml_attribute(const basin_xml_tag *tag, const char *name, basin_word *value)
{
  const char *c = tag->attributes.text, *end = c + tag->attributes.length;
  while (c < end) {
    while (c < end && (is_space(*c) || *c == '/')) ++c;
    const char *start = c;
    while (c < end && *c != '=' && !is_space(*c)) ++c;
    const basin_word key = {start, (size_t)(c - start)};
    while (c < end && *c != '"' && *c != '\'') ++c;
    if (c == end) return false;
    const char *text = c + 1, *stop = memchr(text, *c, (size_t)(end - text));
    if (!stop) return false;
    if (basin__word_is(key, name)) {
      *value = (basin_word){text, (size_t)(stop - text)};
      return true;
    }
    c = stop + 1;
  }
  return false;
}
