import type { z } from 'zod';
import type { Access, Contract, Method } from '@/lib/contract/operation';
import { isForm } from '@/lib/contract/operation';
import { takesDryRun } from '@/lib/contract/preview';
import { type Json, SchemaBook } from '@/lib/openapi/schema-book';

/** What a program has to know to call one operation; plain JSON. */
export interface ManifestOperation {
  /** `allowlist add`: the words of the command line and, with dots, the client's method. */
  command: string;
  /** OpenAPI's `operationId`. */
  id: string;
  method: Method;
  /** With `{parameter}`. */
  path: string;
  summary: string;
  description?: string;
  tag: string;
  access: Access;
  /** JSON Schemas (2020-12) of objects, one property per parameter, without references. */
  params?: Json;
  query?: Json;
  /** JSON Schema of the body, without references. */
  body?: Json;
  /** Whether the body may be absent. */
  bodyOptional: boolean;
  /** Of the body as it is sent. */
  mediaType?: string;
  /** Media types of the answer, the usual first; none without a body. */
  answers: readonly string[];
  /** Whether the answer is a page of a list that `cursor` goes on with. */
  list: boolean;
  /** Where the reason of a change goes; without one nothing is changed that the audit log records. */
  reason?: 'query' | 'body';
  /** Whether `dry_run` previews it. */
  dryRun: boolean;
  /** Whether `Idempotency-Key` is honoured. */
  idempotent: boolean;
  /** Whether `If-Match` is honoured. */
  conditional: boolean;
  /** A call that the schemas accept. */
  example?: Contract['example'];
}

/** Every operation with a command, for programs that load neither the contracts nor zod. */
export interface Manifest {
  /** Of the product. */
  version: string;
  operations: readonly ManifestOperation[];
}

/** The manifest of the operations that have a command, in their order. @param version of the product */
export function manifestOf(contracts: readonly Contract[], version: string): Manifest {
  return {
    version,
    operations: contracts.flatMap((contract) =>
      contract.command === undefined ? [] : [operationOf(contract, contract.command)],
    ),
  };
}

function operationOf(contract: Contract, command: string): ManifestOperation {
  const { id, method, path, summary, description, tag, access, params, query, body, response, reason } = contract;
  const querySchema = query && schemaOf(query);
  return {
    command,
    id,
    method,
    path,
    summary,
    ...(description === undefined ? {} : { description }),
    tag,
    access,
    ...(params === undefined ? {} : { params: schemaOf(params) }),
    ...(querySchema === undefined ? {} : { query: querySchema }),
    ...(body === undefined ? {} : { body: schemaOf(body.schema), mediaType: mediaTypeOf(body) }),
    bodyOptional: body?.required === false,
    answers: response.mediaTypes ?? (response.schema === undefined ? [] : ['application/json']),
    list: isJson(querySchema?.properties) && 'cursor' in querySchema.properties,
    ...(reason === undefined ? {} : { reason }),
    dryRun: takesDryRun(contract),
    idempotent: contract.idempotent === true,
    conditional: contract.conditional === true,
    ...(contract.example === undefined ? {} : { example: contract.example }),
  };
}

/** A merge patch (RFC 7396) is sent as what it is. */
function mediaTypeOf(body: NonNullable<Contract['body']>): string {
  const [first] = body.mediaTypes ?? [];
  return first === undefined || isForm(body) ? 'application/json' : first;
}

/** The schema of what is sent, with every reference replaced by what it refers to. */
function schemaOf(schema: z.ZodType): Json {
  const book = new SchemaBook();
  const root = book.schema(schema, 'input');
  return inlined(root, book.components(), []) as Json;
}

/** @throws Error for a schema that contains itself, which has no form without references */
function inlined(node: unknown, components: Json, inside: readonly string[]): unknown {
  if (Array.isArray(node)) return node.map((member) => inlined(member, components, inside));
  if (!isJson(node)) return node;
  const { $ref, ...others } = node;
  if (typeof $ref !== 'string') {
    return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, inlined(value, components, inside)]));
  }
  const name = $ref.slice($ref.lastIndexOf('/') + 1);
  if (inside.includes(name)) throw new Error(`The schema ${name} contains itself.`);
  const target = inlined(components[name], components, [...inside, name]);
  return { ...(isJson(target) ? target : {}), ...others };
}

function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
