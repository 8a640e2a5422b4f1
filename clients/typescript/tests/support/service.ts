import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { openSync } from "node:fs";
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
  const log = join(directory, "log");
  const sink = openSync(log, "w");
  const environment = Object.entries(process.env).filter(([name]) => !name.startsWith("ADSVC_"));
  const service = spawn(PYTHON, ["-m", "adsvc", "serve"], {
    cwd: directory,
    env: {
      ...Object.fromEntries(environment),
      ADSVC_DATA_DIR: join(directory, "data"),
      ADSVC_PORT: "0",
      ...settings,
    },
    stdio: ["ignore", sink, sink],
  });
  const stop = async (): Promise<void> => {
    if (service.exitCode === null && service.kill()) {
      await once(service, "exit");
    }
    await rm(directory, { recursive: true });
  };
  try {
    const url = await address(log, () => service.exitCode === null);
    return { url, stop };
  } catch (error) {
    console.error(await readFile(log, "utf8"));
    await stop();
    throw error;
  }
}

/** The service takes a port that is free and says which. One chosen here could be another's by then. */
async function address(log: string, running: () => boolean): Promise<string> {
  const deadline = Date.now() + START_SECONDS * 1000;
  while (Date.now() < deadline && running()) {
    const url = /Serving on (http:\S+)/.exec(await readFile(log, "utf8"))?.[1];
    const response = url === undefined ? undefined : await fetch(`${url}/readyz`).catch(() => undefined);
    if (url !== undefined && response?.ok === true) {
      return url;
    }
    await wait(50);
  }
  throw new Error("The service did not start.");
}
