// What git takes for a repository when it is started in a directory: gitrepository-layout(5), and setup.c for
// what it doesn't look at.
#pragma once

namespace belljar::jar {

/// Whether git would use this directory, which holds an entry HEAD, as a repository. Git asks neither that
/// `objects` and `refs` are directories nor that HEAD is a file, and with a `commondir` it looks for them
/// elsewhere.
bool is_git_layout(int directory);

}  // namespace belljar::jar
