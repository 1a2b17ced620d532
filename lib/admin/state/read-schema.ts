import { z } from 'zod';
import { readStateSchema as contract, StateDocumentSchema } from '@/lib/contract/state';
import { implement } from '@/lib/operation/operation';
import { answerPublicDocument, buildPublicDocument, type PublicDocument } from '@/lib/operation/public-document';

let cached: PublicDocument | null = null;

/** Generates the JSON Schema of a document from the schema that parses it. */
function generateStateSchema(): PublicDocument {
  cached ??= buildPublicDocument({
    ...z.toJSONSchema(StateDocumentSchema, { io: 'input', unrepresentable: 'any' }),
    title: 'Sluice state document',
  });
  return cached;
}

export const readStateSchema = implement(contract, async ({ facts }) =>
  answerPublicDocument(generateStateSchema(), facts.headers.get('if-none-match')),
);
