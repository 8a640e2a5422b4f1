/** A category as its form shows it: text where the record has numbers and lists of words. */
import type { Category, CategoryAttribute, CategoryDefinition } from '../data/client';

export const TYPES = ['string', 'integer', 'number', 'boolean', 'enum', 'date'] as const;
export type AttributeKind = (typeof TYPES)[number];

export interface OptionForm {
  key: string;
  value: string;
  label: string;
  /** By language. */
  labels: Record<string, string>;
}

export interface AttributeForm {
  key: string;
  name: string;
  label: string;
  /** By language. */
  labels: Record<string, string>;
  type: AttributeKind;
  unit: string;
  minimum: string;
  maximum: string;
  options: OptionForm[];
  required: boolean;
  filterable: boolean;
  facetable: boolean;
}

export interface CategoryForm {
  slug: string;
  name: string;
  /** By language. */
  names: Record<string, string>;
  /** By language, with commas between them. */
  synonyms: Record<string, string>;
  parent: string;
  position: string;
  icon: string;
  /** Empty for the accent of the site. */
  color: string;
  attributes: AttributeForm[];
}

type Option = NonNullable<CategoryAttribute['options']>[number];

const optionForm = ({ value, label, labels }: Option): OptionForm => ({
  key: value,
  value,
  label: label ?? value,
  labels: { ...labels },
});

/** Without those that are empty. */
const optionsOf = (forms: readonly OptionForm[]): Option[] =>
  forms
    .map(({ value, label, labels }) => ({ value: value.trim(), label: label.trim(), labels: filled(labels) }))
    .filter(({ value, label }) => value || label)
    .map(({ value, label, labels }) => ({ value, label: label || value, labels }));

function attributeForm(attribute: CategoryAttribute): AttributeForm {
  return {
    key: attribute.name,
    name: attribute.name,
    label: attribute.label ?? '',
    labels: { ...attribute.labels },
    type: attribute.type,
    unit: attribute.unit ?? '',
    minimum: attribute.minimum === null || attribute.minimum === undefined ? '' : String(attribute.minimum),
    maximum: attribute.maximum === null || attribute.maximum === undefined ? '' : String(attribute.maximum),
    options: (attribute.options ?? []).map(optionForm),
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
    labels: {},
    type: 'string',
    unit: '',
    minimum: '',
    maximum: '',
    options: [],
    required: false,
    filterable: false,
    facetable: false,
  };
}

export function categoryForm(category: Category | null): CategoryForm {
  return {
    slug: category?.slug ?? '',
    name: category?.name ?? '',
    names: { ...category?.names },
    synonyms: joined(category?.synonyms),
    parent: category?.parent ?? '',
    position: String(category?.position ?? 0),
    icon: category?.icon ?? '',
    color: category?.color ?? '',
    attributes: category?.attributes.filter((one) => !one.inherited).map(attributeForm) ?? [],
  };
}

const joined = (synonyms: Record<string, string[]> | undefined): Record<string, string> =>
  Object.fromEntries(Object.entries(synonyms ?? {}).map(([tag, list]) => [tag, list.join(', ')]));

const filled = (names: Record<string, string>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(names)
      .map(([tag, name]) => [tag, name.trim()])
      .filter(([, name]) => name),
  );

function words(synonyms: Record<string, string>): Record<string, string[]> {
  const lists = Object.entries(synonyms).map(([tag, list]): [string, string[]] => [
    tag,
    [...new Set(list.split(',').map((word) => word.trim()))].filter(Boolean),
  ]);
  return Object.fromEntries(lists.filter(([, list]) => list.length > 0));
}

/** As it is, but for its place among its siblings. */
export function placed(category: Category, position: number): CategoryDefinition {
  return { ...definition(categoryForm(category), category), position };
}

/** All categories as a file, which `adsvc categories load` takes too. */
export function written(categories: readonly Category[]): string {
  const defined = categories.map((one) => ({ slug: one.slug, ...definition(categoryForm(one), one) }));
  return `${JSON.stringify({ categories: defined }, null, 2)}\n`;
}

export type Defined = CategoryDefinition & { slug: string };

/** What such a file has, parents first; null if it is another file. The service checks the rest. */
export function read(text: string): Defined[] | null {
  try {
    const { categories } = JSON.parse(text) as { categories?: unknown };
    if (!Array.isArray(categories)) return null;
    const isText = (value: unknown): boolean => typeof value === 'string';
    const fits = (one: unknown): one is Defined => {
      if (typeof one !== 'object' || one === null) return false;
      const { slug, name, parent, attributes } = one as Record<string, unknown>;
      const isList = attributes === undefined || (Array.isArray(attributes) && attributes.every(Boolean));
      return isText(slug) && isText(name) && (parent == null || isText(parent)) && isList;
    };
    return categories.every(fits) ? parentsFirst(categories) : null;
  } catch {
    return null;
  }
}

function parentsFirst(categories: readonly Defined[]): Defined[] {
  const bySlug = new Map(categories.map((one) => [one.slug, one]));
  const depth = ({ parent }: Defined, steps = 0): number => {
    const above = parent == null || steps > categories.length ? undefined : bySlug.get(parent);
    return above ? 1 + depth(above, steps + 1) : 0;
  };
  return categories.toSorted((one, other) => depth(one) - depth(other));
}

/** What an import does to a category. */
export interface Difference {
  kind: 'added' | 'changed' | 'removed';
  slug: string;
  /** As it was when the differences were found; null if there was none. */
  before: Category | null;
  /** Null if the file lacks it. */
  after: CategoryDefinition | null;
  /** Of `changed`. */
  members: (keyof CategoryDefinition)[];
  /** Of `removed`: whether it has ads, or categories below that stay. */
  inUse: boolean;
}

const MEMBERS = ['parent', 'name', 'names', 'synonyms', 'position', 'icon', 'color', 'attributes'] as const;

/** The same text for the same value, whatever the order of its members. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([one], [other]) => (one < other ? -1 : 1)))
      : part,
  );

/** With all members, as the service has it after `PUT`. */
function whole(one: Category | Defined): CategoryDefinition {
  const attributes = (one.attributes ?? []) as CategoryAttribute[];
  const category = { ...one, attributes } as Category;
  return definition(categoryForm(category), category);
}

export const isSame = (one: Category | null, other: Category | null): boolean =>
  one === null || other === null ? one === other : canonical(whole(one)) === canonical(whole(other));

/** What taking over a file changes, in an order in which it can be done. */
export function differences(known: readonly Category[], defined: readonly Defined[]): Difference[] {
  const bySlug = new Map(known.map((one) => [one.slug, one]));
  const found: Difference[] = [];
  for (const one of defined) {
    const before = bySlug.get(one.slug) ?? null;
    const after = whole(one);
    const members = before
      ? MEMBERS.filter((name) => canonical(whole(before)[name]) !== canonical(after[name]))
      : [];
    if (before && members.length === 0) continue;
    found.push({ kind: before ? 'changed' : 'added', slug: one.slug, before, after, members, inUse: false });
  }
  const kept = new Set(defined.map(({ slug }) => slug));
  const parents = new Set(defined.map(({ parent }) => parent));
  // Those below come later in the list, and go first.
  for (const before of known.toReversed().filter(({ slug }) => !kept.has(slug))) {
    const inUse = before.count > 0 || parents.has(before.slug);
    if (inUse) parents.add(before.parent);
    found.push({ kind: 'removed', slug: before.slug, before, after: null, members: [], inUse });
  }
  return found;
}

/** The record for `PUT`. Members without a field, such as the longest text, stay as they were. */
export function definition(form: CategoryForm, before: Category | null): CategoryDefinition {
  return {
    name: form.name,
    names: filled(form.names),
    synonyms: words(form.synonyms),
    parent: form.parent || null,
    position: Number(form.position) || 0,
    icon: form.icon || null,
    color: form.color || null,
    attributes: form.attributes.map((attribute) =>
      attributeDefinition(
        attribute,
        before?.attributes.find((one) => one.name === attribute.name),
      ),
    ),
  };
}

/** The category as it would be after `PUT`. */
export function previewed(form: CategoryForm, category: Category | null): Category {
  const above = category?.attributes.filter((one) => one.inherited) ?? [];
  const { attributes = [], ...members } = definition(form, category);
  const own = attributes.map((one) => ({ ...one, inherited: false }));
  return { slug: form.slug, count: 0, ...members, attributes: [...above, ...own] } as Category;
}

type AttributeDefinition = NonNullable<CategoryDefinition['attributes']>[number];

function attributeDefinition(form: AttributeForm, known: CategoryAttribute | undefined): AttributeDefinition {
  const text = form.type === 'string';
  return {
    name: form.name.trim(),
    label: form.label.trim() || null,
    labels: filled(form.labels),
    type: form.type,
    ...numberDefinition(form),
    maxLength: text ? (known?.maxLength ?? null) : null,
    options: form.type === 'enum' ? optionsOf(form.options) : [],
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
