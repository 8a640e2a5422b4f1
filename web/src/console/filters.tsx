/** A form whose fields are in the address, so that a reload shows the same. */
import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';
import { address, navigate } from '../app/router';
import { t } from '../i18n';

export type Values = Record<string, string>;

/** The parameters of the address that have these names. */
export function given(names: readonly string[]): Values {
  const { searchParams } = address.value;
  return Object.fromEntries(
    names.map((name) => [name, searchParams.get(name) ?? '']).filter(([, value]) => value),
  );
}

export function Filters({
  label,
  names,
  children,
}: {
  label: string;
  names: readonly string[];
  children: (values: Values, set: (name: string) => (value: string) => void) => ComponentChildren;
}): JSX.Element {
  const [values, setValues] = useState<Values>(() => given(names));
  return (
    <search aria-label={label}>
      <form
        class="console-filters"
        onSubmit={(event) => {
          event.preventDefault();
          const sent = Object.entries(values).map(([name, value]) => [name, value.trim()]);
          const query = new URLSearchParams(sent.filter(([, value]) => value) as [string, string][]);
          navigate(`${address.peek().pathname}?${query}`, { keep: true });
        }}
      >
        {children(values, (name) => (value) => setValues((all) => ({ ...all, [name]: value })))}
        <button type="submit">{t('console.apply')}</button>
      </form>
    </search>
  );
}
