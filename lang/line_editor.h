/* Lines typed at a terminal: editing, history, completion.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_LANG_LINE_EDITOR_H
#define BASIN_LANG_LINE_EDITOR_H

#include <lua.h>
#include <signal.h>
#include <stdbool.h>

/* Adds `line_editor` to the table on top of the stack, the module basin.command:
 *
 *   command.line_editor(history, complete) -> editor, or nil and why there is none
 *
 * `history` is the file that keeps the lines of former sessions ("" for none), complete(text) takes
 * what stands before the cursor and returns a list of words that could end it, and where the word
 * begins (a position in text). Libedit does the editing, opened at run time.
 *
 *   editor:read(prompt) -> a line without its end; nil at the end of the input; nil and
 *                          "interrupted" after Ctrl-C
 *
 * A line goes into the history, and the file, as it is read. */
void basin__open_line_editor(lua_State *L);

/* For the handler of SIGINT: true if an editor reads a line, which is all that this Ctrl-C ends
 * then. */
bool basin__line_editor_interrupt(void);

#endif
