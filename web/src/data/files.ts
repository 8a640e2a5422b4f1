/** What leaves the page: files and the clipboard. */
import { announce } from '../elements/notice';

export function download(name: string, type: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: `${type};charset=utf-8` }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** Without HTTPS there is no clipboard, and a browser may refuse it: `otherwise` selects what can be copied by hand. */
export async function copy(text: string, otherwise: () => void): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    announce('done.copy');
  } catch {
    otherwise();
  }
}
