/** Reads the JSON Schema of a category's attributes as far as a form needs it. */
import type { CategoryAttribute } from '../../data/client';

export interface Property {
  name: string;
  title: string;
  type: 'string' | 'integer' | 'number' | 'boolean';
  required: boolean;
  format?: string | undefined;
  options?: string[] | undefined;
  unit?: string | undefined;
  minimum?: number | undefined;
  maximum?: number | undefined;
  maxLength?: number | undefined;
}

/** The service writes a larger bound where an attribute has none of its own. */
const UNBOUNDED = 1e15;

const TYPES = ['string', 'integer', 'number', 'boolean'] as const;

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function bound(value: unknown): number | undefined {
  return typeof value === 'number' && Math.abs(value) < UNBOUNDED ? value : undefined;
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** In their order. Properties of unknown types are left out, because a form has no field for them. */
export function readSchema(schema: Record<string, unknown>): Property[] {
  const properties = isRecord(schema.properties) ? schema.properties : {};
  const required = new Set(Array.isArray(schema.required) ? schema.required : []);
  const found: Property[] = [];
  for (const [name, of] of Object.entries(properties)) {
    if (!isRecord(of)) continue;
    const type = TYPES.find((one) => one === of.type);
    if (!type) continue;
    found.push({
      name,
      type,
      title: text(of.title) ?? name,
      required: required.has(name),
      format: text(of.format),
      options: Array.isArray(of.enum) ? of.enum.map(String) : undefined,
      unit: text(of['x-unit']),
      minimum: bound(of.minimum),
      maximum: bound(of.maximum),
      maxLength: bound(of.maxLength),
    });
  }
  return found;
}

/** Those of a category whose schema the service has not made yet. */
export const propertiesOf = (attributes: readonly CategoryAttribute[]): Property[] =>
  attributes.map(({ name, label, type, required, options, unit, minimum, maximum, maxLength }) => ({
    name,
    title: label || name,
    type: type === 'enum' || type === 'date' ? 'string' : type,
    required: required ?? false,
    format: type === 'date' ? 'date' : undefined,
    options: type === 'enum' ? options?.map(({ value }) => value) : undefined,
    unit: unit ?? undefined,
    minimum: minimum ?? undefined,
    maximum: maximum ?? undefined,
    maxLength: maxLength ?? undefined,
  }));
