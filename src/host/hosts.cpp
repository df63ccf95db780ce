#include "host/hosts.hpp"

#include <array>

#include "base/registry.hpp"
#include "host/local_host.hpp"
#include "host/process/process_host.hpp"

namespace consort::host {

namespace {

constexpr auto rows = std::to_array<HostRow>({
    {"threads", "in this process, in several threads if that is faster", make_thread_host},
    {"serial", "in this process, one after another", make_serial_host},
    {"process", "each in its own process, so that a crash does not affect the others", make_process_host, false},
});

}  // namespace

std::span<const HostRow> hosts() { return rows; }

const HostRow& find_host(std::string_view name) { return find_row(rows, name, "host"); }

}  // namespace consort::host
