#include "llm/llm_proposer.h"

#include <fmt/format.h>

#include "base/process.h"
#include "llm/prompt.h"
#include "llm/reply.h"

namespace swizzleperf {
namespace {

using Clock = std::chrono::steady_clock;
constexpr int64_t kFewestReplyTokens = 256;  // with less an answer is cut
constexpr size_t kCallsATurn = 8;

std::string text_of(const ChatRequest& request) {
  std::string text = request.system + request.reply_schema;
  for (const auto& message : request.messages) {
    text += message.text + message.raw;
    for (const auto& call : message.calls) text += call.arguments;
  }
  for (const auto& tool : request.tools) text += tool.description + tool.parameters;
  return text;
}

std::string reply_text(const ChatReply& reply) {
  std::string text = reply.text;
  for (const auto& call : reply.calls)
    if (call.arguments != reply.text) text += fmt::format("{}({})\n", call.name, call.arguments);
  return text;
}

bool wants_tools(const ChatReply& reply) {
  return !reply.calls.empty() && reply.calls.front().name != kReplyTool;
}

ChatMessage model_turn(const ChatReply& reply) {
  return {.role = ChatMessage::Role::kModel,
          .text = wants_tools(reply) || reply.calls.empty() ? reply.text : "",
          .calls = reply.calls,
          .raw = reply.raw};
}

// Sends an answer back with what is wrong: to the call that it was, or as a turn of the user's.
Expected<ChatMessage> repair_message(const std::string& wrong, const ChatReply& reply) {
  const auto words = prompt_file("repair.md");
  if (!words) return tl::unexpected(words.error());
  auto text = fill(*words, {{"error", wrong}});
  if (!text) return tl::unexpected(text.error());
  if (reply.calls.empty()) return ChatMessage{.text = std::move(*text)};
  return ChatMessage{.role = ChatMessage::Role::kTool,
                     .text = std::move(*text),
                     .call_id = reply.calls[0].id,
                     .call_name = kReplyTool};
}

}  // namespace

// What one conversation came to.
struct LlmProposer::Answer {
  std::optional<Draft> draft;
  std::optional<double> expected_hit_rate;
  std::vector<Critique> critiques;
};

std::string proposer_name(const std::string& model) {
  return "model " + model;
}

LlmProposer::LlmProposer(Scorer& scorer, ChatClient client, LlmOptions options, CaseFacts facts)
    : scorer_(scorer),
      client_(std::move(client)),
      options_(std::move(options)),
      facts_(std::move(facts)),
      start_(Clock::now()) {}

std::optional<double> LlmProposer::cost() const {
  if (!options_.price) return std::nullopt;
  return options_.price->cost(tally_.usage);
}

Expected<ChatRequest> LlmProposer::round_request() {
  if (!baseline_) {
    const Scored launch_order = scorer_.ask({.name = "baseline", .proposer = "baseline", .map = "pid = wg", .why = ""});
    if (!launch_order.prediction) return user_error("interrupted");
    baseline_ = launch_order.prediction;
  }
  const auto system = prompt_file("system.md");
  if (!system) return tl::unexpected(system.error());
  const auto schema = prompt_file("reply.schema.json");
  if (!schema) return tl::unexpected(schema.error());
  const auto tool_words = prompt_file("tools.md");
  if (!tool_words) return tl::unexpected(tool_words.error());
  const auto tools = Tools::create(scorer_, *baseline_, options_.parts.counters);
  if (!tools) return tl::unexpected(tools.error());
  shown_ = shown_tries(scorer_.tries(), name());
  auto context = describe_context(options_.parts, facts_, scorer_, *baseline_, notes_, name());
  if (!context) return tl::unexpected(context.error());
  ChatRequest request{.model = options_.model,
                      .system = *system,
                      .messages = {{.text = std::move(*context)}},
                      .reply_schema = *schema,
                      .max_tokens = options_.budget.reply_tokens,
                      .temperature = options_.temperature};
  if (client_.provider().tools && !client_.quirks().no_tools && options_.budget.tool_turns > 0) {
    request.system += *tool_words;
    request.tools = tools->specs();
  }
  return request;
}

Expected<ChatRequest> LlmProposer::first_request() {
  return round_request();
}

// False when the next request could exceed the budget; else the answer's length is bounded by what is left.
bool LlmProposer::within_budget(ChatRequest& request) {
  const LlmBudget& budget = options_.budget;
  const int64_t input = estimate_tokens(text_of(request));
  int64_t left = budget.reply_tokens;
  const auto stop = [&](std::string why) {
    tally_.stopped = std::move(why);
    return false;
  };
  if (budget.time.count() > 0 && Clock::now() - start_ >= budget.time)
    return stop(fmt::format("{} s are used up", budget.time.count()));
  if (budget.tokens > 0) {
    left = std::min(left, budget.tokens - tally_.usage.input - tally_.usage.output - input);
    if (left < kFewestReplyTokens)
      return stop(fmt::format("of {} tokens too few are left for another answer", budget.tokens));
  }
  if (budget.cost > 0 && options_.price) {
    const double free = budget.cost - *cost() - options_.price->cost({input, 0});
    if (options_.price->output > 0)
      left = std::min(left, static_cast<int64_t>(std::min(free * 1e6 / options_.price->output, 1e9)));
    if (free < 0 || left < kFewestReplyTokens)
      return stop(fmt::format("of {} US dollars too few are left for another answer", budget.cost));
  }
  request.max_tokens = left;
  return true;
}

Expected<ChatReply> LlmProposer::ask(ChatRequest& request, int sample) {
  const auto begin = Clock::now();
  auto reply = client_.ask(request);
  const auto time = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - begin);
  tally_.seconds += static_cast<double>(time.count()) / 1000;
  if (interrupted()) return user_error("interrupted");
  if (!reply) {
    failure_ = reply.error();
    return reply;
  }
  tally_.usage += reply->usage;
  if (options_.on_message) {
    const bool first = request.messages.size() == 1;
    options_.on_message({tally_.rounds, sample, client_.provider().name, options_.model,
                         (first ? request.system + "\n\n" : std::string()) + request.messages.back().text,
                         reply_text(*reply), to_string(reply->finish), reply->usage,
                         options_.price ? std::optional(options_.price->cost(reply->usage)) : std::nullopt,
                         time.count()});
  }
  return reply;
}

void LlmProposer::count_end(const ChatReply& reply) {
  ++tally_.answers;
  tally_.truncated += reply.finish == Finish::kTruncated ? 1 : 0;
  tally_.filtered += reply.finish == Finish::kFiltered ? 1 : 0;
  tally_.refused += reply.finish == Finish::kRefused ? 1 : 0;
  tally_.empty += reply.finish == Finish::kEmpty ? 1 : 0;
}

// Reads a final answer; what is wrong with it, in words for the model, or nothing when it can be used.
std::optional<std::string> LlmProposer::take_answer(const ChatReply& reply, int sample, Answer& answer) {
  const auto typed = parse_reply(reply.text);
  if (!typed) return describe(typed.error());
  answer.critiques = typed->critiques;
  answer.expected_hit_rate = typed->expected_hit_rate;
  answer.draft = Draft{.name = fmt::format("{} {}.{}", options_.model, tally_.rounds, sample),
                       .proposer = name(),
                       .map = typed->map,
                       .why = typed->why_better.empty() ? typed->summary : typed->why_better};
  const Scored scored = scorer_.ask(*answer.draft);
  if (scored.fault) return describe(*scored.fault);
  return std::nullopt;
}

void LlmProposer::answer_calls(Tools& tools, const ChatReply& reply, std::vector<ChatMessage>& messages) {
  for (size_t i = 0; i < reply.calls.size(); ++i) {
    const ToolCall& call = reply.calls[i];
    ++tally_.tool_calls;
    messages.push_back({.role = ChatMessage::Role::kTool,
                        .text = i < kCallsATurn ? tools.answer(call) : "too many calls in one turn",
                        .call_id = call.id,
                        .call_name = call.name});
  }
}

Expected<LlmProposer::Answer> LlmProposer::converse(ChatRequest request, int sample) {
  auto tools = Tools::create(scorer_, *baseline_, options_.parts.counters);
  if (!tools) return tl::unexpected(tools.error());
  Answer answer;
  bool repaired = false;
  for (int turn = 0; within_budget(request);) {
    const auto reply = ask(request, sample);
    if (!reply) return tl::unexpected(reply.error());
    if (reply->finish != Finish::kComplete) {
      count_end(*reply);
      return answer;
    }
    request.messages.push_back(model_turn(*reply));
    if (wants_tools(*reply)) {
      answer_calls(*tools, *reply, request.messages);
      if (++turn > options_.budget.tool_turns) break;
      if (turn == options_.budget.tool_turns)
        request.messages.push_back({.text = "No more tools now: give your answer."});
      continue;
    }
    const auto wrong = take_answer(*reply, sample, answer);
    if (!wrong || repaired) {
      count_end(*reply);
      tally_.without_map += answer.draft ? 0 : 1;
      return answer;
    }
    repaired = true;
    ++tally_.repairs;
    auto message = repair_message(*wrong, *reply);
    if (!message) return tl::unexpected(message.error());
    request.messages.push_back(std::move(*message));
  }
  return answer;
}

// Where the drafts of earlier rounds stand among the tries.
void LlmProposer::find_own_tries(const Tries& tries) {
  for (; seen_ < tries.size(); ++seen_) {
    const auto note = pending_.find(tries[seen_].draft.name);
    if (note != pending_.end()) notes_[seen_] = note->second;
  }
  pending_.clear();
}

void LlmProposer::keep_critiques(const Answer& answer) {
  for (const auto& critique : answer.critiques) {
    const auto number = static_cast<size_t>(critique.attempt);
    if (number < 1 || number > shown_.size()) continue;
    auto& kept = notes_[shown_[number - 1]].critiques;
    if (kept.empty()) kept.push_back(critique.why);  // the first: later ones mostly repeat it
  }
}

Expected<std::vector<Draft>> LlmProposer::propose(const Tries& tries, int /*budget*/) {
  std::vector<Draft> drafts;
  find_own_tries(tries);
  while (drafts.empty() && tally_.stopped.empty() && !failure_) {
    if (tally_.rounds == options_.budget.rounds) {
      tally_.stopped = fmt::format("{} rounds are used up", tally_.rounds);
      break;
    }
    ++tally_.rounds;
    if (options_.progress)
      options_.progress(fmt::format("asking {} ({}/{})", options_.model, tally_.rounds, options_.budget.rounds));
    const auto request = round_request();
    if (!request) return tl::unexpected(request.error());
    for (int sample = 1; sample <= options_.budget.samples && tally_.stopped.empty() && !failure_; ++sample) {
      auto answer = converse(*request, sample);
      if (interrupted()) return user_error("interrupted");
      if (!answer && !failure_) return tl::unexpected(answer.error());
      if (!answer) break;
      keep_critiques(*answer);
      if (!answer->draft) continue;
      pending_[answer->draft->name] = {answer->expected_hit_rate, {}};
      drafts.push_back(std::move(*answer->draft));
    }
  }
  if (failure_) tally_.stopped = "the server fails";
  return drafts;
}

}  // namespace swizzleperf
