import type { AssessmentReport } from '@/components/oauth/assessments/report';

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

export async function removeReport(id: string): Promise<void> {
  await withReports('readwrite', (store) => store.delete(id));
}

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
