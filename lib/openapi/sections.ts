/** The tags of the document in the order in which somebody needs them, by what they are about. */
export const SECTIONS: readonly { name: string; tags: readonly string[] }[] = [
  { name: 'Deciding', tags: ['Decisions'] },
  {
    name: 'Rules',
    tags: ['Policies', 'Candidates', 'Overrides', 'Allowlist', 'Exceptions', 'Counters', 'Incident', 'State', 'Batch'],
  },
  { name: 'Clients', tags: ['API keys', 'Quotas', 'Grants'] },
  { name: 'Watching', tags: ['Observability', 'Alerts', 'Audit'] },
  { name: 'Access', tags: ['Tokens', 'Members', 'Session', 'Second factor'] },
  { name: 'OAuth', tags: ['OAuth client', 'OAuth assessments', 'OAuth lab'] },
  { name: 'Service', tags: ['Service', 'Health', 'Operations'] },
];

/** The sections of a document with these tags. A tag that has no place yet comes last, in a section of its own name. */
export function sectionsOf(tags: ReadonlySet<string>): { name: string; tags: string[] }[] {
  const placed = SECTIONS.map(({ name, tags: wanted }) => ({ name, tags: wanted.filter((tag) => tags.has(tag)) }));
  const known = new Set(SECTIONS.flatMap((section) => section.tags));
  const others = [...tags].filter((tag) => !known.has(tag)).map((tag) => ({ name: tag, tags: [tag] }));
  return [...placed, ...others].filter((section) => section.tags.length > 0);
}
