import type { JSX } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { address, navigate } from '../app/router';
import { newKey, useAction } from '../data/action';
import { client, type Status } from '../data/client';
import { gone, toFault } from '../data/fault';
import { forgetAd, forgetLists } from '../data/queries';
import { queryClient } from '../data/query';
import { announce, FaultNotice } from '../elements/notice';
import { t } from '../i18n';
import { type Step, stepsFrom, take } from './transitions';

/** The steps of the author, on the page of the ad and in the list of one's own ads. */
export function OwnerActions({
  id,
  status,
  expires = true,
}: {
  id: number;
  status: Status;
  expires?: boolean;
}): JSX.Element {
  const action = useAction(
    async (step: Step, key: string) => {
      try {
        await take(step, id, key);
        announce(`done.${step}`);
      } catch (error) {
        // Another person was faster: the present status is shown.
        if (toFault(error).status === 409) forgetAd(id);
        throw error;
      }
      forgetAd(id);
    },
    { repeatable: true },
  );
  const steps = stepsFrom(status, expires);
  return (
    <div class="owner">
      <FaultNotice fault={action.fault} limited={action.limited} />
      <div class="buttons">
        {status !== 'sold' && status !== 'removed' && (
          <a class="button" href={`/a/${id}/edit`}>
            {t('step.edit')}
          </a>
        )}
        {steps.map((step) => (
          <button
            type="button"
            key={step}
            disabled={action.busy || action.limited !== null}
            onClick={() => void action.run(step, newKey())}
          >
            {t(`step.${step}`)}
          </button>
        ))}
        <DeleteButton id={id} />
      </div>
    </div>
  );
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
      if (address.peek().pathname === `/a/${id}`) navigate('/my', { replace: true });
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
