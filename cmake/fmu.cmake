# FMUs from models written in C++ (include/consort/model.hpp).
#
# consort_add_fmu(NAME MODEL header.hpp [CLASS Namespace::Class] VERSIONS 1 2 3 INTERFACES me cs
#                 [PLATFORMS linux64 win64] [ALONE linux64 win64] [RESOURCES file…] [DEFINITIONS NAME=VALUE…])
#
# Builds ${CONSORT_FMU_DIR}/fmi2/NAME.fmu, fmi3/NAME.fmu, and for FMI 1.0, which has one interface per FMU,
# fmi1/cs/NAME.fmu and fmi1/me/NAME.fmu. The default of CLASS is NAME. The target NAME_fmus builds the FMUs of one
# model, consort_fmus those of all models.
#
# PLATFORMS: the binaries that the FMUs contain, only linux64 if not given. win64 needs the C++ compiler of mingw-w64.
# ALONE: some of these platforms; further FMUs contain the binary of one of them only, for example
# ${CONSORT_FMU_DIR}/win64/fmi2/NAME.fmu.
cmake_policy(SET CMP0116 NEW)  # DEPFILE with paths relative to the binary folder of the caller
set(CONSORT_FMU_DIR "${CMAKE_BINARY_DIR}/fmus")
add_custom_target(consort_fmus ALL)
include("${CMAKE_CURRENT_LIST_DIR}/fmu_windows.cmake")

# Many FMUs run in one process: their symbols must not be merged (STB_GNU_UNIQUE, RTLD_GLOBAL), and they contain the
# libraries that a fresh machine lacks.
function(consort_set_fmu_options target)
  target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}/src" "${PROJECT_SOURCE_DIR}/include")
  target_compile_options(${target} PRIVATE -O2 $<$<CXX_COMPILER_ID:GNU>:-fno-gnu-unique>)
  target_link_libraries(${target} PRIVATE consort_warnings)
endfunction()

# A static library that FMUs are linked with.
function(consort_add_fmu_runtime target)
  add_library(${target} STATIC ${ARGN})
  consort_set_fmu_options(${target})
  if(CONSORT_WINDOWS_COMPILER)
    consort_compile_for_windows(${target}_win64 ${target} ${ARGN})
  endif()
endfunction()

# Stops the configuration if the binaries for these platforms cannot be built. The default of ARG_PLATFORMS is linux64.
macro(consort_check_platforms name)
  if(NOT ARG_PLATFORMS)
    set(ARG_PLATFORMS linux64)
  endif()
  foreach(platform IN LISTS ARG_PLATFORMS)
    if(NOT platform MATCHES "^(linux64|win64)$")
      message(FATAL_ERROR "consort_add_fmu(${name}): PLATFORMS must be linux64 or win64, not '${platform}'")
    endif()
  endforeach()
  foreach(platform IN LISTS ARG_ALONE)
    if(NOT platform IN_LIST ARG_PLATFORMS)
      message(FATAL_ERROR "consort_add_fmu(${name}): ALONE names '${platform}'; add it to PLATFORMS")
    endif()
  endforeach()
  if("win64" IN_LIST ARG_PLATFORMS AND NOT CONSORT_WINDOWS_COMPILER)
    message(FATAL_ERROR "consort_add_fmu(${name}): win64 needs x86_64-w64-mingw32-g++; install the Debian package "
                        "g++-mingw-w64-x86-64, set CONSORT_WINDOWS_COMPILER, or remove win64 from PLATFORMS")
  endif()
endmacro()

function(consort_add_fmu name)
  cmake_parse_arguments(ARG "" "MODEL;CLASS" "VERSIONS;INTERFACES;PLATFORMS;ALONE;RESOURCES;DEFINITIONS" ${ARGN})
  if(NOT ARG_MODEL OR NOT ARG_VERSIONS OR NOT ARG_INTERFACES OR ARG_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "consort_add_fmu(${name}): write consort_add_fmu(NAME MODEL header.hpp VERSIONS 1 2 3 "
                        "INTERFACES me cs); unknown arguments: '${ARG_UNPARSED_ARGUMENTS}'")
  endif()
  if(NOT ARG_CLASS)
    set(ARG_CLASS ${name})
  endif()
  foreach(item IN LISTS ARG_INTERFACES)
    if(NOT item MATCHES "^(me|cs)$")
      message(FATAL_ERROR "consort_add_fmu(${name}): INTERFACES must be me or cs, not '${item}'")
    endif()
  endforeach()
  consort_check_platforms(${name})

  # The model itself, compiled once for all versions and once per platform.
  get_filename_component(header "${ARG_MODEL}" ABSOLUTE)
  set(source "${CMAKE_CURRENT_BINARY_DIR}/${name}_model.cpp")
  file(CONFIGURE OUTPUT "${source}" @ONLY CONTENT
       "#include \"@header@\"\n\n#include \"glue/exported.hpp\"\n\nCONSORT_EXPORT_MODEL(@ARG_CLASS@, \"@name@\")\n")
  add_library(${name}_model OBJECT "${source}")
  target_compile_definitions(${name}_model PRIVATE ${ARG_DEFINITIONS})
  consort_set_fmu_options(${name}_model)
  if("win64" IN_LIST ARG_PLATFORMS)
    consort_compile_for_windows(${name}_model_win64 ${name}_model "${source}")
  endif()

  add_custom_target(${name}_fmus)
  add_dependencies(consort_fmus ${name}_fmus)
  list(JOIN ARG_INTERFACES "," interfaces)
  foreach(version IN LISTS ARG_VERSIONS)
    if(version EQUAL 1)
      foreach(interface IN LISTS ARG_INTERFACES)
        consort_add_one_fmu(${name} 1 ${interface} fmi1/${interface})
      endforeach()
    elseif(version MATCHES "^[23]$")
      consort_add_one_fmu(${name} ${version} ${interfaces} fmi${version})
    else()
      message(FATAL_ERROR "consort_add_fmu(${name}): VERSIONS must be 1, 2 or 3, not '${version}'")
    endif()
  endforeach()
endfunction()

# Builds the binaries, writes their description, and packs the FMU; reads PLATFORMS, ALONE and RESOURCES of
# consort_add_fmu. The binary for Linux is always built, because the description is written by a program that loads it.
function(consort_add_one_fmu name version interfaces folder)
  string(REPLACE "/" "_" suffix "${folder}")
  set(target ${name}_${suffix})
  set(runtime consort_fmu_${version})
  set(names "")
  if(version EQUAL 1)
    # In FMI 1.0, the names of functions begin with that of the model.
    set(runtime consort_fmu_1_${interfaces})
    set(names "${PROJECT_SOURCE_DIR}/src/glue/fmi1_${interfaces}_names.cpp")
  endif()
  set(linux64 linux64)
  set(win64 win64)
  if(version EQUAL 3)
    set(linux64 x86_64-linux)
    set(win64 x86_64-windows)
  endif()
  set(stage "${CMAKE_CURRENT_BINARY_DIR}/${target}")

  consort_add_linux_binary(${target} ${name} "${stage}/binaries/${linux64}" ${runtime} "${names}")
  set(built ${target})
  if("win64" IN_LIST ARG_PLATFORMS)
    set(dll "${stage}/binaries/${win64}/${name}.dll")
    set(parts ${name}_model_win64 ${runtime}_win64 consort_fmu_core_win64)
    if(names)
      consort_compile_for_windows(${target}_names_win64 ${target} "${names}")
      list(APPEND parts ${target}_names_win64)
    endif()
    consort_link_for_windows(${target}_win64 "${dll}" ${parts})
    list(APPEND built ${target}_win64 "${dll}")
  endif()

  set(fmu "${CONSORT_FMU_DIR}/${folder}/${name}.fmu")
  set(contents modelDescription.xml)
  set(resources ${ARG_RESOURCES})
  if(resources)
    list(TRANSFORM resources PREPEND "${CMAKE_CURRENT_SOURCE_DIR}/")
    list(APPEND contents resources)
    set(copy_resources COMMAND ${CMAKE_COMMAND} -E make_directory "${stage}/resources"
                       COMMAND ${CMAKE_COMMAND} -E copy_if_different ${resources} "${stage}/resources")
  endif()
  set(binaries "")
  foreach(platform IN LISTS ARG_PLATFORMS)
    list(APPEND binaries "binaries/${${platform}}")
  endforeach()
  file(MAKE_DIRECTORY "${CONSORT_FMU_DIR}/${folder}")
  add_custom_command(OUTPUT "${fmu}"
    COMMAND consort_fmu_tool $<TARGET_FILE:${target}> ${version} ${interfaces} "Consort ${PROJECT_VERSION}"
            "${stage}/modelDescription.xml"
    ${copy_resources}
    COMMAND ${CMAKE_COMMAND} -E tar cf "${fmu}" --format=zip -- ${contents} ${binaries}
    WORKING_DIRECTORY "${stage}"
    DEPENDS ${built} consort_fmu_tool ${resources}
    COMMENT "FMU ${folder}/${name}.fmu"
    VERBATIM)
  set(fmus "${fmu}")
  foreach(platform IN LISTS ARG_ALONE)
    set(alone "${CONSORT_FMU_DIR}/${platform}/${folder}/${name}.fmu")
    file(MAKE_DIRECTORY "${CONSORT_FMU_DIR}/${platform}/${folder}")
    add_custom_command(OUTPUT "${alone}"
      COMMAND ${CMAKE_COMMAND} -E tar cf "${alone}" --format=zip -- ${contents} "binaries/${${platform}}"
      WORKING_DIRECTORY "${stage}"
      DEPENDS "${fmu}"
      COMMENT "FMU ${platform}/${folder}/${name}.fmu"
      VERBATIM)
    list(APPEND fmus "${alone}")
  endforeach()
  add_custom_target(${target}_fmu DEPENDS ${fmus})
  add_dependencies(${name}_fmus ${target}_fmu)
endfunction()

function(consort_add_linux_binary target name folder runtime names)
  add_library(${target} MODULE)
  if(names)
    target_sources(${target} PRIVATE "${names}")
    target_compile_definitions(${target} PRIVATE MODEL_IDENTIFIER=${name})
    consort_set_fmu_options(${target})
  endif()
  # The importer looks up the FMI functions by name; without a call in the library, the linker would drop them.
  target_link_libraries(${target} PRIVATE
    -Wl,--whole-archive $<TARGET_FILE:${runtime}> -Wl,--no-whole-archive consort_fmu_core)
  add_dependencies(${target} ${runtime})
  set_target_properties(${target} PROPERTIES LINKER_LANGUAGE CXX LINK_DEPENDS $<TARGET_FILE:${runtime}>)
  target_sources(${target} PRIVATE $<TARGET_OBJECTS:${name}_model>)
  target_link_options(${target} PRIVATE -static-libstdc++ -static-libgcc -Wl,-Bsymbolic -Wl,--exclude-libs,libstdc++.a)
  set_target_properties(${target} PROPERTIES PREFIX "" OUTPUT_NAME ${name} LIBRARY_OUTPUT_DIRECTORY "${folder}")
endfunction()
