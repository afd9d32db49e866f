/* Lines typed at a terminal, by libedit.
 * SPDX-License-Identifier: Apache-2.0 */
#include "line_editor.h"

#include "bind.h"

#include "base/base.h"

#include <errno.h>
#include <locale.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>

#define CLASS         "basin.line_editor"
#define HISTORY_LINES 1000
#define PATIENCE      200 /* milliseconds */

/* The part of <histedit.h> (libedit 3.1) that is used. */
typedef struct EditLine EditLine;
typedef struct History History;
typedef struct HistEvent {
  int number;
  const char *text;
} HistEvent;
typedef struct LineInfo {
  const char *buffer, *cursor, *end;
} LineInfo;
enum { EL_PROMPT = 0, EL_EDITOR = 2, EL_SIGNAL = 3, EL_BIND = 4, EL_ADDFN = 9, EL_HIST = 10 };
enum { EL_GETCFN = 13, EL_CLIENTDATA = 14 };
enum { H_SETSIZE = 1, H_ENTER = 10, H_LOAD = 17, H_SAVE = 18, H_SETUNIQUE = 20 };
enum { CC_ERROR = 6, CC_REFRESH = 4, CC_REDISPLAY = 8 };

typedef struct editor {
  lua_State *L; /* the one that reads */
  basin_dl *library;
  EditLine *line;
  History *history;
  char *history_file; /* of the context; NULL: none */
  basin_context *context;
  const char *prompt;
  EditLine *(*el_init)(const char *, FILE *, FILE *, FILE *);
  void (*el_end)(EditLine *);
  const char *(*el_gets)(EditLine *, int *);
  int (*el_set)(EditLine *, int, ...);
  int (*el_get)(EditLine *, int, ...);
  void (*el_resize)(EditLine *);
  const LineInfo *(*el_line)(EditLine *);
  int (*el_insertstr)(EditLine *, const char *);
  History *(*history_init)(void);
  void (*history_end)(History *);
  int (*history_do)(History *, HistEvent *, int, ...);
} editor;

/* What a signal handler may touch. */
static volatile sig_atomic_t reading, interrupted;

/* Callbacks of libedit get its handle alone; el_get finds the editor of one. */
static int (*get_client)(EditLine *, int, ...);

bool basin__line_editor_interrupt(void)
{
  if (!reading) return false;
  interrupted = 1;
  return true;
}

static editor *editor_of(EditLine *line)
{
  editor *e = NULL;
  get_client(line, EL_CLIENTDATA, &e);
  return e;
}

static const char *prompt_of(EditLine *line)
{
  return editor_of(line)->prompt;
}

/* Waits for a key; false after Ctrl-C. The signal may come between the look at the flag and the
 * wait, or to another thread: the flag is looked at again now and then. */
static bool wait_for_key(void)
{
  struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
  while (!interrupted) {
    if (poll(&input, 1, PATIENCE) > 0 && !interrupted) return true;
  }
  return false;
}

/* One character; 0 at the end of the input and after Ctrl-C, which ends el_gets. */
static int read_character(EditLine *line, wchar_t *result)
{
  (void)line;
  mbstate_t state = {0};
  for (;;) {
    char byte;
    if (!wait_for_key()) return 0;
    ssize_t got = read(STDIN_FILENO, &byte, 1);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return 0;
    size_t length = mbrtowc(result, &byte, 1, &state);
    if (length == (size_t)-2) continue;
    if (length == (size_t)-1) {
      state = (mbstate_t){0};
      continue; /* no character of this locale */
    }
    if (*result == 0) continue; /* what is left of a Ctrl-D between two lines */
    return 1;
  }
}

/* ---- completion ---- */

/* Calls complete(text before the cursor): pushes the list, returns where the word begins; 0 if
 * there is nothing to offer. A Lua error offers nothing: it must not jump over libedit's frames. */
static size_t offer(lua_State *L, const LineInfo *info)
{
  size_t length = (size_t)(info->cursor - info->buffer);
  if (lua_getfield(L, LUA_REGISTRYINDEX, CLASS ".complete") != LUA_TFUNCTION) return 0;
  lua_pushlstring(L, info->buffer, length);
  if (lua_pcall(L, 1, 2, 0) != LUA_OK || !lua_istable(L, -2)) return 0;
  lua_Integer start = lua_tointeger(L, -1);
  lua_pop(L, 1);
  if (start < 1 || (size_t)start > length + 1 || lua_rawlen(L, -1) == 0) return 0;
  return (size_t)start;
}

/* How many bytes all words of the list on top of the stack begin with. */
static size_t common_length(lua_State *L, size_t count)
{
  size_t common = 0;
  lua_rawgeti(L, -1, 1);
  const char *first = luaL_optlstring(L, -1, "", &common);
  for (size_t i = 2; i <= count; ++i) {
    lua_rawgeti(L, -2, (lua_Integer)i);
    const char *word = luaL_optstring(L, -1, "");
    size_t same = 0;
    while (same < common && word[same] == first[same]) ++same;
    common = same;
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
  return common;
}

static void print_words(lua_State *L, size_t count)
{
  fputc('\n', stdout);
  for (size_t i = 1; i <= count; ++i) {
    lua_rawgeti(L, -1, (lua_Integer)i);
    fprintf(stdout, "%s%s", luaL_optstring(L, -1, ""), i < count ? "  " : "\n");
    lua_pop(L, 1);
  }
  fflush(stdout);
}

static unsigned char complete_key(EditLine *line, int key)
{
  (void)key;
  editor *e = editor_of(line);
  lua_State *L = e->L;
  int top = lua_gettop(L);
  const LineInfo *info = e->el_line(line);
  unsigned char result = CC_ERROR; /* rings the bell */
  size_t start = lua_checkstack(L, 8) ? offer(L, info) : 0;
  if (start > 0) {
    size_t count = lua_rawlen(L, -1), common = common_length(L, count);
    size_t typed = (size_t)(info->cursor - info->buffer) - (start - 1);
    if (common > typed) {
      lua_rawgeti(L, -1, 1);
      lua_pushlstring(L, lua_tostring(L, -1) + typed, common - typed);
      if (e->el_insertstr(line, lua_tostring(L, -1)) == 0) result = CC_REFRESH;
    } else if (count > 1) {
      print_words(L, count);
      result = CC_REDISPLAY;
    }
  }
  lua_settop(L, top);
  return result;
}

/* ---- opening and closing ---- */

static const char *open_library(editor *e)
{
  static const char *const names[] = {"libedit.so.2", "libedit.so.0", NULL};
  e->library = basin__dl_open(e->context, "EDIT", names, NULL);
  if (!e->library) return "libedit is not installed (Debian package libedit2)";
  const struct {
    const char *name;
    void *slot;
  } symbols[] = {{"el_init", &e->el_init},
                 {"el_end", &e->el_end},
                 {"el_gets", &e->el_gets},
                 {"el_set", &e->el_set},
                 {"el_get", &e->el_get},
                 {"el_resize", &e->el_resize},
                 {"el_line", &e->el_line},
                 {"el_insertstr", &e->el_insertstr},
                 {"history_init", &e->history_init},
                 {"history_end", &e->history_end},
                 {"history", &e->history_do}};
  for (size_t i = 0; i < BASIN_COUNT(symbols); ++i) {
    void *symbol = basin__dl_symbol(e->library, symbols[i].name);
    if (!symbol) return "this libedit lacks a function that is needed";
    memcpy(symbols[i].slot, &symbol, sizeof symbol);
  }
  get_client = e->el_get;
  return NULL;
}

static const char *start_editing(editor *e)
{
  /* How many bytes a character has: where the environment does not say, as in UTF-8. */
  if (!setlocale(LC_CTYPE, "") || MB_CUR_MAX == 1) setlocale(LC_CTYPE, "C.UTF-8");
  e->line = e->el_init("basin", stdin, stdout, stderr);
  e->history = e->history_init();
  if (!e->line || !e->history) return "libedit cannot use this terminal";
  HistEvent event;
  e->history_do(e->history, &event, H_SETSIZE, HISTORY_LINES);
  e->history_do(e->history, &event, H_SETUNIQUE, 1);
  if (e->history_file) e->history_do(e->history, &event, H_LOAD, e->history_file);
  e->el_set(e->line, EL_CLIENTDATA, e);
  e->el_set(e->line, EL_PROMPT, prompt_of);
  e->el_set(e->line, EL_EDITOR, "emacs");
  e->el_set(e->line, EL_SIGNAL, 0);
  e->el_set(e->line, EL_HIST, e->history_do, e->history);
  e->el_set(e->line, EL_GETCFN, read_character);
  e->el_set(e->line, EL_ADDFN, "basin-complete", "complete a name", complete_key);
  e->el_set(e->line, EL_BIND, "^I", "basin-complete", NULL);
  e->el_set(e->line, EL_BIND, "^R", "em-inc-search-prev", NULL);
  return NULL;
}

static int editor_collect(lua_State *L)
{
  editor *e = luaL_checkudata(L, 1, CLASS);
  if (e->line) e->el_end(e->line);
  if (e->history) e->history_end(e->history);
  basin__dl_close(e->library);
  basin__strfree(e->context, e->history_file);
  *e = (editor){0};
  return 0;
}

static int editor_read(lua_State *L)
{
  editor *e = luaL_checkudata(L, 1, CLASS);
  e->prompt = luaL_checkstring(L, 2);
  if (!e->line) return luaL_error(L, "a closed line editor");
  int length = 0;
  e->L = L;
  e->el_resize(e->line);
  interrupted = 0;
  reading = 1;
  const char *text = e->el_gets(e->line, &length);
  reading = 0;
  if (!text || length <= 0) {
    lua_pushnil(L);
    fputs(interrupted ? "^C\n" : "\n", stdout);
    fflush(stdout);
    if (!interrupted) return 1;
    interrupted = 0;
    lua_pushliteral(L, "interrupted");
    return 2;
  }
  size_t size = (size_t)length;
  if (text[size - 1] == '\n') --size;
  lua_pushlstring(L, text, size);
  HistEvent event;
  if (strspn(text, " \t\n") < (size_t)length) {
    e->history_do(e->history, &event, H_ENTER, text);
    if (e->history_file) e->history_do(e->history, &event, H_SAVE, e->history_file);
  }
  return 1;
}

static int command_line_editor(lua_State *L)
{
  const char *file = luaL_checkstring(L, 1);
  luaL_checktype(L, 2, LUA_TFUNCTION);
  basin_context *context = basin__context(L);
  const char *terminal = getenv("TERM");
  if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO) || !terminal || strcmp(terminal, "dumb") == 0)
    return luaL_pushfail(L), lua_pushliteral(L, "not a terminal"), 2;
  editor *e = lua_newuserdatauv(L, sizeof *e, 1);
  *e = (editor){.context = context};
  luaL_setmetatable(L, CLASS);
  basin__push_context(L);
  lua_setiuservalue(L, -2, 1);
  if (file[0]) e->history_file = basin__strdup(context, file);
  const char *problem = open_library(e);
  if (!problem) problem = start_editing(e);
  if (problem) return luaL_pushfail(L), lua_pushstring(L, problem), 2;
  lua_pushvalue(L, 2);
  lua_setfield(L, LUA_REGISTRYINDEX, CLASS ".complete");
  return 1;
}

void basin__open_line_editor(lua_State *L)
{
  static const luaL_Reg methods[] = {{"read", editor_read}, {NULL, NULL}};
  static const luaL_Reg metamethods[] = {{"__gc", editor_collect}, {NULL, NULL}};
  basin__class(L, CLASS, metamethods, methods, NULL, NULL);
  lua_pop(L, 1);
  lua_pushcfunction(L, command_line_editor);
  lua_setfield(L, -2, "line_editor");
}
