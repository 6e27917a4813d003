// Indexes of packs, headers and contents of objects: any bytes end in an error or in answers within them.
#include <cstdint>

#include "base/panic.h"
#include "undo/pack.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  belljar::BytesView bytes{data, size};
  auto index = belljar::undo::PackIndex::parse(bytes);
  if (index) {
    for (std::size_t n = 0; n < index->count(); ++n) {
      (void)index->offset(n);
      (void)index->find(index->id(n));
    }
    (void)index->pack();
    (void)index->find({});
  }
  auto header = belljar::undo::parse_object_header(bytes);
  if (header) {
    CHECK(header->length <= size);
    auto content = belljar::undo::inflate(bytes.subspan(header->length), header->size);
    if (content) CHECK(content->size() == header->size);
  }
  return 0;
}
