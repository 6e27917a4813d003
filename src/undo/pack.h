// Packs as git reads them: many objects in one file, and an index of it. gitformat-pack(5): version 2 of
// both, names of SHA-256, no deltas.
//
// A pack is written under its final name; it counts once its index stands beside it, which is written last.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "os/fd.h"
#include "undo/deflate.h"
#include "undo/mapping.h"
#include "undo/object_id.h"

namespace belljar::undo {

struct Object {
  ObjectType type = ObjectType::blob;
  Bytes content;
};

/// An object as it stands in a pack: its header and its zlib stream.
struct PackedObject {
  ObjectId id;
  std::uint32_t checksum = 0;
  BytesView bytes;
};

class PackWriter {
 public:
  /// `path` without ".pack". Nothing is written before there is a buffer full, or finish().
  explicit PackWriter(std::string path) : path_(std::move(path)) {}
  PackWriter(PackWriter&&) = default;
  PackWriter& operator=(PackWriter&&) = delete;
  /// What was not finished is deleted.
  ~PackWriter();

  [[nodiscard]] bool has(const ObjectId& id) const { return ids_.contains(id); }
  Result<void> add(const ObjectId& id, ObjectType type, BytesView content);
  /// Copies an object of another pack.
  Result<void> add(const PackedObject& object);
  /// Brings what was added so far onto the disk.
  Result<void> sync();
  /// Writes what is missing, then the index. Not synced: see Store::settle().
  Result<void> finish();

  [[nodiscard]] bool empty() const { return entries_.empty(); }
  [[nodiscard]] std::uint64_t size() const { return written_ + buffer_.size(); }
  [[nodiscard]] std::string pack_path() const { return path_ + ".pack"; }
  [[nodiscard]] std::string index_path() const { return path_ + ".idx"; }

 private:
  struct Placed {
    ObjectId id;
    std::uint64_t offset;
    std::uint32_t checksum;
  };
  void begin();
  Result<void> flush();
  Result<ObjectId> seal();
  Result<void> write_index(const ObjectId& pack);

  std::string path_;
  os::Fd file_;
  Bytes buffer_;
  std::uint64_t written_ = 0;
  std::vector<Placed> entries_;
  std::unordered_set<ObjectId, ObjectIdHash> ids_;
  std::optional<Compressor> compressor_;
  bool finished_ = false;
};

/// The index of a pack, any bytes: every answer lies within what the index says of itself.
class PackIndex {
 public:
  /// `bytes` are borrowed.
  static Result<PackIndex> parse(BytesView bytes);
  [[nodiscard]] std::size_t count() const { return count_; }
  [[nodiscard]] std::optional<std::size_t> find(const ObjectId& id) const;
  [[nodiscard]] ObjectId id(std::size_t number) const;
  [[nodiscard]] std::uint64_t offset(std::size_t number) const;
  [[nodiscard]] ObjectId pack() const;  ///< the checksum at the pack's end

 private:
  [[nodiscard]] std::uint32_t word(std::size_t at) const;
  BytesView bytes_;
  std::size_t count_ = 0;
};

/// A finished pack.
class Pack {
 public:
  static Result<Pack> open(const std::string& path);
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] const PackIndex& index() const { return parsed_; }
  [[nodiscard]] std::uint64_t size() const { return pack_.bytes().size(); }
  /// Checked against its name: what is damaged is `malformed`, never answered.
  [[nodiscard]] Result<Object> read(std::size_t number) const;
  /// As it stands, for copying into another pack.
  [[nodiscard]] Result<PackedObject> packed(std::size_t number) const;
  /// Reads the whole pack and compares its checksum.
  [[nodiscard]] bool is_whole() const;

 private:
  std::string path_;
  Mapping pack_;
  Mapping index_;
  PackIndex parsed_;
  std::vector<std::uint64_t> ends_;  ///< all offsets, sorted, and the end of the last object
};

/// The header and length of an object at the front of `bytes`.
struct ObjectHeader {
  ObjectType type = ObjectType::blob;
  std::uint64_t size = 0;
  std::size_t length = 0;  ///< of the header itself
};
Result<ObjectHeader> parse_object_header(BytesView bytes);

}  // namespace belljar::undo
