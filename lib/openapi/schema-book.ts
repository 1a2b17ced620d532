import { z } from 'zod';

/** A JSON Schema or a piece of an OpenAPI document. */
export type Json = { [name: string]: unknown };

type Direction = 'input' | 'output';

const LOCAL = '#/$defs/';
const SHARED = '#/components/schemas/';
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

  /** The components, by name. */
  components(): Json {
    return Object.fromEntries([...this.#components].sort(([a], [b]) => a.localeCompare(b, 'en')));
  }

  /** A definition that is already there with another content gets a name of its own, and so does what refers to it. */
  #namesFor(definitions: Json, direction: Direction): Map<string, string> {
    const names = new Map<string, string>();
    const renamed = new Set<string>();
    const differs = (id: string, definition: string) => {
      const written = this.#written.get(id);
      return written !== undefined && written !== definition;
    };
    const texts = Object.entries(definitions).map(([id, definition]) => [id, JSON.stringify(definition)] as const);
    for (let grown = true; grown; ) {
      grown = false;
      for (const [id, text] of texts) {
        if (
          renamed.has(id) ||
          !(differs(id, text) || [...renamed].some((other) => text.includes(`"${LOCAL}${other}"`)))
        )
          continue;
        renamed.add(id);
        grown = true;
      }
    }
    for (const [id] of texts)
      names.set(id, renamed.has(id) ? `${id}${direction === 'input' ? 'Input' : 'Output'}` : id);
    return names;
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

function relinked(value: Json, names: ReadonlyMap<string, string>): Json {
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => {
      if (key === '$ref' && typeof member === 'string' && member.startsWith(LOCAL)) {
        const id = member.slice(LOCAL.length);
        return [key, `${SHARED}${names.get(id) ?? id}`];
      }
      return [key, relinkedMember(member, names)];
    }),
  );
}

function relinkedMember(member: unknown, names: ReadonlyMap<string, string>): unknown {
  if (Array.isArray(member)) return member.map((element) => relinkedMember(element, names));
  return isJson(member) ? relinked(member, names) : member;
}
