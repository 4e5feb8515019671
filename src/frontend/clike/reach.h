// Which declarations a kernel reaches, and where they read the block id. Private to the front end.
//
// Errs on one side only: what cannot be resolved before templates are instantiated counts as reached when its name is
// mentioned, so that a read is never missed.
#pragma once

#include <map>
#include <set>

#include "frontend/clike/clang_unit.h"

namespace swizzleperf::ast {

// The user's functions, variables and types of a unit, outside the bodies of functions; and the macros.
class Declarations {
 public:
  explicit Declarations(const Unit& unit);

  struct Entity {
    CXCursor cursor = clang_getNullCursor();
    std::string name;
    bool silent = false;  // called without being named: constructors, destructors, conversions, operators
    bool kernel = false;  // launched, not called
  };
  const std::vector<Entity>& entities() const { return entities_; }
  std::vector<size_t> find(CXCursor declaration) const;  // the entity with this identity; several for a template
  std::vector<size_t> find_name(const std::string& name) const;

  struct Macro {
    std::vector<SourceToken> tokens;
  };
  // The tokens that a macro may put into the code, through all macros that it mentions.
  std::vector<SourceToken> tokens_of_macro(const std::string& name) const;
  struct Expansion {
    std::string name;
    std::string file;
    Span span;
  };
  const std::vector<Expansion>& expansions() const { return expansions_; }

 private:
  void add(CXCursor cursor);
  std::vector<Entity> entities_;
  std::map<std::string, std::vector<size_t>> by_identity_, by_name_;
  std::map<std::string, Macro> macros_;
  std::vector<Expansion> expansions_;
};

// What a kernel reaches.
struct Reached {
  // A function body or lambda of the main file, in which a local blockIdx could stand.
  struct Body {
    RemapScope scope;
    bool captures_all = false;  // a lambda with a capture default: it sees the blockIdx around it
    size_t entity = 0;          // that it is part of
  };
  std::set<size_t> entities;          // of Declarations
  std::vector<BlockIdUse> block_ids;  // without a scope yet
  std::vector<Body> bodies;
  bool grid_dim = false;
  bool grid_sync = false;
};
Reached reach(const Unit& unit, const Declarations& declarations, CXCursor kernel);

}  // namespace swizzleperf::ast
