import { isJson, type Json } from '@/lib/openapi/schema-book';

/** Converts a JSON Schema (2020-12) in zod's form to a TypeScript type. References become names of types in scope. */
export function formatType(schema: unknown): string {
  if (!isJson(schema)) return 'unknown';
  const { $ref, const: only, enum: values, anyOf, oneOf, allOf, type } = schema;
  if (typeof $ref === 'string') return $ref.slice($ref.lastIndexOf('/') + 1);
  if (only !== undefined) return JSON.stringify(only);
  if (Array.isArray(values)) return formatUnion(values.map((value) => JSON.stringify(value)));
  const choices = anyOf ?? oneOf;
  if (Array.isArray(choices)) return formatUnion(choices.map(formatType));
  if (Array.isArray(allOf)) return allOf.map((part) => `(${formatType(part)})`).join(' & ');
  if (Array.isArray(type)) return formatUnion(type.map((one) => formatType({ ...schema, type: one })));
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
      return formatArrayType(schema);
    case 'object':
      return formatObjectType(schema);
    default:
      return 'unknown';
  }
}

/** Formats a description as a comment. Returns an empty text without a description. */
export function formatComment(description: unknown, indent = ''): string {
  if (typeof description !== 'string') return '';
  return `${indent}/** ${description.replaceAll('*/', '*\\/').replaceAll('\n', `\n${indent} * `)} */\n`;
}

function formatUnion(types: readonly string[]): string {
  const all = [...new Set(types)];
  return all.includes('unknown') ? 'unknown' : all.join(' | ');
}

function formatArrayType({ items, prefixItems }: Json): string {
  if (!Array.isArray(prefixItems)) return `readonly (${formatType(items)})[]`;
  const rest = items === undefined || items === false ? [] : [`...(${formatType(items)})[]`];
  return `readonly [${[...prefixItems.map(formatType), ...rest].join(', ')}]`;
}

function formatObjectType({ properties, required, additionalProperties, propertyNames }: Json): string {
  if (!isJson(properties)) {
    const value = isJson(additionalProperties) ? formatType(additionalProperties) : 'unknown';
    const key = isJson(propertyNames) ? formatType(propertyNames) : 'string';
    const isPartial = !Array.isArray(required);
    return isPartial && key !== 'string' ? `{ [name in ${key}]?: ${value} }` : `Record<${key}, ${value}>`;
  }
  const names = Array.isArray(required) ? required : [];
  const members = Object.entries(properties).map(([name, property]) => {
    const { description } = isJson(property) ? property : {};
    const key = /^[\w$]+$/.test(name) ? name : JSON.stringify(name);
    return `${formatComment(description, '  ')}  ${key}${names.includes(name) ? '' : '?'}: ${formatType(property)};\n`;
  });
  return members.length === 0 ? 'Record<string, never>' : `{\n${members.join('')}}`;
}
