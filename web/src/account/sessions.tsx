import type { JSX } from 'preact';
import { useAction } from '../data/action';
import { client } from '../data/client';
import { gone, toFault } from '../data/fault';
import { sessionsQuery } from '../data/queries';
import { queryClient, useQuery } from '../data/query';
import { FaultNotice } from '../elements/notice';
import { t } from '../i18n';
import { formatMoment } from '../i18n/format';
import './words';

/** Where the account is logged in; each can be ended from here. */
export function Sessions(): JSX.Element {
  const { data, error } = useQuery(sessionsQuery());
  const action = useAction(
    async (id: number) => {
      await gone(client.endMySession(id));
      await queryClient.invalidateQueries({ queryKey: ['sessions'] });
    },
    { repeatable: true },
  );
  return (
    <section aria-labelledby="sessions">
      <h2 id="sessions">{t('sessions.title')}</h2>
      {error && <FaultNotice fault={toFault(error)} />}
      <FaultNotice fault={action.fault} limited={action.limited} />
      <ul class="list">
        {data?.results.map((session) => (
          <li key={session.id} class="split">
            <div>
              <p class="one-line">{browserName(session.client) || t('sessions.unknown')}</p>
              <p class="faint">{t('sessions.used', { date: formatMoment(session.lastUsedAt) })}</p>
            </div>
            {session.current ? (
              <span class="badge">{t('sessions.current')}</span>
            ) : (
              <button type="button" disabled={action.busy} onClick={() => void action.run(session.id)}>
                {t('sessions.end')}
              </button>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

const BROWSERS = /(Firefox|Edg|OPR|Chrome|Safari)\/(\d+)/;
const SYSTEMS = /(Windows|Android|iPhone|iPad|Mac OS X|Linux)/;

/** The usual name of a browser from its `User-Agent`; the whole text if it is unknown. */
export function browserName(client: string): string {
  const browser = BROWSERS.exec(client)?.[1];
  const system = SYSTEMS.exec(client)?.[1];
  if (!browser) return client;
  const name = { Edg: 'Edge', OPR: 'Opera' }[browser] ?? browser;
  return system ? `${name}, ${system.replace('Mac OS X', 'macOS')}` : name;
}
