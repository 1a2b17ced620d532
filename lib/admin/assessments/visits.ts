import { hkdfSync } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { and, asc, eq, gt, isNull } from 'drizzle-orm';
import { EncryptJWT, type JWTPayload, jwtDecrypt } from 'jose';
import { z } from 'zod';
import { assessmentVisits } from '@/drizzle/assessment-schema';
import { explainWrongCallback } from '@/lib/oauth/assessment/browser-visits';
import type { WantedVisit } from '@/lib/oauth/assessment/target';
import type { Services } from '@/lib/operation/services';
import type { Millis } from '@/lib/units';

/** Time for a person to sign in and return. */
export const VISIT_TIME: Millis = 600_000;
/** Interval at which a waiting assessment polls for the answer, which another instance may have received. */
const POLL_INTERVAL: Millis = 250;

type VisitServices = Pick<Services, 'database' | 'clock' | 'authSecret'>;
type Visit = (wanted: WantedVisit) => Promise<string | null>;

const Answer = z.object({ url: z.string().nullable() });
const Wanted = z.object({ url: z.string(), redirectUri: z.string() });
const ENCRYPTION = { alg: 'dir', enc: 'A256GCM' } as const;

/** Derives the key for all visits from the secret that all instances share. */
const deriveVisitKey = ({ authSecret }: VisitServices): Uint8Array =>
  new Uint8Array(hkdfSync('sha256', authSecret, '', 'sluice assessment visit', 32));

const sealVisit = (services: VisitServices, subject: string, payload: JWTPayload): Promise<string> =>
  new EncryptJWT(payload).setProtectedHeader(ENCRYPTION).setSubject(subject).encrypt(deriveVisitKey(services));

async function unsealVisit(services: VisitServices, subject: string, token: string): Promise<JWTPayload> {
  const { payload } = await jwtDecrypt(token, deriveVisitKey(services), {
    subject,
    keyManagementAlgorithms: [ENCRYPTION.alg],
    contentEncryptionAlgorithms: [ENCRYPTION.enc],
  });
  return payload;
}

const nameWanted = (assessment: string, number: number): string => `${assessment} ${number} wanted`;
const nameAnswer = (assessment: string, number: number): string => `${assessment} ${number} answer`;
const isVisit = (assessment: string, number: number) =>
  and(eq(assessmentVisits.assessment, assessment), eq(assessmentVisits.number, number));

interface VisitorOptions {
  services: VisitServices;
  assessment: string;
  signal: AbortSignal;
  /** Asks the reader of the stream to send a person's browser to a URL. */
  ask: (url: string, purpose: string) => void;
}

/**
 * Creates the function with which a running assessment sends a person's browser to a URL.
 * It asks the reader, and polls the database for the address to which the browser returned. It returns null after 10
 * minutes, or if the reader disconnects.
 */
export function createVisitor({ services, assessment, signal, ask }: VisitorOptions): Visit {
  const { drizzle } = services.database;
  let visits = 0;
  return async ({ url, purpose, redirectUri }) => {
    visits += 1;
    const number = visits;
    const askedAt = services.clock();
    const wanted = await sealVisit(services, nameWanted(assessment, number), { url, redirectUri });
    await drizzle.insert(assessmentVisits).values({ assessment, number, askedAt, wanted });
    try {
      ask(url, purpose);
      while (!signal.aborted && services.clock() < askedAt + VISIT_TIME) {
        await sleep(POLL_INTERVAL, undefined, { signal }).catch(() => undefined);
        const [row] = await drizzle.select().from(assessmentVisits).where(isVisit(assessment, number));
        if (row === undefined) return null;
        if (row.answer === null) continue;
        return Answer.parse(await unsealVisit(services, nameAnswer(assessment, number), row.answer)).url;
      }
      return null;
    } finally {
      await drizzle.delete(assessmentVisits).where(isVisit(assessment, number));
    }
  };
}

/** Result of a submitted address. `why` explains a wrong one in a sentence. */
type HandedIn = { kind: 'taken' } | { kind: 'not wanted' } | { kind: 'wrong'; why: string };

/** Passes an address to the oldest open visit of an assessment, if it can be the answer. */
export async function answerVisit(services: VisitServices, assessment: string, url: string | null): Promise<HandedIn> {
  const { drizzle } = services.database;
  const isOpen = and(
    eq(assessmentVisits.assessment, assessment),
    isNull(assessmentVisits.answer),
    gt(assessmentVisits.askedAt, services.clock() - VISIT_TIME),
  );
  const open = drizzle.select().from(assessmentVisits).where(isOpen);
  const [visit] = await open.orderBy(asc(assessmentVisits.number)).limit(1);
  if (visit === undefined) return { kind: 'not wanted' };
  const { number } = visit;
  const wanted = Wanted.parse(await unsealVisit(services, nameWanted(assessment, number), visit.wanted));
  const why = url === null ? null : explainWrongCallback(wanted, url);
  if (why !== null) return { kind: 'wrong', why };
  const answered = await drizzle
    .update(assessmentVisits)
    .set({ answer: await sealVisit(services, nameAnswer(assessment, number), { url }) })
    .where(and(isVisit(assessment, number), isNull(assessmentVisits.answer)))
    .returning({ number: assessmentVisits.number });
  return { kind: answered.length > 0 ? 'taken' : 'not wanted' };
}
