/** Filters on a phone: chips in one row, and all of them in a sheet that comes from below. */
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { AdFacets, Category, CategoryAttribute } from '../data/client';
import { Icon } from '../elements/icon';
import { announce } from '../elements/notice';
import { afterPaint, Sheet } from '../elements/sheet';
import { named, t } from '../i18n';
import { ActiveFilters, activeFilters } from './activeFilters';
import { countFilters, type FilterProps, withoutFilters } from './address';
import { Filters } from './filters';
import { locate, NEAREST } from './nearFilter';

const WIDE = '(min-width: 60rem)';

/** Whether filters have a column of their own. */
export function useWide(): boolean {
  const [wide, setWide] = useState(() => matchMedia(WIDE).matches);
  useEffect(() => {
    const query = matchMedia(WIDE);
    const follow = (): void => setWide(query.matches);
    query.addEventListener('change', follow);
    return () => query.removeEventListener('change', follow);
  }, []);
  return wide;
}

type Props = FilterProps & {
  categories: Category[];
  category: Category | undefined;
  facets: AdFacets | undefined;
};

export function PhoneFilters(props: Props): JSX.Element {
  const { search, onChange, category } = props;
  /** The filter that the sheet begins with; empty for the first one, null while it is closed. */
  const [begins, setBegins] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const count = countFilters(search);
  const used = new Set(activeFilters(search, category).map(({ key }) => key));

  async function near(): Promise<void> {
    setBusy(true);
    const found = await locate();
    setBusy(false);
    if (typeof found !== 'string') return onChange({ ...search, ...NEAREST, near: found.point, place: '' });
    announce(found);
    setBegins('near');
  }

  return (
    <div class="quick">
      <button type="button" class="chip" aria-haspopup="dialog" onClick={() => setBegins('')}>
        <Icon name="filter" />
        {count > 0 ? t('results.filtersOn', { count }) : t('results.filters')}
      </button>
      <ActiveFilters {...{ search, onChange, category }} />
      {!used.has('price') && (
        <button type="button" class="chip" aria-haspopup="dialog" onClick={() => setBegins('price')}>
          {t('filter.priceChip')}
        </button>
      )}
      {!used.has('near') && (
        <button type="button" class="chip" disabled={busy} onClick={() => void near()}>
          {t(busy ? 'near.locating' : 'near.me')}
        </button>
      )}
      {chipAttributes(category)
        .filter(({ name }) => !used.has(`attr-${name}`))
        .map(({ name, label, labels }) => (
          <button
            key={name}
            type="button"
            class="chip"
            aria-haspopup="dialog"
            onClick={() => setBegins(name)}
          >
            {named(label ?? name, labels)}
          </button>
        ))}
      {begins !== null && <FilterSheet {...props} begins={begins} onClose={() => setBegins(null)} />}
    </div>
  );
}

const CHIPS = 3;

/** The condition goes first: in every category it is what most people look for. */
function chipAttributes(category: Category | undefined): CategoryAttribute[] {
  const offered = category?.attributes.filter(({ filterable, type }) => filterable && type === 'enum') ?? [];
  const condition = offered.filter(({ name }) => name === 'condition');
  return [...condition, ...offered.filter(({ name }) => name !== 'condition')].slice(0, CHIPS);
}

/** Each change is a search at once, so that the button has its number and the list behind is right. */
function FilterSheet({
  begins,
  onClose,
  ...filters
}: Props & { begins: string; onClose: () => void }): JSX.Element {
  const { search, onChange, facets } = filters;
  return (
    <Sheet
      title={t('results.filters')}
      begins={begins && `[data-filter="${begins}"]`}
      onClose={onClose}
      footer={(close) => (
        <>
          {countFilters(search) > 0 && (
            <button type="button" onClick={() => onChange(withoutFilters(search))}>
              {t('filter.clear')}
            </button>
          )}
          <button type="button" class="primary" aria-live="polite" onClick={close}>
            {found(facets)}
          </button>
        </>
      )}
    >
      {() => (
        <div class="filters">
          <Filters {...filters} onChange={(next) => void afterPaint(() => onChange(next))} />
        </div>
      )}
    </Sheet>
  );
}

function found(facets: AdFacets | undefined): string {
  if (!facets) return t('filter.showPlain');
  return t(facets.countExact ? 'filter.show' : 'filter.showMoreThan', { count: facets.count });
}
