import { VARIABLES } from '@/lib/config/config';

/** Variables with our prefix that other programs read: the command line, and the gateways' recipes. */
const OF_OTHERS = /^SLUICE_(URL|TOKEN|API_KEY|SOCKET|FROM_REDIS_URL|TEST_\w+)$/;

/** Lists the variables with our prefix that no program reads (misspelt, or of another version), with suggestions. */
export function listUnknownVariables(environment: Record<string, string | undefined>) {
  const unknown = Object.keys(environment).filter(
    (name) => name.startsWith('SLUICE_') && !VARIABLES.includes(name) && !OF_OTHERS.test(name),
  );
  return unknown.sort().map((name) => ({ name, meant: findNearestVariable(name) }));
}

/** Finds the nearest variable within an edit distance of three. */
function findNearestVariable(name: string): string | null {
  const distances = VARIABLES.map((variable) => ({ variable, distance: computeEditDistance(name, variable) }));
  const near = distances.filter(({ distance }) => distance <= 3).sort((a, b) => a.distance - b.distance);
  return near[0]?.variable ?? null;
}

/** Computes the Levenshtein distance. */
function computeEditDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const letter of from) {
    let diagonal = row[0] ?? 0;
    const next = [diagonal + 1];
    for (const [index, other] of [...to].entries()) {
      const above = row[index + 1] ?? 0;
      next.push(Math.min(above + 1, (next[index] ?? 0) + 1, diagonal + (letter === other ? 0 : 1)));
      diagonal = above;
    }
    row = next;
  }
  return row[to.length] ?? 0;
}
