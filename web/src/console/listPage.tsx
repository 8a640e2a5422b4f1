/** A list of the console below its filters, which are in the address, so that a reload shows the same. */
import type { ComponentType, JSX } from 'preact';
import { useState } from 'preact/hooks';
import { address, navigate } from '../app/router';
import { Select, TextField } from '../elements/field';
import { tiesOf } from '../elements/fields';
import { type MessageKey, t } from '../i18n';

interface Filter<Value> {
  label: MessageKey;
  /** The parameter of the request; undefined for what the service would refuse. */
  read: (text: string) => Value | undefined;
  choices?: readonly string[];
  /** What a choice is called; its value without it. */
  called?: (choice: string) => string;
  type?: 'date';
  inputMode?: 'numeric';
}

/** By the names of the parameters. */
export type Filters<Query> = { [Name in keyof Query]?: Filter<NonNullable<Query[Name]>> };

export const asWords = (text: string): string | undefined => text.trim() || undefined;

export const asId = (text: string): number | undefined =>
  /^[1-9]\d*$/.test(text) ? Number(text) : undefined;

export const oneOf =
  <Value extends string>(values: readonly Value[]) =>
  (text: string): Value | undefined =>
    values.find((one) => one === text);

export function ListPage<Query extends object>({
  label,
  filters,
  list: List,
}: {
  label: string;
  filters: Filters<Query>;
  list: ComponentType<{ query: Query }>;
}): JSX.Element {
  const all = Object.entries(filters) as [string, Filter<unknown>][];
  const { searchParams } = address.value;
  const given = Object.fromEntries(all.map(([name]) => [name, searchParams.get(name) ?? '']));
  const [typed, setTyped] = useState<Record<string, string>>(given);
  const tie = tiesOf(
    typed,
    (change) => setTyped((before) => ({ ...before, ...change }) as Record<string, string>),
    () => undefined,
  );
  const read = all.map(([name, filter]) => [name, filter.read(given[name] ?? '')] as const);
  const query = Object.fromEntries(read.filter(([, value]) => value !== undefined)) as Query;
  return (
    <section aria-label={label}>
      <search aria-label={label}>
        <form
          class="console-filters"
          onSubmit={(event) => {
            event.preventDefault();
            const sent = Object.entries(typed).map(([name, value]): [string, string] => [name, value.trim()]);
            const parameters = new URLSearchParams(sent.filter(([, value]) => value));
            navigate(`${address.peek().pathname}?${parameters}`, { keep: true });
          }}
        >
          {all.map(([name, { label: key, choices, called = String, type, inputMode }]) =>
            choices ? (
              <Select
                key={name}
                label={t(key)}
                {...tie(name)}
                choices={[
                  { value: '', label: t('console.any') },
                  ...choices.map((value) => ({ value, label: called(value) })),
                ]}
              />
            ) : (
              <TextField
                key={name}
                label={t(key)}
                {...tie(name)}
                {...(type && { type })}
                {...(inputMode && { inputMode })}
              />
            ),
          )}
          <button type="submit">{t('console.apply')}</button>
        </form>
      </search>
      <List key={JSON.stringify(query)} query={query} />
    </section>
  );
}
