import type { JSX } from 'preact';
import type { Category, CategoryAttribute } from '../data/client';
import { named, t } from '../i18n';
import { formatDay, formatNumber } from '../i18n/format';

export function Attributes({
  values,
  category,
}: {
  values: Record<string, unknown>;
  category: Category | undefined;
}): JSX.Element | null {
  // Attributes that the category no longer defines are not shown: their meaning is unknown.
  const shown = category?.attributes.filter((attribute) => values[attribute.name] !== undefined) ?? [];
  if (shown.length === 0) return null;
  return (
    <section aria-labelledby="attributes">
      <h2 id="attributes">{t('ad.attributes')}</h2>
      <dl class="attributes">
        {shown.map((attribute) => (
          <div key={attribute.name}>
            <dt>{named(attribute.label ?? attribute.name, attribute.labels)}</dt>
            <dd dir="auto">{valueText(attribute, values[attribute.name])}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

export function valueText(attribute: CategoryAttribute, value: unknown): string {
  if (typeof value === 'boolean') return t(value ? 'value.yes' : 'value.no');
  if (typeof value === 'number') {
    // Without a unit it may be a year, which has no separators.
    return attribute.unit ? `${formatNumber(value)} ${attribute.unit}` : String(value);
  }
  const text = String(value);
  if (attribute.type === 'date') return formatDay(text);
  const option = attribute.options?.find((one) => one.value === text);
  return option ? named(option.label ?? text, option.labels) : text;
}
