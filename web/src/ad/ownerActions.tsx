import '../post/words';
import type { JSX } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { lazy } from '../app/lazy';
import { address, navigate } from '../app/router';
import { newKey, useAction } from '../data/action';
import { idIn } from '../data/adAddress';
import { client, type Status } from '../data/client';
import { gone, toFault } from '../data/fault';
import { forgetAd, forgetLists } from '../data/queries';
import { queryClient } from '../data/query';
import { Menu } from '../elements/menu';
import { announce, FaultNotice } from '../elements/notice';
import { t } from '../i18n';
import { type Step, stepsFrom, take } from './transitions';

const SoldTo = lazy(() => import('../messages/soldTo').then((module) => module.SoldTo));

/** The steps of the author, on the page of the ad and in the list of one's own ads. */
export function OwnerActions({
  id,
  status,
  expires = true,
  compact,
  first = MAIN[status],
}: {
  id: number;
  status: Status;
  expires?: boolean;
  /** The title of the ad, where one action is shown and the rest is in a menu. */
  compact?: string;
  /** What comes first instead of what usually does. */
  first?: Choice;
}): JSX.Element {
  const [selling, setSelling] = useState(false);
  const action = useAction(
    async (step: Step, key: string, buyer?: number) => {
      try {
        await take(step, id, key, buyer);
        announce(`done.${step}`);
      } catch (error) {
        // Another person was faster: the present status is shown.
        if (toFault(error).status === 409) forgetAd(id);
        throw error;
      }
      forgetAd(id, step === 'withdraw' || step === 'sell');
    },
    { repeatable: true },
  );
  const sell = (buyer?: number): void => {
    setSelling(false);
    void action.run('sell', newKey(), buyer);
  };
  // A draft is finished or deleted; its form publishes it.
  const steps: Choice[] = status === 'draft' ? [] : [...stepsFrom(status, expires)];
  const ended = status === 'sold' || status === 'removed';
  const [main, ...others] = inOrder(first, ended ? steps : [...steps, 'edit']);
  const button = (choice: Choice): JSX.Element =>
    choice === 'edit' ? (
      <a class="button" key={choice} href={status === 'draft' ? `/post?draft=${id}` : `/a/${id}/edit`}>
        {t(status === 'draft' ? 'step.goOn' : 'step.edit')}
      </a>
    ) : (
      <button
        type="button"
        key={choice}
        disabled={action.busy || action.limited !== null}
        onClick={() => (choice === 'sell' ? setSelling(true) : void action.run(choice, newKey()))}
      >
        {t(`step.${choice}`)}
      </button>
    );
  return (
    <div class="owner">
      <FaultNotice fault={action.fault} limited={action.limited} />
      {selling ? (
        <SoldTo ad={id} onSell={sell} onCancel={() => setSelling(false)} />
      ) : (
        <div class="buttons">
          {main && button(main)}
          {compact ? (
            <Menu label={t('my.more', { title: compact })}>
              {others.map(button)}
              <DeleteButton id={id} />
            </Menu>
          ) : (
            <>
              {others.map(button)}
              <DeleteButton id={id} />
            </>
          )}
        </div>
      )}
    </div>
  );
}

type Choice = Step | 'edit';

/** What its author most likely wants to do next. */
const MAIN: Partial<Record<Status, Choice>> = {
  draft: 'edit',
  active: 'edit',
  reserved: 'sell',
  withdrawn: 'publish',
  expired: 'renew',
};

function inOrder(first: Choice | undefined, choices: Choice[]): Choice[] {
  const main = choices.filter((choice) => choice === first);
  return [...main, ...choices.filter((choice) => choice !== first)];
}

/** Needs a confirmation, because a deletion cannot be undone. */
function DeleteButton({ id }: { id: number }): JSX.Element {
  const [confirming, setConfirming] = useState(false);
  const group = useRef<HTMLFieldSetElement>(null);
  const action = useAction(
    async () => {
      await gone(client.deleteAd(id));
      queryClient.removeQueries({ queryKey: ['ad', id] });
      forgetLists();
      announce('done.delete');
      if (idIn(address.peek().pathname.split('/')[2]) === id) navigate('/my', { replace: true });
    },
    { repeatable: true },
  );
  if (!confirming) {
    return (
      <button
        type="button"
        class="danger"
        onClick={() => {
          setConfirming(true);
          requestAnimationFrame(() => group.current?.focus());
        }}
      >
        {t('step.delete')}
      </button>
    );
  }
  return (
    <fieldset class="confirm" ref={group} tabIndex={-1}>
      <legend>{t('delete.sure')}</legend>
      <FaultNotice fault={action.fault} limited={action.limited} />
      <button type="button" class="danger" disabled={action.busy} onClick={() => void action.run()}>
        {t('step.delete')}
      </button>
      <button type="button" onClick={() => setConfirming(false)}>
        {t('delete.keep')}
      </button>
    </fieldset>
  );
}
