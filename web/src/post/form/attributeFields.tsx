/** Fields made from the JSON Schema of a category; its labels in the reader's language are those of the category. */
import type { JSX } from 'preact';
import type { Category, CategoryAttribute } from '../../data/client';
import { errorAt, type Fault } from '../../data/fault';
import { fieldText } from '../../data/faultText';
import { Select, TextField } from '../../elements/field';
import { named, t } from '../../i18n';
import { formatNumber } from '../../i18n/format';
import type { Property } from './schema';
import { fieldId } from './summary';
import type { AdForm } from './toRequest';

export function AttributeFields({
  category,
  properties,
  form,
  onChange,
  fault,
}: {
  category: Category;
  properties: Property[];
  form: AdForm;
  onChange: (form: AdForm) => void;
  fault: Fault | null;
}): JSX.Element | null {
  if (properties.length === 0) return null;
  const general = errorAt(fault, '/attributes');
  return (
    <fieldset class="panel attributes-form" id={fieldId('/attributes')}>
      <legend>{named(category.name, category.names)}</legend>
      {general && <p class="error">{fieldText(general)}</p>}
      <div class="grid">
        {properties.map((property) => {
          const error = errorAt(fault, `/attributes/${property.name}`);
          return (
            <AttributeField
              key={property.name}
              property={property}
              attribute={category.attributes.find((one) => one.name === property.name)}
              value={form.attributes[property.name] ?? ''}
              error={error && fieldText(error)}
              onValue={(value) =>
                onChange({ ...form, attributes: { ...form.attributes, [property.name]: value } })
              }
            />
          );
        })}
      </div>
    </fieldset>
  );
}

interface FieldProps {
  property: Property;
  attribute: CategoryAttribute | undefined;
  value: string;
  error: string | undefined;
  onValue: (value: string) => void;
}

function AttributeField({ property, attribute, value, error, onValue }: FieldProps): JSX.Element {
  const label = attribute ? named(attribute.label ?? property.title, attribute.labels) : property.title;
  const common = {
    id: fieldId(`/attributes/${property.name}`),
    label,
    value,
    onValue,
    error,
    optional: !property.required,
  };
  if (property.options || property.type === 'boolean') {
    return (
      <Select
        {...common}
        choices={[{ value: '', label: t('form.choose') }, ...choicesOf(property, attribute)]}
      />
    );
  }
  if (property.format === 'date') return <TextField {...common} type="date" />;
  if (property.type === 'string') return <TextField {...common} maxLength={property.maxLength} />;
  return (
    <TextField
      {...common}
      inputMode={property.type === 'integer' ? 'numeric' : 'decimal'}
      maxLength={20}
      unit={property.unit}
      hint={boundsOf(property)}
    />
  );
}

function choicesOf(
  property: Property,
  attribute: CategoryAttribute | undefined,
): { value: string; label: string }[] {
  if (!property.options) {
    return [
      { value: 'true', label: t('value.yes') },
      { value: 'false', label: t('value.no') },
    ];
  }
  return property.options.map((value) => {
    const option = attribute?.options?.find((one) => one.value === value);
    return { value, label: option ? named(option.label ?? value, option.labels) : value };
  });
}

/** Only of attributes with a unit: 1,900 is no year. */
function boundsOf({ minimum, maximum, unit }: Property): string | undefined {
  if (minimum === undefined || maximum === undefined) return undefined;
  const show = unit ? formatNumber : String;
  return t('form.bounds', { from: show(minimum), to: show(maximum) });
}
