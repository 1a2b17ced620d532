import { z } from 'zod';
import { readStateSchema as contract, StateDocumentSchema } from '@/lib/contract/state';
import { implement } from '@/lib/operation/operation';
import { type PublicDocument, publicDocument, publicDocumentResponse } from '@/lib/operation/public-document';

let made: PublicDocument | null = null;

/** Generates the JSON Schema of a document from the schema that parses it. */
function stateSchema(): PublicDocument {
  made ??= publicDocument({
    ...z.toJSONSchema(StateDocumentSchema, { io: 'input', unrepresentable: 'any' }),
    title: 'Sluice state document',
  });
  return made;
}

export const readStateSchema = implement(contract, async ({ facts }) =>
  publicDocumentResponse(stateSchema(), facts.headers.get('if-none-match')),
);
