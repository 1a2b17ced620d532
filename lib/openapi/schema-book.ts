import { z } from 'zod';

/** A JSON Schema, or a part of an OpenAPI document. */
export type Json = { [name: string]: unknown };

type Direction = 'input' | 'output';

const LOCAL = '#/$defs/';
/** Formats that describe more than the expression by which zod checks them. */
const SPEAKING_FORMATS = new Set(['date-time', 'date', 'uuid', 'email']);

/**
 * Converts zod schemas to JSON Schema (2020-12, the dialect of OpenAPI 3.1). Schemas with an id become components. If
 * the input of a schema differs from its output, the input becomes a second component, `<id>Input`.
 */
export class SchemaBook {
  readonly #components = new Map<string, Json>();
  /** Definitions as zod wrote them, by their final names. */
  readonly #written = new Map<string, string>();

  /** Converts a schema. Every schema with an id becomes a reference. */
  convertSchema(schema: z.ZodType, direction: Direction): Json {
    const {
      $schema: _,
      $defs,
      ...root
    } = z.toJSONSchema(schema, {
      io: direction,
      unrepresentable: 'any',
      override: ({ jsonSchema }) => tidy(jsonSchema),
    }) as Json;
    const definitions = isJson($defs) ? $defs : {};
    const names = this.#listNames(definitions, direction);
    for (const [id, definition] of Object.entries(definitions)) {
      const name = names.get(id) ?? id;
      if (this.#components.has(name) || !isJson(definition)) continue;
      const { id: _id, ...rest } = definition;
      this.#written.set(name, JSON.stringify(definition));
      this.#components.set(name, rewriteReferences(rest, names));
    }
    return rewriteReferences(root, names);
  }

  /** Returns the component that a schema refers to, or the schema itself if it is no reference. */
  resolve(schema: Json): Json {
    const { $ref } = schema;
    if (typeof $ref !== 'string') return schema;
    return this.resolve(this.#components.get($ref.slice($ref.lastIndexOf('/') + 1)) ?? {});
  }

  listComponents(): Json {
    return Object.fromEntries([...this.#components].sort(([a], [b]) => a.localeCompare(b, 'en')));
  }

  /**
   * Finds names for definitions. A definition whose name is taken by other content gets a new name, and so do the
   * definitions that refer to it.
   */
  #listNames(definitions: Json, direction: Direction): Map<string, string> {
    const texts = Object.entries(definitions).map(([id, definition]) => [id, JSON.stringify(definition)] as const);
    const renamed = new Set(texts.filter(([id, text]) => (this.#written.get(id) ?? text) !== text).map(([id]) => id));
    for (let before = -1; before < renamed.size; ) {
      before = renamed.size;
      for (const [id, text] of texts) {
        if ([...renamed].some((other) => text.includes(`"${LOCAL}${other}"`))) renamed.add(id);
      }
    }
    const suffix = direction === 'input' ? 'Input' : 'Output';
    return new Map(texts.map(([id]) => [id, renamed.has(id) ? id + suffix : id]));
  }
}

export function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Removes parts of a schema that only programs need. */
function tidy(schema: Json): void {
  if (typeof schema.format === 'string' && SPEAKING_FORMATS.has(schema.format)) delete schema.pattern;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if ('example' in schema) {
    schema.examples = [schema.example];
    delete schema.example;
  }
}

/** Rewrites references, so that they point to the components. */
function rewriteReferences(schema: Json, names: ReadonlyMap<string, string>): Json {
  return JSON.parse(JSON.stringify(schema), (key, member: unknown) => {
    if (key !== '$ref' || typeof member !== 'string' || !member.startsWith(LOCAL)) return member;
    const id = member.slice(LOCAL.length);
    return `#/components/schemas/${names.get(id) ?? id}`;
  });
}
