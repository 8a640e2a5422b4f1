/** What is wrong with an ad as it is typed: found here, before anything is sent. The service decides all the same. */
import { useState } from 'preact/hooks';
import { type Fault, type FieldFault, noFault } from '../../data/fault';
import { fault, ofPrice } from '../../data/price';
import { limit } from '../../data/site';
import { readNumber } from '../../i18n/numbers';
import type { Property } from './schema';
import { type AdForm, settled } from './toRequest';

function ofText(at: string, text: string, minLength: number, maxLength: number): FieldFault[] {
  if (!text) return [fault(at, 'missing')];
  // As the service counts: by code points.
  const length = [...text].length;
  return length < minLength || length > maxLength
    ? [fault(at, 'wrong-length', { minLength, maxLength })]
    : [];
}

function ofAttribute(property: Property, text: string): FieldFault[] {
  const { name, type, required, options } = property;
  const at = `/attributes/${name}`;
  if (!text.trim()) return required ? [fault(at, 'missing')] : [];
  if (options) return options.includes(text) ? [] : [fault(at, 'not-an-option')];
  return type === 'integer' || type === 'number' ? ofNumber(property, at, text) : [];
}

function ofNumber({ type, minimum, maximum }: Property, at: string, text: string): FieldFault[] {
  const number = readNumber(text, type === 'integer');
  if (number === null || (type === 'integer' && !Number.isInteger(number)))
    return [fault(at, 'wrong-type', { type })];
  if (number >= (minimum ?? number) && number <= (maximum ?? number)) return [];
  const bounds = Object.entries({ minimum, maximum }).filter(([, bound]) => bound !== undefined);
  return [fault(at, 'out-of-range', Object.fromEntries(bounds) as FieldFault['values'])];
}

export function faultsOf(typed: AdForm, properties: readonly Property[]): FieldFault[] {
  const form = settled(typed);
  const place = form.place.trim();
  return [
    ...ofText('/title', form.title.trim(), limit('titleMinLength', 4), limit('titleMaxLength', 150)),
    ...ofText(
      '/description',
      form.description,
      limit('descriptionMinLength', 8),
      limit('descriptionMaxLength', 8000),
    ),
    ...ofPrice(form.price),
    ...properties.flatMap((property) => ofAttribute(property, form.attributes[property.name] ?? '')),
    ...(place ? ofText('/place', place, limit('placeMinLength', 1), limit('placeMaxLength', 120)) : []),
  ];
}

function valueAt(form: AdForm, images: number, at: string): unknown {
  if (at === 'image') return images;
  const name = at.replace('/attributes/', '');
  return name === at ? form[at.slice(1) as keyof AdForm] : form.attributes[name];
}

interface Refused {
  fault: Fault;
  form: AdForm;
  images: number;
}

export interface Judged {
  /** What is shown: found at the last attempt and not mended since. */
  fault: Fault | null;
  /** Counts the attempts that were refused: the summary takes the focus once for each. */
  attempt: number;
  /** Begins an attempt; false if there are faults, which are shown now. */
  passes: () => boolean;
  refuse: (fault: Fault) => void;
  clear: () => void;
}

/** The faults of a form. Those of the service stay until their value is changed, and all go when they are mended. */
export function useJudged(
  form: AdForm,
  images: number,
  properties: readonly Property[],
  /** Whether pictures that were chosen are not among these yet. */
  preparing = false,
): Judged {
  const [shown, setShown] = useState<readonly string[]>([]);
  const [refused, setRefused] = useState<Refused | null>(null);
  const [attempt, setAttempt] = useState(0);
  const pictures = preparing ? 'preparing' : images > 0 ? null : 'missing';
  const now = [...(pictures ? [fault('image', pictures)] : []), ...faultsOf(form, properties)];
  const here = now.filter(({ at }) => shown.includes(at));
  const there = (refused?.fault.errors ?? []).filter(
    ({ at }) =>
      refused !== null &&
      valueAt(form, images, at) === valueAt(refused.form, refused.images, at) &&
      !here.some((one) => one.at === at),
  );
  const errors = [...here, ...there];
  return {
    fault: errors.length > 0 ? { ...noFault, kind: 'problem', slug: 'invalid-request', errors } : null,
    attempt,
    passes() {
      setRefused(null);
      setShown(now.map(({ at }) => at));
      if (now.length > 0) setAttempt((count) => count + 1);
      return now.length === 0;
    },
    refuse(found) {
      // A missing picture has a pointer at publication, and the name of its part elsewhere.
      const errors = found.errors.map((one) => (one.at === '/image' ? { ...one, at: 'image' } : one));
      setRefused({ fault: { ...found, errors }, form, images });
      setAttempt((count) => count + 1);
    },
    clear() {
      setShown([]);
      setRefused(null);
    },
  };
}
