// Sweeps: a store is kept within its bounds. Checkpoints that are too old go, then, from the oldest on, those
// that don't fit; then the objects that no checkpoint names any more. Never in the way: everything that takes
// time is done without the store's lock, and given up when a checkpoint was made meanwhile.
#pragma once

#include "undo/checkpoint.h"

namespace belljar::undo {

/// A glance: whether there seems to be something to do.
Result<bool> is_sweep_due(const Store& store, const Bounds& bounds);

/// Where another sweep is running it does nothing.
Result<void> sweep(const std::string& jar_directory, const Bounds& bounds);

/// In a process of its own, at the lowest priority; it goes on when the caller ends.
Result<void> sweep_in_background(const std::string& jar_directory, const Bounds& bounds);

}  // namespace belljar::undo
