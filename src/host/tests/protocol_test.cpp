// Messages between the engine and a worker, within one process: damaged messages are rejected.
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "base/error.hpp"
#include "host/process/channel.hpp"
#include "host/process/unit_client.hpp"
#include "host/process/unit_server.hpp"
#include "host/tests/test_units.hpp"
#include "host/tests/toy_system.hpp"

namespace consort::host {
namespace {

using fleet::Damaged;
using fleet::Message;
using testing::HasSubstr;
using testing::ThrowsMessage;
using Bytes = std::vector<std::uint8_t>;

// A client and a server that exchange messages through two buffers.
class Pair {
 public:
  explicit Pair(const std::string& model)
      : system(std::vector<fleet::UnitSpec>{{.name = "unit", .model = model}}),
        server([](const fleet::UnitSpec& spec, const Voice& v) { return make_test_unit(spec, v); }) {
    wiring.units.push_back({0, system.blocks[0], 0});
    wiring.snapshots = {{0}, {}};
    wiring.replies = std::span(&reply, 1);
  }
  Bytes request(std::size_t size) { return {buffer.data(), buffer.data() + size}; }
  Bytes serve(const Bytes& bytes) {
    const auto size = server.serve(bytes, answer);
    return {answer.data(), answer.data() + size};
  }
  bool ask(std::size_t size) { return client.read(serve(request(size)), reply); }
  void begin() {
    ask(client.make(buffer, system.specs[0]));
    ask(client.connect(buffer, wiring, 0));
  }
  Bytes step() { return request(client.work(buffer, {fleet::Verb::step, &step_request, &system.signals}, false)); }

  ToySystem system;
  Voice voice;
  UnitServer server;
  UnitClient client{"unit", voice};
  fleet::MessageBuffer buffer, answer;
  fleet::Wiring wiring;
  fleet::Reply reply;
  fleet::StepRequest step_request{0, 0.1};
};

// Truncates a message and corrects the size in its head, so that the body is read.
Bytes cut(const Bytes& message, std::size_t size) {
  Bytes shorter(message.begin(), message.begin() + static_cast<std::ptrdiff_t>(size));
  const std::uint64_t told = size;
  if (size >= sizeof(fleet::Head)) std::memcpy(shorter.data() + offsetof(fleet::Head, size), &told, sizeof told);
  return shorter;
}

TEST(Protocol, RefusesRequestsOfAnyOtherLength) {
  Pair pair("types");
  pair.begin();
  const auto request = pair.step();
  for (std::size_t size = 0; size < request.size(); ++size) {
    const auto answer = pair.serve(cut(request, size));
    EXPECT_TRUE((fleet::MessageReader(answer).head().flags & fleet::failed) != 0) << size;
  }
  auto longer = request;
  longer.push_back(0);
  EXPECT_THROW(pair.client.read(pair.serve(cut(longer, longer.size())), pair.reply), Error);
  // The unit is unchanged.
  EXPECT_TRUE(pair.client.read(pair.serve(request), pair.reply));
}

TEST(Protocol, RefusesAnswersOfAnyOtherLength) {
  Pair pair("types");
  pair.begin();
  const auto answer = pair.serve(pair.step());
  for (std::size_t size = 0; size < answer.size(); ++size)
    EXPECT_THROW(pair.client.read(cut(answer, size), pair.reply), Damaged) << size;
  auto longer = answer;
  longer.push_back(0);
  EXPECT_THROW(pair.client.read(cut(longer, longer.size()), pair.reply), Damaged);
  EXPECT_TRUE(pair.client.read(answer, pair.reply));
}

TEST(Protocol, RefusesAnotherVersionAndSaysSo) {
  Pair pair("count plain");
  pair.begin();
  auto request = pair.step();
  request[0] = fleet::protocol_version + 1;
  EXPECT_THAT([&] { pair.client.read(pair.serve(request), pair.reply); },
              ThrowsMessage<Error>(HasSubstr("install the engine and its workers from the same version")));
}

TEST(Protocol, RefusesWhatIsAskedTooEarlyOrOfTheWrongUnit) {
  Pair pair("count plain");
  auto& c = pair.client;
  EXPECT_THROW(pair.ask(c.ask(pair.buffer, Message::terminate)), Error);
  pair.ask(c.make(pair.buffer, pair.system.specs[0]));
  EXPECT_THROW(pair.ask(c.make(pair.buffer, pair.system.specs[0])), Error);
  EXPECT_THROW(pair.ask(c.save(pair.buffer, 0)), Error);
  static_cast<void>(c.connect(pair.buffer, pair.wiring, 0));  // the message is not sent
  EXPECT_THROW(pair.client.read(pair.serve(pair.step()), pair.reply), Error);
  pair.ask(c.connect(pair.buffer, pair.wiring, 0));
  EXPECT_THROW(pair.ask(c.connect(pair.buffer, pair.wiring, 0)), Error);
  EXPECT_THROW(pair.ask(c.restore(pair.buffer, 0)), Error);  // the snapshot was not saved
  EXPECT_THROW(pair.ask(c.save(pair.buffer, 1)), Error);     // the unit is not in this snapshot
  EXPECT_THROW(pair.ask(c.save(pair.buffer, 2)), Error);     // no such snapshot
  EXPECT_THROW(pair.ask(c.ask(pair.buffer, Message::enter_event_mode)), Error);
  EXPECT_THROW(pair.ask(c.differentiate(pair.buffer, fleet::DerivativeOf::outputs, {})), Error);
  EXPECT_NO_THROW(pair.ask(c.save(pair.buffer, 0)));
  EXPECT_NO_THROW(pair.ask(c.restore(pair.buffer, 0)));
}

TEST(Protocol, RefusesTruthValuesThatAreNone) {
  Pair pair("types");
  pair.begin();
  auto& truth = pair.system.signals.inputs.column<Bool>()[0];
  const std::uint8_t two = 2;
  std::memcpy(static_cast<void*>(&truth), &two, 1);
  EXPECT_THROW(pair.client.read(pair.serve(pair.step()), pair.reply), Error);
}

TEST(Protocol, RefusesVariablesOfAnotherModel) {
  Pair pair("count plain");
  const ToySystem other(std::vector<fleet::UnitSpec>{{.name = "unit", .model = "types"}});
  pair.wiring.units[0].blocks = other.blocks[0];
  pair.ask(pair.client.make(pair.buffer, pair.system.specs[0]));
  EXPECT_THROW(pair.ask(pair.client.connect(pair.buffer, pair.wiring, 0)), Error);
}

// --- the memory between processes

TEST(Channel, GrowsForWhatIsWrittenAndTellsTheOtherSide) {
  Channel engine(std::chrono::nanoseconds(0));
  Channel worker{Descriptor(::dup(engine.descriptor()))};
  const std::string text(1'000'000, 'x');
  fleet::MessageWriter out(engine);
  out.put(text);
  engine.send(out.finish(Message::get, 0));
  const auto message = worker.message();
  fleet::MessageReader in(message);
  EXPECT_EQ(in.take<std::string>(), text);
  in.expect_end();
}

TEST(Channel, RefusesMessagesThatAreTooLarge) {
  Channel engine(std::chrono::nanoseconds(0));
  EXPECT_THAT([&] { engine.grow(fleet::largest_message + 1); },
              ThrowsMessage<Error>(HasSubstr("run the unit in the engine's process")));
  engine.send(std::numeric_limits<std::size_t>::max());
  Channel worker{Descriptor(::dup(engine.descriptor()))};
  EXPECT_THROW(static_cast<void>(worker.message()), Damaged);
}

TEST(Channel, CannotBeMadeSmaller) {
  const Channel engine(std::chrono::nanoseconds(0));
  EXPECT_NE(::ftruncate(engine.descriptor(), 0), 0);
}

}  // namespace
}  // namespace consort::host
