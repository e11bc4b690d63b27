# Loops of our own, compiled once per instruction set; base/isa.h lists the same sets.
file(GLOB loop_sources CONFIGURE_DEPENDS src/device/cpu/loops/*.c)
set(loop_isas base)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64|amd64")
  list(APPEND loop_isas avx2 avx512)
  set(loop_flags_avx2 -march=x86-64-v3)
  # Whole registers: the compilers stay at half of them otherwise.
  set(loop_flags_avx512 -march=x86-64-v4 -mprefer-vector-width=512)
endif()
# Products may be added without rounding them first, and nobody asks whether an exception was raised.
set(snug_loop_objects "")
if(loop_sources)
  foreach(isa IN LISTS loop_isas)
    add_library(snug_loops_${isa} OBJECT ${loop_sources})
    target_link_libraries(snug_loops_${isa} PRIVATE snug_common)
    target_compile_definitions(snug_loops_${isa} PRIVATE SNUG_ISA=${isa} SNUG_ISA_${isa})
    target_compile_options(
      snug_loops_${isa} PRIVATE -O3 -ffp-contract=fast -fno-trapping-math ${loop_flags_${isa}}
                                $<$<BOOL:${SNUG_FUZZ}>:-O1>) # fuzzers run none of them, but all are built
    list(APPEND snug_loop_objects $<TARGET_OBJECTS:snug_loops_${isa}>)
  endforeach()
endif()
