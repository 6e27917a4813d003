// What AddressSanitizer must be told about fibers: which stack runs. Nothing in other builds.
#pragma once

#include <cstddef>

#if defined(__SANITIZE_ADDRESS__)
#define BELLJAR_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define BELLJAR_ASAN 1
#endif
#endif

#ifdef BELLJAR_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

namespace belljar::rt {

#ifdef BELLJAR_ASAN
inline constexpr bool kAddressSanitizer = true;
/// Before a switch; `fake_stack` keeps the leaving side's state, null when it never comes back.
inline void before_switch(void** fake_stack, const void* bottom, std::size_t size) {
  __sanitizer_start_switch_fiber(fake_stack, bottom, size);
}
/// After a switch, on the side that arrived; tells the stack that was left when asked.
inline void after_switch(void* fake_stack, const void** bottom, std::size_t* size) {
  __sanitizer_finish_switch_fiber(fake_stack, bottom, size);
}
inline void unpoison(void* start, std::size_t size) { __asan_unpoison_memory_region(start, size); }
#else
inline constexpr bool kAddressSanitizer = false;
inline void before_switch(void**, const void*, std::size_t) {}
inline void after_switch(void*, const void**, std::size_t*) {}
inline void unpoison(void*, std::size_t) {}
#endif

}  // namespace belljar::rt
