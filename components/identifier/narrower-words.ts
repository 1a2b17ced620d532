/**
 * Text of the badge for an entry that is wider than its use.
 * @param range the narrower range that covers every use
 */
export const describeNarrowerRange = (range: string) => `only ${range} uses it`;
