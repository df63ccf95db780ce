# Everything we use from Debian 12, found once and given one name each.
find_package(fmt REQUIRED)
find_package(Threads REQUIRED)
find_package(pugixml REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(CLI11 REQUIRED)
find_package(Eigen3 REQUIRED NO_MODULE)

# find_package(libzip) fails on Debian 12 without its command line tools, pkg-config does not.
find_package(PkgConfig REQUIRED)
pkg_check_modules(libzip REQUIRED IMPORTED_TARGET libzip)

# The serial C library; HDF5's own targets carry no SYSTEM include folders.
set(HDF5_PREFER_PARALLEL OFF)
find_package(HDF5 REQUIRED COMPONENTS C)
add_library(consort_hdf5 INTERFACE)
target_include_directories(consort_hdf5 SYSTEM INTERFACE ${HDF5_C_INCLUDE_DIRS})
target_link_libraries(consort_hdf5 INTERFACE "${HDF5_C_LIBRARY_hdf5}")

# SUNDIALS' own CMake package insists on OpenMP (which Clang lacks), PETSc and MPI; we link only what we use.
find_path(CONSORT_SUNDIALS_INCLUDE cvode/cvode.h REQUIRED)
find_path(CONSORT_KLU_INCLUDE klu.h PATH_SUFFIXES suitesparse REQUIRED)
add_library(consort_sundials INTERFACE)
target_include_directories(consort_sundials SYSTEM INTERFACE "${CONSORT_SUNDIALS_INCLUDE}" "${CONSORT_KLU_INCLUDE}")
foreach(part cvode ida arkode kinsol sunlinsolklu sunlinsoldense sunlinsolspgmr sunmatrixsparse sunmatrixdense nvecserial)
  find_library(CONSORT_SUNDIALS_${part} sundials_${part} REQUIRED)
  target_link_libraries(consort_sundials INTERFACE "${CONSORT_SUNDIALS_${part}}")
endforeach()

if(CONSORT_TESTS)
  find_package(GTest REQUIRED)
  include(GoogleTest)
endif()
if(CONSORT_BENCH)
  find_package(benchmark REQUIRED)
endif()
