/** A real service with an embedded database, the starter categories and demonstration ads, for one run. */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
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

export const root = fileURLToPath(new URL('../../..', import.meta.url));
export const program = process.env.ADSVC ?? join(root, '.venv/bin/adsvc');

export const PASSWORD = 'plain-otter-under-lamp';
const SECRET = 'a-secret-of-the-browser-tests-0123456789abcdef';
/** A line of GeoNames' file of postcodes. */
const POSTCODE = 'DE\t10115\tBerlin\tBerlin\tBE\t\t00\tBerlin\t11000\t52.5323\t13.3846\t4\n';
const ATTEMPTS = 5;
const ADS = process.env.E2E_ADS ?? '150';

export async function freePort(): Promise<number> {
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

interface Served {
  url: string;
  child: ChildProcess;
}

/**
 * On a port that was free a moment ago: mails name the address, so it is chosen before. Another process may take the
 * port meanwhile, and answer; only this service answers with the contact that it was given here.
 */
async function serve(environment: (url: string) => NodeJS.ProcessEnv): Promise<Served> {
  for (let attempt = 1; ; attempt += 1) {
    // By its name: an address alone can have no passkeys.
    const url = `http://localhost:${await freePort()}`;
    const contact = `mailto:${randomUUID()}@example.com`;
    const own = { ...environment(url), ADSVC_SECURITY_CONTACT: contact };
    const child = spawn(program, ['serve'], { env: own, stdio: ['ignore', 'ignore', 'pipe'] });
    let log = '';
    child.stderr.on('data', (piece) => {
      log = `${log}${piece}`.slice(-4000);
    });
    try {
      await answering(url, contact, child);
      return { url, child };
    } catch (error) {
      child.kill('SIGKILL');
      if (attempt === ATTEMPTS || !/cannot be used|in use/.test(log)) throw new Error(`${error}: ${log}`);
    }
  }
}

async function answering(url: string, contact: string, child: ChildProcess): Promise<void> {
  for (const until = Date.now() + 120_000; Date.now() < until; ) {
    if (child.exitCode !== null) throw new Error(`adsvc serve ended with ${child.exitCode}`);
    const answer = await fetch(`${url}/.well-known/security.txt`).catch(() => null);
    if (answer?.ok && (await answer.text()).includes(contact)) return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error('adsvc serve does not answer');
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

/** A page of the operator in each language, with all that its text may have. */
async function operatorsPages(directory: string): Promise<string> {
  const pages = join(directory, 'pages');
  await mkdir(pages);
  const text = '\n\nA *text* with **weight** and a [link](/search).\n\n## One more\n\n- First\n- Second\n';
  const titles = {
    'imprint.md': 'Imprint',
    'imprint.de.md': 'Impressum',
    'imprint.ru.md': 'Выходные данные',
  };
  for (const [name, title] of Object.entries(titles)) await writeFile(join(pages, name), `# ${title}${text}`);
  return pages;
}

/** The first account that was seeded is an administrator, the second a moderator. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  if (given(project)) return async () => undefined;
  const directory = await mkdtemp(join(tmpdir(), 'adsvc-e2e-'));
  const environment: NodeJS.ProcessEnv = {
    PATH: process.env.PATH,
    ADSVC_DATA_DIR: directory,
    ADSVC_JWT_SECRET: SECRET,
    ADSVC_LANGUAGES: 'en,de,ru',
    ADSVC_AD_DAYS: '60',
    ADSVC_SEARCHES_PER_ADDRESS: '5000',
    ADSVC_CONVERSATIONS_FIRST_DAY: '50',
    ADSVC_MAILS_PER_ADDRESS: '1000',
    ADSVC_WEBHOOK_NETWORKS: '127.0.0.0/8',
    ADSVC_STOREFRONT_DIR: join(root, 'web/dist'),
    ADSVC_PAGES_DIR: await operatorsPages(directory),
  };
  await run(environment, 'seed', '--ads', ADS, '--password', PASSWORD, '--all-shown');
  // All places before the first test, and a postcode as operators load them.
  await run(environment, 'migrate');
  const postcodes = join(directory, 'postcodes.txt');
  await writeFile(postcodes, POSTCODE);
  await run(environment, 'places', 'load', postcodes);
  const users = await run(environment, 'users', 'list');
  const [admin = '', moderator = ''] = users.split('\n').map((line) => line.split('\t')[2]);
  await run(environment, 'users', 'promote', admin);
  await run(environment, 'users', 'promote', moderator, '--role', 'moderator');
  const { url, child } = await serve((address) => ({
    ...environment,
    ADSVC_PORT: new URL(address).port,
    ADSVC_SITE_URL: address,
  }));
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
