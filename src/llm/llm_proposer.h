// A language model as a proposer. Each round it is told the problem and the history anew, may call tools, and answers
// with a map; an answer that cannot be used is sent back once with what is wrong. What it proposes is proven and scored
// like any other draft: a model's word counts for nothing.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "llm/client.h"
#include "llm/context.h"
#include "llm/prices.h"
#include "llm/tools.h"
#include "search/proposer.h"

namespace swizzleperf {

// What a run of one model may use. 0: no limit.
struct LlmBudget {
  int rounds = 8;
  int samples = 1;     // answers a round
  int64_t tokens = 0;  // in and out
  double cost = 0;     // US dollars
  std::chrono::seconds time{0};
  int64_t reply_tokens = 8192;
  int tool_turns = 6;  // of one answer
};

// One request and its reply, for who keeps a history. The key is in neither.
struct LlmMessage {
  int round = 0;
  int sample = 0;
  std::string provider, model;
  std::string prompt;  // what is new in the conversation: the first time system and user text, then the last turn
  std::string reply;   // its text, or the calls of tools
  std::string finish;  // "complete", "truncated", ...
  Usage usage;
  std::optional<double> cost;
  int64_t milliseconds = 0;
};

struct LlmOptions {
  std::string model;
  ContextParts parts;
  LlmBudget budget;
  std::optional<Price> price;  // none: unknown, and budget.cost cannot be kept
  std::optional<double> temperature;
  std::function<void(const LlmMessage&)> on_message = {};
  std::function<void(const std::string& stage)> progress = {};
};

// What a run of one model used, and what became of its answers.
struct LlmTally {
  int rounds = 0;
  int answers = 0;  // final ones, usable or not
  int tool_calls = 0;
  int repairs = 0;  // answers that were sent back
  int truncated = 0, filtered = 0, refused = 0, empty = 0;
  int without_map = 0;  // answers in which no map was found, also after the repair
  Usage usage;
  double seconds = 0;   // waiting for the model
  std::string stopped;  // why it proposes no more: "8 rounds are used up"; empty while it may
};

// What a model's drafts carry as their proposer: "model NAME", which is no other proposer's name.
std::string proposer_name(const std::string& model);

class LlmProposer : public Proposer {
 public:
  // The scorer is kept by reference, and asked in propose().
  LlmProposer(Scorer& scorer, ChatClient client, LlmOptions options, CaseFacts facts);
  std::string name() const override { return proposer_name(options_.model); }
  // No drafts when the budget is used up or the server fails: failure() says which. Only an interruption is an error.
  Expected<std::vector<Draft>> propose(const Tries& tries, int budget) override;

  // The conversation that the first round would begin with.
  Expected<ChatRequest> first_request();

  const LlmTally& tally() const { return tally_; }
  const LlmOptions& options() const { return options_; }
  const std::string& provider() const { return client_.provider().name; }
  std::optional<double> cost() const;  // so far; none where the price is unknown
  const std::optional<Error>& failure() const { return failure_; }

 private:
  struct Answer;
  Expected<ChatRequest> round_request();
  bool within_budget(ChatRequest& request);
  Expected<ChatReply> ask(ChatRequest& request, int sample);
  Expected<Answer> converse(ChatRequest request, int sample);
  void answer_calls(Tools& tools, const ChatReply& reply, std::vector<ChatMessage>& messages);
  std::optional<std::string> take_answer(const ChatReply& reply, int sample, Answer& answer);
  void count_end(const ChatReply& reply);
  void find_own_tries(const Tries& tries);
  void keep_critiques(const Answer& answer);

  Scorer& scorer_;
  ChatClient client_;
  LlmOptions options_;
  CaseFacts facts_;
  LlmTally tally_;
  std::optional<Error> failure_;
  std::optional<Prediction> baseline_;
  std::chrono::steady_clock::time_point start_;
  TryNotes notes_;
  std::map<std::string, TryNote> pending_;  // by the draft's name, until it is a try
  std::vector<size_t> shown_;               // the tries of the prompt, by their numbers there
  size_t seen_ = 0;                         // tries looked through for one's own
};

}  // namespace swizzleperf
