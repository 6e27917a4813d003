# Writes OUTPUT: a C++ file that defines NAMESPACE::SYMBOL with the bytes of INPUT.
file(READ ${INPUT} content HEX)
string(LENGTH "${content}" digits)
math(EXPR size "${digits} / 2")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1'," bytes "${content}")
file(WRITE ${OUTPUT} "#include <string_view>
namespace ${NAMESPACE} {
namespace {
const char kBytes[] = {${bytes}'\\0'};
}
extern const std::string_view ${SYMBOL};
const std::string_view ${SYMBOL}(kBytes, ${size});
}
")
