/** Tags of the document, by topic, in the order in which readers need them. */
export const SECTIONS: readonly { name: string; tags: readonly string[] }[] = [
  { name: 'Deciding', tags: ['Decisions'] },
  {
    name: 'Rules',
    tags: [
      'Policies',
      'Limits',
      'Candidates',
      'Overrides',
      'Allowlist',
      'Exceptions',
      'Counters',
      'Incident',
      'State',
      'Batch',
    ],
  },
  { name: 'Clients', tags: ['API keys', 'Quotas', 'Grants'] },
  { name: 'Watching', tags: ['Observability', 'Alerts', 'Audit'] },
  { name: 'Access', tags: ['Tokens', 'Members', 'Session', 'Second factor'] },
  { name: 'OAuth', tags: ['OAuth client', 'OAuth assessments', 'OAuth lab'] },
  { name: 'Service', tags: ['Service', 'Health', 'Operations'] },
];

/** Returns the sections of a document with these tags. An unlisted tag becomes a separate section at the end. */
export function listSections(tags: ReadonlySet<string>): { name: string; tags: string[] }[] {
  const placed = SECTIONS.map(({ name, tags: wanted }) => ({ name, tags: wanted.filter((tag) => tags.has(tag)) }));
  const listed = new Set(SECTIONS.flatMap((section) => section.tags));
  const others = [...tags].filter((tag) => !listed.has(tag)).map((tag) => ({ name: tag, tags: [tag] }));
  return [...placed, ...others].filter((section) => section.tags.length > 0);
}
