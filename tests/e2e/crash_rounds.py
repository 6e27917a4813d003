"""The rounds of crash_test.sh: crash_rounds.py BELLJAR JAR ROUNDS SEED, in a world, in an empty git repository."""
import glob
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time

BELLJAR, JAR, ROUNDS, SEED = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4]
JARS = os.path.join(os.environ["XDG_STATE_HOME"], "belljar/jars")
LOGS = os.environ["BELLJAR_WORLD_LOGS"]
HERE = os.getcwd()
VICTIMS = ["command", "keeper", "init", "proxy", "scan", "egress", "ledger"]
if os.path.exists(os.path.join(os.path.dirname(BELLJAR), "belljard")):
    VICTIMS.append("daemon")
# With these gone a running program goes on.
REPLACED = {"proxy", "scan", "egress", "ledger", "daemon"}
# What a program in the jar does: a request after another, and a look at what must stay closed.
WORK = r'''
echo "$1" >>~/rounds; sync ~/rounds; : >begun; n=0
while [ ! -e stop ]; do
    n=$((n + 1))
    curl -sS -m 4 "https://allowed.test/round-$1-$n" -o /dev/null 2>/dev/null && : >answered
    curl -sSk -m 1 "https://evil.test/round-$1-$n" -o /dev/null 2>/dev/null
    : >working
done
'''


class Wrong(Exception):
    pass


def run(*words, **options):
    return subprocess.run([BELLJAR, *words], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, **options)


def name_of(process):
    try:
        with open(f"/proc/{process}/stat") as file:
            text = file.read()
    except OSError:
        return "", ""
    return text[text.index("(") + 1:text.rindex(")")], text[text.rindex(")") + 2:][0]


def processes():
    """Number → (name, state) of all in this world."""
    found = {int(entry): name_of(entry) for entry in os.listdir("/proc") if entry.isdigit()}
    return {number: named for number, named in found.items() if named[0]}


def alive(name):
    return [number for number, (known, state) in processes().items() if known == name and state not in "ZX"]


def left_processes():
    own = {"belljar", "belljar-keeper", "belljar-init", "belljar-proxy", "belljar-scan", "belljar-egress", "belljar-ledger", "curl"}
    return {number: named for number, named in processes().items() if named[0] in own}


def wait_for(seconds, condition, why):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise Wrong(why)
        time.sleep(0.005)


def listing(top, leave_out=()):
    found = set()
    for folder, folders, files in os.walk(top):
        folders[:] = [name for name in folders if os.path.relpath(os.path.join(folder, name), top) not in leave_out]
        found.update(os.path.relpath(os.path.join(folder, name), top) for name in folders + files)
    return found


def of_jar(jar):
    """Its directory without what a program and the kernel's overlay keep there, and what checkpoints add."""
    return listing(os.path.join(JARS, jar), {"home", "root", "undo/objects", "undo/refs/checkpoints", "undo/large"})


def left_outside(jar):
    """What belongs to no jar's directory: mounts, control groups, temporary files."""
    with open("/proc/self/mountinfo") as file:
        found = {line.split(" - ")[0].split()[4] for line in file}
    found |= set(glob.glob(f"/sys/fs/cgroup/*/belljar/{jar}-*") + glob.glob(f"/sys/fs/cgroup/belljar-{jar}-*"))
    for top in (os.environ["XDG_RUNTIME_DIR"], os.environ["XDG_CONFIG_HOME"]):
        found |= {os.path.join(top, name) for name in listing(top) if "belljard" not in name}
    # What is known of the host's system is found anew when the host's packages change meanwhile.
    cache = os.path.join(os.environ["XDG_CACHE_HOME"], "belljar")
    return found | {os.path.join(cache, re.sub("-[-0-9a-f]*$", "", name)) for name in (os.listdir(cache) if os.path.exists(cache) else [])}


class Round:
    def __init__(self, number):
        chance = random.Random(f"{SEED}-{number}")
        self.number = number
        self.victim = VICTIMS[number % len(VICTIMS)]
        self.phase = chance.choice(["start", "work", "work", "end"])
        if self.victim == "command" and self.phase == "end":
            self.phase = "start"
        self.way = chance.choice(["pipes", "terminal", "fresh"])
        spread = {"start": 0.08, "work": 0.3, "end": 0.03}[self.phase]
        self.delay = chance.choice([0, chance.uniform(0, spread), chance.uniform(0, spread / 10)])
        self.jar = f"{JAR}-{number}" if self.way == "fresh" else JAR
        self.workspace = os.path.join(os.path.dirname(HERE), f"workspace-{number}") if self.way == "fresh" else HERE

    def __str__(self):
        return f"round {self.number} ({self.victim} killed at its jar's {self.phase} + {self.delay * 1000:.1f} ms, {self.way})"

    def path(self, name):
        return os.path.join(self.workspace, name)

    def has(self, name):
        return os.path.exists(self.path(name))

    def state(self):
        listed = run("ls", "--json")
        if listed.returncode != 0:
            raise Wrong(f"ls failed: {listed.stderr}")
        jars = {jar["name"]: jar for jar in json.loads(listed.stdout)}
        return jars[self.jar]["state"] if self.jar in jars else "absent"

    def launch(self):
        words = [BELLJAR, "--jar", self.jar, "run"] + (["--detach"] if self.way == "terminal" else [])
        return subprocess.Popen(words + ["--", "bash", "-c", WORK, "work", str(self.number)], cwd=self.workspace,
                                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def strike(self, command):
        """Kills; whether there was somebody to kill."""
        names = {"command": "belljar", "daemon": "belljard"}
        name = names.get(self.victim, f"belljar-{self.victim}")
        if self.phase == "start" and self.victim != "command":
            end = time.monotonic() + 3
            while not alive(name) and command.poll() is None and time.monotonic() < end:
                time.sleep(0.001)
        elif self.phase != "start":
            wait_for(20, lambda: self.has("working"), "the program does not work")
        if self.phase == "end":
            open(self.path("stop"), "w").close()
        time.sleep(self.delay)
        struck = [command.pid] if self.victim == "command" else alive(name)
        if self.victim == "command" and command.poll() is not None:
            struck = []
        for number in struck:
            try:
                os.kill(number, signal.SIGKILL)
            except ProcessLookupError:
                struck = []
        return bool(struck)

    def check_truth(self):
        """What ls says of a jar is what its keeper is, before and after ls looked."""
        before = alive("belljar-keeper")
        state = self.state()
        after = alive("belljar-keeper")
        goes_on = self.victim in REPLACED and self.has("begun") and not self.has("stop")
        if before and after and goes_on and state != "running":
            raise Wrong(f"ls says '{state}' of a jar that runs")
        # A process of a start that was cut off may hold the jar for a moment.
        if not before and not after and not alive("belljar"):
            wait_for(2, lambda: self.state() in ("stopped", "killed", "absent", "damaged") or alive("belljar-keeper"),
                     "ls says that a jar runs that doesn't")

    def check_going_on(self):
        wait_for(20, lambda: self.has("working"), "the program does not go on")
        if self.has("answered"):
            os.unlink(self.path("answered"))
        wait_for(30, lambda: self.has("answered"), "no request goes on")
        if self.state() != "running":
            raise Wrong(f"ls says '{self.state()}' of a jar whose program goes on")
        keepers = set(alive("belljar-keeper"))
        for number, (name, state) in processes().items():
            if state == "Z" and name.startswith("belljar-") and self.parent(number) in keepers:
                raise Wrong(f"{name} is left as a zombie of the keeper")

    @staticmethod
    def parent(number):
        try:
            with open(f"/proc/{number}/stat") as file:
                return int(file.read().rsplit(")", 1)[1].split()[1])
        except OSError:
            return 0

    def check_end(self, struck):
        wait_for(20, lambda: not left_processes(), f"processes are left: {left_processes()}")
        state = self.state()
        allowed = {"stopped"}
        if self.victim == "keeper":
            allowed = {"killed"} if struck and self.phase == "work" else {"killed", "stopped"}
        if self.way == "fresh" and self.phase == "start":
            allowed.add("absent")
            if self.victim in ("command", "keeper"):
                allowed.add("damaged")
        if state not in allowed:
            raise Wrong(f"ls says '{state}' instead of {allowed}")

    def check_whole(self):
        """It starts again with all it had, and then nothing is left of the crash."""
        begun = self.has("begun")
        for name in ("stop", "begun", "working", "answered"):
            if self.has(name):
                os.unlink(self.path(name))
        again = run("--jar", self.jar, "run", "--", "sh", "-c", "cat ~/rounds 2>/dev/null || true", cwd=self.workspace)
        if again.returncode != 0:
            raise Wrong(f"the jar does not start again: {again.stderr}")
        if begun and str(self.number) not in again.stdout.split():
            raise Wrong("the jar's home has lost what was written")
        wait_for(10, lambda: not left_processes(), f"processes are left after a start that followed: {left_processes()}")
        left = of_jar(self.jar) ^ WHOLE
        if left:
            raise Wrong(f"the jar's directory is another one: {sorted(left)}")
        if listing(self.workspace, {".git"}) - {".git"}:
            raise Wrong(f"files are left in the workspace: {listing(self.workspace, {'.git'})}")
        if left_outside(self.jar) - OUTSIDE:
            raise Wrong(f"left: {left_outside(self.jar) - OUTSIDE}")
        if os.path.getsize(os.path.join(LOGS, "evil.jsonl")):
            raise Wrong("something got out to a host that nobody allowed")

    def play(self):
        if self.way == "fresh":
            os.mkdir(self.workspace)
        command = self.launch()
        struck = self.strike(command)
        self.check_truth()
        if self.victim in REPLACED and self.phase != "end":
            self.check_going_on()
        open(self.path("stop"), "w").close()
        command.wait(30)
        self.check_end(struck)
        self.check_whole()
        if self.way == "fresh":
            removed = run("rm", self.jar)
            if removed.returncode != 0 or os.path.exists(os.path.join(JARS, self.jar)):
                raise Wrong(f"the jar can't be removed: {removed.stderr}")
            shutil.rmtree(self.workspace)
        return struck


first = run("--jar", JAR, "run", "--", "true")
if first.returncode != 0:
    sys.exit(f"the first start failed: {first.stderr}")
wait_for(10, lambda: not left_processes(), "processes are left after the first start")
WHOLE, OUTSIDE = of_jar(JAR), left_outside(JAR)
struck = {}
for number in range(ROUNDS):
    one = Round(number)
    try:
        if one.play():
            struck[one.victim] = struck.get(one.victim, 0) + 1
    except (Wrong, subprocess.TimeoutExpired) as wrong:
        subprocess.run(["ps", "axfo", "pid,ppid,stat,comm"])
        print(run("ls").stdout, run("log", "--jar", one.jar).stdout[-3000:])
        sys.exit(f"FAILED: {one}, seed {SEED}: {wrong}")
print(f"{ROUNDS} rounds of kill -9, seed {SEED}: {', '.join(f'{name} {count}' for name, count in sorted(struck.items()))} killed")
