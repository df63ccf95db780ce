# cmake --install: the program, the shared library with its public headers and its worker, and the files for
# find_package(consort) and pkg-config. The sources used by consort_add_fmu are installed too, so that models can be
# exported without the repository.
include(CMakePackageConfigHelpers)
set(consort_package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/consort")
set(consort_data_dir "${CMAKE_INSTALL_DATADIR}/consort")
set(consort_tool_dir "${CMAKE_INSTALL_LIBEXECDIR}/consort")
set(consort_include_dir "${CMAKE_INSTALL_INCLUDEDIR}")

# --- the program and the library

if(TARGET consort_cli)
  install(TARGETS consort_cli EXPORT consort RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
endif()
if(TARGET consort)
  install(TARGETS consort EXPORT consort
    LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}"
    INCLUDES DESTINATION "${consort_include_dir}")
  install(EXPORT consort FILE consortTargets.cmake NAMESPACE consort:: DESTINATION "${consort_package_dir}")
endif()
# The library starts this program for units in separate processes and looks for it in this folder.
install(TARGETS consort_worker RUNTIME DESTINATION "${consort_tool_dir}")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/consort" DESTINATION "${consort_include_dir}"
  FILES_MATCHING PATTERN "*.hpp" PATTERN "*.h")

# --- the Python package

if(TARGET consort_python)
  cmake_path(ABSOLUTE_PATH CONSORT_PYTHON_DIR BASE_DIRECTORY "${CMAKE_INSTALL_PREFIX}" OUTPUT_VARIABLE python_full)
  file(RELATIVE_PATH library "${python_full}/consort" "${CMAKE_INSTALL_FULL_LIBDIR}")
  set_target_properties(consort_python PROPERTIES INSTALL_RPATH "$ORIGIN/${library}")
  install(TARGETS consort_python LIBRARY DESTINATION "${CONSORT_PYTHON_DIR}/consort")
  get_target_property(files consort_python CONSORT_PACKAGE_FILES)
  install(FILES ${files} DESTINATION "${CONSORT_PYTHON_DIR}/consort")
endif()

# --- consort_add_fmu: the function, the program that it runs, and the sources that it compiles

set(consort_fmu_runtime "")
if(TARGET consort_fmu_tool)
  # The data directory has the same folders as the repository; only the root differs.
  foreach(file fmu.cmake fmu_windows.cmake)
    file(READ "${PROJECT_SOURCE_DIR}/cmake/${file}" text)
    string(REPLACE "\${PROJECT_SOURCE_DIR}" "\${CMAKE_CURRENT_FUNCTION_LIST_DIR}/.." text "${text}")
    string(REPLACE "\${PROJECT_VERSION}" "${PROJECT_VERSION}" text "${text}")
    file(WRITE "${PROJECT_BINARY_DIR}/installed/${file}" "${text}")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/cmake/${file}")
    install(FILES "${PROJECT_BINARY_DIR}/installed/${file}" DESTINATION "${consort_data_dir}/cmake")
  endforeach()
  install(TARGETS consort_fmu_tool RUNTIME DESTINATION "${consort_tool_dir}")
  foreach(folder base describe fmi/headers glue model solve)
    install(DIRECTORY "${PROJECT_SOURCE_DIR}/src/${folder}/" DESTINATION "${consort_data_dir}/src/${folder}"
      FILES_MATCHING PATTERN "*.hpp" PATTERN "*.h" PATTERN "tests" EXCLUDE)
  endforeach()
  install(DIRECTORY "${PROJECT_SOURCE_DIR}/src/glue/" DESTINATION "${consort_data_dir}/src/glue"
    FILES_MATCHING PATTERN "fmi1_*_names.cpp")

  # A folder of their own, because /usr/include contains headers of Linux, which the compiler for Windows must not see.
  install(FILES "${PROJECT_SOURCE_DIR}/include/consort/model.hpp" DESTINATION "${consort_data_dir}/include/consort")
  install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/consort/model" DESTINATION "${consort_data_dir}/include/consort"
    FILES_MATCHING PATTERN "*.hpp")

  # The runtime libraries of FMUs are compiled in the user's project. Installs their sources, as listed in src/glue.
  foreach(target consort_fmu_core consort_fmu_1_cs consort_fmu_1_me consort_fmu_2 consort_fmu_3)
    get_target_property(sources ${target} SOURCES)
    get_target_property(folder ${target} SOURCE_DIR)
    string(APPEND consort_fmu_runtime "  consort_add_fmu_runtime(${target}")
    foreach(source IN LISTS sources)
      cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY "${folder}" NORMALIZE)
      cmake_path(RELATIVE_PATH source BASE_DIRECTORY "${PROJECT_SOURCE_DIR}" OUTPUT_VARIABLE relative)
      cmake_path(GET relative PARENT_PATH parent)
      install(FILES "${source}" DESTINATION "${consort_data_dir}/${parent}")
      string(APPEND consort_fmu_runtime "\n    \"\${consort_data_dir}/${relative}\"")
    endforeach()
    string(APPEND consort_fmu_runtime ")\n")
  endforeach()
endif()

# --- files for find_package and pkg-config

configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/consortConfig.cmake.in"
  "${PROJECT_BINARY_DIR}/consortConfig.cmake"
  INSTALL_DESTINATION "${consort_package_dir}" PATH_VARS consort_data_dir consort_tool_dir consort_include_dir)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/consortConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/consortConfig.cmake" "${PROJECT_BINARY_DIR}/consortConfigVersion.cmake"
  DESTINATION "${consort_package_dir}")

# The path is relative to the file itself, so that an installed tree can be moved.
file(RELATIVE_PATH consort_pc_to_prefix "${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig" "${CMAKE_INSTALL_PREFIX}")
string(REGEX REPLACE "/$" "" consort_pc_to_prefix "${consort_pc_to_prefix}")
configure_file("${PROJECT_SOURCE_DIR}/cmake/consort.pc.in" "${PROJECT_BINARY_DIR}/consort.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/consort.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
