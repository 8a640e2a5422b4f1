import type { JSX } from 'preact';
import type { AdFacets, CategoryAttribute } from '../data/client';
import { Range } from '../elements/field';
import { named, t } from '../i18n';
import { formatNumber } from '../i18n/format';
import { ends, type FilterProps, range, withAttribute } from './address';

type Props = FilterProps & { attribute: CategoryAttribute; facets: AdFacets | undefined };

const SHOWN = 8;

export function AttributeFilter(props: Props): JSX.Element | null {
  const { attribute } = props;
  const label = named(attribute.label ?? attribute.name, attribute.labels);
  let control: JSX.Element | null = null;
  if (attribute.type === 'enum') control = <Options {...props} />;
  else if (attribute.type === 'boolean') control = <YesOrNo {...props} />;
  else if (attribute.type === 'integer' || attribute.type === 'number') control = <Numbers {...props} />;
  else if (attribute.type === 'date') control = <Dates {...props} />;
  return (
    control && (
      <fieldset data-filter={attribute.name} tabIndex={-1}>
        <legend>{label}</legend>
        {control}
      </fieldset>
    )
  );
}

function Options({ search, onChange, attribute, facets }: Props): JSX.Element {
  const chosen = new Set((search.attributes[attribute.name] ?? '').split('|').filter(Boolean));
  const counted = facets?.attributes[attribute.name];
  const counts = new Map(counted?.map((one) => [String(one.value), one.count]));
  const options = (attribute.options ?? [])
    .map((option) => ({
      value: option.value,
      label: named(option.label ?? option.value, option.labels),
      count: counted ? (counts.get(option.value) ?? 0) : null,
    }))
    .filter((option) => option.count !== 0 || chosen.has(option.value));
  const toggle = (value: string): void => {
    const next = new Set(chosen);
    if (!next.delete(value)) next.add(value);
    onChange(withAttribute(search, attribute.name, [...next].join('|')));
  };
  const box = (option: (typeof options)[number]): JSX.Element => (
    <label class="check" key={option.value}>
      <input type="checkbox" checked={chosen.has(option.value)} onChange={() => toggle(option.value)} />
      <span>{option.label}</span>
      {option.count !== null && <span class="count">{formatNumber(option.count)}</span>}
    </label>
  );
  const first = options.filter((option, index) => index < SHOWN || chosen.has(option.value));
  const rest = options.filter((option) => !first.includes(option));
  return (
    <>
      {first.map(box)}
      {rest.length > 0 && (
        <details>
          <summary>{t('filter.more', { count: rest.length })}</summary>
          {rest.map(box)}
        </details>
      )}
      {options.length === 0 && <p class="faint">{t('filter.nothing')}</p>}
    </>
  );
}

function YesOrNo({ search, onChange, attribute }: Props): JSX.Element {
  return (
    <select
      aria-label={named(attribute.label ?? attribute.name, attribute.labels)}
      value={search.attributes[attribute.name] ?? ''}
      onChange={(event) => onChange(withAttribute(search, attribute.name, event.currentTarget.value))}
    >
      <option value="">{t('filter.any')}</option>
      <option value="true">{t('value.yes')}</option>
      <option value="false">{t('value.no')}</option>
    </select>
  );
}

function Numbers({ search, onChange, attribute, facets }: Props): JSX.Element {
  const [from, to] = ends(search.attributes[attribute.name]);
  const bands = (facets?.attributes[attribute.name] ?? []).filter((band) => band.min !== undefined);
  const show = attribute.unit ? formatNumber : String;
  return (
    <>
      <Range
        from={from}
        to={to}
        unit={attribute.unit ?? undefined}
        decimal={attribute.type === 'number'}
        onChange={(lower, upper) => onChange(withAttribute(search, attribute.name, range(lower, upper)))}
      />
      {bands.length > 1 && (
        <ul class="bands">
          {bands.map((band) => (
            <li key={band.min}>
              <button
                type="button"
                class="plain"
                onClick={() =>
                  onChange(
                    withAttribute(search, attribute.name, range(String(band.min), String(band.max ?? ''))),
                  )
                }
              >
                {bandText(band, show)} <span class="count">{formatNumber(band.count)}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

/** A band from its lowest number to its highest, which may be one number. */
export function bandText(
  { min, max }: { min?: number | null; max?: number | null },
  show: (value: number) => string,
): string {
  const from = show(min ?? 0);
  if (max === undefined || max === null) return t('filter.from', { value: from });
  if (min === 0 && max > 0) return t('filter.upTo', { value: show(max) });
  return max === min ? from : `${from} – ${show(max)}`;
}

function Dates({ search, onChange, attribute }: Props): JSX.Element {
  const [from, to] = ends(search.attributes[attribute.name]);
  const date = (value: string, label: string, take: (value: string) => string): JSX.Element => (
    <input
      type="date"
      aria-label={label}
      value={value}
      onChange={(event) => onChange(withAttribute(search, attribute.name, take(event.currentTarget.value)))}
    />
  );
  return (
    <div class="range">
      {date(from, t('filter.fromLabel'), (value) => range(value, to))}
      {date(to, t('filter.toLabel'), (value) => range(from, value))}
    </div>
  );
}
