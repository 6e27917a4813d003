#include "keeper/plan.h"

#include <bit>

#include "wire/codec.h"

namespace belljar::keeper {

namespace {

using Texts = std::vector<std::string>;

void put_texts(wire::Encoder& out, const Texts& texts) {
  out.count(texts.size());
  for (const auto& text : texts)
    out.text(text);
}

Result<Texts> get_texts(wire::Decoder& in) {
  Texts texts;
  for (auto count = TRY(in.count()); count > 0; --count)
    texts.push_back(TRY(in.text()));
  return texts;
}

void put_number(wire::Encoder& out, const std::optional<std::uint64_t>& number) {
  out.boolean(number.has_value());
  if (number) out.u64(*number);
}

Result<std::optional<std::uint64_t>> get_number(wire::Decoder& in) {
  std::optional<std::uint64_t> number;
  if (TRY(in.boolean())) number = TRY(in.u64());
  return number;
}

void put_limits(wire::Encoder& out, const jar::Limits& limits) {
  const auto& [memory, cpus, processes, wall, disk] = limits;
  put_number(out, memory);
  put_number(out, cpus ? std::optional(std::bit_cast<std::uint64_t>(*cpus)) : std::nullopt);
  put_number(out, processes);
  put_number(out, wall);
  put_number(out, disk);
}

Result<jar::Limits> get_limits(wire::Decoder& in) {
  jar::Limits limits;
  limits.memory = TRY(get_number(in));
  if (auto cpus = TRY(get_number(in))) {
    limits.cpus = std::bit_cast<double>(*cpus);
    if (!(*limits.cpus > 0) || *limits.cpus > 1e6) return Error(ErrorCode::malformed, "no number of cores");
  }
  limits.processes = TRY(get_number(in));
  limits.wall = TRY(get_number(in));
  limits.disk = TRY(get_number(in));
  return limits;
}

// The names of all members stand here, so that a member that is added and forgotten does not compile.
void put_spec(wire::Encoder& out, const jar::JarSpec& spec) {
  const auto& [name, state_directory, cache_directory, workspace, home, user_name, ca_certificate,
               before_workspace, ca_subject_hash, programs, hidden, limits, root, roots_directory, tell,
               allow_unguarded] = spec;
  out.text(name).text(state_directory).text(cache_directory).text(workspace).text(home).text(user_name);
  static_cast<void>(ca_certificate);  // of the keeper
  static_cast<void>(before_workspace);
  static_cast<void>(ca_subject_hash);
  static_cast<void>(tell);  // of the command, which has made the root
  out.count(programs.size());
  for (const auto& bind : programs)
    out.text(bind.path);
  put_texts(out, hidden);
  put_limits(out, limits);
  out.u8(static_cast<std::uint8_t>(root)).text(roots_directory);
  out.boolean(allow_unguarded);
}

Result<jar::JarSpec> get_spec(wire::Decoder& in) {
  jar::JarSpec spec;
  for (auto* text : {&spec.name, &spec.state_directory, &spec.cache_directory, &spec.workspace, &spec.home,
                     &spec.user_name})
    *text = TRY(in.text());
  for (auto& path : TRY(get_texts(in)))
    spec.programs.push_back({std::move(path)});
  spec.hidden = TRY(get_texts(in));
  spec.limits = TRY(get_limits(in));
  auto root = TRY(in.u8());
  if (root > static_cast<std::uint8_t>(jar::RootChoice::image))
    return Error(ErrorCode::malformed, "no kind of root");
  spec.root = static_cast<jar::RootChoice>(root);
  spec.roots_directory = TRY(in.text());
  spec.allow_unguarded = TRY(in.boolean());
  return spec;
}

void put_request(wire::Encoder& out, const jar::ExecRequest& request) {
  put_texts(out, request.arguments);
  put_texts(out, request.environment);
  out.text(request.working_directory);
}

Result<jar::ExecRequest> get_request(wire::Decoder& in) {
  jar::ExecRequest request;
  request.arguments = TRY(get_texts(in));
  request.environment = TRY(get_texts(in));
  request.working_directory = TRY(in.text());
  return request;
}

}  // namespace

Bytes encode(const Plan& plan) {
  wire::Encoder out;
  put_spec(out, plan.spec);
  out.bytes(policy::encode(plan.policy)).count(plan.preparations.size());
  for (const auto& preparation : plan.preparations) {
    out.text(preparation.what);
    put_request(out, preparation.request);
  }
  put_request(out, plan.request);
  out.text(plan.libexec_directory).text(plan.ledger_directory).boolean(plan.outlives_command);
  return out.take();
}

Result<Plan> decode_plan(BytesView bytes) {
  wire::Decoder in(bytes);
  Plan plan;
  plan.spec = TRY(get_spec(in));
  auto policy = TRY(in.bytes());
  plan.policy = TRY(policy::decode(policy));
  for (auto count = TRY(in.count()); count > 0; --count) {
    Plan::Preparation preparation;
    preparation.what = TRY(in.text());
    preparation.request = TRY(get_request(in));
    plan.preparations.push_back(std::move(preparation));
  }
  plan.request = TRY(get_request(in));
  plan.libexec_directory = TRY(in.text());
  plan.ledger_directory = TRY(in.text());
  plan.outlives_command = TRY(in.boolean());
  TRY(in.finish());
  return plan;
}

Bytes encode(const ProgramWords& words) {
  wire::Encoder out;
  put_texts(out, words.arguments);
  put_texts(out, words.environment);
  out.text(words.working_directory);
  return out.take();
}

Result<ProgramWords> decode_program_words(BytesView bytes) {
  wire::Decoder in(bytes);
  ProgramWords words;
  words.arguments = TRY(get_texts(in));
  words.environment = TRY(get_texts(in));
  words.working_directory = TRY(in.text());
  TRY(in.finish());
  if (words.arguments.empty()) return Error(ErrorCode::malformed, "a program without a name");
  return words;
}

}  // namespace belljar::keeper
