# belljar_module(NAME [DEPENDS targets…] [LIBRARIES external…] [EXCLUDE files…])
#
# One folder, one target. Every *.cc of the folder goes into the library belljar_NAME, every *_test.cc beside
# it into the test program NAME_test, whose cases ctest lists one by one.
include(GoogleTest)
find_package(GTest REQUIRED)

function(belljar_module name)
  cmake_parse_arguments(ARG "" "" "DEPENDS;LIBRARIES;TEST_DEPENDS;EXCLUDE" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cc)
  set(tests ${sources})
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")
  list(FILTER sources EXCLUDE REGEX "_test\\.cc$")
  foreach(file ${ARG_EXCLUDE})
    list(REMOVE_ITEM sources ${CMAKE_CURRENT_SOURCE_DIR}/${file})
  endforeach()
  list(TRANSFORM ARG_DEPENDS PREPEND belljar_)
  list(TRANSFORM ARG_TEST_DEPENDS PREPEND belljar_)

  if(sources)
    add_library(belljar_${name} STATIC ${sources})
    set(scope PUBLIC)
  else()
    add_library(belljar_${name} INTERFACE)
    set(scope INTERFACE)
  endif()
  target_include_directories(belljar_${name} ${scope} ${CMAKE_SOURCE_DIR}/src)
  target_link_libraries(belljar_${name} ${scope} ${ARG_DEPENDS} ${ARG_LIBRARIES})

  if(tests)
    add_executable(${name}_test ${tests})
    target_link_libraries(${name}_test PRIVATE belljar_${name} ${ARG_TEST_DEPENDS} GTest::gmock GTest::gtest_main)
    gtest_discover_tests(${name}_test TEST_PREFIX ${name}. DISCOVERY_MODE PRE_TEST
      PROPERTIES TIMEOUT 120)
  endif()
endfunction()

# belljar_fuzz(NAME DEPENDS targets…): fuzz/NAME.cc with the corpus fuzz/corpus/NAME, replayed by ctest in every
# preset and grown by libFuzzer in the preset `fuzz`.
function(belljar_fuzz name)
  cmake_parse_arguments(ARG "" "" "DEPENDS" ${ARGN})
  list(TRANSFORM ARG_DEPENDS PREPEND belljar_)
  set(corpus ${CMAKE_SOURCE_DIR}/fuzz/corpus/${name})
  if(BELLJAR_FUZZ)
    add_executable(fuzz_${name} ${CMAKE_SOURCE_DIR}/fuzz/${name}.cc)
    target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
    add_test(NAME fuzz.${name} COMMAND fuzz_${name} -runs=0 ${corpus})
  else()
    add_executable(fuzz_${name} ${CMAKE_SOURCE_DIR}/fuzz/${name}.cc ${CMAKE_SOURCE_DIR}/fuzz/replay.cc)
    add_test(NAME fuzz.${name} COMMAND fuzz_${name} ${corpus})
  endif()
  target_link_libraries(fuzz_${name} PRIVATE ${ARG_DEPENDS})
  if(NOT TARGET fuzzers)
    add_custom_target(fuzzers) # all of them, without the rest of the tree
  endif()
  add_dependencies(fuzzers fuzz_${name})
endfunction()

# belljar_static_program(NAME): linked statically, so that it runs in any root. Without sanitizers in every preset:
# their runtime is a shared library that wants more of the system than a jar has.
function(belljar_static_program name)
  foreach(property COMPILE_OPTIONS LINK_OPTIONS)
    get_target_property(options ${name} ${property})
    list(FILTER options EXCLUDE REGEX "sanitize")
    set_target_properties(${name} PROPERTIES ${property} "${options}")
  endforeach()
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  target_compile_options(${name} PRIVATE -fno-pie -fno-sanitize=all)
  target_link_options(${name} PRIVATE -static -no-pie)
endfunction()

# belljar_against_musl(NAME): a static program that uses nothing but system calls is linked against musl where it is
# installed. glibc asks the processor for its caches before main(), which costs half a millisecond where that traps,
# as in virtual machines. Without musl (or with clang, which knows no specs) it stays as it is.
function(belljar_against_musl name)
  find_file(BELLJAR_MUSL_SPECS musl-gcc.specs PATHS /usr/lib/${CMAKE_SYSTEM_PROCESSOR}-linux-musl NO_DEFAULT_PATH)
  if(NOT BELLJAR_MUSL_SPECS OR NOT CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    message(STATUS "${name}: linked against glibc, as musl is not installed (musl-tools) or the compiler is not g++")
    return()
  endif()
  # The specs leave out all directories of headers; those of C++ itself are needed, and ask for a macro of glibc's.
  set(directories ${CMAKE_CXX_IMPLICIT_INCLUDE_DIRECTORIES})
  list(FILTER directories INCLUDE REGEX "/c\\+\\+/")
  list(TRANSFORM directories PREPEND "SHELL:-isystem ")
  target_compile_options(${name} PRIVATE -specs=${BELLJAR_MUSL_SPECS} "-D__GLIBC_PREREQ(major,minor)=0" ${directories}
                         -Wno-sign-conversion) # in CMSG_NXTHDR
  target_link_options(${name} PRIVATE -specs=${BELLJAR_MUSL_SPECS} -Wl,--no-dynamic-linker) # the specs name one
endfunction()
