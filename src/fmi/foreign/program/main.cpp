// Calls a binary that the engine cannot load into its own process: a DLL for Windows, or a library for 32 bits. The
// engine starts this program and sends it calls through shared memory.
#include <cstdio>

#include "fmi/foreign/program/platform.hpp"
#include "fmi/foreign/program/server.hpp"

int main(int argc, char** argv) {
  using namespace consort::fmi::foreign;
  if (argc != 2 || !platform::open_segment(argv[1])) {
    std::fprintf(stderr, "Consort starts this program for binaries of other platforms; do not start it yourself\n");
    return 2;
  }
  std::uint8_t* const view = platform::map_segment(front_size + first_capacity);
  auto* const front = reinterpret_cast<Front*>(view);
  if (view == nullptr || front->magic != magic || front->protocol != protocol) return 3;
  platform::begin(*front);
  Server(*front, view).run();
  return 4;  // the engine has sent something that does not exist
}
