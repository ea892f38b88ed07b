# What `cmake --install` lays down, in three components: `runtime` (the library that programs link, with its oneDNN part),
# `compiler` (the library that the runtime opens at the first compile) and `development` (headers, CMake package,
# pkg-config files). Nothing in it knows the prefix, so an installed tree may be moved.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(TENSORJIT_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/TensorJIT)

install(TARGETS tensorjit EXPORT TensorJITTargets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime NAMELINK_COMPONENT development
  INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
if(TARGET tensorjit_onednn)
  install(TARGETS tensorjit_onednn LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime)
endif()
if(TENSORJIT_STATIC_LLVM)
  install(TARGETS tensorjit_compiler_static_llvm LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT compiler)
elseif(TARGET tensorjit_compiler)
  install(TARGETS tensorjit_compiler LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT compiler)
endif()

install(DIRECTORY runtime/include/tensorjit DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)
install(DIRECTORY ${TENSORJIT_GENERATED_DIR}/tensorjit DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development
  FILES_MATCHING PATTERN "*.h" PATTERN "*Methods.inc" PATTERN "AllFamilies.inc")
install(FILES ${TENSORJIT_GENERATED_DIR}/docs/ops.md README.md LICENSE
  DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT development)

install(EXPORT TensorJITTargets NAMESPACE TensorJIT:: DESTINATION ${TENSORJIT_CMAKE_DIR} COMPONENT development)
configure_package_config_file(cmake/TensorJITConfig.cmake.in ${CMAKE_BINARY_DIR}/cmake/TensorJITConfig.cmake
  INSTALL_DESTINATION ${TENSORJIT_CMAKE_DIR} PATH_VARS CMAKE_INSTALL_LIBDIR)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/cmake/TensorJITConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/cmake/TensorJITConfig.cmake ${CMAKE_BINARY_DIR}/cmake/TensorJITConfigVersion.cmake
  DESTINATION ${TENSORJIT_CMAKE_DIR} COMPONENT development)

# ${pcfiledir} is the folder of the .pc file itself.
file(RELATIVE_PATH TENSORJIT_PC_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
foreach(package tensorjit tensorjit-runtime)
  configure_file(cmake/${package}.pc.in ${CMAKE_BINARY_DIR}/cmake/${package}.pc @ONLY)
endforeach()
install(FILES ${CMAKE_BINARY_DIR}/cmake/tensorjit-runtime.pc
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)
if(TARGET tensorjit_compiler)
  install(FILES ${CMAKE_BINARY_DIR}/cmake/tensorjit.pc
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT compiler)
endif()
