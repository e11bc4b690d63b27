# Every warning that C11 code can be free of.  Errors where it is developed and tested: a compiler that nobody has tried
# may know one more, which is no reason to stop a user's build.
option(SNUG_WERROR "warnings of the compiler are errors" OFF)

add_library(snug_warnings INTERFACE)
target_compile_options(
  snug_warnings
  INTERFACE -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wundef -Wwrite-strings -Wvla
            $<$<BOOL:${SNUG_WERROR}>:-Werror>
            # Tables name the fields they set; the rest is zero.
            -Wno-missing-field-initializers
            $<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes -Wmissing-prototypes>
            # Messages are cut to their buffer on purpose; snprintf is how.
            $<$<C_COMPILER_ID:GNU>:-Wno-format-truncation>)

# __FILE__ names a file by its place in the repository, whoever builds it wherever.
add_compile_options(-fmacro-prefix-map=${CMAKE_CURRENT_SOURCE_DIR}/=)
