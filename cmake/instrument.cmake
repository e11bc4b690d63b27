# Builds that watch themselves: sanitizers and coverage.
set(SNUG_SANITIZE "" CACHE STRING "sanitizers to build with, as for -fsanitize=")
option(SNUG_COVERAGE "count the lines that run (gcc)" OFF)
option(SNUG_FUZZ "build the fuzzers (clang); SNUG_SANITIZE must have fuzzer-no-link in it" OFF)

if(SNUG_SANITIZE)
  add_compile_options(-fsanitize=${SNUG_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${SNUG_SANITIZE})
endif()
if(SNUG_COVERAGE)
  add_compile_options(--coverage -fprofile-update=single) # lost counts do not matter, time does
  add_link_options(--coverage)
endif()
