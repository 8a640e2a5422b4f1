import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { after } from "node:test";

export interface Seen {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

export type Answer = (response: ServerResponse, seen: Seen) => unknown;

/** A server that gives these answers in their order, the last one again and again, and tells what it was asked. */
export async function scripted(...answers: Answer[]): Promise<{ url: string; seen: Seen[] }> {
  const seen: Seen[] = [];
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on("data", (piece: Buffer) => pieces.push(piece));
    request.on("end", () => {
      const one = {
        method: request.method ?? "",
        path: request.url ?? "",
        headers: request.headers,
        body: Buffer.concat(pieces).toString("latin1"),
      };
      const answer = answers[Math.min(seen.push(one), answers.length) - 1];
      answer?.(response, one);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`, seen };
}

export function json(status: number, body: unknown, headers: Record<string, string> = {}): Answer {
  const type = status < 400 ? "application/json" : "application/problem+json";
  return (response) => {
    response.writeHead(status, { "content-type": type, ...headers }).end(JSON.stringify(body));
  };
}

export function problem(status: number, slug: string, headers: Record<string, string> = {}, more: object = {}): Answer {
  const body = { type: `/problems#${slug}`, title: "A title", status, detail: "A detail.", instance: "urn:uuid:0" };
  return json(status, { ...body, ...more }, headers);
}

/** The connection ends without an answer. */
export const lost: Answer = (response) => {
  response.destroy();
};

export const tokens = (name: string, seconds = 900): Answer =>
  json(200, {
    access_token: `access-${name}`,
    token_type: "Bearer",
    expires_in: seconds,
    refresh_token: `refresh-${name}`,
  });
