#include "rt/stack.h"

#include <cerrno>
#include <utility>

#include <sys/mman.h>

#include "rt/sanitizer.h"

namespace belljar::rt {

namespace {

// Address space only: pages come with their first use. Frames are several times larger under ASan.
constexpr std::size_t kStackSize = kAddressSanitizer ? 1U << 20 : 256U << 10;
// More than a page because libraries that were built without stack clash protection may step over one.
constexpr std::size_t kGuardSize = 64U << 10;
// What idle stacks may hold on to: at most 32 × 256 KiB.
constexpr std::size_t kMaxIdle = 32;

}  // namespace

Result<Stack> Stack::create() {
  void* mapping = ::mmap(nullptr, kGuardSize + kStackSize, PROT_NONE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (mapping == MAP_FAILED) return Error::from_errno(errno, "reserve a fiber's stack");
  Stack stack(static_cast<std::byte*>(mapping));
  if (::mprotect(stack.bottom(), kStackSize, PROT_READ | PROT_WRITE) < 0)
    return Error::from_errno(errno, "reserve a fiber's stack");
  return stack;
}

Stack::Stack(Stack&& other) noexcept : mapping_(std::exchange(other.mapping_, nullptr)) {}

Stack& Stack::operator=(Stack&& other) noexcept {
  std::swap(mapping_, other.mapping_);
  return *this;
}

Stack::~Stack() {
  if (mapping_ == nullptr) return;
  unpoison(bottom(), kStackSize);
  ::munmap(mapping_, kGuardSize + kStackSize);
}

void* Stack::top() const { return mapping_ + kGuardSize + kStackSize; }
void* Stack::bottom() const { return mapping_ + kGuardSize; }
std::size_t Stack::size() { return kStackSize; }

Result<Stack> StackPool::take() {
  if (idle_.empty()) return Stack::create();
  Stack stack = std::move(idle_.back());
  idle_.pop_back();
  return stack;
}

void StackPool::give_back(Stack stack) {
  // A fiber ends without returning from its first frame, whose redzones would stay poisoned for the next one.
  unpoison(stack.bottom(), Stack::size());
  if (idle_.size() < kMaxIdle) idle_.push_back(std::move(stack));
}

}  // namespace belljar::rt
