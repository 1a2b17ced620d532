/** Derives the last URL part of a tag's section: `API keys` is at `/docs/api-keys`. */
export function buildSectionSlug(tag: string): string {
  return tag.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
}
