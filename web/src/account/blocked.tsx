import type { JSX } from 'preact';
import { useAction } from '../data/action';
import { client } from '../data/client';
import { toFault } from '../data/fault';
import { useQuery } from '../data/query';
import { forgetTalk } from '../data/unread';
import { Face } from '../elements/icon';
import { FaultNotice } from '../elements/notice';
import { t } from '../i18n';
import { formatDate } from '../i18n/format';
import { blocksQuery } from '../messages/queries';
import { nameOf } from '../messages/text';

/** Whom the account has blocked; each block can be ended from here. */
export function Blocked(): JSX.Element {
  const { data, error } = useQuery(blocksQuery());
  const action = useAction(
    async (id: number) => {
      await client.unblockUser(id);
      await forgetTalk();
    },
    { repeatable: true },
  );
  return (
    <section aria-labelledby="blocked">
      <h2 id="blocked">{t('blocked.title')}</h2>
      {error && <FaultNotice fault={toFault(error)} />}
      <FaultNotice fault={action.fault} limited={action.limited} />
      {data?.results.length === 0 && <p class="faint">{t('blocked.none')}</p>}
      <ul class="list">
        {data?.results.map((block) => {
          const { id, image, at } = block;
          const name = nameOf(block);
          return (
            <li key={id} class="split">
              <div class="media seller-who">
                <Face image={image} name={name} size={40} />
                <div>
                  <p dir="auto">{name}</p>
                  <p class="faint">{t('blocked.since', { date: formatDate(at) })}</p>
                </div>
              </div>
              <button
                type="button"
                aria-label={t('blocked.endNamed', { name })}
                disabled={action.busy}
                onClick={() => void action.run(id)}
              >
                {t('block.end')}
              </button>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
