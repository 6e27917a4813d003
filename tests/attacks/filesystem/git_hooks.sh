#!/usr/bin/env bash
# F1: hooks, in the ordinary place and by core.hooksPath.
source "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
git_trap hooks 'for name in pre-commit post-commit post-checkout post-index-change reference-transaction pre-push; do
    printf "#!/bin/sh\ntouch $CANARY\n" > .git/hooks/$name; chmod 755 .git/hooks/$name; done'
git_trap moved 'mv .git/hooks .git/old; mkdir .git/hooks; printf "#!/bin/sh\ntouch $CANARY\n" > .git/hooks/post-commit; chmod 755 .git/hooks/post-commit'
git_trap linked 'rm -rf .git/hooks; mkdir hooks; printf "#!/bin/sh\ntouch $CANARY\n" > hooks/pre-commit; chmod 755 hooks/pre-commit; ln -sn ../hooks .git/hooks'
git_trap path 'mkdir -p tools; printf "#!/bin/sh\ntouch $CANARY\n" > tools/pre-commit; chmod 755 tools/pre-commit; git config core.hooksPath tools'
# A sample that the host has made executable already, changed in place.
make_plain_repository=$(declare -f make_repository)
eval "${make_plain_repository/make_repository/plain_repository}"
make_repository() {
    plain_repository "$1"
    printf '#!/bin/sh\nexit 0\n' > "$1/.git/hooks/pre-commit"
    chmod 755 "$1/.git/hooks/pre-commit"
}
git_trap changed 'printf "#!/bin/sh\ntouch $CANARY\n" > .git/hooks/pre-commit; sed -i "s|exit 0|touch $CANARY|" .git/hooks/pre-commit'
# A repository whose hooks directory isn't there at all (git init --template=).
make_repository() {
    git init -q --template= "$1"
    echo one > "$1/file.txt"
    git -C "$1" add file.txt
    git -C "$1" commit -q -m one
}
git_trap absent 'mkdir -p .git/hooks .git/info; printf "#!/bin/sh\ntouch $CANARY\n" > .git/hooks/pre-commit; chmod 755 .git/hooks/pre-commit'
