// The objects that one submit creates: all of them stay, or all are deleted again.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "work/access.h"

namespace trainctl::work {

class Transaction {
 public:
  // `access` must outlive this. `ns`: of the objects, for the commands that delete what is left.
  Transaction(Access& access, std::string ns) : access_(access), ns_(std::move(ns)) {}

  // Deletes one object again. Succeeds when it is gone, or when others need it by now.
  using Undo = std::function<Status()>;
  // Records an object that the job needs. `title`: "configmap/settings", as kubectl takes it.
  void add(std::string title, Undo undo) { beside_.push_back({std::move(title), std::move(undo)}); }
  // Records the job itself: as long as it stays, so does what it needs.
  void add_job(std::string title, Undo undo) { job_ = Object{std::move(title), std::move(undo)}; }

  // Deletes the job, and then what it needs, each within ten seconds and regardless of the
  // command's limit. Adds the outcome to the error; its hint is then the command that deletes what
  // is left.
  Error roll_back(Error why);
  // The same for a caller who has no error to report: warns of what is left.
  void roll_back();
  // Adds to the error that the created objects stay, because the job may exist.
  Error leave(Error why) const;

 private:
  struct Object {
    std::string title;
    Undo undo;
  };
  struct Titles {
    std::vector<std::string> deleted, left;
  };
  Titles undo_all();
  std::string deletion_of(const std::vector<std::string>& titles) const;

  Access& access_;
  std::string ns_;
  std::vector<Object> beside_;
  std::optional<Object> job_;
};

}  // namespace trainctl::work
