import type { Finding } from '@/lib/oauth/assessment/run';
import type { VerdictKind } from '@/lib/oauth/assessment/verdict';

/** An assessment that was run, as it is kept in this browser and exported. */
export interface AssessmentReport {
  id: string;
  /** What was assessed: the lab with a preset, or the name of a server. */
  name: string;
  issuer: string;
  /** RFC 3339. */
  at: string;
  durationMs: number;
  findings: readonly Finding[];
}

export function countVerdicts({ findings }: Pick<AssessmentReport, 'findings'>, kind: VerdictKind): number {
  return findings.filter(({ verdict }) => verdict.kind === kind).length;
}

/** The verdicts of two reports by control, null where one has none: those that differ first, then as in `controls`. */
export function compareReports(before: AssessmentReport, after: AssessmentReport, controls: readonly { id: string }[]) {
  const verdicts = ({ findings }: AssessmentReport) =>
    new Map(findings.map(({ control, verdict }) => [control, verdict.kind]));
  const [left, right] = [verdicts(before), verdicts(after)];
  const ids = new Set([...controls.map(({ id }) => id), ...left.keys(), ...right.keys()]);
  return [...ids]
    .filter((control) => left.has(control) || right.has(control))
    .map((control) => ({ control, before: left.get(control) ?? null, after: right.get(control) ?? null }))
    .sort((a, b) => Number(a.before === a.after) - Number(b.before === b.after));
}

const NAME = 'sluice-oauth-audits';
const STORE = 'reports';
/** Reports of the first version held live tokens and cookies: they are dropped. */
const VERSION = 2;
/** The most that are kept; the oldest go first. */
const MOST = 30;

/** The reports of this browser (IndexedDB: they are too large for localStorage), newest first. */
export async function listReports(): Promise<AssessmentReport[]> {
  const reports = await withReports<AssessmentReport[]>('readonly', (store) => store.getAll());
  return reports.sort((a, b) => b.at.localeCompare(a.at));
}

/** Keeps a report in place of the oldest beyond `MOST`. */
export async function keepReport(report: AssessmentReport): Promise<void> {
  const old = (await listReports()).slice(MOST - 1);
  await withReports('readwrite', (store) => {
    for (const { id } of old) store.delete(id);
    return store.put(report);
  });
}

export const removeReport = (id: string) => withReports('readwrite', (store) => store.delete(id));

async function withReports<T>(mode: IDBTransactionMode, ask: (store: IDBObjectStore) => IDBRequest<T>): Promise<T> {
  const opening = indexedDB.open(NAME, VERSION);
  opening.onupgradeneeded = () => {
    if (opening.result.objectStoreNames.contains(STORE)) opening.result.deleteObjectStore(STORE);
    opening.result.createObjectStore(STORE, { keyPath: 'id' });
  };
  const database = await settled(opening);
  try {
    return await settled(ask(database.transaction(STORE, mode).objectStore(STORE)));
  } finally {
    database.close();
  }
}

function settled<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}
