import type { JSX } from 'preact';
import { newKey } from '../data/action';
import { Check, Select, TextField } from '../elements/field';
import { tiesOf } from '../elements/fields';
import { Icon } from '../elements/icon';
import { t } from '../i18n';
import { type AttributeForm, type OptionForm, TYPES } from './definition';
import { LanguageTabs } from './languageTabs';

const SWITCHES = ['required', 'filterable', 'facetable'] as const;

export function AttributeEditor({
  attribute,
  onChange,
  onRemove,
  error,
}: {
  attribute: AttributeForm;
  onChange: (attribute: AttributeForm) => void;
  onRemove: () => void;
  error: (name: string) => string | undefined;
}): JSX.Element {
  const change = (part: Partial<AttributeForm>): void => onChange({ ...attribute, ...part });
  const tie = tiesOf(attribute, change, error);
  const number = attribute.type === 'integer' || attribute.type === 'number';
  return (
    <fieldset class="panel attribute-editor">
      <legend>{attribute.label || attribute.name || t('admin.newAttribute')}</legend>
      <div class="grid">
        <TextField label={t('admin.attributeName')} {...tie('name')} />
        <Select
          label={t('admin.type')}
          {...tie('type')}
          choices={TYPES.map((value) => ({ value, label: t(`admin.type.${value}`) }))}
        />
        {number && <TextField label={t('admin.unit')} {...tie('unit')} />}
        {number && <TextField label={t('admin.minimum')} {...tie('minimum')} />}
        {number && <TextField label={t('admin.maximum')} {...tie('maximum')} />}
      </div>
      <LanguageTabs others={attribute.labels}>
        {(tag, isMain) => (
          <>
            <TextField
              label={t('admin.labelIn')}
              value={isMain ? attribute.label : (attribute.labels[tag] ?? '')}
              onValue={(value) =>
                change(isMain ? { label: value } : { labels: { ...attribute.labels, [tag]: value } })
              }
              error={error(isMain ? 'label' : `labels/${tag}`) ?? error('labels')}
            />
            {attribute.type === 'enum' && (
              <Options
                options={attribute.options}
                tag={isMain ? null : tag}
                onChange={(options) => change({ options })}
                error={error}
              />
            )}
          </>
        )}
      </LanguageTabs>
      {SWITCHES.map((name) => (
        <Check
          key={name}
          label={t(`admin.${name}`)}
          {...tie(name)}
          disabled={attribute.type === 'string' && name !== 'required'}
        />
      ))}
      <button type="button" class="plain" onClick={onRemove}>
        {t('admin.removeAttribute')}
      </button>
    </fieldset>
  );
}

/** What can be chosen, in this order; the labels are those of one language. */
function Options({
  options,
  tag,
  onChange,
  error,
}: {
  options: readonly OptionForm[];
  /** null for the site's own language. */
  tag: string | null;
  onChange: (options: OptionForm[]) => void;
  error: (name: string) => string | undefined;
}): JSX.Element {
  const change = (index: number, changed: Partial<OptionForm>): void => {
    const option = options[index];
    if (option) onChange(options.with(index, { ...option, ...changed }));
  };
  return (
    <fieldset class="options">
      <legend>{t('admin.options')}</legend>
      {error('options') && <p class="error">{error('options')}</p>}
      <ol>
        {options.map((option, index) => {
          const { value, label, labels } = option;
          const name = label || value || t('admin.newOption');
          return (
            <li key={option.key}>
              <TextField
                label={t('admin.attributeName')}
                value={value}
                onValue={(next) => change(index, { value: next })}
                error={error(`options/${index}/value`)}
              />
              <TextField
                label={t('admin.labelIn')}
                value={tag === null ? label : (labels[tag] ?? '')}
                onValue={(next) =>
                  change(index, tag === null ? { label: next } : { labels: { ...labels, [tag]: next } })
                }
                error={error(`options/${index}/${tag === null ? 'label' : `labels/${tag}`}`)}
              />
              <button
                type="button"
                class="plain"
                disabled={index === 0}
                aria-label={t('admin.optionUp', { name })}
                onClick={() => onChange(options.toSpliced(index, 1).toSpliced(index - 1, 0, option))}
              >
                <Icon name="up" />
              </button>
              <button
                type="button"
                class="plain"
                aria-label={t('admin.removeOption', { name })}
                onClick={() => onChange(options.toSpliced(index, 1))}
              >
                <Icon name="close" />
              </button>
            </li>
          );
        })}
      </ol>
      <button
        type="button"
        onClick={() => onChange([...options, { key: newKey(), value: '', label: '', labels: {} }])}
      >
        {t('admin.newOption')}
      </button>
    </fieldset>
  );
}
