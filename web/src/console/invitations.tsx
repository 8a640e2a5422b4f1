/** Invitations to register: new ones, whose link is shown once, and the others. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { client } from '../data/client';
import { useQuery } from '../data/query';
import { TextField } from '../elements/field';
import { useFields } from '../elements/fields';
import { ActionForm } from '../elements/form';
import { Loaded } from '../elements/listing';
import { t } from '../i18n';
import { formatMoment } from '../i18n/format';
import { NamedDeletion } from './operation';
import { forgetConsole, invitationsQuery } from './queries';

const DAY = 86_400_000;

export function Invitations(): JSX.Element {
  const [link, setLink] = useState('');
  const fields = useFields({ uses: '1', days: '14' }, async ({ uses, days }) => {
    const expiresAt = days === '' ? null : Date.now() + Number(days) * DAY;
    const { code } = await client.createInvitation({ uses: Number(uses), expiresAt });
    setLink(`${location.origin}/account/register?invitation=${code}`);
    await forgetConsole('site', 'invitations');
  });
  return (
    <section aria-labelledby="invitations">
      <h2 id="invitations">{t('invitations.title')}</h2>
      <ActionForm action={fields} send={t('invitations.create')}>
        <TextField label={t('invitations.uses')} {...fields.tie('uses')} inputMode="numeric" required />
        <TextField label={t('invitations.days')} {...fields.tie('days')} inputMode="numeric" optional />
      </ActionForm>
      {link && (
        <p role="status">
          {t('invitations.once')} <code class="as-written">{link}</code>
        </p>
      )}
      <Loaded result={useQuery(invitationsQuery())}>
        {({ results }) => (
          <ul class="list">
            {results.map((one) => (
              <li key={one.id} class="split">
                <p>
                  #{one.id} · {t('invitations.used', { used: one.used, uses: one.uses })}
                  {one.expiresAt !== null &&
                    ` · ${t('invitations.until', { date: formatMoment(one.expiresAt) })}`}
                </p>
                <NamedDeletion
                  name={`#${one.id}`}
                  remove={async () => {
                    await client.deleteInvitation(one.id);
                    await forgetConsole('site', 'invitations');
                  }}
                />
              </li>
            ))}
          </ul>
        )}
      </Loaded>
    </section>
  );
}
