# The binaries of FMUs for 64-bit Windows, built with mingw-w64. CMake knows one C++ compiler per project, so these are
# custom commands, not libraries. Only cmake/fmu.cmake uses this file.

# std::thread needs the variant with POSIX threads until GCC 12.
find_program(CONSORT_WINDOWS_COMPILER NAMES x86_64-w64-mingw32-g++-posix x86_64-w64-mingw32-g++
  DOC "C++ compiler of mingw-w64, for the win64 binaries of FMUs")

# consort_compile_for_windows(TARGET LIKE source…): the target compiles the sources with the definitions and include
# folders of the library LIKE; its property CONSORT_OBJECTS lists the object files.
function(consort_compile_for_windows target like)
  set(folder "${CMAKE_CURRENT_BINARY_DIR}/${target}")
  file(MAKE_DIRECTORY "${folder}")
  set(definitions $<TARGET_PROPERTY:${like},COMPILE_DEFINITIONS>)
  # In a package below /usr, the list contains the headers of Linux.
  set(includes $<FILTER:$<TARGET_PROPERTY:${like},INCLUDE_DIRECTORIES>,EXCLUDE,^/usr/include/?$>)
  set(objects "")
  foreach(source IN LISTS ARGN)
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}" NORMALIZE)
    cmake_path(GET source STEM name)
    set(object "${folder}/${name}.obj")
    # The options of the Linux binaries that affect numbers; sanitizers do not exist for Windows.
    add_custom_command(OUTPUT "${object}"
      COMMAND ${CMAKE_CXX_COMPILER_LAUNCHER} "${CONSORT_WINDOWS_COMPILER}" -std=c++20 -O2 -DNDEBUG -ffp-contract=off
              $<TARGET_PROPERTY:consort_warnings,INTERFACE_COMPILE_OPTIONS> -Wno-restrict
              "$<$<BOOL:${definitions}>:-D$<JOIN:${definitions},;-D>>" "$<$<BOOL:${includes}>:-I$<JOIN:${includes},;-I>>"
              -MD -MT "${object}" -MF "${object}.d" -c "${source}" -o "${object}"
      DEPENDS "${source}"
      DEPFILE "${object}.d"
      COMMENT "${name} for Windows"
      COMMAND_EXPAND_LISTS VERBATIM)
    list(APPEND objects "${object}")
  endforeach()
  add_custom_target(${target} DEPENDS ${objects})
  set_target_properties(${target} PROPERTIES CONSORT_OBJECTS "${objects}")
endfunction()

# consort_link_for_windows(TARGET DLL part…): the target links the objects of the parts, targets of
# consort_compile_for_windows that may be added later. The DLL needs no other DLLs than those of Windows, and equal
# objects make equal DLLs.
function(consort_link_for_windows target dll)
  set(objects ${ARGN})
  list(TRANSFORM objects REPLACE "(.+)" "$<TARGET_PROPERTY:\\1,CONSORT_OBJECTS>")
  cmake_path(GET dll PARENT_PATH folder)
  cmake_path(GET dll FILENAME name)
  file(MAKE_DIRECTORY "${folder}")
  add_custom_command(OUTPUT "${dll}"
    COMMAND "${CONSORT_WINDOWS_COMPILER}" -shared -static -static-libgcc -static-libstdc++ -s
            -Wl,--no-insert-timestamp ${objects} -o "${dll}"
    DEPENDS ${ARGN} ${objects}
    COMMENT "${name}"
    COMMAND_EXPAND_LISTS VERBATIM)
  add_custom_target(${target} DEPENDS "${dll}")
  add_dependencies(${target} ${ARGN})
endfunction()
