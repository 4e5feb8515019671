// The program of a declared workload: what a tile reads and writes, statement by statement. Private to
// src/workload/declared*. Reference of the language: docs/declared.md.
#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "swizzle/scalar.h"
#include "workload/workload.h"

namespace swizzleperf::declared {

// The range of one axis of an array: `count` elements from `begin` on; or the elements whose numbers stand in a table
// at those places.
struct Range {
  int begin = -1;  // index into Program::expressions
  int count = -1;  // -1: one element
  int table = -1;  // index into the tables; -1: the range itself
};

struct Statement {
  enum class Kind { kAssign, kLookUp, kFor, kIf, kAccess, kWait };
  Kind kind = Kind::kWait;
  Place place;
  int variable = -1;      // kAssign, kLookUp, kFor: slot that receives the value
  int table = -1;         // kLookUp
  int expression = -1;    // kAssign: value; kLookUp: place in the table; kFor: first value; kIf: condition
  int end = -1;           // kFor: the loop ends before this value
  int step = -1;          // kFor: -1 is a step of 1
  bool together = false;  // kFor: the passes do not end a phase (`unroll`)
  std::vector<Statement> body;
  std::vector<Statement> otherwise;  // kIf
  // kAccess
  AccessKind access = AccessKind::kLoad;
  int array = -1;
  std::vector<Range> ranges;  // one an axis
  std::vector<int64_t> wave;  // elements along each axis that one wave instruction covers; empty: not stated
  int64_t lane_bytes = 0;     // bytes of one lane in a wave instruction; 0: not stated
  int access_number = -1;     // counts the accesses of the program
};

struct Program {
  std::vector<Statement> statements;
  std::vector<ScalarExpr> expressions;
  std::vector<Place> expression_places;
  std::vector<std::string> variables;  // by slot; the known names come first
  int accesses = 0;
};

// What a program may name.
struct Names {
  std::vector<std::string> known;  // slots 0 ... : pid, pid_x, ..., sizes
  std::vector<std::string> arrays;
  std::vector<size_t> axes;  // of each array
  std::vector<std::string> tables;
};

// `place` is where the text begins. User error with line and column.
Expected<Program> parse_program(const std::string& text, const Place& place, const Names& names);

}  // namespace swizzleperf::declared
