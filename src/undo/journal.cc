#include "undo/journal.h"

#include <cerrno>

#include <unistd.h>

#include "os/fd.h"
#include "wire/codec.h"

namespace belljar::undo {

namespace {

constexpr std::string_view kMagic = "belljar undo 1";
constexpr std::size_t kMost = 64U << 10;

std::string path_of(const std::string& directory) { return directory + "/journal"; }

}  // namespace

std::string to_text(const Journal& journal) {
  wire::Encoder out;
  out.text(kMagic).u64(journal.target).text(journal.path).text(journal.staging);
  return std::string(as_text(out.result()));
}

Result<Journal> parse_journal(std::string_view text) {
  wire::Decoder in(as_bytes(text));
  if (TRY(in.text()) != kMagic) return Error(ErrorCode::malformed, "it is of another version");
  Journal journal;
  journal.target = TRY(in.u64());
  journal.path = TRY(in.text());
  journal.staging = TRY(in.text());
  TRY(in.finish());
  bool plain = journal.staging.starts_with(".belljar-undo-") &&
               journal.staging.find('/') == std::string::npos &&
               journal.staging.find('\0') == std::string::npos;
  if (journal.target == 0 || !plain) return Error(ErrorCode::malformed, "it names no checkpoint");
  return journal;
}

Result<std::optional<Journal>> read_journal(const std::string& directory) {
  auto text = os::read_file(path_of(directory), kMost);
  if (!text && text.error().code() == ErrorCode::not_found) return std::optional<Journal>{};
  if (!text) return std::move(text).error();
  auto journal = parse_journal(*text);
  if (!journal)
    return std::move(journal)
        .error()
        .context("reading " + path_of(directory) + ", the journal of an undo")
        .with_hint("delete that file, then: belljar undo --list");
  return std::optional<Journal>(std::move(*journal));
}

Result<void> write_journal(const std::string& directory, const Journal& journal) {
  return os::write_file_atomically(path_of(directory), to_text(journal));
}

Result<void> remove_journal(const std::string& directory) {
  if (::unlink(path_of(directory).c_str()) < 0 && errno != ENOENT)
    return Error::from_errno(errno, "delete " + path_of(directory));
  return {};
}

}  // namespace belljar::undo
