import { once } from "node:events";
import { createServer, request as forward, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** What becomes of a request: its answer is lost after the service gave it, or it is refused before. */
export type Fault = "lost" | "unavailable";

/** Stands before the service, and has one fault for each request that is named: `POST /ads`. */
export class Proxy {
  /** Those that have not been used yet. */
  readonly faults = new Map<string, Fault>();
  readonly #server = createServer((request, response) => {
    this.#handle(request, response);
  });
  readonly #origin: string;
  url = "";

  constructor(origin: string) {
    this.#origin = origin;
  }

  async start(): Promise<void> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    this.url = `http://127.0.0.1:${String((this.#server.address() as AddressInfo).port)}`;
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  #handle(request: IncomingMessage, response: ServerResponse): void {
    const { method = "", url = "" } = request;
    const name = `${method} ${url}`;
    const fault = this.faults.get(name);
    this.faults.delete(name);
    if (fault === "unavailable") {
      request.resume();
      response.writeHead(503, { "retry-after": "1" }).end();
      return;
    }
    const onward = forward(this.#origin + url, { method, headers: request.headers }, (answer) => {
      if (fault === "lost") {
        answer.resume().on("end", () => response.destroy());
      } else {
        response.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(response);
      }
    });
    onward.on("error", () => response.destroy());
    request.pipe(onward);
  }
}
