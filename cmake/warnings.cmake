# Every warning that C11 code can be free of, as errors.
add_library(snug_warnings INTERFACE)
target_compile_options(
  snug_warnings
  INTERFACE -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wundef -Wwrite-strings -Wvla -Werror
            # Tables name the fields they set; the rest is zero.
            -Wno-missing-field-initializers
            $<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes -Wmissing-prototypes>
            # Messages are cut to their buffer on purpose; snprintf is how.
            $<$<C_COMPILER_ID:GNU>:-Wno-format-truncation>)

# __FILE__ names a file by its place in the repository, whoever builds it wherever.
add_compile_options(-fmacro-prefix-map=${CMAKE_CURRENT_SOURCE_DIR}/=)
