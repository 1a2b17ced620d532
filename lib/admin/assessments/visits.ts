import { hkdfSync } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { and, asc, eq, gt, isNull } from 'drizzle-orm';
import { EncryptJWT, jwtDecrypt } from 'jose';
import { z } from 'zod';
import { assessmentVisits } from '@/drizzle/assessment-schema';
import type { WantedVisit } from '@/lib/oauth/assessment/target';
import type { Services } from '@/lib/operation/services';
import type { Millis } from '@/lib/units';

/** How long a person has to sign in and come back. */
export const VISIT_TIME: Millis = 600_000;
/** How often a waiting assessment looks for the answer: another instance may have taken it. */
const LOOK_EVERY: Millis = 250;

type VisitServices = Pick<Services, 'database' | 'clock' | 'authSecret'>;
type Visit = (wanted: WantedVisit) => Promise<string | null>;

const Answer = z.object({ url: z.string().nullable() });
const ENCRYPTION = { alg: 'dir', enc: 'A256GCM' } as const;

/** One key for all visits, from the secret that all instances share. */
const keyOf = ({ authSecret }: VisitServices): Uint8Array =>
  new Uint8Array(hkdfSync('sha256', authSecret, '', 'sluice assessment visit', 32));
const subjectOf = (assessment: string, number: number): string => `${assessment} ${number}`;
const isVisit = (assessment: string, number: number) =>
  and(eq(assessmentVisits.assessment, assessment), eq(assessmentVisits.number, number));

interface VisitorOptions {
  services: VisitServices;
  assessment: string;
  signal: AbortSignal;
  /** Asks the reader of the stream to send a person's browser there. */
  ask: (url: string, purpose: string) => void;
}

/**
 * How a running assessment sends a person's browser somewhere: it asks its reader, and looks in the database for the
 * address that came back. Gives null after 10 minutes and when the reader goes away.
 */
export function visitor({ services, assessment, signal, ask }: VisitorOptions): Visit {
  const { drizzle } = services.database;
  let visits = 0;
  return async ({ url, purpose }) => {
    visits += 1;
    const number = visits;
    const askedAt = services.clock();
    await drizzle.insert(assessmentVisits).values({ assessment, number, askedAt });
    try {
      ask(url, purpose);
      while (!signal.aborted && services.clock() < askedAt + VISIT_TIME) {
        await sleep(LOOK_EVERY, undefined, { signal }).catch(() => undefined);
        const [row] = await drizzle.select().from(assessmentVisits).where(isVisit(assessment, number));
        if (row === undefined) return null;
        if (row.answer !== null) return await openAnswer(services, row.answer, subjectOf(assessment, number));
      }
      return null;
    } finally {
      await drizzle.delete(assessmentVisits).where(isVisit(assessment, number));
    }
  };
}

async function openAnswer(services: VisitServices, answer: string, subject: string): Promise<string | null> {
  const { payload } = await jwtDecrypt(answer, keyOf(services), {
    subject,
    keyManagementAlgorithms: [ENCRYPTION.alg],
    contentEncryptionAlgorithms: [ENCRYPTION.enc],
  });
  return Answer.parse(payload).url;
}

/** Hands an address to the oldest open visit of an assessment, encrypted. False when none is open. */
export async function answerVisit(services: VisitServices, assessment: string, url: string | null): Promise<boolean> {
  const { drizzle } = services.database;
  const isOpen = and(
    eq(assessmentVisits.assessment, assessment),
    isNull(assessmentVisits.answer),
    gt(assessmentVisits.askedAt, services.clock() - VISIT_TIME),
  );
  const [visit] = await drizzle
    .select()
    .from(assessmentVisits)
    .where(isOpen)
    .orderBy(asc(assessmentVisits.number))
    .limit(1);
  if (visit === undefined) return false;
  const answer = await new EncryptJWT({ url })
    .setProtectedHeader(ENCRYPTION)
    .setSubject(subjectOf(assessment, visit.number))
    .encrypt(keyOf(services));
  const answered = await drizzle
    .update(assessmentVisits)
    .set({ answer })
    .where(and(isVisit(assessment, visit.number), isNull(assessmentVisits.answer)))
    .returning();
  return answered.length > 0;
}
