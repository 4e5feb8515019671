// Asks one model of one provider: a conversation in, a reply out. Retries, differences among servers and the removal of
// the key happen here.
#pragma once

#include <string>

#include "base/error.h"
#include "llm/chat.h"
#include "llm/http.h"
#include "llm/provider.h"
#include "llm/wire.h"

namespace swizzleperf {

class ChatClient {
 public:
  // `transport` sends one request; retries are its business (llm/retry.h), so that a recording holds final answers.
  ChatClient(Provider provider, Secret key, Transport transport);

  // A reply of any kind, also a truncated or empty one, or an error after which asking again is useless: the key or the
  // request is refused (user), the server cannot be reached or answers no JSON (missing), interrupted (user).
  // A request that the server takes amiss is sent once more without what it complains of, and what it was is kept for
  // later requests.
  Expected<ChatReply> ask(const ChatRequest& request);

  const Provider& provider() const { return provider_; }
  const Quirks& quirks() const { return quirks_; }
  // Requests sent so far, those that failed too.
  int requests() const { return requests_; }

 private:
  HttpResponse send(const ChatRequest& request);
  tl::unexpected<Error> refusal(const HttpResponse& response) const;
  Provider provider_;
  Secret key_;
  Transport transport_;
  Quirks quirks_;
  int requests_ = 0;
};

// What a server's complaint about a request (status 400 or 422) says that it does not take; false where the complaint
// is about nothing that can be left out, or that is left out already.
bool learn_quirk(const std::string& complaint, const ChatRequest& request, const Provider& provider, Quirks& quirks);

// The provider with the user's base URL, checked; user error where there is none, or where a key is needed and missing.
Expected<Provider> prepare_provider(Provider provider, const std::string& base_url, const Secret& key);

}  // namespace swizzleperf
