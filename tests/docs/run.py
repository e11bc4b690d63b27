"""Run the commands of a page: every fenced block of `sh`, in order, in one shell and one fresh folder.

Usage: run.py PAGE.md       (SNUG: the command, which the page calls snug)
A command stands for itself: it must end with 0, or with the code that its comment names ("# exit code 3").
Blocks of other kinds, such as what a command prints, are not run.
"""
import os
import re
import subprocess
import sys
import tempfile

END = re.compile(r"#.*\bexit code (\d+)")


def blocks_of(page):
    with open(page, encoding="utf-8") as text:
        return re.findall(r"^```sh\n(.*?)^```$", text.read(), re.M | re.S)


def commands_of(block):
    """Its commands: a line, with those that a backslash or an open quote continues."""
    commands = [""]
    for line in re.sub(r"\\\n\s*", "", block).splitlines(keepends=True):
        commands[-1] += line
        if commands[-1].count('"') % 2 == 0:
            commands.append("")
    return [c.rstrip() for c in commands if c.strip()]


def checked(command):
    """The command as a script has it that says which one ended in another way than the page tells."""
    end = END.search(command)
    wanted = end.group(1) if end else "0"
    return 'set +e\n%s\ncode=$?\nset -e\n[ $code -eq %s ] || { echo "FAILED: exit code $code, not %s: "%s >&2; exit 1; }' % (
        command, wanted, wanted, quoted(command))


def quoted(text):
    return "'" + text.replace("'", "'\\''") + "'"


def main(page):
    commands = [c for block in blocks_of(page) for c in commands_of(block)]
    if not commands:
        sys.exit("FAILED: %s has no command" % page)
    with tempfile.TemporaryDirectory() as folder:
        os.makedirs(os.path.join(folder, "bin"))
        os.symlink(os.environ["SNUG"], os.path.join(folder, "bin", "snug"))
        work = os.path.join(folder, "work")
        os.makedirs(work)
        path = os.path.join(folder, "bin") + ":" + os.environ["PATH"]
        done = subprocess.run(["sh"], input="\n".join(checked(c) for c in commands), text=True, cwd=work,
                              env={**os.environ, "PATH": path, "LC_ALL": "C.UTF-8"}, stderr=subprocess.STDOUT, check=False)
    sys.exit(done.returncode)


main(sys.argv[1])
