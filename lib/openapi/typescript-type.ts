import type { Json } from '@/lib/openapi/schema-book';

/** Converts a JSON Schema (2020-12) in zod's form to a TypeScript type. References become names of types in scope. */
export function toTypeScript(schema: unknown): string {
  if (!isJson(schema)) return 'unknown';
  const { $ref, const: only, enum: values, anyOf, oneOf, allOf, type } = schema;
  if (typeof $ref === 'string') return $ref.slice($ref.lastIndexOf('/') + 1);
  if (only !== undefined) return JSON.stringify(only);
  if (Array.isArray(values)) return union(values.map((value) => JSON.stringify(value)));
  const choices = anyOf ?? oneOf;
  if (Array.isArray(choices)) return union(choices.map(toTypeScript));
  if (Array.isArray(allOf)) return allOf.map((part) => `(${toTypeScript(part)})`).join(' & ');
  if (Array.isArray(type)) return union(type.map((one) => toTypeScript({ ...schema, type: one })));
  switch (type) {
    case 'string':
      return 'string';
    case 'integer':
    case 'number':
      return 'number';
    case 'boolean':
      return 'boolean';
    case 'null':
      return 'null';
    case 'array':
      return toArrayType(schema);
    case 'object':
      return toObjectType(schema);
    default:
      return 'unknown';
  }
}

/** Formats a description as a comment. Returns an empty text without a description. */
export function comment(description: unknown, indent = ''): string {
  if (typeof description !== 'string') return '';
  return `${indent}/** ${description.replaceAll('*/', '*\\/').replaceAll('\n', `\n${indent} * `)} */\n`;
}

function union(types: readonly string[]): string {
  const all = [...new Set(types)];
  return all.includes('unknown') ? 'unknown' : all.join(' | ');
}

function toArrayType({ items, prefixItems }: Json): string {
  if (!Array.isArray(prefixItems)) return `readonly (${toTypeScript(items)})[]`;
  const rest = items === undefined || items === false ? [] : [`...(${toTypeScript(items)})[]`];
  return `readonly [${[...prefixItems.map(toTypeScript), ...rest].join(', ')}]`;
}

function toObjectType({ properties, required, additionalProperties, propertyNames }: Json): string {
  if (!isJson(properties)) {
    const value = isJson(additionalProperties) ? toTypeScript(additionalProperties) : 'unknown';
    const key = isJson(propertyNames) ? toTypeScript(propertyNames) : 'string';
    const isPartial = !Array.isArray(required);
    return isPartial && key !== 'string' ? `{ [name in ${key}]?: ${value} }` : `Record<${key}, ${value}>`;
  }
  const names = Array.isArray(required) ? required : [];
  const members = Object.entries(properties).map(([name, property]) => {
    const { description } = isJson(property) ? property : {};
    const key = /^[\w$]+$/.test(name) ? name : JSON.stringify(name);
    return `${comment(description, '  ')}  ${key}${names.includes(name) ? '' : '?'}: ${toTypeScript(property)};\n`;
  });
  return members.length === 0 ? 'Record<string, never>' : `{\n${members.join('')}}`;
}

function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
