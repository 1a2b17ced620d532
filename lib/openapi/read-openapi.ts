import { CONTRACTS } from '@/lib/contract/contracts';
import { readOpenApi as contract } from '@/lib/contract/service';
import { openApiDocument } from '@/lib/openapi/document';
import { implement } from '@/lib/operation/operation';
import { answerPublicDocument, buildPublicDocument, type PublicDocument } from '@/lib/operation/public-document';
import packageJson from '@/package.json';

let cached: PublicDocument | null = null;

/** Returns the document as it is sent. It is built at the first request and is the same for every caller. */
export function openApiText(): PublicDocument {
  cached ??= buildPublicDocument(openApiDocument(CONTRACTS, packageJson.version));
  return cached;
}

export const readOpenApi = implement(contract, async ({ facts }) =>
  answerPublicDocument(openApiText(), facts.headers.get('if-none-match')),
);
