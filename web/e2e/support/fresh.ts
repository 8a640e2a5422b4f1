/** A service of a test's own, from an empty directory. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { freePort, program, root } from './service';

export interface Served {
  link: string;
  end: () => Promise<void>;
}

/** A service without accounts, and the link that it prints. */
export async function served(more: NodeJS.ProcessEnv = {}): Promise<Served> {
  const directory = await mkdtemp(join(tmpdir(), 'adsvc-setup-'));
  const environment = {
    PATH: process.env.PATH,
    ADSVC_DATA_DIR: directory,
    ADSVC_PORT: String(await freePort()),
    ADSVC_STOREFRONT_DIR: join(root, 'web/dist'),
    ADSVC_COUNTRIES: 'li',
    ...more,
  };
  const child = spawn(program, ['serve'], { env: environment, stdio: ['ignore', 'pipe', 'ignore'] });
  const link = await printed(child);
  await expect
    .poll(() =>
      fetch(link).then(
        ({ status }) => status,
        () => 0,
      ),
    )
    .toBe(200);
  return {
    link,
    end: async () => {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
      await rm(directory, { recursive: true, force: true });
    },
  };
}

async function printed(child: ChildProcess): Promise<string> {
  let output = '';
  for await (const piece of child.stdout ?? []) {
    output += piece;
    const found = /^http:\S+\/setup\?token=\S+$/m.exec(output);
    if (found) return found[0];
  }
  throw new Error('adsvc serve has printed no link');
}
