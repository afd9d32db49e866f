/* Any bytes given to the parser of graph dumps: refused, or a graph that passes the verifier and
 * prints to a text that reads back as itself.
 * SPDX-License-Identifier: Apache-2.0 */
#include "graph/print.h"
#include "graph/verify.h"
#include <basin/compiler.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static basin_context *quiet_context(void)
{
  basin_options options = basin_options_defaults();
  options.log_level = BASIN_LOG_ERROR;
  return basin_context_create(&options);
}

/* Parses and prints; false if the text is refused. Broken promises abort. */
static bool read_and_print(basin_context *context, const char *text, size_t size, basin_strbuf *out)
{
  basin_graph *graph;
  basin_ref *roots;
  uint32_t count;
  if (basin_graph_create(context, &graph)) abort();
  bool read = basin__graph_parse(graph, text, size, &roots, &count) == BASIN_OK;
  if (basin__graph_verify(graph)) abort(); /* what came before an error is sound, too */
  if (read && basin__graph_print(graph, roots, count, out)) abort();
  if (read && count) basin_expression_text(graph, roots[0], 60);
  basin__free(context, roots, count * sizeof *roots);
  basin_graph_destroy(graph);
  return read;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  basin_context *context = quiet_context();
  basin_strbuf first, second;
  if (!context) return 0;
  basin__strbuf_init(&first, context);
  basin__strbuf_init(&second, context);
  const char *text = size ? (const char *)data : "";
  if (read_and_print(context, text, size, &first)) {
    if (!read_and_print(context, first.data, first.length, &second)) abort();
    if (strcmp(basin__strbuf_text(&first), basin__strbuf_text(&second)) != 0) {
      basin__strbuf_fini(
          &first); /* twins in the input may have changed the numbering once: not twice */
      basin__strbuf_init(&first, context);
      if (!read_and_print(context, second.data, second.length, &first)) abort();
      if (strcmp(basin__strbuf_text(&first), basin__strbuf_text(&second)) != 0) abort();
    }
  }
  basin__strbuf_fini(&second);
  basin__strbuf_fini(&first);
  basin_context_destroy(context);
  return 0;
}
