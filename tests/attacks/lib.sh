# What an attack sources first: the tests' shell library and what attacks have in common.
#
#   #!/usr/bin/env bash
#   # What is tried, where it comes from, and what must hold.
#   source "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
#
# An attack is judged on the host (a canary file, a process, a descriptor) or at a receiver, and carries its own control:
# the same attack where nothing stops it, or the same way where policy allows it, so that it can't pass by being broken.
#
# An attack must be harmless where the wall that it tests has a hole, as it runs on a developer's machine and perhaps as root:
# it writes canaries below $TEST_DIR, or under a name of its own, and of everything else only asks whether it could be written.
ATTACKS=$(dirname "$(realpath "${BASH_SOURCE[0]}")")  # before the harness changes the working directory
source "$(dirname "${BASH_SOURCE[0]}")/../harness/lib.sh"
need_command python3 curl git
need_belljar

export GIT_CONFIG_NOSYSTEM=1 GIT_TERMINAL_PROMPT=0
git config --global user.name Tester
git config --global user.email tester@example.com
git config --global init.defaultBranch main
git config --global protocol.file.allow always
CANARY="$TEST_DIR/canary"
# The shared generation is there before anything is measured in seconds: doctor makes it, by a state of its own, as an attack's jar
# starts afresh.
if [ "$ROOT_KIND" != readonly ]; then
    mkdir -p "$TEST_DIR/state-of-doctor/belljar"
    ln -s "$SHARED_ROOTS" "$TEST_DIR/state-of-doctor/belljar/roots"
    XDG_STATE_HOME="$TEST_DIR/state-of-doctor" "$BELLJAR" doctor >/dev/null 2>&1 </dev/null || true
fi

# --- programs ------------------------------------------------------------------------------------------------------------

# program NAME: a program of tests/attacks/programs, in the workspace as ./NAME (C is compiled, with cc).
program() {
    local source="$ATTACKS/programs/$1"
    if [ -e "$source.c" ]; then
        need_command cc
        cc -O1 -Wall -o "$WORKSPACE/$1" "$source.c"
    else
        cp "$source.py" "$WORKSPACE/$1"
        chmod 755 "$WORKSPACE/$1"
    fi
}

# --- the jar -------------------------------------------------------------------------------------------------------------

# attack COMMAND…: in the jar; its exit code and output are nobody's evidence, except that it must have run at all (125 to 127).
attack() {
    local code=0
    in_jar "$@" </dev/null >"$TEST_DIR/attack.out" 2>"$TEST_DIR/attack.err" || code=$?
    case $code in
        125 | 126 | 127) cat "$TEST_DIR/attack.err" >&2; fail "belljar itself failed, or the attack did not run ($code)" ;;
    esac
}
attack_shell() { attack bash -c "$1"; }
show_attack() { tail -n 40 "$TEST_DIR/attack.out" "$TEST_DIR/attack.err" >&2; }

# start_jar SHELL-TEXT: runs it in this test's jar in the background. JAR_PID is belljar's own process.
JAR_PIDS=()
start_jar() {
    (cd "$WORKSPACE" && exec "$BELLJAR" run --jar "$JAR" "${JAR_OPTIONS[@]}" -- bash -c "$1") \
        </dev/null >"$TEST_DIR/$JAR.out" 2>"$TEST_DIR/$JAR.err" &
    JAR_PID=$!
    JAR_PIDS+=("$JAR_PID")
}
# end_jars: what start_jar started and is still there, gently.
end_jars() {
    local pid
    for pid in "${JAR_PIDS[@]}"; do kill -TERM "$pid" 2>/dev/null || true; done
    for pid in "${JAR_PIDS[@]}"; do wait "$pid" 2>/dev/null || true; done
    JAR_PIDS=()
}
on_exit() {
    local pid
    for pid in "${JAR_PIDS[@]}"; do kill -KILL "$pid" 2>/dev/null || true; done
}
# descendants PID: every process below it, as the host sees them.
descendants() {
    local child
    for child in $(pgrep -P "$1" || true); do
        echo "$child"
        descendants "$child"
    done
}
# processes_in_jar PID-OF-BELLJAR: init and everything below it, init first.
processes_in_jar() {
    local pid
    for pid in $(descendants "$1"); do
        [ "$(cat "/proc/$pid/comm" 2>/dev/null)" != belljar-init ] || { echo "$pid"; descendants "$pid"; }
    done
}
# gateway_process NAME: of proxy, scan, egress and ledger.
gateway_process() { pgrep --runstates D,R,S -x "belljar-$1"; }  # not one that has ended and is still listed

# allow HOST [PORTS] [SCHEME] [METHODS]: a rule in the user's own configuration, which belljar reads at the start.
allow() {
    mkdir -p "$XDG_CONFIG_HOME/belljar"
    {
        echo "[[egress.allow]]"
        echo "host = \"$1\""
        [ -z "${2-}" ] || echo "ports = [$2]"
        [ -z "${3-}" ] || echo "schemes = [\"$3\"]"
        [ -z "${4-}" ] || echo "methods = [$4]"
        echo
    } >> "$XDG_CONFIG_HOME/belljar/config.toml"
}

# all_silent NAME…: none of these receivers was so much as connected to.
all_silent() {
    local name
    sleep 0.3
    for name in "$@"; do
        if receiver_got_now "$name"; then
            show_receiver "$name"
            show_attack
            fail "receiver $name was reached"
        fi
    done
}

# --- repositories --------------------------------------------------------------------------------------------------------

# make_repository FOLDER: two commits, a tracked file, a remote on this disk.
make_repository() {
    git init -q "$1"
    echo one > "$1/file.txt"
    git -C "$1" add file.txt
    git -C "$1" commit -q -m one
    echo two >> "$1/file.txt"
    git -C "$1" commit -q -a -m two
    rm -rf "$TEST_DIR/remote-${1##*/}.git"
    git clone -q --bare "$1" "$TEST_DIR/remote-${1##*/}.git"
    git -C "$1" remote add origin "$TEST_DIR/remote-${1##*/}.git"
    git -C "$1" fetch -q origin
}

# use_git FOLDER: what a person does with a folder afterwards; output doesn't matter.
use_git() {
    (
        cd "$1" || exit 0
        export EDITOR=true PAGER=cat
        for words in "status" "diff" "log -p -1" "branch -a" "fetch origin" "add -A" "push -n origin HEAD" "commit -q --allow-empty -m by-the-host" "checkout -q -b after"; do
            # shellcheck disable=SC2086
            timeout 10 git $words </dev/null >/dev/null 2>&1 || true
        done
    )
}

# git_trap NAME PLANT [USE]: PLANT (shell text, run in a repository, $CANARY is set) plants something that makes the host's git
# create $CANARY. First without a jar, where it must go off; then from inside one, where it must not. USE: more git words for the host.
git_trap() {
    local name=$1 plant=$2 use=${3-}
    run_trap() {
        use_git "$1"
        [ -z "$use" ] || (cd "$1" && CANARY=$CANARY timeout 10 bash -c "$use" </dev/null >/dev/null 2>&1) || true
    }
    rm -f "$CANARY"
    make_repository "$TEST_DIR/control-$name"
    (cd "$TEST_DIR/control-$name" && CANARY=$CANARY bash -c "$plant") >/dev/null 2>&1 </dev/null || true
    run_trap "$TEST_DIR/control-$name"
    [ -e "$CANARY" ] || fail "$name: the trap doesn't even work without a jar"
    rm -f "$CANARY"

    WORKSPACE="$TEST_DIR/trap-$name"
    JAR="trap-$name"
    make_repository "$WORKSPACE"
    attack env CANARY="$CANARY" bash -c "$plant"
    run_trap "$WORKSPACE"
    if [ -e "$CANARY" ]; then
        show_attack
        fail "$name: the host's git ran what the jar planted"
    fi
}
