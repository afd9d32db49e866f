/* The `basin` command: a Lua interpreter with Basin loaded, which runs basin/cli.lua.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bind.h"
#include "line_editor.h"
#include "module.h"

#include "base/base.h"

#include <lualib.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A signal handler can reach nothing but these. Only the command has them; the libraries install no
 * handlers. */
static lua_State *interrupted_state;
static basin_context *interrupted_context;
static volatile sig_atomic_t interrupts, saving;

static void stop_script(lua_State *L, lua_Debug *record)
{
  (void)record;
  lua_sethook(L, NULL, 0, 0);
  basin__throw(L, BASIN_ERROR_INTERRUPTED, NULL, "interrupted");
}

/* The first Ctrl-C ends the running solve and lets simulate save its state; a script without one,
 * or a second Ctrl-C, stops at once. */
static void on_interrupt(int signal)
{
  (void)signal;
  if (basin__line_editor_interrupt()) return;
  interrupts = interrupts + 1;
  if (interrupted_context) basin__interrupt(interrupted_context);
  if (!saving || interrupts > 1) {
    lua_sethook(interrupted_state,
                stop_script,
                LUA_MASKCALL | LUA_MASKRET | LUA_MASKLINE | LUA_MASKCOUNT,
                1);
  }
}

/* command.watch(context): Ctrl-C interrupts this context from now on. */
static int command_watch(lua_State *L)
{
  interrupted_context = basin__check_context(L, 1);
  lua_pushvalue(L, 1);
  lua_setfield(L, LUA_REGISTRYINDEX, "basin.command.watched");
  return 0;
}

/* command.saving(boolean): whether somebody will save the state after an interrupt. */
static int command_saving(lua_State *L)
{
  saving = lua_toboolean(L, 1);
  return 0;
}

static int command_interrupts(lua_State *L)
{
  lua_pushinteger(L, interrupts);
  return 1;
}

static int command_terminal(lua_State *L)
{
  const char *name = luaL_optstring(L, 1, "stdout");
  lua_pushboolean(L,
                  isatty(strcmp(name, "stderr") == 0  ? STDERR_FILENO
                         : strcmp(name, "stdin") == 0 ? STDIN_FILENO
                                                      : STDOUT_FILENO));
  return 1;
}

static const luaL_Reg command_functions[] = {{"watch", command_watch},
                                             {"saving", command_saving},
                                             {"interrupts", command_interrupts},
                                             {"terminal", command_terminal},
                                             {NULL, NULL}};

static int open_command(lua_State *L)
{
  luaL_newlib(L, command_functions);
  basin__open_line_editor(L);
  return 1;
}

/* Turns any error value into text; error values of Basin carry their own positions. */
static int message_of(lua_State *L)
{
  if (luaL_getmetafield(L, 1, "__tostring") != LUA_TNIL) {
    lua_pop(L, 1);
    luaL_tolstring(L, 1, NULL);
  } else if (lua_type(L, 1) == LUA_TSTRING) {
    luaL_traceback(L, L, lua_tostring(L, 1), 1);
  } else {
    luaL_traceback(L, L, luaL_tolstring(L, 1, NULL), 1);
  }
  return 1;
}

/* Runs require("basin.cli").main(arguments); the result is the exit status. */
static int run_command(lua_State *L)
{
  int argc = (int)lua_tointeger(L, 1);
  char **argv = lua_touserdata(L, 2);
  luaL_openlibs(L);
  basin__module_paths(L);
  luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_PRELOAD_TABLE);
  lua_pushcfunction(L, open_command);
  lua_setfield(L, -2, "basin.command");
  lua_getglobal(L, "require");
  lua_pushliteral(L, "basin.cli");
  lua_call(L, 1, 1);
  lua_getfield(L, -1, "main");
  lua_createtable(L, argc, 0);
  for (int i = 1; i < argc; ++i) {
    lua_pushstring(L, argv[i]);
    lua_rawseti(L, -2, i);
  }
  lua_call(L, 1, 1);
  return 1;
}

int main(int argc, char **argv)
{
  lua_State *L = luaL_newstate();
  if (!L) {
    fputs("basin: out of memory\n", stderr);
    return EXIT_FAILURE;
  }
  interrupted_state = L;
  struct sigaction action = {.sa_handler = on_interrupt};
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, NULL);
  signal(SIGXFSZ, SIG_IGN); /* a file that may not grow is an error of its writer */
  lua_pushcfunction(L, message_of);
  lua_pushcfunction(L, run_command);
  lua_pushinteger(L, argc);
  lua_pushlightuserdata(L, argv);
  int status = EXIT_FAILURE;
  if (lua_pcall(L, 2, 1, 1) == LUA_OK) {
    status = (int)lua_tointeger(L, -1);
  } else {
    fprintf(stderr, "%s\n", luaL_tolstring(L, -1, NULL));
    if (interrupts > 0) status = 130;
  }
  interrupted_context = NULL;
  lua_close(L);
  return status;
}
