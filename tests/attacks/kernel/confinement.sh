#!/usr/bin/env bash
# I8 as the host sees it: every process of the jar and of its gateway has no new privileges, a filter, few or no capabilities
# and namespaces of its own, whatever it executes.
source "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
allow allowed.test
start_jar 'curl -sS -m 5 https://allowed.test/ >/dev/null; sh -c "exec sleep 61" & setsid sleep 62 & (sudo -n true; su -c true; newgrp; passwd -S; mount; exec nice sleep 63) >/dev/null 2>&1 & sleep 0.3; touch started; exec sleep 64'
wait_for 20 test -e started
receiver_got allowed 'GET /'
processes=$(processes_in_jar "$JAR_PID" | sort -u)
[ "$(wc -w <<< "$processes")" -ge 5 ] || { ps axf >&2; fail "the jar's processes are not found: $processes"; }
field() { awk -v name="$2:" '$1 == name {print $2}' "/proc/$1/status"; }
# Never to be had inside, as they reach the kernel, devices, other processes, the network or the mounts: DAC_READ_SEARCH,
# NET_ADMIN, NET_RAW, IPC_OWNER, SYS_MODULE, SYS_RAWIO, SYS_PTRACE, SYS_PACCT, SYS_ADMIN … MKNOD, and all from MAC_OVERRIDE on.
forbidden=0
for bit in 2 12 13 15 16 17 19 20 21 22 23 24 25 26 27 28 32 33 34 35 36 37 38 39 40; do forbidden=$((forbidden | 1 << bit)); done
looked_at=0
for pid in $processes; do
    # At one moment, and as a whole: some of them end meanwhile.
    cat "/proc/$pid/status" >"$TEST_DIR/status" 2>/dev/null || continue
    now() { awk -v name="$1:" '$1 == name {print $2}' "$TEST_DIR/status"; }
    [ -n "$(now Seccomp)" ] || continue
    looked_at=$((looked_at + 1))
    name="$pid ($(now Name))"
    assert_equal "$(now NoNewPrivs)" 1 "$name: no_new_privs"
    assert_equal "$(now Seccomp)" 2 "$name: seccomp"
    for set in CapEff CapPrm CapBnd CapInh CapAmb; do
        [ $((16#$(now $set) & forbidden)) -eq 0 ] || fail "$name: $set has $(now $set)"
    done
    # Namespace links of what isn't dumpable are root's to read.
    if [ "$(id -u)" -eq 0 ]; then
        for kind in user mnt pid net ipc uts cgroup; do
            [ "$(readlink "/proc/$pid/ns/$kind")" != "$(readlink /proc/self/ns/$kind)" ] || fail "$name shares the host's $kind namespace"
        done
        [ "$(now Uid)" -ne 0 ] || fail "$name is the host's root"
        assert_lacks " $(sed -n 's/^Groups:[[:space:]]*//p' "$TEST_DIR/status")" " 0 " "$name: groups of the host's root"
    fi
done
[ "$looked_at" -ge 4 ] || fail "only $looked_at of the jar's processes could be looked at"
for worker in proxy scan egress ledger; do
    pids=$(gateway_process "$worker") || fail "belljar-$worker is not running"
    for pid in $pids; do
        assert_equal "$(field "$pid" NoNewPrivs)" 1 "$worker: no_new_privs"
        assert_equal "$(field "$pid" Seccomp)" 2 "$worker: seccomp"
        assert_equal "$(field "$pid" CapEff)" 0000000000000000 "$worker: capabilities"
        if [ "$(id -u)" -eq 0 ]; then
            assert_equal "$(tr '\0' '\n' < "/proc/$pid/environ" | grep -v '^BELLJAR_LOG=' || true)" "" "$worker: environment"
            if [ "$worker" != egress ]; then
                [ "$(readlink "/proc/$pid/ns/net")" != "$(readlink /proc/self/ns/net)" ] || fail "$worker has the host's network"
            fi
        fi
    done
done
assert_equal "$(field self NoNewPrivs)" 0 "the control: a process without a jar"
end_jars
