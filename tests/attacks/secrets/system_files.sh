#!/usr/bin/env bash
# What of the host's system a jar must not read: files that 'other' can't (keys, shadow, databases), other people's temporary
# files, logs and mail; nor write any of it, be its own system writable or not. Host files are only opened for writing by what
# the host has closed; what is written to is a canary of this test.
source "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
here="belljar-attack-${TEST_DIR##*-}" # not $$: in worlds side by side numbers are the same
on_exit() {
    rm -rf "/var/tmp/${here:?}"
    if [ "$(id -u)" -eq 0 ]; then rm -rf "/usr/local/share/${here:?}" "/etc/${here:?}"; fi
}
places="/var/tmp/$here"
if [ "$(id -u)" -eq 0 ]; then places="$places /usr/local/share/$here /etc/$here"; fi
for place in $places; do
    mkdir -p "$place/closed" "$place/open"
    echo system-canary > "$place/secret"
    echo system-canary > "$place/closed/file"
    echo readable-words > "$place/open/file"
    head -c 100000 /dev/zero > "$place/open/large"
    chmod 666 "$place/open/file" "$place/open/large"
    chmod 600 "$place/secret"
    chmod 700 "$place/closed"
done
state_of_places() { for place in $places; do find "$place" -printf '%p %m %U %s %T@\n' | sort; cat "$place/open/file"; done; }
before=$(state_of_places)
cat > look.py <<'CODE'
import glob, os
for pattern in ("/etc/shadow*", "/etc/gshadow*", "/etc/ssh/ssh_host_*", "/etc/ssl/private/*", "/etc/sudoers*", "/etc/sudoers.d/*", "/etc/krb5.keytab", "/var/lib/**", "/var/log/**", "/var/mail/*", "/var/spool/**", "/root/.*", "/boot/*", "/home/*/.*", "/var/backups/*", "/lost+found/*"):
    for path in glob.glob(pattern, recursive=True):
        try:
            if os.path.isfile(path) and open(path, "rb").read(16): print("READABLE", path)
        except OSError: pass
for path in ("/usr/bin/env", "/etc/passwd", "/etc/hosts", "/etc/ssl/certs/ca-certificates.crt", "/usr/lib/os-release", "/etc/resolv.conf", "/bin/sh"):
    try:
        file = os.open(path, os.O_WRONLY)
        print("WRITABLE", path, "%d:%d." % (os.fstat(file).st_dev, os.fstat(file).st_ino))
        os.close(file)
    except OSError: pass
CODE
attack_shell "
    for place in /usr/local/share/$here /etc/$here /var/tmp/$here; do cat \$place/secret \$place/closed/file \$place/open/file; ls -la \$place/closed; done
    python3 look.py; for place in / /usr /usr/bin /usr/lib /usr/local/bin /etc /opt /var/lib /var /boot /srv; do touch \$place/$here-planted; done
    for place in /usr/local/share/$here /etc/$here /var/tmp/$here; do for name in file large; do echo overwritten >> \$place/open/\$name; rm \$place/open/\$name; done; mv \$place \$place-moved; done"
out=$(cat "$TEST_DIR/attack.out")
assert_lacks "$out" system-canary "a file that only its owner may read was shown"
for word in shadow ssh_host_ /ssl/private sudoers keytab /var/log /var/mail /var/spool /var/backups /boot; do
    if grep "^READABLE [^ ]*$word" <<< "$out" | grep -v '\.pub$' >&2; then fail "the jar reads $word"; fi
done
for path in /usr/bin/env /usr/lib/os-release /bin/sh /etc/passwd /etc/hosts /etc/ssl/certs/ca-certificates.crt; do
    assert_lacks "$out" " $(stat -L -c %d:%i "$path" 2>/dev/null || echo none)." "the host's $path can be opened for writing"
done
if [ "$ROOT_KIND" = readonly ]; then
    for path in /usr/bin/env /usr/lib/os-release /bin/sh; do assert_lacks "$out" "WRITABLE $path"; done
else
    for path in /usr/bin/env /usr/lib/os-release; do assert_contains "$out" "WRITABLE $path" "the control: the jar's own system is writable"; done
fi
# A generation that was made before has none of it; its making has unit tests of its own.
if [ "$(id -u)" -eq 0 ] && [ -n "$ROOT_KIND" ]; then assert_contains "$out" readable-words "the control: what others may read is shown"; fi
assert_equal "$(state_of_places)" "$before" "the host's files were changed"
for place in / /usr /usr/bin /usr/lib /usr/local/bin /etc /opt /var/lib /var /boot /srv; do assert_no_file "${place%/}/$here-planted"; done
for place in $places; do assert_no_file "$place-moved"; done
