/** Changes that are refused until the terms of the site are accepted: a dialog asks, and the change is sent again. */
import { signal } from '@preact/signals';

/** What the dialog that is open calls. */
export const termsDialog = signal<((accepted: boolean) => void) | null>(null);

let asked: Promise<boolean> | null = null;
let isDeclined = false;

/** Whether the person has accepted them. */
export function acceptTerms(): Promise<boolean> {
  asked ??= new Promise<boolean>((resolve) => {
    termsDialog.value = resolve;
  }).then((accepted) => {
    asked = null;
    termsDialog.value = null;
    isDeclined = !accepted;
    return accepted;
  });
  return asked;
}

/** For changes that no press has made, such as a draft: asks once. */
export async function noticeTerms(answer: Response): Promise<void> {
  const problem: { type?: string } = await answer.json().catch(() => ({}));
  if (problem.type?.endsWith('#terms-required') && !isDeclined) await acceptTerms();
}
