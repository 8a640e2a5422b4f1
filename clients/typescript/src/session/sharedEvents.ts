/** What tabs say to each other: an event, or that a tab has joined. */
type Said<Event> = { readonly event: Event } | "joined";

/** Follows the stream of the tab that holds the lock. When that tab ends, the tab that has waited longest reads. */
export async function* sharedEvents<Event>(
  locks: LockManager,
  name: string,
  open: (signal: AbortSignal) => AsyncIterable<Event>,
  isState: (event: Event) => boolean,
  signal: AbortSignal | undefined,
): AsyncGenerator<Event, void, undefined> {
  signal?.throwIfAborted();
  const left = new AbortController();
  const ended = left.signal;
  signal?.addEventListener(
    "abort",
    () => {
      left.abort(signal.reason);
    },
    { signal: ended },
  );
  const channel = new BroadcastChannel(name);
  const reader = new ReadableStream<Event>({
    start(controller) {
      channel.onmessage = ({ data }: MessageEvent<Said<Event>>) => {
        if (data !== "joined") {
          controller.enqueue(data.event);
        }
      };
      channel.postMessage("joined");
      const read = async (): Promise<void> => {
        let state: { readonly event: Event } | undefined;
        channel.onmessage = ({ data }: MessageEvent<Said<Event>>) => {
          if (data === "joined" && state !== undefined) {
            channel.postMessage(state);
          }
        };
        for await (const event of open(ended)) {
          state = isState(event) ? { event } : state;
          channel.postMessage({ event });
          controller.enqueue(event);
        }
        controller.close();
      };
      locks.request(name, { signal: ended }, read).catch((error: unknown) => {
        controller.error(error);
      });
    },
  }).getReader();
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      yield next.value;
    }
  } finally {
    left.abort();
    channel.close();
  }
}
