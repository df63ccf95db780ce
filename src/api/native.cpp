#include "consort/native.hpp"

#include <utility>

#include "api/native_data.hpp"
#include "base/error.hpp"
#include "model/built_in.hpp"

namespace consort {

namespace {

class LambdaFunctions final : public NativeUnit {
 public:
  explicit LambdaFunctions(std::shared_ptr<const Lambdas> of) : of_(std::move(of)) {}

  void initialize(NativeEvent& e) override {
    if (of_->initialize) of_->initialize(e);
  }
  void derivatives(const NativePoint& at, std::span<double> to) override {
    if (of_->f) of_->f(at, to);
  }
  void outputs(const NativePoint& at, std::span<double> to) override {
    if (of_->g) of_->g(at, to);
  }
  void indicators(const NativePoint& at, std::span<double> to) override {
    if (of_->z) of_->z(at, to);
  }
  void event(NativeEvent& e) override {
    if (of_->event) of_->event(e);
  }
  [[nodiscard]] bool has_directional() const override { return of_->directional != nullptr; }
  void directional(const NativePoint& at, const NativeDirection& d) override { of_->directional(at, d); }

 private:
  std::shared_ptr<const Lambdas> of_;
};

void check_functions(const Lambdas& l) {
  const auto complete = [&](bool needed, bool given, const char* what, const char* function) {
    require(!needed || given, "model '{}': it declares {}, but has no function '{}'; add it", l.name, what, function);
  };
  complete(!l.states.empty(), l.f != nullptr, "states", "f");
  complete(!l.outputs.empty(), l.g != nullptr, "outputs", "g");
  complete(l.indicators > 0, l.z != nullptr, "event indicators", "z");
  complete(l.indicators > 0, l.event != nullptr, "event indicators", "event");
  require(l.f == nullptr || !l.states.empty(), "model '{}': it has a function 'f', but declares no states", l.name);
  require(l.g == nullptr || !l.outputs.empty(), "model '{}': it has a function 'g', but declares no outputs", l.name);
  require(l.z == nullptr || l.indicators > 0, "model '{}': it has a function 'z'; say how many event indicators it has",
          l.name);
}

std::shared_ptr<const unit::ModelSource> source_of(Lambdas lambdas) {
  check_functions(lambdas);
  NativeDeclaration declaration{lambdas.name,      lambdas.description, lambdas.states, lambdas.inputs,
                                lambdas.outputs,   lambdas.parameters,  lambdas.memory, lambdas.indicators,
                                lambdas.stop_time, lambdas.step};
  return unit::make_model_source(std::move(declaration), [of = std::make_shared<const Lambdas>(std::move(lambdas))] {
    return std::make_unique<LambdaFunctions>(of);
  });
}

}  // namespace

NativeModel::NativeModel(Lambdas lambdas) {
  std::string name = lambdas.name;
  data_ = std::make_shared<Data>(Data{std::move(name), source_of(std::move(lambdas))});
}

NativeModel::NativeModel(NativeDeclaration declaration, std::function<std::unique_ptr<NativeUnit>()> make) {
  std::string name = declaration.name;
  data_ =
      std::make_shared<Data>(Data{std::move(name), unit::make_model_source(std::move(declaration), std::move(make))});
}

NativeModel::NativeModel(const model::Definition& definition, std::string name) {
  auto source = unit::make_model_source(definition, name);
  data_ = std::make_shared<Data>(Data{std::move(name), std::move(source)});
}

const std::string& NativeModel::name() const { return data_->name; }

std::vector<BuiltInModel> built_in_models() {
  std::vector<BuiltInModel> all;
  for (const auto& row : model::built_in_models())
    all.push_back({std::string(row.name), std::string(row.definition->info.description)});
  return all;
}

}  // namespace consort
