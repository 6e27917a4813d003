# What the tests of a jar's own system source first: packages made here, of every kind that agents install.
source "$(dirname "${BASH_SOURCE[0]}")/../harness/lib.sh"
need_command dpkg-deb dpkg-scanpackages apt-get
need_belljar
ROOTS="$XDG_STATE_HOME/belljar/roots"
REPOSITORY="$TEST_DIR/repository"
APT=(apt-get -q -y -o Dir::Etc::sourcelist="$WORKSPACE/sources.list" -o Dir::Etc::sourceparts=- -o APT::Get::AllowUnauthenticated=true)

# configure ROOT: the kind of root that jars get from now on.
configure() {
    mkdir -p "$XDG_CONFIG_HOME/belljar"
    printf '[jar]\nroot = "%s"\n' "$1" > "$XDG_CONFIG_HOME/belljar/config.toml"
}

# make_package NAME VERSION [POSTINST]: packs what stands in $TEST_DIR/NAME into the repository.
make_package() {
    local folder="$TEST_DIR/$1"
    mkdir -p "$folder/DEBIAN" "$WORKSPACE/packages"
    printf 'Package: %s\nVersion: %s\nArchitecture: all\nMaintainer: nobody <nobody@example.org>\nDescription: for a test\n' \
        "$1" "$2" > "$folder/DEBIAN/control"
    if [ -n "${3-}" ]; then printf '#!/bin/sh\nset -e\n%s\n' "$3" > "$folder/DEBIAN/postinst"; chmod 755 "$folder/DEBIAN/postinst"; fi
    dpkg-deb --root-owner-group -b "$folder" "$WORKSPACE/packages" >/dev/null
}

# repack NAME: the package as this host has it installed, as a file of the repository.
repack() {
    local folder="$TEST_DIR/repack-$1" file
    mkdir -p "$folder/DEBIAN" "$WORKSPACE/packages"
    dpkg-query -s "$1" | sed -e '/^Status:/d' -e '/^Conffiles:/,/^[^ ]/{/^Conffiles:/d;/^ /d}' > "$folder/DEBIAN/control"
    while read -r file; do
        if [ -f "$file" ]; then
            mkdir -p "$folder$(dirname "$file")"
            cp -a --no-preserve=ownership "$file" "$folder$file" 2>/dev/null || true
        fi
    done < <(dpkg-query -L "$1")
    dpkg-deb --root-owner-group -b "$folder" "$WORKSPACE/packages" >/dev/null
}

# make_repository_index: what apt-get update reads; the repository is in the workspace, as everything else that a jar sees.
make_repository_index() {
    (cd "$WORKSPACE/packages" && dpkg-scanpackages -m . > Packages 2>/dev/null)
    echo "deb [trusted=yes] file:$WORKSPACE/packages ./" > "$WORKSPACE/sources.list"
}

# state_of_host: names, sizes and times of what packages change, to compare.
state_of_host() { find /usr/bin /usr/sbin /usr/lib/python3 /usr/local/bin /usr/local/lib /var/lib/dpkg /etc/alternatives -maxdepth 2 -printf '%p %s %T@ %C@\n' 2>/dev/null | sort | sha256sum; }
generation_of() { cat "$XDG_STATE_HOME/belljar/jars/$1/generation"; }

# save_root: keeps a jar running until its generation is saved.
save_root() {
    local generation pid
    in_jar true
    generation="$ROOTS/$(generation_of "$JAR")"
    [ ! -e "$generation/saved" ] || return 0
    (cd "$WORKSPACE" && exec "$BELLJAR" run --jar "$JAR" -- sleep 600) &
    pid=$!
    wait_for 400 test -e "$generation/saved" -o -e "$generation/unsaved" -o -e "$generation/broken"
    kill "$pid"
    wait "$pid" || true
    [ -e "$generation/saved" ] || fail "not saved: $(cat "$generation/unsaved" 2>/dev/null || echo broken)"
}
