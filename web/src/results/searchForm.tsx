/**
 * The search box, a combobox (ARIA Authoring Practices, "Editable Combobox With List Autocomplete"). On the
 * results page it searches during typing; elsewhere when it is sent.
 */
import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { address, navigate } from '../app/router';
import { categoriesQuery, suggestionsQuery } from '../data/queries';
import { useQuery } from '../data/query';
import { Icon } from '../elements/icon';
import { useRested } from '../elements/rested';
import { named, t } from '../i18n';
import { formatNumber } from '../i18n/format';
import { EMPTY, readSearch, writeSearch } from './address';
import { type ChosenPlace, chosenPlace } from './places';
import { forgetRecent, recent, remember } from './recent';

/** How long typing rests before the service hears of it, in milliseconds. */
const REST = 300;
const SUGGEST_REST = 120;

/** A line of the list: a text to search for, perhaps within a category, or a category. */
interface Choice {
  /** What the line says. */
  text: string;
  /** What is searched for, if that is not the line. */
  q?: string;
  category: string | null;
  count?: number;
  /** The place that the words are searched near. */
  near?: ChosenPlace;
}

export function SearchForm(): JSX.Element {
  const url = address.value;
  const onResults = url.pathname === '/search' || url.pathname.startsWith('/c/');
  const query = onResults ? readSearch(url).q : '';
  const [text, setText] = useState(query);
  const [open, setOpen] = useState(false);
  const [active, setActive] = useState(-1);
  const sent = useRef(query);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const choices = useChoices(text, open);
  const shown = open && choices.length > 0;

  useEffect(() => {
    // The box's own search appears in the address while the next letters are being typed.
    if (query !== sent.current) {
      sent.current = query;
      setText(query);
    }
  }, [query]);
  // Whoever has left the results is not brought back by what was typed there.
  useEffect(() => () => clearTimeout(timer.current), [onResults]);
  useEffect(() => setActive(-1), [choices]);

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
    setOpen(true);
    clearTimeout(timer.current);
    if (onResults) timer.current = setTimeout(() => search(q, true), REST);
  }

  function choose(choice: Choice): void {
    setOpen(false);
    if (choice.near) {
      clearTimeout(timer.current);
      sent.current = text.trim();
      remember(text);
      navigate(writeSearch({ ...EMPTY, q: text.trim(), ...choice.near }));
    } else if (choice.q && choice.category) {
      clearTimeout(timer.current);
      sent.current = choice.q;
      setText(choice.q);
      remember(choice.q);
      navigate(writeSearch({ ...EMPTY, q: choice.q, category: choice.category }));
    } else if (choice.category === null) {
      setText(choice.text);
      remember(choice.text);
      search(choice.text, onResults);
    } else {
      clearTimeout(timer.current);
      sent.current = '';
      setText('');
      navigate(writeSearch({ ...EMPTY, category: choice.category }));
    }
  }

  function press(event: KeyboardEvent): void {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step !== 0) {
      event.preventDefault();
      setOpen(true);
      // Beyond either end is what was typed.
      const places = choices.length + 1;
      setActive((at) => ((at + 1 + step + places) % places) - 1);
    } else if (event.key === 'Escape' && shown) {
      event.preventDefault();
      setOpen(false);
      setActive(-1);
    }
  }

  return (
    <search
      class="search"
      onFocusOut={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setOpen(false);
      }}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          const choice = shown ? choices[active] : undefined;
          if (choice) return choose(choice);
          setOpen(false);
          remember(text);
          search(text, onResults);
        }}
      >
        <input
          // A search field could have this role only with a `datalist`.
          type="text"
          dir="auto"
          inputMode="search"
          enterKeyHint="search"
          name="q"
          role="combobox"
          aria-label={t('search.label')}
          aria-autocomplete="list"
          aria-expanded={shown}
          aria-controls="suggestions"
          {...(shown && active >= 0 ? { 'aria-activedescendant': `suggestion-${active}` } : {})}
          placeholder={t('search.placeholder')}
          autocomplete="off"
          maxLength={256}
          value={text}
          onInput={(event) => type(event.currentTarget.value)}
          onClick={() => setOpen(true)}
          onKeyDown={press}
        />
        <button type="submit" aria-label={t('search.button')}>
          <Icon name="search" />
        </button>
      </form>
      <div class="suggestions" hidden={!shown}>
        <div id="suggestions" role="listbox" aria-label={t('search.suggestions')}>
          {choices.map((choice, index) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the box, which has the focus
            <div
              key={`${choice.category} ${choice.text}`}
              id={`suggestion-${index}`}
              role="option"
              tabIndex={-1}
              aria-selected={index === active}
              // The box keeps the focus.
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => choose(choice)}
            >
              <span>{choice.text}</span>
              {choice.count !== undefined && <span class="count">{formatNumber(choice.count)}</span>}
            </div>
          ))}
        </div>
        {!text.trim() && recent.value.length > 0 && (
          <button type="button" onClick={forgetRecent}>
            {t('search.clearRecent')}
          </button>
        )}
      </div>
    </search>
  );
}

/** What to choose from: recent searches while nothing is typed, then what the service suggests. */
function useChoices(text: string, open: boolean): Choice[] {
  const q = useRested(text.trim(), SUGGEST_REST);
  const found = useQuery(suggestionsQuery(q, open)).data ?? [];
  const categories = useQuery({ ...categoriesQuery(), enabled: open }).data ?? [];
  const before: Choice[] = q ? [] : recent.value.map((one) => ({ text: one, category: null }));
  const suggested = found.map((one): Choice => {
    const category = categories.find(({ slug }) => slug === one.category);
    if (!category) return one;
    // In the language of the page, which need not be the browser's.
    const name = named(category.name, category.names);
    return one.kind === 'category'
      ? { ...one, text: name }
      : { ...one, text: `${one.text} · ${name}`, q: one.text };
  });
  const known = new Set(before.map((one) => one.text));
  const place = chosenPlace.value;
  const nearby = place ? [{ text: nearText(text.trim(), place), category: null, near: place }] : [];
  const list = [
    ...before,
    ...suggested.filter((one) => one.category !== null || !known.has(one.text)),
    ...nearby,
  ];
  const key = JSON.stringify(list);
  const last = useRef({ key, list });
  if (last.current.key !== key) last.current = { key, list };
  return last.current.list;
}

function nearText(words: string, { place }: ChosenPlace): string {
  const near = place ? t('home.near', { place }) : t('home.nearYou');
  return words ? `${words} · ${near}` : near;
}
