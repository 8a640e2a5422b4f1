import { AdsvcError } from "./errors.js";

/** What was received did not come from the service, or is too old to be trusted. */
export class WebhookVerificationError extends AdsvcError {
  override readonly name: string = "WebhookVerificationError";
}

/** An event, as it is sent to webhooks. A test has the id 0 and the type `webhook.test`. */
export interface WebhookEvent {
  id: number;
  type: string;
  /** In milliseconds since 1970-01-01T00:00Z. */
  at: number;
  ad: number | null;
  user: number | null;
  data: Record<string, unknown>;
}

/** As `fetch`, or as Node's `request.headers`. */
export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

const PREFIX = "whsec_";
const TOLERANCE_SECONDS = 300;

function header(headers: WebhookHeaders, name: string): string {
  if (headers instanceof Headers) return headers.get(name) ?? "";
  for (const [key, value] of Object.entries(headers)) {
    if (key.toLowerCase() === name) return typeof value === "string" ? value : (value?.join(", ") ?? "");
  }
  return "";
}

function bytes(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

/**
 * The event that a webhook has received, once its signature is verified (Standard Webhooks).
 *
 * `body` has to be as it was received, not parsed and written again. Of several secrets one is enough. Skip an event
 * whose header `webhook-id` you have seen: it may come twice. Ends with `WebhookVerificationError`.
 */
export async function verifyWebhook(
  body: string | Uint8Array,
  headers: WebhookHeaders,
  secrets: string | readonly string[],
): Promise<WebhookEvent> {
  const id = header(headers, "webhook-id");
  const timestamp = header(headers, "webhook-timestamp");
  const signatures = header(headers, "webhook-signature");
  if (!id || !signatures || !/^\d+$/.test(timestamp)) {
    throw new WebhookVerificationError("The headers of a webhook are missing.");
  }
  if (Math.abs(Date.now() / 1000 - Number(timestamp)) > TOLERANCE_SECONDS) {
    throw new WebhookVerificationError("The webhook is too old, or the clock is wrong.");
  }
  const text = typeof body === "string" ? body : new TextDecoder("utf-8", { fatal: true }).decode(body);
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${text}`);
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  for (const secret of typeof secrets === "string" ? [secrets] : secrets) {
    const raw = bytes(secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret);
    if (!raw || raw.length === 0) throw new TypeError("The secret of a webhook begins with whsec_.");
    const key = await crypto.subtle.importKey("raw", raw, algorithm, false, ["verify"]);
    for (const versioned of signatures.split(" ")) {
      const signature = versioned.startsWith("v1,") ? bytes(versioned.slice(3)) : undefined;
      // It takes the same time wherever they differ.
      if (signature && (await crypto.subtle.verify(algorithm, key, signature, signed))) {
        return JSON.parse(text) as WebhookEvent;
      }
    }
  }
  throw new WebhookVerificationError("No signature matches.");
}
