// What a public NativeModel stands for.
#pragma once

#include <memory>
#include <string>

#include "consort/native.hpp"
#include "unit/model_source.hpp"

namespace consort {

struct NativeModel::Data {
  std::string name;
  std::shared_ptr<const unit::ModelSource> source;
};

}  // namespace consort
