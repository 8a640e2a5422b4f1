/** Mails as the service writes them where no server for mail is set. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inject } from 'vitest';

/** What soft line breaks and escapes of quoted-printable stand for. */
function decoded(text: string): string {
  return text
    .replace(/=\r?\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}

/** The link of that page in a mail to an address; waits for one that was not there before. */
export async function linkIn(to: string, path: string, seconds = 20): Promise<string> {
  const directory = inject('mails');
  for (const until = Date.now() + seconds * 1000; Date.now() < until; ) {
    for (const name of await readdir(directory).catch(() => [])) {
      const mail = decoded(await readFile(join(directory, name), 'utf8'));
      const found = new RegExp(`https?://[^\\s"<>]+${path}[#?]token=[\\w.-]+`).exec(mail);
      if (mail.includes(`To: ${to}`) && found) return found[0];
    }
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error(`no mail to ${to} with a link to ${path}`);
}
