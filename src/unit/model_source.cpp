#include "unit/model_source.hpp"

#include <utility>

#include "base/error.hpp"
#include "model/describe_model.hpp"
#include "unit/custom_description.hpp"
#include "unit/custom_instance.hpp"

namespace consort::unit {

namespace {

class StructSource final : public ModelSource {
 public:
  StructSource(const model::Definition& definition, std::string name)
      : definition_(definition), name_(std::move(name)), description_(model::describe_model(definition_, name_)) {}

  [[nodiscard]] const describe::Description& description() const override { return description_; }
  [[nodiscard]] std::unique_ptr<fmi::ModelExchange> instantiate(NativeOptions options) const override {
    return std::make_unique<NativeInstance>(definition_, name_, std::move(options));
  }

 private:
  const model::Definition& definition_;
  std::string name_;
  describe::Description description_;
};

class CustomSource final : public ModelSource {
 public:
  CustomSource(NativeDeclaration declaration, std::function<std::unique_ptr<NativeUnit>()> make)
      : declaration_(std::move(declaration)), make_(std::move(make)) {
    const auto probe = made();
    description_ = describe_custom(declaration_, *probe);
    layout_ = CustomLayout(declaration_);
  }

  [[nodiscard]] const describe::Description& description() const override { return description_; }
  [[nodiscard]] std::unique_ptr<fmi::ModelExchange> instantiate(NativeOptions options) const override {
    return std::make_unique<CustomInstance>(declaration_, layout_, description_, made(), std::move(options));
  }

 private:
  [[nodiscard]] std::unique_ptr<NativeUnit> made() const {
    auto unit = make_();
    require(unit != nullptr, "the model '{}' made no unit; return one from its function", declaration_.name);
    return unit;
  }

  NativeDeclaration declaration_;
  std::function<std::unique_ptr<NativeUnit>()> make_;
  describe::Description description_;
  CustomLayout layout_;
};

}  // namespace

std::shared_ptr<const ModelSource> make_model_source(const model::Definition& definition, std::string model_name) {
  return std::make_shared<StructSource>(definition, std::move(model_name));
}

std::shared_ptr<const ModelSource> make_model_source(NativeDeclaration declaration,
                                                     std::function<std::unique_ptr<NativeUnit>()> make) {
  return std::make_shared<CustomSource>(std::move(declaration), std::move(make));
}

}  // namespace consort::unit
