/** Signing in with OpenID providers: their buttons, and the identities of the account. */
import type { JSX } from 'preact';
import { client, type Identities as IdentityList } from '../data/client';
import { gone, toFault } from '../data/fault';
import type { Options } from '../data/queries';
import { queryClient, useQuery } from '../data/query';
import { Deletion } from '../elements/deletion';
import { announce, FaultNotice } from '../elements/notice';
import { t } from '../i18n';
import { formatDate, formatMoment } from '../i18n/format';
import { providers, rememberAdding, rememberNext } from './providerList';
import './words';

/** `next` is the page to return to. */
export function ProviderButtons({ next }: { next: string }): JSX.Element {
  return (
    <div class="stack">
      {providers.value.map(({ id, name }) => (
        <a
          key={id}
          class="button wide"
          href={`/login/oidc/${id}`}
          data-leave
          onClick={() => rememberNext(next)}
          dir="auto"
        >
          {t('providers.with', { name })}
        </a>
      ))}
    </div>
  );
}

export const identitiesQuery = (): Options<IdentityList> => ({
  queryKey: ['identities'],
  queryFn: ({ signal }) => client.listMyIdentities({ signal }),
});

/** What the account signs in with elsewhere. */
export function Identities(): JSX.Element {
  const { data, error } = useQuery(identitiesQuery());
  return (
    <section aria-labelledby="identities">
      <h2 id="identities">{t('providers.identities')}</h2>
      {error && <FaultNotice fault={toFault(error)} />}
      {data?.results.length === 0 && <p class="faint">{t('providers.none')}</p>}
      <ul class="list">
        {data?.results.map(({ id, name, createdAt, lastUsedAt }) => (
          <li key={id} class="split">
            <div>
              <p class="one-line" dir="auto">
                {name}
              </p>
              <p class="faint">
                {t('passkeys.created', { date: formatDate(createdAt) })}
                {' · '}
                {lastUsedAt === null
                  ? t('keys.unused')
                  : t('sessions.used', { date: formatMoment(lastUsedAt) })}
              </p>
            </div>
            <Deletion
              label={t('passkeys.remove')}
              name={t('push.removeNamed', { name })}
              send={t('providers.remove')}
              remove={async () => {
                await gone(client.deleteIdentity(id));
                await queryClient.invalidateQueries({ queryKey: ['identities'] });
                announce('providers.removed');
              }}
            />
          </li>
        ))}
      </ul>
      {data && (
        <div class="row">
          {providers.value
            .filter(({ id }) => !data.results.some(({ provider }) => provider === id))
            .map(({ id, name }) => (
              <a key={id} class="button" href={`/login/oidc/${id}`} data-leave onClick={rememberAdding}>
                {t('providers.add', { name })}
              </a>
            ))}
        </div>
      )}
      {data && !data.hasPassword && (
        <p>
          {t('providers.noPassword')} <a href="/account/forgot">{t('providers.setUpPassword')}</a>
        </p>
      )}
    </section>
  );
}
