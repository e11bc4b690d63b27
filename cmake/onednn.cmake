# oneDNN: kernels for convolutions and large products.  Without it our own loops and the references do all of it.
option(SNUG_ONEDNN "use oneDNN; without it convolutions are slow" ON)

add_library(snug_onednn INTERFACE)
target_compile_definitions(snug_onednn INTERFACE SNUG_HAS_ONEDNN=$<BOOL:${SNUG_ONEDNN}>)
if(SNUG_ONEDNN)
  find_path(DNNL_INCLUDE oneapi/dnnl/dnnl.h)
  find_library(DNNL_LIBRARY dnnl)
  if(NOT DNNL_INCLUDE OR NOT DNNL_LIBRARY)
    message(FATAL_ERROR "oneDNN is missing: install libdnnl-dev (Debian, Ubuntu) or run ./setup.sh; elsewhere name "
                        "its folder with -DCMAKE_PREFIX_PATH, or build without it: -DSNUG_ONEDNN=OFF")
  endif()
  file(STRINGS ${DNNL_INCLUDE}/oneapi/dnnl/dnnl_version.h DNNL_VERSION REGEX "define DNNL_VERSION_M(AJ|IN)OR")
  string(REGEX REPLACE "[^0-9]+([0-9]+)[^0-9]+([0-9]+).*" "\\1.\\2" DNNL_VERSION "${DNNL_VERSION}")
  if(DNNL_VERSION VERSION_LESS 2.6 OR DNNL_VERSION VERSION_GREATER_EQUAL 4)
    message(FATAL_ERROR "oneDNN ${DNNL_VERSION} in ${DNNL_INCLUDE} will not do: it must be 2.6 or later, or a 3.x; "
                        "name the folder of such a one with -DCMAKE_PREFIX_PATH, or build without it: "
                        "-DSNUG_ONEDNN=OFF")
  endif()
  target_link_libraries(snug_onednn INTERFACE ${DNNL_LIBRARY})
  target_include_directories(snug_onednn SYSTEM INTERFACE ${DNNL_INCLUDE})
endif()
