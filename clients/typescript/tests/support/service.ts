import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { openSync } from "node:fs";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as wait } from "node:timers/promises";

const PYTHON = resolve("../../.venv/bin/python");
const START_SECONDS = 60;

/** `adsvc serve` with a database, pictures and a port of its own. */
export interface Service {
  url: string;
  stop(): Promise<void>;
}

export async function serve(settings: Record<string, string> = {}): Promise<Service> {
  const directory = await mkdtemp(join(tmpdir(), "adsvc-story-"));
  const port = await freePort();
  const log = join(directory, "log");
  const sink = openSync(log, "w");
  const environment = Object.entries(process.env).filter(([name]) => !name.startsWith("ADSVC_"));
  const service = spawn(PYTHON, ["-m", "adsvc", "serve"], {
    cwd: directory,
    env: {
      ...Object.fromEntries(environment),
      ADSVC_DATA_DIR: join(directory, "data"),
      ADSVC_PORT: String(port),
      ...settings,
    },
    stdio: ["ignore", sink, sink],
  });
  const url = `http://127.0.0.1:${String(port)}`;
  const stop = async (): Promise<void> => {
    if (service.exitCode === null && service.kill()) {
      await once(service, "exit");
    }
    await rm(directory, { recursive: true });
  };
  try {
    await alive(url, () => service.exitCode === null);
  } catch (error) {
    console.error(await readFile(log, "utf8"));
    await stop();
    throw error;
  }
  return { url, stop };
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port } = probe.address() as AddressInfo;
  probe.close();
  return port;
}

async function alive(url: string, running: () => boolean): Promise<void> {
  const deadline = Date.now() + START_SECONDS * 1000;
  while (Date.now() < deadline && running()) {
    const response = await fetch(`${url}/readyz`).catch(() => undefined);
    if (response?.ok === true) {
      return;
    }
    await wait(50);
  }
  throw new Error("The service did not start.");
}
