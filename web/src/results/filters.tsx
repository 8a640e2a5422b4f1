/** What a search can be narrowed by: made from the category's attributes and from what is counted. */
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { AdFacets, Category } from '../data/client';
import { currency } from '../data/site';
import { t } from '../i18n';
import { formatMoney, formatNumber } from '../i18n/format';
import { PRICE_TYPES, type Search } from './address';
import { AttributeFilter } from './attributeFilter';
import { CategoryTree } from './categoryTree';
import { NearFilter } from './nearFilter';

export interface FilterProps {
  search: Search;
  onChange: (search: Search) => void;
}

export function Filters({
  search,
  onChange,
  categories,
  category,
  facets,
}: FilterProps & {
  categories: Category[];
  category: Category | undefined;
  facets: AdFacets | undefined;
}): JSX.Element {
  const attributes = category?.attributes.filter((attribute) => attribute.filterable) ?? [];
  return (
    <>
      <CategoryTree {...{ search, categories, category, facets }} />
      <PriceFilter {...{ search, onChange, facets }} />
      <NearFilter {...{ search, onChange }} />
      {attributes.map((attribute) => (
        <AttributeFilter key={attribute.name} {...{ search, onChange, attribute, facets }} />
      ))}
    </>
  );
}

function PriceFilter({
  search,
  onChange,
  facets,
}: FilterProps & { facets: AdFacets | undefined }): JSX.Element {
  const bands = facets?.prices ?? [];
  return (
    <fieldset>
      <legend>{t('filter.price', { currency: currency.value })}</legend>
      <Range
        from={search.minPrice}
        to={search.maxPrice}
        onChange={(minPrice, maxPrice) => onChange({ ...search, minPrice, maxPrice })}
      />
      {bands.length > 1 && (
        <ul class="bands">
          {bands.map((band) => (
            <li key={band.min}>
              <button
                type="button"
                class="plain"
                onClick={() =>
                  onChange({
                    ...search,
                    minPrice: String(band.min),
                    maxPrice: band.max === null ? '' : String(band.max),
                  })
                }
              >
                {band.max === null
                  ? t('filter.from', { value: formatMoney(band.min, currency.value) })
                  : `${formatMoney(band.min, currency.value)} – ${formatMoney(band.max, currency.value)}`}{' '}
                <span class="count">{formatNumber(band.count)}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
      <label class="row">
        <span>{t('filter.terms')}</span>
        <select
          value={search.priceType}
          onChange={(event) => {
            const chosen = PRICE_TYPES.find((type) => type === event.currentTarget.value) ?? '';
            onChange({ ...search, priceType: chosen });
          }}
        >
          <option value="">{t('filter.any')}</option>
          {PRICE_TYPES.map((type) => (
            <option key={type} value={type} selected={type === search.priceType}>
              {t(`priceType.${type}`)}
            </option>
          ))}
        </select>
      </label>
    </fieldset>
  );
}

const REST = 600;
const WHOLE = /^\d*$/;
const DECIMAL = /^-?\d*(\.\d*)?$/;

/** Two numbers, either of which may be left out. It counts when somebody has stopped typing. */
export function Range({
  from,
  to,
  onChange,
  unit,
  decimal = false,
}: {
  from: string;
  to: string;
  onChange: (from: string, to: string) => void;
  unit?: string | undefined;
  decimal?: boolean;
}): JSX.Element {
  const [typed, setTyped] = useState([from, to] as const);
  useEffect(() => setTyped([from, to]), [from, to]);
  useEffect(() => {
    const [typedFrom, typedTo] = typed;
    if (typedFrom === from && typedTo === to) return;
    const timer = setTimeout(() => onChange(typedFrom, typedTo), REST);
    return () => clearTimeout(timer);
  }, [typed]);
  const pattern = decimal ? DECIMAL : WHOLE;
  const input = (
    value: string,
    label: string,
    take: (value: string) => readonly [string, string],
  ): JSX.Element => (
    <input
      type="text"
      inputMode={decimal ? 'decimal' : 'numeric'}
      maxLength={10}
      aria-label={label}
      placeholder={label}
      value={value}
      onInput={(event) => {
        const given = event.currentTarget.value.replace(',', '.');
        if (pattern.test(given)) setTyped(take(given));
        else event.currentTarget.value = value;
      }}
    />
  );
  return (
    <div class="range">
      {input(typed[0], t('filter.fromLabel'), (value) => [value, typed[1]])}
      <span aria-hidden="true">–</span>
      {input(typed[1], t('filter.toLabel'), (value) => [typed[0], value])}
      {unit && <span class="unit">{unit}</span>}
    </div>
  );
}
