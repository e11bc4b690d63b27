# Tests that run on the device "far" as well (lib/far.h), as far/<area>/<file>.<name>: the part that is quick in `make test`, all of
# them in `make test-all`, which has the label.  What is left out looks at the processor's memory or timings itself.
set(far_quick train/fit train/edge train/habits train/limit train/notes train/odd_models train/alike train/environment)
set(far_all train/golden train/micro train/kernels train/lowered train/denormal train/available train/plan_samples train/process)

function(snug_add_far file label)
  get_filename_component(area ${file} DIRECTORY)
  get_filename_component(stem ${file} NAME)
  snug_scan_tests(${CMAKE_CURRENT_SOURCE_DIR}/${file}_test.c names)
  foreach(name IN LISTS names)
    add_test(NAME far/${file}.${name} COMMAND tests_${area} ${stem}.${name})
    set_tests_properties(
      far/${file}.${name}
      PROPERTIES TIMEOUT ${SNUG_TEST_TIMEOUT} LABELS "${label}"
                 ENVIRONMENT "SNUG_TEST_DEVICE=far;OMP_WAIT_POLICY=passive;${SNUG_TEST_CACHE}"
                 SKIP_REGULAR_EXPRESSION "\\[  SKIPPED \\]")
  endforeach()
endfunction()

foreach(file IN LISTS far_quick)
  snug_add_far(${file} far)
endforeach()
foreach(file IN LISTS far_all)
  snug_add_far(${file} far-all)
endforeach()
