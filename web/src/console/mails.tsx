/** The subject and the beginning of each kind of mail, with a preview and a sample by mail. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import '../account/words';
import { useAction } from '../data/action';
import { client, type MailTexts } from '../data/client';
import { messageAt } from '../data/faultText';
import { useQuery } from '../data/query';
import { siteName } from '../data/site';
import { Select, TextArea, TextField } from '../elements/field';
import { useFields } from '../elements/fields';
import { ActionForm } from '../elements/form';
import { Loaded } from '../elements/listing';
import { announce, FaultNotice } from '../elements/notice';
import { message, t } from '../i18n';
import { LanguageTabs } from './languageTabs';
import { forgetConsole, mailTextsQuery } from './queries';

type Kind = MailTexts['kind'];

const nameOf = (kind: Kind): string => message(`about.${kind}`);

export function MailsPart(): JSX.Element {
  const [kind, setKind] = useState<Kind>('verify');
  return (
    <Loaded result={useQuery(mailTextsQuery())}>
      {({ results }) => {
        const chosen = results.find((one) => one.kind === kind);
        return (
          <>
            <Select
              label={t('mails.kind')}
              value={kind}
              onValue={setKind}
              choices={results.map((one) => ({ value: one.kind, label: nameOf(one.kind) }))}
            />
            {chosen && <MailForm key={JSON.stringify(chosen)} mail={chosen} />}
          </>
        );
      }}
    </Loaded>
  );
}

function MailForm({ mail }: { mail: MailTexts }): JSX.Element {
  const { kind, placeholders, subject, intro } = mail;
  const fields = useFields({ subject, intro }, async (texts) => {
    await client.writeMail(kind, texts);
    announce('console.done');
    await forgetConsole('mailTexts');
  });
  const sample = useAction(async () => {
    await client.testMail(kind);
    announce('mails.sent');
  });
  const { values, change } = fields;
  return (
    <>
      <ActionForm action={fields} send={t('console.save')} label={nameOf(kind)}>
        <p class="hint">
          {t('mails.placeholders', { names: placeholders.map((name) => `{${name}}`).join(', ') })}
        </p>
        <LanguageTabs others={{ ...values.subject, ...values.intro }}>
          {(tag) => {
            const tie = (name: 'subject' | 'intro') => ({
              label: t(`mails.${name}`),
              hint: t(`mails.${name}Hint`),
              value: values[name][tag] ?? '',
              onValue: (value: string) => change({ [name]: { ...values[name], [tag]: value } }),
              error: messageAt(fields.fault, `/${name}`),
              optional: true,
            });
            return (
              <>
                <TextField {...tie('subject')} maxLength={200} />
                <TextArea {...tie('intro')} maxLength={2000} rows={5} />
                <Preview subject={values.subject[tag]} intro={values.intro[tag]} />
              </>
            );
          }}
        </LanguageTabs>
      </ActionForm>
      <p>
        <button type="button" disabled={sample.busy} onClick={() => void sample.run()}>
          {t('mails.test')}
        </button>
      </p>
      <FaultNotice fault={sample.fault} limited={sample.limited} />
    </>
  );
}

/** The texts with the name of the site; what else a mail says stays in braces. */
function Preview({
  subject,
  intro,
}: {
  subject: string | undefined;
  intro: string | undefined;
}): JSX.Element {
  const filled = (text: string | undefined): string =>
    text ? text.replaceAll('{site}', siteName.value) : t('mails.builtIn');
  return (
    <section class="hero site-preview" aria-label={t('mails.preview')}>
      <p>
        <strong>{filled(subject)}</strong>
      </p>
      <p class="as-written">{filled(intro)}</p>
    </section>
  );
}
