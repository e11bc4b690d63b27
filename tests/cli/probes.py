"""Plans that are made to find remedies, or a batch, end with the command that asked for them, whatever ends that."""
import contextlib
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import uuid

SNUG = os.environ["SNUG"]
SECONDS = 1.0  # in which nothing may be left
PATIENCE = 40.0  # of a command that looks for remedies for 10 seconds, or three times as long as its plan took
FIT = ("model.keras", "--data", "train.npz", "--batch-size", "160", "--memory")
COMMANDS = {
    "fit": ("fit", *FIT, "8MiB"),
    "plan": ("plan", *FIT, "8MiB"),
    "plan --find-batch": ("plan", "model.keras", "--data", "train.npz", "--find-batch", "--memory", "400MiB"),
}


def read(pid, name):
    with contextlib.suppress(OSError), open("/proc/%d/%s" % (pid, name), "rb") as f:
        return f.read()
    return b""


def state(pid):
    """"R", "S", "T", "Z", ...; "" if it is gone."""
    return read(pid, "stat").rpartition(b") ")[2][:1].decode()


def marked(mark):
    """Processes that live and have this word in their environment."""
    found = [int(p) for p in os.listdir("/proc") if p.isdigit()]
    return [p for p in found if mark in read(p, "environ") and state(p) not in ("", "Z", "X")]


def until(seconds, what):
    """What it comes to, or its last answer."""
    end = time.monotonic() + seconds
    while not (answer := what()) and time.monotonic() < end:
        time.sleep(0.01)
    return answer


def stopped_probe(mark, parent):
    """A probe that is held, so that it cannot end by itself; None: there is none now.

    A child that has not become a probe yet still has its parent's command line, without --json."""
    for pid in marked(mark):
        if pid != parent and b"\0--json\0" in read(pid, "cmdline"):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGSTOP)
                return pid if until(0.5, lambda p=pid: state(p) == "T") else None
    return None


def end_by(number, name):
    """What is wrong after the command got this signal; None: nothing."""
    word = uuid.uuid4().hex
    mark = word.encode()
    command = subprocess.Popen([SNUG, *COMMANDS[name]], env={**os.environ, "SNUG_TEST_MARK": word}, stdin=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        if not until(60, lambda: stopped_probe(mark, command.pid) or command.poll() is not None) or command.poll() is not None:
            return "no probe was seen; it ended with %s" % command.poll()
        command.send_signal(number)
        until(SECONDS, lambda: not marked(mark))
        left = marked(mark)
        if left:
            return "%s are left: %s" % (left, [read(p, "cmdline").replace(b"\0", b" ") for p in left])
        return None if command.wait(5) == -number else "it ended with %s" % command.returncode
    finally:
        for pid in marked(mark):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        command.kill()
        command.wait()


def gives_up():
    """A probe that is held for ever holds up nobody: what is wrong; None: nothing."""
    word = uuid.uuid4().hex
    command = subprocess.Popen([SNUG, *COMMANDS["fit"]], env={**os.environ, "SNUG_TEST_MARK": word}, stdin=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    try:
        if not until(60, lambda: stopped_probe(word.encode(), command.pid) or command.poll() is not None):
            return "no probe was seen"
        try:
            _, said = command.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            return "it still waits after %d seconds" % PATIENCE
        if command.returncode != 3 or "(no more was tried: " not in said:
            return "it ended with %s: %s" % (command.returncode, said)
        left = marked(word.encode())
        return "%s are left" % left if left else None
    finally:
        for pid in marked(word.encode()):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        command.kill()
        command.wait()


def loads():
    """Let the line be one under which the model is loaded, where the process alone is more than that (sanitizers)."""
    said = subprocess.run([SNUG, "plan", *FIT, "8MiB", "-q"], capture_output=True, text=True, check=False).stderr
    named = re.search(r"a line of (\d+MiB) or more is needed", said)
    for verb in ("fit", "plan") if named else ():
        COMMANDS[verb] = (verb, *FIT, named.group(1))


def main():
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        subprocess.run([SNUG, "init", "cnn", "--input-shape", "28,28,1", "--classes", "10", "-o", "model.keras"], check=True,
                       stdout=subprocess.DEVNULL)
        subprocess.run([os.environ["MAKE_DATA"], "train.npz", "x=byte:160,28,28,1", "y=label10:160"], check=True)
        loads()
        for name in COMMANDS:
            for number in (signal.SIGTERM, signal.SIGINT, signal.SIGKILL):
                wrong = end_by(number, name)
                failures += wrong is not None
                print("%s, %s: %s" % (name, number.name, wrong or "nothing is left"), flush=True)
        wrong = gives_up()
        failures += wrong is not None
        print("fit, a probe that takes for ever: %s" % (wrong or "it is given up"), flush=True)
    return 1 if failures else 0


sys.exit(main())
