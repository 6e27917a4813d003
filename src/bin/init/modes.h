// Changes of mode with a set-user-id or set-group-id bit, which the jar's filter of system calls hands to
// init instead of making them: what a jar makes in its workspace belongs to a user of the host, and somebody
// else there might execute it. Package managers would give up at a refusal, so init makes the change without
// those bits and answers that it worked.
//
// Nothing here depends on what the caller says being true: init has no more rights over files than the
// caller, and a mode without these bits is one that the caller could have set by itself.
#pragma once

namespace belljar::init {

/// Whether there is a descriptor to serve; takes it out of the reach of programs.
bool open_modes();
/// Answers one call that waits on it.
void serve_mode();

}  // namespace belljar::init
