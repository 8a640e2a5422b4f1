/** Faults as pages show them: one record for refusals, lost connections and unforeseen errors. */
import { NetworkError, ProblemError } from 'adsvc-client';

export interface FieldFault {
  /** A JSON Pointer, or the name of a parameter or of a part: `/attributes/year`, `image`. */
  at: string;
  code: string;
  detail: string;
  values: Record<string, string | number>;
}

export interface Fault {
  kind: 'problem' | 'connection' | 'unknown';
  status: number;
  /** The last part of the problem's type: `illegal-transition`. */
  slug: string;
  title: string;
  detail: string;
  errors: FieldFault[];
  /** In seconds. */
  retryAfter: number | null;
  /** Until when an account is suspended, in milliseconds; and why. */
  until: number | null;
  explanation: string;
  /** What a suspended person reads the decision with, and appeals. */
  appealToken: string | null;
}

export const noFault = {
  status: 0,
  slug: '',
  title: '',
  detail: '',
  errors: [] as FieldFault[],
  retryAfter: null,
  until: null,
  explanation: '',
  appealToken: null,
};

/** What the page itself refuses, with the message `problem.{slug}`. */
export class Refusal extends Error {
  constructor(readonly slug: string) {
    super(slug);
  }
}

export function toFault(error: unknown): Fault {
  if (error instanceof ProblemError) {
    return {
      kind: 'problem',
      status: error.status,
      slug: error.type.split('#')[1] ?? '',
      title: error.title,
      detail: error.detail,
      errors: error.errors.map(toFieldFault),
      retryAfter: error.retryAfter ?? null,
      until: error.problem.until ?? null,
      explanation: error.problem.explanation ?? '',
      appealToken: error.problem.appealToken ?? null,
    };
  }
  if (error instanceof Refusal) return { ...noFault, kind: 'problem', slug: error.slug };
  if (error instanceof NetworkError) return { ...noFault, kind: 'connection' };
  return { ...noFault, kind: 'unknown' };
}

/** For deletions: a missing thing was deleted by an attempt whose answer was lost, or by another person. */
export async function gone(deletion: Promise<unknown>): Promise<void> {
  try {
    await deletion;
  } catch (error) {
    if (![404, 410].includes(toFault(error).status)) throw error;
  }
}

type Detail = ProblemError['errors'][number];

function toFieldFault(error: Detail): FieldFault {
  const values: FieldFault['values'] = {};
  for (const [name, value] of Object.entries(error)) {
    if (typeof value === 'string' || typeof value === 'number') values[name] = value;
  }
  return {
    at: error.pointer ?? error.parameter ?? '',
    code: String(values.code ?? ''),
    detail: error.detail,
    values,
  };
}

/** The fault at one place of a form; undefined if there is none. */
export function errorAt(fault: Fault | null, at: string): FieldFault | undefined {
  return fault?.errors.find((error) => error.at === at);
}
