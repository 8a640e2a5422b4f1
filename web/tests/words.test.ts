import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { browserName } from '../src/account/sessions';
import { stepsFrom } from '../src/ad/transitions';
import { matchPath } from '../src/app/router';
import { categoryForm, definition, differences, isSame, read } from '../src/console/definition';
import type { Category } from '../src/data/client';
import { type Fault, toFault } from '../src/data/fault';
import { faultText, fieldText } from '../src/data/faultText';
import { language, loadMessages, named, preferred, t } from '../src/i18n';
import consoleDe from '../src/i18n/console/de.json';
import consoleEn from '../src/i18n/console/en.json';
import consoleRu from '../src/i18n/console/ru.json';
import de from '../src/i18n/de.json';
import en from '../src/i18n/en.json';
import { formatAge, formatPrice } from '../src/i18n/format';
import inboxDe from '../src/i18n/inbox/de.json';
import inboxEn from '../src/i18n/inbox/en.json';
import inboxRu from '../src/i18n/inbox/ru.json';
import mapDe from '../src/i18n/map/de.json';
import mapEn from '../src/i18n/map/en.json';
import mapRu from '../src/i18n/map/ru.json';
import ru from '../src/i18n/ru.json';
import securityDe from '../src/i18n/security/de.json';
import securityEn from '../src/i18n/security/en.json';
import securityRu from '../src/i18n/security/ru.json';
import sellingDe from '../src/i18n/selling/de.json';
import sellingEn from '../src/i18n/selling/en.json';
import sellingRu from '../src/i18n/selling/ru.json';
import { linkParts, mayLink } from '../src/messages/text';
import { bandText } from '../src/results/attributeFilter';

beforeAll(async () => {
  await Promise.all([loadMessages('de'), loadMessages('ru')]);
});
afterEach(() => {
  language.value = 'en';
});

const stem = (key: string): string => key.replace(/\.(one|few|many|other)$/, '');
const names = (text: string): string[] =>
  [...text.matchAll(/\{(\w+)\}/g)].map((found) => found[1] ?? '').sort();

describe('messages', () => {
  it.each([
    ['de', en, de],
    ['ru', en, ru],
    ['de', consoleEn, consoleDe],
    ['ru', consoleEn, consoleRu],
    ['de', inboxEn, inboxDe],
    ['ru', inboxEn, inboxRu],
    ['de', mapEn, mapDe],
    ['ru', mapEn, mapRu],
    ['de', sellingEn, sellingDe],
    ['ru', sellingEn, sellingRu],
    ['de', securityEn, securityDe],
    ['ru', securityEn, securityRu],
  ] as [string, Record<string, string>, Record<string, string>][])(
    'are there in each language, with the same values: %s',
    (language, all, messages) => {
      const missing = Object.keys(all).filter((key) => !(key in messages));
      expect(missing, language).toEqual([]);
      for (const [key, text] of Object.entries(messages)) {
        const english = all[key] ?? all[`${stem(key)}.other`];
        expect(english, `${language} ${key}`).toBeDefined();
        expect(
          names(text).filter((name) => name !== 'count'),
          `${language} ${key}`,
        ).toEqual(names(english ?? '').filter((name) => name !== 'count'));
      }
    },
  );

  it('count as each language does', async () => {
    await loadMessages('ru');
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
  const EUR = { code: 'EUR', decimals: 0 };
  expect(formatPrice(1250, 'fixed', { code: 'CHF', decimals: 2 })).toBe('CHF\u00a012.50');
  expect(formatPrice(1200, 'fixed', EUR)).toBe('€1,200');
  expect(formatPrice(1200, 'negotiable', EUR)).toBe('€1,200, negotiable');
  expect(formatPrice(1200, 'free', EUR)).toBe('Free');
});

it('ages are told in words', () => {
  const now = Date.UTC(2026, 5, 15, 12);
  expect(formatAge(now - 20_000, now)).toBe('just now');
  expect(formatAge(now - 3 * 3_600_000, now)).toBe('3 hours ago');
  expect(formatAge(now - 40 * 86_400_000, now)).toBe('last month');
});

it('faults are told in words, those without as the service does', async () => {
  await loadMessages('de');
  const fault = {
    at: '/price',
    code: 'out-of-range',
    detail: 'must be …',
    values: { minimum: 0, maximum: 2000 },
  };
  expect(fieldText(fault)).toBe('Choose a value from 0 to 2,000.');
  expect(fieldText({ ...fault, values: { minimum: 0 } })).toBe('0 or more, please.');
  expect(fieldText({ ...fault, code: 'new-kind' })).toBe('must be …');
  expect(fieldText({ ...fault, code: 'wrong-format', values: {} })).toBe('must be …');
  language.value = 'de';
  expect(fieldText({ ...fault, code: 'wrong-type', values: { type: 'integer' } })).toBe(
    'Bitte eine ganze Zahl, zum Beispiel 12.',
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

it('bands are named by their ends', () => {
  const euros = (amount: number): string => `€${amount}`;
  expect(bandText({ min: 0, max: 49 }, euros)).toBe('up to €49');
  expect(bandText({ min: 50, max: 99 }, euros)).toBe('€50 – €99');
  expect(bandText({ min: 2007, max: 2007 }, String)).toBe('2007');
  expect(bandText({ min: 500, max: null }, euros)).toBe('from €500');
});

it('texts are split at their links, and only accounts older than a week have any', () => {
  expect(linkParts('See https://a.example/b?c=d, (http://e.example). x')).toEqual([
    'See ',
    'https://a.example/b?c=d',
    ', (',
    'http://e.example',
    '). x',
  ]);
  expect(linkParts('javascript:alert(1) https:// data:x')).toEqual(['javascript:alert(1) https:// data:x']);
  const other = { id: 1, firstName: '', image: null, since: Date.now() };
  expect(mayLink(other)).toBe(false);
  expect(mayLink({ ...other, since: Date.now() - 8 * 86_400_000 })).toBe(true);
  expect(mayLink(null)).toBe(false);
});

it('sessions are named as people name browsers', () => {
  const chrome =
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36';
  expect(browserName(chrome)).toBe('Chrome, Linux');
  expect(browserName('curl/8')).toBe('curl/8');
});

describe('the editor of categories', () => {
  it('has options as they are, whatever their labels contain, and sends none that are empty', () => {
    const options = [
      { value: 'gas', label: 'LPG; CNG = gas', labels: { ru: 'Газ' } },
      { value: 'diesel', label: 'Diesel', labels: {} },
    ];
    const attribute = {
      name: 'fuel',
      type: 'enum',
      options,
      inherited: false,
    } as Category['attributes'][number];
    const form = categoryForm({ slug: 'cars', parent: null, name: 'Cars', attributes: [attribute] } as never);
    const [shown] = form.attributes;
    shown?.options.push({ key: 'x', value: ' ', label: '', labels: { de: '' } });
    shown?.options.push({ key: 'y', value: 'other', label: '', labels: { de: ' Andere ' } });
    expect(definition(form, null).attributes?.[0]?.options).toEqual([
      ...options,
      { value: 'other', label: 'other', labels: { de: 'Andere' } },
    ]);
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

  it('finds what a file would change, in an order in which it can be done', () => {
    const one = (slug: string, parent: string | null, count: number, name = slug): Category =>
      ({
        slug,
        parent,
        count,
        name,
        names: {},
        synonyms: {},
        position: 0,
        attributes: [],
      }) as unknown as Category;
    const known = [
      one('home', null, 3),
      one('sofas', 'home', 3),
      one('old', null, 0),
      one('older', 'old', 0),
    ];
    const defined = read(
      JSON.stringify({
        categories: [
          { slug: 'beds', name: 'Beds', parent: 'sleep' },
          { slug: 'sleep', name: 'Sleep' },
          { slug: 'home', name: 'House', names: {}, attributes: [] },
        ],
      }),
    );
    expect(
      differences(known, defined ?? []).map(({ kind, slug, members, inUse }) => [kind, slug, members, inUse]),
    ).toEqual([
      ['added', 'sleep', [], false],
      ['changed', 'home', ['name'], false],
      ['added', 'beds', [], false],
      ['removed', 'older', [], false],
      ['removed', 'old', [], false],
      ['removed', 'sofas', [], true],
    ]);
    expect(read('{"categories": [{"slug": 1, "name": "x"}]}')).toBe(null);
    expect(isSame(one('a', null, 1), one('a', null, 2))).toBe(true);
    expect(isSame(one('a', null, 1), one('a', null, 1, 'b'))).toBe(false);
  });
});
