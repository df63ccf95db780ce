# consort_add_folder(NAME SOURCES … [LINKS …] [LIBRARIES …] [TESTS …] [TEST_LINKS …] [TEST_DEPENDS …])
#
# One folder of src/ is one static library `consort_<name>` (alias consort::<name>) and one test program
# `consort_<name>_tests` made of the files in its tests/. LINKS names other folders and is the folder's row
# in the dependency table: what is not named there cannot be included.
function(consort_add_folder name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINKS;LIBRARIES;TESTS;TEST_LINKS;TEST_DEPENDS" ${ARGN})

  add_library(consort_${name} STATIC ${ARG_SOURCES})
  add_library(consort::${name} ALIAS consort_${name})
  target_include_directories(consort_${name} PUBLIC "${PROJECT_SOURCE_DIR}/src" "${PROJECT_SOURCE_DIR}/include")
  list(TRANSFORM ARG_LINKS PREPEND consort::)
  target_link_libraries(consort_${name} PUBLIC ${ARG_LINKS} ${ARG_LIBRARIES} PRIVATE consort_warnings)

  if(CONSORT_TESTS AND ARG_TESTS)
    list(TRANSFORM ARG_TESTS PREPEND tests/)
    list(TRANSFORM ARG_TEST_LINKS PREPEND consort::)
    consort_add_tests(consort_${name}_tests
      SOURCES ${ARG_TESTS} LIBRARIES consort::${name} ${ARG_TEST_LINKS} DEPENDS ${ARG_TEST_DEPENDS})
  endif()
endfunction()

# consort_add_tests(TARGET SOURCES … LIBRARIES … [DEPENDS …]): one GoogleTest program, its tests known to ctest by name.
function(consort_add_tests target)
  cmake_parse_arguments(ARG "" "" "SOURCES;LIBRARIES;DEPENDS" ${ARGN})
  add_executable(${target} ${ARG_SOURCES})
  target_link_libraries(${target} PRIVATE ${ARG_LIBRARIES} GTest::gmock GTest::gtest_main consort_warnings)
  # The folder of our own FMUs, and one that a test may write into.
  target_compile_definitions(${target} PRIVATE
    CONSORT_FMU_DIR="${CONSORT_FMU_DIR}" CONSORT_TEST_TMP="${CMAKE_BINARY_DIR}/test-tmp"
    CONSORT_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  file(MAKE_DIRECTORY "${CMAKE_BINARY_DIR}/test-tmp")
  if(ARG_DEPENDS)
    add_dependencies(${target} ${ARG_DEPENDS})
  endif()
  gtest_discover_tests(${target} DISCOVERY_MODE PRE_TEST PROPERTIES TIMEOUT 300)
endfunction()
