/** A category as its form shows it: lines of text where the record has lists. */
import type { Category, CategoryAttribute, CategoryDefinition } from '../data/client';

export const TYPES = ['string', 'integer', 'number', 'boolean', 'enum', 'date'] as const;
export type AttributeKind = (typeof TYPES)[number];

export interface AttributeForm {
  key: string;
  name: string;
  label: string;
  labels: string;
  type: AttributeKind;
  unit: string;
  minimum: string;
  maximum: string;
  options: string;
  required: boolean;
  filterable: boolean;
  facetable: boolean;
}

export interface CategoryForm {
  slug: string;
  name: string;
  names: string;
  parent: string;
  position: string;
  attributes: AttributeForm[];
}

/** `de: Autos` on a line each. */
export function writeNames(names: Record<string, string> | undefined): string {
  return Object.entries(names ?? {})
    .map(([tag, name]) => `${tag}: ${name}`)
    .join('\n');
}

export function readNames(text: string): Record<string, string> {
  const names: Record<string, string> = {};
  for (const line of text.split('\n')) {
    const [, tag, name] = /^\s*([A-Za-z0-9-]+)\s*:\s*(.+?)\s*$/.exec(line) ?? [];
    if (tag && name) names[tag] = name;
  }
  return names;
}

type Option = NonNullable<CategoryAttribute['options']>[number];

/** `diesel = Diesel; de: Diesel; ru: Дизель` on a line each. */
export function writeOptions(options: readonly Option[] | undefined): string {
  return (options ?? [])
    .map(({ value, label, labels }) => {
      const others = Object.entries(labels ?? {}).map(([tag, text]) => `; ${tag}: ${text}`);
      return `${value} = ${label ?? value}${others.join('')}`;
    })
    .join('\n');
}

export function readOptions(text: string): Option[] {
  const options: Option[] = [];
  for (const line of text.split('\n').filter((one) => one.trim())) {
    const [first = '', ...others] = line.split(';');
    const [value = '', label = value] = first.split('=').map((part) => part.trim());
    options.push({ value, label, labels: readNames(others.join('\n')) });
  }
  return options;
}

function attributeForm(attribute: CategoryAttribute): AttributeForm {
  return {
    key: attribute.name,
    name: attribute.name,
    label: attribute.label ?? '',
    labels: writeNames(attribute.labels),
    type: attribute.type,
    unit: attribute.unit ?? '',
    minimum: attribute.minimum === null || attribute.minimum === undefined ? '' : String(attribute.minimum),
    maximum: attribute.maximum === null || attribute.maximum === undefined ? '' : String(attribute.maximum),
    options: writeOptions(attribute.options),
    required: attribute.required ?? false,
    filterable: attribute.filterable ?? false,
    facetable: attribute.facetable ?? false,
  };
}

export function emptyAttribute(key: string): AttributeForm {
  return {
    key,
    name: '',
    label: '',
    labels: '',
    type: 'string',
    unit: '',
    minimum: '',
    maximum: '',
    options: '',
    required: false,
    filterable: false,
    facetable: false,
  };
}

export function categoryForm(category: Category | null): CategoryForm {
  return {
    slug: category?.slug ?? '',
    name: category?.name ?? '',
    names: writeNames(category?.names),
    parent: category?.parent ?? '',
    position: String(category?.position ?? 0),
    attributes: category?.attributes.filter((one) => !one.inherited).map(attributeForm) ?? [],
  };
}

/** The record for `PUT`. Members without a field, such as the longest text, stay as they were. */
export function definition(form: CategoryForm, before: Category | null): CategoryDefinition {
  return {
    name: form.name,
    names: readNames(form.names),
    parent: form.parent || null,
    position: Number(form.position) || 0,
    attributes: form.attributes.map((attribute) =>
      attributeDefinition(
        attribute,
        before?.attributes.find((one) => one.name === attribute.name),
      ),
    ),
  };
}

type AttributeDefinition = NonNullable<CategoryDefinition['attributes']>[number];

function attributeDefinition(form: AttributeForm, known: CategoryAttribute | undefined): AttributeDefinition {
  const text = form.type === 'string';
  return {
    name: form.name.trim(),
    label: form.label.trim() || null,
    labels: readNames(form.labels),
    type: form.type,
    ...numberDefinition(form),
    maxLength: text ? (known?.maxLength ?? null) : null,
    options: form.type === 'enum' ? readOptions(form.options) : [],
    required: form.required,
    filterable: !text && form.filterable,
    facetable: !text && form.facetable,
  };
}

function numberDefinition(form: AttributeForm): Pick<AttributeDefinition, 'unit' | 'minimum' | 'maximum'> {
  if (form.type !== 'integer' && form.type !== 'number') return { unit: null, minimum: null, maximum: null };
  const bound = (text: string): number | null => (text.trim() ? Number(text) : null);
  return { unit: form.unit.trim() || null, minimum: bound(form.minimum), maximum: bound(form.maximum) };
}
