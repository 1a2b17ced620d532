import { CONTRACTS } from '@/lib/contract/contracts';
import { readOpenApi as contract } from '@/lib/contract/service';
import { openApiDocument } from '@/lib/openapi/document';
import { implement } from '@/lib/operation/operation';
import { type PublicDocument, publicDocument, publicDocumentResponse } from '@/lib/operation/public-document';
import packageJson from '@/package.json';

let made: PublicDocument | null = null;

/** The document as it is sent: the same for everybody, made at the first request. */
export function openApiText(): PublicDocument {
  made ??= publicDocument(openApiDocument(CONTRACTS, packageJson.version));
  return made;
}

export const readOpenApi = implement(contract, async ({ facts }) =>
  publicDocumentResponse(openApiText(), facts.ifNoneMatch),
);
