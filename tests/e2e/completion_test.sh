#!/usr/bin/env bash
# Completion in real shells, and the manual: both made from the grammar that --help prints.
source "$(dirname "${BASH_SOURCE[0]}")/../harness/lib.sh"
PATH="$(dirname "$BELLJAR"):$PATH"
belljar run --rm --jar app --no-workspace -- true
belljar run --jar other-app --no-workspace -- true
belljar run --jar app --no-workspace -- true
mkdir folder
: >file.txt

# complete_bash LINE: what bash offers at its end.
complete_bash() {
    bash --norc -c '
        source <(belljar completion bash)
        line=$1
        read -ra COMP_WORDS <<<"$line"
        [[ $line == *" " ]] && COMP_WORDS+=("")
        COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
        _belljar
        printf "%s\n" "${COMPREPLY[@]}"' - "$1"
}
complete_fish() { fish --no-config -c 'belljar completion fish | source; complete -C $argv[1]' "$1" | cut -f1; }
# In a terminal of its own: zsh completes nowhere else. The list is what is offered.
complete_zsh() {
    python3 - "$1" <<'PYTHON'
import os, pty, re, select, sys, time
pid, terminal = pty.fork()
if pid == 0:
    os.environ.update(PS1="READY> ", TERM="dumb")
    os.execvp("zsh", ["zsh", "-f", "-i"])
def read(seconds, until=None):
    text, end = "", time.time() + seconds
    while time.time() < end:
        if select.select([terminal], [], [], 0.1)[0]:
            try: text += os.read(terminal, 65536).decode(errors="replace")
            except OSError: break
        if until and until in text: break
    return text
def say(line, until): os.write(terminal, line.encode()); return read(20, until)
say("PS1='READY> '; setopt no_beep; LISTMAX=1000; autoload -U compinit; compinit -u -D; source <(belljar completion zsh); echo DO''NE\n", "DONE\r\n")
read(0.5)
os.write(terminal, (sys.argv[1] + "\x04").encode())  # ^D lists
text = read(3)
os.write(terminal, b"\x15exit\n")
print(re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", text).replace("\r", "\n"))
PYTHON
}

shells=(bash)
for shell in fish zsh; do
    if command -v $shell >/dev/null; then shells+=($shell); else echo "$shell is not installed: its completion is not tried"; fi
done
for shell in "${shells[@]}"; do
    offered() { "complete_$shell" "$1"; }
    assert_contains "$(offered 'belljar ')" claude "$shell"
    assert_contains "$(offered 'belljar rev')" review "$shell"
    assert_lacks "$(offered 'belljar review ')" claude "$shell"
    assert_contains "$(offered 'belljar review ')" approve "$shell"
    assert_contains "$(offered 'belljar policy show --o')" --origin "$shell"
    assert_contains "$(offered 'belljar rm ')" other-app "$shell"
    assert_contains "$(offered 'belljar policy show --jar ')" other-app "$shell"
    assert_lacks "$(offered 'belljar policy show --jar ')" --origin "$shell"
    assert_contains "$(offered 'belljar policy show --agent ')" codex "$shell"
    assert_contains "$(offered 'belljar completion ')" fish "$shell"
    assert_contains "$(offered 'belljar claude fi')" file.txt "$shell" # the agent's own words: files
    assert_contains "$(offered 'belljar run --workspace fo')" folder "$shell"
done

# The manual: every command has its page, which says what --help says; roff has nothing to remark.
belljar manual "$TEST_DIR/man/man1"
for command in $(belljar --help | sed -n 's/^  \([a-z][a-z-]*\)  .*/\1/p'); do
    page="$TEST_DIR/man/man1/belljar-$command.1"
    assert_file "$page"
done
assert_contains "$(cat "$TEST_DIR/man/man1/belljar-policy.1")" '\-\-origin'
assert_exit 125 belljar completion tcsh 2>/dev/null
if command -v groff >/dev/null; then
    for page in "$TEST_DIR"/man/man1/*.1; do
        assert_equal "$(groff -ww -man -Tutf8 "$page" 2>&1 >/dev/null)" "" "$page"
    done
else
    echo "groff is not installed: the pages are not rendered"
fi
if command -v man >/dev/null && command -v groff >/dev/null; then
    assert_contains "$(MANPATH="$TEST_DIR/man" MANWIDTH=100 man belljar-review | col -b)" "belljar review approve"
fi
echo "one grammar: help, manual, completion"
