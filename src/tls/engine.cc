#include "tls/engine.h"

#include <algorithm>
#include <cstring>

#include "base/panic.h"

namespace belljar::tls {
namespace {

constexpr std::size_t kLeastRoom = 4096;
constexpr std::size_t kMostRoom = 65536;

}  // namespace

Result<std::unique_ptr<Engine>> Engine::create(SslOwner ssl) {
  std::unique_ptr<Engine> engine(new Engine(std::move(ssl)));
  BIO* bio = BIO_new(method());
  if (bio == nullptr) return openssl_failure("BIO_new");
  BIO_set_data(bio, engine.get());
  BIO_set_init(bio, 1);
  SSL_set_bio(engine->ssl_.get(), bio, bio);
  return engine;
}

Engine::~Engine() {
  // A session of a connection that is dropped without a farewell may be resumed all the same, unless
  // something was wrong with it. Nothing is sent by this.
  if (reason_.empty()) SSL_set_shutdown(ssl_.get(), SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN);
}

BIO_METHOD* Engine::method() {
  static BIO_METHOD* const kMethod = [] {
    BIO_METHOD* made = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "belljar buffers");
    CHECK(made != nullptr);
    BIO_meth_set_read(made, &Engine::read_bio);
    BIO_meth_set_write(made, &Engine::write_bio);
    BIO_meth_set_ctrl(made, &Engine::control_bio);
    return made;
  }();
  return kMethod;
}

int Engine::read_bio(BIO* bio, char* buffer, int size) {
  auto* engine = static_cast<Engine*>(BIO_get_data(bio));
  BIO_clear_retry_flags(bio);
  const std::size_t count =
      std::min(static_cast<std::size_t>(std::max(size, 0)), engine->end_ - engine->start_);
  if (count == 0) {
    if (engine->ended_) return 0;
    BIO_set_retry_read(bio);
    return -1;
  }
  std::memcpy(buffer, engine->incoming_.data() + engine->start_, count);
  engine->start_ += count;
  return static_cast<int>(count);
}

int Engine::write_bio(BIO* bio, const char* bytes, int size) {
  auto* engine = static_cast<Engine*>(BIO_get_data(bio));
  BIO_clear_retry_flags(bio);
  if (size <= 0) return 0;
  engine->outgoing_.insert(engine->outgoing_.end(), bytes, bytes + size);
  return size;
}

long Engine::control_bio(BIO* bio, int command, long, void*) {
  auto* engine = static_cast<Engine*>(BIO_get_data(bio));
  switch (command) {
    case BIO_CTRL_FLUSH:
      return 1;
    case BIO_CTRL_EOF:
      return engine->ended_ && engine->start_ == engine->end_ ? 1 : 0;
    default:
      return 0;
  }
}

Progress Engine::handshake() {
  ERR_clear_error();
  return progress_of(SSL_do_handshake(ssl_.get()));
}

Progress Engine::read(std::span<std::uint8_t> buffer, std::size_t& count) {
  ERR_clear_error();
  return progress_of(SSL_read_ex(ssl_.get(), buffer.data(), buffer.size(), &count));
}

Progress Engine::write(BytesView bytes) {
  ERR_clear_error();
  std::size_t written = 0;
  const Progress progress = progress_of(SSL_write_ex(ssl_.get(), bytes.data(), bytes.size(), &written));
  CHECK(progress != Progress::done || written == bytes.size());
  return progress;
}

void Engine::close() {
  ERR_clear_error();
  SSL_shutdown(ssl_.get());
  ERR_clear_error();
}

Progress Engine::progress_of(int returned) {
  if (returned == 1) return Progress::done;
  switch (SSL_get_error(ssl_.get(), returned)) {
    case SSL_ERROR_WANT_READ:
      return Progress::wants_input;
    case SSL_ERROR_ZERO_RETURN:
      return Progress::peer_closed;
    case SSL_ERROR_SYSCALL:
      return Progress::cut;
    default:
      break;
  }
  if (ERR_GET_REASON(ERR_peek_error()) == SSL_R_UNEXPECTED_EOF_WHILE_READING) {
    ERR_clear_error();
    return Progress::cut;
  }
  reason_ = take_openssl_error();
  return Progress::failed;
}

std::span<std::uint8_t> Engine::room() {
  // OpenSSL has read everything before it asks for more.
  CHECK(start_ == end_);
  start_ = end_ = 0;
  if (incoming_.size() != next_room_) incoming_ = Bytes(next_room_);
  return incoming_;
}

void Engine::received(std::size_t count) {
  CHECK(count <= incoming_.size() && start_ == end_);
  end_ = count;
  ended_ = count == 0;
  // A busy connection reads in large pieces; an idle one holds little.
  next_room_ = count == incoming_.size() ? std::min(next_room_ * 4, kMostRoom)
               : count < kLeastRoom      ? kLeastRoom
                                         : next_room_;
}

Bytes Engine::take_outgoing() { return std::exchange(outgoing_, {}); }

}  // namespace belljar::tls
