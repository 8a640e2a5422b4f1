import { AdsvcError } from "./errors.js";
import type { Message, Notification } from "./generated/types.gen.js";
import type { OpenBody } from "./transport/exchange.js";

/** An event of a stream. */
export interface StreamedEvent<Data, Type extends string = string> {
  /** Send it as `after` to go on behind this event. */
  readonly cursor: string;
  readonly type: Type;
  readonly data: Data;
}

/** What concerns the caller. */
export type PersonalEvent =
  | StreamedEvent<{ readonly messages: number; readonly notifications: number }, "unread">
  | StreamedEvent<Message, "message" | "offer">
  | StreamedEvent<{ readonly conversation: number; readonly readUpTo: number }, "read">
  | StreamedEvent<NotificationEvent, "notification">;

/** A new notification, or with `update` one that has gathered more. */
export type NotificationEvent = Notification & { readonly update?: true };

/** The service sends something every 15 seconds. */
const QUIET_SECONDS = 45;

/**
 * The events of one connection, until it ends, however that comes: whoever iterates connects again. Only the caller's
 * signal is an error.
 */
export async function* streamed<Data>(
  { content, close }: OpenBody,
  signal: AbortSignal | undefined,
): AsyncGenerator<StreamedEvent<Data>, void, undefined> {
  const reader = content.pipeThrough(new TextDecoderStream() as TransformStream<Uint8Array, string>).getReader();
  let text = "";
  try {
    for (;;) {
      const piece = await next(reader, close, signal);
      if (piece === undefined) {
        return;
      }
      const blocks = (text + piece).split("\n\n");
      text = blocks.pop() ?? "";
      for (const block of blocks) {
        const event = parsed<Data>(block);
        if (event !== undefined) {
          yield event;
        }
      }
    }
  } finally {
    close();
    // What it was closed with is of no interest.
    reader.closed.catch(() => undefined);
  }
}

/** What came; undefined at the end, or when nothing has come for too long. */
async function next(
  reader: ReadableStreamDefaultReader<string>,
  close: OpenBody["close"],
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  const timer = setTimeout(close, QUIET_SECONDS * 1000);
  try {
    const { done, value } = await reader.read();
    return done ? undefined : value;
  } catch {
    signal?.throwIfAborted();
    return undefined;
  } finally {
    clearTimeout(timer);
  }
}

/** Undefined for a comment. The service sends the fields of each event once. */
function parsed<Data>(block: string): StreamedEvent<Data> | undefined {
  const fields = new Map(
    block.split("\n").map((line) => {
      const colon = line.indexOf(":");
      return [line.slice(0, colon), line.slice(colon + 1).trimStart()] as const;
    }),
  );
  const [cursor, type, data] = [fields.get("id"), fields.get("event"), fields.get("data")];
  if (data === undefined) {
    return undefined;
  }
  if (cursor === undefined || type === undefined) {
    throw new AdsvcError("The stream has an event without a cursor: it comes from something else than adsvc.");
  }
  return { cursor, type, data: JSON.parse(data) as Data };
}
