// Engine: one SSL object between two buffers. Included by the .cc files of this folder only.
//
// OpenSSL is always called to its end: what it wants to read and has not is asked for by TlsStream, which may
// then suspend the fiber, and what it wrote waits here to be sent. So no fiber ever stops inside OpenSSL.
#pragma once

#include <span>
#include <string>

#include "base/bytes.h"
#include "tls/openssl.h"

namespace belljar::tls {

enum class Progress : std::uint8_t {
  done,
  wants_input,
  peer_closed,  ///< close_notify was read
  cut,          ///< the transport ended without it
  failed,       ///< see reason()
};

class Engine {
 public:
  static Result<std::unique_ptr<Engine>> create(SslOwner ssl);
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  Progress handshake();
  Progress read(std::span<std::uint8_t> buffer, std::size_t& count);
  Progress write(BytesView bytes);  ///< all of them; not empty
  /// close_notify into the outgoing bytes.
  void close();

  /// Where the next bytes of the transport go; valid until received() is called. Only once wants_input was
  /// answered.
  std::span<std::uint8_t> room();
  /// That many came (0: the transport has ended).
  void received(std::size_t count);
  /// What is to be sent, and is then gone from here.
  Bytes take_outgoing();
  [[nodiscard]] std::size_t outgoing() const { return outgoing_.size(); }

  [[nodiscard]] SSL* ssl() const { return ssl_.get(); }
  [[nodiscard]] const std::string& reason() const { return reason_; }

 private:
  explicit Engine(SslOwner ssl) : ssl_(std::move(ssl)) {}
  Progress progress_of(int returned);

  static BIO_METHOD* method();
  static int read_bio(BIO* bio, char* buffer, int size);
  static int write_bio(BIO* bio, const char* bytes, int size);
  static long control_bio(BIO* bio, int command, long number, void* pointer);

  Bytes incoming_;
  std::size_t start_ = 0;  // what OpenSSL has not read yet: incoming_[start_, end_)
  std::size_t end_ = 0;
  std::size_t next_room_ = 4096;
  bool ended_ = false;
  Bytes outgoing_;
  std::string reason_;
  SslOwner ssl_;  // last: its BIO uses the buffers
};

}  // namespace belljar::tls
