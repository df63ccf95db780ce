// Writes the model description of an FMU whose shared library has just been built.
//
//   consort_fmu_tool LIBRARY VERSION INTERFACES TOOL_NAME OUTPUT
//
// VERSION is 1, 2 or 3; INTERFACES is me, cs or me,cs. Fails with a text for the model's author if the model violates
// its declaration.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <string>
#include <vector>

#include <dlfcn.h>

#include "glue/description.hpp"

namespace {

using consort::glue::DescriptionOptions;
using consort::glue::Exported;

const Exported* load(const char* library) {
  void* handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    std::fprintf(stderr, "%s cannot be loaded: %s\n", library, dlerror());
    return nullptr;
  }
  void* symbol = dlsym(handle, "consort_exported_model");
  if (symbol == nullptr) {
    std::fprintf(stderr, "%s is not a model built with consort_add_fmu\n", library);
    return nullptr;
  }
  return static_cast<const Exported*>(reinterpret_cast<const void* (*)()>(symbol)());
}

std::string describe(const Exported& exported, char version, const DescriptionOptions& options) {
  switch (version) {
    case '1': return describe_fmi1(exported, options);
    case '2': return describe_fmi2(exported, options);
    default: return describe_fmi3(exported, options);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 6) {
    std::fprintf(stderr, "usage: %s LIBRARY VERSION INTERFACES TOOL_NAME OUTPUT\n", argv[0]);
    return EXIT_FAILURE;
  }
  const Exported* exported = load(argv[1]);
  if (exported == nullptr) return EXIT_FAILURE;
  std::vector<std::string> mistakes;
  try {
    mistakes = consort::glue::find_mistakes(*exported);
  } catch (const std::exception& e) {
    mistakes.emplace_back(e.what());
  }
  for (const std::string& mistake : mistakes) std::fprintf(stderr, "model %s: %s\n", exported->name, mistake.c_str());
  if (!mistakes.empty()) return EXIT_FAILURE;

  const std::string interfaces = argv[3];
  DescriptionOptions options;
  options.model_exchange = interfaces.find("me") != std::string::npos;
  options.co_simulation = interfaces.find("cs") != std::string::npos;
  options.generation_tool = argv[4];
  std::ofstream file(argv[5], std::ios::binary);
  file << describe(*exported, argv[2][0], options);
  file.close();
  if (!file) {
    std::fprintf(stderr, "%s cannot be written\n", argv[5]);
    return EXIT_FAILURE;
  }
  return EXIT_SUCCESS;
}
