/* Kernel text as a source file of its own: the dialect's headers in place of their includes.
 * SPDX-License-Identifier: Apache-2.0 */
#include "emit/emit.h"

#include <string.h>

enum { DEPTH = 8 };

typedef struct expansion {
  basin_dialect_file files[BASIN_DIALECT_FILES];
  size_t count;
  basin_strbuf *out;
} expansion;

/* The text of the header that a line includes, or NULL. */
static const char *included_text(const expansion *e, const char *line, size_t length)
{
  static const char directive[] = "#include \"";
  const size_t start = sizeof directive - 1;
  if (length <= start || memcmp(line, directive, start) != 0) return NULL;
  const char *name = line + start, *end = memchr(name, '"', length - start);
  for (size_t i = 0; end && i < e->count; i++) {
    size_t size = strlen(e->files[i].name);
    if (size == (size_t)(end - name) && memcmp(e->files[i].name, name, size) == 0)
      return e->files[i].text;
  }
  return NULL;
}

/* Include guards and repeated includes mean what they meant before: every include is replaced. */
static void expand(expansion *e, const char *text, int depth)
{
  while (*text) {
    const char *end = strchr(text, '\n');
    size_t length = end ? (size_t)(end - text) : strlen(text);
    const char *header = depth < DEPTH ? included_text(e, text, length) : NULL;
    if (header)
      expand(e, header, depth + 1);
    else
      basin__strbuf_append(e->out, text, length);
    if (!header) basin__strbuf_puts(e->out, "\n");
    text += length + (end != NULL);
  }
}

basin_status basin__emit_source(basin_context *context,
                                const basin_kernel_program *program,
                                basin_dialect dialect,
                                basin_strbuf *text)
{
  expansion e = {.out = text};
  basin_strbuf kernel;
  basin__strbuf_init(&kernel, context);
  basin_status status = basin__emit(context, program, &kernel);
  e.count = basin__dialect_files(dialect, e.files);
  if (status == BASIN_OK) expand(&e, basin__strbuf_text(&kernel), 0);
  basin__strbuf_fini(&kernel);
  return status;
}
