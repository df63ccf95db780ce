// Reads a number from a file in its resources.
#pragma once

#include <cstdio>
#include <string>

#include <consort/model.hpp>

struct Resource {
  double y = 0;

  static constexpr auto describe() {
    using M = Resource;
    using namespace consort::model;
    return declare({.description = "Reads a number from resources/answer.txt"},
                   calculated_parameter<&M::y>("number in the file"));
  }

  void initialize(const consort::model::Context& c) {
    const std::string name = std::string(c.resources()) + "/answer.txt";
    std::FILE* file = std::fopen(name.c_str(), "r");
    if (file == nullptr) throw consort::model::Failure("cannot open " + name);
    const int read = std::fscanf(file, "%lf", &y);
    std::fclose(file);
    if (read != 1) throw consort::model::Failure("the file contains no number: " + name);
  }
};
