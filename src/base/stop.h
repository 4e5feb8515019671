// Stopping one piece of work of a process that goes on: a server that cancels a request.
#pragma once

namespace swizzleperf {

// Makes interrupted() true, as a signal does, which ends running children and long loops; request_stop(false) takes it
// back, and never takes back a signal.
void request_stop(bool stop);

// A signal asked this process to stop, whatever request_stop() says.
bool signalled();

}  // namespace swizzleperf
