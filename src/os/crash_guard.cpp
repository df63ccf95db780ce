#include "os/crash_guard.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <memory>

#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "os/emergency_drain.hpp"

namespace consort::os {

namespace {

constinit thread_local volatile sig_atomic_t in_handler = 0;
constinit thread_local bool is_ours = false;

// --- buffers to be saved

struct Slot {
  std::atomic<bool> taken = false;
  std::atomic<int> fd = -1;
  std::atomic<pid_t> owner = 0;
  std::atomic<const char*> data = nullptr;
  std::atomic<std::size_t> complete = 0;
  std::atomic<bool> writing = false;  // by its owner
};
constinit std::array<Slot, 64> slots;

// --- units that are loaded

struct UnitName {
  std::atomic<bool> taken = false;
  std::atomic<bool> ready = false;
  std::array<char, 64> text{};
};
constinit std::array<UnitName, 64> units;

// --- code for handlers: up to the end of on_crash() only write(2), getpid(2), gettid(2), nanosleep(2), pause(2) and
// _exit(2) are called

void write_fully(int fd, const char* data, std::size_t count) {
  while (count > 0) {
    const ssize_t n = ::write(fd, data, count);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return;
    data += n;
    count -= static_cast<std::size_t>(n);
  }
}

class Line {
 public:
  // Control characters could hide the message on a terminal.
  Line& add(const char* text) {
    for (; *text != '\0' && used_ < most; ++text) {
      const char c = *text;
      buffer_[used_++] = static_cast<unsigned char>(c) < 0x20 || c == 0x7F ? '?' : c;
    }
    return *this;
  }

  Line& add_integer(std::uint64_t number, int at_least_digits = 1) {
    std::array<char, 24> digits{};
    int count = 0;
    while (number > 0 || count < at_least_digits) {
      digits[static_cast<std::size_t>(count++)] = static_cast<char>('0' + number % 10);
      number /= 10;
    }
    while (count > 0 && used_ < most) buffer_[used_++] = digits[static_cast<std::size_t>(--count)];
    return *this;
  }

  // Nine digits after the point, without trailing zeros.
  Line& add_number(double number) {
    if (number != number) return add("NaN");
    if (number < 0) {
      add("-");
      number = -number;
    }
    if (number > 1.7976931348623157e308) return add("INF");
    int exponent = 0;
    if (number != 0 && (number < 1e-4 || number >= 1e15)) {
      for (; number >= 10; number /= 10) ++exponent;
      for (; number < 1; number *= 10) --exponent;
    }
    auto whole = static_cast<std::uint64_t>(number);
    const double billionths = (number - static_cast<double>(whole)) * 1e9;
    auto fraction = static_cast<std::uint64_t>(billionths);
    if (billionths - static_cast<double>(fraction) >= 0.5) ++fraction;
    if (fraction >= 1'000'000'000) {
      fraction -= 1'000'000'000;
      ++whole;
    }
    add_integer(whole);
    if (fraction > 0) {
      int digits = 9;
      for (; fraction % 10 == 0; fraction /= 10) --digits;
      add(".").add_integer(fraction, digits);
    }
    if (exponent == 0) return *this;
    return add(exponent < 0 ? "e-" : "e").add_integer(static_cast<std::uint64_t>(exponent < 0 ? -exponent : exponent));
  }

  void print() {
    buffer_[used_] = '\n';
    write_fully(STDERR_FILENO, buffer_.data(), used_ + 1);
  }

 private:
  static constexpr std::size_t most = 2046;
  std::array<char, most + 1> buffer_;
  std::size_t used_ = 0;
};

const char* signal_text(int signal) {
  switch (signal) {
    case SIGSEGV: return "segmentation fault";
    case SIGBUS: return "bus error";
    case SIGFPE: return "arithmetic exception";
    case SIGILL: return "illegal instruction";
    default: return "aborted";
  }
}

// Another thread that is writing its buffer gets half a second to finish; after that the rest of the buffer is lost.
bool wait_for_owner(const Slot& slot) {
  for (int i = 0; i < 50 && slot.writing.load(std::memory_order_acquire); ++i) {
    const timespec pause{0, 10'000'000};
    ::nanosleep(&pause, nullptr);
  }
  return !slot.writing.load(std::memory_order_acquire);
}

void flush_all() {
  drain_all_writers();
  const pid_t self = ::getpid();
  for (Slot& slot : slots) {
    if (slot.owner.load(std::memory_order_relaxed) != self || !wait_for_owner(slot)) continue;
    const int fd = slot.fd.load(std::memory_order_acquire);
    const char* data = slot.data.load(std::memory_order_relaxed);
    if (fd < 0 || data == nullptr) continue;
    write_fully(fd, data, slot.complete.load(std::memory_order_acquire));
  }
}

void add_unit_names(Line& line) {
  const char* separator = ": '";
  for (const UnitName& unit : units) {
    if (!unit.ready.load(std::memory_order_acquire)) continue;
    line.add(separator).add(unit.text.data());
    separator = "', '";
  }
  if (separator[0] == '\'') line.add("'");
}

void report_crash_outside_of_calls(Line& line, int signal) {
  if (is_ours) {
    line.add("consort: Consort itself crashed (").add(signal_text(signal));
    line.add(
        "), not a unit; results recorded up to this time are kept; please report this, with the model and the command "
        "that led to it");
    return;
  }
  line.add("consort: a crash (").add(signal_text(signal));
  line.add(") in a thread that is not Consort's, probably started by an FMU");
  add_unit_names(line);
  line.add(
      "; results recorded up to this time are kept; "
      "report it to the maker of the FMU");
}

void report(int signal) {
  const CallSite site = current_call_site() != nullptr ? *current_call_site() : CallSite{};
  Line line;
  if (signal == SIGXCPU) {
    if (site.call == nullptr) return;
    line.add("consort: unit '")
        .add(site.unit != nullptr ? site.unit : "?")
        .add("' had not returned from ")
        .add(site.call);
    line.add(" at t = ").add_number(site.time).add(" s at the end of the time limit");
  } else if (site.call == nullptr) {
    report_crash_outside_of_calls(line, signal);
  } else {
    line.add("consort: unit '").add(site.unit != nullptr ? site.unit : "?").add("' crashed in ").add(site.call);
    line.add(" at t = ").add_number(site.time).add(" s (").add(signal_text(signal));
    line.add("); results recorded up to this time are kept; report it to the maker of the FMU");
  }
  line.print();
}

constexpr std::array crash_signals{SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

// Returns the earlier action for the signal.
struct sigaction handle(int signal, void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  // Not deferred: a crash in the handler calls it again, which ends the process.
  action.sa_flags = SA_ONSTACK | SA_NODEFER;
  ::sigemptyset(&action.sa_mask);
  struct sigaction before {};
  ::sigaction(signal, &action, &before);
  return before;
}

void on_crash(int signal) {
  // A crash in the handler: no further report is possible.
  if (in_handler != 0) ::_exit(1);
  in_handler = 1;
  // If several threads crash at once, one reports and ends the process; the others wait.
  static constinit std::atomic<bool> reported = false;
  while (reported.exchange(true)) ::pause();
  flush_all();
  report(signal);
  ::_exit(1);
}

// --- in host programs

std::array<struct sigaction, crash_signals.size()> others_actions{};

void tell_crash(int signal) {
  if (current_call_site() != nullptr && in_handler == 0) {
    in_handler = 1;
    static constinit std::atomic<bool> reported = false;
    if (!reported.exchange(true)) {
      flush_all();
      report(signal);
    }
  }
  bool nobody_cares = false;
  for (std::size_t i = 0; i < crash_signals.size(); ++i) {
    if (crash_signals[i] != signal) continue;
    ::sigaction(signal, &others_actions[i], nullptr);
    nobody_cares = others_actions[i].sa_handler == SIG_DFL;
  }
  // After the return the faulting instruction faults again, for the restored handler. A raised signal does not recur
  // and is raised again.
  if (signal == SIGABRT || nobody_cares) ::raise(signal);
}

// --- end of the process on request

std::atomic<int> wanted_exit{-1};
std::atomic<const char*> wanted_farewell{nullptr};
static_assert(std::atomic<int>::is_always_lock_free && std::atomic<const char*>::is_always_lock_free);

[[noreturn]] void end_as_wanted() {
  flush_all();
  Line line;
  line.add(wanted_farewell.load());
  line.print();
  ::_exit(wanted_exit.load());
}

bool somebody_writes() {
  return std::any_of(slots.begin(), slots.end(), [self = ::getpid()](const Slot& slot) {
    return slot.owner.load(std::memory_order_relaxed) == self && slot.writing.load(std::memory_order_acquire);
  });
}

// --- the stack on which the handler runs

class CrashStack {
 public:
  CrashStack() {
    const long advised = ::sysconf(_SC_SIGSTKSZ);
    const auto size = std::max<std::size_t>(64 * 1024, advised > 0 ? static_cast<std::size_t>(advised) : 0);
    memory_ = std::make_unique<char[]>(size);
    stack_t stack{};
    stack.ss_sp = memory_.get();
    stack.ss_size = size;
    installed_ = ::sigaltstack(&stack, &before_) == 0;
  }
  ~CrashStack() {
    if (installed_) ::sigaltstack(&before_, nullptr);
  }
  CrashStack(const CrashStack&) = delete;
  CrashStack& operator=(const CrashStack&) = delete;

 private:
  std::unique_ptr<char[]> memory_;
  stack_t before_{};
  bool installed_ = false;
};

}  // namespace

constinit thread_local const CallSite* detail::call_site = nullptr;

void install_crash_guard() {
  use_crash_stack();
  for (const int signal : crash_signals) handle(signal, on_crash);
  handle(SIGXCPU, on_crash);
}

void install_crash_report() {
  static const bool once = [] {
    use_crash_stack();
    for (std::size_t i = 0; i < crash_signals.size(); ++i) others_actions[i] = handle(crash_signals[i], tell_crash);
    return true;
  }();
  static_cast<void>(once);
}

void use_crash_stack() {
  static thread_local const CrashStack stack;
  is_ours = true;
}

void end_process_from_handler(int exit_status, const char* farewell) noexcept {
  const bool first = wanted_exit.exchange(exit_status) < 0;
  wanted_farewell.store(farewell);
  if (first && somebody_writes()) return;
  end_as_wanted();
}

LoadedUnit::LoadedUnit(const char* name) noexcept {
  for (std::size_t i = 0; i < units.size(); ++i) {
    UnitName& unit = units[i];
    if (unit.taken.exchange(true, std::memory_order_acquire)) continue;
    std::size_t used = 0;
    for (; name[used] != '\0' && used + 1 < unit.text.size(); ++used) unit.text[used] = name[used];
    unit.text[used] = '\0';
    unit.ready.store(true, std::memory_order_release);
    slot_ = static_cast<int>(i);
    return;
  }
}

LoadedUnit::~LoadedUnit() {
  if (slot_ < 0) return;
  UnitName& unit = units[static_cast<std::size_t>(slot_)];
  unit.ready.store(false, std::memory_order_relaxed);
  unit.taken.store(false, std::memory_order_release);
}

void EmergencyFlush::attach(int fd, const char* data) {
  detach();
  for (std::size_t i = 0; i < slots.size(); ++i) {
    if (slots[i].taken.exchange(true, std::memory_order_acquire)) continue;
    slots[i].complete.store(0, std::memory_order_relaxed);
    slots[i].owner.store(::getpid(), std::memory_order_relaxed);
    slots[i].data.store(data, std::memory_order_relaxed);
    slots[i].fd.store(fd, std::memory_order_release);
    slot_ = static_cast<int>(i);
    return;
  }
}

void EmergencyFlush::detach() {
  if (slot_ < 0) return;
  Slot& slot = slots[static_cast<std::size_t>(slot_)];
  slot.fd.store(-1, std::memory_order_relaxed);
  slot.data.store(nullptr, std::memory_order_relaxed);
  slot.complete.store(0, std::memory_order_relaxed);
  slot.taken.store(false, std::memory_order_release);
  slot_ = -1;
}

void EmergencyFlush::complete(std::size_t bytes) noexcept {
  if (slot_ >= 0) slots[static_cast<std::size_t>(slot_)].complete.store(bytes, std::memory_order_release);
}

EmergencyFlush::Writing::Writing(EmergencyFlush& flush) noexcept : slot_(flush.slot_) {
  if (slot_ >= 0) slots[static_cast<std::size_t>(slot_)].writing.store(true);
}

EmergencyFlush::Writing::~Writing() {
  if (slot_ < 0) return;
  Slot& slot = slots[static_cast<std::size_t>(slot_)];
  slot.complete.store(0, std::memory_order_relaxed);
  slot.writing.store(false);
  if (wanted_exit.load() >= 0) end_as_wanted();
}

}  // namespace consort::os
