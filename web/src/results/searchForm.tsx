/** The search box. On the results page it searches during typing; elsewhere when it is sent. */
import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { address, navigate } from '../app/router';
import { Icon } from '../elements/icon';
import { t } from '../i18n';
import { EMPTY, readSearch, writeSearch } from './address';

const REST = 300;

export function SearchForm(): JSX.Element {
  const url = address.value;
  const onResults = url.pathname === '/search' || url.pathname.startsWith('/c/');
  const query = onResults ? readSearch(url).q : '';
  const [text, setText] = useState(query);
  const sent = useRef(query);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);

  useEffect(() => {
    // The box's own search appears in the address while the next letters are being typed.
    if (query !== sent.current) {
      sent.current = query;
      setText(query);
    }
  }, [query]);
  useEffect(() => () => clearTimeout(timer.current), []);

  function search(q: string, replace: boolean): void {
    clearTimeout(timer.current);
    sent.current = q;
    const current = address.peek();
    const here = current.pathname === '/search' || current.pathname.startsWith('/c/');
    const before = here ? readSearch(current) : EMPTY;
    navigate(writeSearch({ ...before, q }), { replace, keep: replace });
  }

  function type(q: string): void {
    setText(q);
    clearTimeout(timer.current);
    if (onResults) timer.current = setTimeout(() => search(q, true), REST);
  }

  return (
    <search class="search">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          search(text, onResults);
        }}
      >
        <input
          type="search"
          name="q"
          aria-label={t('search.label')}
          placeholder={t('search.placeholder')}
          autocomplete="off"
          maxLength={256}
          value={text}
          onInput={(event) => type(event.currentTarget.value)}
        />
        <button type="submit" aria-label={t('search.button')}>
          <Icon name="search" />
        </button>
      </form>
    </search>
  );
}
