/** The page that providers, and links of mails about them, lead back to. */
import { ProblemError } from 'adsvc-client';
import type { JSX } from 'preact';
import { useEffect, useLayoutEffect, useState } from 'preact/hooks';
import { address, navigate } from '../app/router';
import { useAction } from '../data/action';
import { client } from '../data/client';
import { toFault } from '../data/fault';
import { queryClient, useQuery } from '../data/query';
import { adopt, factorMissing } from '../data/session';
import { site } from '../data/site';
import { TextField } from '../elements/field';
import { useFields } from '../elements/fields';
import { ActionForm } from '../elements/form';
import { announce, FaultNotice } from '../elements/notice';
import { Page } from '../elements/page';
import { t } from '../i18n';
import { CodeField, CodeForm, InvitationField, renewingTerms } from './enter';
import { SignedIn } from './enterFirst';
import { ADDING, takeAdding, takeNext } from './providerList';
import { identitiesQuery } from './providers';
import { TermsCheck } from './terms';
import './words';

async function arrive(): Promise<void> {
  await adopt();
  const next = takeNext();
  navigate(factorMissing.peek() ? '/account/security' : next, { replace: true });
}

/** Where a provider, or the link of a mail, leads to. What it brings is in the fragment, which is never sent. */
export function ProviderPage(): JSX.Element {
  const [brought] = useState(() => new URLSearchParams(address.peek().hash.slice(1)));
  useLayoutEffect(() => history.replaceState(null, '', location.pathname), []);
  const [code, token, error] = ['code', 'token', 'error'].map((name) => brought.get(name));
  const [adds] = useState(() => Boolean(code) && takeAdding());
  if (code && adds)
    return (
      <SignedIn title={t('providers.title')}>
        {() => (
          <Page title={t('providers.adding')} narrow="form">
            <Adding code={code} />
          </Page>
        )}
      </SignedIn>
    );
  return (
    <Page title={t('providers.title')} narrow="form">
      {code ? (
        <Arrival code={code} />
      ) : token ? (
        <Linking proof={{ token }} />
      ) : (
        <Failure text={t(error === 'denied' ? 'providers.denied' : 'providers.failed')} />
      )}
    </Page>
  );
}

/** The account that is signed in gets the person of the provider, once its password confirms it. */
function Adding({ code }: { code: string }): JSX.Element {
  const hasPassword = useQuery(identitiesQuery()).data?.hasPassword ?? true;
  const fields = useFields({ currentPassword: '' }, async (given) => {
    await client.addIdentity({ code, ...(hasPassword ? given : {}) });
    await queryClient.invalidateQueries({ queryKey: ['identities'] });
    announce('providers.linked');
    navigate(ADDING, { replace: true });
  });
  return (
    <>
      <p>{t('providers.addSure')}</p>
      <ActionForm
        action={fields}
        send={t('providers.addSend')}
        onCancel={() => navigate(ADDING, { replace: true })}
        ready={!hasPassword || fields.values.currentPassword !== ''}
      >
        {hasPassword && (
          <TextField
            label={t('enter.password')}
            type="password"
            {...fields.tie('currentPassword')}
            autocomplete="current-password"
            required
          />
        )}
      </ActionForm>
    </>
  );
}

function Failure({ text }: { text: string }): JSX.Element {
  return (
    <>
      <p role="alert">{text}</p>
      <p>
        <a href="/account/login">{t('enter.login')}</a>
      </p>
    </>
  );
}

function Arrival({ code }: { code: string }): JSX.Element {
  const [factor, setFactor] = useState<string | null>(null);
  const [link, setLink] = useState<string | null>(null);
  const [joining, setJoining] = useState(false);
  const action = useAction(async () => {
    try {
      await client.logInByProvider({ code });
    } catch (error) {
      const challenge = error instanceof ProblemError ? error.problem.challenge : undefined;
      if (JOINING.includes(toFault(error).slug)) {
        setJoining(true);
        return;
      }
      if (!challenge) throw error;
      if (toFault(error).slug === 'link-required') setLink(challenge);
      else setFactor(challenge);
      return;
    }
    await arrive();
  });
  useEffect(() => void action.run(), [code]);
  if (joining) return <Joining code={code} />;
  if (link !== null) return <Linking proof={{ challenge: link }} />;
  if (factor !== null)
    return (
      <CodeForm
        challenge={factor}
        onDone={() => void arrive()}
        onBegin={() => navigate('/account/login', { replace: true })}
      />
    );
  if (action.fault === null) return <p class="loading">{t('loading')}</p>;
  return (
    <>
      <FaultNotice fault={action.fault} limited={action.limited} />
      <p>
        <a href="/account/login">{t('enter.login')}</a>
      </p>
    </>
  );
}

const JOINING = ['terms-required', 'invitation-required'];

/** The person has no account yet, and the site has conditions for new ones. */
function Joining({ code }: { code: string }): JSX.Element {
  const fields = useFields({ invitation: '', acceptedTerms: null as number | null }, async (given) => {
    await renewingTerms(client.logInByProvider({ code, ...given }));
    await arrive();
  });
  const { change, values } = fields;
  return (
    <>
      <p>{t('providers.join')}</p>
      <ActionForm
        action={fields}
        send={t('enter.register')}
        onCancel={() => navigate('/account/login', { replace: true })}
      >
        {site.value?.registration === 'invitation' && (
          <InvitationField value={values.invitation} onValue={(invitation) => change({ invitation })} />
        )}
        <TermsCheck value={values.acceptedTerms} onValue={(acceptedTerms) => change({ acceptedTerms })} />
      </ActionForm>
    </>
  );
}

/** The account with that mail address exists: its password, or the link of the mail, confirms that it is the person's. */
function Linking({ proof }: { proof: { challenge: string } | { token: string } }): JSX.Element {
  const byPassword = 'challenge' in proof;
  const empty = { currentPassword: '', code: null as string | null };
  const fields = useFields(empty, async ({ currentPassword, code }) => {
    try {
      await client.linkIdentity({
        ...proof,
        ...(byPassword ? { currentPassword } : {}),
        ...(code === null ? {} : { code }),
      });
    } catch (error) {
      if (toFault(error).slug !== 'second-factor-required') throw error;
      fields.change({ code: '' });
      return;
    }
    announce('providers.linked');
    await arrive();
  });
  const { currentPassword, code } = fields.values;
  return (
    <>
      <p>{t(byPassword ? 'providers.known' : 'providers.confirm')}</p>
      <ActionForm
        action={fields}
        send={t('providers.link')}
        onCancel={() => navigate('/account/login', { replace: true })}
        ready={(!byPassword || currentPassword !== '') && code !== ''}
      >
        {byPassword && (
          <TextField
            label={t('enter.password')}
            type="password"
            {...fields.tie('currentPassword')}
            autocomplete="current-password"
            required
          />
        )}
        {code !== null && <CodeField value={code} onValue={(given) => fields.change({ code: given })} />}
      </ActionForm>
    </>
  );
}
