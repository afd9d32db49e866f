#!/usr/bin/env python3
"""basin repl at a terminal (a pseudo terminal here): editing, history, completion, Ctrl-C.
SPDX-License-Identifier: Apache-2.0"""
import os
import pty
import select
import shutil
import sys
import tempfile
import time

LIMIT = 60  # seconds that an answer may take on a busy machine


class Session:
    def __init__(self, command, **environment):
        self.text = ""
        pid, self.terminal = pty.fork()
        if pid == 0:
            os.execve(command, [command, "repl"], dict(os.environ, TERM="xterm", **environment))
        self.pid = pid

    def expect(self, *parts):
        """Reads until the parts have come, in this order."""
        end = time.monotonic() + LIMIT
        while True:
            at = 0
            for part in parts:
                found = self.text.find(part, at)
                at = found + len(part) if found >= 0 else -1
                if at < 0:
                    break
            if at >= 0:
                self.text = self.text[at:]
                return
            if time.monotonic() > end:
                sys.exit(f"{parts} did not come; there is {self.text!r}")
            if select.select([self.terminal], [], [], 0.1)[0]:
                try:
                    self.text += os.read(self.terminal, 65536).decode(errors="replace")
                except OSError:
                    sys.exit(f"ended before {parts}: {self.text!r}")

    def send(self, keys, *parts):
        os.write(self.terminal, keys.encode())
        self.expect(*parts)

    def end(self):
        """Sends Ctrl-D until it is heard: the terminal itself swallows one between two lines."""
        end = time.monotonic() + LIMIT
        pid = 0
        while pid == 0:
            if time.monotonic() > end:
                sys.exit("does not end")
            try:
                os.write(self.terminal, b"\x04")
            except OSError:
                pass  # it has gone
            for _ in range(20):
                pid, status = os.waitpid(self.pid, os.WNOHANG)
                if pid:
                    break
                time.sleep(0.02)
        os.close(self.terminal)
        if status != 0:
            sys.exit(f"ended with status {status}")


def editing(command, history):
    session = Session(command, BASIN_HISTORY=history)
    session.expect("> ")
    session.send("1 + 1\n", "\r\n2\r\n", "> ")
    session.send("x = 'h\u00e9llo'\x1b[D\x1b[DX\n", "\r\n", "> ")  # two to the left
    session.send("x\n", "\r\nh\u00e9llXo\r\n", "> ")
    session.send("pri\t(7)\n", "\r\n7\r\n", "> ")
    session.send("basin.sparse.i\t", "basin.sparse.identity", "basin.sparse.is")
    session.send("\x03", "^C", "> ")
    session.send("nonsense(\n", ">> ")
    session.send("\x03", "^C", "> ")  # what was open is given up
    session.send("2 + 2\n", "\r\n4\r\n", "> ")
    session.send("io.write('busy\\n') while true do end\n", "\r\nbusy\r\n")
    session.send("\x03", "interrupted", "> ")
    session.send("3 + 3\n", "\r\n6\r\n", "> ")
    session.end()
    session = Session(command, BASIN_HISTORY=history)
    session.expect("> ")
    session.send("\x1b[A\x1b[A\x1b[A\n", "2 + 2", "\r\n4\r\n", "> ")  # of the former session
    session.end()


def without_library(command, history):
    session = Session(command, BASIN_HISTORY=history, BASIN_LIB_EDIT="/nonexistent/libedit.so")
    session.expect("> ")
    session.send("6 * 7\n", "42\r\n", "> ")
    session.end()


def main():
    command = sys.argv[1]
    folder = tempfile.mkdtemp(prefix="basin-repl-")
    try:
        editing(command, os.path.join(folder, "new", "history"))
        without_library(command, "/dev/null/no/such/folder/history")
    finally:
        shutil.rmtree(folder)


main()
