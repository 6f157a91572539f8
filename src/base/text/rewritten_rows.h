// The rows that a terminal shows of output that moves its cursor up, as nested progress bars do.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace trainctl {

// Takes lines of one program, and gives back those that nothing rewrites. Rows that the cursor can
// still come back to wait for the first line that it does not leave; there are at most 100 of them.
class RewrittenRows {
 public:
  // A whole line, without its end. Returns the rows that are final now, mostly this line alone.
  std::vector<std::string> take(std::string_view line);
  // Returns what the terminal shows of the rows that wait, which are final from now on.
  std::vector<std::string> rest();
  bool empty() const { return rows_.empty(); }

 private:
  void write(std::string_view line);
  void move(std::string_view sequence);
  std::string& row();

  std::vector<std::string> rows_;
  std::size_t at_ = 0;           // the cursor's row; rows_.size() = below all of them
  bool at_begin_of_row_ = true;  // the next text replaces the row
};

}  // namespace trainctl
