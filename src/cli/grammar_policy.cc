// Commands on what may leave a jar.
#include <fmt/format.h>

#include "cli/grammar.h"

namespace belljar::cli {

void Grammar::add_rules() {
  for (bool allow : {true, false}) {
    auto* change = app_.add_subcommand(
        allow ? "allow" : "deny",
        allow ? "Let a jar reach a host" : "Keep a jar from a host, whatever else allows it");
    change->footer(
        allow ? "Examples:\n  belljar allow api.example.com\n"
                "  belljar allow api.github.com --path '/repos/acme/app/**' --method GET --method POST"
              : "Example:\n  belljar deny telemetry.example.com");
    change->add_option("HOST", change_.host, "api.example.com, or *.example.com for every name below")
        ->required();
    change->add_option("--jar", change_.jar, "Name of the jar (default: the one of this directory)")
        ->type_name("JAR");
    change->add_flag("--every-jar", change_.every_jar, "For all jars of this user");
    change
        ->add_option("--method", change_.methods,
                     "HTTP method, may be repeated; * is any (default: GET and HEAD)")
        ->allow_extra_args(false);
    change->add_option("--path", change_.paths, "Path glob, may be repeated (default: any)")
        ->allow_extra_args(false);
    change->add_option("--port", change_.ports, "Port, may be repeated (default: 443)")
        ->allow_extra_args(false);
    change->add_flag("--http", change_.plain_http, "Plain HTTP instead of HTTPS");
    change->add_option("--reason", change_.reason, "Why, for whoever reads the policy later");
    change->add_flag("--remove", change_.take_back, "Take such a rule back instead");
    change->add_flag("--json", change_.json, "Print JSON");
    change->group("Policy");
    change->callback([this, allow] {
      change_.allow = allow;
      command_ = change_;
    });
  }
}

void Grammar::add_policy() {
  auto* policy = app_.add_subcommand("policy", "Show and test what may leave a jar");
  policy->require_subcommand(1);
  policy->group("Policy");

  auto* show = policy->add_subcommand("show", "Print every rule with its reason and where it stands");
  show->footer("Examples:\n  belljar policy show --agent claude\n  belljar policy show --origin --memory 2G");
  add_policy_options(*show, show_.options);
  show->add_flag("--origin", show_.origin,
                 "Print every setting, one a line, with the file and line it stands in");
  show->add_option("--agent", show_.agent, "Agent whose profile counts (default: the jar's)")
      ->type_name("AGENT");
  show->add_flag("--json", show_.json, "Print JSON");
  show->callback([this] { command_ = show_; });

  auto* test = policy->add_subcommand("test", "Say what would become of a request, and why");
  test->footer("Example:\n  belljar policy test GET https://api.example.com/v1/items");
  test->add_option("METHOD", test_.method, "HTTP method")->required();
  test->add_option("URL", test_.url, "URL")->required();
  add_policy_options(*test, test_.options);
  test->add_option("--agent", test_.agent, "Agent whose profile counts (default: the jar's)")
      ->type_name("AGENT");
  test->add_flag("--json", test_.json, "Print JSON");
  test->callback([this] { command_ = test_; });

  auto* check = policy->add_subcommand("check", "Look for rules that are too wide or can never count");
  check->footer("Example:\n  belljar policy check");
  check->add_option("--jar", check_.jar, "Name of the jar (default: the one of this directory)")
      ->type_name("JAR");
  check->add_flag("--json", check_.json, "Print JSON");
  check->callback([this] { command_ = check_; });
}

void Grammar::add_review() {
  auto* review = app_.add_subcommand("review", "Show what waits for you, and decide");
  review->require_subcommand(0, 1);
  review->group("Policy");
  review->footer(
      "Examples:\n  belljar review\n  belljar review show 3\n"
      "  belljar review approve 3 --reason \"the project's own API\"");
  review->add_flag("--all", review_.all, "What is decided, too");
  review->add_flag("--json", review_.json, "Print JSON");
  review->callback([this] { command_ = review_; });
  auto add = [this, review](Review::Action action, const char* name, const char* about, bool takes_reason) {
    auto* chosen = review->add_subcommand(name, about);
    chosen->footer(
        fmt::format("Example:\n  belljar review {}{}", name, action == Review::Action::list ? "" : " 3"));
    chosen->add_flag("--json", review_.json, "Print JSON");
    if (action == Review::Action::list) chosen->add_flag("--all", review_.all, "What is decided, too");
    if (action != Review::Action::list) {
      auto* number =
          chosen->add_option("NUMBER", review_.numbers, "Which proposals, as belljar review lists them");
      number->required();
      if (action == Review::Action::show) number->expected(1);
    }
    if (takes_reason) chosen->add_option("--reason", review_.reason, "Why, for the record");
    chosen->callback([this, action] {
      review_.action = action;
      command_ = review_;
    });
  };
  add(Review::Action::list, "ls", "List the proposals", false);
  add(Review::Action::show, "show", "Show all of one proposal", false);
  add(Review::Action::approve, "approve", "Let exactly what a proposal says count, for its jar or directory",
      true);
  add(Review::Action::reject, "reject", "Don't; it isn't asked about again", true);
  add(Review::Action::always, "always", "Approve a request for every jar of yours", true);
}

}  // namespace belljar::cli
