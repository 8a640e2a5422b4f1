/** Decisions about one's own ads, comments and account, with their reasons and appeals. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useAction } from '../data/action';
import { client, type Decision } from '../data/client';
import { toFault } from '../data/fault';
import { messageAt } from '../data/faultText';
import { myDecisionsQuery } from '../data/queries';
import { queryClient, usePages } from '../data/query';
import { limit } from '../data/site';
import { Disclosure } from '../elements/disclosure';
import { TextArea } from '../elements/field';
import { ActionForm } from '../elements/form';
import { Listing } from '../elements/listing';
import { announce } from '../elements/notice';
import { Page } from '../elements/page';
import { t } from '../i18n';
import { formatDate } from '../i18n/format';
import { DecisionText } from '../review/decision';
import { SignedIn } from './enterFirst';

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
      look="decisions"
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

function AppealOf({
  decision: { id, appeal, appealUntil, holds },
}: {
  decision: Decision;
}): JSX.Element | null {
  if (appeal) {
    return (
      <>
        <p class="faint">{t('appeal.made', { date: formatDate(appeal.at) })}</p>
        <p class="as-written">{appeal.text}</p>
      </>
    );
  }
  if (!holds || appealUntil === null || appealUntil < Date.now()) return null;
  return (
    <Disclosure label={t('appeal.start', { date: formatDate(appealUntil) })}>
      {(close) => <AppealForm id={id} onDone={close} />}
    </Disclosure>
  );
}

function AppealForm({ id, onDone }: { id: number; onDone: () => void }): JSX.Element {
  const [text, setText] = useState('');
  const action = useAction(async () => {
    try {
      await client.appealDecision(id, { text });
      announce('done.appeal');
    } catch (error) {
      if (toFault(error).slug !== 'appeal-not-possible') throw error;
      // The decision was undone meanwhile, or appealed in another tab. Its present state is shown instead of this form.
      announce('problem.appeal-not-possible');
    }
    await queryClient.invalidateQueries({ queryKey: ['decisions'] });
    onDone();
  });
  return (
    <ActionForm
      action={action}
      send={t('appeal.send')}
      onSend={() => void action.run()}
      onCancel={onDone}
      ready={text.trim() !== ''}
    >
      <TextArea
        label={t('appeal.label')}
        hint={t('appeal.hint')}
        rows={4}
        maxLength={limit('statementMaxLength', 4000)}
        value={text}
        onValue={setText}
        error={messageAt(action.fault, '/text')}
      />
    </ActionForm>
  );
}
