// Text tools: what users see when names are foreign, long, hostile or mistyped.
#include "base/text/text.h"

#include <doctest/doctest.h>

namespace text_test {

using namespace trainctl;

TEST_CASE("an empty item between separators is kept, so K=,x is not read as K=x") {
  CHECK(split("a,b,,c", ',') == std::vector<std::string>{"a", "b", "", "c"});
  CHECK(split("", ',') == std::vector<std::string>{""});
  CHECK(split("a,", ',') == std::vector<std::string>{"a", ""});
}

TEST_CASE("an environment value keeps its own equal signs") {
  const Halves halves = split_once("OPTS=a=b", '=');
  CHECK(halves.first == "OPTS");
  CHECK(halves.second == "a=b");
  CHECK(halves.found);
  CHECK_FALSE(split_once("NAME", '=').found);
}

TEST_CASE("the tenth job of a sweep is listed behind the second") {
  CHECK(comes_before("sweep-2", "sweep-10"));
  CHECK(!comes_before("sweep-10", "sweep-2"));
  CHECK(comes_before("sweep-02", "sweep-10"));
  CHECK(comes_before("a", "b"));
  CHECK(comes_before("sweep", "sweep-1"));
  CHECK(!comes_before("sweep-1", "sweep-1"));
}

TEST_CASE("sizes are whole bytes, or tenths of the largest unit that they fill") {
  CHECK(size_text(0) == "0 B");
  CHECK(size_text(1023) == "1023 B");
  CHECK(size_text(1024) == "1.0 KiB");
  CHECK(size_text(1'363'149) == "1.3 MiB");
  CHECK(size_text(std::uint64_t{3} << 50U) == "3072.0 TiB");
}

TEST_CASE("bytes become digits with their leading zeros, whatever their sign") {
  CHECK(hex_digits(10, 2) == "0a");
  CHECK(hex_digits(0x12345, 4) == "2345");
  CHECK(percent_escaped('\n') == "%0A");
  CHECK(percent_escaped('\xff') == "%FF");
}

TEST_CASE("joining and trimming leave the inner text alone") {
  CHECK(join(std::vector<std::string>{"a", "", "c"}, ", ") == "a, , c");
  CHECK(join({}, ", ").empty());
  CHECK(trim(" \t a b \r\n") == "a b");
  CHECK(trim(" \n").empty());
  CHECK(lower("PyTorch-ÄB") == "pytorch-Äb");
  CHECK(upper("PyTorch-äb") == "PYTORCH-äB");
}

TEST_CASE("bytes that are not UTF-8 are noticed before they reach a manifest") {
  CHECK(is_utf8(""));
  CHECK(is_utf8("a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80"));
  CHECK_FALSE(is_utf8("\x80"));
  CHECK_FALSE(is_utf8("\xC3"));
  CHECK_FALSE(is_utf8("\xC0\xAF"));          // overlong '/'
  CHECK_FALSE(is_utf8("\xE0\x80\xAF"));      // overlong again
  CHECK_FALSE(is_utf8("\xED\xA0\x80"));      // a surrogate
  CHECK_FALSE(is_utf8("\xF4\x90\x80\x80"));  // beyond U+10FFFF
  CHECK_FALSE(is_utf8("\xFF"));
}

TEST_CASE("columns stay aligned when names are not ASCII") {
  CHECK(display_width("worker") == 6);
  CHECK(display_width("\xC3\xA9t\xC3\xA9") == 3);
  CHECK(display_width("e\xCC\x81") == 1);                 // combining accent
  CHECK(display_width("\xE8\xAE\xAD\xE7\xBB\x83") == 4);  // two Han characters
  CHECK(display_width("\xF0\x9F\x98\x80") == 2);
  CHECK(display_width("\x1b") == 0);
  CHECK(display_width("\u231a\u2705") == 4);  // emoji outside of their own blocks
  CHECK(display_width("\u2026\u03b1") == 2);  // ambiguous: narrow
  CHECK(display_width("\u0915\u093e") == 2);  // a Devanagari letter and its vowel sign
  // A technologist, of whom most terminals show both parts.
  CHECK(display_width("\U0001F469\u200d\U0001F4BB") == 4);
}

TEST_CASE("a server's message cannot drive the user's terminal") {
  CHECK(printable_line("a\x1b[2Jb") == "a?[2Jb");
  CHECK(printable_line("a\r\nb\tc") == "a  b c");
  CHECK(printable_line("\xC2\x9B"
                       "31m") == "?31m");  // CSI as a single C1 character
  CHECK(printable_line("a\xE2\x80\xAE"
                       "b") == "a?b");  // right-to-left override
  CHECK(printable_line("\xFF"
                       "x") == "?x");
  CHECK(printable_line("caf\xC3\xA9") == "caf\xC3\xA9");
}

TEST_CASE("a typing error gets the word that was meant, a different word gets none") {
  const std::vector<std::string> commands = {"submit-pytorch", "logs", "list", "delete"};
  CHECK(nearest("submit-pytroch", commands) == "submit-pytorch");
  CHECK(nearest("lsit", commands) == "list");
  CHECK(nearest("delte", commands) == "delete");
  CHECK(nearest("frobnicate", commands).empty());
  CHECK(nearest("ls", commands).empty());
  CHECK(nearest("x", {}).empty());
}

TEST_CASE("one is not plural") {
  CHECK(plural(1, "pod") == "1 pod");
  CHECK(plural(0, "pod") == "0 pods");
  CHECK(plural(2, "GPU") == "2 GPUs");
}

TEST_CASE("a printed command line can be pasted back") {
  CHECK(shell_quoted("--lr=1e-3") == "--lr=1e-3");
  CHECK(shell_quoted("") == "''");
  CHECK(shell_quoted("a b") == "'a b'");
  CHECK(shell_quoted("it's") == "'it'\\''s'");
  CHECK(shell_quoted("$HOME") == "'$HOME'");
  CHECK(shell_quoted("~") == "'~'");
  CHECK(shell_quoted("a;b") == "'a;b'");
}

TEST_CASE("a password in a URL is not shown, and nothing without one is hidden") {
  CHECK(masked_user_info("https://ann:secret@host:6443/x") == "https://***@host:6443/x");
  CHECK(masked_user_info("https://token@host") == "https://***@host");
  CHECK(masked_user_info("https://a:b@c/d@host") == "https://***@host");
  CHECK(masked_user_info("https://host/a") == "https://host/a");
  CHECK(masked_user_info("registry/image@sha256:abc") == "registry/image@sha256:abc");
  CHECK(masked_user_info("") == "");
}

}  // namespace text_test
