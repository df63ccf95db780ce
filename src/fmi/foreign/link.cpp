#include "fmi/foreign/link.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <thread>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/error.hpp"
#include "base/spin.hpp"
#include "fmi/caller.hpp"
#include "fmi/foreign/functions.hpp"

namespace consort::fmi::foreign {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds time_to_end{2};
// Behind every body remains this much for the body of a callback.
constexpr std::uint64_t room_for_callbacks = 32768;

// Writes a byte to a pipe whose reader may be gone, without a SIGPIPE.
void poke(int pipe) {
  sigset_t broken;
  sigset_t before;
  ::sigemptyset(&broken);
  ::sigaddset(&broken, SIGPIPE);
  ::pthread_sigmask(SIG_BLOCK, &broken, &before);
  if (::write(pipe, "!", 1) < 0 && errno == EPIPE) {
    constexpr timespec at_once{};
    while (::sigtimedwait(&broken, nullptr, &at_once) < 0 && errno == EINTR) {
    }
  }
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

const char* name_of_function(int version, std::uint32_t function) {
  const char* name = "";
  with_functions(version, [&]<class Functions>() {
    Functions::each([&]<std::size_t i, class R>() {
      if (i == function) name = R::name;
    });
  });
  return name;
}

Error no_memory(const char* call) {
  return run_error("the memory shared with the caller of a foreign binary cannot be made ({}: {}); free some memory",
                   call, std::strerror(errno));
}

}  // namespace

// --- start and end ---------------------------------------------------------------------------------------------------

Link::Link(LinkSetup setup) : setup_(std::move(setup)) {
  segment_ = Descriptor(::memfd_create("consort-fmi", MFD_CLOEXEC));
  if (!segment_.valid() || ::ftruncate(segment_.get(), static_cast<off_t>(front_size + capacity_)) != 0)
    throw no_memory("memfd_create");
  void* const view = ::mmap(nullptr, front_size + capacity_, PROT_READ | PROT_WRITE, MAP_SHARED, segment_.get(), 0);
  if (view == MAP_FAILED) throw no_memory("mmap");
  view_ = static_cast<std::uint8_t*>(view);
  front_ = new (view_) Front{};
  front_->magic = magic;
  front_->protocol = protocol;
  front_->engine.capacity = capacity_;
  spin_ = std::chrono::microseconds(std::thread::hardware_concurrency() > 1 ? 20 : 0);
  front_->spin_us = static_cast<std::uint32_t>(std::chrono::duration_cast<std::chrono::microseconds>(spin_).count());
  try {
    load();
  } catch (...) {
    ::munmap(view_, front_size + capacity_);
    throw;
  }
}

Link::~Link() {
  if (!is_lost_) {
    send(Message::end);
    const auto until = Clock::now() + time_to_end;
    while (!program_->has_ended() && Clock::now() < until) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  program_.reset();
  ::munmap(view_, front_size + capacity_);
}

void Link::load() {
  int in[2];
  int out[2];
  if (::pipe2(in, O_CLOEXEC) != 0) throw no_memory("pipe");
  Descriptor program_reads(in[0]);
  to_program_ = Descriptor(in[1]);
  if (::pipe2(out, O_CLOEXEC) != 0) throw no_memory("pipe");
  from_program_ = Descriptor(out[0]);
  Descriptor program_writes(out[1]);
  ::fcntl(from_program_.get(), F_SETFL, O_NONBLOCK);

  auto start = setup_.start;
  // Without a name in the file system, nothing remains of the segment whatever happens to the two processes.
  start.arguments.push_back(fmt::format("/proc/{}/fd/{}", ::getpid(), segment_.get()));
  start.descriptors = {{program_reads.get(), STDIN_FILENO}, {program_writes.get(), STDOUT_FILENO}};
  program_.emplace(start);
  program_reads.reset();
  program_writes.reset();

  const std::size_t count = with_functions(setup_.version, []<class Functions>() { return Functions::size; });
  const std::size_t request = 8 + size_of_text(setup_.binary) + size_of_text(setup_.prefix);
  Call call(*this, 0, request + 8 * count);
  Cursor cursor(call.body());
  cursor.word() = static_cast<std::uint64_t>(setup_.version);
  put_text(cursor, setup_.binary);
  put_text(cursor, setup_.prefix);
  deadline_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(setup_.start_limit);
  front_->engine.base = 0;
  front_->engine.size = request + 8 * count;
  try {
    send(Message::load);
    await();
    while (front_->program.message != Message::answer) call_back();
  } catch (const Lost& lost) {
    const auto error = run_error("{}: the program that calls its binary {}", setup_.shown, lost.what());
    if (Clock::now() > *deadline_) throw StuckAtStart(error.fault(), error.what(), error.fields());
    throw error;
  }
  deadline_.reset();
  if (front_->program.result != 0) {
    is_lost_ = true;
    throw input_error("{}: its binary {} {}; ask the maker of the FMU for a complete one", setup_.shown,
                      setup_.binary.substr(setup_.binary.rfind('/') + 1), failure());
  }
  Cursor exported(call.body() + request);
  for (std::size_t i = 0; i < count; ++i) functions_.push_back(exported.word() != 0);
}

void Link::grow(std::uint64_t capacity) {
  const auto whole = (std::max(capacity, 2 * capacity_) + front_size - 1) / front_size * front_size;
  if (::ftruncate(segment_.get(), static_cast<off_t>(front_size + whole)) != 0) throw no_memory("ftruncate");
  void* const view = ::mremap(view_, front_size + capacity_, front_size + whole, MREMAP_MAYMOVE);
  if (view == MAP_FAILED) throw no_memory("mremap");
  view_ = static_cast<std::uint8_t*>(view);
  front_ = reinterpret_cast<Front*>(view_);
  capacity_ = whole;
  front_->engine.capacity = whole;
}

// --- turns -----------------------------------------------------------------------------------------------------------

void Link::send(Message message) {
  front_->engine.message = message;
  front_->engine.sent.fetch_add(1, std::memory_order_seq_cst);
  if (front_->program.sleeps.load(std::memory_order_seq_cst) != 0) poke(to_program_.get());
}

void Link::await() {
  const auto answered = [&] { return front_->program.sent.load(std::memory_order_acquire) != turn_; };
  if (!spin(spin_, answered)) {
    leave_the_core_of_the_program();
    while (!sleep_until_answered()) {
    }
  }
  ++turn_;
}

// Two sides on one core wait for each other at every turn, and a scheduler that sees both as busy leaves them there
// even if another core is idle. Moves the program once; it may run anywhere afterwards.
void Link::leave_the_core_of_the_program() {
  constexpr std::chrono::milliseconds between_moves{2};
  const int here = ::sched_getcpu();
  if (here < 0 || front_->program_core.load(std::memory_order_relaxed) != static_cast<std::uint32_t>(here)) return;
  const auto now = Clock::now();
  if (now < next_move_) return;
  next_move_ = now + between_moves;
  cpu_set_t all;
  if (::sched_getaffinity(program_->id(), sizeof all, &all) != 0 || here >= CPU_SETSIZE) return;
  cpu_set_t others = all;
  CPU_CLR(static_cast<std::size_t>(here), &others);
  if (CPU_COUNT(&others) == 0 || ::sched_setaffinity(program_->id(), sizeof others, &others) != 0) return;
  ::sched_setaffinity(program_->id(), sizeof all, &all);
}

// Returns true if there is an answer. Throws Lost if there will be none.
bool Link::sleep_until_answered() {
  constexpr int between_looks = 100;  // ms
  const auto answered = [&] { return front_->program.sent.load(std::memory_order_seq_cst) != turn_; };
  front_->engine.sleeps.store(1, std::memory_order_seq_cst);
  bool has_ended = false;
  if (!answered()) {
    pollfd descriptor{from_program_.get(), POLLIN, 0};
    ::poll(&descriptor, 1, between_looks);
    char bytes[64];
    const ssize_t n = ::read(from_program_.get(), bytes, sizeof bytes);
    has_ended = n == 0 || program_->has_ended();
  }
  front_->engine.sleeps.store(0, std::memory_order_relaxed);
  if (answered()) return true;
  if (has_ended) lose_ended();
  if (deadline_ && Clock::now() > *deadline_) lose("did not return in time and was ended");
  return false;
}

// --- calls -----------------------------------------------------------------------------------------------------------

Link::Call::Call(Link& link, std::uint32_t function, std::size_t size, bool is_posted)
    : link_(link), base_(link.top_), size_(Cursor::padded(size)), function_(function), is_posted_(is_posted) {
  const std::uint64_t end = base_ + size_ + (is_posted ? 8 : 0);
  if (end + room_for_callbacks > link_.capacity_) link_.grow(end + room_for_callbacks);
  link_.top_ = end;
  if (is_posted) Cursor(link_.at(base_)).word() = function_ | (size_ << 32);
}

bool Link::can_post(std::size_t size) const {
  constexpr std::uint64_t most = 1U << 14;  // more are better sent
  return depth_ == 0 && !is_lost_ && top_ + size <= most;
}

std::uint64_t Link::Call::exchange() {
  if (link_.is_lost_) throw Lost("has ended before");
  Side& side = link_.front_->engine;
  side.function = function_;
  side.base = base_;
  side.size = size_;
  side.first = link_.depth_ == 0 ? 0 : base_;
  if (link_.depth_ == 0 && link_.setup_.call_limit)
    link_.deadline_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(*link_.setup_.call_limit);
  ++link_.depth_;
  link_.send(Message::call);
  link_.await();
  while (link_.front_->program.message != Message::answer) [[unlikely]] {
      if (link_.front_->program.message == Message::late) {
        --link_.depth_;
        if (link_.problem_) std::rethrow_exception(std::exchange(link_.problem_, nullptr));
        throw Late{name_of_function(link_.setup_.version, link_.front_->program.function),
                   static_cast<Status>(link_.front_->program.result)};
      }
      link_.call_back();
    }
  --link_.depth_;
  if (link_.problem_) [[unlikely]]
    std::rethrow_exception(std::exchange(link_.problem_, nullptr));
  return link_.front_->program.result;
}

std::vector<std::uint8_t> Link::Call::told() {
  const std::uint64_t size = link_.front_->program.extra;
  constexpr std::uint64_t most = std::uint64_t{1} << 32;
  if (size > most) link_.lose("sent a damaged message");
  const std::uint64_t end = base_ + size_;
  if (size > link_.capacity_ - end) {
    link_.grow(end + size + room_for_callbacks);
    link_.front_->engine.base = end;
    link_.send(Message::fetch);
    link_.await();
  }
  const std::uint8_t* const first = link_.at(end);
  return {first, first + size};
}

void Link::call_back() {
  const std::uint64_t base = front_->program.base;
  const std::uint64_t size = front_->program.size;
  if (base < top_ || base > capacity_ || size > capacity_ - base) lose("sent a damaged message");
  const std::uint64_t outer = std::exchange(top_, base + Cursor::padded(size));
  try {
    serve_callback(front_->program.message, base, size);
  } catch (const Lost&) {
    throw;
  } catch (...) {  // the FMU does not know exceptions of the engine: the call ends first
    if (!problem_) problem_ = std::current_exception();
    if (is_lost_) std::rethrow_exception(std::exchange(problem_, nullptr));  // by a call within the callback
  }
  if (deadline_ && Clock::now() > *deadline_) lose("did not return in time and was ended");
  top_ = outer;
  send(Message::resume);
  await();
}

void Link::serve_callback(Message message, std::uint64_t base, std::uint64_t size) {
  if (message == Message::log) {
    // Copies, so that a program that goes on writing does no harm.
    const std::vector<std::uint8_t> copy(at(base), at(base) + size);
    std::size_t place = 8;
    const auto take = [&]() -> std::string {
      std::uint64_t n = 0;
      if (size < place + 8) return {};
      std::memcpy(&n, copy.data() + place, 8);
      place += 8;
      if (n >= size - place) return {};
      std::string text(reinterpret_cast<const char*>(copy.data() + place), n);
      place += Cursor::padded(n + 1);
      return text;
    };
    std::uint64_t status = 0;
    std::copy_n(copy.begin(), std::min<std::size_t>(8, size), reinterpret_cast<std::uint8_t*>(&status));
    const std::string category = take();
    const std::string text = take();
    if (log) log(static_cast<int>(status), category.c_str(), text.c_str());
  } else if (message == Message::update && size == sizeof(UpdateBody)) {
    UpdateBody body{};
    std::memcpy(&body, at(base), sizeof body);
    if (update) update(body);
    std::memcpy(at(base), &body, sizeof body);
  } else if (message == Message::tick) {
    if (tick) tick();
  } else {
    lose("sent a damaged message");
  }
}

// --- losing the program ----------------------------------------------------------------------------------------------

void Link::lose(std::string how) {
  is_lost_ = true;
  program_->kill();
  throw Lost(std::move(how));
}

std::string Link::failure() const { return {front_->failure, ::strnlen(front_->failure, sizeof front_->failure)}; }

void Link::lose_ended() {
  // The end of the pipe comes a moment before that of the process.
  const auto until = Clock::now() + time_to_end;
  while (!program_->has_ended() && Clock::now() < until) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  if (auto how = failure(); !how.empty()) lose(std::move(how));
  lose(program_->has_ended() ? fmt::format("{}; {}", program_->how(), program_->advice())
                             : "closed its connection and was ended");
}

// --- instances -------------------------------------------------------------------------------------------------------

Remote* Link::add(std::uint64_t handle) {
  remotes_.push_back(std::make_unique<Remote>(Remote{this, handle}));
  return remotes_.back().get();
}

void Link::remove(Remote* remote) {
  std::erase_if(remotes_, [&](const auto& r) { return r.get() == remote; });
}

}  // namespace consort::fmi::foreign
