#!/usr/bin/env bash
# F2: every setting of .git/config that makes git run a program or read another file, written by git and by hand.
source "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
need_command script
settings='
    fs() { git config core.fsmonitor "touch $CANARY; false"; }
    editor() { git config core.editor "touch $CANARY; true"; }
    pager() { git config core.pager "touch $CANARY; cat"; git config pager.log "touch $CANARY; cat"; }
    ssh() { git config core.sshCommand "touch $CANARY; false"; git config remote.origin.url ssh://git@evil.test/x; }
    upload() { git config remote.origin.uploadpack "touch $CANARY; git-upload-pack"; git config remote.origin.receivepack "touch $CANARY; git-receive-pack"; }
    helper() { git config credential.helper "!touch $CANARY; false"; }
    askpass() { git config core.askPass "$PWD/ask"; printf "#!/bin/sh\ntouch $CANARY\n" > ask; chmod 755 ask; }
    filter() { git config filter.x.clean "touch $CANARY; cat"; git config filter.x.process "touch $CANARY; cat"; echo "* filter=x" > .gitattributes; echo changed >> file.txt; }
    textconv() { git config diff.x.textconv "touch $CANARY; cat"; git config diff.y.command "touch $CANARY; true"; echo "* diff=x" > .gitattributes; echo changed >> file.txt; }
    alias_() { git config alias.st "!touch $CANARY"; }
    gpg() { git config gpg.program "$PWD/gpg"; git config commit.gpgSign true; printf "#!/bin/sh\ntouch $CANARY\nexit 1\n" > gpg; chmod 755 gpg; }
    include() { git config include.path ../planted; printf "[core]\n\tfsmonitor = \"touch $CANARY; false\"\n" > planted; }
    include_if() { git config "includeIf.gitdir:**.path" ../planted; printf "[core]\n\tfsmonitor = \"touch $CANARY; false\"\n" > planted; }
    ext() { git config protocol.ext.allow always; git config remote.origin.url "ext::sh -c touch% $CANARY"; }
    instead() { git config protocol.ext.allow always; git config "url.ext::sh -c touch% $CANARY% .insteadOf" "$(git config remote.origin.url)"; }
'
for one in fs ssh upload filter textconv gpg include include_if ext instead; do git_trap "${one/_/-}" "$settings $one"; done
git_trap editor "$settings editor" 'git commit -q --allow-empty --amend'
git_trap pager "$settings pager" 'script -qec "git log" /dev/null'
git_trap alias "$settings alias_" 'git st'
git_trap helper "$settings helper" 'printf "protocol=https\nhost=git.test\n\n" | git credential fill'
git_trap askpass "$settings askpass" 'printf "protocol=https\nhost=git.test\n\n" | GIT_TERMINAL_PROMPT=1 git credential fill'

cat > "$TEST_DIR/by_hand.py" <<'CODE'
import os, sys
path, text = ".git/config", '[core]\n\tfsmonitor = "touch %s; false"\n' % os.environ["CANARY"]
def attempt(action):
    try: action()
    except OSError as error: print(error)
for flags in (os.O_WRONLY | os.O_APPEND, os.O_RDWR | os.O_NOFOLLOW | os.O_APPEND, os.O_RDWR | os.O_APPEND):
    attempt(lambda: os.write(os.open(path, flags), text.encode()))
for name in ("config.lock", "x"):
    for action in (os.rename, os.replace, os.link):
        attempt(lambda: open(".git/" + name, "w").write(text))
        attempt(lambda: action(".git/" + name, path))
attempt(lambda: os.truncate(path, 0))
attempt(lambda: os.unlink(path))
attempt(lambda: os.symlink("x", path))
attempt(lambda: open(path, "a").write(text))
CODE
git_trap by-hand "$(printf 'cat > by_hand.py <<"CODE"\n%s\nCODE\npython3 by_hand.py' "$(cat "$TEST_DIR/by_hand.py")")"
