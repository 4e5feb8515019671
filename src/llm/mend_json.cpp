#include "llm/mend_json.h"

#include <fmt/format.h>

namespace swizzleperf {
namespace {

class Mender {
 public:
  explicit Mender(std::string_view text) : text_(text) {}

  std::string run(size_t& end) {
    while (at_ < text_.size() && !(done_ && open_.empty())) inside_ ? in_string() : outside();
    if (inside_) out_ += '"';
    if (!open_.empty()) drop_comma();
    while (!open_.empty()) close(open_.back());
    end = at_;
    return std::move(out_);
  }

 private:
  void outside() {
    const char c = text_[at_];
    if (c == '/' && at_ + 1 < text_.size() && text_[at_ + 1] == '/') {
      at_ = std::min(text_.find('\n', at_), text_.size());
      return;
    }
    ++at_;
    if (c == '"') inside_ = true;
    if (c == '{' || c == '[') {
      open_ += c == '{' ? '}' : ']';
      done_ = true;
    }
    if (c == '}' || c == ']') {
      drop_comma();
      if (!open_.empty()) close(open_.back());  // also where the wrong bracket closes it
      return;
    }
    out_ += c;
  }

  void in_string() {
    const char c = text_[at_++];
    if (c == '"') {
      inside_ = false;
      out_ += c;
    } else if (c == '\\') {
      escape();
    } else if (static_cast<unsigned char>(c) < ' ') {
      out_ += c == '\n'   ? std::string("\\n")
              : c == '\t' ? std::string("\\t")
              : c == '\r' ? std::string()
                          : fmt::format("\\u{:04x}", c);
    } else {
      out_ += c;
    }
  }

  void escape() {
    if (at_ == text_.size()) return;
    const char next = text_[at_++];
    if (std::string_view("\"\\/bfnrtu").find(next) == std::string_view::npos) out_ += '\\';  // "\%" is two characters
    out_ += '\\';
    out_ += next;
  }

  void drop_comma() {
    const size_t last = out_.find_last_not_of(" \t\r\n");
    if (last != std::string::npos && out_[last] == ',') out_.resize(last);
  }

  void close(char bracket) {
    out_ += bracket;
    open_.pop_back();
  }

  std::string_view text_;
  std::string out_;
  std::string open_;  // the brackets that are to come, innermost last
  size_t at_ = 0;
  bool inside_ = false;
  bool done_ = false;
};

}  // namespace

std::string mend_json(std::string_view text, size_t& end) {
  return Mender(text).run(end);
}

}  // namespace swizzleperf
