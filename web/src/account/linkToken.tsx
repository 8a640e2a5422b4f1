/** Links of mails: their token, and what is shown where it is not valid. */
import type { JSX } from 'preact';
import { useLayoutEffect } from 'preact/hooks';
import { address } from '../app/router';
import { Page } from '../elements/page';
import { t } from '../i18n';

/** The token of a link. It is in the fragment, which is never sent or logged. */
export function useToken(): string | null {
  const opened = new URLSearchParams(address.value.hash.slice(1)).get('token');
  useLayoutEffect(() => {
    // The token is removed from the address, and so from the list of visited pages. A reload finds it in the history entry.
    if (opened !== null) history.replaceState({ token: opened }, '', location.pathname + location.search);
  }, [opened]);
  return opened ?? (history.state as { token?: string } | null)?.token ?? null;
}

/** An invalid link, and where to get another. */
export function BrokenLink({
  title,
  again,
  text,
}: {
  title: string;
  again: string;
  text: string;
}): JSX.Element {
  return (
    <Page title={title} narrow="form">
      <p role="alert">{t('problem.invalid-token')}</p>
      <p>
        <a href={again}>{text}</a>
      </p>
    </Page>
  );
}
