/** The filters of a search, made from the category's attributes and from facets. */
import type { JSX } from 'preact';
import type { AdFacets, Category } from '../data/client';
import { currency } from '../data/site';
import { Range } from '../elements/field';
import { t } from '../i18n';
import { formatMoney, formatNumber } from '../i18n/format';
import { type FilterProps, PRICE_TYPES } from './address';
import { AttributeFilter, bandText } from './attributeFilter';
import { CategoryTree } from './categoryTree';
import { NearFilter } from './nearFilter';

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
      <NearFilter {...{ search, onChange }} />
      <PriceFilter {...{ search, onChange, facets }} />
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
  // Without a price there are the terms below.
  const bands = (facets?.prices ?? []).filter(({ max }) => max !== 0);
  return (
    <fieldset data-filter="price" tabIndex={-1}>
      <legend>{t('filter.price', { currency: currency.value.code })}</legend>
      <Range
        from={search.minPrice}
        to={search.maxPrice}
        decimals={currency.value.decimals}
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
                {bandText(band, (amount) => formatMoney(amount, currency.value))}{' '}
                <span class="count">{formatNumber(band.count)}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
      <label class="labelled">
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
