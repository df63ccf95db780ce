// The worker's end of the unit protocol: one unit that is asked by messages.
//
// The unit is served as any other, by SerialUnits on signals that are its own blocks alone, so that whatever is
// remembered about it is kept, saved and restored as in the engine's process.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/log.hpp"
#include "fleet/protocol.hpp"
#include "host/serial_units.hpp"

namespace consort::host {

// Where a unit in a worker says what it has to say.
struct Voice {
  LogSink log{};
  std::function<void(std::string_view)> trace{};
};
// As fleet::UnitFactory.
using WorkerFactory = std::function<std::unique_ptr<unit::Unit>(const fleet::UnitSpec&, const Voice&)>;

class UnitServer {
 public:
  explicit UnitServer(WorkerFactory factory);
  ~UnitServer();
  UnitServer(const UnitServer&) = delete;
  UnitServer& operator=(const UnitServer&) = delete;

  // Serves one request and puts the answer, whose size is returned, into the area, which may be that of the request.
  // What is wrong with the request or goes wrong in the unit is in the answer. Nothing is allocated for steps without
  // texts.
  std::size_t serve(std::span<const std::uint8_t> request, fleet::MessageArea& area);

 private:
  using Reader = fleet::MessageReader;
  using Writer = fleet::MessageWriter;

  // What the unit said since the last answer; from any thread.
  class Said {
   public:
    void log(const LogMessage& message);
    void trace(std::string_view line);
    [[nodiscard]] bool write(Writer& out);  // false: nothing; nothing is left afterwards
    void forget();

   private:
    struct Line {
      bool is_trace = false;
      LogMessage message{};
    };
    void add(Line line);
    void clear();

    std::mutex mutex_;
    std::vector<Line> lines_;
    std::size_t bytes_ = 0;
    std::uint64_t dropped_ = 0;
  };
  // Of SerialUnits, for one unit.
  struct Query {
    std::vector<ValueReference> unknowns{}, knowns{};
    std::vector<double> seed{}, sensitivity{};
  };

  void dispatch(Reader& in, Writer& out);
  void make(Reader& in, Writer& out);
  void connect(Reader& in);
  void work(Reader& in, Writer& out);
  void differentiate(Reader& in, Writer& out);
  void save(Reader& in);
  void restore(Reader& in);
  void serialise(Reader& in, Writer& out);
  void deserialise(Reader& in);
  void configure(Reader& in, Writer& out);
  void enter_initialization(Reader& in);
  void get(Reader& in, Writer& out);
  void set(Reader& in);
  void settle(Reader& in, Writer& out);
  [[nodiscard]] std::size_t fail(fleet::Message what, std::exception_ptr why, fleet::MessageArea& area);

  void await_unit();  // throws what it threw
  [[nodiscard]] const describe::Description& description() const { return unit_->description(); }
  [[nodiscard]] std::uint32_t snapshot_of(Reader& in, bool must_be_saved) const;

  WorkerFactory factory_;
  Said said_;
  std::unique_ptr<SerialUnits> units_;
  unit::Unit* unit_ = nullptr;
  fleet::UnitTraits traits_;
  // From connect() on.
  bool connected_ = false;
  describe::SignalSet inputs_, outputs_;
  fleet::Wiring wiring_;
  fleet::Signals signals_;
  fleet::Reply reply_;
  std::vector<bool> saved_;  // by snapshot
  fleet::Served served_{1};
  std::vector<Query> queries_;
  std::vector<fleet::DerivativeQuery> asked_;
};

}  // namespace consort::host
