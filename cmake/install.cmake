# cmake --install: the program, the shared library with its public headers, and what find_package(consort) and pkg-config
# need. The sources behind consort_add_fmu go along, so that models are exported without the repository.
include(CMakePackageConfigHelpers)
set(consort_package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/consort")
set(consort_data_dir "${CMAKE_INSTALL_DATADIR}/consort")

if(TARGET consort_cli)
  install(TARGETS consort_cli RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
endif()

if(TARGET consort)
  install(TARGETS consort EXPORT consort
    LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}"
    INCLUDES DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
  install(EXPORT consort FILE consortTargets.cmake NAMESPACE consort:: DESTINATION "${consort_package_dir}")
endif()
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/consort" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
  FILES_MATCHING PATTERN "*.hpp" PATTERN "*.h")

# The layout below the data directory is that of the repository, so that cmake/fmu.cmake finds the sources the same way.
install(FILES "${PROJECT_SOURCE_DIR}/cmake/fmu.cmake" DESTINATION "${consort_data_dir}/cmake")
foreach(folder src/glue src/model src/solve src/fmi/headers)
  if(EXISTS "${PROJECT_SOURCE_DIR}/${folder}")
    install(DIRECTORY "${PROJECT_SOURCE_DIR}/${folder}/" DESTINATION "${consort_data_dir}/${folder}"
      FILES_MATCHING PATTERN "*.hpp" PATTERN "*.h" PATTERN "*.cpp" PATTERN "*.c" PATTERN "tests" EXCLUDE)
  endif()
endforeach()

configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/consortConfig.cmake.in"
  "${PROJECT_BINARY_DIR}/consortConfig.cmake"
  INSTALL_DESTINATION "${consort_package_dir}" PATH_VARS consort_data_dir)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/consortConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/consortConfig.cmake" "${PROJECT_BINARY_DIR}/consortConfigVersion.cmake"
  DESTINATION "${consort_package_dir}")

# Relative to the file itself, so that an installed tree may be moved.
file(RELATIVE_PATH consort_pc_to_prefix "${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig" "${CMAKE_INSTALL_PREFIX}")
string(REGEX REPLACE "/$" "" consort_pc_to_prefix "${consort_pc_to_prefix}")
configure_file("${PROJECT_SOURCE_DIR}/cmake/consort.pc.in" "${PROJECT_BINARY_DIR}/consort.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/consort.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
