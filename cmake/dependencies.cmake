# Everything we use from Debian 12, found once and given one name each.
find_package(fmt REQUIRED)
find_package(Threads REQUIRED)
find_package(pugixml REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)

# find_package(libzip) fails on Debian 12 without its command line tools, pkg-config does not.
find_package(PkgConfig REQUIRED)
pkg_check_modules(libzip REQUIRED IMPORTED_TARGET libzip)

if(CONSORT_TESTS)
  find_package(GTest REQUIRED)
  include(GoogleTest)
endif()
if(CONSORT_BENCH)
  find_package(benchmark REQUIRED)
endif()
