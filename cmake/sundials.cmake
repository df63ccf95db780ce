# The target consort_sundials: the parts of SUNDIALS that Consort uses. SUNDIALS' own CMake package requires OpenMP (which
# Clang lacks) and PETSc.
find_path(CONSORT_SUNDIALS_INCLUDE cvode/cvode.h REQUIRED)
find_path(CONSORT_KLU_INCLUDE klu.h PATH_SUFFIXES suitesparse REQUIRED)
add_library(consort_sundials INTERFACE)
target_include_directories(consort_sundials SYSTEM INTERFACE "${CONSORT_SUNDIALS_INCLUDE}" "${CONSORT_KLU_INCLUDE}")

set(parts cvode ida arkode kinsol sunlinsolklu sunlinsoldense sunlinsolspgmr sunmatrixsparse sunmatrixdense nvecserial)
set(config "${CONSORT_SUNDIALS_INCLUDE}/sundials/sundials_config.h")
file(STRINGS "${config}" version_7 REGEX "^#define SUNDIALS_VERSION_MAJOR ([7-9]|[1-9][0-9])")
file(STRINGS "${config}" with_mpi REGEX "^#define SUNDIALS_MPI_ENABLED 1")
if(version_7)
  list(APPEND parts core)
endif()

if(NOT version_7 OR NOT with_mpi)
  foreach(part IN LISTS parts)
    find_library(CONSORT_SUNDIALS_${part} sundials_${part} REQUIRED)
    target_link_libraries(consort_sundials INTERFACE "${CONSORT_SUNDIALS_${part}}")
  endforeach()
  return()
endif()

# The shared library sundials_core of a SUNDIALS 7 with MPI loads MPI. The archives do not; what they miss of MPI without
# using it is in without_mpi.c. The headers need mpi.h.
find_package(MPI REQUIRED COMPONENTS C)
find_library(CONSORT_KLU klu REQUIRED)
target_include_directories(consort_sundials SYSTEM INTERFACE ${MPI_C_INCLUDE_DIRS})
add_library(consort_without_mpi STATIC "${PROJECT_SOURCE_DIR}/src/solve/sundials/without_mpi.c")
set(archives libconsort_without_mpi.a)
foreach(part IN LISTS parts)
  find_library(CONSORT_SUNDIALS_${part}_ARCHIVE libsundials_${part}.a REQUIRED)
  target_link_libraries(consort_sundials INTERFACE "${CONSORT_SUNDIALS_${part}_ARCHIVE}")
  list(APPEND archives libsundials_${part}.a)
endforeach()
target_link_libraries(consort_sundials INTERFACE consort_without_mpi "${CONSORT_KLU}" m)
# The names of the archives stay inside libconsort, so that a model with a SUNDIALS or MPI of its own does not get these.
list(JOIN archives ":" archives)
target_link_options(consort_sundials INTERFACE "LINKER:--exclude-libs,${archives}")
