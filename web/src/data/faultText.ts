/** Refusals in the reader's language, if there are messages for them; else in the words of the service. */
import { hasMessage, message, t, type Values } from '../i18n';
import { formatDate, formatNumber } from '../i18n/format';
import { errorAt, type Fault, type FieldFault } from './fault';

export function faultText(fault: Fault): string {
  if (fault.kind === 'connection') return t('problem.connection');
  if (fault.kind === 'unknown') return t('problem.unknown');
  if (fault.slug === 'suspended') return suspensionText(fault);
  const key = `problem.${fault.slug}`;
  return hasMessage(key) ? message(key) : fault.detail || fault.title;
}

function suspensionText({ until, explanation }: Fault): string {
  const text =
    until === null ? t('problem.suspended') : t('problem.suspendedUntil', { date: formatDate(until) });
  return `${text} ${explanation}`.trim();
}

const FIGURES: Record<string, [string, string]> = {
  'out-of-range': ['minimum', 'maximum'],
  cents: ['minimum', 'maximum'],
  'wrong-length': ['minLength', 'maxLength'],
};

/** Where the code alone says too little, the type, the format or the field says more. */
const KINDS: Record<string, (fault: FieldFault) => string | number | undefined> = {
  'wrong-type': ({ values }) => values.type,
  'wrong-format': ({ at, values }) => values.format ?? at.replace('/', ''),
};

export function fieldText(fault: FieldFault): string {
  const { code, detail, values } = fault;
  const [least, most] = FIGURES[code] ?? [];
  const shown: Values = {};
  const kind = KINDS[code]?.(fault);
  let key = kind === undefined ? `fault.${code}` : `fault.${code}.${kind}`;
  if (least !== undefined && most !== undefined) {
    const [from, to] = [values[least], values[most]];
    if (from !== undefined) shown.from = figure(from);
    if (to !== undefined) shown.to = figure(to);
    key += from === undefined ? '.most' : to === undefined ? '.least' : '.both';
  }
  return hasMessage(key) ? message(key, shown) : detail;
}

/** The message at one place of a form; undefined without a fault. */
export function messageAt(fault: Fault | null, at: string): string | undefined {
  const error = errorAt(fault, at);
  return error && fieldText(error);
}

function figure(value: string | number): string {
  return typeof value === 'number' ? formatNumber(value) : value;
}
