/** Messages by key, in the language of the reader. A translator edits the JSON files beside this one. */
import { computed, signal } from '@preact/signals';
import { frame } from '../data/frame';
import en from './en.json';

export type MessageKey =
  | keyof typeof en
  | keyof typeof import('./console/en.json')
  | keyof typeof import('./inbox/en.json')
  | keyof typeof import('./map/en.json')
  | keyof typeof import('./security/en.json')
  | keyof typeof import('./selling/en.json');
export type Language = 'en' | 'de' | 'ru';

type Messages = Partial<Record<string, string>>;

export const LANGUAGES: Record<Language, string> = { en: 'English', de: 'Deutsch', ru: 'Русский' };

/** Those that there are messages in: of the app, and of the operator's files. */
export const KNOWN = Object.keys({ ...LANGUAGES, ...frame.texts });

/** Those that the operator has chosen. */
export const OFFERED = KNOWN.filter((tag) => frame.languages?.includes(tag) ?? true);

/** Its name in the language itself. */
export const languageName = (tag: string): string =>
  LANGUAGES[tag as Language] ?? new Intl.DisplayNames(tag, { type: 'language' }).of(tag) ?? tag;

/** English is there for what another language lacks; the others are loaded by who reads them. */
const MESSAGES: Record<string, Messages> & { en: Messages } = { en: { ...en } };
const LOADERS: Record<string, () => Promise<{ default: Messages }>> = {
  de: () => import('./de.json'),
  ru: () => import('./ru.json'),
};

for (const [tag, address] of Object.entries(frame.texts ?? {}))
  LOADERS[tag] = async () => ({ default: await (await fetch(address)).json() });

function add(tag: string, messages: Messages): void {
  MESSAGES[tag] = { ...MESSAGES[tag], ...messages };
}

/** Loads the messages of a language once. */
export async function loadMessages(tag: Language): Promise<void> {
  const load = LOADERS[tag];
  if (!load) return;
  const { default: messages } = await load();
  add(tag, messages);
  delete LOADERS[tag];
}

/** Adds messages of pages that are loaded on demand. */
export function addMessages(more: Record<Language, Messages>): void {
  for (const [tag, messages] of Object.entries(more)) add(tag, messages);
}

const KEPT = 'language';

function isLanguage(tag: string | null | undefined): tag is Language {
  return typeof tag === 'string' && OFFERED.includes(tag);
}

function kept(): string | null {
  try {
    return localStorage.getItem(KEPT);
  } catch {
    return null; // Storage may be switched off.
  }
}

/** The first of the browser's languages that there are messages in. */
export function preferred(tags: readonly string[]): Language {
  for (const tag of tags) {
    const language = tag.toLowerCase().split('-')[0];
    if (isLanguage(language)) return language;
  }
  return (OFFERED[0] ?? 'en') as Language;
}

function initial(): Language {
  const named = new URLSearchParams(location.search).get('lang');
  if (isLanguage(named)) return named;
  const chosen = kept();
  return isLanguage(chosen) ? chosen : preferred(navigator.languages);
}

export const language = signal<Language>(initial());

/** With the reader's region, so that German of Austria has Austrian prices. */
export const locale = computed(() => {
  const same = navigator.languages.find((tag) => tag.toLowerCase().startsWith(language.value));
  return same ?? language.value;
});

/** Where its messages cannot be loaded, the language stays as it was. */
export function setLanguage(chosen: Language): void {
  loadMessages(chosen).then(
    () => {
      language.value = chosen;
      try {
        localStorage.setItem(KEPT, chosen);
      } catch {
        // It is kept until the page is closed.
      }
    },
    () => undefined,
  );
}

const rules = computed(() => new Intl.PluralRules(locale.value));

export type Values = Record<string, string | number>;

function lookUp(key: string): string | undefined {
  return MESSAGES[language.value]?.[key] ?? MESSAGES.en[key];
}

/** For keys made from values of the service, such as the code of a fault. */
export function hasMessage(key: string): boolean {
  return lookUp(key) !== undefined;
}

/** The message with its `{names}` filled in; `count` chooses among `key.one`, `key.few` and so on. */
export function t(key: MessageKey | Counted, values: Values = {}): string {
  return message(key, values);
}

/** As `t`, for keys that are put together. */
export function message(key: string, values: Values = {}): string {
  let found = lookUp(key);
  if (typeof values.count === 'number') {
    found = lookUp(`${key}.${rules.value.select(values.count)}`) ?? lookUp(`${key}.other`) ?? found;
  }
  return (found ?? key).replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = values[name];
    if (value === undefined) return whole;
    return typeof value === 'number' ? new Intl.NumberFormat(locale.value).format(value) : value;
  });
}

/** Keys that have plural forms, without the form. */
type Counted = MessageKey extends infer Key ? (Key extends `${infer Stem}.other` ? Stem : never) : never;

/** A name that the operator has given in several languages; the plain name is in the site's language. */
export function named(plain: string, others: Record<string, string> | undefined): string {
  const wanted = language.value;
  if (!others) return plain;
  return others[locale.value] ?? others[wanted] ?? plain;
}
