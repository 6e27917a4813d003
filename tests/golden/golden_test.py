#!/usr/bin/env python3
"""Every error message of the configuration and the command line, whole: what a stranger reads and can act on.

    tests/golden/golden_test.py [--update] [CASE…]

A case is a file NAME.txt of sections, each begun by a line "### TITLE":

    ### config.toml | belljar.toml | jar NAME.toml    files that are there before
    ### run LINE                                      a command of the shell that comes before, in the workspace
    ### command                                       the arguments of belljar, as a shell reads them
    ### around LINE                                    a command of the shell that runs it, where {} is
    ### needs root                                      where the case is run by another user it is skipped
    ### exit N
    ### stderr                                        the whole of it
    ### stdout                                        likewise, where the case has it
    ### host                                          files of a host that doctor --root host judges, one a line: PATH CONTENT,
                                                      or PATH alone where it is not there; the others are as in GOOD_HOST

--update writes what the program says now into the cases: read the difference before it is committed. Paths of this run
stand as HOME and WORKSPACE.
"""
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.realpath(__file__))
BELLJAR = os.environ.get("BELLJAR") or os.path.join(HERE, "../../build/dev/bin/belljar")


GOOD_HOST = {
    "proc/sys/kernel/osrelease": "6.8.0-45-generic", "proc/sys/user/max_user_namespaces": "63432", "proc/self/ns/user": "",
    "proc/modules": "overlay 1 0 - Live 0x0\\nnf_tables 1 1 nft_redir, Live 0x0\\nnft_redir 1 0 - Live 0x0",
    "lib/modules/6.8.0-45-generic/modules.builtin": "kernel/fs/ext4/ext4.ko", "lib/modules/6.8.0-45-generic/modules.dep": "kernel/fs/fat.ko:",
    "proc/filesystems": "nodev\tproc\\nnodev\toverlay", "sys/kernel/security/lsm": "lockdown,capability,landlock,yama,apparmor",
    "sys/fs/cgroup/cgroup.controllers": "cpuset cpu io memory pids", "etc/os-release": "ID=ubuntu\\nID_LIKE=debian", "etc/default/grub": "",
    "proc/self/cgroup": "0::/user.slice/user-1000.slice/user@1000.service/app.slice/x.scope",
    "sys/fs/cgroup/user.slice/user-1000.slice/user@1000.service/cgroup.controllers": "cpu memory pids",
}


def read_case(name):
    with open(os.path.join(HERE, name + ".txt"), encoding="utf-8") as file:
        parts = re.split(r"^### (.*)\n", file.read(), flags=re.M)
    assert parts[0] == "", f"{name}: text before the first section"
    return list(zip(parts[1::2], parts[2::2]))


def write_case(name, sections):
    with open(os.path.join(HERE, name + ".txt"), "w", encoding="utf-8") as file:
        for title, text in sections:
            file.write(f"### {title}\n{text}")


class Place:
    """A user's home and a workspace of one case."""

    def __init__(self, folder):
        self.home, self.workspace = os.path.join(folder, "home"), os.path.join(folder, "project")
        self.config = os.path.join(self.home, ".config/belljar")
        for directory in (self.workspace, os.path.join(self.config, "jars")):
            os.makedirs(directory)
        # As in harness/lib.sh: making a generation of this host's system takes some seconds.
        roots = os.environ.get("BELLJAR_TEST_ROOTS") or f"/var/tmp/belljar-test-roots-{os.getuid()}"
        os.makedirs(roots, mode=0o700, exist_ok=True)
        with open(os.path.join(roots, "never-save"), "a", encoding="utf-8"):
            pass
        os.makedirs(os.path.join(self.home, ".local/state/belljar"), mode=0o700)
        os.symlink(roots, os.path.join(self.home, ".local/state/belljar/roots"))
        self.environment = {"HOME": self.home, "PATH": os.path.dirname(BELLJAR) + ":" + os.environ["PATH"], "LANG": "C.UTF-8", "USER": "ada"}

    def write(self, title, text):
        if title == "belljar.toml":
            path = os.path.join(self.workspace, title)
        elif title.startswith("jar "):
            path = os.path.join(self.config, "jars", title[4:])
        else:
            path = os.path.join(self.config, title)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def write_host(self, text):
        files = dict(GOOD_HOST)
        for line in text.splitlines():
            path, _, content = line.partition(" ")
            files.pop(path, None)
            if content:
                files[path] = content
        for path, content in files.items():
            whole = os.path.join(self.workspace, "host", path)
            os.makedirs(os.path.dirname(whole), exist_ok=True)
            with open(whole, "w", encoding="utf-8") as file:
                file.write(content.replace("\\n", "\n") + "\n")

    def shell(self, line):
        return subprocess.run(["bash", "-c", line], cwd=self.workspace, env=self.environment, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=60, check=False)

    def shown(self, text):
        text = text.replace(self.workspace, "WORKSPACE").replace(self.home, "HOME")
        return re.sub(r"\b\d s ago", "0 s ago", re.sub(r"\.\d+\.tmp\b", ".N.tmp", text))


def end_daemon(home):
    """The case's own belljard, which would stay a minute longer and write into what is being removed."""
    try:
        with open(os.path.join(home, ".local/state/belljar/daemon/lock"), encoding="utf-8") as file:
            process = int(file.read())
        with open(f"/proc/{process}/comm", encoding="utf-8") as file:
            if file.read().strip() == "belljard":
                os.kill(process, 15)
    except (OSError, ValueError):
        pass


def is_open_to_all(path):
    """Whether every user can reach it: a checkout below /root is root's alone."""
    while path != "/":
        if not os.stat(path).st_mode & 0o001:
            return False
        path = os.path.dirname(path)
    return True


def run_case(name, update):
    sections, around = read_case(name), "{}"
    if os.getuid() == 0 and not is_open_to_all(os.path.realpath(BELLJAR)) and any("as_user" in title for title, _ in sections):
        print(f"SKIPPED {name}: another user runs belljar in it, and can't reach this checkout")
        return True
    if os.getuid() != 0 and ("needs root", "") in sections:
        print(f"SKIPPED {name}: needs root")
        return True
    with tempfile.TemporaryDirectory(prefix="belljar-golden-", dir="/var/tmp", ignore_cleanup_errors=True) as folder:
        place, ran = Place(os.path.realpath(folder)), None
        for title, text in sections:
            if title.startswith("run "):
                place.shell(title[4:])
            elif title.endswith(".toml"):
                place.write(title, text)
            elif title == "host":
                place.write_host(text)
            elif title.startswith("around "):
                around = title[7:]
            elif title == "command":
                ran = place.shell(around.replace("{}", f"belljar {text.strip()}"))
        place.shell("for jar in $(belljar ls --names); do belljar stop --grace 0 $jar; done")
        end_daemon(place.home)
        got = [(f"exit {ran.returncode}", ""), ("stderr", place.shown(ran.stderr))]
        if any(title == "stdout" for title, _ in sections):
            got.append(("stdout", place.shown(ran.stdout)))
    kept = [section for section in sections if section[0] not in ("stderr", "stdout") and not section[0].startswith("exit ")]
    wanted = [section for section in sections if section not in kept]
    if update:
        write_case(name, kept + got)
        return True
    if wanted == got:
        return True
    print(f"--- {name}: belljar {dict(kept)['command'].strip()}\nexpected:")
    print("".join(f"  {title}\n{text}" for title, text in wanted) + "got:")
    print("".join(f"  {title}\n{text}" for title, text in got))
    return False


def main():
    arguments = sys.argv[1:]
    update = "--update" in arguments
    names = [argument for argument in arguments if argument != "--update"]
    names = names or sorted(entry[:-4] for entry in os.listdir(HERE) if entry.endswith(".txt"))
    failed = [name for name in names if not run_case(name, update)]
    print(f"{len(names) - len(failed)} of {len(names)} messages are as they should be")
    return 1 if failed else 0


sys.exit(main())
