#!/usr/bin/env bash
# The everyday tools work through the door without flags: curl, python, node, git and npm; what no rule allows gets a reason.
source "$(dirname "${BASH_SOURCE[0]}")/../harness/lib.sh"
need_belljar
need_command curl git node npm python3
echo 'registry=https://registry.test/' > "$HOME/.npmrc" # the user's own tool configuration, before the jar is made
in_jar true # the jar is there from now on
"$BELLJAR" allow --jar "$JAR" git.test --method GET --method POST # a clone asks by POST
JAR_OPTIONS=(--allow allowed.test)

assert_equal "$(in_jar curl -sS https://allowed.test/)" "hello from allowed"
assert_equal "$(in_jar python3 -c 'import urllib.request; print(urllib.request.urlopen("https://allowed.test/py").read().decode().strip())')" "hello from allowed"
assert_equal "$(in_jar node -e 'require("https").get("https://allowed.test/node", (answer) => answer.pipe(process.stdout))')" "hello from allowed"
receiver_got allowed 'GET /py'
receiver_got allowed 'GET /node'
assert_equal "$(in_jar curl -sS 'https://allowed.test/big?bytes=5000000' | wc -c)" 5000000

# Server-sent events come one by one, not at the end.
in_jar curl -sSN --max-time 10 'https://allowed.test/sse?n=4&ms=500' | while read -r line; do
    [ -z "$line" ] || echo "$line arrived $(date +%s.%N)"
done > events
assert_equal "$(grep -c arrived events)" 4
python3 - events <<'PYTHON'
import re, sys
for line in open(sys.argv[1]):
    sent, arrived = map(float, re.search(r"at ([\d.]+) arrived ([\d.]+)", line).groups())
    assert arrived - sent < 0.4, f"an event was held back for {arrived - sent:.2f} s"
PYTHON

# Methods default to GET and HEAD; other hosts are denied, at once and with a reason.
assert_equal "$(in_jar curl -sS -o answer -w '%{http_code}' -d body https://allowed.test/)" 403
assert_contains "$(cat answer)" belljar
receiver_silent allowed '"method": "POST"'
assert_equal "$(assert_within 5 in_jar curl -sS -o answer -w '%{http_code}' https://evil.test/secret-words)" 403
assert_contains "$(cat answer)" evil.test
receiver_silent evil
receiver_silent dns evil.test
for name in selfsigned expired wrongname; do
    assert_fails "$BELLJAR" run --jar "$JAR" --allow "$name.test" -- curl -sSf "https://$name.test/"
    receiver_silent "$name" '"event": "request"'
done

in_jar git clone -q https://git.test/sample.git
assert_equal "$(git -C sample -c core.fsmonitor=false rev-list --count HEAD)" 2

echo '{"name":"p","version":"1.0.0"}' > package.json
in_jar npm install --no-fund --no-audit --silent belljar-fixture-bell
assert_equal "$(in_jar node_modules/.bin/belljar-fixture-bell)" "ding clap"
assert_file node_modules/belljar-fixture-bell/postinstall-ran
receiver_got registry 'GET /belljar-fixture-clapper/-/'
assert_fails in_jar curl -sSf -X PUT https://registry.test/belljar-fixture-bell -d '{}'
receiver_silent registry '"method": "PUT"'
echo "the tools work through the door"
