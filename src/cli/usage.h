// What is wrong with a command line, in words that name the command and what it takes. CLI11 is confined to
// this file's source, grammar.h, grammar*.cc.
#pragma once

#include <string>

namespace CLI {
class App;
class ParseError;
}  // namespace CLI

namespace belljar::cli {

/// Two lines: what happened with the nearest known word, and the next command to type.
std::string explain_usage(const CLI::App& app, const CLI::ParseError& error);

}  // namespace belljar::cli
