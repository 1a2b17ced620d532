import { buildDocumentTag } from '@/lib/operation/entity-tag';

/** A document that is the same for every caller, and its entity tag. */
export interface PublicDocument {
  text: string;
  tag: string;
}

export function buildPublicDocument(document: unknown): PublicDocument {
  return { text: JSON.stringify(document), tag: buildDocumentTag(document) };
}

/** Answers with the document, or with 304 if the caller has it. @param ifNoneMatch the request's header */
export function answerPublicDocument({ text, tag }: PublicDocument, ifNoneMatch: string | null): Response {
  const headers = {
    ETag: tag,
    'Cache-Control': 'public, max-age=60, must-revalidate',
    'X-Content-Type-Options': 'nosniff',
  };
  const cached = (ifNoneMatch ?? '').split(',').map((candidate) => candidate.trim().replace(/^W\//, ''));
  if (cached.includes(tag) || cached.includes('*')) return new Response(null, { status: 304, headers });
  return new Response(text, { headers: { ...headers, 'Content-Type': 'application/json; charset=utf-8' } });
}
