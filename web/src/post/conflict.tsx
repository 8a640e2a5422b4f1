/** Another person has changed the same ad meanwhile: both versions, beside each other. */
import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Category } from '../data/client';
import type { Fault } from '../data/fault';
import { priceValue } from '../data/price';
import { currency } from '../data/site';
import { FaultNotice } from '../elements/notice';
import { Page } from '../elements/page';
import { named, t } from '../i18n';
import { formatMoney } from '../i18n/format';
import { labelAt } from './form/summary';
import type { AdForm } from './form/toRequest';
import { differences, overlaid } from './form/toRequest';

type Side = 'theirs' | 'yours';

export function Conflict({
  base,
  theirs,
  yours,
  categories,
  busy,
  fault,
  onSave,
}: {
  base: AdForm;
  theirs: AdForm;
  yours: AdForm;
  categories: Category[];
  busy: boolean;
  fault: Fault | null;
  onSave: (form: AdForm) => void;
}): JSX.Element {
  const names = differences(theirs, yours);
  const changedByMe = new Set(differences(base, yours));
  const [chosen, setChosen] = useState<Record<string, Side>>({});
  const side = (name: string): Side => chosen[name] ?? (changedByMe.has(name) ? 'yours' : 'theirs');
  const notice = useRef<HTMLDivElement>(null);
  useEffect(() => notice.current?.focus(), []);
  const all = (one: Side): void => setChosen(Object.fromEntries(names.map((name) => [name, one])));
  return (
    <Page title={t('conflict.title')}>
      <div class="notice" role="alert" ref={notice} tabIndex={-1}>
        <p>{t('conflict.text')}</p>
      </div>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          onSave(
            overlaid(
              theirs,
              yours,
              names.filter((name) => side(name) === 'yours'),
            ),
          );
        }}
      >
        <div class="buttons">
          <button type="button" onClick={() => all('theirs')}>
            {t('conflict.allTheirs')}
          </button>
          <button type="button" onClick={() => all('yours')}>
            {t('conflict.allYours')}
          </button>
        </div>
        {names.map((name) => (
          <fieldset class="conflict" key={name}>
            <legend>{labelOf(name, categories, yours.category)}</legend>
            {(['theirs', 'yours'] as const).map((one) => (
              <label key={one} class={side(name) === one ? 'version chosen' : 'version'}>
                <input
                  type="radio"
                  name={name}
                  checked={side(name) === one}
                  onChange={() => setChosen((now) => ({ ...now, [name]: one }))}
                />
                <span class="version-who">{t(`conflict.${one}`)}</span>
                <span class="as-written" dir="auto">
                  {textOf(one === 'theirs' ? theirs : yours, name, categories)}
                </span>
              </label>
            ))}
          </fieldset>
        ))}
        <FaultNotice fault={fault} />
        <div class="buttons">
          <button type="submit" class="primary" disabled={busy}>
            {t('form.save')}
          </button>
        </div>
      </form>
    </Page>
  );
}

function labelOf(name: string, categories: Category[], slug: string): string {
  const defined = categories.find((one) => one.slug === slug)?.attributes ?? [];
  const labels = defined.map((one) => ({ name: one.name, label: named(one.label ?? one.name, one.labels) }));
  return labelAt(`/${name}`, labels);
}

function textOf(form: AdForm, name: string, categories: Category[]): string {
  if (name.startsWith('attributes/')) return form.attributes[name.slice(11)] || '–';
  if (name === 'price') {
    const price = priceValue(form.price);
    return typeof price === 'number' ? formatMoney(price, currency.value) : price;
  }
  if (name === 'priceType') return t(`priceType.${form.priceType}`);
  if (name === 'category') {
    const category = categories.find((one) => one.slug === form.category);
    return category ? named(category.name, category.names) : '–';
  }
  if (name === 'location') return t(form.location ? 'form.located' : 'form.nowhere');
  if (name === 'title' || name === 'description' || name === 'place') return form[name] || '–';
  return '–';
}
