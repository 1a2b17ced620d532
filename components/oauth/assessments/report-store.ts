import type { AssessmentReport } from '@/components/oauth/assessments/report';

const NAME = 'sluice-oauth-audits';
const STORE = 'reports';
/** Reports of the first version held live tokens and cookies: they are dropped. */
const VERSION = 2;
/** The most that are kept; the oldest go first. */
const MOST = 30;

/** The reports of this browser (IndexedDB: they are too large for localStorage), newest first. */
export async function listReports(): Promise<AssessmentReport[]> {
  const database = await open();
  try {
    const reports: AssessmentReport[] = await settled(database.transaction(STORE).objectStore(STORE).getAll());
    return reports.sort((a, b) => b.at.localeCompare(a.at));
  } finally {
    database.close();
  }
}

/** Keeps a report, and lets the oldest go. */
export async function keepReport(report: AssessmentReport): Promise<void> {
  const old = (await listReports()).slice(MOST - 1);
  const database = await open();
  try {
    const store = database.transaction(STORE, 'readwrite').objectStore(STORE);
    for (const { id } of old) store.delete(id);
    await settled(store.put(report));
  } finally {
    database.close();
  }
}

/** Forgets a report. */
export async function removeReport(id: string): Promise<void> {
  const database = await open();
  try {
    await settled(database.transaction(STORE, 'readwrite').objectStore(STORE).delete(id));
  } finally {
    database.close();
  }
}

function open(): Promise<IDBDatabase> {
  const request = indexedDB.open(NAME, VERSION);
  request.onupgradeneeded = () => {
    if (request.result.objectStoreNames.contains(STORE)) request.result.deleteObjectStore(STORE);
    request.result.createObjectStore(STORE, { keyPath: 'id' });
  };
  return settled(request);
}

function settled<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}
