import { describe, expect, test } from 'vitest';
import { assessMutant, type SourceMutant } from './source-mutant';

/** What the lab does not offer: there is nothing to judge, whatever is mutated. */
let sound: Promise<Map<string, string>> | undefined;
const verdictsOfSoundLab = () =>
  (sound ??= assessMutant({ edits: [] }).then(
    (findings) => new Map(findings.map(({ control, verdict }) => [control, verdict.kind])),
  ));

/** Each mutant turns its control red, and no other changes but those that it names. */
export function expectRed(mutants: readonly SourceMutant[]): void {
  describe('a weakness in the source of the lab', () => {
    test.each(mutants)('$control: $weakness', async ({ control, edits, inseparable = {}, silences = [] }) => {
      const before = await verdictsOfSoundLab();
      const findings = await assessMutant({ edits });
      const reasons = findings
        .map(({ control: id, verdict }) => `${id}: ${verdict.kind}, ${verdict.reason}`)
        .join('\n');
      const failed = findings.filter(({ verdict }) => verdict.kind === 'failed').map((finding) => finding.control);
      expect(failed.sort(), reasons).toEqual([control, ...Object.keys(inseparable)].sort());
      const changed = findings
        .filter(({ verdict, control: id }) => verdict.kind !== 'failed' && verdict.kind !== before.get(id))
        .map((finding) => finding.control);
      expect(changed.sort(), reasons).toEqual([...silences].sort());
    });
  });
}
