// A model without an FMU, of which instances are made: a struct (consort/model.hpp), or functions and classes of the
// program (consort/native.hpp). Model Exchange units, groups and everything else take instances from it.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "consort/model.hpp"
#include "consort/native.hpp"
#include "describe/description.hpp"
#include "fmi/instance.hpp"
#include "unit/native_instance.hpp"

namespace consort::unit {

class ModelSource {
 public:
  virtual ~ModelSource() = default;
  // Of all instances. Its only interface is Model Exchange.
  [[nodiscard]] virtual const describe::Description& description() const = 0;
  // The source must outlive the instance.
  [[nodiscard]] virtual std::unique_ptr<fmi::ModelExchange> instantiate(NativeOptions options) const = 0;
};

// The definition must outlive the source.
[[nodiscard]] std::shared_ptr<const ModelSource> make_model_source(const model::Definition& definition,
                                                                   std::string model_name);

// Throws Error (input) for a wrong declaration. Calls `make` once, to learn what its units can do.
[[nodiscard]] std::shared_ptr<const ModelSource> make_model_source(NativeDeclaration declaration,
                                                                   std::function<std::unique_ptr<NativeUnit>()> make);

}  // namespace consort::unit
