/** Which notifications the account gets, and how. */
import type { JSX } from 'preact';
import { useAction } from '../data/action';
import { client, type Preferences, valuesOf } from '../data/client';
import { toFault } from '../data/fault';
import { preferencesQuery } from '../data/queries';
import { queryClient, useQuery } from '../data/query';
import { has } from '../data/site';
import { Check } from '../elements/field';
import { FaultNotice } from '../elements/notice';
import { Page } from '../elements/page';
import { message, t } from '../i18n';
import { SignedIn } from './enterFirst';
import { PushBrowsers, ThisDevice } from './thisDevice';
import './words';

type Kind = keyof Preferences;
type Way = keyof Preferences[Kind];
type Switch = Way | 'text';

/** In the order of the page. Which of them there are, the service says. */
const KINDS = [
  ...['searchMatched', 'priceDropped', 'favoriteReserved', 'favoriteSold', 'favoriteBack', 'favoriteEnding'],
  ...['message', 'offer', 'comment', 'adEnding', 'adEnded', 'rating', 'ratingReminder', 'decision'],
] as readonly string[] as readonly Kind[];
const WAYS = valuesOf<Way>({ site: true, mail: true, push: true }).filter(
  (way) => way !== 'push' || has('push'),
);

export function PreferencesPage(): JSX.Element {
  return (
    <SignedIn title={t('preferences.title')}>
      {(me) => (
        <Page title={t('preferences.title')} narrow>
          {!me.mailVerified && (
            <p>
              {t('preferences.noMail')} <a href="/account">{t('mail.title')}</a>
            </p>
          )}
          <Choices />
          {has('push') && (
            <>
              <ThisDevice />
              <PushBrowsers />
            </>
          )}
        </Page>
      )}
    </SignedIn>
  );
}

function Choices(): JSX.Element {
  const { queryKey } = preferencesQuery();
  const { data, error } = useQuery(preferencesQuery());
  const action = useAction(
    async (kind: Kind, way: Switch, on: boolean) => {
      const show = (value: boolean): void => {
        queryClient.setQueryData<Preferences>(
          queryKey,
          (all) => all && { ...all, [kind]: { ...all[kind], [way]: value } },
        );
      };
      show(on);
      try {
        await client.updateMyPreferences({ [kind]: { [way]: on } });
      } catch (refusal) {
        show(!on);
        throw refusal;
      }
    },
    { repeatable: true },
  );
  if (error) return <FaultNotice fault={toFault(error)} />;
  if (!data) return <p class="loading">{t('loading')}</p>;
  return (
    <>
      <table class="preferences">
        <thead>
          <tr>
            <th scope="col">{t('preferences.kind')}</th>
            {WAYS.map((way) => (
              <th key={way} scope="col">
                {t(`way.${way}`)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {KINDS.filter((kind) => kind in data).map((kind) => (
            <tr key={kind}>
              <th scope="row">{message(`about.${kind}`)}</th>
              {WAYS.map((way) => (
                <td key={way}>
                  <input
                    type="checkbox"
                    aria-label={`${message(`about.${kind}`)}: ${t(`way.${way}`)}`}
                    checked={data[kind][way]}
                    onChange={(event) => void action.run(kind, way, event.currentTarget.checked)}
                  />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      <Check
        label={t('preferences.text')}
        value={data.message.text}
        onValue={(on) => void action.run('message', 'text', on)}
        disabled={!data.message.mail}
      />
      <FaultNotice fault={action.fault} limited={action.limited} />
    </>
  );
}
