/** "Save this search", below its filters; who has not logged in does so first, and finds the form open. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { loginAddress } from '../account/enterFirst';
import { navigate } from '../app/router';
import { useAction } from '../data/action';
import { client, type SavedSearch, valuesOf } from '../data/client';
import { messageAt } from '../data/faultText';
import { forgetSearches } from '../data/queries';
import { user } from '../data/session';
import { Disclosure } from '../elements/disclosure';
import { Select, TextField } from '../elements/field';
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
      value={value}
      onValue={(chosen) => onValue(NOTIFY.find((one) => one === chosen) ?? value)}
      choices={NOTIFY.map((one) => ({ value: one, label: t(`notify.${one}`) }))}
    />
  );
}

interface Saved {
  /** As `GET /ads` takes it. */
  query: string;
  proposed: string;
}

let wanted: string | null = null;

export function SaveSearch({ query, proposed }: Saved): JSX.Element {
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
          {t('searches.save')}
        </button>
      ) : (
        // Also before it is known: the button can be pressed by then.
        <Saver key={query} {...{ query, proposed }} />
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
    <Disclosure label={t('searches.save')} look="plain" open={open}>
      {(close) => <SaveForm {...saved} onDone={close} />}
    </Disclosure>
  );
}

function SaveForm({ query, proposed, onDone }: Saved & { onDone: () => void }): JSX.Element {
  // The proposal changes when the categories are loaded.
  const [typed, setName] = useState<string | null>(null);
  const name = typed ?? proposed.slice(0, LONGEST_NAME);
  const [notify, setNotify] = useState<Notify>('daily');
  // The same search again is the first one, so a repetition does no harm.
  const action = useAction(
    async () => {
      await client.saveSearch({ query, name, notify });
      await forgetSearches();
      announce('done.search');
      onDone();
    },
    { repeatable: true },
  );
  const tooBroad = messageAt(action.fault, '/query');
  return (
    <ActionForm
      action={action}
      send={t('form.save')}
      onSend={() => void action.run()}
      onCancel={onDone}
      ready={name.trim() !== ''}
      label={t('searches.save')}
    >
      <TextField
        label={t('searches.name')}
        value={name}
        onValue={setName}
        maxLength={LONGEST_NAME}
        error={messageAt(action.fault, '/name')}
      />
      {tooBroad && <p class="error">{tooBroad}</p>}
      <NotifyChoice label={t('searches.notify')} value={notify} onValue={setNotify} />
    </ActionForm>
  );
}
