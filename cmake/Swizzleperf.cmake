# The compiler settings that every target of the project shares, and the helpers that create targets.
add_library(swizzleperf_options INTERFACE)
target_compile_options(swizzleperf_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Wimplicit-fallthrough -Wunused -Werror
  -Wno-missing-designated-field-initializers)
target_include_directories(swizzleperf_options INTERFACE ${CMAKE_SOURCE_DIR}/src ${CMAKE_SOURCE_DIR})
target_link_libraries(swizzleperf_options INTERFACE Threads::Threads)
if(SWIZZLEPERF_SANITIZE)
  target_compile_options(swizzleperf_options INTERFACE -fsanitize=address,undefined -fno-sanitize-recover=all)
  target_link_options(swizzleperf_options INTERFACE -fsanitize=address,undefined)
endif()
if(SWIZZLEPERF_FUZZ)
  target_compile_options(swizzleperf_options INTERFACE -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all)
  target_link_options(swizzleperf_options INTERFACE -fsanitize=address,undefined)
endif()

# swizzleperf_library(<folder> SOURCES ... [DEPENDS ...]): the static library of one folder of src/.
function(swizzleperf_library name)
  cmake_parse_arguments(arg "" "" "SOURCES;DEPENDS" ${ARGN})
  add_library(swizzleperf_${name} STATIC ${arg_SOURCES})
  target_link_libraries(swizzleperf_${name} PUBLIC swizzleperf_options ${arg_DEPENDS})
endfunction()

# swizzleperf_test(<name> SOURCES ... [DEPENDS ...]): a GoogleTest program, one CTest entry.
function(swizzleperf_test name)
  cmake_parse_arguments(arg "" "" "SOURCES;DEPENDS" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE swizzleperf_options ${arg_DEPENDS} GTest::gtest GTest::gtest_main GTest::gmock)
  target_compile_definitions(${name} PRIVATE SWIZZLEPERF_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
  add_test(NAME ${name} COMMAND ${name})
endfunction()

# swizzleperf_fuzzer(<name> SOURCES ... [DEPENDS ...]): a libFuzzer target; its CTest entry runs for a bounded time.
function(swizzleperf_fuzzer name)
  cmake_parse_arguments(arg "" "" "SOURCES;DEPENDS" ${ARGN})
  if(SWIZZLEPERF_FUZZ)
    add_executable(${name} ${arg_SOURCES})
    target_link_libraries(${name} PRIVATE swizzleperf_options ${arg_DEPENDS} -fsanitize=fuzzer)
    add_test(NAME ${name} COMMAND ${name} -max_total_time=20 -max_len=4096 -timeout=10 -rss_limit_mb=4096)
  endif()
endfunction()
