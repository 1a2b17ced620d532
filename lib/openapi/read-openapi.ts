import { CONTRACTS } from '@/lib/contract/contracts';
import { readOpenApi as contract } from '@/lib/contract/service';
import { openApiDocument } from '@/lib/openapi/document';
import { documentTag } from '@/lib/operation/entity-tag';
import { implement } from '@/lib/operation/operation';
import packageJson from '@/package.json';

let made: { text: string; tag: string } | null = null;

/** The document as it is sent: the same for everybody, made at the first request. */
export function openApiText(): { text: string; tag: string } {
  if (made === null) {
    const document = openApiDocument(CONTRACTS, packageJson.version);
    made = { text: JSON.stringify(document), tag: documentTag(document) };
  }
  return made;
}

export const readOpenApi = implement(contract, async (context) => {
  const { text, tag } = openApiText();
  const headers = {
    ETag: tag,
    'Cache-Control': 'public, max-age=60, must-revalidate',
    'X-Content-Type-Options': 'nosniff',
  };
  const cached = (context.facts.ifNoneMatch ?? '').split(',').map((candidate) => candidate.trim().replace(/^W\//, ''));
  if (cached.includes(tag) || cached.includes('*')) return new Response(null, { status: 304, headers });
  return new Response(text, { headers: { ...headers, 'Content-Type': 'application/json; charset=utf-8' } });
});
