# FMUs from models written in C++ (include/consort/model.hpp).
#
# consort_add_fmu(NAME MODEL header.hpp [CLASS Namespace::Class] VERSIONS 1 2 3 INTERFACES me cs
#                 [RESOURCES file…] [DEFINITIONS NAME=VALUE…])
#
# Builds ${CONSORT_FMU_DIR}/fmi2/NAME.fmu, fmi3/NAME.fmu, and for FMI 1.0, which has one interface per FMU,
# fmi1/cs/NAME.fmu and fmi1/me/NAME.fmu. The default of CLASS is NAME. The target NAME_fmus builds the FMUs of one
# model, consort_fmus those of all models.
set(CONSORT_FMU_DIR "${CMAKE_BINARY_DIR}/fmus")
add_custom_target(consort_fmus ALL)

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
endfunction()

function(consort_add_fmu name)
  cmake_parse_arguments(ARG "" "MODEL;CLASS" "VERSIONS;INTERFACES;RESOURCES;DEFINITIONS" ${ARGN})
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

  # The model itself, compiled once for all versions.
  get_filename_component(header "${ARG_MODEL}" ABSOLUTE)
  set(source "${CMAKE_CURRENT_BINARY_DIR}/${name}_model.cpp")
  file(CONFIGURE OUTPUT "${source}" @ONLY CONTENT
       "#include \"@header@\"\n\n#include \"glue/exported.hpp\"\n\nCONSORT_EXPORT_MODEL(@ARG_CLASS@, \"@name@\")\n")
  add_library(${name}_model OBJECT "${source}")
  target_compile_definitions(${name}_model PRIVATE ${ARG_DEFINITIONS})
  consort_set_fmu_options(${name}_model)

  add_custom_target(${name}_fmus)
  add_dependencies(consort_fmus ${name}_fmus)
  list(JOIN ARG_INTERFACES "," interfaces)
  foreach(version IN LISTS ARG_VERSIONS)
    if(version EQUAL 1)
      foreach(interface IN LISTS ARG_INTERFACES)
        consort_add_one_fmu(${name} 1 ${interface} fmi1/${interface} "${ARG_RESOURCES}")
      endforeach()
    elseif(version MATCHES "^[23]$")
      consort_add_one_fmu(${name} ${version} ${interfaces} fmi${version} "${ARG_RESOURCES}")
    else()
      message(FATAL_ERROR "consort_add_fmu(${name}): VERSIONS must be 1, 2 or 3, not '${version}'")
    endif()
  endforeach()
endfunction()

# Builds one binary, writes its description, and packs both.
function(consort_add_one_fmu name version interfaces folder resources)
  string(REPLACE "/" "_" suffix "${folder}")
  set(target ${name}_${suffix})
  if(version EQUAL 1)
    # In FMI 1.0, the names of functions begin with that of the model.
    set(runtime consort_fmu_1_${interfaces})
    add_library(${target} MODULE "${PROJECT_SOURCE_DIR}/src/glue/fmi1_${interfaces}_names.cpp")
    target_compile_definitions(${target} PRIVATE MODEL_IDENTIFIER=${name})
    consort_set_fmu_options(${target})
  else()
    set(runtime consort_fmu_${version})
    add_library(${target} MODULE)
  endif()
  # The importer looks up the FMI functions by name; without a call in the library, the linker would drop them.
  target_link_libraries(${target} PRIVATE
    -Wl,--whole-archive $<TARGET_FILE:${runtime}> -Wl,--no-whole-archive consort_fmu_core)
  add_dependencies(${target} ${runtime})
  set_target_properties(${target} PROPERTIES LINKER_LANGUAGE CXX LINK_DEPENDS $<TARGET_FILE:${runtime}>)
  target_sources(${target} PRIVATE $<TARGET_OBJECTS:${name}_model>)
  target_link_options(${target} PRIVATE -static-libstdc++ -static-libgcc -Wl,-Bsymbolic -Wl,--exclude-libs,libstdc++.a)

  set(stage "${CMAKE_CURRENT_BINARY_DIR}/${target}")
  set(platform $<IF:$<EQUAL:${version},3>,x86_64-linux,linux64>)
  if(version EQUAL 3)
    set(platform x86_64-linux)
  else()
    set(platform linux64)
  endif()
  set_target_properties(${target} PROPERTIES
    PREFIX "" OUTPUT_NAME ${name} LIBRARY_OUTPUT_DIRECTORY "${stage}/binaries/${platform}")

  set(fmu "${CONSORT_FMU_DIR}/${folder}/${name}.fmu")
  set(contents modelDescription.xml binaries)
  if(resources)
    list(TRANSFORM resources PREPEND "${CMAKE_CURRENT_SOURCE_DIR}/")
    list(APPEND contents resources)
    set(copy_resources COMMAND ${CMAKE_COMMAND} -E make_directory "${stage}/resources"
                       COMMAND ${CMAKE_COMMAND} -E copy_if_different ${resources} "${stage}/resources")
  endif()
  file(MAKE_DIRECTORY "${CONSORT_FMU_DIR}/${folder}")
  add_custom_command(OUTPUT "${fmu}"
    COMMAND consort_fmu_tool $<TARGET_FILE:${target}> ${version} ${interfaces} "Consort ${PROJECT_VERSION}"
            "${stage}/modelDescription.xml"
    ${copy_resources}
    COMMAND ${CMAKE_COMMAND} -E tar cf "${fmu}" --format=zip -- ${contents}
    WORKING_DIRECTORY "${stage}"
    DEPENDS ${target} consort_fmu_tool ${resources}
    COMMENT "FMU ${folder}/${name}.fmu"
    VERBATIM)
  add_custom_target(${target}_fmu DEPENDS "${fmu}")
  add_dependencies(${name}_fmus ${target}_fmu)
endfunction()
