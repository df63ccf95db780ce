// A program for foreign binaries that writes any messages, callbacks, sizes and texts to the shared memory: each call
// must return, or end with Lost, Late or an Error. This program is also that other program, which it starts itself.
//
// An input is a list of messages: a byte with its kind and flags, then, as far as the flags say, a word for each field,
// then the length of the body and its bytes.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.hpp"
#include "fmi/caller.hpp"
#include "fmi/foreign/link.hpp"

namespace {

using namespace consort;
using namespace consort::fmi::foreign;

constexpr std::size_t most_input = 1 << 16;

// Shared with the program: the present input.
struct Input {
  std::uint32_t size;
  std::uint8_t bytes[most_input];
};

// --- the program

class Hostile {
 public:
  Hostile(const char* input, const char* segment) : segment_(::open(segment, O_RDWR)) {
    const int file = ::open(input, O_RDONLY);
    void* const view = ::mmap(nullptr, sizeof(Input), PROT_READ, MAP_SHARED, file, 0);
    CONSORT_ASSERT(segment_ >= 0 && view != MAP_FAILED);
    input_ = static_cast<const Input*>(view);
    map();
  }

  [[noreturn]] void run() {
    for (std::uint32_t turn = 0;; ++turn) {
      while (front_->engine.sent.load() == turn) wait();
      map();
      switch (front_->engine.message) {
        case Message::load: load(); break;
        case Message::end: ::_exit(0);
        case Message::call: place_ = 0; [[fallthrough]];
        default: answer();
      }
    }
  }

 private:
  void map() {
    struct stat status {};
    ::fstat(segment_, &status);
    const auto size = static_cast<std::size_t>(status.st_size);
    if (size == mapped_) return;
    void* const view = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, segment_, 0);
    CONSORT_ASSERT(view != MAP_FAILED);
    mapped_ = size;
    front_ = static_cast<Front*>(view);
  }
  void wait() {
    front_->program.sleeps = 1;
    pollfd descriptor{STDIN_FILENO, POLLIN, 0};
    if (::poll(&descriptor, 1, 1) <= 0) return;
    char bytes[64];
    if (::read(STDIN_FILENO, bytes, sizeof bytes) <= 0) ::_exit(0);
  }
  void send(Message message) {
    front_->program.message = message;
    front_->program.sent.fetch_add(1);
    if (::write(STDOUT_FILENO, "!", 1) < 0) ::_exit(0);
  }
  std::uint8_t* at(std::uint64_t base) { return reinterpret_cast<std::uint8_t*>(front_) + front_size + base; }

  void load() {
    front_->program.result = 0;
    send(Message::answer);
  }

  template <class T>
  T take() {
    T value{};
    const std::size_t n = std::min(sizeof value, std::size_t{input_->size} - place_);
    std::memcpy(&value, input_->bytes + place_, n);
    place_ += n;
    return value;
  }

  void answer() {
    auto& mine = front_->program;
    mine.base = (front_->engine.base + front_->engine.size + 7) & ~std::uint64_t{7};
    mine.size = mine.result = mine.extra = 0;
    if (place_ >= input_->size) return send(Message::answer);
    const auto flags = take<std::uint8_t>();
    constexpr Message kinds[] = {Message::log,  Message::update, Message::tick, Message::answer,
                                 Message::late, Message::load,   Message::log,  static_cast<Message>(77)};
    if (flags & 8) mine.base = take<std::uint64_t>();
    if (flags & 16) mine.result = take<std::uint64_t>();
    if (flags & 32) mine.function = take<std::uint32_t>();
    // Not more than 1 MB, because the engine keeps results of up to 4 GB.
    if (flags & 64) mine.extra = take<std::uint32_t>() & 0xfffff;
    const std::size_t n = std::min<std::size_t>(take<std::uint16_t>(), std::size_t{input_->size} - place_);
    mine.size = flags & 128 ? take<std::uint64_t>() : n;
    const std::uint64_t room = mapped_ - front_size;
    const std::size_t count = std::min<std::size_t>(n, std::size_t{input_->size} - place_);
    if (mine.base <= room && count <= room - mine.base) std::memcpy(at(mine.base), input_->bytes + place_, count);
    place_ += count;
    send(kinds[flags & 7]);
  }

  int segment_;
  const Input* input_ = nullptr;
  Front* front_ = nullptr;
  std::size_t mapped_ = 0;
  std::size_t place_ = 0;
};

// --- the engine

int input_file = -1;
Input* input = nullptr;
std::unique_ptr<Link> link_to_program;

void start() {
  LinkSetup setup;
  setup.start.file = "/proc/self/exe";
  setup.start.arguments = {"--hostile", fmt::format("/proc/{}/fd/{}", ::getpid(), input_file)};
  setup.start.who = "fuzz";
  setup.version = 3;
  setup.shown = "fuzz";
  link_to_program = std::make_unique<Link>(std::move(setup));
  link_to_program->log = [](int, const char* category, const char* text) {
    volatile std::size_t read = std::strlen(category) + std::strlen(text);
    static_cast<void>(read);
  };
  link_to_program->update = [](UpdateBody& body) { body.early_return = 1; };
  link_to_program->tick = [] {};
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* count, char*** arguments) {
  if (*count == 4 && std::string_view((*arguments)[1]) == "--hostile") Hostile((*arguments)[2], (*arguments)[3]).run();
  input_file = ::memfd_create("input", 0);
  CONSORT_ASSERT(::ftruncate(input_file, sizeof(Input)) == 0);
  void* const view = ::mmap(nullptr, sizeof(Input), PROT_READ | PROT_WRITE, MAP_SHARED, input_file, 0);
  CONSORT_ASSERT(view != MAP_FAILED);
  input = static_cast<Input*>(view);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > most_input) return -1;
  input->size = 0;
  if (!link_to_program || link_to_program->is_lost()) start();
  std::memcpy(input->bytes, data, size);
  input->size = static_cast<std::uint32_t>(size);
  try {
    Link::Call call(*link_to_program, 0, 64);
    call.exchange();
    static_cast<void>(call.told());
  } catch (const fmi::Lost&) {
  } catch (const fmi::Late&) {
  } catch (const Error&) {
  }
  return 0;
}
