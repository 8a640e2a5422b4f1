import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { Fault } from '../../data/fault';
import { fieldText } from '../../data/faultText';
import { t } from '../../i18n';

/** The ids of controls by the place of a fault; the summary links to them. */
export function fieldId(at: string): string {
  return `field${at.replace(/[^A-Za-z0-9]/g, '-')}`;
}

/** All faults of a form, each with a link to its field. */
export function FaultSummary({
  fault,
  attempt,
  labelOf,
}: {
  fault: Fault | null;
  /** The focus moves here once for each attempt, not with each fault that is mended. */
  attempt: number;
  labelOf: (at: string) => string;
}): JSX.Element | null {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (attempt > 0) box.current?.focus();
  }, [attempt]);
  if (!fault?.errors.length) return null;
  return (
    <div class="notice bad" ref={box} tabIndex={-1} role="alert">
      <h2>{t('form.wrong', { count: fault.errors.length })}</h2>
      <ul>
        {fault.errors.map((error) => (
          <li key={error.at + error.code}>
            <a
              href={`#${fieldId(error.at)}`}
              onClick={(event) => {
                event.preventDefault();
                document.getElementById(fieldId(error.at))?.focus();
              }}
            >
              {labelOf(error.at)}: {fieldText(error)}
            </a>
          </li>
        ))}
      </ul>
    </div>
  );
}

const LABELS = {
  '/title': 'form.title',
  '/price': 'form.price',
  '/priceType': 'form.terms',
  '/description': 'form.description',
  '/category': 'form.category',
  '/place': 'form.place',
  '/location': 'form.place',
  image: 'form.pictures',
} as const;

export function labelAt(at: string, attributes: readonly { name: string; label: string }[]): string {
  const key = Object.entries(LABELS).find(([known]) => known === at)?.[1];
  if (key) return t(key);
  const name = at.replace('/attributes/', '');
  return attributes.find((attribute) => attribute.name === name)?.label ?? t('form.field');
}
