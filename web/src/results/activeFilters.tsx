/** The filters in use, each with a button to remove it. */
import type { JSX } from 'preact';
import type { Category } from '../data/client';
import { currency } from '../data/site';
import { Icon } from '../elements/icon';
import { named, t } from '../i18n';
import { formatDistance, formatMoney } from '../i18n/format';
import { ends, type FilterProps, type Search, withAttribute } from './address';

interface Active {
  key: string;
  label: string;
  without: Search;
}

export function ActiveFilters({
  search,
  onChange,
  category,
}: FilterProps & { category: Category | undefined }): JSX.Element | null {
  const active = activeFilters(search, category);
  if (active.length === 0) return null;
  return (
    <ul class="chips" aria-label={t('filter.active')}>
      {active.map(({ key, label, without }) => (
        <li key={key}>
          <button
            type="button"
            onClick={() => onChange(without)}
            aria-label={t('filter.remove', { filter: label })}
          >
            {label}
            <Icon name="close" />
          </button>
        </li>
      ))}
    </ul>
  );
}

export function activeFilters(search: Search, category: Category | undefined): Active[] {
  const active: Active[] = [];
  if (search.minPrice || search.maxPrice) {
    const amount = (value: string): string => (value ? formatMoney(Number(value), currency.value) : '');
    const label = between(amount(search.minPrice), amount(search.maxPrice));
    active.push({ key: 'price', label, without: { ...search, minPrice: '', maxPrice: '' } });
  }
  if (search.priceType) {
    const label = t(`priceType.${search.priceType}`);
    active.push({ key: 'priceType', label, without: { ...search, priceType: '' } });
  }
  if (search.near) {
    const distance = formatDistance(search.radius);
    const label = search.place
      ? t('near.chip', { distance, place: search.place })
      : t('near.chipMe', { distance });
    active.push({ key: 'near', label, without: { ...search, near: '', place: '' } });
  }
  for (const [name, value] of Object.entries(search.attributes)) {
    active.push({
      key: `attr-${name}`,
      label: labelOf(category, name, value),
      without: withAttribute(search, name, ''),
    });
  }
  return active;
}

function between(from: string, to: string): string {
  if (from && to) return `${from} – ${to}`;
  return from ? t('filter.from', { value: from }) : t('filter.upTo', { value: to });
}

function labelOf(category: Category | undefined, name: string, value: string): string {
  const attribute = category?.attributes.find((one) => one.name === name);
  const label = attribute ? named(attribute.label ?? name, attribute.labels) : name;
  if (value.includes('..')) {
    const [from, to] = ends(value);
    return `${label}: ${between(from, to)}${attribute?.unit ? ` ${attribute.unit}` : ''}`;
  }
  if (attribute?.type === 'boolean') return `${label}: ${t(value === 'true' ? 'value.yes' : 'value.no')}`;
  const labels = value.split('|').map((one) => {
    const option = attribute?.options?.find((candidate) => candidate.value === one);
    return option ? named(option.label ?? one, option.labels) : one;
  });
  return `${label}: ${labels.join(', ')}`;
}
