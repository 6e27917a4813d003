// Netlink messages (RFC 3549) built by hand, and one request-and-acknowledge exchange with the kernel. Only
// what setting up a jar's network needs; host byte order, attributes padded to four bytes.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/bytes.h"
#include "base/result.h"
#include "os/fd.h"

namespace belljar::os {

/// One or more messages in one buffer.
class NetlinkBatch {
 public:
  /// Starts a message; everything appended belongs to it until the next one.
  NetlinkBatch& message(std::uint16_t type, std::uint16_t flags);
  NetlinkBatch& raw(const void* bytes, std::size_t size);
  NetlinkBatch& attribute(std::uint16_t type, BytesView value);
  NetlinkBatch& text(std::uint16_t type, std::string_view value);  ///< with its terminating zero
  NetlinkBatch& u8(std::uint16_t type, std::uint8_t value);
  NetlinkBatch& u32(std::uint16_t type, std::uint32_t value);
  NetlinkBatch& big_u16(std::uint16_t type, std::uint16_t value);  ///< big-endian
  NetlinkBatch& big_u32(std::uint16_t type, std::uint32_t value);
  NetlinkBatch& big_u64(std::uint16_t type, std::uint64_t value);
  NetlinkBatch& begin(std::uint16_t type);  ///< a nested attribute, closed by end()
  NetlinkBatch& end();

  /// The finished bytes.
  [[nodiscard]] const Bytes& bytes() const { return bytes_; }
  /// How many messages asked for an acknowledgement.
  [[nodiscard]] unsigned acknowledgements() const { return acknowledgements_; }

 private:
  void fix_length();
  Bytes bytes_;
  std::size_t message_ = 0;
  std::vector<std::size_t> open_;
  std::uint32_t sequence_ = 0;
  unsigned acknowledgements_ = 0;
};

/// A netlink socket of this protocol (NETLINK_ROUTE, NETLINK_NETFILTER).
Result<Fd> open_netlink(int protocol);
/// Sends the batch and waits for every acknowledgement; the first refusal is the error.
Result<void> perform(int socket, const NetlinkBatch& batch);

}  // namespace belljar::os
