#!/usr/bin/env bash
# F3: the other files that steer git: commondir, config.worktree, modules, linked worktrees, info/attributes.
source "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
evil='mkdir -p ev/objects ev/refs ev/hooks; printf "[core]\n\trepositoryformatversion = 0\n\tfsmonitor = \"touch $CANARY; false\"\n" > ev/config; cp .git/HEAD ev/; cp -r .git/objects .git/refs ev/; '
git_trap commondir "$evil"'(echo ../ev > .git/commondir) || { rm -f .git/commondir; echo ../ev > .git/commondir; }'

# config.worktree counts only where extensions.worktreeConfig is set, which the user may have done.
make_plain_repository=$(declare -f make_repository)
eval "${make_plain_repository/make_repository/plain_repository}"
make_repository() { plain_repository "$1"; git -C "$1" config extensions.worktreeConfig true; }
git_trap config-worktree 'printf "[core]\n\tfsmonitor = \"touch $CANARY; false\"\n" > .git/config.worktree'
make_repository() { plain_repository "$1"; git -C "$1" config extensions.worktreeConfig true; git -C "$1" config --worktree core.abbrev 9; }
git_trap config-worktree-there 'printf "[core]\n\tfsmonitor = \"touch $CANARY; false\"\n" > .git/config.worktree; git config --worktree core.fsmonitor "touch $CANARY; false"'

# The user's own filter (git-lfs is one) that only attributes call for: info/attributes would do so and is shown in no diff.
make_repository() { plain_repository "$1"; git -C "$1" config filter.own.clean "touch $CANARY; cat"; }
git_trap info-attributes 'mkdir -p .git/info; echo "* filter=own" > .git/info/attributes; echo more >> file.txt'

# A submodule's git directory below .git/modules.
make_repository() {
    if [ ! -e "$TEST_DIR/part" ]; then
        git init -q "$TEST_DIR/part"
        echo part > "$TEST_DIR/part/part.txt"
        git -C "$TEST_DIR/part" add part.txt
        git -C "$TEST_DIR/part" commit -q -m part
    fi
    plain_repository "$1"
    git -C "$1" submodule --quiet add "$TEST_DIR/part" part
    git -C "$1" commit -q -m "With a part"
}
git_trap submodule-config 'printf "[core]\n\tfsmonitor = \"touch $CANARY; false\"\n" >> .git/modules/part/config; git -C part config core.fsmonitor "touch $CANARY; false"'
git_trap submodule-hooks 'printf "#!/bin/sh\ntouch $CANARY\n" > .git/modules/part/hooks/post-checkout; chmod 755 .git/modules/part/hooks/post-checkout' 'git -C part checkout -q -b x'
git_trap submodule-file 'git init -q ev; git -C ev config core.fsmonitor "touch $CANARY; false"; echo "gitdir: ../ev/.git" > part/.git || { rm -f part/.git; echo "gitdir: ../ev/.git" > part/.git; }'
git_trap submodule-moved 'cp -r .git/modules other; mv .git/modules .git/aside; cp -r other .git/modules; printf "[core]\n\tfsmonitor = \"touch $CANARY; false\"\n" >> .git/modules/part/config'

# A linked worktree inside the workspace.
make_repository() { plain_repository "$1"; git -C "$1" worktree add -q "$1/linked"; }
git_trap worktree-commondir "$evil"'echo ../../../ev > .git/worktrees/linked/commondir' 'cd linked && git status'
git_trap worktree-file 'git init -q ev; git -C ev config core.fsmonitor "touch $CANARY; false"; echo "gitdir: ../ev/.git" > linked/.git' 'cd linked && git status'
