import type { Contract } from '@/lib/contract/operation';
import { hasDryRun, PreviewSchema } from '@/lib/contract/preview';
import { WRITTEN_BY_HAND } from '@/lib/openapi/operation-table';
import { type Json, SchemaBook } from '@/lib/openapi/schema-book';
import { formatComment, formatType } from '@/lib/openapi/typescript-type';

/** Declarations that are generated from the contracts: the named schemas, and the methods of the client. */
export interface ClientTypes {
  /** `api.d.ts` */
  api: string;
  /** `operations.d.ts` */
  operations: string;
}

/** Generates the types of `sluice/client`, for the operations that have a command. */
export function clientTypes(contracts: readonly Contract[]): ClientTypes {
  const book = new SchemaBook();
  const groups = new Map<string, string[]>();
  for (const contract of contracts) {
    const [noun = '', verb] = contract.command?.split(' ').map(formatCamelCase) ?? [];
    if (contract.command === undefined) continue;
    if (WRITTEN_BY_HAND.includes(contract.command)) {
      // Only their named schemas are generated.
      if (contract.body !== undefined) book.convertSchema(contract.body.schema, 'input');
      if (contract.response.schema !== undefined) book.convertSchema(contract.response.schema, 'output');
      continue;
    }
    const group = verb === undefined ? '' : noun;
    groups.set(group, [
      ...(groups.get(group) ?? []),
      ...buildSignatures(contract, book).map((signature, at) => {
        return `${at === 0 ? formatDoc(contract) : ''}  ${verb ?? noun}${signature};\n`;
      }),
    ]);
  }
  const members = [...groups].map(([noun, methods]) =>
    noun === '' ? methods.join('') : `  readonly ${noun}: {\n${methods.join('')}  };\n`,
  );
  const components = Object.entries(book.listComponents());
  const names = components.map(([name]) => name).join(', ');
  return {
    api: components
      .map(
        ([name, schema]) =>
          `${formatComment((schema as Json).description)}export type ${name} = ${formatType(schema)};\n`,
      )
      .join('\n'),
    operations: `import type { ${names} } from './api.js';
import type { CallOptions, OperationCall as Call } from './call.js';

type Entries<T> = AsyncIterable<T extends readonly (infer Entry)[] ? Entry : never>;

/** A method for each operation: path parameters, body, then query parameters and options in one object. */
export interface Operations {
${members.join('')}}

declare module './sluice.js' {
  interface Sluice extends Operations {}
}
`,
  };
}

/**
 * Builds `(id: string, body: ApiKeyPatch, options?: {...} & CallOptions): Call<ApiKey>`, and the signature of a preview
 * if there is one.
 */
function buildSignatures(contract: Contract, book: SchemaBook): string[] {
  const { path, query, body, response } = contract;
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const properties =
    contract.params === undefined ? {} : listProperties(book.convertSchema(contract.params, 'input'), book);
  const params = names.map(
    (name) => `${formatCamelCase(name.replaceAll('_', '-'))}: ${formatAddressType(properties[name], book)}`,
  );
  const bodies =
    body === undefined
      ? []
      : [`body${body.required ? '' : '?'}: ${formatType(book.convertSchema(body.schema, 'input'))}`];
  const queryType = query === undefined ? null : buildQueryType(book.convertSchema(query, 'input'), book);
  const type = `${queryType === null ? '' : `${queryType.type} & `}CallOptions`;
  const usual = [...params, ...bodies, `options${queryType?.required === true ? '' : '?'}: ${type}`];
  const signature = `(${usual.join(', ')}): ${formatAnswerType(response, book)}`;
  if (!hasDryRun(contract)) return [signature];
  const required = bodies.map((text) =>
    text.replace('body?:', 'body:').replace(/$/, body?.required ? '' : ' | undefined'),
  );
  const preview = [...params, ...required, `options: ${type} & { dry_run: true }`];
  return [`(${preview.join(', ')}): Call<${formatType(book.convertSchema(PreviewSchema, 'output'))}>`, signature];
}

function formatAnswerType(
  { status, schema, mediaTypes = ['application/json'] }: Contract['response'],
  book: SchemaBook,
): string {
  if (status === 204 || schema === undefined) return `Call<${status === 204 ? 'void' : 'unknown'}>`;
  const type = formatType(book.convertSchema(schema, 'output'));
  const [usual = ''] = mediaTypes;
  if (usual === 'application/x-ndjson') return `Call<readonly (${type})[]> & AsyncIterable<${type}>`;
  return type.startsWith('readonly ') ? `Call<${type}> & Entries<${type}>` : `Call<${type}>`;
}

/** Builds the type of a query as callers may write it. The values are sent as text. */
function buildQueryType(schema: Json, book: SchemaBook): { type: string; required: boolean } {
  const required = Array.isArray(schema.required) ? schema.required : [];
  const members = Object.entries(listProperties(schema, book)).map(([name, property]) => {
    const { description } = property as Json;
    const optional = required.includes(name) ? '' : '?';
    return `${formatComment(description, '  ')}  ${name}${optional}: ${formatAddressType(property, book)};\n`;
  });
  return { type: `{\n${members.join('')}}`, required: required.length > 0 };
}

/** Returns the types that callers may pass in an address: also text for a number, and `true` for `'true'`. */
function formatAddressType(schema: unknown, book: SchemaBook): string {
  const resolved = book.resolve((schema ?? {}) as Json);
  const { enum: values, const: only, type } = resolved;
  const choices = Array.isArray(values) ? values : only === undefined ? [] : [only];
  const isBoolean = choices.length > 0 && choices.every((choice) => choice === 'true' || choice === 'false');
  if (isBoolean) return [formatType(resolved), ...choices].join(' | ');
  return type === 'integer' ? 'number | string' : formatType(resolved);
}

function listProperties(schema: Json, book: SchemaBook): Json {
  return (book.resolve(schema).properties ?? {}) as Json;
}

function formatDoc({ summary, description, method, path }: Contract): string {
  return formatComment([`${summary}.`, description, `\`${method} ${path}\``].filter(Boolean).join(' '), '  ');
}

function formatCamelCase(word: string): string {
  return word.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}
