-- What wrk sends, told by variables of the environment, and what it says at the end: JSON.
--   BENCH_TARGETS  a file of paths, one a line, asked for in turn and again from the beginning
--   BENCH_SKIP     how many of them come last instead of first
--   BENCH_BODY     a file to send
--   BENCH_METHOD   how it is sent, if not by POST
--   BENCH_DELAY    milliseconds of rest before each request

local targets = os.getenv("BENCH_TARGETS")
local body = os.getenv("BENCH_BODY")
local rest = os.getenv("BENCH_DELAY")

if body then
  local file = assert(io.open(body, "rb"))
  wrk.method = os.getenv("BENCH_METHOD") or "POST"
  wrk.body = file:read("*a")
  file:close()
end

if rest then
  local milliseconds = tonumber(rest)
  function delay() return milliseconds end
end

-- Without `request` wrk sends one and the same, which costs it nothing.
if targets then
  local requests = {}
  local at = 0

  function init(_)
    for path in io.lines(targets) do
      requests[#requests + 1] = wrk.format(nil, path)
    end
    at = tonumber(os.getenv("BENCH_SKIP") or "0") % #requests
  end

  function request()
    at = at % #requests + 1
    return requests[at]
  end
end

function done(summary, latency, _)
  local errors = summary.errors
  io.write(string.format(
    '\n{"requests": %d, "microseconds": %d, "refused": %d, "broken": %d, "p50": %d, "p99": %d}\n',
    summary.requests, summary.duration, errors.status,
    errors.connect + errors.read + errors.write + errors.timeout,
    latency:percentile(50), latency:percentile(99)
  ))
end
