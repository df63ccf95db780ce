#include "host/process/process_host.hpp"

#include <filesystem>
#include <utility>

#include "host/process/process_units.hpp"
#include "os/program.hpp"

namespace consort::host {

namespace {

class ProcessHost final : public fleet::Host {
 public:
  explicit ProcessHost(HostSetup setup)
      : setup_(std::move(setup)),
        worker_(setup_.worker.empty() ? find_worker() : std::filesystem::path(setup_.worker)) {}

  [[nodiscard]] std::shared_ptr<const describe::Description> describe(const fleet::UnitSpec& spec) override {
    return setup_.describe(spec);
  }
  [[nodiscard]] std::unique_ptr<fleet::HostedUnits> make(std::span<const fleet::UnitSpec> specs) override {
    return std::make_unique<ProcessUnits>(specs, worker_, Voice{setup_.log, setup_.trace});
  }

 private:
  HostSetup setup_;
  std::filesystem::path worker_;
};

}  // namespace

std::filesystem::path find_worker() {
  return os::find_program("consort-worker", "CONSORT_WORKER", "units that run in their own processes need");
}

std::unique_ptr<fleet::Host> make_process_host(const HostSetup& setup) { return std::make_unique<ProcessHost>(setup); }

}  // namespace consort::host
