# consort_add_folder(NAME [OFF_THE_STEP] SOURCES … [LINKS …] [LIBRARIES …] [TESTS …] [TEST_LINKS …] [TEST_DEPENDS …])
#
# Each folder of src/ is a static library `consort_<name>` (alias consort::<name>) and a test program
# `consort_<name>_tests`, made of the files in its tests/. LINKS names other folders and is the folder's row in the
# dependency table: other folders cannot be included. OFF_THE_STEP: no step runs this code, so it is compiled with -O1 in
# a third less time.
function(consort_add_folder name)
  cmake_parse_arguments(ARG "OFF_THE_STEP" "" "SOURCES;LINKS;LIBRARIES;TESTS;TEST_LINKS;TEST_DEPENDS" ${ARGN})

  # Fewer, larger files compile in less time; on the step, their size decides what the compiler inlines.
  set(files_at_a_time 8)
  if(ARG_OFF_THE_STEP)
    set(files_at_a_time 16)
  endif()
  consort_join_sources(sources consort_${name} ${files_at_a_time} ${ARG_SOURCES})
  add_library(consort_${name} STATIC ${sources})
  add_library(consort::${name} ALIAS consort_${name})
  target_include_directories(consort_${name} PUBLIC "${PROJECT_SOURCE_DIR}/src" "${PROJECT_SOURCE_DIR}/include")
  if(ARG_OFF_THE_STEP)
    consort_optimise_less(consort_${name})
  endif()
  list(TRANSFORM ARG_LINKS PREPEND consort::)
  target_link_libraries(consort_${name} PUBLIC ${ARG_LINKS} ${ARG_LIBRARIES} PRIVATE consort_warnings)

  if(CONSORT_TESTS AND ARG_TESTS)
    list(TRANSFORM ARG_TESTS PREPEND tests/)
    list(TRANSFORM ARG_TEST_LINKS PREPEND consort::)
    consort_add_tests(consort_${name}_tests
      SOURCES ${ARG_TESTS} LIBRARIES consort::${name} ${ARG_TEST_LINKS} DEPENDS ${ARG_TEST_DEPENDS})
  endif()
endfunction()

# For code that no step runs. Builds for debugging and sanitizers keep their own level.
function(consort_optimise_less target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
endfunction()

# consort_join_sources(OUT TARGET SIZE source…): OUT is a list of files that include SIZE sources each, because the
# compiler spends most of its time on headers. With CONSORT_JOIN off, which suits work on single files and clang-tidy, OUT
# is the list of sources. The files contain no absolute path, so they are the same in every checkout.
function(consort_join_sources out target size)
  if(NOT CONSORT_JOIN)
    set(${out} ${ARGN} PARENT_SCOPE)
    return()
  endif()
  set(joined "")
  set(text "")
  set(count 0)
  list(LENGTH ARGN left)
  foreach(source IN LISTS ARGN)
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}" NORMALIZE)
    cmake_path(RELATIVE_PATH source BASE_DIRECTORY "${PROJECT_SOURCE_DIR}/src")
    string(APPEND text "#include \"${source}\"\n")
    math(EXPR count "${count} + 1")
    math(EXPR left "${left} - 1")
    math(EXPR full "${count} % ${size}")
    if(full EQUAL 0 OR left EQUAL 0)
      list(LENGTH joined index)
      set(file "${CMAKE_CURRENT_BINARY_DIR}/${target}_${index}.cpp")
      file(CONFIGURE OUTPUT "${file}" CONTENT "${text}" @ONLY)
      list(APPEND joined "${file}")
      set(text "")
    endif()
  endforeach()
  set(${out} ${joined} PARENT_SCOPE)
endfunction()

# consort_add_tests(TARGET SOURCES … LIBRARIES … [DEPENDS …]): a GoogleTest program whose tests ctest knows by name.
# Tests are compiled without optimisation, because they are most of the code and the tested libraries are optimised.
function(consort_add_tests target)
  cmake_parse_arguments(ARG "" "" "SOURCES;LIBRARIES;DEPENDS" ${ARGN})
  consort_join_sources(sources ${target} 6 ${ARG_SOURCES})
  add_executable(${target} ${sources})
  target_compile_options(${target} PRIVATE -O0)
  target_link_libraries(${target} PRIVATE
    ${ARG_LIBRARIES} consort_test_places GTest::gmock GTest::gtest_main consort_warnings)
  if(ARG_DEPENDS)
    add_dependencies(${target} ${ARG_DEPENDS})
  endif()
  gtest_discover_tests(${target} DISCOVERY_MODE PRE_TEST PROPERTIES TIMEOUT 300)
endfunction()

# Paths of the build tree, for tests (src/base/tests/places.hpp).
if(CONSORT_TESTS)
  file(MAKE_DIRECTORY "${CMAKE_BINARY_DIR}/test-tmp")
  add_library(consort_test_places STATIC "${PROJECT_SOURCE_DIR}/src/base/tests/places.cpp")
  target_include_directories(consort_test_places PUBLIC "${PROJECT_SOURCE_DIR}/src")
  target_compile_definitions(consort_test_places PRIVATE
    CONSORT_SOURCE_DIR="${PROJECT_SOURCE_DIR}" CONSORT_BUILD_DIR="${PROJECT_BINARY_DIR}"
    CONSORT_FMU_DIR="${CMAKE_BINARY_DIR}/fmus" CONSORT_TEST_TMP="${CMAKE_BINARY_DIR}/test-tmp"
    CONSORT_PROGRAM="$<TARGET_FILE:consort_cli>" CONSORT_WORKER_PROGRAM="$<TARGET_FILE:consort_worker>"
    CONSORT_TEST_WORKER="$<TARGET_FILE:consort_test_worker>")
endif()
