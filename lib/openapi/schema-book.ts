import { z } from 'zod';

/** A JSON Schema or a piece of an OpenAPI document. */
export type Json = { [name: string]: unknown };

type Direction = 'input' | 'output';

const LOCAL = '#/$defs/';
/** Formats that say more than the expression that zod checks them by. */
const SPEAKING_FORMATS = new Set(['date-time', 'date', 'uuid', 'email']);

/**
 * Turns zod schemas into JSON Schema (2020-12, the dialect of OpenAPI 3.1). Schemas with an id become components; one
 * whose input differs from its output is there twice, the input as `<id>Input`.
 */
export class SchemaBook {
  readonly #components = new Map<string, Json>();
  /** The definitions as zod wrote them, by the name that they got. */
  readonly #written = new Map<string, string>();

  /** The schema with everything that has an id as a reference. */
  schema(schema: z.ZodType, direction: Direction): Json {
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
    const names = this.#namesFor(definitions, direction);
    for (const [id, definition] of Object.entries(definitions)) {
      const name = names.get(id) ?? id;
      if (this.#components.has(name) || !isJson(definition)) continue;
      const { id: _id, ...rest } = definition;
      this.#written.set(name, JSON.stringify(definition));
      this.#components.set(name, relinked(rest, names));
    }
    return relinked(root, names);
  }

  components(): Json {
    return Object.fromEntries([...this.#components].sort(([a], [b]) => a.localeCompare(b, 'en')));
  }

  /** A definition that is already there with another content gets a name of its own, and so does what refers to it. */
  #namesFor(definitions: Json, direction: Direction): Map<string, string> {
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

function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Takes out what is there for a program and not for a reader. */
function tidy(schema: Json): void {
  if (typeof schema.format === 'string' && SPEAKING_FORMATS.has(schema.format)) delete schema.pattern;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if ('example' in schema) {
    schema.examples = [schema.example];
    delete schema.example;
  }
}

/** The same with references into the components. */
function relinked(schema: Json, names: ReadonlyMap<string, string>): Json {
  return JSON.parse(JSON.stringify(schema), (key, member: unknown) => {
    if (key !== '$ref' || typeof member !== 'string' || !member.startsWith(LOCAL)) return member;
    const id = member.slice(LOCAL.length);
    return `#/components/schemas/${names.get(id) ?? id}`;
  });
}
