/** The terms of the site: accepted by new accounts, and again after each new version. */
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { useAction } from '../data/action';
import { client } from '../data/client';
import { loadSite, said, site } from '../data/site';
import { termsDialog } from '../data/terms';
import { Check } from '../elements/field';
import { ActionForm } from '../elements/form';
import { language, t } from '../i18n';
import './words';

/** In another tab, so that a form is not left. */
function TermsLink(): JSX.Element {
  const { terms, pages = [], languages = [] } = site.value ?? {};
  const title = pages.find(({ slug }) => slug === terms?.page)?.title ?? {};
  const tags = Object.keys(title);
  const own = languages.find((tag) => tags.includes(tag)) ?? tags[0];
  const read = tags.find((tag) => tag.split('-')[0] === language.value) ?? own;
  return (
    <a
      href={`/pages/${terms?.page}${read === own ? '' : `.${read}`}`}
      target="_blank"
      rel="noopener"
      data-leave
    >
      {said(title, language.value)}
    </a>
  );
}

/** Nothing on a site without terms. A new version is accepted anew. */
export function TermsCheck({
  value,
  onValue,
}: {
  /** The version that the person accepts. */
  value: number | null;
  onValue: (version: number | null) => void;
}): JSX.Element | null {
  const terms = site.value?.terms;
  if (!terms) return null;
  return (
    <Check
      label={
        <>
          {t('terms.accept')} <TermsLink />
        </>
      }
      value={value === terms.version}
      onValue={(on) => onValue(on ? terms.version : null)}
      required
    />
  );
}

export function TermsDialog(): JSX.Element | null {
  const done = termsDialog.value;
  const box = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    // The page may be older than the terms.
    void loadSite().catch(() => undefined);
    if (!box.current?.open) box.current?.showModal();
  }, []);
  const action = useAction(async () => {
    await loadSite();
    await client.acceptTerms({ version: site.peek()?.terms?.version ?? 0 });
    done?.(true);
  });
  if (done === null) return null;
  return (
    <dialog
      ref={box}
      class="dialog"
      aria-labelledby="terms"
      onCancel={(event) => {
        event.preventDefault();
        done(false);
      }}
    >
      <h2 id="terms">{t('terms.title')}</h2>
      <p>{t('terms.text')}</p>
      <p>
        <TermsLink />
      </p>
      <ActionForm action={action} send={t('terms.send')} onCancel={() => done(false)}>
        {null}
      </ActionForm>
    </dialog>
  );
}
