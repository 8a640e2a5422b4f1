/** Changes that need a second factor of the last five minutes: it is proved in a dialog, and the change is sent again. */
import { signal } from '@preact/signals';
import { ProblemError } from 'adsvc-client';
import type { Fault } from './fault';
import { user } from './session';

export interface StepUp {
  /** What a code answers; null where only a passkey counts. */
  challenge: string | null;
  done: (proved: boolean) => void;
}

/** The dialog that is open. */
export const stepUp = signal<StepUp | null>(null);

export const isStale = ({ status, slug }: Fault): boolean =>
  status === 403 && slug === 'second-factor-required' && !!user.peek();

/** Whether the person has proved the factor, or has closed the dialog. */
export function proveFactor(error: unknown): Promise<boolean> {
  const challenge = error instanceof ProblemError ? (error.problem.challenge ?? null) : null;
  stepUp.peek()?.done(false);
  return new Promise((resolve) => {
    stepUp.value = {
      challenge,
      done: (proved) => {
        stepUp.value = null;
        resolve(proved);
      },
    };
  });
}
