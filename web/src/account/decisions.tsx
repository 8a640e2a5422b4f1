/** Decisions about one's own ads, comments and account, with their reasons and appeals. */
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { useAction } from '../data/action';
import { client, type Decision } from '../data/client';
import { toFault } from '../data/fault';
import { myDecisionsQuery } from '../data/queries';
import { queryClient, usePages } from '../data/query';
import { limit } from '../data/site';
import { Disclosure } from '../elements/disclosure';
import { TextArea } from '../elements/field';
import { useFields } from '../elements/fields';
import { ActionForm } from '../elements/form';
import { Listing } from '../elements/listing';
import { announce, FaultNotice } from '../elements/notice';
import { Page } from '../elements/page';
import { t } from '../i18n';
import { formatDate } from '../i18n/format';
import { DecisionText } from '../review/decision';
import { SignedIn } from './enterFirst';
import { BrokenLink, useToken } from './linkToken';
import './words';

export function DecisionsPage(): JSX.Element {
  return (
    <SignedIn title={t('decisions.title')}>
      {() => (
        <Page title={t('decisions.title')} narrow>
          <Mine />
        </Page>
      )}
    </SignedIn>
  );
}

function Mine(): JSX.Element {
  const result = usePages(myDecisionsQuery());
  return (
    <Listing
      result={result}
      look="list"
      none={{ text: t('decisions.none'), to: { href: '/my', text: t('shell.my') } }}
      each={(decision: Decision) => (
        <li key={decision.id}>
          <DecisionText decision={decision} />
          <AppealOf decision={decision} />
        </li>
      )}
    />
  );
}

function Appealed({ appeal }: { appeal: NonNullable<Decision['appeal']> }): JSX.Element {
  return (
    <>
      <p class="faint">{t('appeal.made', { date: formatDate(appeal.at) })}</p>
      <p class="as-written" dir="auto">
        {appeal.text}
      </p>
    </>
  );
}

const isOpen = ({ holds, appealUntil }: Decision): boolean =>
  holds && appealUntil !== null && appealUntil >= Date.now();

/** Of a suspended person, who cannot log in: by the link of the mail, or of the refused login. Opening it changes nothing. */
export function AppealPage(): JSX.Element {
  const token = useToken();
  return <ByToken key={token} token={token} />;
}

function ByToken({ token }: { token: string | null }): JSX.Element {
  const [decision, setDecision] = useState<Decision | null>(null);
  const read = useAction(
    async (secret: string) => setDecision(await client.readDecision({ token: secret })),
    { repeatable: true },
  );
  useEffect(() => {
    if (token !== null) void read.run(token);
  }, [token]);
  if (token === null || read.fault?.slug === 'invalid-token')
    return <BrokenLink title={t('appeal.title')} again="/account/login" text={t('enter.login')} />;
  return (
    <Page title={t('appeal.title')} narrow>
      <FaultNotice fault={read.fault} limited={read.limited} />
      {read.busy && <p class="loading">{t('loading')}</p>}
      {decision && (
        <>
          <div class="panel">
            <DecisionText decision={decision} />
            {decision.appeal && <Appealed appeal={decision.appeal} />}
          </div>
          {!decision.appeal && isOpen(decision) && (
            <AppealForm
              send={async (text) => setDecision(await client.appealByToken({ token, text }))}
              onDone={() => void read.run(token)}
            />
          )}
          {!decision.appeal && !isOpen(decision) && <p>{t('problem.appeal-not-possible')}</p>}
          {decision.redress.length > 0 && <p class="faint">{t('appeal.outside')}</p>}
        </>
      )}
    </Page>
  );
}

function AppealOf({ decision }: { decision: Decision }): JSX.Element | null {
  const { id, appeal, appealUntil } = decision;
  if (appeal) return <Appealed appeal={appeal} />;
  if (!isOpen(decision) || appealUntil === null) return null;
  return (
    <Disclosure label={t('appeal.start', { date: formatDate(appealUntil) })}>
      {(close) => (
        <AppealForm
          send={async (text) => {
            await client.appealDecision(id, { text });
          }}
          onDone={() => {
            void queryClient.invalidateQueries({ queryKey: ['decisions'] });
            close();
          }}
          onCancel={close}
        />
      )}
    </Disclosure>
  );
}

function AppealForm({
  send,
  onDone,
  onCancel,
}: {
  send: (text: string) => Promise<void>;
  /** Called too where an appeal is no longer possible. */
  onDone: () => void;
  onCancel?: () => void;
}): JSX.Element {
  const fields = useFields({ text: '' }, async ({ text }) => {
    try {
      await send(text);
      announce('done.appeal');
    } catch (error) {
      if (toFault(error).slug !== 'appeal-not-possible') throw error;
      // The decision was undone meanwhile, or appealed in another tab. Its present state is shown instead of this form.
      announce('problem.appeal-not-possible');
    }
    onDone();
  });
  return (
    <ActionForm
      action={fields}
      send={t('appeal.send')}
      {...(onCancel && { onCancel })}
      ready={fields.values.text.trim() !== ''}
    >
      <TextArea
        label={t('appeal.label')}
        hint={t('appeal.hint')}
        rows={4}
        maxLength={limit('statementMaxLength', 4000)}
        {...fields.tie('text')}
      />
    </ActionForm>
  );
}
