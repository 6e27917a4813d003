#!/usr/bin/env bash
# K13, I1: a part of belljar is missing, is another program or can't be executed, or the host refuses namespaces: it says so and
# starts nothing. It never runs the command with less.
source "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
allow allowed.test
copy="$TEST_DIR/bin"
mkdir -p "$copy"
cp -a "$(dirname "$(realpath "$BELLJAR")")"/belljar* "$copy/"
run_copy() { rm -f ran; "$copy/belljar" run --jar "$JAR" -- bash -c 'touch ran; curl -sS -m 4 https://allowed.test/less; curl -sS -m 4 http://evil.test/less' </dev/null >"$TEST_DIR/out" 2>&1; }
run_copy || { cat "$TEST_DIR/out" >&2; fail "the copy doesn't work"; }
assert_file ran  # the control
receiver_got allowed 'GET /less'
receiver_forget allowed
for part in init ledger proxy scan egress; do
    for how in gone other forbidden; do
        case $part-$how in proxy-forbidden | scan-forbidden | egress-forbidden) continue ;; esac
        mv "$copy/belljar-$part" "$TEST_DIR/kept"
        case $how in
            other) printf '#!/bin/sh\nexit 0\n' > "$copy/belljar-$part"; chmod 755 "$copy/belljar-$part" ;;
            forbidden) install -m 000 "$TEST_DIR/kept" "$copy/belljar-$part" ;;
        esac
        code=0
        run_copy || code=$?
        rm -f "$copy/belljar-$part"
        mv "$TEST_DIR/kept" "$copy/belljar-$part"
        [ "$part" != init ] || { assert_no_file ran; assert_equal "$code" 125 "belljar-$part $how: $(cat "$TEST_DIR/out")"; }
    done
done
all_silent evil
receiver_silent allowed

# A host that gives no namespaces of one kind, as hardened ones do. The jar's ids need an ordinary user where that can still be had.
limited() {
    local kind=$1 as_user="unshare --user --map-user=1000 --map-group=1000"
    [ "$kind" != user ] || as_user=
    unshare --user --map-root-user --mount bash -c '[ "$1" = none ] || echo 0 > "/proc/sys/user/max_$1_namespaces"; shift; exec "$@"' bash \
        "$kind" $as_user "$copy/belljar" run --jar "$JAR-$kind" -- touch ran </dev/null >"$TEST_DIR/out" 2>&1
}
for kind in user net mnt pid ipc uts cgroup; do
    rm -f ran
    code=0
    limited $kind || code=$?
    assert_no_file ran
    assert_equal "$code" 125 "no $kind namespaces: $(cat "$TEST_DIR/out")"
    [ -s "$TEST_DIR/out" ] || fail "no reason is given"
    # This root can't become an ordinary user without a namespace, and is told that.
    [ "$kind" = user ] || grep -qE "user.max_${kind}_namespaces is 0|used up its namespaces" "$TEST_DIR/out" || fail "the reason is not given: $(cat "$TEST_DIR/out")"
done
limited none || { cat "$TEST_DIR/out" >&2; fail "with all namespaces it doesn't start either"; }
assert_file ran  # the control
