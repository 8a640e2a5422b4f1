/** A real service with an embedded database, the starter categories and demonstration ads, for one run. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    url: string;
    password: string;
    secret: string;
    admin: string;
    moderator: string;
    /** The directory that mails are written to. */
    mails: string;
  }
}

const root = fileURLToPath(new URL('../../..', import.meta.url));
const program = process.env.ADSVC ?? join(root, '.venv/bin/adsvc');

export const PASSWORD = 'plain-otter-under-lamp';
const SECRET = 'a-secret-of-the-browser-tests-0123456789abcdef';
const ADS = process.env.E2E_ADS ?? '150';

async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

async function run(environment: NodeJS.ProcessEnv, ...command: string[]): Promise<string> {
  const child = spawn(program, command, { env: environment, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  child.stdout.on('data', (piece) => {
    output += piece;
  });
  child.stderr.on('data', (piece) => {
    output += piece;
  });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`adsvc ${command.join(' ')}: ${output}`);
  return output;
}

async function ready(url: string, child: ChildProcess): Promise<void> {
  for (const until = Date.now() + 120_000; Date.now() < until; ) {
    if (child.exitCode !== null) throw new Error(`adsvc serve ended with ${child.exitCode}`);
    const answer = await fetch(`${url}/readyz`).catch(() => null);
    if (answer?.ok) return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error('adsvc serve is not ready');
}

/** A service that runs already: `ADSVC_URL`, with the secret and the administrator of this module. */
function given(project: TestProject): boolean {
  const { ADSVC_URL: url, ADSVC_ADMIN: admin, ADSVC_MODERATOR: moderator, ADSVC_MAILS: mails } = process.env;
  if (!url || !admin) return false;
  project.provide('url', url);
  project.provide('password', PASSWORD);
  project.provide('secret', SECRET);
  project.provide('admin', admin);
  project.provide('moderator', moderator ?? '');
  project.provide('mails', mails ?? '');
  return true;
}

/** The first account that was seeded is an administrator, the second a moderator. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  if (given(project)) return async () => undefined;
  const directory = await mkdtemp(join(tmpdir(), 'adsvc-e2e-'));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const environment: NodeJS.ProcessEnv = {
    PATH: process.env.PATH,
    ADSVC_DATA_DIR: directory,
    ADSVC_PORT: String(port),
    ADSVC_JWT_SECRET: SECRET,
    ADSVC_LANGUAGES: 'en,de,ru',
    ADSVC_AD_DAYS: '60',
    ADSVC_SEARCHES_PER_ADDRESS: '5000',
    ADSVC_SITE_URL: url,
    ADSVC_STOREFRONT_DIR: join(root, 'web/dist'),
  };
  await run(environment, 'seed', '--ads', ADS, '--password', PASSWORD, '--all-shown');
  const users = await run(environment, 'users', 'list');
  const [admin = '', moderator = ''] = users.split('\n').map((line) => line.split('\t')[2]);
  await run(environment, 'users', 'promote', admin);
  await run(environment, 'users', 'promote', moderator, '--role', 'moderator');
  const child = spawn(program, ['serve'], { env: environment, stdio: 'ignore' });
  await ready(url, child);
  project.provide('url', url);
  project.provide('password', PASSWORD);
  project.provide('secret', SECRET);
  project.provide('admin', admin);
  project.provide('moderator', moderator);
  project.provide('mails', join(directory, 'mail'));
  return async () => {
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    await ended;
    await rm(directory, { recursive: true, force: true });
  };
}
