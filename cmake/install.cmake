# What `make install` puts where: headers, library, command, and the two ways to find them.
include(CMakePackageConfigHelpers)

set(snug_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/Snug)
file(RELATIVE_PATH SNUG_PREFIX_FROM_PC /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
configure_file(cmake/snug.pc.in snug.pc @ONLY)
configure_package_config_file(cmake/SnugConfig.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/SnugConfig.cmake
                              INSTALL_DESTINATION ${snug_package_dir})
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/SnugConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)

install(TARGETS snug EXPORT SnugTargets)
install(EXPORT SnugTargets NAMESPACE Snug:: DESTINATION ${snug_package_dir})
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/SnugConfig.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/SnugConfigVersion.cmake DESTINATION ${snug_package_dir})
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/snug.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
install(DIRECTORY include/snug DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
if(TARGET snug_cli)
  install(TARGETS snug_cli)
  install(FILES ${snug_completions}/snug DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
  install(FILES ${snug_completions}/_snug DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
  install(FILES ${snug_completions}/snug.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
endif()
file(GLOB manual_pages CONFIGURE_DEPENDS docs/*.1)
install(FILES ${manual_pages} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)

# In a wheel, library and command lie inside of the package; the library under the name that is looked for, as a
# wheel has no links.
if(SKBUILD AND TARGET snug_cli)
  install(FILES $<TARGET_FILE:snug> DESTINATION snug/lib RENAME libsnug.so.${SNUG_SOVERSION} COMPONENT python)
  set_target_properties(snug_cli PROPERTIES INSTALL_RPATH "$ORIGIN/../lib")
  install(TARGETS snug_cli DESTINATION snug/bin COMPONENT python)
endif()
