#!/usr/bin/env bash
# C2: the host's home and what credentials usually stand in can't be read by any route: direct, /proc/…/root, links made inside,
# tools that read files for other reasons, other spellings of the path.
source "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
secret="home-canary-$$"
files=".ssh/id_ed25519 .ssh/config .aws/credentials .config/gh/hosts.yml .config/gcloud/credentials.db .netrc .docker/config.json .kube/config .npmrc .pypirc .git-credentials .gnupg/private-keys-v1.d/x.key
    .claude/.credentials.json .claude.json .codex/auth.json .gemini/oauth_creds.json .config/op/config .azure/accessTokens.json .terraform.d/credentials.tfrc.json .cargo/credentials.toml .bash_history .mozilla/x/key4.db .local/share/keyrings/login.keyring
    .password-store/x.gpg .vault-token .config/belljar/canary project-of-mine/.env .bashrc .profile"
for file in $files; do mkdir -p "$HOME/$(dirname "$file")"; echo "$secret $file" > "$HOME/$file"; done
echo "$secret outside" > "$TEST_DIR/outside"
ln "$HOME/.netrc" "$TEST_DIR/second-name"
chmod -R a+rwX "$TEST_DIR"  # so that only belljar keeps them from the jar, not the file system's permissions
cat > read.py <<'CODE'
import os, subprocess, sys
home, outside = sys.argv[1], sys.argv[2]
places = [outside]
for name in sys.argv[3:]: places += [f"{home}/{name}", os.path.expanduser(f"~/{name}")]
roots = ["", "/proc/self/root", "/proc/1/root", "/proc/1/cwd", "/proc/self/cwd/../../../../../..", "/proc/thread-self/root", "/dev/fd/../../../..", "/host", "/mnt", "/old", "/.old", "/run/host", "/sysroot", "/proc/self/fd/3", "/tmp/../..", "//", "/./"]
for place in dict.fromkeys(places):
    for root in roots:
        try: print(root + place, open(root + place, "rb").read())
        except (OSError, ValueError): pass
        try: os.close(os.open(root + place, os.O_WRONLY)); print("WRITABLE", root + place)
        except (OSError, ValueError): pass
    for number, action in enumerate((os.symlink, os.link)):
        try: action(place, f"taken-{number}"); print(open(f"taken-{number}").read())
        except OSError: pass
        try: os.unlink(f"taken-{number}")
        except OSError: pass
parent = os.path.dirname(outside)
for words in (["tar", "cf", "-", home], ["cp", "-a", home, "copied"], ["find", parent, "-type", "f", "-exec", "cat", "{}", ";"], ["grep", "-rs", "home-canary", home, parent], ["git", "-c", "include.path=" + home + "/.netrc", "config", "-l"],
              ["git", "diff", "--no-index", "/dev/null", home + "/.netrc"], ["curl", "-s", "file://" + home + "/.netrc"], ["dd", "if=" + home + "/.netrc"], ["ls", "-laR", home], ["du", "-a", home]):
    try: sys.stdout.buffer.write(subprocess.run(words, capture_output=True, timeout=20).stdout); sys.stdout.flush()
    except (OSError, subprocess.TimeoutExpired): pass
print("TRIED")
CODE
sed -i "s/home-canary/home-cana[r]y/" read.py
attack python3 read.py "$HOME" "$TEST_DIR/outside" $files
grep -q TRIED "$TEST_DIR/attack.out" || fail "the attack did not run"
if grep -a "$secret" "$TEST_DIR/attack.out" >&2; then fail "a file of the host's was read"; fi
if grep -ra "$secret" "$WORKSPACE" "$XDG_STATE_HOME" >&2; then fail "a copy of a secret was made"; fi
for file in $files; do assert_equal "$(cat "$HOME/$file")" "$secret $file" "a file of the home was changed"; done
assert_contains "$(python3 read.py "$HOME" "$TEST_DIR/outside" .netrc 2>/dev/null)" "$secret"  # the control
