# Warnings, hardening and sanitizers: one place, applied to every target of the project.
add_compile_options(-Wall -Wextra -Wshadow -Wconversion -Wsign-conversion -Wnon-virtual-dtor
  -Woverloaded-virtual -Wold-style-cast -Wcast-qual -Wformat=2 -Wimplicit-fallthrough -Wundef)
add_compile_options($<$<COMPILE_LANGUAGE:C>:-Wno-old-style-cast>)
option(BELLJAR_WERROR "Warnings are errors" ON)
if(BELLJAR_WERROR)
  add_compile_options(-Werror)
endif()
add_compile_options(-fno-omit-frame-pointer -fstack-protector-strong -fstack-clash-protection
  $<$<CXX_COMPILER_ID:GNU>:-fcf-protection>)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
add_link_options(-Wl,-z,relro,-z,now,-z,noexecstack -Wl,--as-needed)

if(CMAKE_BUILD_TYPE STREQUAL "Release")
  add_compile_options(-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  # Designated initializers that leave the rest at its default are this project's idiom.
  add_compile_options(-Wno-missing-field-initializers -Wno-gnu-statement-expression)
else()
  # g++ 12 takes moved-from optionals and variants for uninitialized, inlined owners for unallocated, and at -O2
  # std::string's copies for overlapping (GCC bug 105651).
  add_compile_options(-Wno-missing-field-initializers -Wno-maybe-uninitialized -Wno-free-nonheap-object -Wno-restrict)
endif()

if(BELLJAR_SANITIZE)
  add_compile_options(-fsanitize=${BELLJAR_SANITIZE} -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${BELLJAR_SANITIZE})
endif()

find_program(MOLD mold)
if(MOLD AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND NOT BELLJAR_SANITIZE)
  add_link_options(-fuse-ld=mold)
endif()
