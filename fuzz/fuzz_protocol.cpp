// Any bytes as requests to a worker or as its answers must give an Error or a decoded message.
//
// The first byte determines whether the rest is used as requests or as an answer, and whether a valid header is put in
// front of it. Without a valid header, almost all inputs are rejected at once.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "describe/tests/builder.hpp"
#include "host/process/unit_client.hpp"
#include "host/process/unit_server.hpp"

namespace {

using namespace consort;
using Bytes = std::span<const std::uint8_t>;

describe::Description describe_unit() {
  describe::Builder b;
  b.add_input("u", 1);
  b.add_input("d", 2).variability = describe::Variability::discrete;
  b.dimensions(b.add_input("a", 3, Value(std::vector<double>{0, 0})), {describe::fixed_size(2)});
  b.add_input("b", 4, Value::scalar(Bool(false)));
  b.add_input("s", 5, Value::scalar(std::string("start")));
  const auto add_output = [&](std::string_view name, ValueReference reference, Type type) {
    b.add(name, reference, type).causality = describe::Causality::output;
  };
  add_output("y", 6, Type::Float64);
  add_output("flag", 7, Type::Boolean);
  add_output("text", 8, Type::String);
  add_output("bytes", 9, Type::Binary);
  return b.finish();
}

// A unit with all capabilities that accepts all values.
class Anything final : public unit::Unit, public unit::Rollback, public unit::Events, public unit::Derivatives {
 public:
  [[nodiscard]] const std::string& name() const override { return name_; }
  [[nodiscard]] const describe::Description& description() const override { return description_; }
  [[nodiscard]] bool variable_step() const override { return true; }
  [[nodiscard]] int input_order() const override { return 2; }
  [[nodiscard]] int output_order() const override { return 2; }
  [[nodiscard]] bool responds_without_step() const override { return true; }
  [[nodiscard]] Rollback* rollback() override { return this; }
  [[nodiscard]] Events* events() override { return this; }
  [[nodiscard]] Derivatives* derivatives() override { return this; }
  void enter_initialization(const unit::Experiment&) override {}
  void exit_initialization() override {}
  void terminate() override {}
  void get(const describe::SignalSet& signals, Columns& values) override {
    for (const auto& group : signals.groups()) {
      with_type(group.type, [&]<class T>() {
        auto& column = values.column<T>();
        CONSORT_ASSERT(column.size() >= group.elements());
        std::fill_n(column.begin(), group.elements(), T{});
      });
    }
  }
  void set(const describe::SignalSet& signals, Columns& values) override {
    for (const auto& group : signals.groups())
      with_type(group.type, [&]<class T>() { CONSORT_ASSERT(values.column<T>().size() >= group.elements()); });
  }
  unit::StepOutcome step(const unit::StepRequest& r) override {
    if (++steps_ > 10'000) throw run_error("step limit of the fuzz target");
    return {r.t + r.h, steps_ % 5 == 0 ? unit::Why::early : unit::Why::completed};
  }
  void get_output_derivatives(std::span<const ValueReference>, std::span<const std::int32_t>,
                              std::span<double> values) override {
    std::fill(values.begin(), values.end(), 1.0);
  }
  void enter_event_mode() override {}
  unit::EventOutcome update() override { return {steps_ % 2 == 0 && ++updates_ % 3 != 0, false, 1.0}; }
  void leave_event_mode() override {}
  std::unique_ptr<unit::Snapshot> save(std::unique_ptr<unit::Snapshot> reuse) override {
    return reuse ? std::move(reuse) : std::make_unique<unit::Snapshot>();
  }
  void restore(const unit::Snapshot&) override {}
  [[nodiscard]] bool can_serialize() const override { return true; }
  [[nodiscard]] std::vector<std::uint8_t> serialize(const unit::Snapshot&) override { return {1, 2, 3}; }
  [[nodiscard]] std::unique_ptr<unit::Snapshot> deserialize(Bytes) override {
    return std::make_unique<unit::Snapshot>();
  }
  void directional(std::span<const ValueReference> unknowns, std::span<const ValueReference> knowns,
                   std::span<const double> seed, std::span<double> sensitivity) override {
    CONSORT_ASSERT(sensitivity.size() >= unknowns.size() && seed.size() >= knowns.size());
    std::fill(sensitivity.begin(), sensitivity.end(), seed.empty() ? 0.0 : seed.back());
  }

 private:
  std::string name_ = "anything";
  describe::Description description_ = describe_unit();
  int steps_ = 0;
  int updates_ = 0;
};

// The wiring of a unit.
struct Wired {
  Wired() {
    const std::array<describe::VariableId, 5> in{0, 1, 2, 3, 4};
    const std::array<describe::VariableId, 4> out{5, 6, 7, 8};
    inputs = describe::SignalSet(description, in);
    outputs = describe::SignalSet(description, out);
    wiring.units.push_back({0, {&inputs, &outputs, {}, {}, 3, true}, 2});
    wiring.snapshots = {{0}, {}, {0}};
    signals.inputs = inputs.make_columns();
    signals.outputs = outputs.make_columns();
    signals.derivatives.assign(20, 0.0);
    signals.output_derivatives.assign(2, 0.0);
    signals.order = {1};
    signals.highest = 1;
    signals.next_event = {fleet::never};
  }
  describe::Description description = describe_unit();
  describe::SignalSet inputs, outputs;
  fleet::Wiring wiring;
  fleet::Signals signals;
};

std::vector<std::uint8_t> with_head(fleet::Message what, std::uint32_t flags, Bytes body) {
  std::vector<std::uint8_t> message(sizeof(fleet::Head) + body.size());
  const fleet::Head head{fleet::protocol_version, what, flags, message.size(), 0};
  std::memcpy(message.data(), &head, sizeof head);
  if (!body.empty()) std::memcpy(message.data() + sizeof head, body.data(), body.size());
  return message;
}

// The next byte of the input; 0 at its end.
std::uint8_t next(Bytes& bytes) {
  if (bytes.empty()) return 0;
  const auto first = bytes[0];
  bytes = bytes.subspan(1);
  return first;
}

void ask(host::UnitServer& server, fleet::MessageBuffer& answer, Bytes request) {
  const auto size = server.serve(request, answer);
  CONSORT_ASSERT(fleet::MessageReader(Bytes(answer.data(), size)).head().size == size);
}

void feed_worker(Bytes bytes, bool heads, bool connected) {
  host::UnitServer server([](const fleet::UnitSpec&, const host::Voice&) { return std::make_unique<Anything>(); });
  fleet::MessageBuffer buffer;
  if (connected) {
    Wired wired;
    const host::Voice voice;
    host::UnitClient client("anything", voice);
    const auto size = client.make(buffer, {.name = "anything"});
    ask(server, buffer, std::vector(buffer.data(), buffer.data() + size));
    const auto more = client.connect(buffer, wired.wiring, 0);
    ask(server, buffer, std::vector(buffer.data(), buffer.data() + more));
  }
  while (!bytes.empty()) {
    const auto what = static_cast<fleet::Message>(next(bytes) % fleet::message_count);
    const std::size_t low = next(bytes);
    const std::size_t high = next(bytes);
    const std::size_t size = std::min(low | high << 8, bytes.size());
    const auto body = bytes.first(size);
    bytes = bytes.subspan(size);
    heads ? ask(server, buffer, with_head(what, 0, body)) : ask(server, buffer, body);
  }
}

void feed_engine(Bytes bytes, bool heads) {
  Wired wired;
  const host::Voice voice{[](const LogMessage&) {}, [](std::string_view) {}};
  host::UnitClient client("anything", voice);
  fleet::MessageBuffer buffer;
  static_cast<void>(client.connect(buffer, wired.wiring, 0));
  const auto what = static_cast<fleet::Message>(next(bytes) % fleet::message_count);
  const auto flags = next(bytes);
  const unit::StepRequest request{};
  fleet::EventOutcome outcome;
  std::vector<std::uint8_t> state;
  Columns values = wired.outputs.make_columns();
  bool done = false;
  std::string refusal;
  const std::array<ValueReference, 1> unknowns{6}, knowns{1};
  const std::array<double, 1> seed{1};
  std::array<double, 1> sensitivity{};
  const fleet::DerivativeQuery query{0, unknowns, knowns, seed, sensitivity};
  switch (what) {
    case fleet::Message::make: client.make(buffer, {.name = "anything"}); break;
    case fleet::Message::work: client.work(buffer, {fleet::Verb::step, &request, &wired.signals}, true); break;
    case fleet::Message::differentiate:
      client.differentiate(buffer, fleet::DerivativeOf::outputs, std::span(&query, 1));
      break;
    case fleet::Message::configure: client.configure(buffer, wired.outputs, values, done); break;
    case fleet::Message::get: client.get(buffer, wired.outputs, values, {}); break;
    case fleet::Message::settle: client.settle(buffer, 0, outcome); break;
    case fleet::Message::reset: client.reset(buffer, done); break;
    case fleet::Message::try_get: client.try_get(buffer, wired.outputs, values, refusal); break;
    case fleet::Message::serialise: client.serialise(buffer, 0, state); break;
    default: client.ask(buffer, what);
  }
  fleet::Reply reply;
  try {
    static_cast<void>(client.read(heads ? Bytes(with_head(what, flags, bytes)) : bytes, reply));
  } catch (const Error&) {
  } catch (const std::bad_alloc&) {  // may come from the unit
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Bytes bytes(data, size);
  const auto mode = next(bytes);
  const bool heads = (mode & 2) != 0;
  (mode & 1) != 0 ? feed_engine(bytes, heads) : feed_worker(bytes, heads, (mode & 4) != 0);
  return 0;
}
