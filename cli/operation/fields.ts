import { isJsonObject, type JsonObject } from '@/lib/json';
import type { ManifestOperation } from '@/lib/openapi/manifest';

/** Kind of value that a field parses from the command line. */
type FieldKind = 'text' | 'number' | 'boolean' | 'time' | 'list' | 'json';

/** One input of an operation. */
export interface Field {
  /** Name of the field. Body fields may be dotted: `limit`, `classes.auth.ip.limit`. */
  name: string;
  place: 'params' | 'query' | 'body';
  kind: FieldKind;
  /** True if null is a valid value. */
  nullable: boolean;
  required: boolean;
  choices?: readonly string[];
  description: string;
  /** True if it must not be an argument, which others on the machine could see. */
  secret: boolean;
}

const SECRETS = /^(current_|new_)?password$|^token$|^code$|^cookie$|^key$|^authorization$|secret$/i;

/** True if a member of that name is a secret, in any body or header. */
export function isSecretName(name: string): boolean {
  return SECRETS.test(name);
}

/** Lists the inputs of an operation from its schemas. A body that is not an object has no fields. */
export function listFields({ params, query, body }: ManifestOperation): Field[] {
  return [...collectFields(params, 'params'), ...collectFields(query, 'query'), ...collectFields(body, 'body')];
}

function collectFields(schema: JsonObject | undefined, place: Field['place'], path = '', isRequired = true): Field[] {
  const properties = isJsonObject(schema?.properties) ? schema.properties : {};
  const required = Array.isArray(schema?.required) ? schema.required : [];
  return Object.entries(properties).flatMap(([name, property]) => {
    if (!isJsonObject(property)) return [];
    const at = path === '' ? name : `${path}.${name}`;
    const isMandatory = isRequired && required.includes(name);
    const { schema: one, nullable } = removeNull(property);
    if (place === 'body' && isJsonObject(one.properties)) return collectFields(one, place, at, isMandatory);
    return [
      {
        name: at,
        place,
        nullable,
        required: isMandatory,
        description: describe(property, one),
        secret: place === 'body' && isSecretName(name),
        ...classifySchema(one),
      },
    ];
  });
}

function classifySchema(schema: JsonObject): Pick<Field, 'kind' | 'choices'> {
  if (Array.isArray(schema.enum) && schema.enum.every((value) => typeof value === 'string')) {
    // A query spells a boolean as a word.
    if (schema.enum.length === 2 && schema.enum.includes('true') && schema.enum.includes('false')) {
      return { kind: 'boolean' };
    }
    return { kind: 'text', choices: schema.enum };
  }
  if (schema.const === 'true' || schema.type === 'boolean') return { kind: 'boolean' };
  if (schema.type === 'integer' || schema.type === 'number') return { kind: 'number' };
  if (schema.type === 'string') return { kind: schema.format === 'date-time' ? 'time' : 'text' };
  if (schema.type === 'array' && isJsonObject(schema.items) && schema.items.type === 'string') {
    return { kind: 'list', ...(Array.isArray(schema.items.enum) ? { choices: schema.items.enum } : {}) };
  }
  return { kind: 'json' };
}

/** Removes null from a schema: `anyOf: [X, null]` and `type: [X, null]` become X. */
function removeNull(schema: JsonObject): { schema: JsonObject; nullable: boolean } {
  if (Array.isArray(schema.type) && schema.type.includes('null')) {
    const [type] = schema.type.filter((name) => name !== 'null');
    return { schema: { ...schema, type }, nullable: true };
  }
  const options = Array.isArray(schema.anyOf) ? schema.anyOf.filter(isJsonObject) : [];
  const others = options.filter(({ type }) => type !== 'null');
  const [only] = others;
  return others.length < options.length && others.length === 1 && only !== undefined
    ? { schema: only, nullable: true }
    : { schema, nullable: false };
}

function describe(outer: JsonObject, inner: JsonObject): string {
  const text = outer.description ?? inner.description;
  return typeof text === 'string' ? text.replaceAll('`', '') : '';
}
