/** "Save this search", below its filters; who has not logged in does so first, and finds the form open. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { loginAddress } from '../account/enterFirst';
import { navigate } from '../app/router';
import { client, type SavedSearch, valuesOf } from '../data/client';
import { messageAt } from '../data/faultText';
import { forgetSearches } from '../data/queries';
import { user } from '../data/session';
import { has } from '../data/site';
import { Disclosure } from '../elements/disclosure';
import { Select, TextField } from '../elements/field';
import { useFields } from '../elements/fields';
import { ActionForm } from '../elements/form';
import { announce } from '../elements/notice';
import { t } from '../i18n';

type Notify = SavedSearch['notify'];

export const LONGEST_NAME = 100;

const NOTIFY = valuesOf<Notify>({ instant: true, daily: true, weekly: true, never: true });

export function NotifyChoice({
  label,
  value,
  onValue,
}: {
  label: string;
  value: Notify;
  onValue: (value: Notify) => void;
}): JSX.Element {
  return (
    <Select
      label={label}
      {...{ value, onValue }}
      choices={NOTIFY.map((one) => ({ value: one, label: t(`notify.${one}`) }))}
    />
  );
}

interface Saved {
  /** As `GET /ads` takes it. */
  query: string;
  proposed: string;
  label?: string;
}

let wanted: string | null = null;

export function SaveSearch({ query, proposed, label = t('searches.save') }: Saved): JSX.Element | null {
  if (!has('searches')) return null;
  return (
    <div class="save-search">
      {user.value === null ? (
        <button
          type="button"
          class="plain"
          onClick={() => {
            wanted = query;
            navigate(loginAddress());
          }}
        >
          {label}
        </button>
      ) : (
        // Also before it is known: the button can be pressed by then.
        <Saver key={query} {...{ query, proposed, label }} />
      )}
    </div>
  );
}

function Saver(saved: Saved): JSX.Element {
  const [open] = useState(() => {
    const was = wanted;
    wanted = null;
    return was === saved.query;
  });
  return (
    <Disclosure label={saved.label ?? t('searches.save')} look="plain" open={open}>
      {(close) => <SaveForm {...saved} onDone={close} />}
    </Disclosure>
  );
}

function SaveForm({ query, proposed, label, onDone }: Saved & { onDone: () => void }): JSX.Element {
  // The proposal changes when the categories are loaded.
  const nameOf = (typed: string | null): string => typed ?? proposed.slice(0, LONGEST_NAME);
  // The same search again is the first one, so a repetition does no harm.
  const fields = useFields<{ name: string | null; notify: Notify }>(
    { name: null, notify: 'daily' },
    async (given) => {
      await client.saveSearch({ query, notify: given.notify, name: nameOf(given.name) });
      await forgetSearches();
      announce('done.search');
      onDone();
    },
    { repeatable: true },
  );
  const tooBroad = messageAt(fields.fault, '/query');
  const name = nameOf(fields.values.name);
  return (
    <ActionForm
      action={fields}
      send={t('form.save')}
      onCancel={onDone}
      ready={name.trim() !== ''}
      label={label ?? t('searches.save')}
    >
      <TextField label={t('searches.name')} {...fields.tie('name')} value={name} maxLength={LONGEST_NAME} />
      {tooBroad && <p class="error">{tooBroad}</p>}
      <NotifyChoice label={t('searches.notify')} {...fields.tie('notify')} />
    </ActionForm>
  );
}
