import { afterEach, describe, expect, it } from 'vitest';
import { browserName } from '../src/account/sessions';
import { stepsFrom } from '../src/ad/transitions';
import { categoryForm, definition, readNames, readOptions, writeOptions } from '../src/admin/definition';
import { matchPath } from '../src/app/router';
import type { Category } from '../src/data/client';
import { type Fault, toFault } from '../src/data/fault';
import { faultText, fieldText } from '../src/data/faultText';
import { language, named, preferred, t } from '../src/i18n';
import de from '../src/i18n/de.json';
import en from '../src/i18n/en.json';
import { formatAge, formatPrice } from '../src/i18n/format';
import ru from '../src/i18n/ru.json';

afterEach(() => {
  language.value = 'en';
});

const stem = (key: string): string => key.replace(/\.(one|few|many|other)$/, '');
const names = (text: string): string[] =>
  [...text.matchAll(/\{(\w+)\}/g)].map((found) => found[1] ?? '').sort();

describe('messages', () => {
  it('are there in each language, with the same values', () => {
    for (const [language, messages] of Object.entries({ de, ru })) {
      const missing = Object.keys(en).filter((key) => !(key in messages));
      expect(missing, language).toEqual([]);
      for (const [key, text] of Object.entries(messages)) {
        const english =
          (en as Record<string, string>)[key] ?? (en as Record<string, string>)[`${stem(key)}.other`];
        expect(english, `${language} ${key}`).toBeDefined();
        expect(
          names(text).filter((name) => name !== 'count'),
          `${language} ${key}`,
        ).toEqual(names(english ?? '').filter((name) => name !== 'count'));
      }
    }
  });

  it('count as each language does', () => {
    expect(t('results.count', { count: 1 })).toBe('1 ad');
    expect(t('results.count', { count: 1200 })).toBe('1,200 ads');
    language.value = 'ru';
    expect(t('results.count', { count: 3 })).toBe('3 объявления');
    expect(t('results.count', { count: 11 })).toBe('11 объявлений');
  });

  it('do not take what they are given for a message', () => {
    expect(t('results.titleWords', { words: '{site} $& <b>' })).toBe('“{site} $& <b>”');
  });

  it('come in the first language that there is', () => {
    expect(preferred(['fr-FR', 'de-AT', 'en'])).toBe('de');
    expect(preferred(['fr'])).toBe('en');
  });
});

it('what an operator named is told in the language of the reader', () => {
  language.value = 'de';
  expect(named('Cars', { de: 'Autos' })).toBe('Autos');
  expect(named('Cars', { ru: 'Автомобили' })).toBe('Cars');
});

it('prices say what they mean', () => {
  expect(formatPrice(1200, 'fixed', 'EUR')).toBe('€1,200');
  expect(formatPrice(1200, 'negotiable', 'EUR')).toBe('€1,200, negotiable');
  expect(formatPrice(1200, 'free', 'EUR')).toBe('Free');
});

it('ages are told in words, old ones as dates', () => {
  const now = Date.UTC(2026, 5, 15, 12);
  expect(formatAge(now - 20_000, now)).toBe('this minute');
  expect(formatAge(now - 3 * 3_600_000, now)).toBe('3 hours ago');
  expect(formatAge(now - 40 * 86_400_000, now)).toBe('6 May 2026');
});

it('faults are told in words, those without as the service does', () => {
  const fault = {
    at: '/price',
    code: 'out-of-range',
    detail: 'must be …',
    values: { minimum: 0, maximum: 2000 },
  };
  expect(fieldText(fault)).toBe('Must be from 0 to 2,000.');
  expect(fieldText({ ...fault, values: { minimum: 0 } })).toBe('Must be at least 0.');
  expect(fieldText({ ...fault, code: 'new-kind' })).toBe('must be …');
  expect(fieldText({ ...fault, code: 'wrong-format', values: {} })).toBe('must be …');
  language.value = 'de';
  expect(fieldText({ ...fault, code: 'wrong-type', values: { type: 'integer' } })).toBe(
    'Muss eine ganze Zahl sein.',
  );
  expect(fieldText({ ...fault, at: '/phone', code: 'wrong-format', values: {} })).toMatch(/Telefonnummer/);
});

it('a refusal is told in the words there are for it, else in its own', () => {
  const unknown = toFault(new Error('?'));
  expect(faultText(unknown)).toBe('Something went wrong here. Try again.');
  expect(faultText({ ...unknown, kind: 'connection' })).toMatch(/^The connection was lost/);
  const fault: Fault = { ...unknown, kind: 'problem', slug: 'brand-new', title: 'No', detail: '' };
  expect(faultText(fault)).toBe('No');
  expect(faultText({ ...fault, detail: 'Not today.' })).toBe('Not today.');
  const suspended: Fault = { ...fault, slug: 'suspended', explanation: 'Fraud.' };
  expect(faultText(suspended)).toBe('This account is suspended. Fraud.');
  expect(faultText({ ...suspended, until: Date.UTC(2027, 4, 17, 12) })).toMatch(/until .*2027.*\. Fraud\.$/);
});

it('paths are matched by their parts', () => {
  expect(matchPath('/a/{id}', '/a/7')).toEqual({ id: '7' });
  expect(matchPath('/a/{id}', '/a/7/')).toEqual({ id: '7' });
  expect(matchPath('/a/{id}', '/a/7/edit')).toBeNull();
  expect(matchPath('/', '/')).toEqual({});
  expect(matchPath('/c/{slug}', '/c/%E0%A4%A')).toBeNull();
});

it('an author is offered the steps that the status allows', () => {
  expect(stepsFrom('active')).toEqual(['reserve', 'sell', 'renew', 'withdraw']);
  expect(stepsFrom('active', false)).not.toContain('renew');
  expect(stepsFrom('sold')).toEqual([]);
});

it('sessions are named as people name browsers', () => {
  const chrome =
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36';
  expect(browserName(chrome)).toBe('Chrome, Linux');
  expect(browserName('curl/8')).toBe('curl/8');
});

describe('the editor of categories', () => {
  it('reads and writes options on lines', () => {
    const options = [{ value: 'gas', label: 'LPG', labels: { ru: 'Газ' } }];
    expect(readOptions(writeOptions(options))).toEqual(options);
    expect(readNames('de: Autos\n\nnothing\nru : Авто ')).toEqual({ de: 'Autos', ru: 'Авто' });
  });

  it('sends its own attributes, and keeps what it does not show', () => {
    const category = {
      slug: 'cars',
      parent: null,
      name: 'Cars',
      names: {},
      position: 3,
      count: 0,
      attributes: [
        { name: 'condition', type: 'enum', inherited: true, options: [{ value: 'new' }] },
        { name: 'model', type: 'string', inherited: false, maxLength: 60, label: 'Model' },
      ],
    } as unknown as Category;
    const sent = definition(categoryForm(category), category);
    expect(sent).toMatchObject({ name: 'Cars', position: 3, parent: null });
    expect(sent.attributes).toHaveLength(1);
    expect(sent.attributes?.[0]).toMatchObject({ name: 'model', maxLength: 60, filterable: false });
  });
});
