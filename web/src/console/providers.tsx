/** OpenID providers that people may sign in with. */
import type { JSX } from 'preact';
import { client, type IdentityProvider } from '../data/client';
import { gone } from '../data/fault';
import { useQuery } from '../data/query';
import { loadSite } from '../data/site';
import { Disclosure } from '../elements/disclosure';
import { TextField } from '../elements/field';
import { useFields } from '../elements/fields';
import { ActionForm } from '../elements/form';
import { Loaded } from '../elements/listing';
import { announce, Empty } from '../elements/notice';
import { t } from '../i18n';
import { NamedDeletion } from './operation';
import { forgetConsole, providersQuery } from './queries';

async function reload(): Promise<void> {
  await Promise.all([forgetConsole('providers'), loadSite()]);
}

export function ProvidersPart(): JSX.Element {
  return (
    <Loaded result={useQuery(providersQuery())}>
      {({ results }) => (
        <>
          <p class="faint">{t('console.providersText')}</p>
          <div class="toolbar">
            <Disclosure label={t('console.newProvider')} look="primary">
              {(close) => <ProviderForm onClose={close} />}
            </Disclosure>
          </div>
          {results.length === 0 && <Empty text={t('console.noProviders')} />}
          <ul class="list">
            {results.map((provider) => (
              <li key={provider.id}>
                <p>
                  <strong dir="auto">{provider.name}</strong>
                </p>
                <p class="faint">{provider.issuer}</p>
                <p class="faint">{t('console.redirectUri', { uri: provider.redirectUri })}</p>
                <div class="buttons">
                  <Disclosure label={t('step.edit')} name={`${t('step.edit')}: ${provider.name}`}>
                    {(close) => <ProviderForm of={provider} onClose={close} />}
                  </Disclosure>
                  <NamedDeletion
                    name={provider.name}
                    remove={async () => {
                      await gone(client.deleteProvider(provider.id));
                      await reload();
                    }}
                  />
                </div>
              </li>
            ))}
          </ul>
        </>
      )}
    </Loaded>
  );
}

function ProviderForm({ of, onClose }: { of?: IdentityProvider; onClose: () => void }): JSX.Element {
  const { id = '', name = '', issuer = '', clientId = '' } = of ?? {};
  const fields = useFields(
    { id, name, issuer, clientId, clientSecret: '' },
    async ({ id: given, clientSecret, ...sent }) => {
      await client.putProvider(given, { ...sent, ...(clientSecret ? { clientSecret } : {}) });
      announce('console.done');
      onClose();
      await reload();
    },
    { repeatable: true },
  );
  return (
    <ActionForm action={fields} send={t('console.save')} onCancel={onClose} ready={fields.values.id !== ''}>
      {!of && (
        <TextField
          label={t('console.providerId')}
          {...fields.tie('id')}
          hint={t('console.providerIdHint')}
          maxLength={32}
        />
      )}
      <TextField label={t('console.providerName')} {...fields.tie('name')} maxLength={40} />
      <TextField label={t('console.issuer')} {...fields.tie('issuer')} />
      <TextField label={t('console.clientId')} {...fields.tie('clientId')} />
      <TextField
        label={t('console.clientSecret')}
        {...fields.tie('clientSecret')}
        type="password"
        autocomplete="off"
        {...(of ? { hint: t('console.clientSecretHint') } : {})}
      />
    </ActionForm>
  );
}
