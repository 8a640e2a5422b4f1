import type { JSX } from 'preact';
import { Select, TextArea, TextField } from '../elements/field';
import { t } from '../i18n';
import { type AttributeForm, TYPES } from './definition';

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
  const set = <Name extends keyof AttributeForm>(name: Name, value: AttributeForm[Name]): void =>
    onChange({ ...attribute, [name]: value });
  const text = (name: 'name' | 'label' | 'unit' | 'minimum' | 'maximum', label: string): JSX.Element => (
    <TextField
      label={label}
      value={attribute[name]}
      onValue={(value) => set(name, value)}
      error={error(name)}
    />
  );
  const number = attribute.type === 'integer' || attribute.type === 'number';
  return (
    <fieldset class="attribute-editor">
      <legend>{attribute.label || attribute.name || t('admin.newAttribute')}</legend>
      <div class="grid">
        {text('name', t('admin.attributeName'))}
        {text('label', t('admin.label'))}
        <Select
          label={t('admin.type')}
          value={attribute.type}
          onValue={(value) => set('type', TYPES.find((type) => type === value) ?? 'string')}
          choices={TYPES.map((value) => ({ value, label: t(`admin.type.${value}`) }))}
          error={error('type')}
        />
        {number && text('unit', t('admin.unit'))}
        {number && text('minimum', t('admin.minimum'))}
        {number && text('maximum', t('admin.maximum'))}
      </div>
      <TextArea
        label={t('admin.labels')}
        value={attribute.labels}
        onValue={(value) => set('labels', value)}
        rows={2}
        hint={t('admin.namesHint')}
        error={error('labels')}
      />
      {attribute.type === 'enum' && (
        <TextArea
          label={t('admin.options')}
          value={attribute.options}
          onValue={(value) => set('options', value)}
          rows={5}
          hint={t('admin.optionsHint')}
          error={error('options')}
        />
      )}
      {SWITCHES.map((name) => (
        <label class="check" key={name}>
          <input
            type="checkbox"
            checked={attribute[name]}
            disabled={attribute.type === 'string' && name !== 'required'}
            onChange={(event) => set(name, event.currentTarget.checked)}
          />
          <span>{t(`admin.${name}`)}</span>
        </label>
      ))}
      <button type="button" class="plain" onClick={onRemove}>
        {t('admin.removeAttribute')}
      </button>
    </fieldset>
  );
}
