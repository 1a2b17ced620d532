import { expect, test } from 'vitest';
import { assessmentFindings, assessments, assessmentVisits } from '@/drizzle/assessment-schema';
import { packFindings } from '@/lib/admin/assessments/packed-findings';
import { KEPT, removeOutdatedAssessments } from '@/lib/admin/assessments/remove-outdated';
import { VISIT_TIME } from '@/lib/admin/assessments/visits';
import { migratedDatabase } from '@/tests/fixtures/migrated-database';

test('the newest of each kind are kept, with what belongs to them', async () => {
  using stored = await migratedDatabase();
  const { database } = stored;
  const { drizzle } = database;
  const findings = await packFindings([]);
  const numbers = { lab: KEPT.lab + 5, server: KEPT.server + 5 };
  const row = (kind: 'lab' | 'server', number: number) => ({
    ...{ id: `${kind} ${number}`, name: 'x', kind, target: 'x', startedAt: number, startedBy: 'x', starter: 'x' },
    ...{ build: '0', state: 'finished' as const, aliveAt: 0, durationMs: 0, preflight: '[]' },
    ...{ passed: 0, failed: 0, notApplicable: 0, inconclusive: 0, grade: null },
  });
  const rows = (['lab', 'server'] as const).flatMap((kind) =>
    Array.from({ length: numbers[kind] }, (_, number) => row(kind, number)),
  );
  await drizzle.insert(assessments).values(rows);
  await drizzle.insert(assessmentFindings).values(rows.map(({ id }) => ({ assessment: id, findings })));
  const visit = { assessment: 'lab 5', wanted: 'x' };
  await drizzle.insert(assessmentVisits).values([
    { ...visit, number: 1, askedAt: 0 },
    { ...visit, number: 2, askedAt: VISIT_TIME },
  ]);

  await removeOutdatedAssessments(database, VISIT_TIME + 1);

  const left = (await drizzle.select().from(assessments)).map(({ id }) => id);
  const newest = rows.filter(({ startedAt }) => startedAt >= 5).map(({ id }) => id);
  expect(left.sort()).toEqual(newest.sort());
  expect(left).toHaveLength(200 + 1_000);
  const kept = (await drizzle.select().from(assessmentFindings)).map(({ assessment }) => assessment);
  expect(kept.sort()).toEqual(left.sort());
  expect((await drizzle.select().from(assessmentVisits)).map(({ number }) => number)).toEqual([2]);
});
