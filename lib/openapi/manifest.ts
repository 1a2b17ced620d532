import type { z } from 'zod';
import type { Contract } from '@/lib/contract/operation';
import { isForm } from '@/lib/contract/operation';
import { hasDryRun } from '@/lib/contract/preview';
import { isJson, type Json, SchemaBook } from '@/lib/openapi/schema-book';

type Described = 'id' | 'method' | 'path' | 'tag' | 'summary' | 'description' | 'access' | 'reason' | 'example';

/** Data that a program needs to call one operation. Plain JSON. Members that it shares with the contract are the same. */
export interface ManifestOperation extends Pick<Contract, Described> {
  /** The words of the command line, such as `allowlist add`. With dots, it is the client's method. */
  command: string;
  /** JSON Schemas (2020-12) of objects, one property per parameter, without references. */
  params?: Json;
  query?: Json;
  /** JSON Schema of the body, without references. */
  body?: Json;
  /** True if the body may be absent. */
  bodyOptional: boolean;
  /** Media type of the body. */
  mediaType?: string;
  /** Media types of the answer, the default first. Empty without a body. */
  answers: readonly string[];
  /** True if the answer is a page of a list. `cursor` fetches the next page. */
  list: boolean;
  /** True if `dry_run` previews the operation. */
  dryRun: boolean;
  /** True if `Idempotency-Key` is honoured. */
  idempotent: boolean;
  /** True if `If-Match` is honoured. */
  conditional: boolean;
}

/** Every operation with a command, for programs that load neither the contracts nor zod. */
export interface Manifest {
  /** Version of the product. */
  version: string;
  operations: readonly ManifestOperation[];
}

/** Builds the manifest of the operations that have a command, in their order. @param version version of the product */
export function buildManifest(contracts: readonly Contract[], version: string): Manifest {
  return {
    version,
    operations: contracts.flatMap((contract) =>
      contract.command === undefined ? [] : [buildManifestOperation(contract, contract.command)],
    ),
  };
}

function buildManifestOperation(contract: Contract, command: string): ManifestOperation {
  const { id, method, path, summary, description, tag, access, params, query, body, response, reason } = contract;
  const querySchema = query && buildInputSchema(query);
  return {
    command,
    id,
    method,
    path,
    summary,
    ...(description === undefined ? {} : { description }),
    tag,
    access,
    ...(params === undefined ? {} : { params: buildInputSchema(params) }),
    ...(querySchema === undefined ? {} : { query: querySchema }),
    ...(body === undefined ? {} : { body: buildInputSchema(body.schema), mediaType: findMediaType(body) }),
    bodyOptional: body?.required === false,
    answers: response.mediaTypes ?? (response.schema === undefined ? [] : ['application/json']),
    list: isJson(querySchema?.properties) && 'cursor' in querySchema.properties,
    ...(reason === undefined ? {} : { reason }),
    dryRun: hasDryRun(contract),
    idempotent: contract.idempotent === true,
    conditional: contract.conditional === true,
    ...(contract.example === undefined ? {} : { example: contract.example }),
  };
}

/** Returns the media type of a body. A merge patch (RFC 7396) is sent with its own type. */
function findMediaType(body: NonNullable<Contract['body']>): string {
  const [first] = body.mediaTypes ?? [];
  return first === undefined || isForm(body) ? 'application/json' : first;
}

/** Builds the input schema, and replaces every reference by its target. */
function buildInputSchema(schema: z.ZodType): Json {
  const book = new SchemaBook();
  const root = book.convertSchema(schema, 'input');
  return inlineReferences(root, book.listComponents(), []) as Json;
}

/** @throws Error if a schema contains itself, because it has no form without references */
function inlineReferences(node: unknown, components: Json, inside: readonly string[]): unknown {
  if (Array.isArray(node)) return node.map((member) => inlineReferences(member, components, inside));
  if (!isJson(node)) return node;
  const { $ref, ...others } = node;
  if (typeof $ref !== 'string') {
    return Object.fromEntries(
      Object.entries(node).map(([key, value]) => [key, inlineReferences(value, components, inside)]),
    );
  }
  const name = $ref.slice($ref.lastIndexOf('/') + 1);
  if (inside.includes(name)) throw new Error(`The schema ${name} contains itself.`);
  const target = inlineReferences(components[name], components, [...inside, name]);
  return { ...(isJson(target) ? target : {}), ...others };
}
