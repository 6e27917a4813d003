#include "gateway/judge.h"

#include <algorithm>
#include <array>

#include <fmt/core.h>

namespace belljar::gateway {

namespace {

/// As servers see it: CGI and its descendants can't tell '_' from '-'.
std::string canonical_name(std::string name) {
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

bool overrides_method(std::string_view name) {
  constexpr std::array<std::string_view, 3> kNames = {"x-http-method", "x-http-method-override",
                                                      "x-method-override"};
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

bool overrides_path(std::string_view name) {
  constexpr std::array<std::string_view, 3> kNames = {"x-original-uri", "x-original-url", "x-rewrite-url"};
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

std::string upper_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
  return text;
}

}  // namespace

Result<policy::Judgement> judge(const policy::Policy& policy, const RequestHead& head) {
  auto subject = TRY(subject_of(head));
  auto judgement = policy::judge(policy, subject);
  for (const auto& field : head.headers) {
    auto name = canonical_name(field.name);
    if (overrides_path(name))
      return Error(ErrorCode::malformed, fmt::format("the field {} names another path", field.name));
    if (!overrides_method(name) || judgement.verdict != policy::Verdict::allow) continue;
    subject.method = upper_case(field.value);
    if (!http::is_token(subject.method))
      return Error(ErrorCode::malformed, fmt::format("the field {} names no method", field.name));
    judgement = policy::judge(policy, subject);
    if (judgement.verdict != policy::Verdict::allow)
      judgement.reason = fmt::format("{} (the method that {} asks for)", judgement.reason, field.name);
  }
  return judgement;
}

}  // namespace belljar::gateway
