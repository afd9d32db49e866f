/* Finds the kernels of a text: the words behind __global__.
 * SPDX-License-Identifier: Apache-2.0 */
#include "nvrtc.h"

#include <stdlib.h>
#include <string.h>

static bool is_word(char c)
{
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static char *copy(const char *start, size_t length)
{
  char *result = malloc(length + 1);
  if (!result) return NULL;
  memcpy(result, start, length);
  result[length] = 0;
  return result;
}

static bool add(softcuda_candidates *c, char *name, char *bounds)
{
  softcuda_candidate *grown = name ? realloc(c->list, (c->count + 1) * sizeof *grown) : NULL;
  if (!grown) {
    free(name);
    free(bounds);
    return false;
  }
  c->list = grown;
  c->list[c->count++] = (softcuda_candidate){.name = name, .bounds = bounds};
  return true;
}

bool softcuda_candidates_add(softcuda_candidates *c, const char *name)
{
  for (size_t i = 0; i < c->count; i++)
    if (strcmp(c->list[i].name, name) == 0) return true;
  return add(c, strdup(name), NULL);
}

/* The end of what is in parentheses at `at`, which is behind "("; *comma: the first comma. */
static const char *skip_parentheses(const char *at, const char **comma)
{
  int depth = 1;
  *comma = NULL;
  for (; *at && depth; at++) {
    if (*at == '(') depth++;
    if (*at == ')') depth--;
    if (*at == ',' && depth == 1 && !*comma) *comma = at;
  }
  return at;
}

/* Reads words up to "(" or something that no declaration has; attributes in parentheses are passed.
 */
static bool read_declaration(softcuda_candidates *c, const char *at)
{
  static const char launch_bounds[] = "__launch_bounds__";
  const char *word = NULL, *comma;
  size_t length = 0;
  char *bounds = NULL;
  for (; *at && *at != '{' && *at != ';'; at++) {
    if (is_word(*at)) {
      word = at;
      while (is_word(at[1])) at++;
      length = (size_t)(at + 1 - word);
    } else if (*at == '(') {
      const char *inner = at + 1, *end = skip_parentheses(inner, &comma);
      bool is_bounds =
          word && length == sizeof launch_bounds - 1 && strncmp(word, launch_bounds, length) == 0;
      if (!is_bounds && !(word && length > 2 && strncmp(word, "__", 2) == 0)) break;
      if (is_bounds && !bounds) bounds = copy(inner, (size_t)((comma ? comma : end - 1) - inner));
      at = end - 1;
    }
  }
  if (*at != '(' || !word) {
    free(bounds);
    return true;
  }
  for (size_t i = 0; i < c->count; i++)
    if (strlen(c->list[i].name) == length && strncmp(c->list[i].name, word, length) == 0) {
      if (bounds && !c->list[i].bounds)
        c->list[i].bounds = bounds;
      else
        free(bounds);
      return true;
    }
  return add(c, copy(word, length), bounds);
}

bool softcuda_candidates_find(softcuda_candidates *candidates, const char *text)
{
  static const char global[] = "__global__";
  for (const char *at = text; (at = strstr(at, global)) != NULL;) {
    at += sizeof global - 1;
    if (!is_word(*at) && !read_declaration(candidates, at)) return false;
  }
  return true;
}

void softcuda_candidates_free(softcuda_candidates *candidates)
{
  for (size_t i = 0; i < candidates->count; i++) {
    free(candidates->list[i].name);
    free(candidates->list[i].bounds);
  }
  free(candidates->list);
  *candidates = (softcuda_candidates){0};
}
