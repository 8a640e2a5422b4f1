/** Push is turned on for each device by itself. */
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { useAction } from '../data/action';
import { client, type PushBrowser } from '../data/client';
import { gone, toFault } from '../data/fault';
import { sessionsQuery } from '../data/queries';
import { queryClient, useQuery } from '../data/query';
import { site } from '../data/site';
import { FaultNotice } from '../elements/notice';
import { t } from '../i18n';
import { formatDate } from '../i18n/format';
import { pushPossible, renewPush, turnPushOff, turnPushOn } from './push';
import { browserName } from './sessions';
import './words';

export function ThisDevice(): JSX.Element | null {
  const [on, setOn] = useState(false);
  const [refused, setRefused] = useState(false);
  const key = site.value?.pushKey;
  useEffect(() => {
    renewPush().then(setOn, () => undefined);
  }, []);
  const action = useAction(async () => {
    setRefused(false);
    if (on) {
      await turnPushOff();
      setOn(false);
    } else if (key) {
      const done = await turnPushOn(key);
      setOn(done);
      setRefused(!done);
    }
    await queryClient.invalidateQueries({ queryKey: ['push'] });
  });
  if (!key) return null;
  return (
    <section aria-labelledby="device">
      <h2 id="device">{t('push.title')}</h2>
      <p>{t(pushPossible() ? 'push.text' : 'push.impossible')}</p>
      {refused && <p role="alert">{t('push.refused')}</p>}
      <FaultNotice fault={action.fault} limited={action.limited} />
      {pushPossible() && (
        <button type="button" disabled={action.busy} onClick={() => void action.run()}>
          {t(on ? 'push.off' : 'push.on')}
        </button>
      )}
    </section>
  );
}

/** All browsers that get notifications: one that is lost can be removed from here. */
export function PushBrowsers(): JSX.Element | null {
  const { data, error } = useQuery({
    queryKey: ['push'],
    queryFn: ({ signal }) => client.listMyPush({ signal }),
    staleTime: 0,
  });
  const sessions = useQuery(sessionsQuery()).data?.results ?? [];
  const action = useAction(
    async (id: number) => {
      await gone(client.deletePush(id));
      await queryClient.invalidateQueries({ queryKey: ['push'] });
    },
    { repeatable: true },
  );
  const nameOf = ({ session, host }: PushBrowser): string =>
    browserName(sessions.find(({ id }) => id === session)?.client ?? '') || host;
  if (error) return <FaultNotice fault={toFault(error)} />;
  if (!data || data.results.length === 0) return null;
  return (
    <section aria-labelledby="push-browsers">
      <h2 id="push-browsers">{t('push.browsers')}</h2>
      <FaultNotice fault={action.fault} limited={action.limited} />
      <ul class="list">
        {data.results.map((browser) => (
          <li key={browser.id} class="split">
            <div>
              <p class="one-line">{nameOf(browser)}</p>
              <p class="faint">{t('push.since', { date: formatDate(browser.at) })}</p>
            </div>
            {browser.current && <span class="badge">{t('sessions.current')}</span>}
            <button
              type="button"
              disabled={action.busy}
              aria-label={t('push.removeNamed', { name: nameOf(browser) })}
              onClick={() => void action.run(browser.id)}
            >
              {t('push.remove')}
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
