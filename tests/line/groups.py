"""Memory control groups of both versions: made with a limit and without swap, read, and removed."""
import contextlib
import os
import re
import tempfile
import time

ROOT = "/sys/fs/cgroup"


class Group:
    def __init__(self, path):
        self.path = path

    def has(self, name):
        return os.path.exists(os.path.join(self.path, name))

    def write(self, name, value):
        with open(os.path.join(self.path, name), "w") as f:
            f.write(str(value))

    def read(self, name):
        with open(os.path.join(self.path, name)) as f:
            return f.read()

    def count(self, file, name):
        """Of "name count" lines."""
        found = re.search(r"^%s (\d+)" % name, self.read(file), re.M)
        return int(found.group(1)) if found else 0


class GroupV1(Group):
    def begin(self, size):
        self.write("memory.swappiness", 0)
        self.limit(size)

    def limit(self, size):
        """Of memory alone, and of memory and swap together, where that is counted."""
        order = ["memory.limit_in_bytes", "memory.memsw.limit_in_bytes"]
        if int(self.read(order[0])) < size:
            order.reverse()
        for name in order:
            if self.has(name):
                self.write(name, size)

    def peak(self):
        return int(self.read("memory.max_usage_in_bytes"))

    def kills(self):
        return self.count("memory.oom_control", "oom_kill")


class GroupV2(Group):
    def begin(self, size):
        if self.has("memory.swap.max"):
            self.write("memory.swap.max", 0)
        self.limit(size)

    def limit(self, size):
        self.write("memory.max", size)

    def peak(self):
        return int(self.read("memory.peak"))

    def kills(self):
        return self.count("memory.events", "oom_kill")


def home(root=ROOT):
    """(the class of groups that can be made here, the folder in which they are); OSError where there are none."""
    v1 = os.path.join(root, "memory")
    if os.path.exists(os.path.join(v1, "memory.limit_in_bytes")):
        return GroupV1, v1
    whole = Group(root)
    if not whole.has("cgroup.controllers") or "memory" not in whole.read("cgroup.controllers").split():
        raise OSError("no memory controller in %s" % root)
    if "memory" not in whole.read("cgroup.subtree_control").split():
        whole.write("cgroup.subtree_control", "+memory")
    return GroupV2, root


def at(path):
    """The group that was made there."""
    return home()[0](path)


def cgroup_reason():
    """Why no memory cgroup can be made here; None: it can."""
    if os.geteuid() != 0:
        return "only root may make memory cgroups"
    try:
        with cgroup(64 << 20):
            return None
    except OSError as e:
        return "a memory cgroup cannot be made: %s" % e


@contextlib.contextmanager
def cgroup(size, root=ROOT):
    """A memory cgroup of so many bytes (rounded down to pages by the kernel), without swap."""
    kind, folder = home(root)
    path = tempfile.mkdtemp(prefix="snug-line-", dir=folder)
    group = kind(path)
    try:
        group.begin(size)
        yield group
    finally:
        for _ in range(50):
            try:
                os.rmdir(path)
                break
            except OSError:
                time.sleep(0.1)
