#include "host/local_host.hpp"

#include <utility>

#include "base/error.hpp"
#include "host/pooled_units.hpp"
#include "host/serial_units.hpp"

namespace consort::host {

namespace {

class LocalHost final : public fleet::Host {
 public:
  LocalHost(HostSetup setup, unsigned threads) : setup_(std::move(setup)), threads_(threads) {}

  [[nodiscard]] std::shared_ptr<const describe::Description> describe(const fleet::UnitSpec& spec) override {
    return setup_.describe(spec);
  }
  [[nodiscard]] std::unique_ptr<fleet::HostedUnits> make(std::span<const fleet::UnitSpec> specs) override {
    if (threads_ == 1 || specs.size() < 2) return std::make_unique<SerialUnits>(specs, setup_.factory);
    return std::make_unique<PooledUnits>(specs, setup_.factory, threads_);
  }

 private:
  HostSetup setup_;
  unsigned threads_;
};

}  // namespace

std::unique_ptr<fleet::Host> make_serial_host(const HostSetup& setup) { return std::make_unique<LocalHost>(setup, 1); }

std::unique_ptr<fleet::Host> make_thread_host(const HostSetup& setup) {
  require(setup.threads > 0, "a simulation needs at least one thread; give 1 or more");
  return std::make_unique<LocalHost>(setup, setup.threads);
}

}  // namespace consort::host
