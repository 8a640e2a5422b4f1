import type { JSX } from 'preact';
import { loginAddress } from '../account/enterFirst';
import { navigate } from '../app/router';
import { type CreateReport, client, type ReportReason, valuesOf } from '../data/client';
import { user } from '../data/session';
import { limit } from '../data/site';
import { Disclosure } from '../elements/disclosure';
import { Select, TextArea } from '../elements/field';
import { useFields } from '../elements/fields';
import { ActionForm } from '../elements/form';
import { announce } from '../elements/notice';
import { t } from '../i18n';

const REASONS = valuesOf<ReportReason>({
  scam: true,
  prohibited: true,
  duplicate: true,
  category: true,
  offensive: true,
  personalData: true,
  other: true,
});

/** Reports an ad, or a comment below it, to the moderators. */
export function ReportButton({ ad, comment }: { ad: number; comment?: number }): JSX.Element {
  const label = t(comment === undefined ? 'report.ad' : 'report.comment');
  // Before it is known, the form: buttons can be pressed by then.
  if (user.value === null) {
    return (
      <button type="button" class="plain" onClick={() => navigate(loginAddress())}>
        {label}
      </button>
    );
  }
  return (
    <Disclosure label={label} look="plain">
      {(close) => (
        <ReportForm
          report={(given) =>
            comment === undefined ? client.reportAd(ad, given) : client.reportComment(ad, comment, given)
          }
          onDone={close}
        />
      )}
    </Disclosure>
  );
}

export function ReportForm({
  report,
  onDone,
}: {
  report: (given: CreateReport) => Promise<unknown>;
  onDone: () => void;
}): JSX.Element {
  const fields = useFields<{ reason: ReportReason | ''; text: string }>(
    { reason: '', text: '' },
    async ({ reason, text }) => {
      if (reason === '') return;
      await report({ reason, text });
      announce('done.report');
      onDone();
    },
    // A second report by the same account returns the first.
    { repeatable: true },
  );
  return (
    <ActionForm
      label={t('report.title')}
      action={fields}
      send={t('report.send')}
      onCancel={onDone}
      ready={fields.values.reason !== ''}
    >
      <Select
        label={t('report.reason')}
        {...fields.tie('reason')}
        choices={[
          { value: '', label: t('form.choose') },
          ...REASONS.map((value) => ({ value, label: t(`reason.${value}`) })),
        ]}
      />
      <TextArea
        label={t('report.text')}
        hint={t('report.hint')}
        rows={3}
        maxLength={limit('reportMaxLength', 2000)}
        {...fields.tie('text')}
        optional
      />
    </ActionForm>
  );
}
