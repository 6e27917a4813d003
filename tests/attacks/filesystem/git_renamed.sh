#!/usr/bin/env bash
# F10 and RENAME-THE-PARENT (namespace-jar 4): a protected file's mount travels with its directory, so moving .git, or what
# holds it, aside and putting another in its place must fail; also for a repository deeper in the workspace.
source "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
evil='printf "[core]\n\trepositoryformatversion = 0\n\tfsmonitor = \"touch $CANARY; false\"\n" >> '
git_trap moved "mv .git .git2 && cp -r .git2 .git; $evil .git/config"
git_trap exchanged "cp -r .git other; $evil other/config; python3 -c '
import ctypes
libc = ctypes.CDLL(None)
if libc.renameat2(-100, b\"other\", -100, b\".git\", 2) != 0:
    libc.renameat2(-100, b\"other/config\", -100, b\".git/config\", 2)
'"
git_trap removed "cp -r .git other; rm -rf .git; cp -r other .git; $evil .git/config"
git_trap redirected "cp -r .git other; $evil other/config; rm -rf .git; mv .git aside; echo 'gitdir: other' > .git || ln -sfn other .git"
git_trap by-descriptor "cp -r .git other; $evil other/config; python3 -c '
import os
folder = os.open(\".git\", os.O_PATH)
for source, target in ((\"config\", \"aside\"), (\"../other/config\", \"config\")):
    try: os.rename(source, target, src_dir_fd=folder, dst_dir_fd=folder)
    except OSError as error: print(error)
'"
make_plain_repository=$(declare -f make_repository)
eval "${make_plain_repository/make_repository/plain_repository}"
make_repository() { mkdir -p "$1/a/b"; plain_repository "$1/a/b/project"; }
git_trap deeper "mv a/b/project a/b/aside && cp -r a/b/aside a/b/project; $evil a/b/project/.git/config" 'cd a/b/project && git status'
git_trap deeper-parent "mv a aside && cp -r aside a; mv a/b a/c && cp -r a/c a/b; $evil a/b/project/.git/config" 'cd a/b/project && git status'
