# What the tests of a jar's terminal share: screens compared to the cell, several terminals; sourced after agents.sh. Each terminal is a
# tmux server of its own, the one that the functions below look at is that of $SCREEN_SOCKET.

# What tmux captured as cells, one a line: it writes the same colours in more than one way.
cat > "$TEST_DIR/cells.py" <<'CODE'
import re, sys
style = {}
def apply(codes):
    codes = [int(code or 0) for code in re.split("[;:]", codes)]
    while codes:
        code = codes.pop(0)
        if code == 0: style.clear()
        elif code in (38, 48): style[code] = tuple(codes.pop(0) for _ in range(2 if codes[0] == 5 else 4))
        elif code in (39, 49): style.pop(code - 1, None)
        elif code // 10 in (3, 9): style[38] = code
        elif code // 10 in (4, 10): style[48] = code
        else: style[code] = True
for row, line in enumerate(sys.stdin.read().split("\n")):
    column = 0
    for escape, character in re.findall("\x1b\\[([0-9;:]*)m|(.)", line):
        if not character: apply(escape); continue
        shown = {k: v for k, v in style.items() if character != " " or k in (48, 7, 4)}
        if character != " " or shown: print(row, column, character, sorted(shown.items()))
        column += 1
CODE
# The screen with its colours, its cursor and its modes.
screen_state() {
    screen capture-pane -p -e | python3 "$TEST_DIR/cells.py"
    screen display-message -p 'cursor #{cursor_y},#{cursor_x} #{cursor_flag} alternate #{alternate_on} keys #{keypad_cursor_flag}#{keypad_flag} mouse #{mouse_standard_flag}#{mouse_button_flag}#{mouse_all_flag}#{mouse_sgr_flag} region #{scroll_region_upper}-#{scroll_region_lower}'
}
# steady_screen FILE: what it is once nothing has changed for four seconds; agents take hints back by themselves.
steady_screen() {
    local try since=0
    screen_state > "$1"
    for try in $(seq 120); do
        sleep 0.5
        screen_state > "$TEST_DIR/seen"
        if cmp -s "$1" "$TEST_DIR/seen"; then since=$((since + 1)); else since=0; cp "$TEST_DIR/seen" "$1"; fi
        if [ $since -ge 8 ]; then return 0; fi
    done
    fail "the screen does not come to rest"
}
# part_of_screen FILE ROWS COLUMNS: the cells of it in the rows and columns of a smaller terminal whose last row is that of the cursor or
# below, or in a larger one; numbered from the first.
part_of_screen() {
    python3 - "$@" <<'CODE'
import re, sys
lines = open(sys.argv[1]).read().split("\n")
rows, columns = int(sys.argv[2]), int(sys.argv[3])
cursor = int(next(re.match(r"cursor (\d+)", line)[1] for line in lines if line.startswith("cursor")))
first = max(0, cursor + 1 - rows)
for line in lines:
    row, column, rest = (line.split(" ", 2) + ["", ""])[:3]
    if row.isdigit() and first <= int(row) < first + rows and int(column) < columns: print(int(row) - first, column, rest)
CODE
}
# same_screen FILE [ROWS COLUMNS]: soon the screen is that of the file, or the part of it that a terminal of this size has room for.
same_screen() {
    local try
    cp "$1" "$TEST_DIR/wanted"
    [ $# -lt 2 ] || part_of_screen "$1" "$2" "$3" > "$TEST_DIR/wanted"
    for try in $(seq 60); do
        screen_state > "$TEST_DIR/seen"
        [ $# -lt 2 ] || sed -i '/^cursor/d' "$TEST_DIR/seen"
        if cmp -s "$TEST_DIR/wanted" "$TEST_DIR/seen"; then return 0; fi
        sleep 0.1
    done
    set -- "$TEST_DIR/wanted"
    { diff "$1" "$TEST_DIR/seen" | head -n 20; echo "--- the screen:"; screen_text; echo "--- expected:"; cells_text "$1"; echo "---"; } >&2 || true
    fail "the screen is another one"
}
# cells_text FILE: what screen_state wrote, as text.
cells_text() { python3 -c 'import re, sys
rows = {}
for line in sys.stdin:
    cell = re.match(r"(\d+) (\d+) (.) ", line)
    if cell: rows.setdefault(int(cell[1]), {})[int(cell[2])] = cell[3]
    else: print(line, end="")
for row in range(max(rows, default=-1) + 1):
    print("".join(rows.get(row, {}).get(n, " ") for n in range(max(rows.get(row, {}), default=-1) + 1)))' < "$1"; }
# A terminal of its own each time; the one before it is gone, as when a link drops.
terminals=0
fresh_terminal() { SCREEN_SOCKET=$TEST_DIR/terminal-$((terminals += 1)); }

# at NAME COMMAND…: any of these functions, at the terminal of that name.
at() { local SCREEN_SOCKET="$TEST_DIR/$1"; shift; "$@"; }
# submit PROMPT: to Claude Code. Where the machine is busy, an Enter that comes too soon counts as pasted: it is pressed until it is taken.
submit() {
    local try pause
    screen_type "$1"
    for try in 1 2 3 4; do
        for pause in $(seq 25); do
            if screen_text | grep -qE 'Running…|Bash\('; then return 0; fi
            sleep 0.2
        done
        screen send-keys Enter
    done
    screen_wait 'Bash'
}
