import type { JSX } from 'preact';
import { t } from '../i18n';
import { possibleSort, type Search, SORTS, usualSort } from './address';

export function SortChoice({
  search,
  onChange,
}: {
  search: Search;
  onChange: (search: Search) => void;
}): JSX.Element {
  const usual = usualSort(search);
  const offered = SORTS.filter(
    (sort) => (sort !== 'relevance' || search.q.trim()) && (sort !== 'distance' || search.near),
  );
  return (
    <label class="sort">
      <span aria-hidden="true">{t('sort.label')}</span>
      <select
        aria-label={t('sort.label')}
        value={possibleSort(search) || usual}
        onChange={(event) => {
          const sort = offered.find((one) => one === event.currentTarget.value) ?? '';
          onChange({ ...search, sort: sort === usual ? '' : sort });
        }}
      >
        {offered.map((sort) => (
          <option key={sort} value={sort} selected={sort === (possibleSort(search) || usual)}>
            {t(`sort.${sort}`)}
          </option>
        ))}
      </select>
    </label>
  );
}
