#include "host/process/channel.hpp"

#include <algorithm>
#include <cerrno>
#include <new>
#include <system_error>

#include <fcntl.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/error.hpp"
#include "base/spin.hpp"

namespace consort::host {

// Each side writes to its own cache line.
struct Channel::Front {
  std::uint64_t magic = 0;
  std::uint32_t version = 0;
  std::int32_t engine = 0;  // process id
  std::int64_t spin = 0;    // ns
  alignas(64) std::atomic<std::uint32_t> request{0};
  std::atomic<std::uint32_t> ended{0};
  std::atomic<std::uint32_t> engine_sleeps{0};
  std::atomic<std::uint64_t> request_size{0};
  alignas(64) std::atomic<std::uint32_t> answer{0};
  std::atomic<std::uint32_t> worker_sleeps{0};
  std::atomic<std::uint64_t> answer_size{0};
};

namespace {

constexpr std::uint64_t magic = 0x31726b726f57736e;  // "nsWorkr1"
constexpr std::size_t front_size = 4096;
constexpr std::size_t first_capacity = 60 * 1024;

static_assert(std::atomic<std::uint32_t>::is_always_lock_free && std::atomic<std::uint64_t>::is_always_lock_free);

// Sleeps while `word` is `expected`; may return early. Not FUTEX_PRIVATE, because it works between processes.
void sleep_while(std::atomic<std::uint32_t>& word, std::uint32_t expected, std::chrono::milliseconds most) {
  const timespec time{static_cast<time_t>(most.count() / 1000), static_cast<long>(most.count() % 1000) * 1'000'000};
  ::syscall(SYS_futex, &word, FUTEX_WAIT, expected, &time, nullptr, 0);
}

void wake_process(std::atomic<std::uint32_t>& word) { ::syscall(SYS_futex, &word, FUTEX_WAKE, 1, nullptr, nullptr, 0); }

Error no_memory(const char* call) {
  return run_error("cannot share memory with the process of a unit ({}: {}); close some programs and try again", call,
                   std::generic_category().message(errno));
}

constexpr std::size_t whole_pages(std::size_t bytes) { return (bytes + front_size - 1) / front_size * front_size; }

}  // namespace

// --- the segment ----------------------------------------------------------------------------------------------------

Channel::Channel(std::chrono::nanoseconds spin) : is_engine_(true), spin_(spin) {
  segment_.reset(::memfd_create("consort-unit", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!segment_.valid()) throw no_memory("memfd_create");
  if (::ftruncate(segment_.get(), front_size + first_capacity) != 0) throw no_memory("ftruncate");
  // Mapped memory must stay valid whatever a unit does with its descriptors.
  if (::fcntl(segment_.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_SEAL) != 0) throw no_memory("fcntl");
  map();
  new (front_) Front;
  front_->magic = magic;
  front_->version = fleet::protocol_version;
  front_->engine = ::getpid();
  front_->spin = spin.count();
}

Channel::Channel(Descriptor segment) : segment_(std::move(segment)) {
  struct stat status {};
  if (::fstat(segment_.get(), &status) != 0 || !S_ISREG(status.st_mode) ||
      static_cast<std::size_t>(status.st_size) < front_size + first_capacity)
    throw run_error("Consort starts this program for units that run in their own processes; do not start it yourself");
  map();
  if (front_->magic != magic || front_->version != fleet::protocol_version)
    throw run_error("the engine and the worker have different versions; install both from the same release of Consort");
  spin_ = std::chrono::nanoseconds(std::clamp<std::int64_t>(front_->spin, 0, 1'000'000));
}

Channel::~Channel() {
  if (data_ != nullptr) ::munmap(data_, capacity_);
  if (front_ != nullptr) ::munmap(front_, front_size);
}

void Channel::map() {
  struct stat status {};
  if (::fstat(segment_.get(), &status) != 0) throw no_memory("fstat");
  device_ = status.st_dev;
  inode_ = status.st_ino;
  void* const front = ::mmap(nullptr, front_size, PROT_READ | PROT_WRITE, MAP_SHARED, segment_.get(), 0);
  if (front == MAP_FAILED) throw no_memory("mmap");
  front_ = static_cast<Front*>(front);
  map_payload(static_cast<std::size_t>(status.st_size) - front_size);
}

void Channel::map_payload(std::size_t capacity) {
  void* const place = data_ == nullptr ? ::mmap(nullptr, capacity, PROT_READ | PROT_WRITE, MAP_SHARED, segment_.get(),
                                                static_cast<off_t>(front_size))
                                       : ::mremap(data_, capacity_, capacity, MREMAP_MAYMOVE);
  if (place == MAP_FAILED) throw no_memory("mmap");
  data_ = static_cast<std::uint8_t*>(place);
  capacity_ = capacity;
}

// Checks the inode, because a unit may have closed the descriptor and opened another file with the same number.
std::size_t Channel::room_in_segment() const {
  struct stat status {};
  if (::fstat(segment_.get(), &status) != 0 || status.st_dev != device_ || status.st_ino != inode_) {
    throw run_error(
        "the unit closed file descriptors that are not its own, including that of the memory shared with the "
        "engine; report it to the maker of the FMU");
  }
  return static_cast<std::size_t>(status.st_size) - front_size;
}

void Channel::grow(std::size_t capacity) {
  if (capacity <= capacity_) return;
  if (capacity > fleet::largest_message) {
    throw run_error(
        "the values or the state of a unit take {} bytes, but at most {} can be passed between processes; run "
        "the unit in the engine's process",
        capacity, fleet::largest_message);
  }
  const std::size_t wanted = whole_pages(std::min(std::max(capacity, 2 * capacity_), fleet::largest_message));
  const std::size_t present = room_in_segment();
  if (present < wanted && ::ftruncate(segment_.get(), static_cast<off_t>(front_size + wanted)) != 0)
    throw no_memory("ftruncate");
  map_payload(std::max(present, wanted));
}

// --- the engine's side ----------------------------------------------------------------------------------------------

void Channel::send(std::size_t size) {
  front_->request_size.store(size, std::memory_order_relaxed);
  // Sequentially consistent with the stores of the worker: either this side sees it asleep, or the worker sees the
  // request before it sleeps.
  front_->request.store(++turn_, std::memory_order_seq_cst);
  if (front_->worker_sleeps.load(std::memory_order_seq_cst) != 0) wake_process(front_->request);
}

bool Channel::is_answered() const { return front_->answer.load(std::memory_order_acquire) == turn_; }

bool Channel::sleep_until_answered() {
  constexpr std::chrono::milliseconds between_looks{20};
  if (spin_politely(spin_, [&] { return is_answered(); })) return true;
  front_->engine_sleeps.store(1, std::memory_order_seq_cst);
  const std::uint32_t last = front_->answer.load(std::memory_order_seq_cst);
  if (last != turn_) sleep_while(front_->answer, last, between_looks);
  front_->engine_sleeps.store(0, std::memory_order_relaxed);
  return is_answered();
}

void Channel::end() {
  front_->ended.store(1, std::memory_order_seq_cst);
  front_->request.fetch_add(1, std::memory_order_seq_cst);  // so that the worker does not fall asleep
  wake_process(front_->request);
}

// --- the worker's side ----------------------------------------------------------------------------------------------

pid_t Channel::engine() const { return front_->engine; }

bool Channel::await_request() {
  constexpr std::chrono::milliseconds between_looks{1000};
  const auto is_asked = [&] { return front_->request.load(std::memory_order_acquire) != turn_; };
  while (!spin_politely(spin_, is_asked)) {
    front_->worker_sleeps.store(1, std::memory_order_seq_cst);
    if (front_->request.load(std::memory_order_seq_cst) == turn_) sleep_while(front_->request, turn_, between_looks);
    front_->worker_sleeps.store(0, std::memory_order_relaxed);
    if (::getppid() != front_->engine) return false;
  }
  if (front_->ended.load() != 0) return false;
  turn_ = front_->request.load(std::memory_order_acquire);
  return true;
}

void Channel::answer(std::size_t size) {
  front_->answer_size.store(size, std::memory_order_relaxed);
  front_->answer.store(turn_, std::memory_order_seq_cst);
  if (front_->engine_sleeps.load(std::memory_order_seq_cst) != 0) wake_process(front_->answer);
}

// --- both -----------------------------------------------------------------------------------------------------------

std::span<const std::uint8_t> Channel::message() {
  const std::size_t size = (is_engine_ ? front_->answer_size : front_->request_size).load(std::memory_order_relaxed);
  if (size > capacity_) {
    const std::size_t present = size <= fleet::largest_message ? room_in_segment() : 0;
    if (size > present) throw fleet::Damaged("a message is longer than the shared memory");
    map_payload(present);
  }
  return {data_, size};
}

}  // namespace consort::host
