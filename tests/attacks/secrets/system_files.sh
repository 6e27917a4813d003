#!/usr/bin/env bash
# What of the host's system a jar must not read: files that 'other' can't (keys, shadow, databases), other people's temporary
# files, logs and mail; nor write any of it. Host files are only opened for writing, never written.
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
    chmod 600 "$place/secret"
    chmod 700 "$place/closed"
done
cat > look.py <<'CODE'
import glob, os
for pattern in ("/etc/shadow*", "/etc/gshadow*", "/etc/ssh/ssh_host_*", "/etc/ssl/private/*", "/etc/sudoers*", "/etc/sudoers.d/*", "/etc/krb5.keytab", "/var/lib/**", "/var/log/**", "/var/mail/*", "/var/spool/**", "/root/.*", "/boot/*", "/home/*/.*", "/var/backups/*", "/lost+found/*"):
    for path in glob.glob(pattern, recursive=True):
        try:
            if os.path.isfile(path) and open(path, "rb").read(16): print("READABLE", path)
        except OSError: pass
for path in ("/usr/bin/env", "/etc/passwd", "/etc/hosts", "/etc/ssl/certs/ca-certificates.crt", "/usr/lib/os-release", "/etc/resolv.conf", "/bin/sh"):
    try: os.close(os.open(path, os.O_WRONLY)); print("WRITABLE", path)
    except OSError: pass
CODE
attack_shell "
    for place in /usr/local/share/$here /etc/$here /var/tmp/$here; do cat \$place/secret \$place/closed/file \$place/open/file; ls -la \$place/closed; done
    python3 look.py; for place in / /usr /usr/bin /usr/lib /usr/local/bin /etc /opt /var/lib /var /boot /srv; do touch \$place/$here-planted; done"
out=$(cat "$TEST_DIR/attack.out")
assert_lacks "$out" system-canary "a file that only its owner may read was shown"
for word in shadow ssh_host_ /ssl/private sudoers keytab /var/log /var/mail /var/spool /var/backups /boot; do
    if grep "^READABLE [^ ]*$word" <<< "$out" | grep -v '\.pub$' >&2; then fail "the jar reads $word"; fi
done
for path in /usr/bin/env /usr/lib/os-release /bin/sh; do assert_lacks "$out" "WRITABLE $path"; done
if [ "$(id -u)" -eq 0 ]; then assert_contains "$out" readable-words "the control: what others may read is shown"; fi
for place in / /usr /usr/bin /usr/lib /usr/local/bin /etc /opt /var/lib /var /boot /srv; do assert_no_file "${place%/}/$here-planted"; done
