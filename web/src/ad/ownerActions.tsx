import '../post/words';
import { signal } from '@preact/signals';
import type { Tokens } from 'adsvc-client';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { lazy } from '../app/lazy';
import { address, navigate } from '../app/router';
import { newKey, useAction } from '../data/action';
import { idIn } from '../data/adAddress';
import { client, type Status } from '../data/client';
import { gone, toFault } from '../data/fault';
import { forgetAd, forgetLists } from '../data/queries';
import { queryClient } from '../data/query';
import { Menu } from '../elements/menu';
import { announce, announceFault, announceUndo, FaultNotice } from '../elements/notice';
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
        const back = BACK[step];
        if (back) announceUndo(`done.${step}`, () => void action.run(back, newKey()));
        else announce(`done.${step}`);
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

/** What takes a step back. */
const BACK: Partial<Record<Step, Step>> = {
  withdraw: 'publish',
  reserve: 'release',
  release: 'reserve',
};

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

/** Ads whose deletion can still be undone. */
export const leaving = signal<readonly number[]>([]);

const comeBack = (id: number): void => {
  leaving.value = leaving.peek().filter((one) => one !== id);
};

function removeAtOnce(id: number, { accessToken }: Tokens): void {
  const headers = { authorization: `Bearer ${accessToken}` };
  void fetch(`/ads/${id}`, { method: 'DELETE', keepalive: true, headers }).catch(() => undefined);
}

/** The ad is deleted when it is too late to undo that: the service knows no way back for its author. */
function DeleteButton({ id }: { id: number }): JSX.Element {
  const remove = async (): Promise<void> => {
    try {
      await gone(client.deleteAd(id));
      queryClient.removeQueries({ queryKey: ['ad', id] });
      await forgetLists();
    } catch (error) {
      announceFault(toFault(error));
    }
    comeBack(id);
  };
  const action = useAction(async () => {
    const tokens = await client.tokens();
    leaving.value = [...leaving.peek(), id];
    announceUndo(
      'done.delete',
      () => comeBack(id),
      // A page that is being left has no time for the client.
      (isLeaving) => void (isLeaving && tokens ? removeAtOnce(id, tokens) : remove()),
    );
    if (idIn(address.peek().pathname.split('/')[2]) === id) navigate('/my', { replace: true });
  });
  return (
    <button type="button" class="danger" onClick={() => void action.run()}>
      {t('step.delete')}
    </button>
  );
}
