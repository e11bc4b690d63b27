"""Runs a command under a terminal of its own and closes that when the second epoch has begun; how the command ended is the
exit code, as a shell tells it."""
import os
import pty
import sys

pid, terminal = pty.fork()
if pid == 0:
    os.execv(sys.argv[1], sys.argv[1:])
said = b""
while b"Epoch 2/" not in said:
    said += os.read(terminal, 4096)
os.close(terminal)
_, status = os.waitpid(pid, 0)
sys.exit(os.WEXITSTATUS(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status))
